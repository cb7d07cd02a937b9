// The radix sort on the host: scratch, buffers, launches.
//
// A sort is a fill, a histogram of all digits, and a kernel a pass. Keys and values go back and forth between two
// buffers; the histogram finds out which passes have something to do, and from that which buffer each one reads and
// writes, so that the last one ends where the caller wants them (radix_plan.hpp). The host knows none of that: it
// launches every pass, and names the buffers. Where whole keys may be sorted by a prefix, it launches that histogram, too,
// and the finish (radix_finish_launch.cuh). Lengths of 2^30 and more are taken in portions of less, each with a
// launch of its own, because a tile state counts to 2^30.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/radix_finish_launch.cuh>
#include <ballot/detail/tuning_radix.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>

#include <algorithm>
#include <utility>

namespace ballot {

struct sort_options {
  ballot::direction direction = ballot::direction::ascending;
  bit_range bits = {};
  nan_order nans = nan_order::last;
};

namespace detail {

// Whether values travel with their keys, as words: they have a word's size, and wherever they may lie, a word may too.
template <class V>
inline constexpr bool travels_as_word = (sizeof(V) == 4 || sizeof(V) == 8) && alignof(V) == sizeof(V);

// What becomes of the keys: it decides how many buffers the passes need besides the caller's, and how many steps.
enum class radix_target { other_range, in_place, order_only, order_in_place, two_buffers };

// Where keys and values come from and where they are to end. keys_out null: only the values are wanted.
template <class U, class V>
struct radix_job {
  input<U> keys;
  U* keys_out;
  const V* values;  // null: the positions of the keys
  V* values_out;
  // two_buffers: the caller's buffers besides the output. They may be the input.
  U* keys_spare = nullptr;
  V* values_spare = nullptr;

  radix_target target() const {
    if (keys_spare != nullptr) return radix_target::two_buffers;
    if (keys_out == nullptr)
      return values != nullptr && values == values_out ? radix_target::order_in_place : radix_target::order_only;
    return keys_out == keys.data ? radix_target::in_place : radix_target::other_range;
  }
  // How many launches and steps that takes. In place the steps must be even in number, or they would end in the spare
  // buffer; where every pass has something to do and they are odd, one launch more copies. Values that end elsewhere
  // have to be brought there even where the keys are in order.
  radix_step_rule rule(int passes) const {
    switch (target()) {
      case radix_target::in_place:
        return {passes + passes % 2, !std::is_same_v<V, no_value> && values != values_out ? 2 : 0, 0};
      case radix_target::order_in_place:
        return {passes + passes % 2, 0, 0};
      case radix_target::two_buffers:
        return {passes, 0, keys_out == keys.data ? 0 : 1};
      default:
        return {passes, 1, radix_step_rule::any_parity};
    }
  }
};

struct radix_spare_buffers {
  int keys;
  int values;

  constexpr radix_spare_buffers(int most_passes, radix_target target) : keys(0), values(0) {
    const bool in_place = target == radix_target::in_place || target == radix_target::order_in_place;
    if (target == radix_target::two_buffers) return;
    const bool order_only = target == radix_target::order_only || target == radix_target::order_in_place;
    keys = order_only && most_passes > 2 ? 2 : in_place || most_passes > 1 ? 1 : 0;
    values = in_place || most_passes > 1 ? 1 : 0;
  }
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
  std::uint32_t* unordered;
  std::uint32_t* prefix_finished;
  std::uint32_t* prefix_findings;
  std::uint32_t* approved;
  radix_role* finish;
  std::uint32_t* prefix_starts;  // [prefix], and the number of keys; null: no sort by a prefix
  std::uint32_t* tickets;        // a launch each
  digit_state::word* states;
  std::size_t zeroed_bytes;
  // Not so:
  radix_role* roles;           // [launch]
  std::uint64_t* next_starts;  // [digit], twice: of the portions after the first
  digit_state::word* other_states;
  U* keys[2];
  V* values;

