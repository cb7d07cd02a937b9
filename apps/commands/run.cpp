#include "commands/run.hpp"

#include "base/failure.hpp"
#include "verification/verify_column.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace ballot::app {
namespace {

void finish(sink& out, output_file& file, phase_clock& clock) {
  scoped_phase writing(clock, phase::write);
  out.finish();
  file.commit();
}

}  // namespace

void introduce(const engine& worker, const std::string& reason, report& facts) {
  facts.engine = worker.name();
  facts.engine_reason = reason;
  facts.device = worker.device();
}

void noting_the_verdict(bool verify, report& facts, const std::function<void()>& work) {
  try {
    work();
    if (verify) facts.verified = true;
  } catch (const verification_failure&) {
    facts.verified = false;
    throw;
  }
}

void sort_column(const sort_request& request, engine& worker, source& in, sink& out, output_file& file, bool verify,
                 const run_limits& limits, const std::string& engine_reason, report& facts, phase_clock& clock) {
  introduce(worker, engine_reason, facts);
  item_counts counts;
  const auto sort = [&](source& from, sink& to) {
    if (request.argsort) {
      counts = worker.sort(request, from, to, clock);
      return;
    }
    const runs_sorted sorted = sort_in_runs(request, worker, from, to, limits, clock);
    counts = sorted.counts;
    if (sorted.runs > 1) facts.runs = sorted.runs;
  };
  noting_the_verdict(verify, facts, [&] {
    if (!verify) {
      sort(in, out);
      finish(out, file, clock);
      return;
    }
    remembering_source remembering(in, check_needs_items(request), clock);
    const auto check = check_sort(request, remembering, out, clock);
    sort(remembering, *check);
    finish(*check, file, clock);
  });
  facts.count = counts.in;
  facts.blank_lines = in.blank_lines();
}

void compact_column(const compact_request& request, engine& worker, source& in, sink& out, output_file& file,
                    bool verify, const std::string& engine_reason, report& facts, phase_clock& clock) {
  introduce(worker, engine_reason, facts);
  item_counts counts;
  noting_the_verdict(verify, facts, [&] {
    if (!verify) {
      counts = worker.compact(request, in, out, clock);
      finish(out, file, clock);
      return;
    }
    remembering_source items(in, true, clock);
    std::optional<remembering_source> flags;
    compact_request with_memory = request;
    if (request.flags != nullptr) with_memory.flags = &flags.emplace(*request.flags, true, clock);
    const auto check = check_compact(request, items, flags ? &*flags : nullptr, out, clock);
    counts = worker.compact(with_memory, items, *check, clock);
    finish(*check, file, clock);
  });
  facts.count = counts.in;
  facts.blank_lines = in.blank_lines();
  facts.count_out = counts.out;
}

}  // namespace ballot::app
