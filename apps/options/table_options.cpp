// SPDX-License-Identifier: Apache-2.0
#include "options/table_options.hpp"

#include "options/number_option.hpp"

#include <CLI/CLI.hpp>

namespace ballot::app {

const char* const tables_help = R"(
Tables
  .csv and .tsv     RFC 4180 with a header; other delimiters by --delimiter. Columns by name, or by number: #1 is
                    the first. The header must be shorter than 16 MiB.
  --format lines    whole lines, compared by bytes
  .npy              two dimensions (columns 0, 1, ...), or structures (columns are the fields)
  --record-bytes N  records of N bytes (--format records); columns are OFFSET:LENGTH or OFFSET:TYPE
  --format sosd     a count, then u64 or u32 keys
  Rows are copied unchanged, with their quotes, and written in the input's format. A last line without a line end gets
  one. Blank lines of a CSV are dropped and counted.
  COLUMN:TYPE and COLUMN:text give the type of a column of a CSV. Without a type, a column holds numbers if every field
  is a number or missing (empty, or --null NA): 64-bit integers if all are integers, else f64. The report shows the type
  and the field that decided it. Texts (dates, too) are compared by bytes. Missing fields and NaNs come last in both
  directions. Rows whose keys compare equal keep their order: here -0 and 0, too, are equal, while in a single column of
  numbers -0 is less.
)";

void add_by_option(CLI::App& command, table_options& options, const char* what) {
  command.add_option("--by", options.by, what)
      ->type_name("COLUMN")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void add_table_options(CLI::App& command, table_options& options) {
  command
      .add_option("--delimiter", options.delimiter, "the character between fields of a CSV; the word tab is accepted")
      ->type_name("CHARACTER");
  command
      .add_option("--null", options.nulls,
                  "treat CSV fields that are this word, for example NA, as missing,\nlike empty ones; may be repeated")
      ->type_name("WORD")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  add_number_option(command, "--record-bytes", options.record_bytes, "the input consists of records of N bytes",
                    {.least = 1})
      .type_name("N");
  command.add_flag("--indices", options.indices, "write row numbers, from 0, instead of rows");
  command.add_flag(
      "--group-count", options.group_count,
      "write one row of those with equal keys, the first, and how many\nthey are: a column count at the end; "
      "of lines as uniq -c; of\nnumbers in a text behind a tab; of .npy a field count of an array\nof "
      "structures; of raw items and records a u64 behind each");
  command.add_flag("--count", options.count, "write only the number of rows");
}

}  // namespace ballot::app
