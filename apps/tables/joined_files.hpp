// SPDX-License-Identifier: Apache-2.0
// Several files with the same header, read as one table: the rows of each behind those of the one
// before it.
#pragma once

#include <ballot/core/namespace.hpp>

#include "files/input_file.hpp"
#include "tables/file_table.hpp"

#include <cstdint>
#include <memory>

namespace ballot::app {

struct opened_table {
  std::unique_ptr<input_file> file;  // behind the header
  std::unique_ptr<file_table> header;
};

// Opens what the request names, one file or several. All headers are read now, files that can be
// opened again are closed until it is their turn. Throws failure, also where a header differs from
// the first. `longest`, `memory`: as open_table_header() has them.
opened_table open_table_files(const table_request& request, std::uint64_t longest, std::uint64_t memory);

}  // namespace ballot::app
