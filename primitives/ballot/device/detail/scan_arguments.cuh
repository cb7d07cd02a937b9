// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernel of the device scan (scan_kernel.cuh).
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/scan_options.hpp>
#include <ballot/device/tiles.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::device {

// The type of the total: that of the sums, T, or what an output view has as `total_type`.
template <class T, class Out>
struct total_of_scan {
  using type = T;
};
template <class T, class V>
  requires requires { typename V::total_type; }
struct total_of_scan<T, ballot::detail::view_output<V>> {
  using type = typename V::total_type;
};

// The total: op of all items.
template <class T, class Total = T>
struct scan_total {
  Total* result;          // null: not wanted
  bool append_to_output;  // also stored after the output's last item

  BALLOT_HOST_DEVICE bool wanted() const { return result != nullptr || append_to_output; }
  template <class Out>
  __device__ __forceinline__ void store(Out out, std::uint64_t n, T total) const {
    if (result != nullptr) *result = static_cast<Total>(total);
    if constexpr (std::is_pointer_v<Out>)
      if (append_to_output) out[n] = total;
  }
};

// Out: T*, or a view_output.
template <class T, class Input, class Op, class Word, class Out = T*>
struct scan_arguments {
  Input in;
  Out out;
  ballot::detail::length length;
  T initial;                // of a scan that has it from the host
  const T* device_initial;  // of a scan whose initial value is on the device
  Op op;
  scan_total<T, typename total_of_scan<T, Out>::type> total;
  scan_order order;
  bool in_aligned, out_aligned;           // to vectors; where tiles are shifted, all but the first
  ballot::detail::shifted_tiles shifted;  // in memory; by fewer items than a vector has
  Word* states;                           // LookBack::state_count(tiles) words, zero at launch; of several blocks
  std::uint32_t* ticket;                  // zero at launch; null for one block, and with aggregates
  bool in_cluster;                        // of tiles that are one cluster: they exchange their aggregates
  // For few tiles, else null: this kernel is launched twice. The first launch stores the aggregate
  // of each tile. The second one begins while the first one ends, and sums up those before its
  // tile.
  T* aggregates;
  bool stores_aggregates;
};

}  // namespace ballot::device
