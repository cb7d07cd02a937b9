// SPDX-License-Identifier: Apache-2.0
// One flag an item, in the forms that a caller passes: a byte each, or packed as the bits of words.
// They say which items are selected (compact, split) or where segments begin (segmented scans).
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <string>

namespace ballot {
namespace detail {

// A span that can also be made from ranges that std::span does not take, such as
// thrust::device_vector.
template <class Word>
struct flag_words : std::span<const Word> {
  using std::span<const Word>::span;
  flag_words() = default;
  flag_words(std::span<const Word> words) : std::span<const Word>(words) {}
  template <device_range R>
    requires(!std::convertible_to<R, std::span<const Word>> && std::same_as<item_t<R>, Word>)
  flag_words(const R& words) : std::span<const Word>(span_of(words)) {}
};

}  // namespace detail

/// The items whose byte is not zero (or, inverted, is zero). `flags`: a device range of
/// std::uint8_t.
struct byte_flags {
  detail::flag_words<std::uint8_t> flags;
  bool invert = false;
};

/// The items whose bit is set (or, inverted, is clear). Item i has bit i % 32 of word i / 32, which
/// is also where a vote of a warp puts it. Bits past the last item are ignored. `words`: a device
/// range of std::uint32_t.
struct bit_flags {
  detail::flag_words<std::uint32_t> words;
  bool invert = false;
};

namespace detail {

inline argument argument_of(const char* name, const byte_flags& flags) {
  return {name, flags.flags.data(), flags.flags.size_bytes()};
}
inline argument argument_of(const char* name, const bit_flags& flags) {
  return {name, flags.words.data(), flags.words.size_bytes()};
}

// A flag for each of the items.
inline void require_flags(const char* function, const char* name, const byte_flags& flags, std::uint64_t items) {
  if (flags.flags.size() < items)
    fail(function, joined({"`", name, "` has ", decimal(flags.flags.size()), " bytes, fewer flags than the ",
                           decimal(items), " items"}));
  require_not_null(function, {argument_of(name, flags)});
}
inline void require_flags(const char* function, const char* name, const bit_flags& flags, std::uint64_t items) {
  if (flags.words.size() < items / 32 + (items % 32 != 0))
    fail(function, joined({"`", name, "` has ", decimal(flags.words.size()), " words, fewer flag bits than the ",
                           decimal(items), " items"}));
  require_not_null(function, {argument_of(name, flags)});
}

}  // namespace detail
}  // namespace ballot
