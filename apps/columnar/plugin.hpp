// SPDX-License-Identifier: Apache-2.0
// The interface of ballot-arrow.so to the command: Arrow's library behind functions of C and
// Arrow's C data interface.
//
// Why a plug-in, loaded when the first such file is opened, and not a library that the command is
// linked to:
//   - Arrow and Parquet are 50 MB and more with what they need. Linked, every run of the command
//     would load them, and the command could not be carried to a machine that lacks them, or that
//     has another version of them (each version has a name of its own: libarrow.so.2600).
//   - One command serves with Arrow and without: it is packaged once, and the plug-in apart from
//     it.
//   - Arrow's C++ interface changes with each version, the C data interface never does. No type of
//     C++ and no exception crosses this border. So the two sides may come from different compilers.
#pragma once

#include "columnar/c_data.hpp"

#include <cstdint>

extern "C" {

// Changes with every change below.
#define BALLOT_ARROW_PLUGIN_VERSION 1

struct ballot_arrow_error {
  char text[1024];
};

// The source of a file's bytes. Functions return false, or less than asked for at the end, and -1
// where they failed.
struct ballot_arrow_source {
  void* self;
  std::int64_t size;  // -1: a pipe, which is read from front to back
  std::int64_t (*read_at)(void* self, std::int64_t offset, std::int64_t bytes, void* into);
};

struct ballot_arrow_sink {
  void* self;
  bool (*write)(void* self, const void* bytes, std::int64_t count);
};

enum ballot_arrow_format : std::int32_t { ballot_arrow_file = 0, ballot_arrow_stream = 1, ballot_arrow_parquet = 2 };

struct ballot_arrow_reader;
struct ballot_arrow_writer;

// Functions that return bool set the error where it is false; those that return a pointer where it
// is null.
struct ballot_arrow_functions {
  std::int32_t version;
  const char* library;  // "Apache Arrow 26.0.1"

  // For Arrow, files and streams are told apart by their first bytes.
  ballot_arrow_reader* (*open)(const ballot_arrow_source*, bool is_parquet, ballot_arrow_error*);
  bool (*schema)(ballot_arrow_reader*, ArrowSchema* to, ballot_arrow_error*);
  // Before the first batch, once: the columns that are read, in ascending order.
  bool (*choose)(ballot_arrow_reader*, const std::int32_t* columns, std::int32_t count, ballot_arrow_error*);
  // At the end `to` is released (its release is null).
  bool (*next)(ballot_arrow_reader*, ArrowArray* to, ballot_arrow_error*);
  void (*close)(ballot_arrow_reader*);

  // Takes the schema.
  ballot_arrow_writer* (*create)(const ballot_arrow_sink*, ballot_arrow_format, ArrowSchema*, ballot_arrow_error*);
  bool (*write)(ballot_arrow_writer*, ArrowArray*, ballot_arrow_error*);  // takes the array
  bool (*finish)(ballot_arrow_writer*, ballot_arrow_error*);
  void (*abandon)(ballot_arrow_writer*);  // also after finish()
};

using ballot_arrow_entry = const ballot_arrow_functions*();
inline constexpr char ballot_arrow_entry_name[] = "ballot_arrow_plugin";
}
