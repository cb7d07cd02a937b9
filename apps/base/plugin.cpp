// SPDX-License-Identifier: Apache-2.0
#include "base/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <vector>

#ifndef BALLOT_APP_PLUGIN_FOLDER  // from the folder of the program
#  define BALLOT_APP_PLUGIN_FOLDER "../lib/ballot"
#endif

namespace ballot::app {
namespace {

std::vector<std::string> places_of(std::string_view name, const char* variable) {
  if (const char* const named = std::getenv(variable); named != nullptr && *named != '\0') return {named};
  char program[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program);
  if (length <= 0) return {std::string(name)};
  std::string_view folder(program, static_cast<std::size_t>(length));
  folder = folder.substr(0, folder.rfind('/'));
  return {fmt::format("{}/{}", folder, name), fmt::format("{}/{}/{}", folder, BALLOT_APP_PLUGIN_FOLDER, name)};
}

}  // namespace

loaded_plugin load_plugin(std::string_view name, const char* variable, const char* entry) {
  std::string tried;
  for (const std::string& place : places_of(name, variable)) {
    if (access(place.c_str(), F_OK) != 0) {
      tried += (tried.empty() ? "there is no " : " and no ") + place;
      continue;
    }
    // It stays loaded: its libraries have threads of their own. The libraries that it needs are
    // first looked for beside it.
    void* const library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return {nullptr, place, dlerror()};
    void* const function = dlsym(library, entry);
    if (function == nullptr) return {nullptr, place, place + " is no plug-in of ballot"};
    return {reinterpret_cast<const void* (*)()>(function)(), place, {}};
  }
  return {nullptr, {}, tried};
}

}  // namespace ballot::app
