// SPDX-License-Identifier: Apache-2.0
// The operands of a radix sort: where keys and values come from, where they end, and what follows
// from that.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/radix_sort/plan.hpp>

#include <type_traits>

namespace ballot::detail {

// The mode decides how many buffers the passes need beside the caller's, and how many steps.
//
//     out_of_place           keys, and values if any, into other ranges
//     in_place               the keys end where they were
//     values_only            the sorted keys are not wanted (argsort)
//     values_only_in_place   the same, and the values end where they were
//     double_buffer          between two buffers of the caller's
enum class sort_mode { out_of_place, in_place, values_only, values_only_in_place, double_buffer };

template <class U, class V>
struct sort_operands {
  input<U> keys;
  U* keys_out;      // null: only the values are wanted
  const V* values;  // null: the positions of the keys
  V* values_out;
  // double_buffer: the buffers beside the output. Either they or the output may be the input, both
  // of keys and of values.
  U* keys_spare = nullptr;
  V* values_spare = nullptr;

  sort_mode mode() const {
    if (keys_spare != nullptr) return sort_mode::double_buffer;
    if (keys_out == nullptr)
      return values != nullptr && values == values_out ? sort_mode::values_only_in_place : sort_mode::values_only;
    return keys_out == keys.data ? sort_mode::in_place : sort_mode::out_of_place;
  }
  // The launches and steps for a number of passes. In place, the number of steps must be even, or
  // the last one would write to the spare buffer. If every pass has work and their number is odd,
  // one more launch copies. If the output of the values is not their input, the values must be
  // copied even if the keys are in order.
  radix_step_rule rule(int passes) const {
    switch (mode()) {
      case sort_mode::in_place:
        return {passes + passes % 2, !std::is_same_v<V, no_value> && values != values_out ? 2 : 0, 0};
      case sort_mode::values_only_in_place:
        return {passes + passes % 2, 0, 0};
      case sort_mode::double_buffer: {
        const int parity = keys_out == keys.data ? 0 : 1;
        return {passes + (passes % 2 == parity ? 0 : 1), 0, parity};
      }
      default:
        return {passes, 1, radix_step_rule::any_parity};
    }
  }
};

}  // namespace ballot::detail
