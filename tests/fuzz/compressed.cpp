// SPDX-License-Identifier: Apache-2.0
// Any bytes as gzip and as zstd, in pieces of any size. A decoder takes and makes no more than it
// is given. It makes progress or says what is wrong. The pieces make no difference.
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "files/compression.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

namespace {

using namespace ballot::app;

// The decompressed bytes, up to a limit; nothing where the data is wrong or ends too early.
std::optional<std::vector<std::byte>> decoded(compression kind, std::span<const std::byte> from, std::size_t piece,
                                              std::size_t room) {
  constexpr std::size_t most = std::size_t{1} << 18;
  std::vector<std::byte> made, into(room);
  const auto decoding = make_decoder(kind);
  try {
    for (std::size_t at = 0, end = 0; made.size() < most;) {
      if (at == end) end = std::min(from.size(), at + piece);
      const auto done = decoding->decode(from.subspan(at, end - at), into);
      if (done.taken > end - at || done.made > into.size()) std::abort();
      at += done.taken;
      made.insert(made.end(), into.begin(), into.begin() + std::ptrdiff_t(done.made));
      if (done.taken == 0 && done.made == 0) {
        if (end == from.size()) break;
        end = std::min(from.size(), end + piece);
      }
    }
  } catch (const coded_data_failure& problem) {
    if (problem.taken() > from.size()) std::abort();
    return std::nullopt;
  }
  if (made.size() >= most) return std::vector<std::byte>{};
  return decoding->is_complete() ? std::optional(made) : std::nullopt;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  for (const compression kind : {compression::gzip, compression::zstd}) {
    const auto whole = decoded(kind, bytes, std::max<std::size_t>(size, 1), std::size_t{1} << 16);
    const auto pieces = decoded(kind, bytes, size % 13 + 1, size % 101 + 1);
    if (whole && pieces && !whole->empty() && !pieces->empty() && *whole != *pieces) std::abort();
    if (whole.has_value() != pieces.has_value()) std::abort();
  }
  (void)compression_of_magic(bytes);
  return 0;
}
