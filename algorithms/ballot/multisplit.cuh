// Multisplit: the items in the order of their buckets, the items of each bucket in their own order.
//
//     ballot::multisplit(gpu, particles, cell_of{}, 64, by_cell, offsets);          // offsets[65]: where cells begin
//     ballot::multisplit(gpu, ballot::zip{keys, ids}, ballot::on_first{owner{}}, 8, ballot::zip{keys2, ids2}, begins);
//
// in:        contiguous device range (or `counted`) of a trivially copyable T of up to 128 bytes; or `positions`; or a
//            zip of these (detail/common/zip.cuh), of which the first may be counted
// bucket_of: a function object, callable on the device, from an item (for a zip: an item of each range, or
//            on_first{...}) to an integer. It is called twice for each item. Items whose number is not in 0 to
//            buckets - 1 are left out
// buckets:   1 to 256
// out:       device range of T (or a zip of as many as the input has). Must not overlap the inputs or another output.
//            It may be shorter than needed: items that do not fit are dropped, and the offsets still include them
// offsets:   device range of at least buckets + 1 std::uint64_t: where each bucket begins, and behind the last one the
//            number of items with a bucket. Also written for n = 0. Must not overlap any other argument, including a
//            device-side length
//
// Compaction, split and a three-way split are special cases. Stable and deterministic. Scratch:
// multisplit_scratch_bytes<T...>(n, buckets) for the types of the columns: 8 bytes for each bucket of each tile. Work
// on the stream: a kernel that counts (it reads what bucket_of reads), an exclusive scan of the counts (a fill and a
// kernel), and a kernel that reads and writes each item once. Errors, before any work: invalid_argument for null with
// n > 0, different lengths in a zip, a number of buckets outside 1 to 256, too few offsets, overlap, scratch that is too
// small or misaligned; cuda_error from a launch.
// Source: Ashkiani, Davidson, Meyer and Owens, GPU Multisplit, 2016.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/multisplit/launch.cuh>

namespace ballot {

// Bytes of scratch for n items of columns T... and that many buckets. Pure.
template <class... T>
std::size_t multisplit_scratch_bytes(std::uint64_t n, unsigned buckets) {
  return detail::multisplit_scratch_bytes_of<detail::multisplit_shape<T...>>(n, buckets);
}

template <detail::input_table In, class BucketOf, detail::output_table Out, output_range Offsets>
void multisplit(const exec& where, const In& in, const BucketOf& bucket_of, unsigned buckets, Out&& out,
                Offsets&& offsets) {
  constexpr const char* function = "multisplit";
  const auto inputs = detail::as_inputs(in);
  const auto outputs = detail::as_outputs(out);
  const detail::output<std::uint64_t> begins = detail::as_output(offsets);
  detail::require_inputs(inputs, function);
  detail::require(buckets >= 1 && buckets <= detail::most_buckets, function, "buckets are 1 to 256");
  detail::require(begins.size > buckets, function, "fewer offsets than buckets + 1");
  detail::require_outputs(inputs, std::tuple_cat(outputs, std::tuple(begins)), function);
  [&]<class... I>(const std::tuple<I...>&) {
    using shape = detail::multisplit_shape<typename I::value_type...>;
    detail::launch_multisplit<shape>(where, detail::length_of(inputs),
                                     detail::make_device_columns<1>(inputs, outputs, std::tuple()),
                                     detail::make_buckets(bucket_of, inputs), buckets, begins.data, function);
  }(inputs);
}

}  // namespace ballot
