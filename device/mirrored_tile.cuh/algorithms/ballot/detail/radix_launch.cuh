// The radix sort on the host: scratch, the order of passes and buffers, launches.
//
// A sort is a fill, a histogram of all digits, and a kernel a pass. Keys and values go back and forth between two
// buffers; which is first is chosen so that the last pass ends where the caller wants them. Lengths of 2^30 and more
// are taken in portions of less, each with a launch of its own, because a tile state counts to 2^30.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/tuning_radix.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>

#include <algorithm>
#include <utility>

namespace ballot {

struct sort_options {
  ballot::direction direction = ballot::direction::ascending;
  bit_range bits = {};
};

namespace detail {

// Whether values travel with their keys, as words: they have a word's size, and wherever they may lie, a word may too.
template <class V>
inline constexpr bool travels_as_word = (sizeof(V) == 4 || sizeof(V) == 8) && alignof(V) == sizeof(V);

// What becomes of the keys: it decides how many buffers the passes need besides the caller's.
enum class radix_target { other_range, in_place, order_only };

// Where keys and values come from and where they are to end. keys_out null: only the values are wanted.
template <class U, class V>
struct radix_job {
  input<U> keys;
  U* keys_out;
  const V* values;  // null: the positions of the keys
  V* values_out;

  radix_target target() const {
    if (keys_out == nullptr) return radix_target::order_only;
    return keys_out == keys.data ? radix_target::in_place : radix_target::other_range;
  }
};

struct radix_spare_buffers {
  int keys;
  int values;

  constexpr radix_spare_buffers(int most_passes, radix_target target)
      : keys(target == radix_target::in_place                        ? 1
             : target == radix_target::order_only && most_passes > 2 ? 2
             : most_passes > 1                                       ? 1
                                                                     : 0),
        values(target == radix_target::in_place || most_passes > 1 ? 1 : 0) {}
};

// How the items are cut into launches.
struct radix_portions {
  std::uint64_t items;  // of a portion, but for a smaller last one
  std::uint64_t count;
  std::uint64_t tiles;  // of the largest portion

  radix_portions(std::uint64_t n, std::uint64_t tile_items, std::uint64_t most_items)
      : items(most_items / tile_items * tile_items),
        count(ceil_div(n, items)),
        tiles(ceil_div(smaller(n, items), tile_items)) {}
};

template <class U, class V>
struct radix_scratch {
  static constexpr int most_passes = sizeof(U) * 8 / radix_bits;

  // Zero before the first launch:
  std::uint64_t* starts;  // [pass][digit] of the first portion
  std::uint32_t* finished;
  std::uint32_t* tickets;  // a launch each
  digit_state::word* states;
  std::size_t zeroed_bytes;
  // Not so:
  std::uint64_t* next_starts;  // [digit], twice: of the portions after the first
  digit_state::word* other_states;
  U* keys[2];
  V* values;

