// SPDX-License-Identifier: Apache-2.0
// The ceiling of operations that only read.
#pragma once

#include <ballot/core/namespace.hpp>

#include "operation.hpp"

#include <cstddef>

namespace ballot::bench {

// A kernel that reads the input, items of that many bytes, by wide loads, and keeps nothing. Beside
// it the copy says little: as many bytes, but half of them written.
contender read_for(std::size_t item_bytes);

}  // namespace ballot::bench
