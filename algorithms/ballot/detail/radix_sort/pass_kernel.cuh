// One pass of the LSD radix sort: a stable partition of the keys by one digit of 8 bits, in one read and one write.
//
//     take a ticket -> load the tile -> rank each key among its digit's keys -> publish 256 counts -> gather by digit
//     in shared memory -> look back, a thread a digit -> write out: each digit's keys of the tile are one run
//
// Values are copied into shared memory while the keys are loaded and ranked, so that they wait for nobody and in no
// register; when the keys are out they change places and follow.
//
// Ranking is apart in each half of a warp (rank.cuh); the counts are then summed over the halves, in order, which keeps
// the pass stable. The first pass of a sort of keys alone by all their bits need not be: keys that are the same in every
// bit cannot be told apart.
//
// Look-back. As in device/look_back.cuh, but 256 sums side by side: thread d walks back for digit d. A state is one
// 32-bit word of status (2 bits) and value (30 bits); a launch covers fewer than 2^30 keys (a portion), and where the
// digits of the portion begin is a 64-bit number apart, so that n is not limited. Relaxed order is enough, as there.
//
// The order of keys is that of their ordered bits: the first pass encodes the keys, the passes between move ordered
// bits, the last decodes, so that this kernel knows only the width of a key. Values travel as words of their width;
// without values to read, the position of the key itself is the value (argsort). Whether a launch is a pass, a copy or
// nothing, and which buffers it takes, is its role, which the histogram decided (plan.hpp).
//
// Adinets and Merrill, Onesweep: A Faster Least Significant Digit Radix Sort for GPUs, 2022; Harris and Garland, GPU
// Computing Gems Jade Edition, chapter 3.4 (radix sort from one-bit splits, of which this is the eight-bit descendant).
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/common/packed_words.cuh>
#include <ballot/detail/radix_sort/digit_look_back.cuh>
#include <ballot/detail/radix_sort/launch_bounds.cuh>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/detail/radix_sort/rank.cuh>
#include <ballot/detail/radix_sort/tile_copies.cuh>

#include <type_traits>

namespace ballot::detail {

template <int Threads, int KeysPerThread, int BlocksPerMultiprocessor = 0, int Window = 1>
struct radix_shape {
  static constexpr int threads = Threads;
  static constexpr int keys_per_thread = KeysPerThread;
  static constexpr int blocks_per_multiprocessor =
      BlocksPerMultiprocessor;           // that registers leave room for; 0: as it comes
  static constexpr int window = Window;  // older tiles that a thread looks at at once
  static constexpr int warps = Threads / static_cast<int>(simt::warp_size);
  static constexpr unsigned items = Threads * KeysPerThread;
  static_assert(Threads >= radix_digits, "one thread a digit");
  static_assert(items <= 65536, "places in a tile are kept in 16 bits");
};

template <class U, class V>
struct radix_pass_arguments {
  const U* keys_in;  // the caller's
  U* keys_output;    // where the last step leaves them
  U* keys_spare;
  bool keys_wanted;    // false: the last pass moves values alone (argsort)
  const V* values_in;  // null: each value is the position of its key
  V* values_output;
  V* values_spare;
  const launch_action* action;
  length n;
  std::uint64_t portion_begin;  // this launch takes keys [portion_begin, portion_begin + portion_items) of them
  std::uint64_t portion_items;
  key_codec<U> codec;
  int shift;
  unsigned digit_mask;
  int leading_shift;  // the same for a pass by the prefix
  unsigned leading_mask;
  const std::uint64_t* digit_offsets;  // where each digit's keys of this portion begin in the output
  std::uint64_t* next_digit_offsets;   // the same for the next portion, written by the last tile; null: there is none
  digit_state::word* states;           // [tile][digit], zero at launch
  // Null: somebody else zeroes them. Else passes of even number use `states` and zero these for the next pass, and
  // passes of odd number do the reverse.
  digit_state::word* other_states;
  std::uint32_t* ticket;  // zero at launch
};

// The arrays that the role of this launch chooses: asked for where they are used, since a pointer that waits costs two
// registers.
template <class U, class V>
struct radix_step_buffers {
  const radix_pass_arguments<U, V>& a;
  launch_action action;

