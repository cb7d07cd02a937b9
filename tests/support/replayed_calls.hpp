// SPDX-License-Identifier: Apache-2.0
// Calls in one captured graph that is replayed with other inputs and another length, which only the
// device knows. Each call has dirty scratch of its own, exactly as much as it asks for.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/core/range.hpp>

#include "support/step.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace ballot::test {

// Items that are other ones in each run.
template <class T>
struct changing {
  guarded<T> device;
  std::vector<T> items;
};

// Inputs and outputs first, then calls with the results that each must have; `replay` does the
// rest. Some of the capacity's items exist in the first run, all in the second, none in the third,
// half in the last. Items of the second run are in order, those of the last are all equal.
class replayed_calls {
 public:
  explicit replayed_calls(std::size_t capacity) : capacity_(capacity), length_(1) {}

  // Made anew for each run: fill(items, random).
  template <class T, class Fill>
  changing<T>& filled(std::size_t size, Fill fill) {
    auto made = std::make_shared<changing<T>>(changing<T>{guarded<T>(size), std::vector<T>(size)});
    before_.push_back([this, made, fill] {
      fill(made->items, random_);
      made->device.write(made->items);
    });
    return *made;
  }
  // Each item of a random number: make(u32).
  template <class T, class Make>
  changing<T>& input(std::size_t size, Make make) {
    return filled<T>(size, [this, make](std::vector<T>& items, std::mt19937& random) {
      for (T& item : items) item = make(static_cast<std::uint32_t>(random()));
      if (run_ == 2) std::sort(items.begin(), items.end());
      if (run_ == 4) std::fill(items.begin(), items.end(), items.back());
    });
  }
  // Dirty before each run.
  template <class T>
  guarded<T>& output(std::size_t size) {
    auto made = std::make_shared<guarded<T>>(size);
    before_.push_back([made] { made->fill_dirt(); });
    return *made;
  }
  template <class T>
  guarded<T>& output() {
    return output<T>(capacity_);
  }
  // For calls in place: before each run it holds those items.
  template <class T>
  guarded<T>& copy_of(const changing<T>& items) {
    auto made = std::make_shared<guarded<T>>(items.items.size());
    before_.push_back([made, &items] { made->write(items.items); });
    return *made;
  }

  // A device address of how many there are; and the items of an input that there are, on the device
  // and here.
  const std::uint64_t* length() const { return length_.data(); }
  std::size_t there() const { return there_; }
  template <class T>
  counted<T> now(const changing<T>& input) const {
    return {input.device, length()};
  }
  template <class T>
  std::vector<T> items(const changing<T>& input) const {
    return {input.items.begin(), input.items.begin() + static_cast<std::ptrdiff_t>(there_)};
  }

  // call(exec) launches, check() looks at what it left.
  template <class Call, class Check>
  void add(std::string name, std::size_t scratch_bytes, Call call, Check check) {
    calls_.push_back({std::move(name), std::make_shared<exact_scratch>(scratch_bytes), call, check});
  }

  void replay() {
    const auto prepare = [&](unsigned) {
      random_.seed(++run_);
      const std::size_t lengths[] = {capacity_ - capacity_ / 3 - 1, capacity_, 0, capacity_ / 2};
      there_ = lengths[run_ - 1];
      length_.write({there_ == capacity_ ? there_ + 7 : there_});  // more than there can be: then all are there
      for (const auto& make : before_) make();
    };
    const auto step = [&] {
      for (const recorded& c : calls_) c.call(c.scratch->where());
    };
    const auto check = [&] {
      for (const recorded& c : calls_) {
        CAPTURE(c.name);
        CAPTURE(run_);
        c.check();
        c.scratch->check_guards();
      }
    };
    for (const std::size_t runs = 4; run_ < runs;) replay_with_new_data(prepare, step, check);  // emulated, two a time
  }

  // The output of a call: these items, and nothing behind them.
  template <class T>
  static void leaves(const guarded<T>& found, const std::vector<T>& want) {
    const std::vector<T> all = found.read();
    REQUIRE(all.size() >= want.size());
    bool same = true, clean = true;
    for (std::size_t i = 0; i < want.size(); ++i) same &= all[i] == want[i];
    for (std::size_t i = want.size(); i < all.size(); ++i) clean &= is_dirt(all[i]);
    CHECK(same);
    CHECK(clean);
  }
  template <class T>
  static void leaves(const guarded<T>& found, std::size_t want) {
    CHECK(found.read() == std::vector<T>{static_cast<T>(want)});
  }
  // The items that a call in place leaves at the front. Memory behind the items is unchanged.
  template <class T>
  void leaves_in_place(const guarded<T>& found, const std::vector<T>& want, const changing<T>& before) const {
    const std::vector<T> all = found.read();
    REQUIRE(there_ >= want.size());
    CHECK(std::equal(want.begin(), want.end(), all.begin()));
    const auto behind = static_cast<std::ptrdiff_t>(there_);
    CHECK(std::equal(all.begin() + behind, all.end(), before.items.begin() + behind));
  }

 private:
  struct recorded {
    std::string name;
    std::shared_ptr<exact_scratch> scratch;
    std::function<void(const exec&)> call;
    std::function<void()> check;
  };
  std::size_t capacity_, there_ = 0, run_ = 0;
  guarded<std::uint64_t> length_;
  std::mt19937 random_;
  std::vector<std::function<void()>> before_;
  std::vector<recorded> calls_;
};

}  // namespace ballot::test
