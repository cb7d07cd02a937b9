// SPDX-License-Identifier: Apache-2.0
// A std::vector for what there may be millions of. New items are not cleared: who fills them is the
// first to touch their memory, on all cores where all fill. Large ones lie in huge pages, where the
// system has them.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace ballot::app {

// Memory for many bytes, in whole pages (kept_pages.hpp); throws std::bad_alloc. `bytes` as they
// were requested.
void* map_pages(std::size_t bytes);
void unmap_pages(void* pages, std::size_t bytes);

template <class T>
struct bulk_allocator {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  using value_type = T;
  static constexpr std::size_t worth_pages = (std::size_t{64} << 10) / sizeof(T);  // items

  bulk_allocator() = default;
  template <class U>
  bulk_allocator(const bulk_allocator<U>&) {}
  template <class U>
  bool operator==(const bulk_allocator<U>&) const {
    return true;
  }

  T* allocate(std::size_t items) {
    if (items < worth_pages || items > static_cast<std::size_t>(-1) / 2 / sizeof(T))
      return std::allocator<T>().allocate(items);
    return static_cast<T*>(map_pages(items * sizeof(T)));
  }
  void deallocate(T* at, std::size_t items) {
    if (items < worth_pages) std::allocator<T>().deallocate(at, items);
    else unmap_pages(at, items * sizeof(T));
  }
  template <class U>
  void construct(U*) noexcept {}  // an object of such a type begins with its memory
  template <class U, class First, class... More>
  void construct(U* at, First&& first, More&&... more) {
    ::new (static_cast<void*>(at)) U(std::forward<First>(first), std::forward<More>(more)...);
  }
};

template <class T>
using bulk_vector = std::vector<T, bulk_allocator<T>>;

}  // namespace ballot::app
