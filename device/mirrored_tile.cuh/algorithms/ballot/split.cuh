// Split: the items that a predicate or flags keep, and then the others, each group in its order.
//
//     ballot::split(gpu, particles, is_inside{}, inside, outside, inside_count);   // two outputs: one pass
//     ballot::split(gpu, keys, has_bit{3}, sorted_by_bit, count);                 // one output: kept, then the others
//
// in, keep, count: as for compact (compact.cuh). With two outputs, either may be shorter than the input: items that do
// not fit are dropped, and the count still tells how many are kept (n - count are not). The one output is as long as
// the input.
//
// Stable in both groups, and deterministic. Scratch: split_scratch_bytes<T>(n), 8 bytes a tile. Work on the stream:
// with two outputs a fill of the tile states and one kernel, which reads and writes each item once; with one output
// also a counting kernel that reads the input (or only the flags' bytes beside it) once more, because the place of the
// first rejected item is the number of kept ones. Errors: as for compact, and invalid_argument for one output of
// another length than the input.
// Source: Blelloch 1990 (split); Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.4.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/partition_launch.cuh>

#include <algorithm>

namespace ballot {

// Bytes of scratch that split needs for n items. Pure.
template <class T>
std::size_t split_scratch_bytes(std::uint64_t n) {
  using detail::rejects;
  return std::max(detail::partition_scratch_bytes<rejects::second_output, T>(n),
                  detail::partition_scratch_bytes<rejects::after_kept, T>(n));
}

template <detail::input_range In, class Keep, detail::output_range Kept, detail::output_range Rejected>
void split(const exec& where, const In& in, const Keep& keep, Kept&& kept, Rejected&& rejected, device_count count) {
  using T = detail::item_t<In>;
  constexpr const char* function = "split";
  const detail::input<T> items = detail::as_input(in);
  const auto first = detail::as_output(kept), second = detail::as_output(rejected);
  detail::require_readable(items, function);
  detail::require_writable(first, function);
  detail::require_writable(second, function);
  detail::require(count.address() != nullptr, function, "the count has no address");
  detail::require_apart(items.data, items.capacity(), first.data, first.size, function);
  detail::require_apart(items.data, items.capacity(), second.data, second.size, function);
  detail::require_apart(first.data, first.size, second.data, second.size, function);
  detail::require_apart_from_flags(keep, first, function);
  detail::require_apart_from_flags(keep, second, function);
  const auto selector = detail::make_selector(keep, items.capacity(), function);
  detail::launch_partition<detail::rejects::second_output>(
      where, items, selector,
      detail::partition_output<T>{first.data, first.size, second.data, second.size, count.address()}, function);
}

template <detail::input_range In, class Keep, detail::output_range Out>
void split(const exec& where, const In& in, const Keep& keep, Out&& out, device_count count) {
  using T = detail::item_t<In>;
  constexpr const char* function = "split";
  const detail::input<T> items = detail::as_input(in);
  const auto target = detail::as_output(out);
  detail::require_readable(items, function);
  detail::require_writable(target, function);
  detail::require(count.address() != nullptr, function, "the count has no address");
  detail::require(target.size == items.capacity(), function, "input and output have different lengths");
  detail::require_apart(items.data, items.capacity(), target.data, target.size, function);
  detail::require_apart_from_flags(keep, target, function);
  const auto selector = detail::make_selector(keep, items.capacity(), function);
  detail::launch_partition<detail::rejects::after_kept>(
      where, items, selector,
      detail::partition_output<T>{target.data, target.size, target.data, target.size, count.address()}, function);
}

}  // namespace ballot
