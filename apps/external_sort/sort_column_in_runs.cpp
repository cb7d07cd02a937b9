// SPDX-License-Identifier: Apache-2.0
#include "external_sort/sort_column_in_runs.hpp"

#include "base/progress.hpp"
#include "external_sort/merge_runs.hpp"
#include "external_sort/sorted_runs.hpp"

#include <ballot/core/key_order.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <cstring>
#include <optional>
#include <vector>

namespace ballot::app {
namespace {

// The input in parts: reads as if it ended after so many items, until it is told to go on.
class input_parts final : public source {
 public:
  input_parts(source& whole, std::uint64_t items, progress& shown)
      : whole_(whole), item_bytes_(size_of(whole.type())), part_bytes_(items * item_bytes_), shown_(shown) {}

  const std::string& name() const override { return whole_.name(); }
  dtype type() const override { return whole_.type(); }
  std::optional<std::uint64_t> count() const override {
    const auto all = whole_.count();
    if (!all) return std::nullopt;
    return std::min(part_bytes_, *all * item_bytes_ - taken_before_) / item_bytes_;
  }
  std::uint64_t blank_lines() const override { return whole_.blank_lines(); }

  std::size_t read(std::span<std::byte> into) override {
    into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), part_bytes_ - taken_)));
    std::size_t got = 0;
    if (has_next_ && !into.empty()) {  // the item by which it was seen that there are more
      std::memcpy(into.data(), next_.data(), item_bytes_);
      has_next_ = false;
      got = item_bytes_;
    }
    if (got < into.size() && !ended_) {
      const std::size_t more = whole_.read(into.subspan(got));
      ended_ = more < into.size() - got;
      got += more;
    }
    taken_ += got;
    shown_.advance(got);
    return got;
  }

  // Whether there is an item after this part; the part has been read.
  bool has_more() {
    if (!has_next_ && !ended_) {
      has_next_ = whole_.read({next_.data(), item_bytes_}) == item_bytes_;
      ended_ = !has_next_;
    }
    return has_next_;
  }
  void next_part() {
    taken_before_ += taken_;
    taken_ = 0;
  }

 private:
  source& whole_;
  std::size_t item_bytes_;
  std::uint64_t part_bytes_, taken_ = 0, taken_before_ = 0;
  std::array<std::byte, 8> next_{};
  bool has_next_ = false, ended_ = false;
  progress& shown_;
};

// Where a sorted part goes: to the output if it is all there is, else to a run. That is known when the engine has read
// the part, which it has when it says how many items come.
class part_sink final : public sink {
 public:
  part_sink(input_parts& in, sink& out, std::optional<sorted_runs>& runs, const std::string& directory)
      : in_(in), out_(out), runs_(runs), directory_(directory) {}

  void begin(std::uint64_t count) override {
    if (!runs_ && !in_.has_more()) return out_.begin(count);
    if (!runs_) runs_.emplace(directory_);
    runs_->begin_run();
  }
  void write(std::span<const std::byte> items) override {
    if (runs_) runs_->append(items);
    else out_.write(items);
  }
  void finish() override {}

 private:
  input_parts& in_;
  sink& out_;
  std::optional<sorted_runs>& runs_;
  const std::string& directory_;
};

// A number and what it is compared by.
template <class U>
struct keyed_item {
  std::uint64_t key;
  U value;
  std::strong_ordering operator<=>(const keyed_item& other) const { return key <=> other.key; }
};

// A run as its merge reads it.
template <class K>
class run_reader {
 public:
  using U = ordered_bits_t<K>;
  using item = keyed_item<U>;

  run_reader(sorted_runs::reader run, const sort_request& request, std::uint64_t buffer_bytes, phase_clock& clock)
      : run_(run),
        codec_(key_codec_of<K>(request.order)),
        low_(request.bits.low),
        buffer_(static_cast<std::size_t>(buffer_bytes / sizeof(U))),
        clock_(&clock) {
    const int width = request.bits.high - request.bits.low;
    mask_ = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  }

