// SPDX-License-Identifier: Apache-2.0
// Pages that are given back serve again, and no more are kept than may be.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "base/kept_pages.hpp"

#include <cstddef>
#include <cstring>
#include <vector>

namespace {

using namespace ballot::app;

TEST_CASE("room has several sizes from one power of two to the next, and a room has itself for room") {
  std::size_t before = 0;
  for (std::size_t bytes = 1; bytes < std::size_t{200} << 20; bytes += 1 + bytes / 7) {
    const std::size_t room = room_of_pages(bytes);
    REQUIRE(room >= bytes);
    REQUIRE(room % 4096 == 0);
    REQUIRE(room_of_pages(room) == room);
    REQUIRE(room >= before);
    if (bytes >= std::size_t{64} << 10)
      REQUIRE(room - bytes <= bytes / 8 + (std::size_t{2} << 20) * (bytes >> 21 != 0) + 4096);
    before = room;
  }
}

TEST_CASE("pages that are given back serve a request of their size, the newest first") {
  const std::size_t room = room_of_pages(300'000);
  keep_pages(3 * room);
  void* const first = take_pages(room);
  void* const second = take_pages(room);
  REQUIRE(first != nullptr);
  REQUIRE(first != second);
  std::memset(first, 1, room);
  give_pages(first, room);
  give_pages(second, room);
  CHECK(take_pages(room_of_pages(2 * room)) != nullptr);
  CHECK(take_pages(room) == second);
  CHECK(take_pages(room) == first);
  // Kept pages have their contents.
  CHECK(static_cast<unsigned char*>(first)[room - 1] == 1);
  give_pages(first, room);
  keep_pages(0);
  keep_pages(3 * room);
  void* const fresh = take_pages(room);
  CHECK(static_cast<unsigned char*>(fresh)[room - 1] == 0);
  give_pages(fresh, room);
  // The oldest make room; what is larger than all is not kept.
  std::vector<void*> taken;
  for (int i = 0; i < 5; ++i) taken.push_back(take_pages(room));
  for (void* const pages : taken) {
    std::memset(pages, 2, room);
    give_pages(pages, room);
  }
  int served = 0;
  for (int i = 0; i < 5; ++i) served += *static_cast<unsigned char*>(take_pages(room)) == 2;
  CHECK(served == 3);
  keep_pages(std::size_t{4} << 20);
}

}  // namespace
