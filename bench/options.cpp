// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "options.hpp"
#include "sizes.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ballot::bench {

options take_options(std::vector<char*>& arguments) {
  options chosen;
  // Static: Google Benchmark keeps pointers into its arguments.
  static char interleaving[] = "--benchmark_enable_random_interleaving=true",
              repetitions[] = "--benchmark_repetitions=9", few_repetitions[] = "--benchmark_repetitions=3",
              aggregates[] = "--benchmark_display_aggregates_only=true";
  char* repeat = repetitions;
  std::vector<char*> others;
  for (char* argument : arguments) {
    const std::string_view word = argument;
    if (word.starts_with("--keys="))
      for_each_word(word.substr(7), [&](const std::string& name) { chosen.spreads.push_back(parse_key_spread(name)); });
    else if (word.starts_with("--sizes=")) chosen.sizes = parse_sizes(word.substr(8));
    else if (word == "--quick") repeat = few_repetitions;
    else others.push_back(argument);
    if (word.starts_with("--benchmark_repetitions="))
      chosen.repetitions = std::strtoul(word.data() + word.find('=') + 1, nullptr, 10);
    if (word == "--benchmark_list_tests" || word == "--benchmark_list_tests=true") chosen.list = true;
  }
  const bool quick = repeat == few_repetitions;
  for (const key_spread& spread : chosen.spreads)
    if (!has_keys<std::uint32_t>(spread))
      throw std::invalid_argument("a spread of floats, which the grid alone sorts: " + spread.name);
  if (chosen.spreads.empty()) chosen.spreads.push_back(parse_key_spread("uniform"));
  chosen.sizes_were_asked_for = !chosen.sizes.empty();
  if (!chosen.sizes_were_asked_for) {
    for (int power : {16, 20, 24, 28})
      if (!quick || power != 24) chosen.sizes.push_back(std::uint64_t{1} << power);
  }
  if (chosen.repetitions == 0) chosen.repetitions = quick ? 3 : 9;
  if (!others.empty()) others.insert(others.begin() + 1, {interleaving, repeat, aggregates});
  arguments = std::move(others);
  return chosen;
}

}  // namespace ballot::bench
