// SPDX-License-Identifier: Apache-2.0
// Any bytes as a CSV: every record lies in the text, the next begins where it ends, and fields lie within their record.
#include <ballot/core/namespace.hpp>

#include "tables/csv_reader.hpp"

#include <cstdint>
#include <cstdlib>

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ballot::app;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const csv_reader reader(text, size % 2 == 0 ? ',' : '\t');
  try {
    for (std::size_t at = 0; at < size;) {
      std::size_t fields = 0;
      const char* behind = text.data() + at;
      const std::size_t end = reader.record(at, [&](const field_bytes& field) {
        require(field.text.data() >= behind && field.text.data() + field.text.size() <= text.data() + size);
        behind = field.text.data() + field.text.size();
        ++fields;
        return true;
      });
      require(fields > 0 && end > at && end <= size && behind <= text.data() + end);
      at = end;
    }
  } catch (const csv_error& problem) {
    require(problem.at() < size);
  }
  return 0;
}
