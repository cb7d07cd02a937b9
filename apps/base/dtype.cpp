// SPDX-License-Identifier: Apache-2.0
#include "base/dtype.hpp"
#include <ballot/core/namespace.hpp>

#include <array>

namespace ballot::app {
namespace {

struct dtype_row {
  std::string_view name;
  std::string_view npy_descr;
};

// In the order of the enumeration.
constexpr std::array<dtype_row, 10> rows{{{"u8", "|u1"},
                                          {"u16", "<u2"},
                                          {"u32", "<u4"},
                                          {"u64", "<u8"},
                                          {"i8", "|i1"},
                                          {"i16", "<i2"},
                                          {"i32", "<i4"},
                                          {"i64", "<i8"},
                                          {"f32", "<f4"},
                                          {"f64", "<f8"}}};

}  // namespace

std::string_view name_of(dtype type) { return rows[static_cast<std::size_t>(type)].name; }

std::string_view npy_descr_of(dtype type) { return rows[static_cast<std::size_t>(type)].npy_descr; }

std::optional<dtype> dtype_named(std::string_view name) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].name == name) return static_cast<dtype>(i);
  return std::nullopt;
}

std::optional<dtype> dtype_of_npy_descr(std::string_view descr) {
  if (descr.size() < 2) return std::nullopt;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool one_byte = rows[i].npy_descr[0] == '|';  // where the order of bytes means nothing, any mark will do
    const bool order_fits = descr[0] == '<' || descr[0] == '=' || (one_byte && (descr[0] == '|' || descr[0] == '>'));
    if (order_fits && rows[i].npy_descr.substr(1) == descr.substr(1)) return static_cast<dtype>(i);
  }
  return std::nullopt;
}

}  // namespace ballot::app
