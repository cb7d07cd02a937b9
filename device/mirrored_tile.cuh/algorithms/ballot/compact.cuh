// Stream compaction: the items that a predicate or flags keep, in order, without gaps.
//
//     ballot::device_value<std::uint64_t> hits(stream);
//     ballot::compact(gpu, pairs, is_hit{}, colliding, hits);
//
// in:    contiguous device range (or `counted`) of a trivially copyable T of up to 128 bytes
// keep:  a function object bool(const T&) callable on the device, or byte_flags / bit_flags with a flag for every item
// out:   device range of T, apart from the input and the flags. It may be shorter than the input: kept items that do
//        not fit are dropped, and the count still tells how many there were
// count: device address (or device_value) of one std::uint64_t, the number of kept items; also written where n = 0
//
// Stable and deterministic. Scratch: compact_scratch_bytes<T>(n), 8 bytes a tile. Work on the stream: a fill of the
// tile states and one kernel. Bytes moved: the input, the flags, and what is kept, once each. Errors (before any work):
// invalid_argument for null with n > 0, too few flags, overlap, scratch too small or misaligned; cuda_error from the
// launch.
// Source: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.4.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/partition_launch.cuh>

namespace ballot {

// Bytes of scratch that compact needs for n items. Pure.
template <class T>
std::size_t compact_scratch_bytes(std::uint64_t n) {
  return detail::partition_scratch_bytes<detail::rejects::dropped, T>(n);
}

template <detail::input_range In, class Keep, detail::output_range Out>
void compact(const exec& where, const In& in, const Keep& keep, Out&& out, device_count count) {
  using T = detail::item_t<In>;
  constexpr const char* function = "compact";
  const detail::input<T> items = detail::as_input(in);
  const auto target = detail::as_output(out);
  static_assert(std::is_same_v<std::remove_const_t<T>, typename decltype(target)::value_type>,
                "input and output items differ in type");
  detail::require_readable(items, function);
  detail::require_writable(target, function);
  detail::require(count.address() != nullptr, function, "the count has no address");
  detail::require_apart(items.data, items.capacity(), target.data, target.size, function);
  detail::require_apart_from_flags(keep, target, function);
  const auto selector = detail::make_selector(keep, items.capacity(), function);
  detail::launch_partition<detail::rejects::dropped>(
      where, items, selector, detail::partition_output<T>{target.data, target.size, nullptr, 0, count.address()},
      function);
}

}  // namespace ballot
