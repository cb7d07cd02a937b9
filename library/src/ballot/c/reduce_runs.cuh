// SPDX-License-Identifier: Apache-2.0
// The instances of reductions of runs: included by the sources that library/instances.cmake
// generates.
#pragma once

#include <ballot/c/reduce_run_calls.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/reduce_by_key/heads.cuh>
#include <ballot/detail/reduce_by_key/launch.cuh>
#include <ballot/device/detail/head_flags.cuh>
#include <ballot/device/flags.cuh>

#include <span>
#include <type_traits>

namespace ballot_c {

template <class Heads>
auto heads_in_bits(const u32* words, u64 n, Heads&& launch) {
  const auto reader = ballot::detail::make_flag_reader(
      ballot::bit_flags{std::span(words, static_cast<std::size_t>(ballot::detail::ceil_div(n, 32)))});
  launch([&]<class Shape>(std::type_identity<Shape>) {
    return ballot::detail::heads_by_flag<std::remove_const_t<decltype(reader)>>{{reader}};
  });
}

template <class T>
void reduce_flagged(ballot::stream_t stream, std::byte* scratch, const run_request<T>& r, const u32* heads) {
  heads_in_bits(heads, r.n.capacity, [&](const auto& make_heads) {
    ballot::detail::launch_runs<true, void, T>(stream, scratch, r.n, make_heads, r.values, r.initial,
                                               ballot::detail::as_operator<T>(r.op), r.results, r.count, r.function);
  });
}

template <class K, class T>
void reduce_by_key(ballot::stream_t stream, std::byte* scratch, const run_request<T>& r, const K* keys,
                   const same<K>& equal, const output<K>& keys_out) {
  const auto make_heads = [&]<class Shape>(std::type_identity<Shape>) {
    return ballot::detail::heads_by_key<K, same<K>>{keys, keys_out.data, keys_out.size, equal,
                                                    ballot::block::aligned_vectors_of<K, Shape::width>(keys)};
  };
  ballot::detail::launch_runs<false, K, T>(stream, scratch, r.n, make_heads, r.values, T{},
                                           ballot::detail::as_operator<T>(r.op), r.results, r.count, r.function);
}

template <class Ranked>
void arg_first_of_runs(ballot::stream_t stream, std::byte* scratch, const Ranked& r, const u32* heads) {
  using item = ballot::indexed<u64>;
  heads_in_bits(heads, r.n.capacity, [&](const auto& make_heads) {
    ballot::detail::launch_runs<true, void, item>(stream, scratch, r.n, make_heads, r.values, item{}, first_ranked{},
                                                  r.results, r.count, r.function);
  });
}

}  // namespace ballot_c
