// Split within the range itself: the items that a predicate or flags keep, and then the others, each group in its order,
// with scratch for a sixteenth of them.
//
//     ballot::split_in_place(gpu, particles, is_inside{}, inside_count);
//     ballot::split_in_place(gpu, ballot::zip{keys, ids}, ballot::on_first{has_bit{3}}, count);
//
// items:  device range of a trivially copyable T of up to 128 bytes, or a zip of ranges of one length
// keep:   as for compact (compact.cuh); flags lie apart from the items
// count:  device address (or device_value) of one std::uint64_t, the number of kept items; also written where n = 0.
//         Apart from all else
// length: a device address or null: only the first *length items take part; apart from the items and the count
//
// Stable in both groups, and deterministic. Scratch: split_in_place_scratch_bytes<T...>(n): n / 16 items of the
// largest type (of fewer than 2^16 items up to n / 8, and at least 512), 8 bytes a tile of them, and for a zip n / 8
// bytes. It is less than n / 8 items, flags of a zip aside, from 2^13 items on (of 1 byte from 2^15, of 2 from 2^14
// on). Where there is room for n items, split and a copy are faster. Work on the stream, nothing of it waiting for the
// host: up to 16 pieces are split one after the other (of at least 4096 items where there is scratch for that: few
// launches; each a fill, a kernel, and a kernel that brings the rejected items back from scratch), then neighbours are
// merged by rotations, two launches a level, up to four levels; all of it for each range of a zip, after one kernel
// for the flags' bits. Bytes moved: each item is read and written once, each rejected one twice, and each item that a
// level rotates twice more: with half of them kept about half of the items in each level. split (split.cuh) moves
// less. Errors (before any work): as for compact.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/partition/in_place.cuh>
#include <ballot/detail/partition/split_in_place_kernels.cuh>

namespace ballot {
namespace detail {

// Larger pieces are fewer launches and take more scratch.
inline constexpr std::uint64_t split_piece_at_least = 4096;

// The same where scratch is scarce: all of it is to be less than an eighth of the items, from 2^13 items on (of 1 byte
// from 2^15, of 2 from 2^14 on). Besides the rejected items of a piece it takes 1 KiB, and 255 bytes to align them.
// More items never need less.
inline std::uint64_t sparing_piece_at_least(std::uint64_t n, std::size_t item_bytes) {
  constexpr std::uint64_t from = 1 << 13, beside = 1280;
  const std::uint64_t eighth = std::max(n, from) / 8, spare = ceil_div(beside, item_bytes);
  const std::uint64_t room = eighth > spare ? (eighth - spare) / 32 * 32 : 0;
  return std::clamp(room, from / split_pieces, split_piece_at_least);
}

// Pieces begin at multiples of 32 items, so that vectors and words of flags stay whole.
inline std::uint64_t split_piece_items(std::uint64_t n, std::uint64_t at_least) {
  return std::max(ceil_div(ceil_div(n, split_pieces), 32) * 32, at_least);
}

template <class T>
using split_in_place_shape = partition_shape<rejects::second_output, T>;

struct split_in_place_scratch {
  std::uint64_t* kept;     // of each piece
  std::uint64_t* lengths;  // of each piece
  std::span<std::byte> partition;
  std::byte* rejected;
  std::span<std::uint32_t> words;  // flags of a zip

