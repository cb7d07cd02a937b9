#include "common/sort_in_runs.hpp"

#include "common/failure.hpp"
#include "common/progress.hpp"
#include "common/temporary_file.hpp"

#include <ballot/core/key_order.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

constexpr std::uint64_t smallest_buffer = 64 << 10, largest_buffer = 8 << 20;
constexpr std::size_t most_runs_at_once = 500;  // files that are open at a time

// What the machine can give, less a quarter.
std::uint64_t free_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    unsigned long long kibibytes = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %llu kB", &kibibytes) == 1) return kibibytes * 1024 / 4 * 3;
  }
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 2 : 1u << 30;
}

// The input in parts: reads as if it ended after so many items, until it is told to go on.
class parts final : public source {
 public:
  parts(source& whole, std::uint64_t items, progress& shown)
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

// Where a sorted part goes: to the output if it is all there is, else to a file. That is known when the engine has read
// the part, which it has when it says how many items come.
class part_sink final : public sink {
 public:
  part_sink(parts& in, sink& out, bool is_first, const std::string& directory)
      : in_(in), out_(out), is_first_(is_first), directory_(directory) {}

  void begin(std::uint64_t count) override {
    if (in_.has_more() || !is_first_) file_.emplace(directory_);
    else out_.begin(count);
  }
  void write(std::span<const std::byte> items) override {
    if (file_) file_->append(items);
    else out_.write(items);
  }
  void finish() override {}

  std::optional<temporary_file> take_file() { return std::move(file_); }

 private:
  parts& in_;
  sink& out_;
  bool is_first_;
  const std::string& directory_;
  std::optional<temporary_file> file_;
};

// A run as its merge reads it.
template <class U>
class run_reader {
 public:
  run_reader(const temporary_file& file, std::uint64_t buffer_bytes, phase_clock& clock)
      : file_(&file), buffer_(static_cast<std::size_t>(buffer_bytes / sizeof(U))), clock_(&clock) {}

  // The next item; none at the end.
  std::optional<U> next() {
    if (at_ == filled_ && !fill()) return std::nullopt;
    return buffer_[at_++];
  }

 private:
  bool fill() {
    scoped_phase reading(*clock_, phase::read);
    const std::uint64_t left = (file_->size() - offset_) / sizeof(U);
    filled_ = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer_.size()));
    at_ = 0;
    file_->read(offset_, std::as_writable_bytes(std::span(buffer_).first(filled_)));
    offset_ += filled_ * sizeof(U);
    return filled_ != 0;
  }

  const temporary_file* file_;
  std::vector<U> buffer_;
  phase_clock* clock_;
  std::size_t at_ = 0, filled_ = 0;
  std::uint64_t offset_ = 0;
};

// Merges runs, and calls write(items) with what comes out, piece by piece.
template <class K, class Write>
void merge(std::span<const temporary_file> runs, const sort_request& request, std::uint64_t buffer_bytes,
           phase_clock& clock, Write write) {
  using U = ordered_bits_t<K>;
  struct head {
    std::uint64_t key;
    std::size_t run;
    U item;
    bool operator<(const head& other) const { return key != other.key ? key < other.key : run < other.run; }
  };
  const auto codec = key_codec_of<K>(request.order);
  const int width = request.bits.high - request.bits.low;
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const auto key_of = [&](U item) {
    return (static_cast<std::uint64_t>(codec.encode(item)) >> request.bits.low) & mask;
  };

  scoped_phase merging(clock, phase::kernel);
  std::vector<run_reader<U>> readers;
  std::vector<head> heap;  // the smallest head first
  for (const temporary_file& run : runs) {
    readers.emplace_back(run, buffer_bytes, clock);
    if (const auto item = readers.back().next()) heap.push_back({key_of(*item), readers.size() - 1, *item});
  }
  std::sort(heap.begin(), heap.end());

  std::vector<U> merged;
  merged.reserve(static_cast<std::size_t>(buffer_bytes / sizeof(U)));
  const auto flush = [&] {
    scoped_phase writing(clock, phase::write);
    write(std::as_bytes(std::span(merged)));
    merged.clear();
  };
  while (!heap.empty()) {
    merged.push_back(heap.front().item);
    if (merged.size() == merged.capacity()) flush();
    // The run's next item takes the place, or the last head does, and sinks to where it belongs.
    head moved;
    if (const auto item = readers[heap.front().run].next()) {
      moved = {key_of(*item), heap.front().run, *item};
    } else {
      moved = heap.back();
      heap.pop_back();
      if (heap.empty()) break;
    }
    std::size_t place = 0;
    for (std::size_t child = 1; child < heap.size(); child = 2 * place + 1) {
      if (child + 1 < heap.size() && heap[child + 1] < heap[child]) ++child;
      if (!(heap[child] < moved)) break;
      heap[place] = heap[child];
      place = child;
    }
    heap[place] = moved;
  }
  flush();
}

}  // namespace

