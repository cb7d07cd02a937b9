// SPDX-License-Identifier: Apache-2.0
// libballot, loaded when it is first called: the package imports without it, and BALLOT_LIBRARY may
// name another one.
#pragma once

#include <ballot.h>

#include <cstddef>

// Every call of libballot that the package uses.
#define BALLOT_PYTHON_CALLS(CALL)      \
  CALL(arg_max)                        \
  CALL(arg_min)                        \
  CALL(arg_scratch_bytes)              \
  CALL(argsort)                        \
  CALL(argsort_scratch_bytes)          \
  CALL(batched_argsort)                \
  CALL(batched_scan)                   \
  CALL(batched_scan_scratch_bytes)     \
  CALL(batched_sort)                   \
  CALL(batched_sort_scratch_bytes)     \
  CALL(batched_top_k_indices)          \
  CALL(batched_top_k_scratch_bytes)    \
  CALL(compact)                        \
  CALL(compact_indices)                \
  CALL(compact_indices_scratch_bytes)  \
  CALL(compact_scratch_bytes)          \
  CALL(count_if)                       \
  CALL(exclusive_scan)                 \
  CALL(gather)                         \
  CALL(histogram)                      \
  CALL(inclusive_scan)                 \
  CALL(is_sorted)                      \
  CALL(is_sorted_scratch_bytes)        \
  CALL(last_error)                     \
  CALL(lower_bound)                    \
  CALL(merge)                          \
  CALL(merge_pairs)                    \
  CALL(merge_scratch_bytes)            \
  CALL(multisplit)                     \
  CALL(multisplit_scratch_bytes)       \
  CALL(reduce)                         \
  CALL(reduce_by_key)                  \
  CALL(reduce_by_key_scratch_bytes)    \
  CALL(reduce_scratch_bytes)           \
  CALL(run_length_encode)              \
  CALL(runs_scratch_bytes)             \
  CALL(scan_scratch_bytes)             \
  CALL(scatter)                        \
  CALL(segmented_argsort)              \
  CALL(segmented_exclusive_scan)       \
  CALL(segmented_inclusive_scan)       \
  CALL(segmented_reduce)               \
  CALL(segmented_reduce_scratch_bytes) \
  CALL(segmented_scan_scratch_bytes)   \
  CALL(segmented_sort)                 \
  CALL(segmented_sort_pairs)           \
  CALL(segmented_sort_scratch_bytes)   \
  CALL(sort)                           \
  CALL(sort_pairs)                     \
  CALL(sort_pairs_scratch_bytes)       \
  CALL(sort_scratch_bytes)             \
  CALL(split)                          \
  CALL(split_scratch_bytes)            \
  CALL(top_k_indices)                  \
  CALL(top_k_scratch_bytes)            \
  CALL(unique)                         \
  CALL(unique_by_key)                  \
  CALL(unique_by_key_scratch_bytes)    \
  CALL(upper_bound)

namespace ballot_python {

struct library {
#define BALLOT_PYTHON_CALL(name) decltype(&ballot_##name) name;
  BALLOT_PYTHON_CALLS(BALLOT_PYTHON_CALL)
#undef BALLOT_PYTHON_CALL
};

// Loads it if need be; raises BallotError if it is missing, or is of another version than ballot.h.
const library& libballot();
// Raises what the status means: ValueError for a wrong argument, otherwise BallotError.
void require_ok(ballot_status status);

template <class F, class... Arguments>
std::size_t scratch_bytes(F size, Arguments... arguments) {
  std::size_t bytes = 0;
  require_ok(size(arguments..., &bytes));
  return bytes;
}

}  // namespace ballot_python
