#include "common/run.hpp"

#include "common/failure.hpp"
#include "common/verify.hpp"

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

void introduce(const engine& worker, const std::string& reason, report& facts) {
  facts.engine = worker.name();
  facts.engine_reason = reason;
  facts.device = worker.device();
}

item_counts noting_the_verdict(bool verify, report& facts, const std::function<item_counts()>& work) {
  try {
    const item_counts counts = work();
    if (verify) facts.verified = true;
    return counts;
  } catch (const verification_failure&) {
    facts.verified = false;
    throw;
  }
}

}  // namespace

void sort_column(const sort_request& request, engine& worker, source& in, sink& out, output_file& file, bool verify,
                 const std::string& engine_reason, report& facts, phase_clock& clock) {
  introduce(worker, engine_reason, facts);
  const item_counts counts = noting_the_verdict(verify, facts, [&] {
    if (!verify) {
      const item_counts result = worker.sort(request, in, out, clock);
      finish(out, file, clock);
      return result;
    }
    remembering_source remembering(in, check_needs_items(request), clock);
    const auto check = check_sort(request, remembering, out, clock);
    const item_counts result = worker.sort(request, remembering, *check, clock);
    finish(*check, file, clock);
    return result;
  });
  facts.count = counts.in;
  facts.blank_lines = in.blank_lines();
}

void compact_column(const compact_request& request, engine& worker, source& in, sink& out, output_file& file,
                    bool verify, const std::string& engine_reason, report& facts, phase_clock& clock) {
  introduce(worker, engine_reason, facts);
  const item_counts counts = noting_the_verdict(verify, facts, [&] {
    if (!verify) {
      const item_counts result = worker.compact(request, in, out, clock);
      finish(out, file, clock);
      return result;
    }
    remembering_source items(in, true, clock);
    std::optional<remembering_source> flags;
    compact_request with_memory = request;
    if (request.flags != nullptr) with_memory.flags = &flags.emplace(*request.flags, true, clock);
    const auto check = check_compact(request, items, flags ? &*flags : nullptr, out, clock);
    const item_counts result = worker.compact(with_memory, items, *check, clock);
    finish(*check, file, clock);
    return result;
  });
  facts.count = counts.in;
  facts.blank_lines = in.blank_lines();
  facts.count_out = counts.out;
}

}  // namespace ballot::app
