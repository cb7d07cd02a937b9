// SPDX-License-Identifier: Apache-2.0
// The engine for machines without a GPU: all cores, by way of TBB.
//
// Keys are sorted as their ordered bits, so that one comparison of unsigned integers serves every type, as on the GPU,
// and both give the same bits.
#include "engines/engine.hpp"
#include <ballot/core/namespace.hpp>
#include "base/failure.hpp"
#include "base/resources.hpp"
#include "conditions/item_predicate.hpp"
#include "engines/cpu/compact.hpp"
#include "engines/cpu/order_rows.hpp"
#include "engines/cpu/scan.hpp"
#include "engines/cpu/sort_items.hpp"
#include "engines/cpu/vector_sort.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace ballot::app {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "CPU";
}

class cpu_engine final : public engine {
 public:
  std::string name() const override { return "cpu"; }
  std::string device() const override {
    const int threads = cpu::hardware_threads();
    return fmt::format("{}, {} thread{}{}", processor_name(), threads, threads == 1 ? "" : "s",
                       cpu::has_vector_sort() ? "" : ", built without a vectorised sort (libhwy)");
  }

  item_counts sort(const sort_request& request, source& in, sink& out, phase_clock& clock) override {
    host_buffer items = read_all(in, clock);
    const std::uint64_t count = items.size() / size_of(request.type);
    {
      scoped_phase computing(clock, phase::compute);
      host_buffer scratch;
      if (request.argsort) items = cpu::sorted_positions(request, items.bytes());
      else cpu::sort_items(request, items.bytes(), scratch);
    }
    out.begin(count);
    write_all(out, items.bytes(), clock);
    return {count, count};
  }

  std::uint64_t sort_capacity(const sort_request& request, std::uint64_t host_bytes) override {
    // Without argsort, the next items are read meanwhile (external_sort).
    return host_bytes / (cpu::sort_bytes_an_item(request) + (request.argsort ? 0 : size_of(request.type)));
  }

  bool sorts_in_host_memory() const override { return true; }

  item_counts compact(const compact_request& request, source& in, sink& out, phase_clock& clock) override {
    const host_buffer items = read_all(in, clock);
    const std::uint64_t count = items.size() / size_of(request.type);
    host_buffer flags;
    if (request.flags != nullptr) {
      flags = read_all(*request.flags, clock);
      require_one_flag_per_item(*request.flags, flags.size(), count);
    }
    host_buffer selected(items.size());
    std::uint64_t selected_count = 0;
    {
      scoped_phase computing(clock, phase::compute);
      visit_dtype(request.type, [&]<class T>(std::type_identity<T>) {
        const T* const from = items.as<T>().data();
        T* const to = selected.as<T>().data();
        const auto item_at = [=](std::size_t i) { return from[i]; };
        if (request.flags != nullptr) {
          const auto* const bytes = flags.as<std::uint8_t>().data();
          selected_count = cpu::compact_items(
              count,
              [&](std::size_t first, std::size_t size, std::uint8_t* mask) {
                cpu::mask_flags(bytes + first, size, request.invert, mask);
              },
              item_at, to);
          return;
        }
        const auto predicate = compile_item_predicate<T>(*request.where, request.invert);
        selected_count = cpu::compact_items(
            count,
            [&](std::size_t first, std::size_t size, std::uint8_t* mask) {
              cpu::mask_items(predicate, from + first, size, mask);
            },
            item_at, to);
      });
    }
    out.begin(selected_count);
    write_all(out, selected.bytes().first(static_cast<std::size_t>(selected_count) * size_of(request.type)), clock);
    return {count, selected_count};
  }

  void scan(const scan_request& request, std::span<std::byte> items, phase_clock& clock) override {
    scoped_phase computing(clock, phase::compute);
    scan_rows_on_cpu(request, items);
  }

  void order(std::span<const key_column> columns, std::span<std::uint64_t> rows, phase_clock& clock) override {
    scoped_phase computing(clock, phase::compute);
    cpu::order_rows(columns, rows);
  }

  host_buffer select(const row_predicate& predicate, std::uint64_t rows, phase_clock& clock) override {
    scoped_phase computing(clock, phase::compute);
    host_buffer chosen(static_cast<std::size_t>(rows) * sizeof(std::uint64_t));
    const std::size_t count = cpu::compact_items(
        rows,
        [&](std::size_t first, std::size_t size, std::uint8_t* mask) { cpu::mask_rows(predicate, first, size, mask); },
        [](std::size_t i) { return static_cast<std::uint64_t>(i); }, chosen.as<std::uint64_t>().data());
    chosen.resize(count * sizeof(std::uint64_t));
    return chosen;
  }
};

}  // namespace

std::unique_ptr<engine> make_cpu_engine() {
  count_threads();
  return std::make_unique<cpu_engine>();
}

}  // namespace ballot::app
