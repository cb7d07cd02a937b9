// SPDX-License-Identifier: Apache-2.0
#include "base/cgroup_memory.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace ballot::app {
namespace {

using std::filesystem::path;

// The names of a version's files.
struct cgroup_files {
  int version;
  const char *limit, *used, *inactive;  // the last one: a line of memory.stat
};
constexpr cgroup_files version_1{1, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
    version_2{2, "memory.max", "memory.current", "inactive_file"};

// Where a hierarchy is mounted, and which of its groups is there.
struct cgroup_mount {
  path at, group;
};

std::optional<std::uint64_t> number_in(const path& file) {
  std::uint64_t number = 0;
  if (std::ifstream(file) >> number) return number;
  return std::nullopt;  // absent, or "max"
}
std::uint64_t number_of_line(const path& file, const std::string& name) {
  std::ifstream lines(file);
  std::uint64_t number = 0;
  for (std::string word; lines >> word >> number;)
    if (word == name) return number;
  return 0;
}

bool has_word(const std::string& list, const std::string& word) {
  std::istringstream words(list);
  for (std::string one; std::getline(words, one, ',');)
    if (one == word) return true;
  return false;
}

// A line of mountinfo: id, parent, device, root, mount point, options, optional fields, -, type,
// source, options of the type.
std::optional<cgroup_mount> find_mount(const path& root, const cgroup_files& files) {
  std::ifstream lines(root / "proc/self/mountinfo");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string skipped, group, at, word, type, source, options;
    words >> skipped >> skipped >> skipped >> group >> at;
    while (words >> word && word != "-") {
    }
    words >> type >> source >> options;
    const bool is_wanted = files.version == 2 ? type == "cgroup2" : type == "cgroup" && has_word(options, "memory");
    if (is_wanted) return cgroup_mount{root / path(at).relative_path(), group};
  }
  return std::nullopt;
}

// A line of cgroup: number, controllers (none in version 2), the group.
std::optional<path> find_group(const path& root, const cgroup_files& files) {
  std::ifstream lines(root / "proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (files.version == 2 ? controllers.empty() : has_word(controllers, "memory")) return line.substr(second + 1);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> least_free(const path& root, const cgroup_files& files) {
  const auto mount = find_mount(root, files);
  const auto group = find_group(root, files);
  if (!mount || !group) return std::nullopt;
  // In a container the mounted group may be the process's own, which cgroup names as the host does.
  path below = group->lexically_relative(mount->group);
  if (below.empty() || *below.begin() == "..") below = ".";
  std::optional<std::uint64_t> least;
  for (path at = (mount->at / below).lexically_normal();; at = at.parent_path()) {
    if (!at.has_filename()) at = at.parent_path();
    if (const auto limit = number_in(at / files.limit)) {
      const std::uint64_t used = number_in(at / files.used).value_or(0),
                          inactive = std::min(used, number_of_line(at / "memory.stat", files.inactive)),
                          free = *limit > used - inactive ? *limit - (used - inactive) : 0;
      least = least ? std::min(*least, free) : free;
    }
    if (at == mount->at || at == at.parent_path()) return least;
  }
}

}  // namespace

std::optional<std::uint64_t> free_memory_of_cgroup(const path& root) {
  const auto first = least_free(root, version_1), second = least_free(root, version_2);
  return first && second ? std::min(*first, *second) : first ? first : second;
}

}  // namespace ballot::app
