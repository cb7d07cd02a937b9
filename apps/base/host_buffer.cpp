// SPDX-License-Identifier: Apache-2.0
#include "base/host_buffer.hpp"
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "base/parallel_chunks.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace ballot::app {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t page = std::size_t{4} << 10;
constexpr std::size_t small = 64, largest_small = std::size_t{64} << 10;

// Mapped memory that this thread is done with and may use again: a sort of many pieces takes and gives back the same few
// sizes, and to map fresh pages and clear them was a quarter of its time. Without a destructor: buffers may outlive it.
struct kept_memory {
  static constexpr std::size_t most = std::size_t{1} << 20, largest = most / 2, blocks = 8;

  std::size_t bytes = 0;
  std::array<void*, blocks> at{};
  std::array<std::size_t, blocks> rooms{};

  bool keep(void* block, std::size_t room) {
    if (room > largest || bytes + room > most) return false;
    for (std::size_t i = 0; i < blocks; ++i) {
      if (at[i] != nullptr) continue;
      at[i] = block;
      rooms[i] = room;
      bytes += room;
      return true;
    }
    return false;
  }
  // The smallest that is large enough, and not much larger; null where there is none. Changes `room` to what it has.
  void* take(std::size_t& room) {
    std::size_t best = blocks;
    for (std::size_t i = 0; i < blocks; ++i)
      if (at[i] != nullptr && rooms[i] >= room && rooms[i] <= 2 * room && (best == blocks || rooms[i] < rooms[best]))
        best = i;
    if (best == blocks) return nullptr;
    room = rooms[best];
    bytes -= room;
    return std::exchange(at[best], nullptr);
  }
};

constinit thread_local kept_memory kept;

}  // namespace

host_buffer::~host_buffer() {
  if (room_ <= largest_small) std::free(data_);
  else if (!kept.keep(data_, room_)) munmap(data_, room_);
}

void host_buffer::resize(std::size_t bytes) {
  if (bytes > room_) grow(bytes);
  size_ = bytes;
}

void host_buffer::grow(std::size_t bytes) {
  // Doubling keeps the number of remappings small; the part not used yet costs address space only. Buffers that are not
  // large, of which there may be many, have no huge page each.
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
  const std::size_t granule = bytes < huge_page ? page : huge_page;
  std::size_t wanted = (least + granule - 1) / granule * granule;
  const bool is_mapped = room_ > largest_small;
  void* moved = is_mapped ? mremap(data_, room_, wanted, MREMAP_MAYMOVE) : kept.take(wanted);
  if (moved == nullptr)
    moved = mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (moved == MAP_FAILED) fail(wanted);
  if (!is_mapped && data_ != nullptr) {
    std::memcpy(moved, data_, size_);
    std::free(data_);
  }
  data_ = static_cast<std::byte*>(moved);
  room_ = wanted;
  // A hint: fewer page faults where the system has huge pages.
  if (granule == huge_page) madvise(data_, room_, MADV_HUGEPAGE);
}

void host_buffer::append(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const std::size_t old = size_;
  resize(old + bytes.size());
  parallel_copy(data_ + old, bytes);
}

}  // namespace ballot::app
