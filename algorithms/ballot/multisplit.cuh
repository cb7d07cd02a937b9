// Multisplit: the items in the order of their buckets, each bucket's items in their own order.
//
//     ballot::multisplit(gpu, particles, cell_of{}, 64, by_cell, offsets);          // offsets[65]: where cells begin
//     ballot::multisplit(gpu, ballot::zip{keys, ids}, ballot::on_first{owner{}}, ranks, ballot::zip{keys2, ids2}, offsets);
//
// in:        contiguous device range (or `counted`) of a trivially copyable T of up to 128 bytes; `positions`; or a zip of
//            such (detail/zip.cuh), of which the first may be counted
// bucket_of: a function object callable on the device, from an item (of a zip: an item of each range, or on_first{...}) to
//            an integer. It is asked twice about an item. Items of another number than 0 to buckets - 1 are left out
// buckets:   1 to 256
// out:       device range of T (or a zip of as many as the input has), apart from the inputs and each other; it may be
//            shorter than what there is to write: what does not fit is dropped, and the offsets still tell
// offsets:   device range of at least buckets + 1 std::uint64_t: where each bucket begins, and behind the last one how
//            many items have a bucket; also written where n = 0. Apart from the rest, the length of a counted input,
//            too. A compaction, a split, a three-way split are cases of it
//
// Stable and deterministic. Scratch: multisplit_scratch_bytes<T...>(n, buckets) for the types of the columns: 8 bytes a
// bucket and tile. Work on the stream: a kernel that counts (it reads what bucket_of reads), an exclusive scan of the
// counts (a fill and a kernel), and a kernel that moves each item once. Errors (before any work): invalid_argument for
// null with n > 0, lengths of a zip that differ, a number of buckets outside 1 to 256, too few offsets, overlap, scratch
// too small or misaligned; cuda_error from a launch.
// Source: Ashkiani, Davidson, Meyer and Owens, GPU Multisplit, 2016.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/multisplit_kernels.cuh>
#include <ballot/detail/tuning_partition.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/scan.cuh>

namespace ballot {
namespace detail {

struct multisplit_scratch {
  std::uint64_t* places;  // [bucket][tile], and the total
  std::size_t entries;
  std::span<std::byte> scan;

  multisplit_scratch(scratch_carver& carver, std::uint64_t tiles, unsigned buckets)
      : places(carver.take<std::uint64_t>(tiles * buckets + 1)), entries(tiles * buckets + 1) {
    const std::size_t bytes = scan_scratch_bytes<std::uint64_t>(entries);
    scan = {carver.take<std::byte>(bytes), bytes};
  }
};

template <class Shape>
std::size_t multisplit_scratch_bytes_of(std::uint64_t n, unsigned buckets) {
  if (n == 0) return 0;
  scratch_carver measure;
  multisplit_scratch(measure, ceil_div(n, Shape::items), buckets);
  return measure.bytes();
}

// Everything checked but the scratch. Shape: other than the tuned one in tests alone.
template <class Shape, class Columns, class Buckets>
void launch_multisplit(const exec& where, const length& n, const Columns& all, const Buckets& of, unsigned buckets,
                       std::uint64_t* offsets, const char* function) {
  using source = decltype(Columns::first.source);
  static_assert(Columns::largest_item <= 128, "items of more than 128 bytes: split their positions, then gather");
  const stream_t stream = where.stream();
  const std::uint32_t tiles = tile_count(n.capacity, Shape::items, function);
  if (tiles == 0) {
    simt::fill_bytes(stream, offsets, 0, (std::size_t{buckets} + 1) * sizeof(std::uint64_t));
    return;
  }
  const scratch_lease lease(where, multisplit_scratch_bytes_of<Shape>(n.capacity, buckets), function);
  scratch_carver carver(lease.base());
  const multisplit_scratch scratch(carver, tiles, buckets);
  simt::launch(bucket_count_kernel<source, Shape, Buckets>,
               simt::launch_config{dim3(tiles), dim3(Shape::threads), sizeof(bucket_count_storage), stream},
               all.first.source, n, of, buckets, scratch.places);
  const std::span<std::uint64_t> places(scratch.places, scratch.entries);
  exclusive_scan(exec(stream, scratch.scan), places, places);
  simt::launch(
      multisplit_kernel<Columns, Shape, Buckets>,
      simt::launch_config{dim3(tiles), dim3(Shape::threads), sizeof(multisplit_storage<Columns, Shape>), stream}, n,
      all, of, buckets, bucket_bits(buckets), scratch.places, offsets);
}

}  // namespace detail

// Bytes of scratch for n items of columns T... and that many buckets. Pure.
template <class... T>
std::size_t multisplit_scratch_bytes(std::uint64_t n, unsigned buckets) {
  return detail::multisplit_scratch_bytes_of<detail::multisplit_shape<T...>>(n, buckets);
}

template <detail::input_table In, class BucketOf, detail::output_table Out, detail::output_range Offsets>
void multisplit(const exec& where, const In& in, const BucketOf& bucket_of, unsigned buckets, Out&& out,
                Offsets&& offsets) {
  constexpr const char* function = "multisplit";
  const auto inputs = detail::as_inputs(in);
  const auto kept = detail::as_outputs(out);
  const detail::output<std::uint64_t> begins = detail::as_output(offsets);
  detail::require_inputs(inputs, function);
  detail::require(buckets >= 1 && buckets <= detail::most_buckets, function, "buckets are 1 to 256");
  detail::require(begins.size > buckets, function, "fewer offsets than buckets + 1");
  detail::require_outputs(inputs, std::tuple_cat(kept, std::tuple(begins)), function);
  [&]<class... I>(const std::tuple<I...>&) {
    using shape = detail::multisplit_shape<typename I::value_type...>;
    detail::launch_multisplit<shape>(where, detail::length_of(inputs),
                                     detail::make_columns<1>(inputs, kept, std::tuple()),
                                     detail::make_buckets(bucket_of, inputs), buckets, begins.data, function);
  }(inputs);
}

}  // namespace ballot
