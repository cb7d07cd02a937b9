// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy, little-endian, of the types in dtype.hpp: one-dimensional as a column, any shape as an array.
#pragma once

#include <ballot/core/namespace.hpp>
#include "columns/npy_header.hpp"
#include "columns/stream.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace ballot::app {

// Reads up to the first item. Throws failure, without the name of the file in front.
npy_header read_npy_header(input_file& file);
// Throws failure if the array is in Fortran order and that makes a difference.
void require_c_order(const npy_header& header);

std::unique_ptr<source> open_npy(input_file file, std::optional<dtype> expected);
std::unique_ptr<source> open_npy_flags(input_file file);  // u1 or b1, as u8
std::unique_ptr<sink> make_npy_sink(output_file& file, dtype type);

// The items of an array in C order (the last index runs fastest).
struct npy_array {
  std::vector<std::uint64_t> shape;
  std::unique_ptr<source> items;
};
npy_array open_npy_array(input_file file, std::optional<dtype> expected);
std::unique_ptr<sink> make_npy_sink(output_file& file, dtype type, const std::vector<std::uint64_t>& shape);

}  // namespace ballot::app
