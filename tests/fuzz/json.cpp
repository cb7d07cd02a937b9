// SPDX-License-Identifier: Apache-2.0
// Any bytes as a line of JSON. It is taken exactly if nlohmann/json takes it as an object (except
// for how deep it may go). Then the members are its members.
#include <ballot/core/namespace.hpp>

#include "files/text_encoding.hpp"
#include "tables/json_reader.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ballot::app;
  using nlohmann::json;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find('\0') != std::string_view::npos || text.starts_with(utf8_mark)) return 0;  // nlohmann's own ways
  std::map<std::string, json_value> found;
  bool is_taken = !first_not_utf8(text).has_value(), is_too_deep = false;
  try {
    if (is_taken)
      json_reader(text).object([&](const json_value& key, const json_value& value) {
        found[key.is_escaped ? unescaped_json(key.text) : std::string(key.text)] = value;
      });
  } catch (const json_error& problem) {
    if (problem.at() > size) std::abort();
    is_taken = false;
    is_too_deep = std::string_view(problem.what()).find("too deep") != std::string_view::npos;
  }
  if (is_too_deep) return 0;
  const json expected = json::parse(text, nullptr, false);
  // Numbers beyond double are refused there: here they are text.
  const bool is_object = !expected.is_discarded() && expected.is_object();
  if (is_object && !is_taken) std::abort();
  if (!is_taken || !is_object) {
    if (is_taken && text.find_first_of("eE0123456789") == std::string_view::npos) std::abort();
    return 0;
  }
  if (expected.size() != found.size()) std::abort();
  for (const auto& [key, value] : expected.items()) {
    const auto mine = found.find(key);
    if (mine == found.end()) std::abort();
    if (value.is_string() != (mine->second.kind == json_value::string)) std::abort();
    if (value.is_null() != (mine->second.kind == json_value::null)) std::abort();
    if (!value.is_string()) continue;
    const std::string plain =
        mine->second.is_escaped ? unescaped_json(mine->second.text) : std::string(mine->second.text);
    if (plain != value.get<std::string>()) std::abort();
    std::string written;
    append_json_string(written, plain);
    if (json::parse(written).get<std::string>() != plain) std::abort();
  }
  return 0;
}
