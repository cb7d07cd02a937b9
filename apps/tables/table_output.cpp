// SPDX-License-Identifier: Apache-2.0
#include "tables/table_output.hpp"

#include "columns/whole_column.hpp"
#include "tables/row_conversion.hpp"

#include <fmt/format.h>

namespace ballot::app {

void write_count(std::uint64_t count, output_file& to) {
  const std::string line = fmt::format("{}\n", count);
  to.write(std::as_bytes(std::span(line)));
}

void write_result(const table_output& output, const table_request& source, const table& from,
                  std::span<const std::uint64_t> chosen, output_file& to, phase_clock& clock) {
  if (output.result == table_result::rows && output.conversion) {
    scoped_phase writing(clock, phase::write);
    const auto header = dynamic_cast<const file_table&>(from).without_rows(0);
    row_conversion converted(*output.conversion, source, *header, output.directory, to);
    if (!output.infers_from_written) {
      auto types = row_conversion::columns_to_infer(*output.conversion, source, from);
      if (types) types->look_at(from);
      if (types) converted.take_types(*types);
    }
    write_batches(from, chosen, std::size_t{8} << 20, [&](const written_batch& batch) { converted.add(batch.bytes); });
    converted.finish();
  } else if (output.result == table_result::rows) {
    write_rows(from, chosen, to, clock);
  } else if (output.result == table_result::row_numbers) {
    write_column(*make_sink(to, output.number_format, dtype::u64), dtype::u64, std::as_bytes(chosen), clock);
  } else {
    write_count(chosen.size(), to);
  }
  scoped_phase writing(clock, phase::write);
  to.commit();
}

}  // namespace ballot::app
