// SPDX-License-Identifier: Apache-2.0
// split_in_place on the host: pieces, scratch, launches.
//
//     for each piece of the range   a selection in place (launch.cuh): selected to the front,
//                                   rejected to scratch
//                                   append_rejected_kernel: back from scratch, after the selected
//     then, level by level          reverse_kernel, twice: rotations merge neighbouring pieces
//
// The kernels are in split_in_place_kernels.cuh.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/partition/in_place.cuh>
#include <ballot/detail/partition/split_in_place_kernels.cuh>

namespace ballot::detail {

// The least items of a piece. Larger pieces need fewer launches and more scratch.
inline constexpr std::uint64_t min_piece_items = 4096;

// The same with little scratch. All scratch must be less than an eighth of the items. This holds
// from 2^13 items on (items of 1 byte: from 2^15, of 2 bytes: from 2^14). Beside the rejected items
// of a piece, the scratch has 1 KiB, 255 bytes to align them, and 256 to align the scratch.
// Monotonic in n.
inline std::uint64_t min_small_piece_items(std::uint64_t n, std::size_t item_bytes) {
  constexpr std::uint64_t from = 1 << 13, other_bytes = 1536;
  const std::uint64_t eighth = larger(n, from) / 8, spare = ceil_div(other_bytes, item_bytes);
  const std::uint64_t room = eighth > spare ? (eighth - spare) / 32 * 32 : 0;
  return smaller(larger(room, from / split_pieces), min_piece_items);
}

// Pieces begin at multiples of 32 items, so that vectors and words of flags stay whole.
inline std::uint64_t split_piece_items(std::uint64_t n, std::uint64_t min_items) {
  return larger(ceil_div(ceil_div(n, split_pieces), 32) * 32, min_items);
}

template <class T>
using split_in_place_shape = partition_shape<rejects::second_output, T>;

struct split_in_place_scratch {
  std::uint64_t* selected;  // of each piece
  std::uint64_t* lengths;   // of each piece
  std::span<std::byte> partition;
  std::byte* rejected;
  std::span<std::uint32_t> words;  // flags of a zip

