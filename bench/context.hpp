// SPDX-License-Identifier: Apache-2.0
// The origin of a result.
#pragma once

#include <ballot/core/namespace.hpp>

#include <string>
#include <utility>
#include <vector>

namespace ballot::bench {

// The GPU, its clocks, driver, toolkit, the releases of CUB, this library and its commit, as keys
// and values.
std::vector<std::pair<std::string, std::string>> context_of_run();

}  // namespace ballot::bench
