// SPDX-License-Identifier: Apache-2.0
#include "columnar/library.hpp"

#include "base/failure.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <string_view>
#include <vector>

#ifndef BALLOT_APP_PLUGIN_FOLDER  // from the folder of the program
#  define BALLOT_APP_PLUGIN_FOLDER "../lib/ballot"
#endif

namespace ballot::app {
namespace {

constexpr std::string_view plugin_name = "ballot-arrow.so";

std::vector<std::string> places_of_plugin() {
  if (const char* const named = std::getenv("BALLOT_ARROW_PLUGIN"); named != nullptr && *named != '\0') return {named};
  char program[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program);
  if (length <= 0) return {std::string(plugin_name)};
  std::string_view folder(program, static_cast<std::size_t>(length));
  folder = folder.substr(0, folder.rfind('/'));
  return {fmt::format("{}/{}", folder, plugin_name),
          fmt::format("{}/{}/{}", folder, BALLOT_APP_PLUGIN_FOLDER, plugin_name)};
}

struct loaded {
  const ballot_arrow_functions* functions = nullptr;
  std::string problem;
};

loaded load() {
  std::string tried;
  for (const std::string& place : places_of_plugin()) {
    if (access(place.c_str(), F_OK) != 0) {
      tried += (tried.empty() ? "there is no " : " and no ") + place;
      continue;
    }
    // It stays loaded: Arrow has threads of its own. What it needs is looked for beside it before anything else is.
    void* const library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return {nullptr, dlerror()};
    void* const entry = dlsym(library, ballot_arrow_entry_name);
    const auto* const functions = entry == nullptr ? nullptr : reinterpret_cast<ballot_arrow_entry*>(entry)();
    if (functions == nullptr || functions->version != BALLOT_ARROW_PLUGIN_VERSION)
      return {nullptr, place + " belongs to another version of ballot"};
    return {functions, {}};
  }
  return {nullptr, tried};
}

const loaded& library() {
  static const loaded found = load();
  return found;
}

}  // namespace

const ballot_arrow_functions& arrow_library(const std::string& path) {
  if (library().functions != nullptr) return *library().functions;
  throw usage_error(fmt::format(
      "{}: Arrow and Parquet need the library Apache Arrow, by the plug-in {}: {}. It is built where CMake finds Arrow "
      "and Parquet: the packages libarrow-dev and libparquet-dev of https://arrow.apache.org/install, or "
      "'pip install pyarrow'. Without them, convert by pyarrow, DuckDB or Polars to .csv, .jsonl or .npy",
      path, plugin_name, library().problem));
}

arrow_library_state find_arrow_library() {
  if (library().functions == nullptr) return {{}, library().problem};
  return {library().functions->library, {}};
}

}  // namespace ballot::app
