// SPDX-License-Identifier: Apache-2.0
// SEG-Y: headers, then traces, each with headers of its own and the same number of samples
// (segy_layout.hpp). Big-endian; floats and integers (segy_samples.hpp). Everything but the samples
// is written back unchanged. SEG Technical Standards Committee, SEG-Y rev 1 (2002), rev 2 (2017),
// rev 2.1 (2023).
#pragma once

#include <ballot/core/namespace.hpp>

#include "arrays/array_file.hpp"

#include <memory>
#include <optional>
#include <string>

namespace ballot::app {

// `expected` must be empty or the type as which the samples are read.
std::unique_ptr<array_file> open_segy(const std::string& path, std::optional<dtype> expected);

}  // namespace ballot::app