  // `tile_items`: of the smallest tile.
  split_in_place_scratch(scratch_carver& carver, std::uint64_t n, std::uint64_t piece_items, std::size_t largest_item,
                         std::uint64_t tile_items, bool is_zip)
      : selected(carver.take<std::uint64_t>(split_pieces)), lengths(carver.take<std::uint64_t>(split_pieces)) {
    const std::uint64_t most = smaller(n, piece_items);
    const std::size_t bytes = offset_scratch_bytes<offset_method::look_back>(shifted_tiles::most_of(most, tile_items));
    partition = {carver.take<std::byte>(bytes), bytes};
    rejected = carver.take<std::byte>(product_or_most(most, largest_item));
    const std::uint64_t flag_words = is_zip ? ceil_div(n, 32) : 0;
    words = {carver.take<std::uint32_t>(flag_words), static_cast<std::size_t>(flag_words)};
  }
};

template <class... T>
split_in_place_scratch carve_split_in_place(scratch_carver& carver, std::uint64_t n, std::uint64_t piece_items) {
  return {carver,
          n,
          piece_items,
          largest_of(sizeof(T)...),
          smallest_of(std::uint64_t{split_in_place_shape<T>::items}...),
          sizeof...(T) > 1};
}

template <class... T>
std::size_t split_in_place_bytes(std::uint64_t n, std::uint64_t piece_items) {
  scratch_carver measure;
  carve_split_in_place<T...>(measure, n, piece_items);
  return measure.bytes();
}

template <class... T>
std::uint64_t small_piece_items(std::uint64_t n) {
  return split_piece_items(n, min_small_piece_items(n, largest_of(sizeof(T)...)));
}

// The items of a piece: more where the scratch suffices.
template <class... T>
std::uint64_t piece_items_within(const exec& where, std::uint64_t n) {
  const std::uint64_t large = split_piece_items(n, min_piece_items);
  const auto address = reinterpret_cast<std::uintptr_t>(where.scratch().data());
  const std::size_t skipped = (scratch_alignment - address % scratch_alignment) % scratch_alignment;
  const bool has_room = where.allocates() || where.scratch().size() >= skipped + split_in_place_bytes<T...>(n, large);
  return has_room ? large : small_piece_items<T...>(n);
}

// The selection of a piece that begins at `begin`: flags from there on, or the predicate.
template <class Select>
Select flags_from(const Select& select, [[maybe_unused]] std::uint64_t begin) {
  if constexpr (std::is_same_v<Select, byte_flags>) return {select.flags.subspan(begin), select.invert};
  else if constexpr (std::is_same_v<Select, bit_flags>) return {select.words.subspan(begin / 32), select.invert};
  else return select;
}

// Splits one range: its pieces, and then the merges.
template <class T, class Select>
void split_range_in_place(stream_t stream, const output<T>& items, const length& n, const Select& select,
                          const split_in_place_scratch& scratch, std::uint64_t piece_items, const device_count& count,
                          const char* function) {
  using shape = split_in_place_shape<T>;
  const split_in_place_pieces range{piece_items, static_cast<unsigned>(ceil_div(items.size, piece_items)),
                                    scratch.selected};
  T* const rejected = reinterpret_cast<T*>(scratch.rejected);
  for (unsigned p = 0; p < range.pieces; ++p) {
    const std::uint64_t begin = range.begin(p), most = smaller(items.size - begin, piece_items);
    const length here = n.count == nullptr ? length{most} : length_of_count(most, scratch.lengths + p);
    const std::tuple inputs(input<T>{items.data + begin, here});
    const auto selector = make_selector<shape::width, true>(flags_from(select, begin), inputs);
    const auto columns = make_device_columns<shape::width>(inputs, std::tuple(output<T>{items.data + begin, most}),
                                                           std::tuple(output<T>{rejected, most}));
    launch_partition<rejects::second_output, shape, true>(exec(stream, scratch.partition), here, columns, selector,
                                                          scratch.selected + p, function);
    simt::launch(append_rejected_kernel<T>,
                 simt::launch_config{dim3(tile_count(most, move_threads * moves_per_thread, function)),
                                     dim3(move_threads), 0, stream},
                 rejected, items.data, here, range, p, count);
  }
  for (unsigned group_pieces = 1; group_pieces < range.pieces; group_pieces *= 2) {
    const auto pairs = static_cast<unsigned>(ceil_div(range.pieces - group_pieces, 2 * group_pieces));
    const auto blocks =
        static_cast<unsigned>(smaller(ceil_div(group_pieces * piece_items, move_threads * moves_per_thread), 2048));
    simt::launch(reverse_kernel<T, reversal::parts>,
                 simt::launch_config{dim3(blocks, 2 * pairs), dim3(move_threads), 0, stream}, items.data, range,
                 group_pieces);
    simt::launch(reverse_kernel<T, reversal::whole>,
                 simt::launch_config{dim3(blocks, pairs), dim3(move_threads), 0, stream}, items.data, range,
                 group_pieces);
  }
}

// All arguments are checked but the size of the scratch. piece_items: piece_items_within, or
// another number in tests.
template <class... T, class Select>
void launch_split_in_place(const exec& where, const std::tuple<output<T>...>& items, const length& n,
                           const Select& select, const device_count& count, std::uint64_t piece_items,
                           const char* function) {
  const stream_t stream = where.stream();
  if (n.capacity == 0) {
    clear_counts(stream, count);
    return;
  }
  const scratch_lease lease(where, split_in_place_bytes<T...>(n.capacity, piece_items), function);
  scratch_carver carver(lease.base());
  const split_in_place_scratch scratch = carve_split_in_place<T...>(carver, n.capacity, piece_items);
  if (n.count != nullptr) {
    const auto pieces = static_cast<unsigned>(ceil_div(n.capacity, piece_items));
    simt::launch(piece_lengths_kernel<>, simt::launch_config{dim3(1), dim3(simt::warp_size), 0, stream}, n,
                 split_in_place_pieces{piece_items, pieces, scratch.selected}, scratch.lengths);
  }
  if constexpr (sizeof...(T) == 1) {
    split_range_in_place(stream, std::get<0>(items), n, select, scratch, piece_items, count, function);
  } else {
    // Each range needs the flags, and a predicate could not read ranges that have moved. So the
    // flags are stored.
    const auto inputs = as_read(items);
    launch_flag_bits(stream, make_source<1>(std::get<0>(inputs)), n, make_selector<1, true>(select, inputs),
                     scratch.words.data(), function);
    for_each(items, [&](const auto& range) {
      split_range_in_place(stream, range, n, bit_flags{scratch.words}, scratch, piece_items, count, function);
    });
  }
}

}  // namespace ballot::detail
