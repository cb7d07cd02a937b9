// Split within the range itself: first the items that a predicate or flags select, then the rejected items, both groups
// in their order. Scratch: about a sixteenth of the items.
//
//     ballot::split_in_place(gpu, particles, is_inside{}, inside_count);
//     ballot::split_in_place(gpu, ballot::zip{keys, ids}, ballot::on_first{has_bit{3}}, count);
//
// items:  device range of a trivially copyable T of up to 128 bytes, or a zip of ranges of one length
// select: as for compact (compact.cuh); flags must not overlap the items
// count:  device address (or device_value) of one std::uint64_t: the number of selected items, also written for n = 0.
//         It must not overlap any other argument
// length: a device address or null: only the first *length items take part. It must not overlap the items or the count
//
// Stable in both groups, and deterministic. Scratch: split_in_place_scratch_bytes<T...>(n): n / 16 items of the largest
// type (of fewer than 2^16 items up to n / 8, and at least 512), 8 bytes a tile of them, and for a zip n / 8 bytes.
// Without the flags of a zip it is less than n / 8 items from 2^13 items on (of 1 byte from 2^15, of 2 bytes from 2^14
// on). With room for n items, split and a copy are faster.
// Work on the stream; nothing of it waits for the host: up to 16 pieces are split one after the other. Each takes a
// fill, a kernel, and a kernel that copies the rejected items back from scratch; pieces have at least 4096 items where
// the scratch suffices for that, so that launches are few. Then rotations merge neighbouring pieces, two launches a
// level, up to four levels. All of this happens for each range of a zip, after one kernel for the flags' bits. Bytes
// moved: each item is read and written once, each rejected item twice, and each item that a level rotates twice more:
// with half of the items selected, about half of all in each level. split (split.cuh) moves less. Errors, before any
// work: as for compact.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/partition/split_in_place_launch.cuh>

namespace ballot {

// Bytes of scratch for n items of ranges T... Pure.
template <class... T>
std::size_t split_in_place_scratch_bytes(std::uint64_t n) {
  return n == 0 ? 0 : detail::split_in_place_bytes<T...>(n, detail::small_piece_items<T...>(n));
}

template <detail::output_table Items, class Select>
void split_in_place(const exec& where, Items&& items, const Select& select, device_count count,
                    const std::uint64_t* length = nullptr) {
  constexpr const char* function = "split_in_place";
  const auto ranges = detail::as_outputs(items);
  const auto written = detail::require_in_place(ranges, count, length, function);
  detail::require_apart_from_flags(select, written, function);
  [&]<class... T>(const std::tuple<detail::output<T>...>&) {
    const std::uint64_t n = std::get<0>(ranges).size;
    detail::launch_split_in_place(where, ranges, detail::length{n, length}, select, count.address(),
                                  detail::piece_items_within<T...>(where, n), function);
  }(ranges);
}

}  // namespace ballot
