// SPDX-License-Identifier: Apache-2.0
// Columns as streams of items, between files and engines. An engine reads and writes chunk by
// chunk, so that it can overlap reading and writing with copies to a device.
#pragma once

#include <ballot/core/namespace.hpp>
#include "base/dtype.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ballot::app {

class source {
 public:
  virtual ~source() = default;
  virtual const std::string& name() const = 0;  // as messages show it
  virtual dtype type() const = 0;
  virtual std::optional<std::uint64_t> count() const = 0;  // if known before everything has been read
  // Fills `into`, whose size is a multiple of the item's. Returns the number of bytes; fewer than
  // requested mean the end.
  virtual std::size_t read(std::span<std::byte> into) = 0;
  // The number of blank lines of text read so far. They are not items.
  virtual std::uint64_t blank_lines() const { return 0; }
};

class sink {
 public:
  virtual ~sink() = default;
  virtual void begin(
      std::uint64_t count) = 0;  // once, before the first write: some formats have the count in the header
  // Whether begin() does without the count (it is called with 0 then), and nobody sees the output
  // if the run fails. Items can then be written while others are still read.
  virtual bool takes_items_as_they_come() const { return false; }
  virtual void write(std::span<const std::byte> items) = 0;
  virtual void finish() = 0;  // once, after the last write
};

}  // namespace ballot::app
