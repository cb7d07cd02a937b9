// SPDX-License-Identifier: Apache-2.0
#include "engines/cpu/vector_sort.hpp"

#if BALLOT_APP_HIGHWAY
#  include <hwy/contrib/sort/vqsort.h>
#else
#  include <cstdlib>
#endif

namespace ballot::app::cpu {

#if BALLOT_APP_HIGHWAY

bool has_vector_sort() { return true; }

void vector_sort(std::span<std::uint64_t> items) {
  // One for each thread: it has memory of its own.
  thread_local const hwy::Sorter sorter;
  sorter(items.data(), items.size(), hwy::SortAscending());
}

#else

bool has_vector_sort() { return false; }
void vector_sort(std::span<std::uint64_t>) { std::abort(); }

#endif

}  // namespace ballot::app::cpu
