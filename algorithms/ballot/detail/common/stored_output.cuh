// SPDX-License-Identifier: Apache-2.0
// How a kernel stores one item in its output: the address of a range, or an output view
// (output_of_kernel in core/output_view.hpp).
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/core/range.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// out[i] = item. i is below the output's size. It need not be for a view, because only the device
// may know its room.
template <class T>
__device__ __forceinline__ void store_at(T* out, std::uint64_t i, const T& item) {
  out[i] = item;
}
template <class V>
__device__ __forceinline__ void store_at(const view_output<V>& out, std::uint64_t i,
                                         const typename V::value_type& item) {
  if (const auto to = located(out); i < to.size) put(to, i, item);
}

}  // namespace ballot::detail
