// SPDX-License-Identifier: Apache-2.0
// Checks of a call's arguments, made on the host before any work. A message names the function,
// both arguments and the numbers:
//
//     ballot::compact: output `out` [0x7f0000001000, 4096 bytes] overlaps
//         input `flags` [0x7f0000001800, 1024 bytes]
//
// The lists of arguments are not templates. So the checks are compiled once, not once per type.
#pragma once

#include <ballot/core/error.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace ballot::detail {

// A function of its own, because `require` is inlined wherever something is checked.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail(const char* function, std::string_view what) {
  throw invalid_argument(joined({"ballot::", function, ": ", what}));
}
inline void require(bool ok, const char* function, const char* what) {
  if (!ok) fail(function, what);
}

inline std::string decimal(std::uint64_t number) { return digits_of(number); }
inline std::string hexadecimal(std::uintptr_t number) { return digits_of(number, 16); }

// An argument's memory: its name in the function's signature and where it lies. For zips also the
// column, counted from 0.
struct argument {
  const char* name;
  const void* begin = nullptr;
  std::uint64_t bytes = 0;
  int column = -1;

  [[gnu::cold, gnu::noinline]] std::string text() const {
    std::string all = joined({"`", name, "`"});
    if (column >= 0) all += joined({" column ", decimal(static_cast<std::uint64_t>(column))});
    return joined({all, " [0x", hexadecimal(reinterpret_cast<std::uintptr_t>(begin)), ", ", decimal(bytes), " bytes]"});
  }
  bool overlaps(const argument& other) const {
    const auto a = reinterpret_cast<std::uintptr_t>(begin), b = reinterpret_cast<std::uintptr_t>(other.begin);
    return bytes != 0 && other.bytes != 0 && a < b + other.bytes && b < a + bytes;
  }
};

template <class T>
argument argument_of(const char* name, const input<T>& in, int column = -1) {
  return {name, in.data, in.capacity() * sizeof(T), column};
}
template <class T>
argument argument_of(const char* name, const output<T>& out, int column = -1) {
  return {name, out.data, out.size * sizeof(T), column};
}
template <class T>
argument argument_of(const char* name, const device_result<T>& result) {
  return {name, result.address(), result.address() == nullptr ? 0 : sizeof(T)};
}
inline argument argument_of(const char* name, const device_count& count, std::uint64_t counts = 1) {
  return {name, count.address(), count.address() == nullptr ? 0 : count.type().bytes() * counts};
}
// The length of a counted range.
inline argument argument_of(const char* name, const length& n) {
  return {name, n.count, n.count == nullptr ? 0 : n.type.bytes()};
}

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_for_overlap(const char* function, const argument& output,
                                                                    const char* kind, const argument& other) {
  fail(function, joined({"output ", output.text(), " overlaps ", kind, " ", other.text()}));
}

// No argument is null, unless it is empty.
[[gnu::noinline]] inline void require_not_null(const char* function, std::span<const argument> arguments) {
  for (const argument& a : arguments)
    if (a.begin == nullptr && a.bytes != 0)
      fail(function, joined({"`", a.name, "` is null and has ", decimal(a.bytes), " bytes"}));
}
inline void require_not_null(const char* function, std::initializer_list<argument> arguments) {
  require_not_null(function, std::span(arguments.begin(), arguments.size()));
}

// Checks that written arguments overlap nothing else: no other argument that is written, and none
// that is read.
[[gnu::noinline]] inline void require_apart(const char* function, std::span<const argument> written,
                                            std::span<const argument> read) {
  const auto check = [&](const argument& output, const argument& other, const char* kind) {
    if (output.overlaps(other)) fail_for_overlap(function, output, kind, other);
  };
  for (std::size_t i = 0; i < written.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) check(written[i], written[j], "output");
    for (const argument& input : read) check(written[i], input, "input");
  }
}
inline void require_apart(const char* function, std::initializer_list<argument> written,
                          std::initializer_list<argument> read) {
  require_apart(function, std::span(written.begin(), written.size()), std::span(read.begin(), read.size()));
}

// All ranges have the same number of items.
inline void require_same_length(const char* function, const char* name, std::uint64_t items, const char* other_name,
                                std::uint64_t other_items) {
  if (items != other_items)
    fail(function,
         joined({"`", name, "` has ", decimal(items), " items, `", other_name, "` has ", decimal(other_items)}));
}

// The count is not null, and its type can hold every number up to n.
[[gnu::noinline]] inline void require_count(const char* function, const char* name, const device_count& count,
                                            std::uint64_t n) {
  if (count.address() == nullptr) fail(function, joined({"`", name, "` has no address"}));
  if (n > count.type().largest())
    fail(function,
         joined({"`", name, "` is an integer of ", decimal(8 * count.type().bytes()),
                 count.type().is_signed ? " bits with a sign" : " bits", ", too small for ", decimal(n), " items"}));
}

}  // namespace ballot::detail
