// SPDX-License-Identifier: Apache-2.0
#include "collision/pairs_file.hpp"

#include "base/failure.hpp"
#include "columns/npy.hpp"
#include "files/compression.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace ballot::app::collision {

pairs_format parse_pairs_format(const std::string& path) {
  const std::string_view name = without_compression(path);
  if (path == "-" || name.ends_with(".csv")) return pairs_format::csv;
  if (name.ends_with(".npy")) return pairs_format::npy;
  throw usage_error(path + ": the extension gives no format: pairs are written as .npy or .csv");
}

void write_pairs(output_file& file, pairs_format format, std::span<const object_pair> pairs) {
  if (format == pairs_format::npy) {
    const auto out = make_npy_sink(file, dtype::u32, {pairs.size(), 2});
    out->begin(2 * pairs.size());
    out->write(std::as_bytes(pairs));
    out->finish();
    return;
  }
  constexpr std::size_t flush_at = std::size_t{1} << 20;
  fmt::memory_buffer text;
  const auto flush = [&] {
    file.write(std::as_bytes(std::span(text.data(), text.size())));
    text.clear();
  };
  fmt::format_to(std::back_inserter(text), "a,b\n");
  for (const object_pair& pair : pairs) {
    fmt::format_to(std::back_inserter(text), "{},{}\n", pair.a, pair.b);
    if (text.size() > flush_at) flush();
  }
  flush();
}

}  // namespace ballot::app::collision