runs_sorted sort_in_runs(const sort_request& request, engine& worker, source& in, sink& out, const run_limits& limits,
                         phase_clock& clock) {
  const std::uint64_t memory = limits.memory_bytes != 0 ? limits.memory_bytes : free_memory();
  const std::uint64_t part_items = worker.sort_capacity(request, memory);
  if (in.count() && *in.count() <= part_items) return {worker.sort(request, in, out, clock), 1};

  const std::size_t item_bytes = size_of(request.type);
  const auto all_bytes = [&]() -> std::optional<std::uint64_t> {
    if (const auto count = in.count()) return *count * item_bytes;
    return std::nullopt;
  }();
  progress shown(limits.shows_progress);
  shown.begin("sorting runs", all_bytes);
  parts input(in, std::max<std::uint64_t>(part_items, 1), shown);
  std::vector<temporary_file> runs;
  item_counts counts;
  for (bool more = true; more; input.next_part()) {
    part_sink part(input, out, runs.empty(), limits.directory);
    const item_counts sorted = worker.sort(request, input, part, clock);
    counts.in += sorted.in;
    counts.out += sorted.out;
    auto file = part.take_file();
    if (!file) return {counts, 1};  // it was all there is, and is where it belongs
    runs.push_back(std::move(*file));
    more = input.has_more();
  }
  const std::uint64_t run_count = runs.size();

  const std::size_t at_once =
      std::clamp<std::size_t>(static_cast<std::size_t>(memory / (2 * smallest_buffer)), 2, most_runs_at_once);
  const auto buffer_for = [&](std::size_t merged_runs) {
    return std::clamp(memory / (merged_runs + 1) / 8 * 8, smallest_buffer, largest_buffer);
  };
  visit_dtype(request.type, [&]<class K>(std::type_identity<K>) {
    while (runs.size() > at_once) {
      shown.begin(fmt::format("merging {} runs into fewer", runs.size()), counts.in * item_bytes);
      std::vector<temporary_file> fewer;
      for (std::size_t first = 0; first < runs.size(); first += at_once) {
        const std::size_t together = std::min(at_once, runs.size() - first);
        temporary_file target(limits.directory);
        merge<K>(std::span(runs).subspan(first, together), request, buffer_for(together), clock,
                 [&](std::span<const std::byte> items) {
                   target.append(items);
                   shown.advance(items.size());
                 });
        for (std::size_t i = first; i < first + together; ++i)
          temporary_file(std::move(runs[i]));  // gives its space back
        fewer.push_back(std::move(target));
      }
      runs = std::move(fewer);
    }
    shown.begin(fmt::format("merging {} runs", runs.size()), counts.in * item_bytes);
    out.begin(counts.in);
    merge<K>(runs, request, buffer_for(runs.size()), clock, [&](std::span<const std::byte> items) {
      out.write(items);
      shown.advance(items.size());
    });
  });
  return {counts, run_count};
}

}  // namespace ballot::app
