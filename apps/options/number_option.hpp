// SPDX-License-Identifier: Apache-2.0
// Options that are whole numbers or sizes. All are parsed here, with the same error messages.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ballot::app {

struct number_range {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

// Throws usage_error: "--top -5: a whole number of at least 0 is needed". The message begins with
// `option`.
std::uint64_t parse_whole_number(std::string_view option, std::string_view text, const number_range& range = {});
// The same with a unit behind it, powers of 1024: 512M, 16G, 16GiB.
std::uint64_t parse_size(std::string_view option, std::string_view text, const number_range& range = {});

CLI::Option& add_number_option(CLI::App& command, const std::string& name, std::uint64_t& into,
                               const std::string& description, const number_range& range = {});
CLI::Option& add_number_option(CLI::App& command, const std::string& name, std::optional<std::uint64_t>& into,
                               const std::string& description, const number_range& range = {});
CLI::Option& add_size_option(CLI::App& command, const std::string& name, std::uint64_t& into,
                             const std::string& description, const number_range& range = {});

}  // namespace ballot::app
