// NumPy's .npy, one-dimensional, little-endian, of the types in dtype.hpp.
#pragma once

#include <ballot/core/namespace.hpp>
#include "common/formats/stream.hpp"
#include "common/input_file.hpp"
#include "common/output_file.hpp"

#include <memory>
#include <optional>

namespace ballot::app {

std::unique_ptr<source> open_npy(input_file file, std::optional<dtype> expected);
std::unique_ptr<source> open_npy_flags(input_file file);  // u1 or b1, as u8
std::unique_ptr<sink> make_npy_sink(output_file& file, dtype type);

}  // namespace ballot::app
