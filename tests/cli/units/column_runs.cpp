// SPDX-License-Identifier: Apache-2.0
// Columns larger than memory, by an engine that sorts elsewhere, as a GPU does: each part goes
// through its sort.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "engines/engine.hpp"
#include "external_sort/sort_column_in_runs.hpp"
#include "temporary_folder.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace ballot::app::test_column_runs {
namespace {

// The CPU's engine, which says that it sorts elsewhere, and takes so many items at a time.
class engine_elsewhere final : public engine {
 public:
  explicit engine_elsewhere(std::uint64_t most) : most_(most) {}
  int sorts = 0;
  std::uint64_t largest = 0;

  std::string name() const override { return "elsewhere"; }
  std::string device() const override { return cpu_->device(); }
  item_counts sort(const sort_request& request, source& in, sink& out, phase_clock& clock) override {
    const item_counts sorted = cpu_->sort(request, in, out, clock);
    ++sorts;
    largest = std::max(largest, sorted.in);
    return sorted;
  }
  item_counts compact(const compact_request& request, source& in, sink& out, phase_clock& clock) override {
    return cpu_->compact(request, in, out, clock);
  }
  std::uint64_t sort_capacity(const sort_request&, std::uint64_t) override { return most_; }
  void scan(const scan_request& request, std::span<std::byte> items, phase_clock& clock) override {
    cpu_->scan(request, items, clock);
  }
  void order(std::span<const key_column> columns, std::span<std::uint64_t> rows, phase_clock& clock) override {
    cpu_->order(columns, rows, clock);
  }
  host_buffer select(const row_predicate& predicate, std::uint64_t rows, phase_clock& clock) override {
    return cpu_->select(predicate, rows, clock);
  }

 private:
  std::unique_ptr<engine> cpu_ = make_cpu_engine();
  std::uint64_t most_;
};

// Items in memory. Counted: the number is known from the begin.
template <class T>
class streamed_items final : public source {
 public:
  streamed_items(const std::vector<T>& items, dtype type, bool is_counted)
      : items_(std::as_bytes(std::span(items))), type_(type), is_counted_(is_counted) {}
  const std::string& name() const override { return name_; }
  dtype type() const override { return type_; }
  std::optional<std::uint64_t> count() const override {
    return is_counted_ ? std::optional(items_.size() / sizeof(T)) : std::nullopt;
  }
  std::size_t read(std::span<std::byte> into) override {
    const std::size_t bytes = std::min(into.size(), items_.size() - at_);
    if (bytes != 0) std::memcpy(into.data(), items_.data() + at_, bytes);
    at_ += bytes;
    return bytes;
  }

 private:
  std::string name_ = "memory";
  std::span<const std::byte> items_;
  dtype type_;
  bool is_counted_;
  std::size_t at_ = 0;
};

template <class T>
class stored_items final : public sink {
 public:
  std::vector<T> items;
  int begins = 0;
  std::uint64_t announced = 0;
  void begin(std::uint64_t count) override { ++begins, announced = count; }
  void write(std::span<const std::byte> bytes) override {
    const std::size_t before = items.size();
    items.resize(before + bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(items.data() + before, bytes.data(), bytes.size());
  }
  void finish() override {}
};

template <class T>
void check(std::size_t n, std::uint64_t most, dtype type, direction order, bool is_counted) {
  CAPTURE(n);
  CAPTURE(most);
  CAPTURE(is_counted);
  std::mt19937_64 random(n + most);
  std::vector<T> items(n);
  for (T& item : items) item = static_cast<T>(static_cast<double>(random() % 5000) - 2500);
  const temporary_folder folder;
  const sort_request request{type, order, {0, 8 * static_cast<int>(sizeof(T))}, false};
  engine_elsewhere worker(most);
  streamed_items<T> in(items, type, is_counted);
  stored_items<T> out;
  phase_clock clock;
  const column_runs done =
      sort_column_in_runs(request, worker, in, out, {std::uint64_t{64} << 10, folder.path().string()}, clock);
  const std::uint64_t parts = n == 0 ? 1 : (n + most - 1) / most;
  CHECK(done.runs == parts);
  CHECK(static_cast<std::uint64_t>(worker.sorts) == parts);
  CHECK(worker.largest <= most);
  CHECK(done.counts.in == n);
  CHECK(done.counts.out == n);
  CHECK(out.begins == 1);
  CHECK(out.announced == n);
  std::stable_sort(items.begin(), items.end(), [&](T a, T b) { return order == direction::ascending ? a < b : b < a; });
  CHECK(out.items == items);
}

TEST_CASE("A source that has more items than it said is refused") {
  const std::vector<std::uint32_t> items{5, 3, 4};
  class grown final : public source {
   public:
    explicit grown(streamed_items<std::uint32_t>& all) : all_(all) {}
    const std::string& name() const override { return all_.name(); }
    dtype type() const override { return all_.type(); }
    std::optional<std::uint64_t> count() const override { return 2; }
    std::size_t read(std::span<std::byte> into) override { return all_.read(into); }

   private:
    streamed_items<std::uint32_t>& all_;
  };
  streamed_items<std::uint32_t> all(items, dtype::u32, true);
  grown in(all);
  stored_items<std::uint32_t> out;
  phase_clock clock;
  const sort_request request{dtype::u32, direction::ascending, {0, 32}, false};
  CHECK_THROWS_AS(make_cpu_engine()->sort(request, in, out, clock), failure);
  CHECK(out.begins == 0);
}

TEST_CASE("Columns in runs, each of them sorted by an engine elsewhere") {
  for (const bool is_counted : {true, false})
    for (const std::size_t n : {0u, 1u, 1000u, 1001u, 4000u, 30'007u}) {
      check<std::uint32_t>(n, 1000, dtype::u32, direction::ascending, is_counted);
      check<float>(n, 1000, dtype::f32, direction::descending, is_counted);
      check<double>(n, 2500, dtype::f64, direction::ascending, is_counted);
      check<std::int16_t>(n, 700, dtype::i16, direction::descending, is_counted);
    }
}

}  // namespace
}  // namespace ballot::app::test_column_runs
