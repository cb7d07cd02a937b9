// SPDX-License-Identifier: Apache-2.0
// What control groups leave free, of both versions, read from files as the kernel writes them.
#include "base/cgroup_memory.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include <fstream>
#include <string>

#include <unistd.h>

using ballot::app::free_memory_of_cgroup;

namespace apps_cgroup_memory {

namespace fs = std::filesystem;

// A folder in place of /, which is removed in the end.
struct machine {
  fs::path root = fs::temp_directory_path() / ("ballot-cgroup-" + std::to_string(getpid()));

  machine() { fs::remove_all(root); }
  ~machine() { fs::remove_all(root); }
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  }
  void process(const std::string& groups, const std::string& mounts) const {
    write("proc/self/cgroup", groups);
    write("proc/self/mountinfo", mounts);
  }
  void group_1(const fs::path& at, const std::string& limit, const std::string& used,
               const std::string& inactive) const {
    write(at / "memory.limit_in_bytes", limit + "\n");
    write(at / "memory.usage_in_bytes", used + "\n");
    write(at / "memory.stat", "cache 7\ninactive_file 1\ntotal_inactive_file " + inactive + "\n");
  }
  void group_2(const fs::path& at, const std::string& limit, const std::string& used,
               const std::string& inactive) const {
    write(at / "memory.max", limit + "\n");
    write(at / "memory.current", used + "\n");
    write(at / "memory.stat", "anon 7\ninactive_file " + inactive + "\nactive_file 9\n");
  }
};
constexpr auto mounts_2 =
    "24 1 0:22 / /proc rw - proc proc rw\n35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";
constexpr auto mounts_1 =
    "35 24 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n36 24 0:31 / /sys/fs/cgroup/memory rw - cgroup "
    "cgroup rw,memory\n";

TEST_CASE("cgroups: no limit, or none that can be read") {
  const machine m;
  CHECK(!free_memory_of_cgroup(m.root));
  m.process("0::/user\n", mounts_2);
  CHECK(!free_memory_of_cgroup(m.root));
  m.group_2("sys/fs/cgroup/user", "max", "5000", "0");
  CHECK(!free_memory_of_cgroup(m.root));
}

TEST_CASE("cgroups of version 2: the least of the group and of those around it, files in the cache count as free") {
  const machine m;
  m.process("0::/batch/job\n", mounts_2);
  m.group_2("sys/fs/cgroup/batch/job", "9000", "4000", "1500");
  CHECK(free_memory_of_cgroup(m.root) == 6500);
  m.group_2("sys/fs/cgroup/batch", "10000", "9000", "200");
  CHECK(free_memory_of_cgroup(m.root) == 1200);
  m.group_2("sys/fs/cgroup/batch", "max", "9000", "200");
  m.group_2("sys/fs/cgroup/batch/job", "9000", "12000", "0");
  CHECK(free_memory_of_cgroup(m.root) == 0);
}

TEST_CASE("cgroups of version 1, beside one of version 2 without controllers") {
  const machine m;
  m.process("4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/\n", mounts_1 + std::string(mounts_2));
  m.group_1("sys/fs/cgroup/memory", "9223372036854771712", "77777", "0");
  m.group_1("sys/fs/cgroup/memory/docker/abc", "5000", "3000", "1000");
  CHECK(free_memory_of_cgroup(m.root) == 3000);
}

TEST_CASE("cgroups: in a container, the mounted group is its own") {
  const machine m;
  m.process("4:memory:/docker/abc\n", "36 24 0:31 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  m.group_1("sys/fs/cgroup/memory", "5000", "1000", "0");
  CHECK(free_memory_of_cgroup(m.root) == 4000);
  m.process("0::/../other\n", mounts_2);
  m.group_2("sys/fs/cgroup", "800", "100", "0");
  CHECK(free_memory_of_cgroup(m.root) == 700);
}

}  // namespace apps_cgroup_memory
