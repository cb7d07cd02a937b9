// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy as a column: one-dimensional, of the types in dtype.hpp, little-endian.
// npy_array.hpp reads more, and so do tables (tables/npy_table.cpp).
#pragma once

#include <ballot/core/namespace.hpp>
#include "columns/npy_header.hpp"
#include "columns/stream.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ballot::app {

// Reads up to the first item. Throws failure, without the name of the file in front.
npy_header read_npy_header(input_file& file);
// The number of items. Throws the same.
std::uint64_t count_in(const npy_header& header);
// Throws failure unless so many bytes are all the items.
void require_npy_bytes(const std::string& name, dtype type, std::uint64_t item_bytes, std::uint64_t count,
                       std::uint64_t bytes);

std::unique_ptr<source> open_npy(input_file file, std::optional<dtype> expected);
std::unique_ptr<source> open_npy_flags(input_file file);  // u1 or b1, as u8
std::unique_ptr<sink> make_npy_sink(output_file& file, dtype type);
std::unique_ptr<sink> make_npy_sink(output_file& file, dtype type, const std::vector<std::uint64_t>& shape);

}  // namespace ballot::app
