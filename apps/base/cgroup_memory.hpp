// SPDX-License-Identifier: Apache-2.0
// What containers and batch systems allow: /proc/meminfo speaks of the whole machine.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace ballot::app {

// Bytes that the control group of this process and those around it leave free; none where there is
// no limit. Of both versions of control groups. root: where /proc and /sys are; tests choose another.
std::optional<std::uint64_t> free_memory_of_cgroup(const std::filesystem::path& root = "/");

}  // namespace ballot::app
