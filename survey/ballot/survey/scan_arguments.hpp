// SPDX-License-Identifier: Apache-2.0
// The checks of a scan's arguments, common to the scans of the survey.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>

#include <span>
#include <type_traits>

namespace ballot::survey {

enum class may_be_in_place : bool { no, yes };

// invalid_argument for null with n > 0, lengths that differ, overlap. in, out: the names in the
// function's signature.
template <class In, class T>
void require_scan_arguments(const char* function, const detail::input<In>& in, const detail::output<T>& out,
                            may_be_in_place in_place, const char* in_name = "in", const char* out_name = "out") {
  const detail::argument from = detail::argument_of(in_name, in), to = detail::argument_of(out_name, out);
  detail::require_not_null(function, {from, to});
  detail::require_same_length(function, out_name, out.size, in_name, in.capacity());
  if (in_place == may_be_in_place::no || from.begin != to.begin) detail::require_apart(function, {to}, {from});
}

}  // namespace ballot::survey
