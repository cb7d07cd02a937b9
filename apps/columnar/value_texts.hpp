// SPDX-License-Identifier: Apache-2.0
// Dates, times and decimals as texts.
#pragma once

#include <ballot/core/namespace.hpp>

#include "columnar/arrow_type.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ballot::app {

// The longest that a value of a type can be, also a number.
std::size_t longest_value_text(const arrow_type& type);

// 2024-12-31, 23:59:59.000, 2024-12-31T23:59:59.000000; with Z at the end where the type has a
// zone: an instant is stored as one of UTC, whatever the zone. As many digits as the unit has. So
// texts of one column are in the order of their values (in the years 0 to 9999). A duration is its
// number of units.
void append_time_text(std::string& to, const arrow_type& type, std::int64_t value);

// Decimals of 32 to 256 bits, little-endian: -12.50.
void append_decimal_text(std::string& to, const arrow_type& type, const std::byte* value);
// The nearest f64, where no other decimal of so many digits has the same (15 digits), else nothing.
std::optional<double> number_of_decimal(const arrow_type& type, const std::byte* value);

}  // namespace ballot::app
