// The checks of arguments, common to all steps of the vector sum.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>

#include <span>

namespace ballot::survey {

// invalid_argument for a null input that is not empty, and for a result that is null or inside the input.
template <class T>
void require_sum_arguments(std::span<const T> in, device_result<T> result, const char* function) {
  detail::require_readable(detail::as_input(in), function);
  detail::require(result.address() != nullptr, function, "the result has no address");
  detail::require_apart(in.data(), in.size(), result.address(), 1, function);
}

}  // namespace ballot::survey
