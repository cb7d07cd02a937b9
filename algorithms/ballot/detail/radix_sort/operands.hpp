// What a radix sort is asked for: where keys and values come from, where they are to end, and what follows from that.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/radix_sort/plan.hpp>

#include <type_traits>

namespace ballot::detail {

// What becomes of the keys: it decides how many buffers the passes need besides the caller's, and how many steps.
enum class radix_target { other_range, in_place, order_only, order_in_place, two_buffers };

// Where keys and values come from and where they are to end. keys_out null: only the values are wanted.
template <class U, class V>
struct radix_job {
  input<U> keys;
  U* keys_out;
  const V* values;  // null: the positions of the keys
  V* values_out;
  // two_buffers: the buffers besides the output. They may be the input, or the output may be, of keys and values alike.
  U* keys_spare = nullptr;
  V* values_spare = nullptr;

  radix_target target() const {
    if (keys_spare != nullptr) return radix_target::two_buffers;
    if (keys_out == nullptr)
      return values != nullptr && values == values_out ? radix_target::order_in_place : radix_target::order_only;
    return keys_out == keys.data ? radix_target::in_place : radix_target::other_range;
  }
  // How many launches and steps that takes. In place the steps must be even in number, or they would end in the spare
  // buffer; where every pass has something to do and they are odd, one launch more copies. Values that end elsewhere
  // have to be brought there even where the keys are in order.
  radix_step_rule rule(int passes) const {
    switch (target()) {
      case radix_target::in_place:
        return {passes + passes % 2, !std::is_same_v<V, no_value> && values != values_out ? 2 : 0, 0};
      case radix_target::order_in_place:
        return {passes + passes % 2, 0, 0};
      case radix_target::two_buffers: {
        const int parity = keys_out == keys.data ? 0 : 1;
        return {passes + (passes % 2 == parity ? 0 : 1), 0, parity};
      }
      default:
        return {passes, 1, radix_step_rule::any_parity};
    }
  }
};

}  // namespace ballot::detail
