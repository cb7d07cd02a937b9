// SPDX-License-Identifier: Apache-2.0
// Selections within the ranges themselves: the common part of compaction, split and unique in
// place, and the launches of compact_in_place.
//
// The ranges of a zip move one after the other, each in its own launches. When the second range
// moves, the first has moved already, so a predicate can no longer read it. Therefore the predicate
// is evaluated once, and its flags are stored as bits.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/partition/flag_bits_kernel.cuh>
#include <ballot/detail/partition/launch.cuh>

namespace ballot::detail {

// The ranges as inputs, with their own length or with that of the call.
template <class T>
input<T> as_read(const output<T>& items) {
  return {items.data, {items.size}};
}
template <class T>
input<T> as_read(const output<T>& items, const length& n) {
  return {items.data, n};
}
template <class... T>
std::tuple<input<T>...> as_read(const std::tuple<output<T>...>& items) {
  return std::apply([](const auto&... one) { return std::tuple(as_read(one)...); }, items);
}

// The checks of a call in place that takes scratch_bytes of scratch.
template <class... T, class Select>
void require_in_place(const char* function, const exec& where, std::size_t scratch_bytes,
                      const in_place_columns<T...>& items, const Select& select, const device_count& count) {
  require_columns(function, "items", items);
  require_count(function, "count", count, items.length.capacity);
  require_select(function, select, items.length.capacity);
  require_arguments(function, where, scratch_bytes, {arguments_of("items", items.ranges), argument_of("count", count)},
                    {argument_of("items.length", items.length), argument_of_select(select)});
}

struct compact_in_place_scratch {
  std::span<std::uint32_t> words;  // flags of a zip
  std::span<std::byte> partition;

  // tile_items: of the smallest tile.
  compact_in_place_scratch(scratch_carver& carver, std::uint64_t n, std::uint64_t tile_items, bool is_zip) {
    const std::uint64_t flag_words = is_zip ? ceil_div(n, 32) : 0;
    words = {carver.take<std::uint32_t>(flag_words), static_cast<std::size_t>(flag_words)};
    const std::size_t bytes = offset_scratch_bytes<offset_method::look_back>(shifted_tiles::most_of(n, tile_items));
    partition = {carver.take<std::byte>(bytes), bytes};
  }
};

template <class... T>
compact_in_place_scratch carve_compact_in_place(scratch_carver& carver, std::uint64_t n) {
  return {carver, n, smallest_of(std::uint64_t{partition_shape<rejects::dropped, T>::items}...), sizeof...(T) > 1};
}

template <class... T>
std::size_t compact_in_place_bytes(std::uint64_t n) {
  if (n == 0) return 0;
  scratch_carver measure;
  carve_compact_in_place<T...>(measure, n);
  return measure.bytes();
}

// The caller has checked all arguments except the size of the scratch.
template <class... T, class Select>
void launch_compact_in_place(const exec& where, const std::tuple<output<T>...>& items, const length& n,
                             const Select& select, const device_count& count, const char* function) {
  const auto compact_range = [&]<class U>(const exec& gpu, const output<U>& range, const auto& flags_or_predicate) {
    using shape = partition_shape<rejects::dropped, U>;
    const std::tuple inputs(as_read(range, n));
    launch_partition<rejects::dropped, shape, true>(
        gpu, n, make_device_columns<shape::width>(inputs, std::tuple(range), std::tuple()),
        make_selector<shape::width, true>(flags_or_predicate, inputs), count, function);
  };
  if constexpr (sizeof...(T) == 1) {
    compact_range(where, std::get<0>(items), select);
  } else {
    const auto inputs = as_read(items);
    const auto selector = make_selector<1, true>(select, inputs);
    const scratch_lease lease(where, compact_in_place_bytes<T...>(n.capacity), function);
    scratch_carver carver(lease.base());
    const compact_in_place_scratch scratch = carve_compact_in_place<T...>(carver, n.capacity);
    launch_flag_bits(where.stream(), make_source<1>(std::get<0>(inputs)), n, selector, scratch.words.data(), function);
    for_each(items, [&](const auto& range) {
      compact_range(exec(where.stream(), scratch.partition), range, bit_flags{scratch.words});
    });
  }
}

}  // namespace ballot::detail
