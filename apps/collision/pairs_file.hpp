// SPDX-License-Identifier: Apache-2.0
// The list of pairs as a file: .npy of shape (n, 2) and type u32, or CSV with a line a,b in front.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/sphere.hpp"
#include "files/output_file.hpp"

#include <span>
#include <string>

namespace ballot::app::collision {

enum class pairs_format { npy, csv };

// By the extension; standard output ("-" or none) is CSV. Throws usage_error.
pairs_format parse_pairs_format(const std::string& path);

void write_pairs(output_file& file, pairs_format format, std::span<const object_pair> pairs);

}  // namespace ballot::app::collision
