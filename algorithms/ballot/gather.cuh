// SPDX-License-Identifier: Apache-2.0
// Moves items from computed indices (gather) or to computed indices (scatter), and checks the
// indices.
//
//     ballot::gather(gpu, positions_x, order, sorted_x);  // sorted_x[i] = positions_x[order[i]]
//     // forces[order[i]] = sorted_forces[i]
//     ballot::scatter(gpu, sorted_forces, order, forces, outside);
//
// in:       contiguous device range or view, or `counted`, of any trivially copyable type
// indices:  device range or view, or `counted`, of integers of 4 or 8 bytes, signed or not. They
//           point into `in` (gather) or `out` (scatter). An index that is negative, or not less
//           than the length of that range, is skipped: gather then does not write out[i], and
//           scatter does not move in[i]
// out:      device range or output view (outputs.cuh) of the same type. For gather it is as long as
//           the indices; a view may have more room. For scatter it has any length. Items of `out`
//           to which no index points stay as they are. If several indices are equal, one of their
//           items is written; which one is unspecified
// outside:  device address (or device_value) of one integer of 4 or 8 bytes: how many indices were
//           skipped. Optional
//
// scatter takes as many indices as items. Either of the two ranges may be counted, or both by the
// same address. Outputs must not overlap any other argument, including a device-side length.
// Deterministic, except a scatter with equal indices. No scratch.
//
// Work on the stream: one kernel (none if there are no indices), and a fill of `outside` if that is
// given.
//
// Bytes moved: each index once. Memory is accessed in sectors of 32 bytes, so an item at random may
// cost up to a sector more than its own bytes.
//
// Errors, before any work: invalid_argument for null with n > 0, lengths that differ, `outside` of
// too small a type, or overlap. cuda_error from a launch.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/explain.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/clear_counts.cuh>
#include <ballot/detail/common/stored_output.cuh>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/gather/kernels.cuh>
#include <ballot/detail/radix_sort/concepts.hpp>
#include <ballot/detail/radix_sort/explain.hpp>

#include <cstdint>
#include <type_traits>

namespace ballot {
namespace detail {

// Indices: a range of integers of 4 or 8 bytes, or a view of them.
template <class R>
concept index_range_or_view = input_range_or_view<R> && count_integer<item_t<R>>;
template <class R>
struct index_range_or_view_check {
  static constexpr bool ok = index_range_or_view<R>;
  static consteval void explain() {
    if constexpr (!input_or_view_check<R>::ok) input_or_view_check<R>::explain();
    else static_assert(ok, "ballot: indices are integers of 4 or 8 bytes: u32, i32, u64 or i64.");
  }
};

// What a kernel reads items from.
template <class T>
const T* read_from(const input<T>& in) {
  return in.data;
}
template <class V>
V read_from(const view_input<V>& in) {
  return in.view;
}

template <bool Scatters, class In, class Indices, class Out>
void run_move(const exec& where, const In& in, const Indices& indices, const Out& out, const device_count& outside,
              const char* function) {
  using T = typename In::value_type;
  const std::uint64_t n = indices.capacity();
  if (Scatters) require_same_length(function, "in", in.capacity(), "indices", n);
  else if (!is_view_output<Out> || out.size < n)  // an output view may have more room
    require_same_length(function, "indices", n, "out", out.size);
  if (outside.address() != nullptr) require_count(function, "outside", outside, n);
  require(!Scatters || in.length.count == nullptr || indices.length.count == nullptr ||
              in.length.count == indices.length.count,
          function, "`in` and `indices` are counted by two counts: only one of them may be counted");
  require_items_of_view(function, "in", in);
  require_items_of_view(function, "indices", indices);
  require_arguments(function, where, 0, {arguments_of("out", out), argument_of("outside", outside)},
                    {arguments_of("in", in), arguments_of("indices", indices), argument_of("in.length", in.length),
                     argument_of("indices.length", indices.length), lengths_of("out.offset", out)});
  const bool are_few = n <= few_moves;
  const std::uint32_t blocks = tile_count(n, gather_threads * (are_few ? items_of_few : items_of_many), function);
  if (outside.address() != nullptr) clear_counts(where.stream(), outside);
  if (n == 0) return;
  const auto at = [&] {
    if constexpr (is_view_input<Indices>) return read_from(indices);
    else return read_from(as_unsigned(indices));
  }();
  const auto from = read_from(in);
  using to = std::remove_cvref_t<decltype(output_of_kernel(out))>;
  const auto launch = [&]<unsigned Items>(std::integral_constant<unsigned, Items>) {
    // The launch begins while the one before it, whatever that is, ends. The kernel waits for that
    // end before it reads anything.
    simt::launch_config config{dim3(blocks), dim3(gather_threads), 0, where.stream()};
    config.overlaps_previous_launch = true;
    simt::launch(
        move_kernel<Scatters, Items, T, std::remove_const_t<decltype(from)>, std::remove_const_t<decltype(at)>, to>,
        config, from, at, output_of_kernel(out),
        Scatters && indices.length.count == nullptr ? in.length : indices.length,
        Scatters ? length{out.size} : in.length, count_type::of<typename Indices::value_type>().largest(), outside);
  };
  if (are_few) launch(std::integral_constant<unsigned, items_of_few>{});
  else launch(std::integral_constant<unsigned, items_of_many>{});
}

template <class In, class Indices, class Out>
using move_checks = checks<input_or_view_check<In>, index_range_or_view_check<Indices>, output_or_view_check<Out>,
                           same_items_check<Out, In>>;

}  // namespace detail

/// out[i] = in[indices[i]].
template <input_range_or_view In, detail::index_range_or_view Indices, output_range_or_view_of<In> Out>
void gather(const exec& where, const In& in, const Indices& indices, Out&& out, device_count outside = {}) {
  detail::run_move<false>(where, detail::as_input(in), detail::as_input(indices), detail::as_output(out), outside,
                          "gather");
}
/// out[indices[i]] = in[i].
template <input_range_or_view In, detail::index_range_or_view Indices, output_range_or_view_of<In> Out>
void scatter(const exec& where, const In& in, const Indices& indices, Out&& out, device_count outside = {}) {
  detail::run_move<true>(where, detail::as_input(in), detail::as_input(indices), detail::as_output(out), outside,
                         "scatter");
}
template <class In, class Indices, class Out>
  requires(!detail::move_checks<In, Indices, Out>::ok)
void gather(const exec&, const In&, const Indices&, Out&&, device_count = {}) {
  detail::move_checks<In, Indices, Out>::failing::explain();
}
template <class In, class Indices, class Out>
  requires(!detail::move_checks<In, Indices, Out>::ok)
void scatter(const exec&, const In&, const Indices&, Out&&, device_count = {}) {
  detail::move_checks<In, Indices, Out>::failing::explain();
}

}  // namespace ballot
