// SPDX-License-Identifier: Apache-2.0
#include "base/bulk_vector.hpp"

#include <sys/mman.h>

#include <new>

namespace ballot::app {

void* map_pages(std::size_t bytes) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  if (bytes >= huge_page) madvise(pages, bytes, MADV_HUGEPAGE);  // a hint
  return pages;
}

void unmap_pages(void* pages, std::size_t bytes) { munmap(pages, bytes); }

}  // namespace ballot::app