  // prefix_words: of prefix_starts.
  radix_scratch(scratch_carver& carver, std::uint64_t n, const radix_portions& portions, radix_target target,
                std::uint64_t prefix_words) {
    constexpr bool has_values = !std::is_same_v<V, no_value>;
    const radix_spare_buffers spare(most_passes, target);
    starts = carver.take<std::uint64_t>(most_passes * radix_digits);
    finished = carver.take<std::uint32_t>(6);
    unordered = finished + 1;
    prefix_finished = finished + 2;
    prefix_findings = finished + 3;
    approved = finished + 4;
    finish = reinterpret_cast<radix_role*>(finished + 5);
    prefix_starts = prefix_words == 0 ? nullptr : carver.take<std::uint32_t>(prefix_words);
    // At least so many, so that no count of portions that occurs with few makes the scratch larger.
    tickets = carver.take<std::uint32_t>(std::max<std::uint64_t>((most_passes + 1) * portions.count, 64));
    states = carver.take<digit_state::word>(portions.tiles * radix_digits);
    zeroed_bytes = carver.bytes();
    roles = carver.take<radix_role>(radix_launches_at_most);
    next_starts = carver.take<std::uint64_t>(2 * radix_digits);
    other_states = carver.take<digit_state::word>(portions.tiles * radix_digits);
    keys[0] = spare.keys > 0 ? carver.take<U>(n) : nullptr;
    keys[1] = spare.keys > 1 ? carver.take<U>(n) : nullptr;
    values = has_values && spare.values > 0 ? carver.take<V>(n) : nullptr;
  }
};

// Tiles of one launch count to at most this; tests make portions smaller.
inline constexpr std::uint64_t radix_portion_items = digit_state::most;

template <class U, class V, class Shape, class Finish = void>
std::size_t radix_scratch_bytes_in_shape(std::uint64_t n, radix_target target,
                                         std::uint64_t portion_items = radix_portion_items) {
  if (n == 0) return 0;
  scratch_carver measure;
  radix_scratch<U, V>(measure, n, radix_portions(n, Shape::items, portion_items), target,
                      radix_prefix_words<U, V, Finish>(n));
  return measure.bytes();
}

// Portions in which n items, cut into tiles of the smallest shape, have no more tiles each than all have in Shape.
template <class U, class V, class Shape>
std::uint64_t radix_portion_items_of_smallest(std::uint64_t n) {
  return radix_portions(n, Shape::items, radix_portion_items).tiles * smallest_radix_shape<U, V>::items;
}

// The most that n items or fewer take, on any GPU: a smaller array may have more tiles. Finish void: never by a prefix.
template <class U, class V, class Finish = radix_finish_of<U, V>, int Row = radix_row_of<U, V>>
std::size_t radix_scratch_bytes(std::uint64_t n, radix_target target) {
  constexpr std::uint64_t up_to = radix_tunings[Row].items;
  using shape = radix_shape_of_row<Row>;
  const std::uint64_t in_row = smaller(n, up_to);
  std::size_t bytes = radix_scratch_bytes_in_shape<U, V, shape, Finish>(in_row, target);
  if constexpr (!runs_everywhere<U, V, shape>)
    bytes = std::max(bytes, radix_scratch_bytes_in_shape<U, V, smallest_radix_shape<U, V>>(
                                in_row, target, radix_portion_items_of_smallest<U, V, shape>(in_row)));
  if constexpr (up_to != any_number)
    if (n > up_to) bytes = std::max(bytes, radix_scratch_bytes<U, V, Finish, Row + 1>(n, target));
  return bytes;
}

inline radix_digit_plan plan_digits(bit_range bits, int key_bits, const char* function) {
  const int high = bits.high == bit_range::full ? key_bits : bits.high;
  require(bits.low >= 0 && bits.low < high && high <= key_bits, function, "the bit range is empty or outside the key");
  return {bits.low, high};
}

template <class U, class Shape>
void launch_radix_histogram_in_shape(stream_t stream, radix_histogram_arguments<U> a) {
  const std::uint64_t tiles = ceil_div(a.n.capacity, Shape::items);
  // A block counts in 32 bits: none may take 2^32 keys.
  const std::uint64_t blocks = std::max(smaller(tiles, Shape::blocks), ceil_div(a.n.capacity, std::uint64_t{1} << 31));
  a.whole_vectors = block::whole_vectors_at<U, Shape::width>(a.keys);
  simt::launch(radix_histogram_kernel<U, Shape>,
               simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(Shape::threads),
                                   sizeof(radix_histogram_storage<U, Shape>), stream},
               a);
}
// By shape, where one is given, or by the number of keys.
template <class U, class Shape = void>
void launch_radix_histogram(stream_t stream, const radix_histogram_arguments<U>& a) {
  if constexpr (!std::is_void_v<Shape>) {
    launch_radix_histogram_in_shape<U, Shape>(stream, a);
  } else if (a.n.capacity > radix_few_items &&
             sizeof(radix_histogram_storage<U, radix_histogram_of_many<U>>) <= simt::shared_bytes_limit()) {
    launch_radix_histogram_in_shape<U, radix_histogram_of_many<U>>(stream, a);
  } else {
    launch_radix_histogram_in_shape<U, radix_histogram_of_few<U>>(stream, a);
  }
}

// Histogram and passes in tiles of a given shape and portions of a given size, and where Finish says how, by a prefix.
// n > 0 and everything checked. `scratch_base` holds radix_scratch_bytes_in_shape. In place where
// job.keys_out == job.keys.data (and job.values_out == job.values, if there are values to read). shared_limit: what a
// block may have, 0: asked for where it matters.
template <class U, class V, class Shape, class HistogramShape = void, class Finish = void>
void launch_radix_sort_in_shape(stream_t stream, std::byte* scratch_base, const radix_job<U, V>& job,
                                key_codec<U> codec, radix_digit_plan digits,
                                std::uint64_t portion_items = radix_portion_items, std::size_t shared_limit = 0) {
  const std::uint64_t n = job.keys.capacity();
  const radix_portions portions(n, Shape::items, portion_items);
  scratch_carver carver(scratch_base);
  const radix_target target = job.target();
  const radix_scratch<U, V> scratch(carver, n, portions, target, radix_prefix_words<U, V, Finish>(n));
  const radix_step_rule rule = job.rule(digits.passes());
  const bool whole_keys = digits.low == 0 && digits.high == 8 * static_cast<int>(sizeof(U));
  const radix_prefix prefix =
      whole_keys && portions.count == 1 ? choose_radix_prefix<U, V, Finish>(n, shared_limit) : radix_prefix{0};
  // Keys that agree in all their bits are the same.
  const bool any_order = std::is_same_v<V, no_value> && whole_keys;

  simt::fill_bytes(stream, scratch_base, 0, scratch.zeroed_bytes);
  radix_histogram_arguments<U> histogram{
      job.keys.data,    job.keys.length,   codec,        digits, rule, any_order, false, scratch.starts,
      scratch.finished, scratch.unordered, scratch.roles};
  if constexpr (!std::is_void_v<Finish>) {
    if (prefix.passes() == 1) {
      histogram.most_of_prefix = Finish::narrow::items;
      histogram.prefix_starts = scratch.prefix_starts;
      histogram.finish = scratch.finish;
    } else if (prefix.passes() == 2) {
      histogram.approved = scratch.approved;
      launch_radix_prefix_histogram<U, typename Finish::histogram>(
          stream, {job.keys.data, job.keys.length, codec, prefix, Finish::narrow::items, rule, digits.passes(),
                   any_order, false, scratch.prefix_starts, scratch.prefix_finished, scratch.prefix_findings,
                   scratch.approved, scratch.starts, scratch.roles, scratch.finish});
    }
  }
  launch_radix_histogram<U, HistogramShape>(stream, histogram);

  radix_pass_arguments<U, V> a{};
  a.keys_in = job.keys.data;
  a.keys_wanted = job.keys_out != nullptr;
  a.keys_output = a.keys_wanted ? job.keys_out : scratch.keys[1];
  a.keys_spare = target == radix_target::two_buffers ? job.keys_spare : scratch.keys[0];
  a.values_in = job.values;
  a.values_output = job.values_out;
  a.values_spare = target == radix_target::two_buffers ? job.values_spare : scratch.values;
  a.n = job.keys.length;
  a.portion_items = portions.items;
  a.codec = codec;
  a.states = scratch.states;
  // With one portion every launch has the same tiles, and each pass zeroes the states of the next; else a fill does.
  const bool one_portion = portions.count == 1;
  a.other_states = one_portion ? scratch.other_states : nullptr;

  std::uint64_t launches = 0;
  for (int launch = 0; launch < rule.launches; ++launch) {
    const bool has_digit = launch < digits.passes();
    a.role = scratch.roles + launch;
    a.shift = has_digit ? digits.shift(launch) : 0;
    a.digit_mask = has_digit ? digits.mask(launch) : 0;
    if (const int pass = launch - (digits.passes() - prefix.passes()); has_digit && pass >= 0) {
      a.prefix_shift = digits.high - (pass + 1 == prefix.passes() ? prefix.bits_of(pass) : prefix.bits);
      a.prefix_mask = (1u << prefix.bits_of(pass)) - 1u;
    }
    for (std::uint64_t p = 0; p < portions.count; ++p, ++launches) {
      if (!one_portion && launches > 0)
        simt::fill_bytes(stream, a.states, 0, portions.tiles * radix_digits * sizeof(digit_state::word));
      a.portion_begin = p * portions.items;
      a.starts = p == 0 ? scratch.starts + launch * radix_digits : scratch.next_starts + (p % 2) * radix_digits;
      a.next_starts = p + 1 == portions.count ? nullptr : scratch.next_starts + ((p + 1) % 2) * radix_digits;
      a.ticket = scratch.tickets + launches;
      const auto tiles = tile_count(smaller(n - a.portion_begin, portions.items), Shape::items, "sort");
      const unsigned blocks =
          radix_blocks_take_many_tiles<U> && tiles > radix_blocks_at_most ? radix_blocks_at_most : tiles;
      simt::launch(
          radix_pass_kernel<U, V, Shape>,
          simt::launch_config{dim3(blocks), dim3(Shape::threads), sizeof(radix_pass_storage<U, V, Shape>), stream}, a);
    }
  }
  if constexpr (!std::is_void_v<Finish>)
    if (prefix.bits != 0)
      launch_radix_finish<U, V, Finish>(stream, n,
                                        {a.keys_output, a.keys_spare, a.keys_wanted, a.values_output, a.values_spare,
                                         scratch.finish, scratch.prefix_starts, prefix, codec});
}

// The same in the shape for so many items, or the smallest one where a block may not have the shared memory for it.
// `scratch_base` holds radix_scratch_bytes. shared_limit: what a block may have, 0: asked for where it matters.
template <class U, class V, class Finish = radix_finish_of<U, V>, int Row = radix_row_of<U, V>>
void launch_radix_sort(stream_t stream, std::byte* scratch_base, const radix_job<U, V>& job, key_codec<U> codec,
                       radix_digit_plan digits, std::size_t shared_limit = 0) {
  using shape = radix_shape_of_row<Row>;
  using smallest = smallest_radix_shape<U, V>;
  static_assert(runs_everywhere<U, V, smallest>);
  const std::uint64_t n = job.keys.capacity();
  if constexpr (radix_tunings[Row].items != any_number) {
    if (n > radix_tunings[Row].items)
      return launch_radix_sort<U, V, Finish, Row + 1>(stream, scratch_base, job, codec, digits, shared_limit);
  }
  if constexpr (!runs_everywhere<U, V, shape>) {
    if (shared_limit == 0) shared_limit = simt::shared_bytes_limit();
    if (sizeof(radix_pass_storage<U, V, shape>) > shared_limit)
      return launch_radix_sort_in_shape<U, V, smallest>(stream, scratch_base, job, codec, digits,
                                                        radix_portion_items_of_smallest<U, V, shape>(n));
  }
  launch_radix_sort_in_shape<U, V, shape, void, Finish>(stream, scratch_base, job, codec, digits, radix_portion_items,
                                                        shared_limit);
}

}  // namespace detail
}  // namespace ballot
