// SPDX-License-Identifier: Apache-2.0
// The checks of arguments, common to all steps of the vector sum.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>

#include <span>

namespace ballot::survey {

// invalid_argument for a null input that is not empty, and for a result that is null or inside the
// input.
template <class T>
void require_sum_arguments(std::span<const T> in, device_result<T> result, const char* function) {
  const detail::argument from = detail::argument_of("in", detail::as_input(in));
  detail::require_not_null(function, {from});
  detail::require(result.address() != nullptr, function, "`result` has no address");
  detail::require_apart(function, {detail::argument_of("result", result)}, {from});
}

}  // namespace ballot::survey
