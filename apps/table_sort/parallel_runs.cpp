// SPDX-License-Identifier: Apache-2.0
#include "table_sort/parallel_runs.hpp"

#include "base/failure.hpp"

#include <tbb/concurrent_queue.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <cstdlib>
#include <optional>
#include <utility>

namespace ballot::app {

void key_types::look_at(const file_table& batch) {
  for (std::size_t i = 0; i < keys_.size(); ++i)
    if (keys_[i].is_inferred() && !found_[i].is_settled()) batch.infer_type(keys_[i].column, found_[i]);
}

void key_types::look_before_parsing(const file_table& batch) {
  for (std::size_t i = 0; i < keys_.size(); ++i)
    if (keys_[i].is_inferred() && !found_[i].is_settled() && !found_[i].is_shown_by_parsing())
      batch.infer_type(keys_[i].column, found_[i]);
}

void key_types::add(const key_types& next) {
  for (std::size_t i = 0; i < found_.size(); ++i) found_[i].add(next.found_[i]);
}

std::vector<sort_key> key_types::settled() const {
  std::vector<sort_key> keys = keys_;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].is_inferred()) keys[i].requested = found_[i].as_request();
  return keys;
}

bool key_types::agree_with(const key_types& other) const {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (!keys_[i].is_inferred()) continue;
    const requested_type mine = found_[i].as_request(), theirs = other.found_[i].as_request();
    if (mine.as_text != theirs.as_text || mine.type != theirs.type) return false;
  }
  return true;
}

namespace {

struct batch_in_work {
  std::unique_ptr<file_table> rows;
  std::optional<key_types> seen;
  host_buffer order;
  bool is_sorted = false;
  std::uint64_t bytes = 0, place = 0;  // of the run
  row_samples::run* samples = nullptr;
  std::vector<std::size_t> places;  // of rows that are written
  host_buffer written;
};

}  // namespace

bool parallel_runs::make(const batch_source& next, key_types* types, sorted_runs& runs, row_samples& samples) const {
  std::atomic<bool> holds = settled_by == nullptr || types->agree_with(*settled_by);
  std::vector<batch_in_work> memory(at_once);
  tbb::concurrent_queue<batch_in_work*> idle;  // they end in any order
  for (batch_in_work& one : memory) idle.push(&one);
  const auto look = [&](batch_in_work& of, auto how) {
    of.seen = *settled_by;
    ((*of.seen).*how)(*of.rows);
    if (!of.seen->agree_with(*settled_by)) holds = false;
  };
  const auto sort = [&](batch_in_work& of) {
    of.is_sorted = false;
    if (settled_by != nullptr) look(of, holds ? &key_types::look_before_parsing : &key_types::look_at);
    if (!holds || of.rows->rows() == 0) return;
    try {
      of.order = sort_rows(*of.rows, wanted, worker, clock);
    } catch (const failure&) {  // perhaps a field that is not of the type
      if (settled_by != nullptr) look(of, &key_types::look_at);
      if (holds) throw;
      return;
    }
    of.bytes = bytes_of_rows(*of.rows, of.order.as<std::uint64_t>());
    of.is_sorted = true;
  };
  const auto write = [&](batch_in_work& of) {
    std::span<const std::uint64_t> left = of.order.as<std::uint64_t>();
    for (std::uint64_t at = of.place; !left.empty();) {
      left = left.subspan(collect_rows(*of.rows, left, written_at_once, of.places, of.written));
      runs.write(at, of.written.bytes());
      samples.add({of.written.bytes(), of.places}, *of.samples);
      at += of.written.size();
    }
  };
  // A thread that waits for a part of a batch takes no other batch meanwhile.
  const auto alone = [](const auto& work) { tbb::this_task_arena::isolate(work); };
  const auto in_order = tbb::filter_mode::serial_in_order, any = tbb::filter_mode::parallel;
  using item = batch_in_work*;
  tbb::parallel_pipeline(at_once, tbb::make_filter<void, item>(in_order, [&](tbb::flow_control& control) -> item {
                                    item of = nullptr;
                                    if (!idle.try_pop(of)) std::abort();  // as many as are in work
                                    alone([&] { of->rows = next(std::move(of->rows)); });
                                    if (of->rows) return of;
                                    control.stop();
                                    return nullptr;
                                  }) & tbb::make_filter<item, item>(any, [&](item of) {
                                    alone([&] { sort(*of); });
                                    return of;
                                  }) & tbb::make_filter<item, item>(in_order, [&](item of) {
                                    if (of->seen) types->add(*of->seen);
                                    if (of->is_sorted) {
                                      of->place = runs.make_room_for_run(of->bytes);
                                      of->samples = &samples.begin_run(of->bytes);
                                    }
                                    return of;
                                  }) & tbb::make_filter<item, void>(any, [&](item of) {
                                    if (of->is_sorted) alone([&] { write(*of); });
                                    idle.push(of);
                                  }));
  return holds && (settled_by == nullptr || types->agree_with(*settled_by));
}

}  // namespace ballot::app
