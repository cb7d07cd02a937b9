// SPDX-License-Identifier: Apache-2.0
// Pages for buffers. Some of them are kept when they are given back. A sort of many pieces takes
// and gives back the same few sizes, and spent a quarter of its time mapping and clearing fresh
// pages.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstddef>

namespace ballot::app {

// The bytes that take_pages() makes room for if it is asked for so many: sizes that serve several
// requests.
std::size_t room_of_pages(std::size_t bytes);
// Memory with what it held before, or zeros. bytes: as room_of_pages() says. Null where there is
// none. Any thread.
void* take_pages(std::size_t bytes);
// bytes: as they were taken.
void give_pages(void* at, std::size_t bytes);
// From here on up to so many bytes are kept, of all threads together.
void keep_pages(std::size_t bytes);

}  // namespace ballot::app
