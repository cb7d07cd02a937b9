// SPDX-License-Identifier: Apache-2.0
#include "options/number_option.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace ballot::app {
namespace {

constexpr std::string_view digits = "0123456789";

[[noreturn]] void refuse(std::string_view option, std::string_view text, const std::string& why) {
  throw usage_error(fmt::format("{} {}: {}", option, text, why));
}

// The value of `number`, the digits at the front of `text`, times `unit`. unit 0: the unit is
// unknown. `otherwise`: the message where `text` is no number with a unit.
std::uint64_t number_in(std::string_view option, std::string_view text, std::string_view number, std::uint64_t unit,
                        const number_range& range, const char* otherwise) {
  const std::string at_least = fmt::format("a whole number of at least {} is needed", range.least);
  const std::string at_most = fmt::format("a whole number of at most {} is needed", range.most);
  const bool is_negative = number.size() > 1 && number[0] == '-';
  const std::string_view magnitude = number.substr(is_negative);
  if (magnitude.empty() || magnitude.find_first_not_of(digits) != std::string_view::npos || unit == 0)
    refuse(option, text, otherwise);
  if (is_negative) refuse(option, text, at_least);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(magnitude.data(), magnitude.data() + magnitude.size(), value);
  if (error != std::errc{} || value > range.most / unit) refuse(option, text, at_most);
  if (value * unit < range.least) refuse(option, text, at_least);
  return value * unit;
}

// 1 for none, 1024 for "k", "K", "kB", "Ki", "KiB"; 0 for what is no unit.
std::uint64_t unit_named(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower.empty() || lower == "b") return 1;
  constexpr std::string_view prefixes = "kmgtpe";
  const std::size_t power = prefixes.find(lower[0]);
  const std::string_view rest = std::string_view(lower).substr(1);
  if (power == std::string_view::npos || (!rest.empty() && rest != "b" && rest != "i" && rest != "ib")) return 0;
  return std::uint64_t{1} << (10 * (power + 1));
}

using parser = std::uint64_t (*)(std::string_view, std::string_view, const number_range&);

CLI::Option& add(CLI::App& command, const std::string& name, const std::string& description, const number_range& range,
                 parser parse, std::function<void(std::uint64_t)> take) {
  const auto read = [=, take = std::move(take)](const std::string& text) { take(parse(name, text, range)); };
  return *command.add_option_function<std::string>(name, read, description);
}

}  // namespace

std::uint64_t parse_whole_number(std::string_view option, std::string_view text, const number_range& range) {
  return number_in(option, text, text, 1, range, "not a whole number");
}

std::uint64_t parse_size(std::string_view option, std::string_view text, const number_range& range) {
  const std::size_t end = std::min(text.find_first_not_of(digits, text.starts_with('-')), text.size());
  return number_in(option, text, text.substr(0, end), unit_named(text.substr(end)), range,
                   "not a size: for example 512M, 16G");
}

CLI::Option& add_number_option(CLI::App& command, const std::string& name, std::uint64_t& into,
                               const std::string& description, const number_range& range) {
  return add(command, name, description, range, parse_whole_number, [&into](std::uint64_t value) { into = value; });
}

CLI::Option& add_number_option(CLI::App& command, const std::string& name, std::optional<std::uint64_t>& into,
                               const std::string& description, const number_range& range) {
  return add(command, name, description, range, parse_whole_number, [&into](std::uint64_t value) { into = value; });
}

CLI::Option& add_size_option(CLI::App& command, const std::string& name, std::uint64_t& into,
                             const std::string& description, const number_range& range) {
  return add(command, name, description, range, parse_size, [&into](std::uint64_t value) { into = value; });
}

}  // namespace ballot::app
