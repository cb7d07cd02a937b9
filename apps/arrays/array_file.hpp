// SPDX-License-Identifier: Apache-2.0
// Files of rows of numbers. They are read whole, their items are changed, and they are written in
// the same format: .npy arrays (rows along the last axis), the traces of a SEG-Y file, and columns
// (raw, text), which are one row, or rows of a given length.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/dtype.hpp"
#include "base/host_buffer.hpp"
#include "base/phase_clock.hpp"
#include "files/output_file.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ballot::app {

struct array_rows {
  dtype type{};
  std::uint64_t rows = 0;
  std::uint64_t length = 0;  // items per row
  host_buffer items;         // row after row, without gaps
  std::uint64_t blank_lines = 0;
};

class array_file {
 public:
  virtual ~array_file() = default;
  virtual array_rows read(phase_clock& clock) = 0;  // once
  // After read(): writes as many items as were read, in the format of the file; the rest of the
  // file is unchanged.
  virtual void write(output_file& to, std::span<const std::byte> items, phase_clock& clock) = 0;
};

enum class array_format { raw, npy, text, segy };

inline constexpr std::string_view array_format_names = "raw, npy, text, segy";

std::optional<array_format> array_format_named(std::string_view name);
std::optional<array_format> array_format_of_extension(std::string_view path);  // those of columns, .segy, .sgy
bool is_text(array_format f);
void require_extension(const std::string& output,
                       array_format written);  // throws usage_error if the extension is of another format

struct array_request {
  std::string path;
  array_format format;
  std::optional<dtype> type;            // as given by the user; required for raw
  std::optional<std::uint64_t> length;  // raw and text: items per row; without, everything is one row
};

// Opens the file and checks what is known before reading. Throws failure, or usage_error if the
// request is contradictory.
std::unique_ptr<array_file> open_array(const array_request& request);

}  // namespace ballot::app
