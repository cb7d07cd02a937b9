// SPDX-License-Identifier: Apache-2.0
#include "engines/cpu/masks.hpp"

#include "engines/cpu/clones.hpp"

#include <bit>
#include <cstring>
#include <vector>

namespace ballot::app::cpu {
namespace {

using byte = std::uint8_t;

template <class T>
BALLOT_APP_CLONES void less_equal(const T* items, T constant, std::size_t count, byte* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = items[i] <= constant;
}
template <class T>
BALLOT_APP_CLONES void greater_equal(const T* items, T constant, std::size_t count, byte* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = items[i] >= constant;
}
template <class T>
BALLOT_APP_CLONES void equal(const T* items, T constant, std::size_t count, byte* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = items[i] == constant;
}
template <class T>
BALLOT_APP_CLONES void not_equal(const T* items, T constant, std::size_t count, byte* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = items[i] != constant;
}
template <class T>
BALLOT_APP_CLONES void not_itself(const T* items, std::size_t count, byte* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = items[i] != items[i];
}
BALLOT_APP_CLONES void conjoin(byte* to, const byte* other, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = to[i] & other[i];
}
BALLOT_APP_CLONES void disjoin(byte* to, const byte* other, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = to[i] | other[i];
}
BALLOT_APP_CLONES void negate(byte* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = to[i] ^ 1;
}
BALLOT_APP_CLONES void test_flags(const byte* flags, std::size_t count, byte zero, byte* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<byte>((flags[i] != 0) ^ zero);
}
BALLOT_APP_CLONES std::size_t sum(const byte* mask, std::size_t count) {
  std::size_t ones = 0;
  for (std::size_t i = 0; i < count; ++i) ones += mask[i];
  return ones;
}

template <class T>
void test_items(item_op test, const T* items, T constant, std::size_t count, byte* to) {
  switch (test) {
    case item_op::less_equal:
      return less_equal(items, constant, count, to);
    case item_op::greater_equal:
      return greater_equal(items, constant, count, to);
    case item_op::equal:
      return equal(items, constant, count, to);
    case item_op::not_equal:
      return not_equal(items, constant, count, to);
    case item_op::is_nan:
      return not_itself(items, count, to);
    default:
      std::memset(to, test == item_op::always, count);
  }
}

}  // namespace

template <class T>
void mask_items(const item_predicate<T>& predicate, const T* items, std::size_t count, std::uint8_t* mask) {
  thread_local std::vector<byte> stack(predicate_stack_bits * mask_block);
  std::size_t depth = 0;
  const auto level = [&](std::size_t from_top) { return stack.data() + (depth - from_top) * mask_block; };
  for (std::uint32_t i = 0; i < predicate.size; ++i) {
    switch (predicate.ops[i]) {
      case item_op::conjunction:
        conjoin(level(2), level(1), count);
        --depth;
        break;
      case item_op::disjunction:
        disjoin(level(2), level(1), count);
        --depth;
        break;
      case item_op::negation:
        negate(level(1), count);
        break;
      default:
        ++depth;
        test_items(predicate.ops[i], items, predicate.constants[i], count, level(1));
    }
  }
  std::memcpy(mask, level(1), count);
  if (predicate.invert) negate(mask, count);
}

#define BALLOT_MASK_ITEMS(T) \
  template void mask_items<T>(const item_predicate<T>&, const T*, std::size_t, std::uint8_t*);
BALLOT_MASK_ITEMS(std::uint8_t)
BALLOT_MASK_ITEMS(std::uint16_t)
BALLOT_MASK_ITEMS(std::uint32_t)
BALLOT_MASK_ITEMS(std::uint64_t)
BALLOT_MASK_ITEMS(std::int8_t)
BALLOT_MASK_ITEMS(std::int16_t)
BALLOT_MASK_ITEMS(std::int32_t)
BALLOT_MASK_ITEMS(std::int64_t)
BALLOT_MASK_ITEMS(float)
BALLOT_MASK_ITEMS(double)
#undef BALLOT_MASK_ITEMS

void mask_flags(const std::uint8_t* flags, std::size_t count, bool invert, std::uint8_t* mask) {
  test_flags(flags, count, invert, mask);
}

std::size_t count_mask(const std::uint8_t* mask, std::size_t count) { return sum(mask, count); }

}  // namespace ballot::app::cpu
