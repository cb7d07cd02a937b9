// SPDX-License-Identifier: Apache-2.0
// Shared by reductions within segments and of runs: the types of values and results, and the
// request of a reduction of words (reduce_run_calls.cuh).
#pragma once

#include <ballot/c/calls.hpp>
#include <ballot/c/columns.hpp>
#include <ballot/c/operators.cuh>
#include <ballot/c/reduce_run_calls.cuh>
#include <ballot/c/sums.cuh>
#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <type_traits>

namespace ballot_c {

template <class T>
run_request<T> run_request_of(const char* function, const ballot_array& values, const type_info& from, const length& n,
                              ballot_operator op, const ballot_array& results, const type_info& to,
                              const ballot::device_count& count) {
  run_request<T> r{{values.data, form_for<T>(from, op)},
                   {results.data, results.length, form_for<T>(to, op)},
                   T{},
                   {},
                   n,
                   count,
                   function};
  r.op = operation_for<T>(op);
  if constexpr (std::is_integral_v<T>) {
    if (op == BALLOT_MINIMUM || op == BALLOT_MAXIMUM || op == BALLOT_BIT_AND) r.initial = static_cast<T>(~T{0});
  } else {
    r.initial = T(-0.0);  // which leaves every number as it is
  }
  return r;
}

inline std::size_t run_bytes(const type_info& results, u64 n) {
  // Of all operators: sums of floats and integers have one size.
  return results.bytes == 8 ? reduce_flagged_bytes<u64>(n) : reduce_flagged_bytes<u32>(n);
}

// Values and results of a reduction: which sums are possible of which values (sums.cuh).
struct reduced_types {
  type_info from, to;
  reduced_types(const char* function, const char* in_name, const ballot_array& in, const char* out_name,
                const ballot_array& out, ballot_operator op, bool may_be_counted)
      : from(require_array(function, in_name, in, accepts::short_numbers, may_be_counted)),
        to(require_array(function, out_name, out, accepts::short_numbers)) {
    require_choice(function, "op", op, 6);
    if (op == BALLOT_PLUS) {
      // Whether there are such sums.
      with_sum(function, in.type, from, out.type, to, [&]<class T, class In>() { static_cast<void>(function); });
    } else {
      require_same_type(function, in_name, in.type, out_name, out.type);
      if (op >= BALLOT_BIT_AND) require_bits(function, to);
    }
  }
};

}  // namespace ballot_c
