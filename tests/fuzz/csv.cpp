// SPDX-License-Identifier: Apache-2.0
// Any bytes as a CSV: every record lies in the text, the next begins where it ends, and fields lie
// within their record.
#include <ballot/core/namespace.hpp>

#include "tables/csv_reader.hpp"
#include "tables/field_ends.hpp"

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
  const char delimiter = size % 2 == 0 ? ',' : '\t';
  const csv_reader reader(text, delimiter);
  // If all field ends are found at once, they are those of the fields that are read one by one.
  static field_ends ends;
  const bool is_plain = find_field_ends(text, delimiter, ends);
  std::size_t next = 0, last_end = 0;
  try {
    for (std::size_t at = 0; at < size;) {
      std::size_t fields = 0;
      const char* behind = text.data() + at;
      const std::size_t end = reader.record(at, [&](const field_bytes& field) {
        // The field before this one has ended right in front of it, or of its quote.
        const auto begin = static_cast<std::size_t>(field.text.data() - text.data());
        if (is_plain && fields != 0) {
          last_end = ends.places[next++];
          require(text[last_end] == delimiter && begin - last_end <= 2);
        }
        require(field.text.data() >= behind && field.text.data() + field.text.size() <= text.data() + size);
        behind = field.text.data() + field.text.size();
        ++fields;
        return true;
      });
      if (is_plain) require(next < ends.count && ends.places[next++] == end - 1);
      require(fields > 0 && end > at && end <= size && behind <= text.data() + end);
      at = end;
    }
    if (is_plain) require(next == ends.count);
  } catch (const csv_error& problem) {
    require(!is_plain);
    require(problem.at() < size);
  }
  return 0;
}
