// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of one process wait for each other on the host: each counts its meetings,
// and goes on when the others have counted as many.
//
// Ranks find each other's counters by numbers, in a table of the process. All ranks that wait for a
// counter own it together. So a rank may end while another one still looks at how far it came.
#pragma once

#include <ballot/core/namespace.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace ballot::distributed::detail {

class rank_meetings {
 public:
  rank_meetings() : table_(table_of_process()), own_(std::make_shared<counter>(0)) {
    const std::lock_guard lock(table_->guard);
    number_ = ++table_->last;
    table_->counters.emplace(number_, own_);
  }
  ~rank_meetings() {
    const std::lock_guard lock(table_->guard);
    table_->counters.erase(number_);
  }
  rank_meetings(const rank_meetings&) = delete;
  rank_meetings& operator=(const rank_meetings&) = delete;

  // By which other ranks of this process know it.
  std::uint64_t number() const { return number_; }
  // Meets these from now on. They have all counted as many meetings as this one.
  void meet_with(const std::vector<std::uint64_t>& numbers) {
    others_.clear();
    const std::lock_guard lock(table_->guard);
    for (const std::uint64_t number : numbers)
      if (const auto found = table_->counters.find(number); found != table_->counters.end())
        others_.push_back(found->second);
  }
  // pause() is called while others have not come. It may give up by an exception.
  template <class Pause>
  void meet(Pause&& pause) {
    const std::uint64_t own = own_->fetch_add(1, std::memory_order_release) + 1;  // pairs with the load, of others
    for (const std::shared_ptr<counter>& other : others_)
      while (other->load(std::memory_order_acquire) < own) pause();
  }

 private:
  using counter = std::atomic<std::uint64_t>;
  struct table {
    std::mutex guard;
    std::uint64_t last = 0;
    std::map<std::uint64_t, std::shared_ptr<counter>> counters;  // of the ranks that have not ended
  };
  // Each rank owns the table, too: ranks of static duration may end after it otherwise.
  static std::shared_ptr<table> table_of_process() {
    static const auto made = std::make_shared<table>();
    return made;
  }

  std::shared_ptr<table> table_;
  std::shared_ptr<counter> own_;
  std::uint64_t number_ = 0;
  std::vector<std::shared_ptr<counter>> others_;
};

}  // namespace ballot::distributed::detail
