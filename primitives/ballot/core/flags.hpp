// One flag an item, as a caller hands it over: a byte each, or packed as the bits of words. They say which items are
// kept (compact, split) or where segments begin (segmented scans).
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>

#include <cstdint>
#include <span>

namespace ballot {

// The items whose byte is not zero (or, inverted, is zero).
struct byte_flags {
  std::span<const std::uint8_t> flags;
  bool invert = false;
};

// The items whose bit is set (or, inverted, is clear): item i has bit i % 32 of word i / 32, as a ballot writes it.
// Bits past the last item are ignored.
struct bit_flags {
  std::span<const std::uint32_t> words;
  bool invert = false;
};

namespace detail {

inline argument argument_of(const char* name, const byte_flags& flags) {
  return {name, flags.flags.data(), flags.flags.size_bytes()};
}
inline argument argument_of(const char* name, const bit_flags& flags) {
  return {name, flags.words.data(), flags.words.size_bytes()};
}

// There is a flag for each item, and it is not null.
inline void require_flags(const char* function, const char* name, const byte_flags& flags, std::uint64_t items) {
  if (flags.flags.size() < items)
    fail(function, joined({"`", name, "` has ", std::to_string(flags.flags.size()), " flags for ",
                           std::to_string(items), " items"}));
  require_not_null(function, {argument_of(name, flags)});
}
inline void require_flags(const char* function, const char* name, const bit_flags& flags, std::uint64_t items) {
  if (flags.words.size() < items / 32 + (items % 32 != 0))
    fail(function, joined({"`", name, "` has ", std::to_string(flags.words.size()), " words of 32 flags for ",
                           std::to_string(items), " items"}));
  require_not_null(function, {argument_of(name, flags)});
}

inline void require_flags(const byte_flags& flags, std::uint64_t items, const char* function) {
  require(flags.flags.size() >= items, function, "fewer flags than items");
  require(flags.flags.data() != nullptr || items == 0, function, "the flags are null but not empty");
}
inline void require_flags(const bit_flags& flags, std::uint64_t items, const char* function) {
  require(flags.words.size() >= items / 32 + (items % 32 != 0), function, "fewer flag bits than items");
  require(flags.words.data() != nullptr || items == 0, function, "the flags are null but not empty");
}

// Flags that lie in an output would be overwritten while they are read.
template <class T>
void require_apart_from_flags(const byte_flags& flags, const output<T>& out, const char* function) {
  require_apart(flags.flags.data(), flags.flags.size(), out.data, out.size, function);
}
template <class T>
void require_apart_from_flags(const bit_flags& flags, const output<T>& out, const char* function) {
  require_apart(flags.words.data(), flags.words.size(), out.data, out.size, function);
}

}  // namespace detail
}  // namespace ballot
