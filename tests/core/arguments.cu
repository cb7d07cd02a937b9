// SPDX-License-Identifier: Apache-2.0
// The places of arguments, and the message if two of them overlap (core/arguments.hpp); counts of
// four types (core/count.hpp).
#include <ballot/core/arguments.hpp>
#include <ballot/core/count.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace ballot::core_arguments {

using detail::argument;

argument at(const char* name, std::uintptr_t begin, std::uint64_t bytes) {
  return {name, reinterpret_cast<const void*>(begin), bytes};
}

TEST_CASE("arguments overlap where they share a byte") {
  const argument ten = at("ten", 1000, 10);
  CHECK(ten.overlaps(ten));
  CHECK(!ten.overlaps(at("before", 990, 10)));
  CHECK(!ten.overlaps(at("behind", 1010, 10)));
  CHECK(ten.overlaps(at("first byte", 990, 11)));
  CHECK(ten.overlaps(at("last byte", 1009, 10)));
  CHECK(ten.overlaps(at("within", 1004, 1)));
  CHECK(at("within", 1004, 1).overlaps(ten));
  CHECK(!ten.overlaps(at("empty", 1004, 0)));
  CHECK(!at("empty", 1004, 0).overlaps(ten));
}

template <class Call>
std::string said(Call&& call) {
  try {
    call();
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST_CASE("what is written overlaps neither what is read nor what else is written") {
  const argument in = at("in", 0x1000, 0x100), out = at("out", 0x1100, 0x100), count = at("count", 0x11f8, 8);
  CHECK(said([&] { detail::require_apart("f", {out}, {in, in}); }).empty());
  CHECK(said([&] {
          detail::require_apart("f", {out, count}, {in});
        }) == "ballot::f: output `count` [0x11f8, 8 bytes] overlaps output `out` [0x1100, 256 bytes]");
  CHECK(said([&] { detail::require_apart("f", {out}, {count}); }) ==
        "ballot::f: output `out` [0x1100, 256 bytes] overlaps input `count` [0x11f8, 8 bytes]");
  argument column = out;
  column.column = 3;
  CHECK(column.text() == "`out` column 3 [0x1100, 256 bytes]");
}

TEST_CASE("an argument that is null has no items") {
  CHECK(said([] { detail::require_not_null("f", {at("in", 0, 0)}); }).empty());
  CHECK(said([] {
          detail::require_not_null("f", {at("in", 8, 4), at("out", 0, 4)});
        }) == "ballot::f: `out` is null and has 4 bytes");
}

template <class T>
std::uint64_t length_of(T count, std::uint64_t capacity) {
  return detail::length_of_count(capacity, &count).get();
}

TEST_CASE_TEMPLATE("lengths of every type: clamped to the capacity, negative ones to 0", T, std::uint32_t, std::int32_t,
                   std::uint64_t, std::int64_t, long long, unsigned long long) {
  CHECK(length_of(T{0}, 10) == 0);
  CHECK(length_of(T{7}, 10) == 7);
  CHECK(length_of(T{10}, 10) == 10);
  CHECK(length_of(T{11}, 10) == 10);
  CHECK(length_of(static_cast<T>(-1), 10) == (std::is_signed_v<T> ? 0 : 10));
  // The 4 bytes behind a count of 4 bytes do not matter.
  const T pair[2] = {T{3}, static_cast<T>(-1)};
  CHECK(detail::length_of_count(10, pair).get() == 3);

  T counts[3] = {T{9}, T{9}, T{9}};
  device_count(counts).store(5, 1);
  CHECK(counts[0] == T{9});
  CHECK(counts[1] == T{5});
  CHECK(counts[2] == T{9});
  const std::uint64_t largest = detail::count_type::of<T>().largest();
  CHECK(said([&] { detail::require_count("f", "count", counts, largest); }).empty());
  if (largest + 1 != 0) {
    CHECK(said([&] { detail::require_count("f", "count", counts, largest + 1); }).find("too small for") !=
          std::string::npos);
  }
}

TEST_CASE("a length without a count is the capacity") { CHECK(detail::length{12}.get() == 12); }

}  // namespace ballot::core_arguments
