// SPDX-License-Identifier: Apache-2.0
// A source and a sink over items in host memory.
#pragma once

#include <ballot/core/namespace.hpp>

#include "columns/stream.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace ballot::app {

// name: what messages call the items.
class memory_source final : public source {
 public:
  memory_source(std::span<const std::byte> items, dtype type, std::string name = "memory")
      : name_(std::move(name)), rest_(items), type_(type) {}
  const std::string& name() const override { return name_; }
  dtype type() const override { return type_; }
  std::optional<std::uint64_t> count() const override { return rest_.size() / size_of(type_); }
  std::size_t read(std::span<std::byte> into) override {
    const std::size_t taken = std::min(into.size(), rest_.size());
    if (taken != 0) std::memcpy(into.data(), rest_.data(), taken);
    rest_ = rest_.subspan(taken);
    return taken;
  }

 private:
  std::string name_;
  std::span<const std::byte> rest_;
  dtype type_;
};

class memory_sink final : public sink {
 public:
  explicit memory_sink(std::span<std::byte> into) : rest_(into) {}
  void begin(std::uint64_t) override {}
  void write(std::span<const std::byte> items) override {
    std::memcpy(rest_.data(), items.data(), items.size());
    rest_ = rest_.subspan(items.size());
  }
  void finish() override {}

 private:
  std::span<std::byte> rest_;
};

}  // namespace ballot::app
