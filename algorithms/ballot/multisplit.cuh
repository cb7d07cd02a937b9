// SPDX-License-Identifier: Apache-2.0
// Multisplit: groups the items by bucket, in the order of the buckets. The items of a bucket keep
// their order. Compaction, split and a three-way split are special cases.
//
//     // offsets[65]: where cells begin
//     ballot::multisplit(gpu, particles, cell_of{}, 64, by_cell, offsets);
//     ballot::multisplit(gpu, ballot::zip{keys, ids}, ballot::on_first{owner{}}, 8,
//                        ballot::zip{keys2, ids2}, begins);
//
// in:         contiguous device range or view (views.cuh; `positions` is one), or `counted`, of a
//             trivially copyable T of up to 128 bytes; or a zip of these (detail/common/zip.cuh),
//             of which the first may be counted
// bucket_of:  a function object, callable on the device, from an item to an integer. For a zip it
//             takes an item of each range, or is on_first{...}. It is called once or twice for each
//             item. Items whose bucket is not 0 to buckets - 1 are left out
// buckets:    1 to 256
// out:        device range of T (or a zip of as many as the input has). Must not overlap the inputs
//             or another output. It may be shorter than needed: items that do not fit are dropped,
//             and the offsets still include them. No output view: items are copied as bytes
// offsets:    device range of at least buckets + 1 integers of 4 or 8 bytes, signed or not: where
//             each bucket begins. The last one is the number of items that have a bucket. Also
//             written for n = 0. Must not overlap any other argument, including a device-side
//             length
//
// Stable and deterministic.
//
// Scratch: multisplit_scratch_bytes<T...>(n, buckets) for the types of the columns: 8 bytes for
// each bucket of each tile; none for few items.
//
// Work on the stream: for few items (u32 and u64: up to 4096) one kernel. For more, one kernel
// counts the items of each bucket in each tile. It reads what bucket_of reads. An exclusive scan of
// the counts follows (scan.cuh). The last kernel, which begins while the scan ends, reads and
// writes each item once. For 2^21 to 2^30 - 1 items and more than 64 buckets there is no scan, but
// a fill, a kernel that counts, and a kernel with look-back. The last one reads and writes each
// item once. The scratch is then 1 KiB for each tile of 8192 u32.
//
// Errors, before any work: invalid_argument for null with n > 0, different lengths in a zip, a
// number of buckets outside 1 to 256, or too few offsets. Also for too small a type of the offsets,
// overlap, or scratch that is too small. cuda_error from a launch.
//
// Source: Ashkiani, Davidson, Meyer and Owens, GPU Multisplit, 2016.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/multisplit/launch.cuh>

namespace ballot {

namespace detail {

template <class In, class BucketOf, class Out, class Offsets>
using multisplit_checks = checks<input_table_check<In>, bucket_check<BucketOf, known_items_t<In>>,
                                 output_table_check<Out, In>, output_counts_check<Offsets>>;

// `offsets` has offsets_size integers.
template <class... I, class BucketOf, class... T>
void multisplit(const exec& where, const std::tuple<I...>& inputs, const BucketOf& bucket_of, unsigned buckets,
                const std::tuple<output<T>...>& outputs, const device_count& offsets, std::uint64_t offsets_size) {
  constexpr const char* function = "multisplit";
  using shape = multisplit_shape<T...>;
  const length n = length_of(inputs);
  require_columns(function, "in", inputs);
  if (buckets < 1 || buckets > most_buckets)
    fail(function, joined({"`buckets` is ", std::to_string(buckets), ", buckets are 1 to 256"}));
  require_room(function, "offsets", offsets_size, std::uint64_t{buckets} + 1);
  require_counts_fit(function, "offsets", offsets.type(), n.capacity);
  require_arguments(
      function, where, multisplit_bytes<shape>(n.capacity, buckets),
      {arguments_of("out", outputs), argument{"offsets", offsets.address(), offsets_size * offsets.type().bytes()}},
      {arguments_of("in", inputs), argument_of("in.length", n)});
  launch_multisplit<shape>(where, n, make_device_columns<1>(inputs, outputs, std::tuple()),
                           make_buckets(bucket_of, inputs), buckets, offsets, function);
}

}  // namespace detail

/// Bytes of scratch for n items of columns T... and that many buckets. Pure.
template <class... T>
std::size_t multisplit_scratch_bytes(std::uint64_t n, unsigned buckets) {
  return detail::bytes_at_any_address(detail::multisplit_bytes<detail::multisplit_shape<T...>>(n, buckets));
}

template <input_table In, bucket_function_of<In> BucketOf, output_table_of<In> Out, output_range_of_counts Offsets>
void multisplit(const exec& where, const In& in, const BucketOf& bucket_of, unsigned buckets, Out&& out,
                Offsets&& offsets) {
  const auto begins = detail::as_output(offsets);
  detail::multisplit(where, detail::as_inputs(in), bucket_of, buckets, detail::as_outputs(out), begins.data,
                     begins.size);
}
template <class In, class BucketOf, class Out, class Offsets>
  requires(!detail::multisplit_checks<In, BucketOf, Out, Offsets>::ok)
void multisplit(const exec&, const In&, const BucketOf&, unsigned, Out&&, Offsets&&) {
  detail::multisplit_checks<In, BucketOf, Out, Offsets>::failing::explain();
}

}  // namespace ballot
