// SPDX-License-Identifier: Apache-2.0
#include "base/kept_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>

namespace ballot::app {
namespace {

constexpr std::size_t page_bytes = std::size_t{4} << 10, huge_page_bytes = std::size_t{2} << 20;
constexpr std::size_t largest_shared = std::size_t{64} << 20;  // beyond, a request has as much as it needs

struct mapping {
  void* at = nullptr;
  std::size_t bytes = 0;
};

// The newest first where one is taken, the oldest first where there are too many.
class kept_blocks {
 public:
  mapping take(std::size_t bytes) {
    const std::scoped_lock lock(guard_);
    for (std::size_t i = count_; i != 0; --i)
      if (blocks_[i - 1].bytes == bytes) return remove(i - 1);
    return {};
  }
  // Keeps a mapping and returns false, or returns true where it is not worth it.
  bool refuses(const mapping& given) {
    const std::scoped_lock lock(guard_);
    if (given.bytes > most_) return true;
    while (count_ != 0 && (count_ == blocks_.size() || bytes_ + given.bytes > most_)) unmap(remove(0));
    blocks_[count_++] = given;
    bytes_ += given.bytes;
    return false;
  }
  void keep(std::size_t bytes) {
    const std::scoped_lock lock(guard_);
    most_ = bytes;
    while (count_ != 0 && bytes_ > most_) unmap(remove(0));
  }

 private:
  static void unmap(const mapping& old) { munmap(old.at, old.bytes); }
  mapping remove(std::size_t i) {
    const mapping found = blocks_[i];
    std::copy(blocks_.begin() + std::ptrdiff_t(i) + 1, blocks_.begin() + std::ptrdiff_t(count_),
              blocks_.begin() + std::ptrdiff_t(i));
    --count_;
    bytes_ -= found.bytes;
    return found;
  }

  std::mutex guard_;
  std::array<mapping, 64> blocks_{};
  std::size_t count_ = 0, bytes_ = 0, most_ = std::size_t{4} << 20;
};

constinit kept_blocks kept;  // without a destructor that does anything: buffers may outlive it

}  // namespace

std::size_t room_of_pages(std::size_t bytes) {
  const std::size_t granule = bytes < huge_page_bytes ? page_bytes : huge_page_bytes;
  // Eight sizes from one power of two to the next.
  const std::size_t step = bytes > largest_shared ? granule : std::max(granule, std::bit_floor(bytes) / 8);
  return (bytes + step - 1) / step * step;
}

void* take_pages(std::size_t bytes) {
  if (const mapping found = kept.take(bytes); found.at != nullptr) return found.at;
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  // A hint: fewer page faults where the system has huge pages. Buffers that are not large, of which
  // there may be many, have no huge page each.
  if (bytes >= huge_page_bytes) madvise(pages, bytes, MADV_HUGEPAGE);
  return pages;
}

void give_pages(void* at, std::size_t bytes) {
  if (kept.refuses({at, bytes})) munmap(at, bytes);
}

void keep_pages(std::size_t bytes) { kept.keep(bytes); }

}  // namespace ballot::app
