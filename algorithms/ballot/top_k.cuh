// SPDX-License-Identifier: Apache-2.0
// The k largest or smallest keys of n: keys, with values, or their positions.
//
//     ballot::top_k(gpu, scores, 100, best, found);  // the largest first
//     ballot::top_k_pairs(gpu, distances, ids, 16, nearest, nearest_ids, found,
//                         {.direction = ballot::direction::ascending});
//     ballot::top_k_indices(gpu, scores, 1000, indices, found,
//                           {.order = ballot::top_k_order::by_position});
//
// keys:     contiguous device range (or `counted`) of integers of 1 to 16 bytes, float, double,
//           __half, __nv_bfloat16, and types with key_traits, in the order of sort
//           (core/key_order.hpp). No view: some keys are read more than once
// values:   device range or view (views.cuh) of any trivially copyable type, as long as the keys. Of
//           a view only the selected items are computed, each once
// k:        how many, from 0 on. If there are fewer keys, all of them are selected
// outputs:  keys_out, values_out, indices (integers of 4 or 8 bytes, signed or not), of at least
//           min(k, n) items. Items after the selected ones are not written. No output views
// count:    device address (or device_value) of one integer of 4 or 8 bytes. It receives the number
//           of selected items, min(k, n), also for n = 0 or k = 0. Optional
//
// The direction `descending`, the default, selects the largest keys; `ascending` selects the
// smallest ones. NaNs come after all numbers in both directions, unless `nans` says otherwise. So
// NaNs are selected only if there are fewer than k numbers. Of equal keys, those with the lowest
// positions are selected. The order `sorted` is that of a stable sort in this direction. The order
// `by_position` is that of the input, and saves the sort.
//
// Outputs and scratch must not overlap any other argument, including a device-side length.
// Deterministic.
//
// Scratch: top_k_scratch_bytes<K>(n, k), top_k_pairs_scratch_bytes<K, V>(n, k),
// top_k_indices_scratch_bytes<K, Index>(n, k), for any options. It is the scratch of a sort of k
// items, and in addition:
// - for k up to 12288, up to 19456 keys and positions, and 32 KiB;
// - for k from 512 to 65535, up to 65535 keys and positions;
// - for more than 16384 keys, up to 16384 keys and positions of a sample;
// - for k up to n / 8, somewhat more than k keys and positions;
// - for large k, 16 KiB for each digit of 11 bits.
// Scratch for n keys also suffices for fewer keys.
//
// Work on the stream, by the first line that fits:
//
//   up to 12288 keys                                         one kernel
//   from sm_90 on: up to 73,728 keys; up to 262,144, if k    one kernel, of one cluster of blocks
//   is so large that the next two lines do not fit
//   up to 2^20 keys, k of each 4096 are up to 7168 together  two kernels: tiles, and what they
//                                                            leave
//   up to 2^25 keys, up to 12288 candidates; from sm_90 on   three kernels: a sample, tiles, the
//   up to 65535, if k is at least 512                        candidates. Four above 2^21 keys
//   k up to n / 8, up to 65536 candidates                    a sample (of more than 2^21 keys two
//                                                            kernels), a compaction (two kernels),
//                                                            one block
//   k up to n / 8, above 2^21 keys                           also a fill, a kernel for each digit
//                                                            of 11 bits of a key and of a
//                                                            candidate's index, and a compaction
//   larger k                                                 a fill, a kernel for each digit of a
//                                                            key and of a position, and a
//                                                            compaction
//
// For keys of 8 bytes, read 6144 instead of 12288 and 7168, and 131,072 instead of 262,144. For
// keys of 16 bytes, up to 16384 keys take one kernel, and the second to fourth line do not apply. A
// cluster takes up to 81,920 keys of 8 bytes, and up to 131,072 shorter keys, also where the fourth
// line fits. Each key is read once, except in the last two lines. If the order is `sorted`, the
// launches of a sort of k items in place follow. Values take one more gather.
//
// Errors, before any work: invalid_argument for null with n > 0, values or outputs of another
// length, indices whose type does not count the keys, a count of too small a type, overlap, or
// scratch that is too small; cuda_error from a launch.
//
// Method and sources: detail/top_k/launch.cuh, kernels.cuh, cut.cuh, select_in_registers.cuh,
// select_in_cluster.cuh.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/radix_sort/arguments.hpp>
#include <ballot/detail/radix_sort/concepts.hpp>
#include <ballot/detail/radix_sort/dispatch.cuh>
#include <ballot/detail/radix_sort/explain.hpp>
#include <ballot/detail/top_k/launch.cuh>
#include <ballot/detail/top_k/options.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace ballot {