  bool next(item& found) {
    if (at_ == filled_ && !fill()) return false;
    found.value = buffer_[at_++];
    found.key = (static_cast<std::uint64_t>(codec_.encode(found.value)) >> low_) & mask_;
    return true;
  }

 private:
  bool fill() {
    scoped_phase reading(*clock_, phase::read);
    filled_ = run_.read(std::as_writable_bytes(std::span(buffer_))) / sizeof(U);
    at_ = 0;
    return filled_ != 0;
  }

  sorted_runs::reader run_;
  key_codec<U> codec_;
  int low_;
  std::uint64_t mask_;
  std::vector<U> buffer_;
  phase_clock* clock_;
  std::size_t at_ = 0, filled_ = 0;
};

// Merges the runs first to last - 1, and calls write(items) with what comes out, piece by piece.
template <class K, class Write>
void merge(const sorted_runs& runs, std::size_t first, std::size_t last, const sort_request& request,
           std::uint64_t memory, phase_clock& clock, Write write) {
  scoped_phase merging(clock, phase::compute);
  const std::uint64_t buffer = buffer_bytes(memory, last - first + 1);
  std::vector<run_reader<K>> readers;
  for (std::size_t run = first; run < last; ++run)
    readers.emplace_back(sorted_runs::reader(runs, run), request, buffer, clock);
  std::vector<ordered_bits_t<K>> merged;
  merged.reserve(static_cast<std::size_t>(buffer / sizeof(ordered_bits_t<K>)));
  const auto flush = [&] {
    scoped_phase writing(clock, phase::write);
    write(std::as_bytes(std::span(merged)));
    merged.clear();
  };
  merge_runs(readers, [&](const auto& item, std::size_t) {
    merged.push_back(item.value);
    if (merged.size() == merged.capacity()) flush();
    return true;
  });
  flush();
}

}  // namespace

column_runs sort_column_in_runs(const sort_request& request, engine& worker, source& in, sink& out,
                                const run_limits& limits, phase_clock& clock) {
  const std::uint64_t memory = limits.memory();
  const std::uint64_t part_items = worker.sort_capacity(request, memory);
  if (in.count() && *in.count() <= part_items) return {worker.sort(request, in, out, clock), 1};

  const std::size_t item_bytes = size_of(request.type);
  const auto all_bytes = [&]() -> std::optional<std::uint64_t> {
    if (const auto count = in.count()) return *count * item_bytes;
    return std::nullopt;
  }();
  progress shown(limits.shows_progress);
  shown.begin("sorting runs", all_bytes);
  input_parts input(in, std::max<std::uint64_t>(part_items, 1), shown);
  std::optional<sorted_runs> runs;
  item_counts counts;
  for (bool more = true; more; input.next_part()) {
    part_sink part(input, out, runs, limits.directory);
    const item_counts sorted = worker.sort(request, input, part, clock);
    counts.in += sorted.in;
    counts.out += sorted.out;
    if (!runs) return {counts, 1};  // it was all there is, and is where it belongs
    more = input.has_more();
  }
  const std::uint64_t run_count = runs->count();

  visit_dtype(request.type, [&]<class K>(std::type_identity<K>) {
    const std::size_t at_once = runs_at_once(memory, 0);
    while (runs->count() > at_once) {
      shown.begin(fmt::format("merging {} runs into fewer", runs->count()), runs->bytes());
      merge_into_fewer(*runs, at_once, limits.directory,
                       [&](const sorted_runs& some, std::size_t first, std::size_t last, sorted_runs& into) {
                         merge<K>(some, first, last, request, memory, clock, [&](std::span<const std::byte> items) {
                           into.append(items);
                           shown.advance(items.size());
                         });
                       });
    }
    shown.begin(fmt::format("merging {} runs", runs->count()), runs->bytes());
    out.begin(counts.in);
    merge<K>(*runs, 0, runs->count(), request, memory, clock, [&](std::span<const std::byte> items) {
      out.write(items);
      shown.advance(items.size());
    });
  });
  return {counts, run_count};
}

}  // namespace ballot::app
