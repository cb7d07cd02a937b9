// SPDX-License-Identifier: Apache-2.0
#include "commands/run.hpp"

#include "base/failure.hpp"
#include "table_select/select_items.hpp"
#include "verification/verify_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace ballot::app {
namespace {

void finish(sink& out, output_file& file, phase_clock& clock) {
  scoped_phase writing(clock, phase::write);
  out.finish();
  file.commit();
}

}  // namespace

void record_files(const run_plan& plan, report& facts) {
  facts.input = plan.input;
  facts.output = plan.output;
}

void record_inputs(std::size_t more, report& facts) {
  if (more != 0) facts.input += fmt::format(" and {} more", more);
}

void record_engine(const engine_choice& engine, report& facts) {
  facts.engine = engine.chosen->name();
  facts.engine_reason = engine.reason;
  facts.device = engine.chosen->device();
}

void record_columns(std::span<const column_type> columns, report& facts) {
  for (const column_type& column : columns) {
    compared_column recorded{column.name, column.in_words(), column.is_inferred, column.is_mixed};
    if (column.decided_by) {
      recorded.line = column.decided_by->line;
      recorded.text = column.decided_by->text;
    }
    const auto is_same = [&](const compared_column& other) {
      return other.name == recorded.name && other.type == recorded.type;
    };
    if (std::none_of(facts.columns.begin(), facts.columns.end(), is_same)) facts.columns.push_back(std::move(recorded));
  }
}

void record_verification(bool verify, report& facts, const std::function<void()>& work) {
  try {
    work();
    if (verify) facts.verified = true;
  } catch (const verification_failure&) {
    facts.verified = false;
    throw;
  }
}

void sort_column(const sort_request& request, engine& worker, source& in, sink& out, output_file& file, bool verify,
                 const run_limits& limits, report& facts, phase_clock& clock) {
  item_counts counts;
  const auto sort = [&](source& from, sink& to) {
    if (request.argsort) {
      counts = worker.sort(request, from, to, clock);
      return;
    }
    const column_runs sorted = sort_column_in_runs(request, worker, from, to, limits, clock);
    counts = sorted.counts;
    if (sorted.runs > 1) facts.runs = sorted.runs;
  };
  record_verification(verify, facts, [&] {
    if (!verify) {
      sort(in, out);
      finish(out, file, clock);
      return;
    }
    recording_source recorded_input(in, check_needs_items(request), clock);
    const auto check = check_sort(request, recorded_input, out, clock);
    sort(recorded_input, *check);
    finish(*check, file, clock);
  });
  facts.count = counts.in;
  facts.blank_lines = in.blank_lines();
}

namespace {

// All items of `in`, checked where `verify`. Finishes `out`.
item_counts compact_checked(const compact_request& request, const row_condition* condition, engine& worker, source& in,
                            sink& out, bool verify, phase_clock& clock) {
  item_counts counts;
  if (condition != nullptr) {
    counts = select_items({condition, request.invert, verify}, worker, in, out, clock);
    out.finish();
    return counts;
  }
  if (!verify) {
    counts = worker.compact(request, in, out, clock);
    out.finish();
    return counts;
  }
  recording_source items(in, true, clock);
  std::optional<recording_source> flags;
  compact_request with_memory = request;
  if (request.flags != nullptr) with_memory.flags = &flags.emplace(*request.flags, true, clock);
  const auto check = check_compact(request, items, flags ? &*flags : nullptr, out, clock);
  counts = worker.compact(with_memory, items, *check, clock);
  check->finish();
  return counts;
}

// The next items of a source.
class next_items final : public source {
 public:
  next_items(source& from, std::uint64_t items) : from_(from), left_(items * size_of(from.type())) {}
  const std::string& name() const override { return from_.name(); }
  dtype type() const override { return from_.type(); }
  std::optional<std::uint64_t> count() const override { return std::nullopt; }
  std::size_t read(std::span<std::byte> into) override {
    if (into.size() > left_) into = into.first(static_cast<std::size_t>(left_));
    if (into.empty()) return 0;
    const std::size_t got = from_.read(into);
    ended_ = got < into.size();
    left_ -= got;
    return got;
  }
  bool ended() const { return ended_; }

 private:
  source& from_;
  std::uint64_t left_;
  bool ended_ = false;
};

class growing_sink final : public sink {
 public:
  explicit growing_sink(host_buffer& into) : into_(into) {}
  void begin(std::uint64_t) override {}
  void write(std::span<const std::byte> items) override { into_.append(items); }
  void finish() override {}

 private:
  host_buffer& into_;
};

item_counts compact_first(const compact_request& request, const row_condition* condition, std::uint64_t top,
                          engine& worker, source& in, sink& out, bool verify, phase_clock& clock) {
  constexpr std::uint64_t fewest = std::uint64_t{1} << 16, most = std::uint64_t{1} << 22;  // items at a time
  host_buffer kept;
  item_counts counts;
  growing_sink collected(kept);
  std::uint64_t found = 0;
  bool ended = false;
  for (std::uint64_t items = fewest; found < top && !ended; items = std::min(2 * items, most)) {
    next_items some(in, items);
    std::optional<next_items> flags;
    compact_request of_some = request;
    if (request.flags != nullptr) of_some.flags = &flags.emplace(*request.flags, items);
    if (condition == nullptr && request.where == nullptr && request.flags == nullptr) {
      const host_buffer all = read_all(some, clock);
      kept.append(all.bytes());
      counts.in += all.size() / size_of(request.type);
    } else {
      counts.in += compact_checked(of_some, condition, worker, some, collected, verify, clock).in;
    }
    found = kept.size() / size_of(request.type);
    ended = some.ended();
  }
  counts.out = std::min(top, found);
  out.begin(counts.out);
  write_all(out, std::as_const(kept).bytes().first(static_cast<std::size_t>(counts.out) * size_of(request.type)),
            clock);
  out.finish();
  return counts;
}

}  // namespace

void compact_column(const compact_request& request, const row_condition* condition, std::optional<std::uint64_t> top,
                    engine& worker, source& in, sink& out, output_file& file, bool verify, report& facts,
                    phase_clock& clock) {
  item_counts counts;
  record_verification(verify, facts, [&] {
    counts = top ? compact_first(request, condition, *top, worker, in, out, verify, clock)
                 : compact_checked(request, condition, worker, in, out, verify, clock);
    scoped_phase writing(clock, phase::write);
    file.commit();
  });
  facts.count = counts.in;
  facts.blank_lines = in.blank_lines();
  facts.count_out = counts.out;
}

}  // namespace ballot::app
