// The radix sort on the host: buffers and launches.
//
// A sort is a fill, a histogram of all digits, and a kernel a pass. Keys and values go back and forth between two
// buffers; the histogram finds out which passes have something to do, and from that which buffer each one reads and
// writes, so that the last one ends where the caller wants them (plan.hpp). The host knows none of that: it
// launches every pass, and names the buffers. Where whole keys may be sorted by a prefix, it launches that histogram,
// too, and the finish (local_sort_launch.cuh). Lengths of 2^30 and more are taken in portions of less, each with a
// launch of its own, because a tile state counts to 2^30.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/radix_sort/local_sort_launch.cuh>
#include <ballot/detail/radix_sort/operands.hpp>
#include <ballot/detail/radix_sort/scratch.cuh>
#include <ballot/detail/radix_sort/tuning.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>

namespace ballot {

struct sort_options {
  ballot::direction direction = ballot::direction::ascending;
  bit_range bits = {};
  nan_order nans = nan_order::last;
};

namespace detail {

// A range of no bits, and so a plan of no passes, is valid: it orders nothing, and every sort keeps the order there is.
inline radix_digit_plan plan_digits(bit_range bits, int key_bits, const char* function) {
  const int high = bits.high == bit_range::full ? key_bits : bits.high;
  require(bits.low >= 0 && bits.low <= high && high <= key_bits, function,
          "the bit range is inverted or outside the key");
  return {bits.low, high};
}

template <class U, class Shape>
void launch_radix_histogram_in_shape(stream_t stream, radix_histogram_arguments<U> a) {
  const std::uint64_t tiles = ceil_div(a.n.capacity, Shape::items);
  // A block counts in 32 bits: none may take 2^32 keys.
  const std::uint64_t blocks = larger(smaller(tiles, Shape::blocks), ceil_div(a.n.capacity, std::uint64_t{1} << 31));
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
  } else if (a.n.capacity > small_radix_items &&
             sizeof(radix_histogram_storage<U, large_radix_histogram<U>>) <= simt::shared_bytes_limit()) {
    launch_radix_histogram_in_shape<U, large_radix_histogram<U>>(stream, a);
  } else {
    launch_radix_histogram_in_shape<U, small_radix_histogram<U>>(stream, a);
  }
}

// The passes of a sort in one shape, as a value: the host's side of a sort is compiled once and not for each shape.
template <class U, class V>
struct radix_pass_launch {
  void (*kernel)(radix_pass_arguments<U, V>);
  unsigned threads;
  unsigned items;  // of a tile
  std::size_t shared_bytes;
};
template <class U, class V, class Shape>
radix_pass_launch<U, V> make_radix_pass() {
  return {radix_pass_kernel<U, V, Shape>, Shape::threads, Shape::items, sizeof(radix_pass_storage<U, V, Shape>)};
}
// Of the row for n items.
template <class U, class V, int Row = radix_row_of<U, V>>
radix_pass_launch<U, V> radix_pass_for(std::uint64_t n) {
  if constexpr (radix_tunings[Row].items != any_number)
    if (n > radix_tunings[Row].items) return radix_pass_for<U, V, Row + 1>(n);
  return make_radix_pass<U, V, radix_shape_of_row<Row>>();
}

// All that a sort launches, in the shapes that were chosen for it.
template <class U, class V>
struct radix_launches {
  radix_pass_launch<U, V> pass;
  void (*launch_histogram)(stream_t, const radix_histogram_arguments<U>&);
  leading_bits_launches<U, V> leading;
};

// Histogram and passes in portions of a given size, and where the finisher chooses one, by a prefix. n > 0 and all
// checked. `scratch_base` holds radix_scratch_bytes_in_tiles. In place where job.keys_out == job.keys.data (and
// job.values_out == job.values, if there are values to read). shared_limit: what a block may have, 0: asked for where
// it matters.
//
// bounded_items: not 0 where the digits begin at bit 0 and no key has bits above them, so that they are whole keys. As many
// items, if every key's bits were as likely as those that the keys have: it decides by how many bits keys are sorted by a
// prefix. No more than the scratch was made for.
template <class U, class V>
void launch_radix_sort_by(const radix_launches<U, V>& by, stream_t stream, std::byte* scratch_base,
                          const sort_operands<U, V>& operands, key_codec<U> codec, radix_digit_plan digits,
                          std::uint64_t portion_items, std::size_t shared_limit, std::uint64_t bounded_items = 0) {
  const std::uint64_t n = operands.keys.capacity(), prefix_items = larger(n, bounded_items);
  const radix_portions portions(n, by.pass.items, portion_items);
  scratch_carver carver(scratch_base);
  const sort_mode target = operands.target();
  const radix_scratch<U, V> scratch(carver, n, portions, target, by.leading.prefix_words(prefix_items));
  const radix_step_rule rule = operands.rule(digits.passes());
  const bool all_bits = digits.low == 0 && digits.high == 8 * static_cast<int>(sizeof(U));
  const bool whole_keys = all_bits || (digits.low == 0 && bounded_items != 0);
  leading_bits prefix =
      whole_keys && portions.count == 1 ? by.leading.choose_leading_bits(prefix_items, shared_limit) : leading_bits{0};
  prefix.top = digits.high;
  // Few bits behind the prefix would leave the finish without bins.
  if (!all_bits && (prefix.passes() != 2 || digits.high - prefix.bits < by.leading.min_remaining_bits)) prefix.bits = 0;
  // Keys that agree in all their bits are the same.
  const bool may_be_unstable = std::is_same_v<V, no_value> && whole_keys;

  simt::fill_bytes(stream, scratch_base, 0, scratch.zeroed_bytes);
  radix_histogram_arguments<U> histogram{operands.keys.data,
                                         operands.keys.length,
                                         codec,
                                         digits,
                                         rule,
                                         may_be_unstable,
                                         false,
                                         scratch.digit_offsets,
                                         scratch.finished_blocks,
                                         scratch.unordered,
                                         scratch.actions};
  if (prefix.passes() == 1) {
    histogram.max_bucket_items = by.leading.max_bucket_items;
    histogram.bucket_offsets = scratch.bucket_offsets;
    histogram.local_sort = scratch.local_sort;
  } else if (prefix.passes() == 2) {
    histogram.approved = scratch.approved;
    by.leading.launch_histogram(
        stream,
        {operands.keys.data, operands.keys.length, codec, prefix, by.leading.max_bucket_items, rule, digits.passes(),
         may_be_unstable, false, scratch.bucket_offsets, scratch.leading_finished_blocks, scratch.leading_findings,
         scratch.approved, scratch.digit_offsets, scratch.actions, scratch.local_sort});
  }
  by.launch_histogram(stream, histogram);

  radix_pass_arguments<U, V> a{};
  a.keys_in = operands.keys.data;
  a.keys_wanted = operands.keys_out != nullptr;
  a.keys_output = a.keys_wanted ? operands.keys_out : scratch.keys[1];
  a.keys_spare = target == sort_mode::double_buffer ? operands.keys_spare : scratch.keys[0];
  a.values_in = operands.values;
  a.values_output = operands.values_out;
  a.values_spare = target == sort_mode::double_buffer ? operands.values_spare : scratch.values;
  a.n = operands.keys.length;
  a.portion_items = portions.items;
  a.codec = codec;
  a.states = scratch.states;
  // With one portion every launch has the same tiles, and each pass zeroes the states of the next; else a fill does.
  const bool one_portion = portions.count == 1;
  a.other_states = one_portion ? scratch.other_states : nullptr;

  std::uint64_t launches = 0;
  for (int launch = 0; launch < rule.launches; ++launch) {
    const bool has_digit = launch < digits.passes();
    a.action = scratch.actions + launch;
    a.shift = has_digit ? digits.shift(launch) : 0;
    a.digit_mask = has_digit ? digits.mask(launch) : 0;
    if (const int pass = launch - (digits.passes() - prefix.passes()); has_digit && pass >= 0) {
      a.leading_shift = digits.high - (pass + 1 == prefix.passes() ? prefix.bits_of(pass) : prefix.bits);
      a.leading_mask = (1u << prefix.bits_of(pass)) - 1u;
    }
    for (std::uint64_t p = 0; p < portions.count; ++p, ++launches) {
      if (!one_portion && launches > 0)
        simt::fill_bytes(stream, a.states, 0, portions.tiles * radix_digits * sizeof(digit_state::word));
      a.portion_begin = p * portions.items;
      a.digit_offsets =
          p == 0 ? scratch.digit_offsets + launch * radix_digits : scratch.next_digit_offsets + (p % 2) * radix_digits;
      a.next_digit_offsets =
          p + 1 == portions.count ? nullptr : scratch.next_digit_offsets + ((p + 1) % 2) * radix_digits;
      a.ticket = scratch.tickets + launches;
      const auto tiles = tile_count(smaller(n - a.portion_begin, portions.items), by.pass.items, "sort");
      const unsigned blocks = radix_blocks_loop<U> && tiles > max_radix_blocks ? max_radix_blocks : tiles;
      simt::launch(by.pass.kernel,
                   simt::launch_config{dim3(blocks), dim3(by.pass.threads), by.pass.shared_bytes, stream}, a);
    }
  }
  if (prefix.bits != 0)
    by.leading.launch_local_sort(stream, prefix_items,
                                 {a.keys_output, a.keys_spare, a.keys_wanted, a.values_output, a.values_spare,
                                  scratch.local_sort, scratch.bucket_offsets, prefix, codec});
}

// In tiles of a given shape, and where Finish says how, by a prefix. `scratch_base` holds radix_scratch_bytes_in_shape.
template <class U, class V, class Shape, class HistogramShape = void, class LocalSort = void>
void launch_radix_sort_in_shape(stream_t stream, std::byte* scratch_base, const sort_operands<U, V>& operands,
                                key_codec<U> codec, radix_digit_plan digits,
                                std::uint64_t portion_items = radix_portion_items, std::size_t shared_limit = 0,
                                std::uint64_t bounded_items = 0) {
  launch_radix_sort_by<U, V>({make_radix_pass<U, V, Shape>(), launch_radix_histogram<U, HistogramShape>,
                              make_leading_bits_launches<U, V, LocalSort>()},
                             stream, scratch_base, operands, codec, digits, portion_items, shared_limit, bounded_items);
}

// In the shape for so many items, or the smallest one where a block may not have the shared memory for it.
// `scratch_base` holds radix_scratch_bytes.
template <class U, class V>
void launch_radix_sort(stream_t stream, std::byte* scratch_base, const sort_operands<U, V>& operands,
                       key_codec<U> codec, radix_digit_plan digits, std::size_t shared_limit = 0,
                       std::uint64_t bounded_items = 0) {
  static_assert(runs_everywhere<U, V, smallest_radix_shape<U, V>>);
  const std::uint64_t n = operands.keys.capacity();
  radix_launches<U, V> by{radix_pass_for<U, V>(n), launch_radix_histogram<U>,
                          make_leading_bits_launches<U, V, local_sort_of<U, V>>()};
  std::uint64_t portion_items = radix_portion_items;
  if (by.pass.shared_bytes > simt::least_shared_bytes_limit) {
    if (shared_limit == 0) shared_limit = simt::shared_bytes_limit();
    if (by.pass.shared_bytes > shared_limit) {
      portion_items = radix_portion_items_of_smallest<U, V>(n, by.pass.items);
      by.pass = make_radix_pass<U, V, smallest_radix_shape<U, V>>();
      by.leading = make_leading_bits_launches<U, V, void>();
    }
  }
  launch_radix_sort_by(by, stream, scratch_base, operands, codec, digits, portion_items, shared_limit, bounded_items);
}

}  // namespace detail
}  // namespace ballot
