// SPDX-License-Identifier: Apache-2.0
// Whether the extension of an output fits its format.
#pragma once

#include <ballot/core/namespace.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace ballot::app {

// Throws usage_error if the name ends in an extension that the command knows (.npy, .csv, ...) and
// that is not one of `fitting`. `what` names the content in the message: "text", "raw data".
void require_extension(const std::string& output, std::initializer_list<std::string_view> fitting,
                       std::string_view what);

// ".csv" of "a.csv" and of "a.csv.gz"; empty where there is none.
std::string_view extension_of(std::string_view path);

// Whether both names end in the same extension.
bool have_same_extension(std::string_view a, std::string_view b);

}  // namespace ballot::app
