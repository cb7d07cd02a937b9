// SPDX-License-Identifier: Apache-2.0
// Raw items, little-endian, without a header.
#pragma once

#include <ballot/core/namespace.hpp>
#include "columns/stream.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"

#include <memory>

namespace ballot::app {

std::unique_ptr<source> open_raw(input_file file, dtype type);
std::unique_ptr<sink> make_raw_sink(output_file& file);

}  // namespace ballot::app
