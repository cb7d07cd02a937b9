// SPDX-License-Identifier: Apache-2.0
// Columns in several files, one behind the other, as one.
#pragma once

#include <ballot/core/namespace.hpp>

#include "columns/stream.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ballot::app {

// `open` opens one of them. All are opened now; files that can be opened again are closed until it
// is their turn. Throws failure, also where the types of their items differ.
std::unique_ptr<source> join_sources(const std::vector<std::string>& paths,
                                     const std::function<std::unique_ptr<source>(const std::string&)>& open);

}  // namespace ballot::app
