// SPDX-License-Identifier: Apache-2.0
// The order of rows by columns of keys, on all cores.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/engine.hpp"

#include <cstdint>
#include <span>

namespace ballot::app::cpu {

// As engine::order says: fills `rows` with row numbers; rows with equal keys ascend.
void order_rows(std::span<const key_column> columns, std::span<std::uint64_t> rows);

}  // namespace ballot::app::cpu
