// SPDX-License-Identifier: Apache-2.0
// Small integer arithmetic for sizes, which are 64-bit everywhere.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot::detail {

BALLOT_HOST_DEVICE constexpr std::uint64_t ceil_div(std::uint64_t n, std::uint64_t d) { return n / d + (n % d != 0); }

BALLOT_HOST_DEVICE constexpr std::uint64_t smaller(std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }
BALLOT_HOST_DEVICE constexpr std::uint64_t larger(std::uint64_t a, std::uint64_t b) { return a < b ? b : a; }

}  // namespace ballot::detail
