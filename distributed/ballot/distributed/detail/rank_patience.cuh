// SPDX-License-Identifier: Apache-2.0
// How long a rank waits on the host for the others, and how another thread ends its waits.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/distributed/communicator.hpp>
#include <ballot/simt/cuda/launch.cuh>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

namespace ballot::distributed::detail {

class rank_patience {
 public:
  using clock = std::chrono::steady_clock;

  // `limit`: of a wait; zero is for ever.
  explicit rank_patience(std::chrono::milliseconds limit) : limit_(limit) {}
  ~rank_patience() { release(); }
  rank_patience(const rank_patience&) = delete;
  rank_patience& operator=(const rank_patience&) = delete;

  // Once, on the rank's device, before any wait that another thread may end.
  void allocate(int rank) {
    rank_ = rank;
    simt::check(cudaMallocHost(&abandoned_, sizeof(std::uint32_t)), "cudaMallocHost");
    *abandoned_ = 0;
  }

  // Nobody waits any more, and `abandon` is called no more.
  void release() noexcept {
    if (abandoned_ != nullptr) (void)cudaFreeHost(abandoned_);
    abandoned_ = nullptr;
  }

  std::chrono::milliseconds limit() const { return limit_; }
  // From any thread.
  void abandon() noexcept { std::atomic_ref(*abandoned_).store(1, std::memory_order_release); }
  // Not 0 from then on; the device reaches it, too.
  const std::uint32_t* abandoned() const { return abandoned_; }

  void require_not_abandoned() const {
    if (abandoned_ != nullptr && std::atomic_ref(*abandoned_).load(std::memory_order_acquire) != 0)
      throw communication_error(ballot::detail::joined(
          {"ballot::distributed: rank ", std::to_string(rank_), " was told to wait no longer for the others"}));
  }
  // Between two looks at what other ranks have to do. Throws if there should be no further look.
  void pause_since(clock::time_point begin) const { pause_since(begin, limit_); }
  void pause_since(clock::time_point begin, std::chrono::milliseconds limit) const {
    require_not_abandoned();
    if (limit != limit.zero() && clock::now() - begin > limit)
      throw communication_error(ballot::detail::joined(
          {"ballot::distributed: the other ranks have not answered rank ", std::to_string(rank_), " within ",
           std::to_string(limit.count()), " ms: abort the communicator (ncclCommAbort)"}));
    std::this_thread::yield();
  }

 private:
  std::chrono::milliseconds limit_;
  int rank_ = 0;
  std::uint32_t* abandoned_ = nullptr;  // locked memory of the host
};

}  // namespace ballot::distributed::detail
