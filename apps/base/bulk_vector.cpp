// SPDX-License-Identifier: Apache-2.0
#include "base/bulk_vector.hpp"

#include "base/kept_pages.hpp"

#include <new>

namespace ballot::app {

void* map_pages(std::size_t bytes) {
  void* const pages = take_pages(room_of_pages(bytes));
  if (pages == nullptr) throw std::bad_alloc();
  return pages;
}

void unmap_pages(void* pages, std::size_t bytes) { give_pages(pages, room_of_pages(bytes)); }

}  // namespace ballot::app
