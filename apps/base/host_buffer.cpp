// SPDX-License-Identifier: Apache-2.0
#include "base/host_buffer.hpp"
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "base/kept_pages.hpp"
#include "base/parallel_chunks.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ballot::app {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t small = 64, largest_small = std::size_t{64} << 10;

}  // namespace

host_buffer::~host_buffer() {
  if (room_ <= largest_small) std::free(data_);
  else give_pages(data_, room_);
}

void host_buffer::resize(std::size_t bytes) {
  if (bytes > room_) grow(bytes);
  size_ = bytes;
}

void host_buffer::grow(std::size_t bytes) {
  // Doubling keeps the number of remappings small; the part not used yet costs address space only.
  const auto fail = [](std::size_t wanted) {
    throw failure(fmt::format("out of memory: {:.1f} GiB more are needed", static_cast<double>(wanted) / (1 << 30)));
  };
  const std::size_t least = std::max(bytes, 2 * room_);
  if (least <= largest_small) {
    const std::size_t wanted = (least + small - 1) / small * small;
    void* const moved = std::realloc(data_, wanted);
    if (moved == nullptr) fail(wanted);
    data_ = static_cast<std::byte*>(moved);
    room_ = wanted;
    return;
  }
  const std::size_t wanted = room_of_pages(least);
  if (room_ > largest_small) {
    void* const moved = mremap(data_, room_, wanted, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) fail(wanted);
    if (wanted >= huge_page) madvise(moved, wanted, MADV_HUGEPAGE);  // a hint, as for new ones
    data_ = static_cast<std::byte*>(moved);
  } else {
    void* const pages = take_pages(wanted);
    if (pages == nullptr) fail(wanted);
    if (data_ != nullptr) std::memcpy(pages, data_, size_);
    std::free(data_);
    data_ = static_cast<std::byte*>(pages);
  }
  room_ = wanted;
}

void host_buffer::append(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const std::size_t old = size_;
  resize(old + bytes.size());
  parallel_copy(data_ + old, bytes);
}

}  // namespace ballot::app
