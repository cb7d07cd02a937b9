// SPDX-License-Identifier: Apache-2.0
// Columns that are made of the texts of another one: dates as numbers, and the keys of an order of
// texts.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/date_format.hpp"
#include "base/text_order.hpp"
#include "tables/table.hpp"

#include <string>

namespace ballot::app {

// Numbers of type i64 (date_format.hpp). Fields that are empty or blank are missing. Throws failure
// where a field is no such date, with its place.
table_column column_of_dates(const table& of, const std::string& name, const date_format& format);

// The texts of the column become their keys in the order: bytes that compare as the texts do.
// Missing ones stay missing.
table_column column_of_keys(const table& of, const std::string& name, const text_order& order);

}  // namespace ballot::app
