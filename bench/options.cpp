#include <ballot/core/namespace.hpp>

#include "options.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ballot::bench {
namespace {

template <class Use>
void for_each_word(std::string_view list, Use use) {
  while (true) {
    const std::size_t comma = list.find(',');
    use(std::string(list.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

std::uint64_t parse_size(const std::string& word) {
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

}  // namespace

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
    else if (word.starts_with("--sizes="))
      for_each_word(word.substr(8), [&](const std::string& size) { chosen.sizes.push_back(parse_size(size)); });
    else if (word == "--quick") repeat = few_repetitions;
    else others.push_back(argument);
    if (word.starts_with("--benchmark_repetitions="))
      chosen.repetitions = std::strtoul(word.data() + word.find('=') + 1, nullptr, 10);
    if (word == "--benchmark_list_tests" || word == "--benchmark_list_tests=true") chosen.list = true;
  }
  const bool quick = repeat == few_repetitions;
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
