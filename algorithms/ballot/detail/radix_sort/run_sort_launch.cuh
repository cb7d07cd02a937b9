// SPDX-License-Identifier: Apache-2.0
// The host's side of sorts by runs, for up to some ten thousand items. These are too few for the
// passes of a radix sort. A sort by runs takes up to three launches, each of which begins while the
// one before ends. There is no fill and no histogram.
//
//     launch            reads    writes     10,007 items: two launches
//     run_sort_kernel   input    spare      20 runs of 512
//     merge_runs        spare    output     one group of 20 runs
//
// A single run takes only the first launch, which writes the output. With two merges, groups of
// runs are merged first: a group has about the square root of the number of runs. In that case the
// first launch writes the output:
//
//     run_sort_kernel   input    output
//     merge_runs        output   spare
//     merge_runs        spare    output
//
// A run may be sorted where it lies. So either way works in place. Both also work between two
// buffers of the caller's, whichever of them is the input.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/radix_sort/merge_runs_kernel.cuh>
#include <ballot/detail/radix_sort/operands.hpp>
#include <ballot/detail/radix_sort/run_sort_kernel.cuh>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// A buffer of ordered bits and their values.
template <class U, class V>
struct run_buffer {
  U* keys;
  V* values;
};

// The other buffer, beside the output. With two merges the output has keys even if the caller does
// not want them.
template <class U, class V>
struct run_sort_buffers {
  run_buffer<U, V> output, spare;

  run_sort_buffers(scratch_carver& carver, const sort_operands<U, V>& operands, int merges) {
    const std::uint64_t n = operands.keys.capacity();
    const bool has_spare = operands.mode() == sort_mode::double_buffer;
    output = {operands.keys_out, operands.values_out};
    spare.keys = has_spare ? operands.keys_spare : carver.take<U>(n);
    spare.values = has_spare || std::is_same_v<V, no_value> ? operands.values_spare : carver.take<V>(n);
    if (output.keys == nullptr && merges == 2) output.keys = carver.take<U>(n);
  }
};

template <class U, class V>
std::size_t run_sort_scratch_bytes(const sort_operands<U, V>& operands, int merges) {
  scratch_carver measure;
  run_sort_buffers<U, V>(measure, operands, merges);
  return measure.bytes();
}

template <class U, class V, class RunShape, class MergeShape>
class run_sort_launches {
 public:
  run_sort_launches(stream_t stream, const sort_operands<U, V>& operands, key_codec<U> codec, radix_digit_plan digits)
      : stream_(stream), operands_(operands), order_(run_order<U>::of(codec, digits)) {}

  // parts: the most threads that search for one item.
  void launch(std::byte* scratch_base, int merges, unsigned parts) {
    parts_ = parts;
    scratch_carver carver(scratch_base);
    const run_sort_buffers<U, V> b(carver, operands_, merges);
    const auto runs = static_cast<unsigned>(ceil_div(n_, std::uint64_t{RunShape::items}));
    if (runs == 1) return sort_runs({operands_.keys_out, operands_.values_out}, true);
    sort_runs(merges == 2 ? b.output : b.spare, false);
    if (merges == 2) {
      // A group has as many runs as there are groups, or a few more.
      unsigned of_group = 1;
      while (of_group * of_group < runs) of_group *= 2;
      merge(b.output, b.spare, RunShape::items, of_group, false);
      const unsigned group_items = RunShape::items * of_group;
      merge(b.spare, {operands_.keys_out, b.output.values}, group_items,
            static_cast<unsigned>(ceil_div(n_, std::uint64_t{group_items})), true);
    } else {
      merge(b.spare, b.output, RunShape::items, runs, true);
    }
  }

 private:
  void sort_runs(const run_buffer<U, V>& to, bool decodes) {
    using storage = run_sort_storage<U, V, RunShape>;
    static_assert(sizeof(storage) <= simt::least_shared_bytes_limit);
    simt::launch(run_sort_kernel<U, V, RunShape>,
                 simt::launch_config{dim3(static_cast<unsigned>(ceil_div(n_, std::uint64_t{RunShape::items}))),
                                     dim3(RunShape::threads), sizeof(storage), stream_},
                 run_sort_arguments<U, V>{operands_.keys, operands_.values, to.keys, to.values, decodes, order_});
  }