  radix_scratch(scratch_carver& carver, std::uint64_t n, const radix_portions& portions, radix_target target) {
    constexpr bool has_values = !std::is_same_v<V, no_value>;
    const radix_spare_buffers spare(most_passes, target);
    starts = carver.take<std::uint64_t>(most_passes * radix_digits);
    finished = carver.take<std::uint32_t>(1);
    tickets = carver.take<std::uint32_t>(most_passes * portions.count);
    states = carver.take<digit_state::word>(portions.tiles * radix_digits);
    zeroed_bytes = carver.bytes();
    next_starts = carver.take<std::uint64_t>(2 * radix_digits);
    other_states = carver.take<digit_state::word>(portions.tiles * radix_digits);
    keys[0] = spare.keys > 0 ? carver.take<U>(n) : nullptr;
    keys[1] = spare.keys > 1 ? carver.take<U>(n) : nullptr;
    values = has_values && spare.values > 0 ? carver.take<V>(n) : nullptr;
  }
};

// Tiles of one launch count to at most this; tests make portions smaller.
inline constexpr std::uint64_t radix_portion_items = digit_state::most;

template <class U, class V, class Shape = radix_shape_for<U, V>>
std::size_t radix_scratch_bytes(std::uint64_t n, radix_target target,
                                std::uint64_t portion_items = radix_portion_items) {
  if (n == 0) return 0;
  scratch_carver measure;
  radix_scratch<U, V>(measure, n, radix_portions(n, Shape::items, portion_items), target);
  return measure.bytes();
}

inline radix_digit_plan plan_digits(bit_range bits, int key_bits, const char* function) {
  const int high = bits.high == bit_range::full ? key_bits : bits.high;
  require(bits.low >= 0 && bits.low < high && high <= key_bits, function, "the bit range is empty or outside the key");
  return {bits.low, high};
}

template <class U>
void launch_radix_histogram(stream_t stream, const input<U>& keys, key_codec<U> codec, radix_digit_plan plan,
                            std::uint64_t* starts, std::uint32_t* finished) {
  using shape = radix_histogram_shape<U>;
  const std::uint64_t tiles = ceil_div(keys.capacity(), shape::items);
  // A block counts in 32 bits: none may take 2^32 keys.
  const std::uint64_t blocks =
      std::max(smaller(tiles, radix_histogram_blocks), ceil_div(keys.capacity(), std::uint64_t{1} << 31));
  simt::launch(radix_histogram_kernel<U, shape>,
               simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(shape::threads),
                                   sizeof(radix_histogram_storage), stream},
               keys.data, keys.length, codec, plan, block::whole_vectors_at<U, shape::width>(keys.data), starts,
               finished);
}

// The passes. Shape and portion_items: other than the defaults in tests alone. n > 0 and everything checked.
// `scratch_base` holds radix_scratch_bytes. In place where job.keys_out == job.keys.data (and job.values_out ==
// job.values); then an odd number of passes begins with a copy.
template <class U, class V, class Shape = radix_shape_for<U, V>>
void launch_radix_sort(stream_t stream, std::byte* scratch_base, radix_job<U, V> job, key_codec<U> codec,
                       radix_digit_plan plan, std::uint64_t portion_items = radix_portion_items) {
  constexpr bool has_values = !std::is_same_v<V, no_value>;
  const std::uint64_t n = job.keys.capacity();
  const radix_portions portions(n, Shape::items, portion_items);
  scratch_carver carver(scratch_base);
  const radix_target target = job.target();
  const radix_scratch<U, V> scratch(carver, n, portions, target);
  const int passes = plan.passes();

  simt::fill_bytes(stream, scratch_base, 0, scratch.zeroed_bytes);
  launch_radix_histogram(stream, job.keys, codec, plan, scratch.starts, scratch.finished);

  const U* keys_in = job.keys.data;
  const V* values_in = job.values;
  if (target == radix_target::in_place && passes % 2 == 1) {
    simt::copy_bytes(stream, scratch.keys[0], keys_in, n * sizeof(U));
    keys_in = scratch.keys[0];
    if constexpr (has_values) {
      simt::copy_bytes(stream, scratch.values, values_in, n * sizeof(V));
      values_in = scratch.values;
    }
  }

  digit_state::word *states = scratch.states, *other_states = scratch.other_states;
  std::uint64_t launches = 0;
  for (int pass = 0; pass < passes; ++pass) {
    const bool first = pass == 0, last = pass == passes - 1;
    const bool to_output = (passes - 1 - pass) % 2 == 0;
    U* keys_out;
    if (target == radix_target::order_only) keys_out = last ? nullptr : scratch.keys[pass % 2];
    else keys_out = to_output ? job.keys_out : scratch.keys[0];
    V* values_out = to_output ? job.values_out : scratch.values;

    for (std::uint64_t p = 0; p < portions.count; ++p, ++launches) {
      const std::uint64_t begin = p * portions.items;
      const auto tiles = tile_count(smaller(n - begin, portions.items), Shape::items, "sort");
      // With one portion a launch every pass has the same tiles, and each zeroes the states of the next; else a fill
      // does.
      const bool one_portion = portions.count == 1;
      if (!one_portion && launches > 0)
        simt::fill_bytes(stream, states, 0, portions.tiles * radix_digits * sizeof(digit_state::word));

      radix_pass_arguments<U, V> a{};
      a.keys_in = keys_in;
      a.keys_out = keys_out;
      a.values_in = values_in;
      a.values_out = values_out;
      a.n = job.keys.length;
      a.portion_begin = begin;
      a.portion_items = portions.items;
      if (first) a.encode = codec;
      if (last) a.decode = codec;
      a.shift = plan.shift(pass);
      a.digit_mask = plan.mask(pass);
      a.starts = p == 0 ? scratch.starts + pass * radix_digits : scratch.next_starts + (p % 2) * radix_digits;
      a.next_starts = p + 1 == portions.count ? nullptr : scratch.next_starts + ((p + 1) % 2) * radix_digits;
      a.states = states;
      a.states_to_zero = one_portion && !last ? other_states : nullptr;
      a.ticket = scratch.tickets + launches;
      simt::launch(
          radix_pass_kernel<U, V, Shape>,
          simt::launch_config{dim3(tiles), dim3(Shape::threads), sizeof(radix_pass_storage<U, V, Shape>), stream}, a);
      if (one_portion) std::swap(states, other_states);
    }
    keys_in = keys_out;
    values_in = values_out;
  }
}

}  // namespace detail
}  // namespace ballot
