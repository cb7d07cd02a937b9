// SPDX-License-Identifier: Apache-2.0
// Writes batches of columns as an Arrow file or stream, or as a Parquet file.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/host_buffer.hpp"
#include "columnar/arrow_type.hpp"
#include "columnar/batch_maker.hpp"
#include "columnar/plugin.hpp"

#include <string>

namespace ballot::app {

class arrow_writer {
 public:
  // `name`: of the output, for messages. Throws usage_error where there is no library, and failure.
  arrow_writer(const std::string& name, ballot_arrow_format format, const arrow_schema& schema);
  ~arrow_writer();
  arrow_writer(const arrow_writer&) = delete;
  arrow_writer& operator=(const arrow_writer&) = delete;

  void write(batch_maker& batch);
  void finish();
  // The bytes to be written to the file next. The caller empties it.
  host_buffer& bytes() { return bytes_; }

 private:
  static bool take(void* self, const void* bytes, std::int64_t count);
  [[noreturn]] void throw_problem(const ballot_arrow_error& error);

  std::string name_;
  const ballot_arrow_functions& library_;
  host_buffer bytes_;
  std::string problem_;
  ballot_arrow_sink sink_{};
  ballot_arrow_writer* writer_ = nullptr;
};

}  // namespace ballot::app
