// SPDX-License-Identifier: Apache-2.0
#include "files/decompressed_stream.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ballot::app {

decompressed_stream::decompressed_stream(int descriptor, std::string name, compression kind,
                                         std::span<const std::byte> begin)
    : descriptor_(descriptor), stop_(-1), name_(std::move(name)), kind_(name_of(kind)) {
  try {
    decoder_ = make_decoder(kind);
  } catch (const failure& problem) {
    throw failure(fmt::format("{}: {}", name_, problem.what()));
  }
  begin_bytes_ = std::min(begin.size(), begin_.size());
  if (begin_bytes_ != 0) std::memcpy(begin_.data(), begin.data(), begin_bytes_);
  for (block& b : blocks_) b.bytes.resize(block_bytes);
  stop_ = eventfd(0, EFD_CLOEXEC);
  if (stop_ < 0) throw_errno(name_);
  thread_ = std::thread([this] { run(); });
}

decompressed_stream::~decompressed_stream() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  changed_.notify_all();
  const std::uint64_t one = 1;
  const ssize_t cannot_fail = write(stop_, &one, sizeof one);  // ends a wait for a pipe
  (void)cannot_fail;
  thread_.join();
  close(stop_);
}

std::size_t decompressed_stream::read(std::span<std::byte> into) {
  std::size_t filled = 0;
  while (filled < into.size()) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return used_ < made_ || has_ended_; });
      if (used_ == made_) {
        if (problem_) std::rethrow_exception(problem_);
        return filled;
      }
    }
    block& from = blocks_[used_ % block_count];
    const std::size_t taken = std::min(into.size() - filled, from.filled - from.taken);
    if (taken != 0) std::memcpy(into.data() + filled, from.bytes.data() + from.taken, taken);
    from.taken += taken;
    filled += taken;
    if (from.taken < from.filled) continue;
    {
      const std::lock_guard lock(mutex_);
      ++used_;
    }
    changed_.notify_all();
  }
  return filled;
}

void decompressed_stream::run() {
  std::exception_ptr problem;
  try {
    decode_all();
  } catch (...) {
    problem = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    problem_ = problem;
    has_ended_ = true;
  }
  changed_.notify_all();
}

void decompressed_stream::decode_all() {
  host_buffer coded(std::size_t{256} << 10);
  std::size_t begin = 0, end = 0;
  bool input_ended = false;
  block* into = wait_for_free_block();
  while (into != nullptr) {
    if (begin == end && !input_ended) {
      begin = 0;
      end = read_coded(coded.bytes());
      input_ended = end == 0;
    }
    decoder::progress done;
    try {
      done = decoder_->decode(std::as_const(coded).bytes().subspan(begin, end - begin),
                              into->bytes.bytes().subspan(into->filled));
    } catch (const coded_data_failure& problem) {
      pass_on();  // what was decoded before it
      throw failure(fmt::format("{}: {} (near byte {} of the compressed file)", name_, problem.what(),
                                position_ - (end - begin) + problem.taken()));
    }
    begin += done.taken;
    into->filled += done.made;
    const bool is_last = input_ended && begin == end && done.made == 0;
    if (into->filled == block_bytes || is_last) {
      pass_on();
      if (is_last) break;
      into = wait_for_free_block();
    }
  }
  if (into != nullptr && !decoder_->is_complete())
    throw failure(
        fmt::format("{}: truncated: the {} data ends in the middle, after {} bytes", name_, kind_, position_));
}

std::size_t decompressed_stream::read_coded(std::span<std::byte> into) {
  if (begin_taken_ < begin_bytes_) {
    const std::size_t taken = std::min(into.size(), begin_bytes_ - begin_taken_);
    std::memcpy(into.data(), begin_.data() + begin_taken_, taken);
    begin_taken_ += taken;
    position_ += taken;
    return taken;
  }
  for (;;) {
    pollfd waits[2] = {{descriptor_, POLLIN, 0}, {stop_, POLLIN, 0}};
    if (poll(waits, 2, -1) < 0 && errno != EINTR) throw_errno(name_);
    if (waits[1].revents != 0) return 0;
    const ssize_t got = ::read(descriptor_, into.data(), into.size());
    if (got >= 0) {
      position_ += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR) throw_errno(name_);
  }
}

decompressed_stream::block* decompressed_stream::wait_for_free_block() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return made_ - used_ < block_count || is_stopped_; });
  if (is_stopped_) return nullptr;
  block& free = blocks_[made_ % block_count];
  free.filled = free.taken = 0;
  return &free;
}

void decompressed_stream::pass_on() {
  {
    const std::lock_guard lock(mutex_);
    ++made_;
  }
  changed_.notify_all();
}

}  // namespace ballot::app