  __device__ __forceinline__ bool to_output() const { return action.has(launch_action::to_output); }
  __device__ __forceinline__ bool is_first() const { return action.has(launch_action::first_step); }
  __device__ __forceinline__ const U* keys_in() const {
    return is_first() ? a.keys_in : to_output() ? a.keys_spare : a.keys_output;
  }
  __device__ __forceinline__ U* keys_out() const { return to_output() ? a.keys_output : a.keys_spare; }
  __device__ __forceinline__ bool wants_keys() const { return a.keys_wanted || !action.has(launch_action::last_step); }
  __device__ __forceinline__ const V* values_in() const {
    return is_first() ? a.values_in : to_output() ? a.values_spare : a.values_output;
  }
  __device__ __forceinline__ V* values_out() const { return to_output() ? a.values_output : a.values_spare; }
};

template <class U, class V, class Shape>
struct radix_pass_storage {
  static constexpr std::size_t value_bytes = std::is_same_v<V, no_value> ? 0 : sizeof(V);
  static constexpr std::size_t item_bytes = sizeof(U) > value_bytes ? sizeof(U) : value_bytes;

  union {  // counts while ranking, then keys by digit, then values by digit
    warp_digit_counts counts[Shape::warps];
    alignas(16) unsigned char items[Shape::items * item_bytes];
  };
  alignas(simt::copy_alignment) unsigned char values[value_bytes != 0 ? Shape::items * value_bytes
                                                                      : 1];  // in the input's order
  // Of each digit: the output position of its first key of the tile, less that key's position in the tile.
  std::uint64_t place[radix_digits];
  typename block::scan<std::uint32_t, Shape::threads>::storage scan;
  std::uint32_t tile;
};

// A launch that only copies: the tile's keys and values, or as values the positions.
template <class U, class V, class Shape>
__device__ __forceinline__ void copy_pass_tile(const radix_step_buffers<U, V>& buffers, std::uint64_t begin,
                                               unsigned valid) {
  if (buffers.wants_keys()) copy_tile<Shape>(buffers.keys_in() + begin, buffers.keys_out() + begin, valid);
  if constexpr (!std::is_same_v<V, no_value>) {
    const V* const values_in = buffers.values_in();
    V* const values_out = buffers.values_out() + begin;
    if (values_in != nullptr) {
      copy_tile<Shape>(values_in + begin, values_out, valid);
    } else if constexpr (std::is_integral_v<V>) {
      for (unsigned at = simt::thread_rank(); at < valid; at += Shape::threads)
        values_out[at] = static_cast<V>(begin + at);
    }
  }
}

template <class Shape, class U, class V>
__device__ __forceinline__ std::uint64_t radix_tile_begin(const radix_pass_arguments<U, V>& a, std::uint32_t tile) {
  return a.portion_begin + static_cast<std::uint64_t>(tile) * Shape::items;
}

// Whether a full tile's loads and stores have code of their own, without bounds. Where tiles are small, so is what that
// gains.
template <class Shape>
inline constexpr bool specialises_full_tiles = Shape::keys_per_thread > 16;

// A tile of a pass: `valid` items of Shape::items, which are all but in the last tile.
template <class U, class V, class Shape>
__device__ __forceinline__ void radix_pass_tile(const radix_pass_arguments<U, V>& a, launch_action action,
                                                radix_pass_storage<U, V, Shape>& shared, std::uint32_t tile,
                                                unsigned valid, bool last_tile) {
  constexpr bool has_values = !std::is_same_v<V, no_value>;
  constexpr int keys_per_thread = Shape::keys_per_thread;
  const unsigned thread = simt::thread_rank(), warp = simt::warp_id();
  const bool owns_digit = thread < radix_digits;
  // What follows from tile and role alone is computed where it is used, and again where it is used again.
  const auto buffers = [&] { return radix_step_buffers<U, V>{a, {simt::opaque(action.bits)}}; };
  const auto begin = [&] { return radix_tile_begin<Shape>(a, simt::opaque(tile)); };

  // Between loads and stores a ragged tile is like a full one: missing keys are the largest there are and come last in
  // the input, so they also come last in the tile when it is ordered, where no store takes them.
  const bool full = specialises_full_tiles<Shape> && valid == Shape::items;
  const auto with_bounds_or_without = [&](auto access) {  // access<whether all is there>()
    if constexpr (specialises_full_tiles<Shape>) {
      if (full) return access.template operator()<true>();
    }
    access.template operator()<false>();
  };

  // Half a warp owns a contiguous run of the tile and takes it in rows of 16 keys.
  const unsigned first = thread / half_warp_lanes * (half_warp_lanes * keys_per_thread) + thread % half_warp_lanes;
  const bool encodes = action.has(launch_action::first_pass) && !a.codec.is_identity();
  U key[keys_per_thread];
  const U* const keys_in = buffers().keys_in() + begin() + first;
  with_bounds_or_without([&]<bool Full>() {
    constexpr U largest = static_cast<U>(~U{0});
    const U missing_key = Full ? U{} : encodes ? a.codec.decode(largest) : largest;
#pragma unroll
    for (int i = 0; i < keys_per_thread; ++i) {
      const unsigned row = static_cast<unsigned>(i) * half_warp_lanes;
      key[i] = Full || first + row < valid ? keys_in[row] : missing_key;
    }
  });
  V* const values = reinterpret_cast<V*>(shared.values);
  if constexpr (has_values) {
    if (const V* const values_in = buffers().values_in(); values_in != nullptr)
      load_values_async<Shape>(values, values_in + begin(), valid);
  }
  zero_counts(shared.counts[warp]);  // while keys and values are on their way
  if (encodes) {
#pragma unroll
    for (int i = 0; i < keys_per_thread; ++i) key[i] = a.codec.encode(key[i]);
  }

  const bool by_leading_bits = action.has(launch_action::by_leading_bits);
  const int shift = by_leading_bits ? a.leading_shift : a.shift;
  const unsigned digit_mask = by_leading_bits ? a.leading_mask : a.digit_mask;
  const auto digit_of_key = [&](U k) { return static_cast<unsigned>(k >> shift) & digit_mask; };
  const auto digit_of = [&](int i) { return digit_of_key(key[i]); };
  U* const staged_keys = reinterpret_cast<U*>(shared.items);
  const half_warp_counters word_of(shared.counts[warp]);
  packed_words<keys_per_thread, 16> rank;
  const auto keep_rank = [&](int i, std::uint32_t r) { rank.set(i, r); };
  // A ragged tile keeps the order: its missing keys are to stay behind the others.
  if (full && !has_values && action.has(launch_action::unstable))
    rank_unstably<keys_per_thread>(word_of, digit_of, keep_rank);
  else rank_stably<keys_per_thread>(word_of, action.frequent_digit(), digit_of, keep_rank);
  simt::sync_block();
  // Digits are computed anew behind the barrier: a register a key for them would cost warps.
#pragma unroll
  for (int i = 0; i < keys_per_thread; ++i) key[i] = simt::opaque(key[i]);

  // Thread d: the tile's keys of digit d.
  std::uint32_t of_digit = 0;
  if (owns_digit) {
#pragma unroll
    for (int w = 0; w < Shape::warps; ++w) of_digit += digit_count(shared.counts[w], thread);
  }
  // Missing keys have the largest digit; they are counted for their places in shared memory, not for the output.
  const std::uint32_t missing = thread == digit_mask ? Shape::items - valid : 0u;
  const auto own_state = [&](digit_state::word* states) {
    return states + (static_cast<std::size_t>(simt::opaque(tile)) * radix_digits + thread);
  };
  const bool odd = action.has(launch_action::odd_pass) && a.other_states != nullptr;
  if (owns_digit) {
    // Pairs with the relaxed loads of look_back_for_digit: status and count are one word.
    simt::publish_relaxed(own_state(odd ? a.other_states : a.states),
                          digit_state::pack(tile == 0 ? device::tile_status::prefix : device::tile_status::aggregate,
                                            of_digit - missing));
    if (a.other_states != nullptr && !action.has(launch_action::last_pass))
      *own_state(odd ? a.states : a.other_states) = 0;
  }
  std::uint32_t total;
  const std::uint32_t start_in_tile =
      block::scan<std::uint32_t, Shape::threads>::exclusive(shared.scan, of_digit, 0u, total);
  if (owns_digit) {  // the counts become the places where each warp's keys of the digit begin
    std::uint32_t place = start_in_tile;
#pragma unroll
    for (int w = 0; w < Shape::warps; ++w) place = counts_to_offsets(shared.counts[w], thread, place);
  }
  simt::sync_block();

#pragma unroll
  for (int i = 0; i < keys_per_thread; ++i) rank.add(i, *word_of(digit_of(i)));
  simt::sync_block();  // the counts are read; keys take their memory
#pragma unroll
  for (int i = 0; i < keys_per_thread; ++i) staged_keys[rank.get(i)] = key[i];

  if (owns_digit) {
    std::uint32_t before = 0;
    if (tile != 0) {
      digit_state::word* const states = odd ? a.other_states : a.states;
      before = look_back_for_digit<Shape::window>(states + thread, tile);
      // Pairs with the relaxed loads of later tiles' look-back.
      simt::publish_relaxed(own_state(states),
                            digit_state::pack(device::tile_status::prefix, before + of_digit - missing));
    }
    const std::uint64_t place = a.digit_offsets[thread] + before;
    shared.place[thread] = place - start_in_tile;
    if (a.next_digit_offsets != nullptr && last_tile) a.next_digit_offsets[thread] = place + of_digit - missing;
  }
  if constexpr (has_values) simt::wait_for_copies();
  simt::sync_block();

  // Without a branch for each key, so that their ways overlap: full tiles have code for each way of writing. Of a ragged
  // tile among them there is one, whose code is short for the compiler's sake.
  enum way { none, as_they_are, decoded, asked };
  [[maybe_unused]] packed_words<keys_per_thread, 8> digit;
  const auto for_each_place = [&]<bool Full>(auto visit) {  // visit(word and place in `digit`, place in the tile)
    for_each_packed<keys_per_thread, 8, Full || !specialises_full_tiles<Shape>>([&](int word, int place) {
      visit(word, place, thread + static_cast<unsigned>(word * digit.in_word + place) * Shape::threads);
    });
  };
  const bool wanted = !has_values || buffers().wants_keys();
  const bool decodes = action.has(launch_action::last_pass) && !a.codec.is_identity();
  const auto write_keys = [&]<bool Full, way Way>() {
    U* const keys_out = buffers().keys_out();
    for_each_place.template operator()<Full>([&](int word, int place, unsigned at) {
      U k = staged_keys[at];
      const unsigned d = digit_of_key(k);
      if constexpr (has_values) digit.set(word, place, d);
      if (Way == decoded || (Way == asked && decodes)) k = a.codec.decode(k);
      if ((Way == asked ? wanted : Way != none) && (Full || at < valid)) keys_out[shared.place[d] + at] = k;
    });
  };
  with_bounds_or_without([&]<bool Full>() {
    if constexpr (!Full) {
      write_keys.template operator()<Full, asked>();
    } else {
      if (!wanted) write_keys.template operator()<Full, none>();
      else if (decodes) write_keys.template operator()<Full, decoded>();
      else write_keys.template operator()<Full, as_they_are>();
    }
  });

  if constexpr (has_values) {
    simt::sync_block();  // the keys are out; values take their memory
    V* const staged_values = reinterpret_cast<V*>(shared.items);
    const bool are_positions = buffers().values_in() == nullptr;
    const V first_position = static_cast<V>(begin() + first);
#pragma unroll
    for (int i = 0; i < keys_per_thread; ++i) {
      const unsigned row = static_cast<unsigned>(i) * half_warp_lanes;
      staged_values[rank.get(i)] = are_positions ? static_cast<V>(first_position + row) : values[first + row];
    }
    simt::sync_block();
    with_bounds_or_without([&]<bool Full>() {
      V* const values_out = buffers().values_out();
      for_each_place.template operator()<Full>([&](int word, int place, unsigned at) {
        if (Full || at < valid) values_out[shared.place[digit.get(word, place)] + at] = staged_values[at];
      });
    });
  }
}

// Whether a block takes tile after tile, so that few of them have to find out that a launch has nothing to do, where keys
// of 8 bytes have eight launches. Shorter keys leave no registers for what a loop keeps.
template <class U>
inline constexpr bool radix_blocks_loop = sizeof(U) >= 8;
inline constexpr unsigned max_radix_blocks = 4096;

// One tile of a block; false if there was none. `moved`: the tile that this block would copy.
template <class U, class V, class Shape>
__device__ __forceinline__ bool process_radix_tile(const radix_pass_arguments<U, V>& a,
                                                   radix_pass_storage<U, V, Shape>& shared, std::uint32_t moved) {
  // The ticket is on its way while the role is, though some launches turn out not to need one.
  const device::ticket_on_its_way ticket(a.ticket);
  const launch_action action = *a.action;
  if (action.bits == 0) return false;  // nothing to do in this launch: the whole grid leaves
  const std::uint64_t portion_end = smaller(a.n.get(), a.portion_begin + a.portion_items);
  const bool copies = action.has(launch_action::copy);
  // A copy needs no order, and has no barrier behind which the ticket's place could be written again.
  const std::uint32_t tile = copies ? moved : ticket.get(shared.tile);
  const std::uint64_t begin = radix_tile_begin<Shape>(a, tile);
  if (begin >= portion_end) return false;  // a surplus tile of a launch sized for the capacity: the whole block leaves

  const std::uint64_t left = portion_end - begin;
  const auto valid = static_cast<unsigned>(smaller(left, Shape::items));
  if (copies) copy_pass_tile<U, V, Shape>(radix_step_buffers<U, V>{a, action}, begin, valid);
  else radix_pass_tile(a, action, shared, tile, valid, left <= Shape::items);
  return true;
}

template <class U, class V, class Shape>
__global__ void __launch_bounds__(Shape::threads, radix_launch_blocks<Shape>)
    radix_pass_kernel(radix_pass_arguments<U, V> a) {
  auto& shared = simt::shared_storage<radix_pass_storage<U, V, Shape>>();
  std::uint32_t moved = blockIdx.x;
  if constexpr (radix_blocks_loop<U>) {
    // Behind the ticket's barrier shared memory is read, and the next tile may take it.
#pragma unroll 1
    while (process_radix_tile(a, shared, moved)) moved += gridDim.x;
  } else {
    process_radix_tile(a, shared, moved);
  }
}

}  // namespace ballot::detail
