// SPDX-License-Identifier: Apache-2.0
#include "processes/same_arguments.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace ballot::app {
namespace {

// Of this process, each with a zero behind it.
std::string arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  const std::size_t program = all.find('\0');
  return program == all.npos ? std::string() : all.substr(program + 1);
}

std::string_view take_word(std::string_view& words) {
  const std::string_view word = words.substr(0, words.find('\0'));
  words.remove_prefix(word.size() + (word.size() < words.size() ? 1 : 0));
  return word;
}

}  // namespace

void require_same_arguments(const process_group& group) {
  const std::string own = arguments(), first = group.broadcast(own, 0);
  group.together([&] {
    if (own == first) return;
    std::string_view mine = own, theirs = first;
    const auto next = [](std::string_view& words) {
      return words.empty() ? std::string("no more") : fmt::format("'{}'", take_word(words));
    };
    std::string here, there;
    do {
      here = next(mine), there = next(theirs);
    } while (here == there && !(mine.empty() && theirs.empty()));
    throw usage_error(
        fmt::format("several processes make one sort, and need the same arguments: process {} has {} where process 0 "
                    "has {}",
                    group.rank(), here, there));
  });
}

int refuse_by_processes(const std::function<void()>& say) {
  const bool is_first = launched_rank() == 0;
  if (is_first) say();  // also if the others never come
  try {
    const process_group group;
    require_same_arguments(group);
  } catch (const usage_error&) {
    if (!is_first) say();
    return exit_usage;
  } catch (const std::exception&) {  // another process says it
  }
  return is_first ? exit_usage : exit_done;
}

}  // namespace ballot::app
