// SPDX-License-Identifier: Apache-2.0
// The engine for machines without a GPU: all cores, by way of TBB.
//
// Keys are sorted as their ordered bits. So one comparison of unsigned integers serves every type,
// as on the GPU, and both give the same bits.
#include "engines/engine.hpp"
#include <ballot/core/namespace.hpp>
#include "base/buffered_pieces.hpp"
#include "base/failure.hpp"
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
    if (request.flags == nullptr && out.takes_items_as_they_come()) return compact_in_pieces(request, in, out, clock);
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
      if (request.flags == nullptr) {
        selected_count = select_items(request, items.bytes(), selected.data());
      } else {
        const auto* const bytes = flags.as<std::uint8_t>().data();
        visit_dtype(request.type, [&]<class T>(std::type_identity<T>) {
          const T* const from = items.as<T>().data();
          selected_count = cpu::compact_items(
              count,
              [&](std::size_t first, std::size_t size, std::uint8_t* mask) {
                cpu::mask_flags(bytes + first, size, request.invert, mask);
              },
              [=](std::size_t i) { return from[i]; }, selected.as<T>().data());
        });
      }
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

 private:
  // Those that the condition selects; returns how many.
  static std::uint64_t select_items(const compact_request& request, std::span<const std::byte> items, std::byte* to) {
    std::uint64_t selected = 0;
    visit_dtype(request.type, [&]<class T>(std::type_identity<T>) {
      const T* const from = reinterpret_cast<const T*>(items.data());
      const auto predicate = compile_item_predicate<T>(*request.where, request.invert);
      selected = cpu::compact_items(
          items.size() / sizeof(T),
          [&](std::size_t first, std::size_t size, std::uint8_t* mask) {
            cpu::mask_items(predicate, from + first, size, mask);
          },
          [=](std::size_t i) { return from[i]; }, reinterpret_cast<T*>(to));
    });
    return selected;
  }

  // In a few pieces of memory that stay in the cache. While one is looked at, the one before it is
  // written and the one behind it is read.
  static item_counts compact_in_pieces(const compact_request& request, source& in, sink& out, phase_clock& clock) {
    constexpr std::size_t piece_bytes = std::size_t{4} << 20;
    struct piece {
      host_buffer items, selected;
      std::size_t selected_bytes = 0;
    };
    const std::size_t item_bytes = size_of(request.type);
    item_counts counts;
    bool ended = false;
    out.begin(0);
    with_buffers<piece>(
        [&](piece& to) {
          if (ended) return false;
          scoped_phase reading(clock, phase::read);
          to.items.resize(piece_bytes);
          to.items.resize(in.read(to.items.bytes()));
          ended = to.items.size() < piece_bytes;
          return true;
        },
        [&](piece& of) {
          scoped_phase computing(clock, phase::compute);
          of.selected.resize(of.items.size());
          const std::uint64_t selected = select_items(request, of.items.bytes(), of.selected.data());
          of.selected_bytes = static_cast<std::size_t>(selected) * item_bytes;
          counts.in += of.items.size() / item_bytes;
          counts.out += selected;
        },
        [&](piece& from) { write_all(out, from.selected.bytes().first(from.selected_bytes), clock); });
    return counts;
  }
};

}  // namespace

std::unique_ptr<engine> make_cpu_engine() { return std::make_unique<cpu_engine>(); }

}  // namespace ballot::app
