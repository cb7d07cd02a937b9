// SPDX-License-Identifier: Apache-2.0
#include "tables/field_ends.hpp"

#include "engines/cpu/clones.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#if defined(__SSE2__)
#  include <emmintrin.h>
#endif

namespace ballot::app {
namespace {

constexpr std::size_t block = 64;

// A bit for each of 64 bytes that is `wanted`.
#if defined(__SSE2__)
struct bytes_of_block {
  __m128i part[4];
};
[[gnu::always_inline]] inline bytes_of_block load(const char* from) {
  bytes_of_block loaded;
  for (int i = 0; i < 4; ++i) loaded.part[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from) + i);
  return loaded;
}
[[gnu::always_inline]] inline std::uint64_t equal_bits(const bytes_of_block& bytes, char wanted) {
  const __m128i all = _mm_set1_epi8(wanted);
  std::uint64_t bits = 0;
  for (int i = 0; i < 4; ++i) {
    const auto part = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes.part[i], all)));
    bits |= static_cast<std::uint64_t>(part) << (16 * i);
  }
  return bits;
}
#else
struct bytes_of_block {
  std::uint64_t part[8];
};
[[gnu::always_inline]] inline bytes_of_block load(const char* from) {
  bytes_of_block loaded;
  std::memcpy(loaded.part, from, block);
  return loaded;
}
[[gnu::always_inline]] inline std::uint64_t equal_bits(const bytes_of_block& bytes, char wanted) {
  constexpr std::uint64_t every = 0x0101010101010101, low = 0x7f * every;
  std::uint64_t bits = 0;
  for (int i = 0; i < 8; ++i) {
    std::uint64_t word = bytes.part[i];
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    word ^= every * static_cast<unsigned char>(wanted);
    const std::uint64_t zero = ~(((word & low) + low) | word | low);  // the top bit of each byte that is 0
    bits |= (((zero >> 7) * 0x0102040810204080) >> 56) << (8 * i);
  }
  return bits;
}
#endif

// Each bit is the exclusive-or of itself and all below it.
[[gnu::always_inline]] inline std::uint64_t parity_up_to(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

struct ends_of_block {
  std::uint64_t all, line_feeds;
};

// The state that a block leaves to the next one, as bits or as all bits.
struct scanner {
  char delimiter;
  std::uint64_t within = 0;           // all: the block begins within quotes
  std::uint64_t after_end = 1;        // it begins behind the end of a field, as the text does
  std::uint64_t after_closing = 0;    // behind a closing quote
  std::uint64_t needs_line_feed = 0;  // behind a closing quote and a carriage return
  std::uint64_t wrong = 0, quotes_seen = 0;

  // The ends among the `valid` bytes of a block.
  [[gnu::always_inline]] inline ends_of_block ends_in(const char* at, std::uint64_t valid) {
    const bytes_of_block bytes = load(at);
    const std::uint64_t line_feeds = equal_bits(bytes, '\n') & valid;
    const std::uint64_t separators = (equal_bits(bytes, delimiter) & valid) | line_feeds;
    const std::uint64_t quotes = equal_bits(bytes, '"') & valid;
    if ((quotes | within | after_closing | needs_line_feed) == 0) {
      after_end = separators >> 63;
      return {separators, line_feeds};
    }
    quotes_seen |= quotes;
    const std::uint64_t inside = parity_up_to(quotes) ^ within;  // with the opening quote, without the closing one
    const std::uint64_t opening = quotes & inside, closing = quotes & ~inside, ends = separators & ~inside;
    // A quote opens where a field begins, or right behind a closing one: the two are a doubled
    // quote.
    wrong |= opening & ~((ends << 1) | after_end | (closing << 1) | after_closing);
    // Behind a closing quote the field ends, with or without a carriage return, or there is the
    // other half of a double.
    const std::uint64_t behind = ((closing << 1) | after_closing) & valid;
    const std::uint64_t returns = behind & equal_bits(bytes, '\r');
    wrong |= behind & ~(ends | opening | returns);
    wrong |= ((returns << 1) | needs_line_feed) & ~line_feeds;
    within = 0 - (inside >> 63);
    after_end = ends >> 63;
    after_closing = closing >> 63;
    needs_line_feed = returns >> 63;
    return {ends, ends & line_feeds};
  }
};

}  // namespace

BALLOT_APP_CLONES counted_bytes count_line_feeds_and_quotes(std::string_view text) {
  counted_bytes found;
  const std::size_t whole = text.size() / block * block;
  for (std::size_t at = 0; at < whole; at += block) {
    const bytes_of_block bytes = load(text.data() + at);
    found.line_feeds += static_cast<std::size_t>(std::popcount(equal_bits(bytes, '\n')));
    found.quotes += static_cast<std::size_t>(std::popcount(equal_bits(bytes, '"')));
  }
  for (const char c : text.substr(whole)) {
    found.line_feeds += c == '\n';
    found.quotes += c == '"';
  }
  return found;
}

BALLOT_APP_CLONES bool find_field_ends(std::string_view text, char delimiter, field_ends& found) {
  std::size_t count = 0, line_feeds = 0;
  if (text.empty() || text.back() != '\n' || text.size() > std::numeric_limits<std::uint32_t>::max()) return false;
  scanner state{delimiter};
  for (std::size_t at = 0; at < text.size(); at += block) {
    const std::size_t size = std::min(block, text.size() - at);
    char rest[block] = {};
    const char* from = text.data() + at;
    if (size < block) {
      std::memcpy(rest, from, size);
      from = rest;
    }
    const ends_of_block ends = state.ends_in(from, size == block ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1);
    if (found.places.size() < count + block) found.places.resize(2 * found.places.size() + block);
    std::uint32_t* to = found.places.data() + count;
    const int here = std::popcount(ends.all);
    // Four at a time, more than there are if need be: that is foreseen better than a branch for
    // each.
    std::uint64_t bits = ends.all;
    for (int i = 0; i < here; i += 4)
      for (int k = 0; k < 4; ++k) {
        *to++ = static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(std::countr_zero(bits));
        bits &= bits - 1;
      }
    count += static_cast<std::size_t>(here);
    line_feeds += static_cast<std::size_t>(std::popcount(ends.line_feeds));
  }
  found.count = count;
  found.line_feeds = line_feeds;
  found.has_quotes = state.quotes_seen != 0;
  return state.wrong == 0 && count != 0 && found.places[count - 1] == text.size() - 1;
}

}  // namespace ballot::app
