// SPDX-License-Identifier: Apache-2.0
#include "options/table_options.hpp"

#include "options/number_option.hpp"

#include <CLI/CLI.hpp>

namespace ballot::app {

const char* const tables_help = R"(
Tables
  .csv and .tsv     RFC 4180 with a header; other delimiters by --delimiter. Columns by name, or by number: #1 is
                    the first. The header must be shorter than 16 MiB.
  .jsonl, .ndjson   JSON Lines: one object a line, whose members are the columns. The first rows show which there are.
                    Strings are texts, even if they look like numbers. Null and absent members are missing fields
  --format lines    whole lines, compared by bytes
  .npy              two dimensions (columns 0, 1, ...), structures (columns are the fields), and items that are not
                    plain numbers (column value): big-endian, f16, datetime64, timedelta64, booleans, S and U. Items
                    keep their type. NaT comes last. Texts are compared character by character, as in NumPy
  --record-bytes N  records of N bytes (--format records); columns are OFFSET:LENGTH or OFFSET:TYPE
  --format sosd     a count, then u64 or u32 keys
  .parquet, .arrow  Parquet; Arrow files (also .feather, version 2) and streams (.arrows), known by their first bytes:
                    columns of numbers, booleans (0 and 1), texts, bytes, dates, times and decimals, with nulls.
                    Needs Apache Arrow by a plug-in (ballot info says whether it is there). See below
  Several files of one format are read one behind the other. Headers that differ are an error.
  Rows are copied unchanged, with their quotes, and written in the input's format, unless -o or --output-format names
  another one, or --columns chooses from them: CSV and TSV (fields are copied), JSON Lines (numbers, texts, null; an
  infinity is 1e999, NaN null), .npy (structures; texts are S, UTF-8; integers with missing fields become f64, times
  keep their types). Types of columns are those of the input (compact --top: of the rows that are written), or of
  --columns a:f64. A last line without a line end gets one. Blank lines of a CSV are dropped and counted.
  COLUMN:TYPE and COLUMN:text give the type of a column of a CSV. Without a type, a column holds numbers if every field
  is a number or missing (empty, or --null NA): 64-bit integers if all are integers, else f64. The report shows the type
  and the field that decided it. Texts, dates among them, are compared byte by byte. Missing fields and NaNs come last
  in both directions. Rows with equal keys keep their order. In keys of rows, -0 and 0 are equal. In a single column of
  numbers, -0 is less than 0.

Arrow and Parquet
  Only the columns that a run needs are read, a batch at a time. --memory does not include the batch, nor Arrow itself
  (some 50M). The output has the types of the input; texts of dictionaries and views become plain ones. Columns
  of other formats become integers, floats and texts (UTF-8), of .npy also booleans and times. An empty field is null.
  Parquet is written with Snappy, Arrow without compression, and to standard output as a stream. Parquet from a pipe is
  held in memory.
  Times and dates are compared as the numbers they are (units since 1970); in conditions also with dates in quotes:
  ts >= '2024-12-31 12:00'. As texts (CSV, JSON, text(ts)) they are 2024-12-31, 23:59:59.000, 2024-12-31T23:59:59.000,
  and those with a zone in UTC with a Z.
  Decimals are sorted as they are. In conditions they are f64, and those of more than 15 digits are an error. There a
  null text is an empty one. Nested columns (lists, structures, maps) and intervals are not read: leave them out by
  --columns.
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
      .add_option("--columns", options.columns,
                  "write these columns, in this order: a,b,c. COLUMN:TYPE and\nCOLUMN:text choose the type in .npy or "
                  "JSON. May be repeated")
      ->type_name("COLUMNS")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  command.add_flag("--no-header", options.no_header,
                   "the CSV has no line of names: its columns are called\n#1, #2, ..., and no names are written");
  command
      .add_option(
          "--null", options.nulls,
          "treat CSV fields with this word, for example NA, as missing values,\nlike empty fields. May be repeated")
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
      "of rows with equal keys, write the first one, and how many there\nare. The number is the last column, "
      "count. Lines: before the line, as\nin uniq -c. Numbers in a text: after a tab. .npy: a field count of\n"
      "structures. Raw items and records: a u64 after each");
  command.add_flag("--count", options.count, "write only the number of rows");
}

}  // namespace ballot::app
