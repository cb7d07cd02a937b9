// SPDX-License-Identifier: Apache-2.0
// Lists on the command line.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::bench {

template <class Use>
void for_each_word(std::string_view list, Use use) {
  while (true) {
    const std::size_t comma = list.find(',');
    use(std::string(list.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

inline std::uint64_t parse_size(const std::string& word) {
  const bool power = word.starts_with("2^");
  const std::string digits = power ? word.substr(2) : word;
  if (digits.empty() || digits.size() > 10 || digits.find_first_not_of("0123456789") != std::string::npos)
    throw std::invalid_argument("not a number of items: " + word);
  const std::uint64_t number = std::stoull(digits);
  if (power && number > 30) throw std::invalid_argument("the benchmarks stop at 2^30 items");
  const std::uint64_t items = power ? std::uint64_t{1} << number : number;
  if (items == 0 || items >= std::uint64_t{1} << 31)
    throw std::invalid_argument("not between 1 and 2^31 - 1 items: " + word);
  return items;
}

// "2^16,1000"
inline std::vector<std::uint64_t> parse_sizes(std::string_view list) {
  std::vector<std::uint64_t> sizes;
  for_each_word(list, [&](const std::string& word) { sizes.push_back(parse_size(word)); });
  return sizes;
}

}  // namespace ballot::bench
