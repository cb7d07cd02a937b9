// SPDX-License-Identifier: Apache-2.0
// The instances of top_k: included by the sources that library/instances.cmake generates. The sort
// of the selected items is that of the sorts' own instances.
#pragma once

#include <ballot/c/sort.hpp>
#include <ballot/c/top_k_calls.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/batched_top_k/launch.cuh>
#include <ballot/detail/top_k/launch.cuh>

namespace ballot_c {

template <class U>
length top_k_words(ballot::stream_t stream, std::byte* memory, const top_k_request<U>& r) {
  using namespace ballot::detail;
  using launch_type = top_k_launch<U, u64, true>;
  launch_type launch(stream, memory, r.keys, r.codec, r.k, launch_type::plan_for(r.keys.capacity(), r.k), r.keys_out,
                     r.positions, r.count, r.function);
  launch.select();
  if (r.sorted)
    sort_words<U, u64>(stream, launch.scratch().sort,
                       {{r.keys_out, launch.selected()},
                        r.keys_out,
                        r.positions,
                        r.positions,
                        nullptr,
                        nullptr,
                        r.codec,
                        {0, 8 * static_cast<int>(sizeof(U))}});
  return launch.selected();
}
template <class U>
std::size_t top_k_words_bytes(u64 n, u64 k) {
  return ballot::detail::top_k_scratch<U, u64, true>::bytes(n, k);
}

template <class U>
void batched_top_k_words(ballot::stream_t stream, const batched_top_k_request<U>& r) {
  const ballot::detail::batched_top_k_arguments<U, u64> arguments{r.rows,     r.keys,      r.codec, r.k,
                                                                  r.keys_out, r.positions, r.counts};
  if (r.rows.offset == nullptr) ballot::detail::launch_batched_top_k<true, false>(stream, arguments, r.sorted);
  else ballot::detail::launch_batched_top_k<true, true>(stream, arguments, r.sorted);
}

}  // namespace ballot_c
