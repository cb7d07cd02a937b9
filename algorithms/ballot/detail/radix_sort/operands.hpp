// What a radix sort is asked for: where keys and values come from, where they are to end, and what follows from that.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/radix_sort/plan.hpp>

#include <type_traits>

namespace ballot::detail {

// What becomes of the keys: it decides how many buffers the passes need besides the caller's, and how many steps.
enum class sort_mode { out_of_place, in_place, values_only, values_only_in_place, double_buffer };

// Where keys and values come from and where they are to end. keys_out null: only the values are wanted.
template <class U, class V>
struct sort_operands {
  input<U> keys;
  U* keys_out;
  const V* values;  // null: the positions of the keys
  V* values_out;
  // double_buffer: the buffers besides the output. They may be the input, or the output may be, of keys and values alike.
  U* keys_spare = nullptr;
  V* values_spare = nullptr;

  sort_mode target() const {
    if (keys_spare != nullptr) return sort_mode::double_buffer;
    if (keys_out == nullptr)
      return values != nullptr && values == values_out ? sort_mode::values_only_in_place : sort_mode::values_only;
    return keys_out == keys.data ? sort_mode::in_place : sort_mode::out_of_place;
  }
  // How many launches and steps that takes. In place the steps must be even in number, or they would end in the spare
  // buffer; where every pass has something to do and they are odd, one launch more copies. Values that end elsewhere
  // have to be brought there even where the keys are in order.
  radix_step_rule rule(int passes) const {
    switch (target()) {
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
