// SPDX-License-Identifier: Apache-2.0
#include "columns/raw.hpp"
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace ballot::app {
namespace {

static_assert(std::endian::native == std::endian::little);

class raw_source final : public source {
 public:
  raw_source(input_file file, dtype type) : file_(std::move(file)), type_(type), bytes_(file_.remaining()) {
    if (bytes_) require_whole_items(*bytes_);
  }

  const std::string& name() const override { return file_.name(); }
  dtype type() const override { return type_; }
  std::optional<std::uint64_t> count() const override {
    if (!bytes_) return std::nullopt;
    return *bytes_ / size_of(type_);
  }

  std::size_t read(std::span<std::byte> into) override {
    // A file that grows meanwhile is taken as it was when it was opened.
    if (bytes_) into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), *bytes_ - taken_)));
    const std::size_t got = file_.read(into);
    taken_ += got;
    if (got < into.size()) {
      if (bytes_) throw failure(fmt::format("{}: became shorter while it was read", name()));
      require_whole_items(taken_);
    }
    return got;
  }

 private:
  void require_whole_items(std::uint64_t bytes) const {
    if (bytes % size_of(type_) != 0)
      throw failure(fmt::format("{}: {} bytes are not a whole number of {} items ({} bytes each)", name(), bytes,
                                name_of(type_), size_of(type_)));
  }

  input_file file_;
  dtype type_;
  std::optional<std::uint64_t> bytes_;
  std::uint64_t taken_ = 0;
};

class raw_sink final : public sink {
 public:
  explicit raw_sink(output_file& file) : file_(file) {}
  void begin(std::uint64_t) override {}
  bool takes_items_as_they_come() const override { return file_.is_seen_when_complete(); }
  void write(std::span<const std::byte> items) override { file_.write(items); }
  void finish() override {}

 private:
  output_file& file_;
};

}  // namespace

std::unique_ptr<source> open_raw(input_file file, dtype type) {
  return std::make_unique<raw_source>(std::move(file), type);
}

std::unique_ptr<sink> make_raw_sink(output_file& file) { return std::make_unique<raw_sink>(file); }

}  // namespace ballot::app
