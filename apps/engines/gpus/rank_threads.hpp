// SPDX-License-Identifier: Apache-2.0
// A thread for each rank, and the end of all if one of them fails. The others may wait for it: on
// the host, and on their devices. They do not see by themselves that it will not come.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/distributed/communicator.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ballot::app {

// How ranks that wait for each other end. Neither function throws. Both are empty where no rank
// waits for another.
struct rank_ending {
  // By the thread of the first rank that fails, at once: ends the others' waits on the host.
  std::function<void()> tell;
  // Ends what waits on the devices. It is called when all threads have left their calls, or when
  // `grace` has passed since the failure. A thread that has not left by then is in a call that
  // waits for its device, for example where CUDA loads a kernel. Only the abort ends such a wait.
  std::function<void()> abort;
  std::chrono::milliseconds grace{10'000};
};

class rank_threads {
 public:
  // Runs work(rank) for all ranks, and returns when all have ended. If some fail, throws what the
  // first of them threw: rather the cause than what follows from it on the other ranks.
  static void run(int ranks, const std::function<void(int rank)>& work, const rank_ending& ending = {}) {
    rank_threads all(ranks, ending);
    all.start(work);
    all.end();
    if (all.failures_.empty()) return;
    std::rethrow_exception(*std::min_element(
        all.failures_.begin(), all.failures_.end(),
        [](const std::exception_ptr& a, const std::exception_ptr& b) { return distance(a) < distance(b); }));
  }

 private:
  rank_threads(int ranks, const rank_ending& ending) : ending_(ending), running_(ranks) {
    failures_.reserve(static_cast<std::size_t>(ranks) + 1);  // a thread that fails can always say so
  }

  void start(const std::function<void(int rank)>& work) {
    for (int rank = 0, ranks = running_; rank < ranks; ++rank) {
      try {
        threads_.emplace_back([this, &work, rank] {
          try {
            work(rank);
          } catch (...) {
            return leave(1, std::current_exception());
          }
          leave(1, nullptr);
        });
      } catch (...) {  // the system gives no more threads
        return leave(ranks - rank, std::current_exception());
      }
    }
  }
  void end() {
    std::unique_lock lock(mutex_);
    left_.wait(lock, [&] { return running_ == 0 || !failures_.empty(); });
    if (ending_.abort && !failures_.empty()) {
      left_.wait_for(lock, ending_.grace, [&] { return running_ == 0; });
      lock.unlock();
      ending_.abort();
    } else {
      lock.unlock();
    }
    for (std::thread& t : threads_) t.join();
  }
  void leave(int ranks, const std::exception_ptr& failure) {
    {
      const std::lock_guard lock(mutex_);
      if (failure) {
        failures_.push_back(failure);
        if (failures_.size() == 1 && ending_.tell) ending_.tell();
      }
      running_ -= ranks;
    }
    left_.notify_all();
  }
  // From the cause: the other ranks of one that refuses a call disagree, and those of one that has
  // left are not answered.
  static int distance(const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const distributed::communication_error&) {
      return 2;
    } catch (const distributed::disagreement&) {
      return 1;
    } catch (...) {
      return 0;
    }
  }

  const rank_ending& ending_;
  std::mutex mutex_;
  std::condition_variable left_;
  int running_;
  std::vector<std::exception_ptr> failures_;  // in the order of time
  std::vector<std::thread> threads_;
};

}  // namespace ballot::app
