// SPDX-License-Identifier: Apache-2.0
// Plug-ins: libraries that the command loads when a run needs them. So the command can be carried
// to machines without the libraries that they are linked to. Behind them are functions of C; no
// type of C++ and no exception crosses their border.
//
// An environment variable may name the file. Otherwise it is beside the program, or in the folder
// lib/ballot of the installation.
#pragma once

#include <ballot/core/namespace.hpp>

#include <string>
#include <string_view>

namespace ballot::app {

struct loaded_plugin {
  const void* functions = nullptr;  // what the entry returned
  std::string place;                // the file
  std::string problem;              // why there are none
};

// Loads the file and calls its entry, a function without arguments that returns a pointer. It stays
// loaded.
loaded_plugin load_plugin(std::string_view name, const char* variable, const char* entry);

}  // namespace ballot::app