  // `tile_items`: of the smallest tile.
  split_in_place_scratch(scratch_carver& carver, std::uint64_t n, std::uint64_t piece_items, std::size_t largest_item,
                         std::uint64_t tile_items, bool is_zip)
      : kept(carver.take<std::uint64_t>(split_pieces)), lengths(carver.take<std::uint64_t>(split_pieces)) {
    const std::uint64_t most = smaller(n, piece_items);
    const std::size_t bytes = placing_scratch_bytes<placing::look_back>(ceil_div(most, tile_items));
    partition = {carver.take<std::byte>(bytes), bytes};
    rejected = carver.take<std::byte>(most * largest_item);
    const std::uint64_t flag_words = is_zip ? ceil_div(n, 32) : 0;
    words = {carver.take<std::uint32_t>(flag_words), static_cast<std::size_t>(flag_words)};
  }
};

template <class... T>
split_in_place_scratch carve_split_in_place(scratch_carver& carver, std::uint64_t n, std::uint64_t piece_items) {
  return {carver,
          n,
          piece_items,
          std::max({sizeof(T)...}),
          std::min({std::uint64_t{split_in_place_shape<T>::items}...}),
          sizeof...(T) > 1};
}

template <class... T>
std::size_t split_in_place_bytes(std::uint64_t n, std::uint64_t piece_items) {
  scratch_carver measure;
  carve_split_in_place<T...>(measure, n, piece_items);
  return measure.bytes();
}

template <class... T>
std::uint64_t sparing_piece_items(std::uint64_t n) {
  return split_piece_items(n, sparing_piece_at_least(n, std::max({sizeof(T)...})));
}

// The pieces of a call: the larger ones where there is scratch for them.
template <class... T>
std::uint64_t piece_items_within(const exec& where, std::uint64_t n) {
  const std::uint64_t large = split_piece_items(n, split_piece_at_least);
  const bool has_room = where.allocates() || where.scratch().size() >= split_in_place_bytes<T...>(n, large);
  return has_room ? large : sparing_piece_items<T...>(n);
}

// The flags of a piece.
template <class Keep>
Keep keep_from(const Keep& keep, [[maybe_unused]] std::uint64_t begin) {
  if constexpr (std::is_same_v<Keep, byte_flags>) return {keep.flags.subspan(begin), keep.invert};
  else if constexpr (std::is_same_v<Keep, bit_flags>) return {keep.words.subspan(begin / 32), keep.invert};
  else return keep;
}

// One range.
template <class T, class Keep>
void split_column_in_place(stream_t stream, const output<T>& items, const length& n, const Keep& keep,
                           const split_in_place_scratch& scratch, std::uint64_t piece_items, std::uint64_t* count,
                           const char* function) {
  using shape = split_in_place_shape<T>;
  const split_in_place_pieces of{piece_items, static_cast<unsigned>(ceil_div(items.size, piece_items)), scratch.kept};
  T* const rejected = reinterpret_cast<T*>(scratch.rejected);
  for (unsigned p = 0; p < of.pieces; ++p) {
    const std::uint64_t begin = of.begin(p), most = smaller(items.size - begin, piece_items);
    const length here{most, n.count == nullptr ? nullptr : scratch.lengths + p};
    const std::tuple inputs(input<T>{items.data + begin, here});
    const auto selector = make_selector<shape::width, true>(keep_from(keep, begin), inputs, function);
    const auto all = make_columns<shape::width>(inputs, std::tuple(output<T>{items.data + begin, most}),
                                                std::tuple(output<T>{rejected, most}));
    launch_partition<rejects::second_output, shape, true>(exec(stream, scratch.partition), here, all, selector,
                                                          scratch.kept + p, function);
    simt::launch(append_rejected_kernel<T>,
                 simt::launch_config{dim3(tile_count(most, move_threads * moves_per_thread, function)),
                                     dim3(move_threads), 0, stream},
                 rejected, items.data, here, of, p, count);
  }
  for (unsigned groups = 1; groups < of.pieces; groups *= 2) {
    const auto pairs = static_cast<unsigned>(ceil_div(of.pieces - groups, 2 * groups));
    const auto blocks =
        static_cast<unsigned>(smaller(ceil_div(groups * piece_items, move_threads * moves_per_thread), 2048));
    simt::launch(reverse_kernel<T, reversal::parts>,
                 simt::launch_config{dim3(blocks, 2 * pairs), dim3(move_threads), 0, stream}, items.data, of, groups);
    simt::launch(reverse_kernel<T, reversal::whole>,
                 simt::launch_config{dim3(blocks, pairs), dim3(move_threads), 0, stream}, items.data, of, groups);
  }
}

// Everything checked but the scratch. piece_items: other than what piece_items_within says in tests alone.
template <class... T, class Keep>
void launch_split_in_place(const exec& where, const std::tuple<output<T>...>& items, const length& n, const Keep& keep,
                           std::uint64_t* count, std::uint64_t piece_items, const char* function) {
  const stream_t stream = where.stream();
  const auto inputs = as_read(items);
  // Checks the flags, too.
  using first = std::tuple_element_t<0, std::tuple<T...>>;
  const auto selector = make_selector < sizeof...(T) == 1 ? split_in_place_shape<first>::width : 1,
             true > (keep, inputs, function);
  if (n.capacity == 0) {
    simt::fill_bytes(stream, count, 0, sizeof(std::uint64_t));
    return;
  }
  const scratch_lease lease(where, split_in_place_bytes<T...>(n.capacity, piece_items), function);
  scratch_carver carver(lease.base());
  const split_in_place_scratch scratch = carve_split_in_place<T...>(carver, n.capacity, piece_items);
  if (n.count != nullptr) {
    const auto pieces = static_cast<unsigned>(ceil_div(n.capacity, piece_items));
    simt::launch(piece_lengths_kernel<>, simt::launch_config{dim3(1), dim3(simt::warp_size), 0, stream}, n,
                 split_in_place_pieces{piece_items, pieces, scratch.kept}, scratch.lengths);
  }
  if constexpr (sizeof...(T) == 1) {
    split_column_in_place(stream, std::get<0>(items), n, keep, scratch, piece_items, count, function);
  } else {
    // The flags are looked at once for every range, and the first ranges move before the last: so they are kept.
    launch_flag_bits(stream, make_source<1>(std::get<0>(inputs)), n, selector, scratch.words.data(), function);
    for_each(items, [&](const auto& column) {
      split_column_in_place(stream, column, n, bit_flags{scratch.words}, scratch, piece_items, count, function);
    });
  }
}

}  // namespace detail

// Bytes of scratch for n items of ranges T... Pure.
template <class... T>
std::size_t split_in_place_scratch_bytes(std::uint64_t n) {
  return n == 0 ? 0 : detail::split_in_place_bytes<T...>(n, detail::sparing_piece_items<T...>(n));
}

template <detail::output_table Items, class Keep>
void split_in_place(const exec& where, Items&& items, const Keep& keep, device_count count,
                    const std::uint64_t* length = nullptr) {
  constexpr const char* function = "split_in_place";
  const auto all = detail::as_outputs(items);
  const auto written = detail::require_in_place(all, count, length, function);
  detail::require_apart_from_flags(keep, written, function);
  [&]<class... T>(const std::tuple<detail::output<T>...>&) {
    const std::uint64_t n = std::get<0>(all).size;
    detail::launch_split_in_place(where, all, detail::length{n, length}, keep, count.address(),
                                  detail::piece_items_within<T...>(where, n), function);
  }(all);
}

}  // namespace ballot
