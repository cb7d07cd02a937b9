// SPDX-License-Identifier: Apache-2.0
// The plug-in that has Arrow's library (plugin.hpp): where it is looked for, and what is said where
// it is not.
//
// The environment's BALLOT_ARROW_PLUGIN names it. Otherwise it is ballot-arrow.so beside the
// program, or in the folder lib/ballot of the installation.
#pragma once

#include <ballot/core/namespace.hpp>

#include "columnar/plugin.hpp"

#include <string>

namespace ballot::app {

// Throws usage_error where it cannot be loaded: with `path`, the name of a library, and how to get
// it.
const ballot_arrow_functions& arrow_library(const std::string& path);

struct arrow_library_state {
  std::string name;    // "Apache Arrow 26.0.1"; empty: there is none
  std::string reason;  // why
};
arrow_library_state find_arrow_library();

}  // namespace ballot::app