  void merge(const run_buffer<U, V>& from, const run_buffer<U, V>& to, unsigned run_items, unsigned of_group,
             bool decodes) {
    const unsigned samples = std::bit_floor(MergeShape::samples / of_group),
                   run_samples = samples < run_items ? samples : run_items;
    const unsigned most_parts = parts_ < MergeShape::parts ? parts_ : MergeShape::parts;
    const unsigned parts = std::bit_floor(of_group < most_parts ? of_group : most_parts);
    const auto blocks = static_cast<unsigned>(ceil_div(n_, std::uint64_t{MergeShape::threads / parts}));
    simt::launch(merge_runs_kernel<U, V, MergeShape>,
                 simt::launch_config{dim3(blocks), dim3(MergeShape::threads), sizeof(merge_runs_storage<U, MergeShape>),
                                     stream_, true},
                 merge_runs_arguments<U, V>{from.keys, from.values, operands_.keys.length, to.keys, to.values, of_group,
                                            decodes ? 31 : std::countr_zero(run_items * of_group),
                                            std::countr_zero(run_items), std::countr_zero(run_items / run_samples),
                                            std::countr_zero(parts), decodes, order_});
  }

  stream_t stream_;
  const sort_operands<U, V>& operands_;
  run_order<U> order_;
  unsigned parts_ = 1;
  std::uint64_t n_ = operands_.keys.capacity();
};

// Which items are sorted by runs, and by how many merges. The time of a merge grows with the number
// of runs, and with the inverse of the number of multiprocessors. H100, 2026-11-24, us in a graph,
// by passes -> by runs:
//
//     keys       u32              u64
//     10,007     28.6 ->  8.7     48.2 -> 10.7
//     32,768     21.3 -> 12.9     30.3 -> 15.5
//     50,000     22.5 -> 18.0     31.5 -> 24.8
//     65,537     21.9 -> 24.1     31.0 -> 30.4     here they meet
//
// That is for keys that are spread. If they are not, passes take up to twice as long, and runs take
// no longer.
inline constexpr std::uint64_t most_items_by_runs = std::uint64_t{1} << 16, most_items_of_multiprocessor = 512;
inline constexpr std::uint64_t most_items_by_one_merge = std::uint64_t{1} << 14;
inline constexpr std::uint64_t least_most_items_by_runs = 4096;  // on a GPU of few multiprocessors
using run_shape = run_sort_shape<512, 1>;
using run_merge_shape = merge_runs_shape<256, 1024, 4>;
// The number of parts into which the runs are divided. Another thread searches each part. One merge
// takes all runs, or two merges follow each other.
inline constexpr unsigned parts_of_one_merge = 8, parts_of_two_merges = 2;
static_assert(most_items_by_runs / run_shape::items <=
              std::uint64_t{run_merge_shape::samples} * run_merge_shape::samples);
static_assert(most_items_by_one_merge / run_shape::items <= run_merge_shape::samples);

// Keys of one byte take one pass, which needs no buffer beside the output. A sort by runs would
// need one.
template <class U>
inline constexpr bool can_sort_by_runs = sizeof(U) > 1;

// The number of merges; 0: the sort is not by runs. n > 0.
template <class U, class V>
int merges_of_runs(const sort_operands<U, V>& operands) {
  const std::uint64_t n = operands.keys.capacity();
  if (n <= least_most_items_by_runs) return 1;  // on any GPU
  if (n > most_items_by_runs || n > most_items_of_multiprocessor * simt::multiprocessors()) return 0;
  if (n <= most_items_by_one_merge) return 1;
  // A sort of so few passes has one buffer of keys if the caller does not want them.
  return operands.keys_out == nullptr && sizeof(U) == 2 ? 0 : 2;
}

// scratch_base holds run_sort_scratch_bytes, which is no more than the radix_scratch_bytes of as
// many items.
template <class U, class V>
void launch_run_sort(stream_t stream, std::byte* scratch_base, const sort_operands<U, V>& operands, key_codec<U> codec,
                     radix_digit_plan digits, int merges) {
  run_sort_launches<U, V, run_shape, run_merge_shape>(stream, operands, codec, digits)
      .launch(scratch_base, merges, merges == 1 ? parts_of_one_merge : parts_of_two_merges);
}

}  // namespace ballot::detail
