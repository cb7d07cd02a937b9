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
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ballot::app {

class npy_array {
 public:
  // Throws failure where items of a type cannot be used; without the name of the file in front.
  using type_check = std::function<void(const npy_type& type, const std::string& descr)>;

  // Throws failure, also what the check throws. The check passes no type without `read_as`.
  npy_array(input_file file, const type_check& require_type);

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

// For sums: numbers and durations, of the expected type where there is one (--dtype).
npy_array::type_check require_summable(std::optional<dtype> expected);

}  // namespace ballot::app
