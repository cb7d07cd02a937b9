// SPDX-License-Identifier: Apache-2.0
#include "columns/whole_column.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace ballot::app {
namespace {

// Multiples of every item's size: the bytes read at a time if nobody knows how many there are, and
// those written at a time.
constexpr std::size_t chunk_bytes = std::size_t{8} << 20, written_chunk_bytes = std::size_t{32} << 20;

}  // namespace

host_buffer read_all(source& in, phase_clock& clock) {
  scoped_phase reading(clock, phase::read);
  host_buffer items;
  if (const auto count = in.count()) {
    if (*count > std::numeric_limits<std::size_t>::max() / size_of(in.type()))
      throw failure(fmt::format("{}: too large", in.name()));
    items.resize(static_cast<std::size_t>(*count) * size_of(in.type()));
    items.resize(in.read(items.bytes()));
    // The source sees the end, and complains where it is not there.
    std::array<std::byte, 8> beyond{};
    if (in.read(std::span(beyond).first(size_of(in.type()))) != 0)
      throw failure(fmt::format("{}: its length changed while it was read", in.name()));
    return items;
  }
  std::size_t filled = 0;
  for (;;) {
    items.resize(filled + chunk_bytes);
    const std::size_t got = in.read(items.bytes().subspan(filled));
    filled += got;
    if (got < chunk_bytes) break;
  }
  items.resize(filled);
  return items;
}

void write_all(sink& out, std::span<const std::byte> items, phase_clock& clock) {
  scoped_phase writing(clock, phase::write);
  while (!items.empty()) {
    const auto chunk = items.first(std::min(items.size(), written_chunk_bytes));
    out.write(chunk);
    items = items.subspan(chunk.size());
  }
}

void write_column(sink& out, dtype type, std::span<const std::byte> items, phase_clock& clock) {
  scoped_phase writing(clock, phase::write);
  out.begin(items.size() / size_of(type));
  write_all(out, items, clock);
  out.finish();
}

void require_one_flag_per_item(const source& flags, std::uint64_t flag_count, std::uint64_t item_count) {
  if (flag_count != item_count)
    throw failure(fmt::format("{}: {} flags for {} items", flags.name(), flag_count, item_count));
}

}  // namespace ballot::app
