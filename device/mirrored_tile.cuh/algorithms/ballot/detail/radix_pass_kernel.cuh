// One pass of the LSD radix sort: a stable partition of the keys by one digit of 8 bits, in one read and one write.
//
//     take a ticket -> load the tile -> rank each key among its digit's keys -> publish 256 counts -> gather by digit
//     in shared memory -> look back, a thread a digit -> write out: each digit's keys of the tile are one run
//
// Ranking is apart in each warp (radix_rank.cuh); the counts are then summed over the warps, in warp order, which keeps
// the pass stable.
//
// Look-back. As in device/look_back.cuh, but 256 sums side by side: thread d walks back for digit d. A state is one
// 32-bit word of status (2 bits) and value (30 bits); a launch covers fewer than 2^30 keys (a portion), and where the
// digits of the portion begin is a 64-bit number apart, so that n is not limited. Relaxed order is enough, as there.
//
// The order of keys is that of their ordered bits: the first pass encodes the keys, the passes between move ordered
// bits, the last decodes, so that this kernel knows only the width of a key. Values travel as words of their width;
// without values to read, the position of the key itself is the value (argsort).
//
// Adinets and Merrill, Onesweep: A Faster Least Significant Digit Radix Sort for GPUs, 2022; Harris and Garland, GPU
// Computing Gems Jade Edition, chapter 3.4 (radix sort from one-bit splits, of which this is the eight-bit descendant).
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/radix_rank.cuh>
#include <ballot/device/look_back.cuh>

#include <type_traits>

namespace ballot::detail {

template <int Threads, int KeysPerThread, radix_ranking Ranking = radix_ranking::votes, int BlocksPerMultiprocessor = 0>
struct radix_shape {
  static constexpr int threads = Threads;
  static constexpr int keys_per_thread = KeysPerThread;
  static constexpr radix_ranking ranking = Ranking;
  static constexpr int blocks_per_multiprocessor =
      BlocksPerMultiprocessor;  // that registers leave room for; 0: as it comes
  static constexpr int warps = Threads / static_cast<int>(simt::warp_size);
  static constexpr unsigned items = Threads * KeysPerThread;
};

struct no_value {};

// Status and count of one digit of one tile.
struct digit_state {
  using word = std::uint32_t;
  static constexpr unsigned value_bits = 30;
  static constexpr std::uint32_t most = (1u << value_bits) - 1u;
  static BALLOT_HOST_DEVICE word pack(device::tile_status status, std::uint32_t count) {
    return static_cast<word>(status) << value_bits | count;
  }
  static BALLOT_HOST_DEVICE device::tile_status status(word w) {
    return static_cast<device::tile_status>(w >> value_bits);
  }
  static BALLOT_HOST_DEVICE std::uint32_t value(word w) { return w & most; }
};

template <class U, class V>
struct radix_pass_arguments {
  const U* keys_in;
  U* keys_out;         // null: the keys are not wanted any more (the last pass of an argsort)
  const V* values_in;  // null: each value is the position of its key
  V* values_out;
  length n;
  std::uint64_t portion_begin;  // this launch takes keys [portion_begin, portion_begin + portion_items) of them
  std::uint64_t portion_items;
  key_codec<U> encode;  // the identity but in the first pass
  key_codec<U> decode;  // the identity but in the last pass
  int shift;
  unsigned digit_mask;
  const std::uint64_t* starts;        // where each digit's keys of this portion begin in the output
  std::uint64_t* next_starts;         // the same for the next portion, written by the last tile; null: there is none
  digit_state::word* states;          // [tile][digit], zero at launch
  digit_state::word* states_to_zero;  // those of the next launch, as many; null: nobody needs them
  std::uint32_t* ticket;              // zero at launch
};

template <class U, class V, class Shape>
struct radix_pass_storage {
  static constexpr std::size_t value_bytes = std::is_same_v<V, no_value> ? 0 : sizeof(V);
  static constexpr std::size_t item_bytes = sizeof(U) > value_bytes ? sizeof(U) : value_bytes;

