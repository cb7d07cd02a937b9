// SPDX-License-Identifier: Apache-2.0
// A check of prefix sums that shares no code with the engines: from the definition, on one thread.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/engine.hpp"

#include <cstddef>
#include <span>

namespace ballot::app {

// Integers must be equal. Floats must be as near to the sums in long double as any order of
// additions in the accumulator leaves them. Throws verification_failure.
void verify_scan(const scan_request& request, std::span<const std::byte> before, std::span<const std::byte> after);

}  // namespace ballot::app