namespace detail {

// Temporary memory in place of outputs that the caller does not want; null for those that the
// caller wants.
template <class U, class Index, bool Positions>
struct top_k_buffers {
  using scratch = top_k_scratch<U, Index, Positions>;
  std::byte* work;
  U* keys;
  Index* positions;

  top_k_buffers(scratch_carver& carver, std::uint64_t n, std::uint64_t k, bool own_keys, bool own_positions)
      : work(carver.take<std::byte>(scratch::bytes(n, k))),
        keys(carver.take<U>(own_keys ? smaller(n, k) : 0)),
        positions(carver.take<Index>(own_positions ? smaller(n, k) : 0)) {}

  static std::size_t bytes(std::uint64_t n, std::uint64_t k, bool own_keys, bool own_positions) {
    if (smaller(n, k) == 0) return 0;
    scratch_carver measure;
    top_k_buffers(measure, n, k, own_keys, own_positions);
    return measure.bytes();
  }
};

template <class U>
std::size_t top_k_pairs_bytes(std::uint64_t n, std::uint64_t k) {
  if (n <= std::uint64_t{1} << 32) return top_k_buffers<U, std::uint32_t, true>::bytes(n, k, false, true);
  return top_k_buffers<U, std::uint64_t, true>::bytes(n, k, false, true);
}

// keys_out or positions_out is null if the caller does not want it. and_then(positions, selected)
// is called after all launches.
template <class Index, bool Positions, class K, class AndThen>
void run_top_k(const exec& where, const input<K>& keys, std::uint64_t k, K* keys_out, Index* positions_out,
               const device_count& count, const top_k_options& options, const char* function, const AndThen& and_then) {
  using U = ordered_bits_t<K>;
  using buffers = top_k_buffers<U, Index, Positions>;
  const std::uint64_t n = keys.capacity();
  const bool own_keys = keys_out == nullptr, own_positions = Positions && positions_out == nullptr;
  using launch = top_k_launch<U, Index, Positions>;
  const top_k_plan plan = launch::plan_for(n, k);
  if (plan.selected == 0) {
    if (count.address() != nullptr) clear_counts(where.stream(), count);
    return;
  }
  const scratch_lease lease(where, buffers::bytes(n, k, own_keys, own_positions), function);
  scratch_carver carver(lease.base());
  const buffers memory(carver, n, k, own_keys, own_positions);
  U* const to = own_keys ? memory.keys : as_key_words(keys_out);
  Index* const to_positions = own_positions ? memory.positions : positions_out;
  launch(where.stream(), memory.work, as_key_words(keys), key_codec_of<K>(options.direction, options.nans), k, plan, to,
         to_positions, count, function)
      .run(options.order == top_k_order::sorted);
  scratch_carver again(memory.work);
  const length selected =
      length_of_count(plan.selected, &top_k_scratch<U, Index, Positions>(again, n, plan).state->selected);
  and_then(static_cast<const Index*>(to_positions), selected);
}

}  // namespace detail

/// Bytes of scratch of top_k for k of n keys, for any options. Pure.
template <class K>
std::size_t top_k_scratch_bytes(std::uint64_t n, std::uint64_t k) {
  if constexpr (detail::explained<detail::sort_key_check<K>>())
    return detail::bytes_at_any_address(
        detail::top_k_buffers<ordered_bits_t<K>, std::uint32_t, false>::bytes(n, k, false, false));
  else return 0;
}
/// Bytes of scratch of top_k_pairs.
template <class K, class V>
std::size_t top_k_pairs_scratch_bytes(std::uint64_t n, std::uint64_t k) {
  if constexpr (detail::explained<detail::sort_key_check<K>>())
    return detail::bytes_at_any_address(detail::top_k_pairs_bytes<ordered_bits_t<K>>(n, k));
  else return 0;
}
/// Bytes of scratch of top_k_indices.
template <class K, class Index>
std::size_t top_k_indices_scratch_bytes(std::uint64_t n, std::uint64_t k) {
  if constexpr (detail::explained<detail::sort_key_check<K>, detail::index_check<Index>>())
    return detail::bytes_at_any_address(
        detail::top_k_buffers<ordered_bits_t<K>, detail::unsigned_count_t<Index>, true>::bytes(n, k, true, false));
  else return 0;
}

