#include "options/table_options.hpp"

#include "options/number_option.hpp"

#include <CLI/CLI.hpp>

namespace ballot::app {

const char* const tables_help = R"(
Tables
  .csv and .tsv (RFC 4180, with a header; --delimiter for others; columns by name, or by place: #1 is the first),
  --format lines (whole lines, compared by bytes), .npy of two dimensions (columns 0, 1, ...) or of structures (fields by
  name), --record-bytes N (--format records: rows of N bytes, columns OFFSET:LENGTH or OFFSET:TYPE), --format sosd. Rows
  travel whole, quotes and all, and come out in the format they came in. Lines that end in nothing get a line end, blank
  lines of a CSV are left out and counted. A CSV's header is shorter than 16 MiB.
  A column of text is a column of numbers if all its fields are, but for missing ones (empty, or --null NA): integers of 64
  bits if all are such, else f64. COLUMN:TYPE and COLUMN:text say what it is; else the report says what was made of it, and
  which field decided that. Texts, dates too, are compared by bytes. Missing fields and NaNs come last, ascending and
  descending. Rows whose keys compare equal keep their order: -0 and 0, too, unlike in a single column of numbers.
)";

void add_by_option(CLI::App& command, table_options& options, const char* what) {
  command.add_option("--by", options.by, what)
      ->type_name("COLUMN")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void add_table_options(CLI::App& command, table_options& options) {
  command.add_option("--delimiter", options.delimiter, "what is between the fields of a CSV; tab is a word for one")
      ->type_name("CHARACTER");
  command
      .add_option(
          "--null", options.nulls,
          "a field of a CSV that says this, as NA, is missing, as an empty one\nis; more than once: each of them")
      ->type_name("WORD")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  add_number_option(command, "--record-bytes", options.record_bytes, "the input is records of so many bytes",
                    {.least = 1})
      .type_name("N");
  command.add_flag("--indices", options.indices, "write the numbers of the rows, from 0, instead of the rows");
  command.add_flag("--count", options.count, "write only how many rows there are");
}

}  // namespace ballot::app
