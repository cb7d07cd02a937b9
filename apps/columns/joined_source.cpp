// SPDX-License-Identifier: Apache-2.0
#include "columns/joined_source.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <utility>

namespace ballot::app {
namespace {

using opener = std::function<std::unique_ptr<source>(const std::string&)>;

bool can_be_reopened(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_regular_file(path, ignored);
}

class joined_source final : public source {
 public:
  joined_source(const std::vector<std::string>& paths, opener open) : open_(std::move(open)) {
    std::uint64_t items = 0;
    bool is_known = true;
    for (const std::string& path : paths) {
      auto part = open_(path);
      if (parts_.empty()) type_ = part->type();
      else if (part->type() != type_)
        throw failure(fmt::format("{}: its items are {}, and those of {} {}", part->name(), app::name_of(part->type()),
                                  paths.front(), app::name_of(type_)));
      if (const auto count = part->count()) items += *count;
      else is_known = false;
      if (can_be_reopened(path) && !parts_.empty()) part.reset();
      parts_.emplace_back(path, std::move(part));
    }
    if (is_known) count_ = items;
  }

  const std::string& name() const override {
    return parts_.front().second ? parts_.front().second->name() : parts_.front().first;
  }
  dtype type() const override { return type_; }
  std::optional<std::uint64_t> count() const override { return count_; }
  std::uint64_t blank_lines() const override {
    std::uint64_t lines = blank_lines_before_;
    if (at_ < parts_.size() && at_ != 0 && parts_[at_].second) lines += parts_[at_].second->blank_lines();
    if (at_ == 0) lines += parts_[0].second->blank_lines();
    return lines;
  }

  std::size_t read(std::span<std::byte> into) override {
    std::size_t filled = 0;
    while (filled < into.size() && at_ < parts_.size()) {
      auto& [path, part] = parts_[at_];
      if (!part) part = open_(path);
      filled += part->read(into.subspan(filled));
      if (filled == into.size()) break;
      blank_lines_before_ += part->blank_lines();
      if (at_ != 0) part.reset();
      ++at_;
    }
    return filled;
  }

 private:
  opener open_;
  std::vector<std::pair<std::string, std::unique_ptr<source>>> parts_;  // the first stays, for its name
  std::size_t at_ = 0;
  dtype type_{};
  std::optional<std::uint64_t> count_;
  std::uint64_t blank_lines_before_ = 0;
};

}  // namespace

std::unique_ptr<source> join_sources(const std::vector<std::string>& paths, const opener& open) {
  if (paths.size() == 1) return open(paths.front());
  return std::make_unique<joined_source>(paths, open);
}

}  // namespace ballot::app
