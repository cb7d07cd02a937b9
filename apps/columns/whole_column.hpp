// SPDX-License-Identifier: Apache-2.0
// Whole columns in host memory, read from a source or written to a sink.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/host_buffer.hpp"
#include "base/phase_clock.hpp"
#include "columns/stream.hpp"

#include <cstdint>

namespace ballot::app {

host_buffer read_all(source& in, phase_clock& clock);
void write_all(sink& out, std::span<const std::byte> items, phase_clock& clock);
// The whole of a column: its count, its items and its end.
void write_column(sink& out, dtype type, std::span<const std::byte> items, phase_clock& clock);
// Throws failure where the counts differ.
void require_one_flag_per_item(const source& flags, std::uint64_t flag_count, std::uint64_t item_count);

}  // namespace ballot::app
