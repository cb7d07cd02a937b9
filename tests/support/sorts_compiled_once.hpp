// SPDX-License-Identifier: Apache-2.0
// The sorts that most tests instantiate. Where all files of a unit are one translation unit (BALLOT_TEST_UNITS), these sorts are
// compiled once for all units, in sorts_compiled_once.cpp, and not in each.
#pragma once

#include <ballot/detail/radix_sort/launch.cuh>

#include <cstdint>

#define BALLOT_TEST_SORTS_OF(SORT, KEY) SORT(KEY, no_value) SORT(KEY, std::uint32_t) SORT(KEY, std::uint64_t)
#define BALLOT_TEST_SORTS(SORT)             \
  BALLOT_TEST_SORTS_OF(SORT, std::uint8_t)  \
  BALLOT_TEST_SORTS_OF(SORT, std::uint16_t) \
  BALLOT_TEST_SORTS_OF(SORT, std::uint32_t) \
  BALLOT_TEST_SORTS_OF(SORT, std::uint64_t)

#define BALLOT_TEST_SORT(KEY, VALUE)                                                                                 \
  template void launch_radix_sort<KEY, VALUE, radix_tunings>(stream_t, std::byte*, const sort_operands<KEY, VALUE>&, \
                                                             key_codec<KEY>, radix_digit_plan, std::size_t,          \
                                                             std::uint64_t);
#define BALLOT_TEST_SORT_ELSEWHERE(KEY, VALUE) extern BALLOT_TEST_SORT(KEY, VALUE)

namespace ballot::detail {
BALLOT_TEST_SORTS(BALLOT_TEST_SORT_ELSEWHERE)
}
