// SPDX-License-Identifier: Apache-2.0
// The command's files as Arrow's, and Arrow's errors as texts.
#pragma once

#include "columnar/plugin.hpp"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace ballot_arrow {

class source_file final : public arrow::io::RandomAccessFile {
 public:
  explicit source_file(const ballot_arrow_source& from) : from_(from) {}

  // The first bytes, once more: a pipe gives them once.
  void put_back(std::string_view front) {
    front_ = front;
    position_ = 0;
  }
  arrow::Status Close() override {
    is_closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return is_closed_; }
  arrow::Result<std::int64_t> Tell() const override { return position_; }
  arrow::Status Seek(std::int64_t position) override {
    position_ = position;
    return arrow::Status::OK();
  }
  arrow::Result<std::int64_t> GetSize() override {
    if (from_.size < 0) return arrow::Status::IOError("the size of a pipe is not known");
    return from_.size;
  }
  arrow::Result<std::int64_t> ReadAt(std::int64_t position, std::int64_t bytes, void* into) override {
    if (position < 0 || bytes < 0) return arrow::Status::IOError("a read of ", bytes, " bytes at ", position);
    const auto taken = std::clamp<std::int64_t>(std::int64_t(front_.size()) - position, 0, bytes);
    std::copy_n(front_.data() + position * (taken != 0), taken, static_cast<char*>(into));
    if (taken == bytes) return bytes;
    const std::int64_t got =
        from_.read_at(from_.self, position + taken, bytes - taken, static_cast<char*>(into) + taken);
    if (got < 0) return arrow::Status::IOError("cannot be read");
    return taken + got;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(std::int64_t position, std::int64_t bytes) override {
    if (position < 0 || bytes < 0) return arrow::Status::IOError("a read of ", bytes, " bytes at ", position);
    // A damaged length is no reason to ask for that much memory.
    if (from_.size >= 0) bytes = std::min(bytes, std::max<std::int64_t>(0, from_.size - position));
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(bytes));
    ARROW_ASSIGN_OR_RAISE(const std::int64_t got, ReadAt(position, bytes, buffer->mutable_data()));
    if (got < bytes) ARROW_RETURN_NOT_OK(buffer->Resize(got));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }
  arrow::Result<std::int64_t> Read(std::int64_t bytes, void* into) override {
    ARROW_ASSIGN_OR_RAISE(const std::int64_t got, ReadAt(position_, bytes, into));
    position_ += got;
    return got;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t bytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, bytes));
    position_ += buffer->size();
    return buffer;
  }

 private:
  ballot_arrow_source from_;
  std::string front_;
  std::int64_t position_ = 0;
  bool is_closed_ = false;
};

class sink_file final : public arrow::io::OutputStream {
 public:
  explicit sink_file(const ballot_arrow_sink& to) : to_(to) {}

  arrow::Status Close() override {
    is_closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return is_closed_; }
  arrow::Result<std::int64_t> Tell() const override { return position_; }
  arrow::Status Write(const void* bytes, std::int64_t count) override {
    if (count == 0) return arrow::Status::OK();
    if (!to_.write(to_.self, bytes, count)) return arrow::Status::IOError("cannot be written");
    position_ += count;
    return arrow::Status::OK();
  }
  using arrow::io::OutputStream::Write;

 private:
  ballot_arrow_sink to_;
  std::int64_t position_ = 0;
  bool is_closed_ = false;
};

// Runs a function that returns a Status. Parquet throws; nothing may be thrown across the border.
template <class F>
bool guarded(ballot_arrow_error* error, const F& f) noexcept {
  const auto say = [&](std::string text) {
    while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.pop_back();
    for (char& c : text)
      if (static_cast<unsigned char>(c) < ' ') c = ' ';
    std::snprintf(error->text, sizeof error->text, "%s", text.c_str());
  };
  try {
    const arrow::Status status = f();
    if (status.ok()) return true;
    say(status.message());
  } catch (const std::bad_alloc&) {
    say("there is not enough memory");
  } catch (const std::exception& problem) {
    say(problem.what());
  } catch (...) {
    say("an exception that is not known");
  }
  return false;
}

}  // namespace ballot_arrow
