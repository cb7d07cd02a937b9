// SPDX-License-Identifier: Apache-2.0
// The arguments of a distributed sort.
#pragma once

#include <ballot/core/count.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::distributed {

struct sort_options {
  ballot::direction direction = ballot::direction::ascending;
  bit_range bits = {};
  nan_order nans = nan_order::last;
  // In how many pieces a rank's output arrives and is sorted, at most. 0: by the number of items.
  int pieces = 0;
  // Stored on the device: how many items this rank gets. With it, outputs may be longer than
  // needed: the items are spread over the ranks in proportion to their outputs. Null: outputs are
  // exactly as long as needed.
  device_count count = {};
  // The same: how many items the ranks before it get, and all of them. Null: the caller does not
  // want them.
  device_count offset = {};
  device_count total = {};
};

namespace detail {

// Keys and values of a sort, and all that is known of it on the host.
template <class K, class V>
struct sort_job {
  ballot::detail::input<K> keys;
  const V* values;
  bool positions;  // in place of values: the places of the keys among those of all ranks
  ballot::detail::output<K> keys_out;
  V* values_out;
  sort_options options;
  ballot::detail::radix_digit_plan digits;
  const char* function;
  std::uint64_t most_positions = 0;  // that the indices' type counts
};

// Turns positions in this rank's keys into positions among all: values[i] += first.
template <class V>
__global__ void __launch_bounds__(256) move_positions_kernel(V* values, std::uint64_t n, std::uint64_t first) {
  for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * 256 + simt::thread_rank(); i < n;
       i += static_cast<std::uint64_t>(gridDim.x) * 256)
    values[i] = static_cast<V>(values[i] + first);
}

}  // namespace detail
}  // namespace ballot::distributed
