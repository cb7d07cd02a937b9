// SPDX-License-Identifier: Apache-2.0
// An .npy of any shape, order and order of bytes, as numbers in C order (the last index runs
// fastest). Items of f16 are read as f32, durations (timedelta64) as i64.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/dtype.hpp"
#include "base/host_buffer.hpp"
#include "base/phase_clock.hpp"
#include "columns/npy_header.hpp"
#include "columns/npy_type.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ballot::app {

class npy_array {
 public:
  // Throws failure, also where items of the type cannot be summed.
  npy_array(input_file file, std::optional<dtype> expected);

  dtype type() const { return *type_.read_as; }
  const std::vector<std::uint64_t>& shape() const { return header_.shape; }
  host_buffer read(phase_clock& clock);  // once; throws failure, also where a duration is NaT
  // Writes as many items, of the type of the file, in C order.
  void write(output_file& to, std::span<const std::byte> items, phase_clock& clock) const;

 private:
  input_file file_;
  npy_header header_;
  npy_type type_;
  std::uint64_t count_ = 0;
};

}  // namespace ballot::app
