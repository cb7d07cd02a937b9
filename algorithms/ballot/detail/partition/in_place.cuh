// Selections within the ranges themselves: what compaction, split and unique in place share.
//
// Several ranges move one after the other, each in launches of its own: a predicate that reads the first of them would
// see it moved when it is asked for the second. So it is asked once, and its answers are kept as bits.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/partition/flag_bits_kernel.cuh>
#include <ballot/detail/partition/launch.cuh>

namespace ballot::detail {

// The ranges as the inputs of what asks about them.
template <class T>
input<T> as_read(const output<T>& items, const std::uint64_t* count = nullptr) {
  return {items.data, {items.size, count}};
}
template <class... T>
std::tuple<input<T>...> as_read(const std::tuple<output<T>...>& items) {
  return std::apply([](const auto&... one) { return std::tuple(as_read(one)...); }, items);
}

// Returns all that is written: the ranges and the count.
template <class... T>
auto require_in_place(const std::tuple<output<T>...>& items, const device_count& count, const std::uint64_t* length,
                      const char* function) {
  const std::uint64_t n = std::get<0>(items).size;
  for_each(items, [&](const auto& range) {
    require_writable(range, function);
    require(range.size == n, function, "the ranges of a zip have different lengths");
  });
  const auto written = with_count(items, count, function);
  require_disjoint(written, function);
  for_each(written, [&](const auto& range) { require_apart({n, length}, range, function); });
  return written;
}

struct compact_in_place_scratch {
  std::span<std::uint32_t> words;  // flags of a zip
  std::span<std::byte> partition;

  // tile_items: of the smallest tile.
  compact_in_place_scratch(scratch_carver& carver, std::uint64_t n, std::uint64_t tile_items, bool is_zip) {
    const std::uint64_t flag_words = is_zip ? ceil_div(n, 32) : 0;
    words = {carver.take<std::uint32_t>(flag_words), static_cast<std::size_t>(flag_words)};
    const std::size_t bytes = placing_scratch_bytes<placing::look_back>(ceil_div(n, tile_items));
    partition = {carver.take<std::byte>(bytes), bytes};
  }
};

template <class... T>
compact_in_place_scratch carve_compact_in_place(scratch_carver& carver, std::uint64_t n) {
  return {carver, n, std::min({std::uint64_t{partition_shape<rejects::dropped, T>::items}...}), sizeof...(T) > 1};
}

template <class... T>
std::size_t compact_in_place_scratch_bytes_of(std::uint64_t n) {
  if (n == 0) return 0;
  scratch_carver measure;
  carve_compact_in_place<T...>(measure, n);
  return measure.bytes();
}

// One range.
template <class T, class Keep>
void compact_column_in_place(const exec& where, const output<T>& items, const length& n, const Keep& keep,
                             std::uint64_t* count, const char* function) {
  using shape = partition_shape<rejects::dropped, T>;
  const std::tuple inputs(as_read(items, n.count));
  launch_partition<rejects::dropped, shape, true>(
      where, n, make_columns<shape::width>(inputs, std::tuple(items), std::tuple()),
      make_selector<shape::width, true>(keep, inputs, function), count, function);
}

// Everything checked but the flags and the scratch.
template <class... T, class Keep>
void launch_compact_in_place(const exec& where, const std::tuple<output<T>...>& items, const length& n,
                             const Keep& keep, std::uint64_t* count, const char* function) {
  if constexpr (sizeof...(T) == 1) {
    // A bare predicate, or the same by on_first.
    compact_column_in_place(where, std::get<0>(items), n, keep, count, function);
  } else {
    const auto inputs = as_read(items);
    const auto selector = make_selector<1, true>(keep, inputs, function);
    const scratch_lease lease(where, compact_in_place_scratch_bytes_of<T...>(n.capacity), function);
    scratch_carver carver(lease.base());
    const compact_in_place_scratch scratch = carve_compact_in_place<T...>(carver, n.capacity);
    launch_flag_bits(where.stream(), make_source<1>(std::get<0>(inputs)), n, selector, scratch.words.data(), function);
    for_each(items, [&](const auto& column) {
      compact_column_in_place(exec(where.stream(), scratch.partition), column, n, bit_flags{scratch.words}, count,
                              function);
    });
  }
}

}  // namespace ballot::detail
