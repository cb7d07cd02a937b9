// SPDX-License-Identifier: Apache-2.0
#include "external_sort/sort_column_in_runs.hpp"

#include "base/buffered_pieces.hpp"
#include "base/progress.hpp"
#include "engines/cpu/sort_items.hpp"
#include "external_sort/sampled_runs.hpp"
#include "external_sort/slices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

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

// The sink of a sorted part: the output if it is all there is, else a run. That is known when the
// engine has read the part, which it has when it says how many items come.
class part_sink final : public sink {
 public:
  part_sink(input_parts& in, sink& out, std::optional<sampled_runs>& runs, std::function<void()> make)
      : in_(in), out_(out), runs_(runs), make_(std::move(make)) {}

  void begin(std::uint64_t count) override {
    if (!runs_ && !in_.has_more()) return out_.begin(count);
    if (!runs_) make_();
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
  std::optional<sampled_runs>& runs_;
  std::function<void()> make_;
};

// One part, into memory that is there already.
host_buffer read_part(source& in, std::uint64_t most_bytes, host_buffer into) {
  constexpr std::size_t at_least = std::size_t{8} << 20;
  const std::uint64_t known = in.count() ? *in.count() * size_of(in.type()) : most_bytes;
  const auto bytes = static_cast<std::size_t>(std::min(known, most_bytes));
  std::size_t filled = 0;
  while (filled < bytes) {
    // Step by step where nobody knows how much there is.
    const std::size_t wanted = in.count() ? bytes : std::min(bytes, filled + std::max(at_least, filled));
    into.resize(wanted);
    const std::size_t got = in.read(into.bytes().subspan(filled));
    filled += got;
    if (filled < wanted) break;
  }
  into.resize(filled);
  return into;
}

// The output of a merge, piece by piece.
using items_writer = std::function<void(std::span<const std::byte>)>;

// Merges the runs first to last - 1 in slices of at most so many items.
class slice_merge {
 public:
  slice_merge(const sort_request& request, std::uint64_t items, phase_clock& clock)
      : request_(request), items_(items), item_bytes_(size_of(request.type)), clock_(clock) {}

  void operator()(sampled_runs& runs, std::size_t first, std::size_t last, const items_writer& write) {
    scoped_phase merging(clock_, phase::compute);
    slice_reader slices(runs, first, last, items_);
    slice found;
    bool is_open = false;  // a slice of one key, which is read piece by piece
    with_buffers<piece, 3>(
        [&](piece& to) {
          scoped_phase reading(clock_, phase::read);
          if (!is_open && !slices.next(found)) return false;
          is_open = found.has_one_key && found.items() > items_;
          to.is_sorted = found.has_one_key;
          if (is_open) take(runs, first, found, to.items);
          else read(runs, first, found, to.items);
          return true;
        },
        [&](piece& of) {
          if (!of.is_sorted) cpu::sort_items(request_, of.items.bytes(), scratch_);
        },
        [&](piece& from) {
          scoped_phase writing(clock_, phase::write);
          write(from.items.bytes());
        });
  }

 private:
  struct piece {
    host_buffer items;
    bool is_sorted = false;
  };

  void read(const sampled_runs& runs, std::size_t first, const slice& from, host_buffer& to) const {
    to.resize(static_cast<std::size_t>(from.items()) * item_bytes_);
    std::size_t filled = 0;
    for (std::size_t run = 0; run < from.begins.size(); ++run) {
      const auto bytes = static_cast<std::size_t>(from.ends[run] - from.begins[run]) * item_bytes_;
      if (bytes != 0) runs.read(first + run, from.begins[run], to.bytes().subspan(filled, bytes));
      filled += bytes;
    }
  }

  // The next items of a slice of one key.
  void take(const sampled_runs& runs, std::size_t first, slice& from, host_buffer& to) const {
    slice part;
    part.begins = part.ends = from.begins;
    std::uint64_t left = items_;
    for (std::size_t run = 0; run < from.begins.size(); ++run) {
      const std::uint64_t taken = std::min(left, from.ends[run] - from.begins[run]);
      from.begins[run] = part.ends[run] = part.begins[run] + taken;
      left -= taken;
    }
    read(runs, first, part, to);
  }

