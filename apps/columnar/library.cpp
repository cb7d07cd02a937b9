// SPDX-License-Identifier: Apache-2.0
#include "columnar/library.hpp"

#include "base/failure.hpp"
#include "base/plugin.hpp"

#include <fmt/format.h>

#include <string_view>

namespace ballot::app {
namespace {

constexpr std::string_view plugin_name = "ballot-arrow.so";

struct loaded {
  const ballot_arrow_functions* functions = nullptr;
  std::string problem;
};

loaded load() {
  const loaded_plugin found = load_plugin(plugin_name, "BALLOT_ARROW_PLUGIN", ballot_arrow_entry_name);
  const auto* const functions = static_cast<const ballot_arrow_functions*>(found.functions);
  if (functions != nullptr && functions->version != BALLOT_ARROW_PLUGIN_VERSION)
    return {nullptr, found.place + " belongs to another version of ballot"};
  return {functions, found.problem};
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
