// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow_reader.hpp"

#include "base/failure.hpp"
#include "columnar/library.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace ballot::app {

arrow_reader::arrow_reader(input_file& file, bool is_parquet, std::uint64_t memory)
    : name_(file.name()), library_(arrow_library(file.name())) {
  source_.self = this;
  source_.read_at = read_at;
  if (const auto place = file.place_in_regular_file()) {
    descriptor_ = dup(place->descriptor);
    if (descriptor_ < 0) throw_errno(name_);
    base_ = place->offset;
    size_ = place->bytes;
    source_.size = static_cast<std::int64_t>(size_);
  } else if (is_parquet) {
    constexpr std::size_t chunk = std::size_t{8} << 20;
    for (std::size_t got = chunk; got == chunk;) {
      const std::size_t before = held_.size();
      held_.resize(before + chunk);
      got = file.read(held_.bytes().subspan(before));
      held_.resize(before + got);
      if (held_.size() > memory)
        throw failure(
            fmt::format("{}: Parquet is read from its end: of a pipe, or compressed as a whole, it is held in "
                        "memory, and is larger than the {} bytes there are (--memory): use a file",
                        name_, memory));
    }
    size_ = held_.size();
    source_.size = static_cast<std::int64_t>(size_);
  } else {
    pipe_ = std::make_unique<input_file>(std::move(file));
    source_.size = -1;
  }
  ballot_arrow_error error{};
  reader_ = library_.open(&source_, is_parquet, &error);
  if (reader_ == nullptr) throw_problem(error);
  arrow_owned<ArrowSchema> schema;
  if (!library_.schema(reader_, schema.get(), &error)) throw_problem(error);
  schema_ = read_arrow_schema(*schema);
}

arrow_reader::~arrow_reader() {
  if (reader_ != nullptr) library_.close(reader_);
  if (descriptor_ >= 0) close(descriptor_);
}

void arrow_reader::throw_problem(const ballot_arrow_error& error) {
  if (reader_ == nullptr && descriptor_ >= 0) close(std::exchange(descriptor_, -1));  // the constructor throws
  if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
  throw failure(fmt::format("{}: {}", name_, error.text));
}

std::int64_t arrow_reader::read_at(void* self, std::int64_t offset, std::int64_t bytes, void* into) {
  auto& reader = *static_cast<arrow_reader*>(self);
  try {
    return reader.take(offset, {static_cast<std::byte*>(into), static_cast<std::size_t>(bytes)});
  } catch (...) {
    const std::scoped_lock lock(reader.problem_guard_);
    reader.problem_ = std::current_exception();
    return -1;
  }
}

// Called from several threads, except for a pipe.
std::int64_t arrow_reader::take(std::int64_t offset, std::span<std::byte> into) {
  if (pipe_) return static_cast<std::int64_t>(pipe_->read(into));
  const auto from = std::min<std::uint64_t>(static_cast<std::uint64_t>(offset), size_);
  into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size_ - from)));
  if (into.empty()) return 0;
  if (descriptor_ < 0) {
    std::memcpy(into.data(), held_.data() + from, into.size());
    return static_cast<std::int64_t>(into.size());
  }
  constexpr std::size_t most_at_once = std::size_t{1} << 30;
  std::size_t filled = 0;
  while (filled < into.size()) {
    const ssize_t got = pread(descriptor_, into.data() + filled, std::min(into.size() - filled, most_at_once),
                              static_cast<off_t>(base_ + from + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_errno(name_);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return static_cast<std::int64_t>(filled);
}

const row_layout& arrow_reader::choose(const std::vector<std::size_t>& columns) {
  std::vector<std::int32_t> indices(columns.begin(), columns.end());
  std::vector<arrow_column> chosen;
  for (const std::size_t column : columns) chosen.push_back(schema_.columns[column]);
  ballot_arrow_error error{};
  if (!library_.choose(reader_, indices.data(), static_cast<std::int32_t>(indices.size()), &error))
    throw_problem(error);
  layout_ = row_layout(std::move(chosen));
  return layout_;
}

bool arrow_reader::next_batch() {
  rows_.resize(0);
  taken_ = 0;
  while (rows_.size() == 0) {
    ballot_arrow_error error{};
    arrow_owned<ArrowArray> batch;
    if (!library_.next(reader_, batch.get(), &error)) throw_problem(error);
    if (batch->release == nullptr) return false;
    append_rows(layout_, *batch, name_, rows_read_, rows_);
    rows_read_ += static_cast<std::uint64_t>(batch->length);
  }
  return true;
}

std::size_t arrow_reader::read(std::span<std::byte> into) {
  std::size_t filled = 0;
  while (filled < into.size() && !has_ended_) {
    if (taken_ == rows_.size() && !next_batch()) {
      has_ended_ = true;
      break;
    }
    const std::size_t part = std::min(into.size() - filled, rows_.size() - taken_);
    std::memcpy(into.data() + filled, std::as_const(rows_).data() + taken_, part);
    taken_ += part;
    filled += part;
  }
  return filled;
}

}  // namespace ballot::app
