// SPDX-License-Identifier: Apache-2.0
// The scratch of sorts whose keys are computed first: by a function of the items, or gathered
// through an order.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/radix_sort/operands.hpp>
#include <ballot/detail/radix_sort/scratch.cuh>

namespace ballot::detail {

// The scratch of a sort by computed keys: the keys, and that sort's own scratch.
template <class U, class W>
struct computed_keys_scratch {
  U* keys;
  std::byte* sort;
  W* order;  // of indirect items, or the repacked items

  computed_keys_scratch(scratch_carver& carver, std::uint64_t n, sort_mode target, bool with_order = false)
      : keys(carver.take<U>(n)),
        sort(carver.take<std::byte>(radix_scratch_bytes<U, W>(n, target))),
        order(with_order ? carver.take<W>(n) : nullptr) {}

  static std::size_t bytes(std::uint64_t n, sort_mode target, bool with_order = false) {
    scratch_carver measure;
    if (n != 0) computed_keys_scratch(measure, n, target, with_order);
    return measure.bytes();
  }
};

}  // namespace ballot::detail
