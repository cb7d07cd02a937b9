// SPDX-License-Identifier: Apache-2.0
#include "base/host_buffer.hpp"
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "base/parallel_chunks.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

namespace ballot::app {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t page = std::size_t{4} << 10;

}  // namespace

host_buffer::~host_buffer() {
  if (data_ != nullptr) munmap(data_, mapped_);
}

void host_buffer::resize(std::size_t bytes) {
  if (bytes > mapped_) {
    // Doubling keeps the number of remappings small; the part not used yet costs address space only. Small buffers, of
    // which there may be many, have no huge page each.
    const std::size_t granule = bytes < huge_page ? page : huge_page;
    const std::size_t wanted = (std::max(bytes, mapped_ == 0 ? 0 : 2 * mapped_) + granule - 1) / granule * granule;
    void* moved = data_ == nullptr ? mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                   : mremap(data_, mapped_, wanted, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED)
      throw failure(fmt::format("out of memory: {:.1f} GiB more are needed", static_cast<double>(wanted) / (1 << 30)));
    data_ = static_cast<std::byte*>(moved);
    mapped_ = wanted;
    // A hint: fewer page faults where the system has huge pages.
    if (granule == huge_page) madvise(data_, mapped_, MADV_HUGEPAGE);
  }
  size_ = bytes;
}

void host_buffer::append(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const std::size_t old = size_;
  resize(old + bytes.size());
  parallel_copy(data_ + old, bytes);
}

}  // namespace ballot::app
