// SPDX-License-Identifier: Apache-2.0
// Shared by calls with several columns: their checks, and how items of words differ from others.
#pragma once

#include <ballot/c/calls.hpp>

#include <cstdint>

namespace ballot_c {

inline constexpr std::int32_t most_columns = 16;

inline bool has_word(unsigned bytes) { return bytes <= 16 && (bytes & (bytes - 1)) == 0; }
// Whether the items lie like words: those of other types than BALLOT_BYTES always do.
inline bool are_words(const void* a, const void* b, unsigned bytes) {
  const auto either = reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b);
  return has_word(bytes) && either % bytes == 0;
}
// Whether positions of n items take 64 bits.
inline bool has_wide_positions(u64 n) { return n > u64{1} << 32; }

// The bytes of n items; more than fits 64 bits is more than any memory has.
inline u64 bytes_for(u64 n, unsigned item_bytes) {
  return item_bytes != 0 && n > ~u64{0} / item_bytes ? ~u64{0} : n * item_bytes;
}

// So many items of a capacity as an earlier launch has counted.
inline length counted_by(u64 capacity, const ballot::device_count& count) {
  return {capacity, count.address(), count.type()};
}

// The types of columns, as size functions take them.
void require_column_types(const char* function, std::int32_t columns, const ballot_type* types);
// Inputs of one length.
void require_columns(const char* function, const char* name, std::int32_t columns, const ballot_array* in,
                     bool first_may_be_counted);
// Outputs of their types. least: if not 0, each has to have so many items.
void require_outputs(const char* function, const char* name, std::int32_t columns, const ballot_array* in,
                     const ballot_array* out, u64 least, const char* in_name = "in");

}  // namespace ballot_c
