// SPDX-License-Identifier: Apache-2.0
// Cumulative sums of rows on all cores.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/engine.hpp"

#include <cstddef>
#include <span>

namespace ballot::app {

void scan_rows_on_cpu(const scan_request& request, std::span<std::byte> items);

}  // namespace ballot::app
