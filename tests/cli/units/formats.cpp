// SPDX-License-Identifier: Apache-2.0
// Numbers in text and headers of .npy files, without files.
#include "base/failure.hpp"
#include "base/parse_number.hpp"
#include "columns/npy_header.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace app = ballot::app;
using app::number_error;

namespace {

template <class T>
number_error error_of(std::string_view text) {
  T value{};
  return app::parse_number(text, value);
}

template <class T>
T value_of(std::string_view text) {
  T value{};
  REQUIRE(app::parse_number(text, value) == number_error::none);
  return value;
}

}  // namespace

TEST_CASE("integers") {
  CHECK(value_of<std::uint8_t>("255") == 255);
  CHECK(value_of<std::uint8_t>("+7") == 7);
  CHECK(value_of<std::uint8_t>("007") == 7);
  CHECK(value_of<std::uint8_t>("-0") == 0);
  CHECK(value_of<std::int64_t>("-9223372036854775808") == INT64_MIN);
  CHECK(value_of<std::uint64_t>("18446744073709551615") == UINT64_MAX);
  CHECK(error_of<std::uint8_t>("256") == number_error::out_of_range);
  CHECK(error_of<std::uint8_t>("-1") == number_error::out_of_range);
  CHECK(error_of<std::uint64_t>("-99999999999999999999999") == number_error::out_of_range);
  CHECK(error_of<std::int64_t>("9223372036854775808") == number_error::out_of_range);
  for (const char* text : {"", "-", "+", "+-1", "++1", "--1", "1.0", "1e3", "0x10", "1 2", "abc", "1a", " 1"}) {
    CAPTURE(text);
    CHECK(error_of<std::int32_t>(text) == number_error::not_a_number);
    CHECK(error_of<std::uint32_t>(text) == number_error::not_a_number);
  }
}

TEST_CASE("floats") {
  CHECK(value_of<double>("0.1") == 0.1);
  CHECK(value_of<double>("+1e3") == 1000.0);
  CHECK(value_of<float>("16777217") == 16777216.0f);
  CHECK(std::signbit(value_of<double>("-0")));
  CHECK(std::isnan(value_of<double>("nan")));
  CHECK(std::isnan(value_of<float>("NaN")));
  CHECK(std::signbit(value_of<double>("-nan")));
  CHECK(value_of<double>("-inf") == -HUGE_VAL);
  CHECK(value_of<double>("Infinity") == HUGE_VAL);
  CHECK(value_of<double>("1e-400") == 0.0);  // the nearest double; nothing overflows
  CHECK(value_of<float>("1e-45") == std::nextafter(0.0f, 1.0f));
  CHECK(error_of<double>("1e400") == number_error::out_of_range);
  CHECK(error_of<double>("-1e400") == number_error::out_of_range);
  CHECK(error_of<float>("3.5e38") == number_error::out_of_range);
  for (const char* text : {"", "-", ".", "e5", "1,5", "1.5.2", "1e", "0x1p3", "nope", "1 "}) {
    CAPTURE(text);
    CHECK(error_of<double>(text) == number_error::not_a_number);
  }
}

TEST_CASE("npy headers, in any order and with any blanks") {
  const auto header =
      app::parse_npy_dictionary("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }          \n");
  CHECK(header.descr == "<f8");
  CHECK_FALSE(header.structured);
  CHECK_FALSE(header.fortran_order);
  CHECK(header.shape == std::vector<std::uint64_t>{3});
  const auto other =
      app::parse_npy_dictionary(R"({"shape":(2,3),"fortran_order":True,"descr":[('a', '<f4'), ('b[', '<i4', (2,))]})");
  CHECK(other.structured);
  CHECK(other.fortran_order);
  CHECK(other.descr == "[('a', '<f4'), ('b[', '<i4', (2,))]");
  CHECK(other.shape == std::vector<std::uint64_t>{2, 3});
  CHECK(app::parse_npy_dictionary("{'descr': '<f8', 'fortran_order': False, 'shape': ()}").shape.empty());
}

TEST_CASE("broken npy headers are errors, at whatever byte they break off") {
  const std::string whole = "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    CHECK_THROWS_AS(app::parse_npy_dictionary(whole.substr(0, length)), app::failure);
  }
  CHECK_THROWS_AS(app::parse_npy_dictionary("{'descr': '<f8', 'fortran_order': False}"), app::failure);
  CHECK_THROWS_AS(app::parse_npy_dictionary("{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}"), app::failure);
  CHECK_THROWS_AS(app::parse_npy_dictionary("{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}"), app::failure);
  CHECK_THROWS_AS(
      app::parse_npy_dictionary("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}"),
      app::failure);
  CHECK_THROWS_AS(app::parse_npy_dictionary("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1}"),
                  app::failure);
}

TEST_CASE("what we write we read, and the data begins at a multiple of 64") {
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{123456789012345}}) {
    const std::string preamble = app::npy_preamble("<u8", {count});
    CHECK(preamble.size() % 64 == 0);
    CHECK(preamble.starts_with(std::string("\x93NUMPY\x01\x00", 8)));
    CHECK(preamble.back() == '\n');
    CHECK(static_cast<unsigned char>(preamble[8]) + 256u * static_cast<unsigned char>(preamble[9]) ==
          preamble.size() - 10);
    CHECK(app::parse_npy_dictionary(preamble.substr(10)).shape == std::vector<std::uint64_t>{count});
  }
}