/// The keys.
template <key_range Keys, output_range_of<Keys> KeysOut>
void top_k(const exec& where, const Keys& keys, std::uint64_t k, KeysOut&& keys_out, device_count count = {},
           const top_k_options& options = {}) {
  using namespace detail;
  constexpr const char* function = "top_k";
  const auto in = as_input(keys);
  const auto out = as_output(keys_out);
  require_room(function, "keys_out", out.size, smaller(k, in.capacity()));
  if (count.address() != nullptr) require_count(function, "count", count, smaller(k, in.capacity()));
  require_arguments(function, where, {argument_of("keys_out", out), argument_of("count", count)},
                    {argument_of("keys", in), argument_of("keys.length", in.length)});
  run_top_k<std::uint32_t, false>(where, in, k, out.data, static_cast<std::uint32_t*>(nullptr), count, options,
                                  function, [](const std::uint32_t*, const length&) {});
}

/// The keys with their values.
template <key_range Keys, value_range_or_view Values, output_range_of<Keys> KeysOut, output_range_of<Values> ValuesOut>
void top_k_pairs(const exec& where, const Keys& keys, const Values& values, std::uint64_t k, KeysOut&& keys_out,
                 ValuesOut&& values_out, device_count count = {}, const top_k_options& options = {}) {
  using namespace detail;
  constexpr const char* function = "top_k_pairs";
  const auto in = as_input(keys);
  const auto values_in = as_input(values);
  const auto out = as_output(keys_out);
  const auto second = as_output(values_out);
  const std::uint64_t selected = smaller(k, in.capacity());
  require_same_lengths(function, {"keys", in.capacity()}, {{"values", values_in.capacity()}});
  require_items_of_view(function, "values", values_in);
  require_room(function, "keys_out", out.size, selected);
  require_room(function, "values_out", second.size, selected);
  if (count.address() != nullptr) require_count(function, "count", count, selected);
  require_arguments(
      function, where, {argument_of("keys_out", out), argument_of("values_out", second), argument_of("count", count)},
      {argument_of("keys", in), arguments_of("values", values_in), argument_of("keys.length", in.length)});
  const auto gather = [&](const auto* positions, const length& n) {
    launch_gather(where.stream(), source_of_input(values_in), positions, second.data, n, function);
  };
  if (in.capacity() <= std::uint64_t{1} << 32)
    run_top_k<std::uint32_t, true>(where, in, k, out.data, static_cast<std::uint32_t*>(nullptr), count, options,
                                   function, gather);
  else
    run_top_k<std::uint64_t, true>(where, in, k, out.data, static_cast<std::uint64_t*>(nullptr), count, options,
                                   function, gather);
}

/// The positions of the keys. No keys are written.
template <key_range Keys, output_range_of_counts Indices>
void top_k_indices(const exec& where, const Keys& keys, std::uint64_t k, Indices&& indices, device_count count = {},
                   const top_k_options& options = {}) {
  using namespace detail;
  constexpr const char* function = "top_k_indices";
  const auto in = as_input(keys);
  const auto out = as_output(indices);
  require_room(function, "indices", out.size, smaller(k, in.capacity()));
  require_positions_fit(function, "indices", count_type::of<item_t<Indices>>(), in.capacity());
  if (count.address() != nullptr) require_count(function, "count", count, smaller(k, in.capacity()));
  require_arguments(function, where, {argument_of("indices", out), argument_of("count", count)},
                    {argument_of("keys", in), argument_of("keys.length", in.length)});
  using Index = unsigned_count_t<item_t<Indices>>;
  run_top_k<Index, true>(where, in, k, static_cast<item_t<Keys>*>(nullptr), as_positions(out).data, count, options,
                         function, [](const Index*, const length&) {});
}

// The twins, which say why a call does not compile (core/explain.hpp).
template <class Keys, class KeysOut>
void top_k(const exec&, const Keys&, std::uint64_t, KeysOut&&, device_count = {}, const top_k_options& = {}) {
  detail::explain<detail::key_range_check<Keys>, detail::output_check<KeysOut>,
                  detail::same_items_check<KeysOut, Keys>>();
}
template <class Keys, class Values, class KeysOut, class ValuesOut>
void top_k_pairs(const exec&, const Keys&, const Values&, std::uint64_t, KeysOut&&, ValuesOut&&, device_count = {},
                 const top_k_options& = {}) {
  detail::explain<detail::key_range_check<Keys>, detail::value_range_or_view_check<Values>,
                  detail::output_check<KeysOut>, detail::output_check<ValuesOut>,
                  detail::same_items_check<KeysOut, Keys>, detail::same_items_check<ValuesOut, Values>>();
}
template <class Keys, class Indices>
void top_k_indices(const exec&, const Keys&, std::uint64_t, Indices&&, device_count = {}, const top_k_options& = {}) {
  detail::explain<detail::key_range_check<Keys>, detail::positions_check<Indices>>();
}

}  // namespace ballot