  union {  // counts while ranking, then keys, then values
    radix_warp_counts<Shape::ranking> warp[Shape::warps];
    alignas(16) unsigned char items[Shape::items * item_bytes];
  };
  // Of each digit: the output position of its first key of the tile, less that key's position in the tile.
  std::uint64_t place[radix_digits];
  typename block::scan<std::uint32_t, Shape::threads>::storage scan;
  std::uint32_t tile;
};

template <class U, class V, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
    radix_pass_kernel(radix_pass_arguments<U, V> a) {
  constexpr bool has_values = !std::is_same_v<V, no_value>;
  constexpr int keys_per_thread = Shape::keys_per_thread;
  static_assert(Shape::threads >= radix_digits, "one thread a digit");
  auto& shared = simt::shared_storage<radix_pass_storage<U, V, Shape>>();
  const unsigned thread = simt::thread_rank(), warp = simt::warp_id();

  const std::uint32_t tile = device::take_ticket(a.ticket, shared.tile);
  const std::uint64_t n = a.n.get();
  const std::uint64_t portion_end = smaller(n, a.portion_begin + a.portion_items);
  const std::uint64_t begin = a.portion_begin + static_cast<std::uint64_t>(tile) * Shape::items;
  if (begin >= portion_end) return;  // a surplus tile of a launch sized for the capacity: the whole block leaves
  const auto valid = static_cast<unsigned>(smaller(portion_end - begin, Shape::items));

  // A warp owns a contiguous run of the tile; its i-th row of 32 keys is one coalesced load. Missing keys are the
  // largest there are and come last in the input, so they also come last in the tile when it is ordered.
  const unsigned first = warp * (simt::warp_size * keys_per_thread) + simt::lane_id();
  U key[keys_per_thread];
  const auto load_row = [&](int i) -> U {
    const unsigned at = first + static_cast<unsigned>(i) * simt::warp_size;
    return at < valid ? a.encode.encode(a.keys_in[begin + at]) : static_cast<U>(~U{0});
  };
#pragma unroll
  for (int i = 0; i < keys_per_thread; ++i) key[i] = load_row(i);

  radix_warp_counts<Shape::ranking>& counts = shared.warp[warp];
  zero_counts(counts);
  const auto digit_of_key = [&](U k) { return static_cast<unsigned>(k >> a.shift) & a.digit_mask; };
  std::uint32_t rank[keys_per_thread];
  rank_in_warp<keys_per_thread>(counts, rank, [&](int i) { return digit_of_key(key[i]); });
  simt::sync_block();

  // Thread d: the counts of digit d become exclusive over the warps; their sum is the tile's.
  std::uint32_t of_digit = 0;
  if (thread < radix_digits) {
#pragma unroll
    for (int w = 0; w < Shape::warps; ++w) {
      const std::uint32_t of_warp = shared.warp[w].count[thread];
      shared.warp[w].count[thread] = of_digit;
      of_digit += of_warp;
    }
  }
  // Missing keys have the largest digit; they are counted for their places in shared memory, not for the output.
  const std::uint32_t missing = thread == a.digit_mask ? Shape::items - valid : 0u;
  digit_state::word* const states = a.states + static_cast<std::size_t>(tile) * radix_digits;
  if (thread < radix_digits) {
    // Pairs with the relaxed loads of the look-back below: status and count are one word.
    simt::publish_relaxed(states + thread,
                          digit_state::pack(tile == 0 ? device::tile_status::prefix : device::tile_status::aggregate,
                                            of_digit - missing));
    if (a.states_to_zero != nullptr) a.states_to_zero[static_cast<std::size_t>(tile) * radix_digits + thread] = 0;
  }
  std::uint32_t total;
  const std::uint32_t start_in_tile =
      block::scan<std::uint32_t, Shape::threads>::exclusive(shared.scan, of_digit, 0u, total);
  if (thread < radix_digits) {
#pragma unroll
    for (int w = 0; w < Shape::warps; ++w) shared.warp[w].count[thread] += start_in_tile;
  }
  simt::sync_block();
#pragma unroll
  for (int i = 0; i < keys_per_thread; ++i)
    rank[i] += counts.count[digit_of_key(key[i])];  // now the place within the ordered tile
  simt::sync_block();                               // the counts are read; keys take their memory

  U* const staged_keys = reinterpret_cast<U*>(shared.items);
#pragma unroll
  for (int i = 0; i < keys_per_thread; ++i) staged_keys[rank[i]] = key[i];

  [[maybe_unused]] V value[has_values ? keys_per_thread : 1];
  if constexpr (has_values) {  // on their way while the tile looks back
#pragma unroll
    for (int i = 0; i < keys_per_thread; ++i) {
      const unsigned at = first + static_cast<unsigned>(i) * simt::warp_size;
      if (a.values_in == nullptr) {
        if constexpr (std::is_integral_v<V>) value[i] = static_cast<V>(begin + at);
      } else if (at < valid) {
        value[i] = a.values_in[begin + at];
      }
    }
  }

  if (thread < radix_digits) {
    std::uint32_t before = 0;
    if (tile != 0) {
      for (const digit_state::word* older = states + thread;;) {
        older -= radix_digits;
        digit_state::word w;
        // Pairs with the relaxed stores of the older tile's thread of this digit.
        while (digit_state::status(w = simt::load_relaxed(older)) == device::tile_status::empty) simt::spin_hint();
        before += digit_state::value(w);
        if (digit_state::status(w) == device::tile_status::prefix) break;
      }
      // Pairs with the relaxed loads of later tiles' look-back.
      simt::publish_relaxed(states + thread,
                            digit_state::pack(device::tile_status::prefix, before + of_digit - missing));
    }
    const std::uint64_t place = a.starts[thread] + before;
    shared.place[thread] = place - start_in_tile;
    if (a.next_starts != nullptr && begin + valid == portion_end) a.next_starts[thread] = place + of_digit - missing;
  }
  simt::sync_block();

  unsigned digit[keys_per_thread];
#pragma unroll
  for (int i = 0; i < keys_per_thread; ++i) {
    const unsigned at = thread + static_cast<unsigned>(i) * Shape::threads;
    const U k = staged_keys[at];
    digit[i] = digit_of_key(k);
    if (at < valid && a.keys_out != nullptr) a.keys_out[shared.place[digit[i]] + at] = a.decode.decode(k);
  }
  if constexpr (has_values) {
    simt::sync_block();  // the keys are out; values take their memory
    V* const staged_values = reinterpret_cast<V*>(shared.items);
#pragma unroll
    for (int i = 0; i < keys_per_thread; ++i)
      if (first + static_cast<unsigned>(i) * simt::warp_size < valid) staged_values[rank[i]] = value[i];
    simt::sync_block();
#pragma unroll
    for (int i = 0; i < keys_per_thread; ++i) {
      const unsigned at = thread + static_cast<unsigned>(i) * Shape::threads;
      if (at < valid) a.values_out[shared.place[digit[i]] + at] = staged_values[at];
    }
  }
}

}  // namespace ballot::detail