  const sort_request& request_;
  std::uint64_t items_;
  std::size_t item_bytes_;
  phase_clock& clock_;
  host_buffer scratch_;
};

// Sorts parts of the input in host memory. While one is sorted, the one before it is stored and the
// one behind it is read. bucket_items: runs are left in buckets of about so many items; 0: they are
// sorted. Returns the number of items, after out.begin() and all of them in out where there is only
// one part.
std::uint64_t make_runs_in_host_memory(const sort_request& request, input_parts& in, std::uint64_t part_items,
                                       std::uint64_t bucket_items, sink& out, std::optional<sampled_runs>& runs,
                                       const std::function<void()>& make, phase_clock& clock) {
  const std::size_t item_bytes = size_of(request.type);
  host_buffer scratch;
  std::uint64_t count = 0;
  struct part {
    host_buffer items;
    cpu::key_buckets buckets;
    bool is_all = false;
  };
  bool is_first = true, more = true;  // the reader's
  with_buffers<part>(
      [&](part& to) {
        if (!more) return false;
        scoped_phase reading(clock, phase::read);
        to.items = read_part(in, part_items * item_bytes, std::move(to.items));
        more = in.has_more();
        in.next_part();
        to.is_all = std::exchange(is_first, false) && !more;
        return true;
      },
      [&](part& of) {
        scoped_phase computing(clock, phase::compute);
        of.buckets = {};
        if (of.is_all || bucket_items == 0) cpu::sort_items(request, of.items.bytes(), scratch);
        else of.buckets = cpu::partition_items(request, of.items, scratch, bucket_items);
      },
      [&](part& from) {
        count += from.items.size() / item_bytes;
        if (from.is_all) {
          out.begin(count);
          return write_all(out, from.items.bytes(), clock);
        }
        scoped_phase writing(clock, phase::write);
        if (!runs) make();
        runs->begin_run(std::move(from.buckets));
        runs->append(from.items.bytes());
      });
  return count;
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
  // Two slices, and what the sort of one moves it through; the rest is for samples.
  const std::uint64_t slice_items = std::max<std::uint64_t>(memory / 16 * 15 / (4 * item_bytes), 1);
  const std::uint64_t spacing = sample_spacing(slice_items, memory);
  std::optional<sampled_runs> runs;
  const auto make = [&] { runs.emplace(limits.directory, request, spacing); };
  item_counts counts;
  if (worker.sorts_in_host_memory()) {
    const std::uint64_t bucket_items = can_have_buckets(slice_items, spacing) ? spacing : 0;
    counts.in = counts.out = make_runs_in_host_memory(request, input, std::max<std::uint64_t>(part_items, 1),
                                                      bucket_items, out, runs, make, clock);
    if (!runs) return {counts, 1};
  } else {
    for (bool more = true; more; input.next_part()) {
      part_sink part(input, out, runs, make);
      const item_counts sorted = worker.sort(request, input, part, clock);
      counts.in += sorted.in;
      counts.out += sorted.out;
      if (!runs) return {counts, 1};  // it was all there is, and is where it belongs
      more = input.has_more();
    }
  }
  const std::uint64_t run_count = runs->count();

  slice_merge merge(request, slice_items, clock);
  const std::size_t at_once = runs_in_slices(slice_items, spacing);
  while (runs->count() > at_once) {
    shown.begin(fmt::format("merging {} runs into fewer", runs->count()), runs->bytes());
    sampled_runs fewer(limits.directory, request, spacing);
    for (std::size_t first = 0; first < runs->count(); first += at_once) {
      const std::size_t last = std::min(first + at_once, runs->count());
      fewer.begin_run();
      merge(*runs, first, last, [&](std::span<const std::byte> items) {
        fewer.append(items);
        shown.advance(items.size());
      });
      runs->release(first, last);
    }
    runs = std::move(fewer);
  }
  shown.begin(fmt::format("merging {} runs", runs->count()), runs->bytes());
  out.begin(counts.in);
  merge(*runs, 0, runs->count(), [&](std::span<const std::byte> items) {
    out.write(items);
    shown.advance(items.size());
  });
  return {counts, run_count};
}

}  // namespace ballot::app
