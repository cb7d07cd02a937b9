// SPDX-License-Identifier: Apache-2.0
// NCCL's calls: their results as errors, also of communicators that do not block, and groups of
// calls.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/distributed/communicator.hpp>
#include <ballot/distributed/detail/rank_patience.cuh>

#include <string>

#include <nccl.h>

namespace ballot::distributed {

// A call of NCCL's failed.
class nccl_error : public communication_error {
 public:
  /// `code`: NCCL's result; `call`: the function that returned it; `text`: NCCL's words for it.
  nccl_error(ncclResult_t code, const char* call, const char* text)
      : communication_error(
            ballot::detail::joined({call, ": ", text, " (NCCL error ", std::to_string(int(code)), ")"})),
        code_(code) {}
  /// NCCL's result.
  ncclResult_t code() const noexcept { return code_; }

 private:
  ncclResult_t code_;
};

namespace detail {

// Throws if the call has failed. A call of a communicator that does not block is waited for.
inline void check_nccl(ncclComm_t comm, const rank_patience& patience, ncclResult_t result, const char* call) {
  const auto begin = rank_patience::clock::now();
  while (result == ncclInProgress) {
    const ncclResult_t asked = ncclCommGetAsyncError(comm, &result);
    if (asked != ncclSuccess) result = asked;
    if (result == ncclInProgress) patience.pause_since(begin);
  }
  if (result != ncclSuccess) throw nccl_error(result, call, ncclGetErrorString(result));
}

// The messages of an exchange. They are begun together, and a failure among them does not leave
// NCCL's group open.
class nccl_group {
 public:
  nccl_group(ncclComm_t comm, const rank_patience& patience) : comm_(comm), patience_(patience) {
    check(ncclGroupStart(), "ncclGroupStart");
    is_open_ = true;
  }
  ~nccl_group() {
    if (is_open_) (void)ncclGroupEnd();
  }
  nccl_group(const nccl_group&) = delete;
  nccl_group& operator=(const nccl_group&) = delete;
  void end() {
    is_open_ = false;
    check(ncclGroupEnd(), "ncclGroupEnd");
  }

 private:
  void check(ncclResult_t result, const char* call) const { check_nccl(comm_, patience_, result, call); }

  ncclComm_t comm_;
  const rank_patience& patience_;
  bool is_open_ = false;
};

}  // namespace detail
}  // namespace ballot::distributed
