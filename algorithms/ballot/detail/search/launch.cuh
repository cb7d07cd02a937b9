// SPDX-License-Identifier: Apache-2.0
// The checks and launches of searches and of is_sorted.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/search/kernels.cuh>
#include <ballot/device/memory.cuh>

#include <cstddef>
#include <cstdint>

namespace ballot::detail {

template <bool Upper, class T, class Keys, class Before, class Position>
void run_search(const exec& where, const input<T>& sorted, const Keys& keys, const Before& before,
                const output<Position>& positions, const char* function) {
  const device_count to(positions.data);
  const std::uint64_t n = keys.capacity();
  require_same_length(function, "keys", n, "positions", positions.size);
  require_counts_fit(function, "positions", to.type(), sorted.capacity());
  require_columns(function, "keys", std::tuple(keys));
  require_arguments(function, where, 0, {argument_of("positions", positions)},
                    {argument_of("sorted", sorted), argument_of("keys", keys),
                     argument_of("sorted.length", sorted.length), argument_of("keys.length", keys.length)});
  if (n == 0) return;
  const auto searched = as_searched(keys);
  simt::launch(search_kernel<Upper, T, std::remove_const_t<decltype(searched)>, Before>,
               elementwise_launch(where.stream(), n, function), sorted.data, sorted.length, searched, before, to);
}

inline std::size_t sorted_bytes() {
  scratch_carver measure;
  measure.take<sorted_state>(1);
  return measure.bytes();
}

template <bool Whether, class T, class Before>
void run_sorted(const exec& where, const input<T>& in, const Before& before, const device_count& result,
                const char* function) {
  require_count(function, "result", result, Whether ? 1 : in.capacity());
  require_arguments(function, where, sorted_bytes(), {argument_of("result", result)},
                    {argument_of("in", in), argument_of("in.length", in.length)});
  const scratch_lease lease(where, sorted_bytes(), function);
  scratch_carver carver(lease.base());
  sorted_state* const state = carver.take<sorted_state>(1);
  simt::fill_bytes(where.stream(), state, 0, sizeof(sorted_state));
  const std::uint64_t blocks =
      larger(smaller(ceil_div(in.capacity(), sorted_tile), std::uint64_t{4} * simt::multiprocessors()), 1);
  simt::launch(
      sorted_kernel<Whether, T, Before>,
      simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(sorted_threads), sizeof(bool), where.stream()},
      in.data, in.length, before, state, result);
}

}  // namespace ballot::detail
