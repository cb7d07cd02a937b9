// Split: the items that a predicate or flags keep, and then the others, each group in its order.
//
//     ballot::split(gpu, particles, is_inside{}, inside, outside, inside_count);   // two outputs: one pass
//     ballot::split(gpu, keys, has_bit{3}, sorted_by_bit, count);                 // one output: kept, then the others
//
//     ballot::split(gpu, ballot::zip{keys, ids}, ballot::on_first{has_bit{3}}, ballot::zip{keys2, ids2}, count);
//
// in, keep, count: as for compact (compact.cuh), zips too. With two outputs, either may be shorter than the input: items
// that do not fit are dropped, and the count still tells how many are kept (n - count are not). The one output is as
// long as the input.
//
// Stable in both groups, and deterministic. Scratch: split_scratch_bytes<T...>(n) for the types of the columns, 8 bytes a
// tile (and for one output 16 for each tile of a scan of the tiles' counts). Work on the stream: with two outputs a fill
// of the tile states and one kernel, which reads and writes each item once. With one output likewise, as long as all tiles
// run at once (on an H200 4 million items of up to 4 bytes, fewer of larger ones). Of more, the place of the first
// rejected item, the number of kept ones, has to be known before: a kernel counts each tile (it reads what the predicate
// reads, or the flags), an exclusive scan of the counts (a fill and a kernel, tiny), and a kernel that moves the items and
// looks at the flags again. Errors: as for compact, and invalid_argument for one output of another length than the input.
// Source: Blelloch 1990 (split); Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.4.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/partition/launch.cuh>

#include <algorithm>

namespace ballot {

// Bytes of scratch that split needs for n items of columns T... Pure.
template <class... T>
std::size_t split_scratch_bytes(std::uint64_t n) {
  using detail::rejects;
  return std::max(detail::partition_scratch_bytes<rejects::second_output, T...>(n),
                  detail::partition_scratch_bytes<rejects::after_kept, T...>(n));
}

template <detail::input_table In, class Keep, detail::output_table Kept, detail::output_table Rejected>
void split(const exec& where, const In& in, const Keep& keep, Kept&& kept, Rejected&& rejected, device_count count) {
  constexpr const char* function = "split";
  const auto inputs = detail::as_inputs(in);
  const auto first = detail::as_outputs(kept), second = detail::as_outputs(rejected);
  const auto written = detail::with_count(std::tuple_cat(first, second), count, function);
  detail::require_inputs(inputs, function);
  detail::require_outputs(inputs, written, function);
  detail::require_apart_from_flags(keep, written, function);
  detail::select_items<detail::rejects::second_output>(where, inputs, keep, first, second, count.address(), function);
}

template <detail::input_table In, class Keep, detail::output_table Out>
void split(const exec& where, const In& in, const Keep& keep, Out&& out, device_count count) {
  constexpr const char* function = "split";
  const auto inputs = detail::as_inputs(in);
  const auto target = detail::as_outputs(out);
  const auto written = detail::with_count(target, count, function);
  detail::require_inputs(inputs, function);
  detail::require_outputs(inputs, written, function);
  detail::require_lengths(target, detail::length_of(inputs).capacity, function);
  detail::require_apart_from_flags(keep, written, function);
  detail::select_items<detail::rejects::after_kept>(where, inputs, keep, target, target, count.address(), function);
}

}  // namespace ballot
