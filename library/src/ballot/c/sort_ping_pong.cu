// SPDX-License-Identifier: Apache-2.0
// Entry points of sorts between two buffers.
#include <ballot/c/calls.hpp>
#include <ballot/c/columns.hpp>
#include <ballot/c/key_order.hpp>
#include <ballot/c/sort_call.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/arguments.hpp>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/device/memory.cuh>

#include <algorithm>

namespace ballot_c {
namespace {

using ballot::detail::require_arguments;

// A pair of buffers of one type and length.
type_info require_buffers(const char* function, const char* a_name, const ballot_array& a, const char* b_name,
                          const ballot_array& b, accepts what, bool may_be_counted) {
  const type_info type = require_array(function, a_name, a, what, may_be_counted);
  require_array(function, b_name, b, what);
  require_same_type(function, a_name, a.type, b_name, b.type);
  ballot::detail::require_same_length(function, a_name, a.length, b_name, b.length);
  return type;
}
void require_words_of_buffers(const char* function, const char* name, const type_info& value) {
  if (value.is_positions || (value.bytes != 4 && value.bytes != 8))
    fail(function, joined({"`", name, "` has type ", value.name, ": values between two buffers have 4 or 8 bytes"}));
}

// values_a, values_b: nothing of keys alone.
void ping_pong(const ballot_exec& where, const char* function, const ballot_array& a, const ballot_array& values_a,
               const ballot_array& b, const ballot_array& values_b, std::int32_t* at,
               const ballot_sort_options* options) {
  const bool has_values = values_a.type != BALLOT_NONE || values_b.type != BALLOT_NONE;
  const type_info key = require_buffers(function, "a", a, "b", b, accepts::numbers, true);
  unsigned value_bytes = 0;
  if (has_values) {
    const type_info value =
        require_buffers(function, "values_a", values_a, "values_b", values_b, accepts::anything_to_move, false);
    require_words_of_buffers(function, "values_a", value);
    if (!are_words(values_a.data, values_b.data, value.bytes))
      fail(function, joined({"`values_a` or `values_b` is at an address that is no multiple of ",
                             std::to_string(value.bytes), ", the size of its items"}));
    ballot::detail::require_same_length(function, "a", a.length, "values_a", values_a.length);
    value_bytes = value.bytes;
  }
  if (at == nullptr) fail(function, "`at` is null");
  const key_order order(function, key, options);
  const ballot::exec gpu = exec_of(function, where);
  require_arguments(
      function, gpu,
      {memory_of("a", a), memory_of("values_a", values_a), memory_of("b", b), memory_of("values_b", values_b)},
      {argument_of("a.length", length_of(a))});
  const bool in_b = ballot::detail::radix_digit_plan{order.bits.low, order.bits.high}.passes() % 2 == 1;
  if (a.length == 0 || order.is_empty()) {
    *at = in_b;
    return;
  }
  order.with_key([&]<class U>() {
    const auto sort = [&]<class W>() {
      const ballot::detail::scratch_lease lease(gpu, sort_words_bytes<U, W>(a.length, sort_use::double_buffer),
                                                function);
      U *const first = static_cast<U*>(a.data), *const second = static_cast<U*>(b.data);
      W *const first_values = static_cast<W*>(values_a.data), *const second_values = static_cast<W*>(values_b.data);
      sort_words<U, W>(gpu.stream(), lease.base(),
                       {input_of<U>(a), in_b ? second : first, first_values, in_b ? second_values : first_values,
                        in_b ? first : second, in_b ? first_values : second_values, order.codec<U>(), order.bits});
    };
    if (value_bytes == 0) sort.template operator()<no_value>();
    else with_index(value_bytes == 8, sort);
  });
  *at = in_b;
}

}  // namespace
}  // namespace ballot_c

using namespace ballot_c;

extern "C" {

ballot_status ballot_sort_ping_pong(ballot_exec where, ballot_array a, ballot_array b, int32_t* at,
                                    const ballot_sort_options* options) {
  return guarded([&] { ping_pong(where, "sort_ping_pong", a, ballot_nothing(), b, ballot_nothing(), at, options); });
}
ballot_status ballot_sort_pairs_ping_pong(ballot_exec where, ballot_array a, ballot_array values_a, ballot_array b,
                                          ballot_array values_b, int32_t* at, const ballot_sort_options* options) {
  constexpr const char* function = "sort_pairs_ping_pong";
  return guarded([&] {
    require_array(function, "values_a", values_a, accepts::anything_to_move);
    ping_pong(where, function, a, values_a, b, values_b, at, options);
  });
}

ballot_status ballot_sort_ping_pong_scratch_bytes(ballot_type keys, ballot_type values, uint64_t n, size_t* bytes) {
  constexpr const char* function = "sort_ping_pong_scratch_bytes";
  return store_bytes(function, bytes, [&] {
    const type_info key = require_type(function, "keys", keys, accepts::numbers);
    unsigned value_bytes = 0;
    if (values != BALLOT_NONE) {
      const type_info value = require_type(function, "values", values, accepts::anything_to_move);
      require_words_of_buffers(function, "values", value);
      value_bytes = value.bytes;
    }
    std::size_t needed = 0;
    with_each_key(key, [&]<class U>() {
      const auto add = [&]<class W>() {
        needed = std::max(needed, sort_words_bytes<U, W>(n, sort_use::double_buffer));
      };
      if (value_bytes == 0) add.template operator()<no_value>();
      else with_index(value_bytes == 8, add);
    });
    return ballot::detail::bytes_at_any_address(needed);
  });
}

}  // extern "C"
