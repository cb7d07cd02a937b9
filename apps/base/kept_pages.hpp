// SPDX-License-Identifier: Apache-2.0
// Pages for buffers, some of which are kept when they are given back: a sort of many pieces takes and gives back the
// same few sizes, and to map fresh pages and clear them was a quarter of its time.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstddef>

namespace ballot::app {

// What take_pages() has room for if it is asked for so many bytes: sizes that serve several requests.
std::size_t room_of_pages(std::size_t bytes);
// Memory with what it held before, or zeros. bytes: as room_of_pages() says. Null where there is none. Any thread.
void* take_pages(std::size_t bytes);
// bytes: as they were taken.
void give_pages(void* at, std::size_t bytes);
// From here on up to so many bytes are kept, of all threads together.
void keep_pages(std::size_t bytes);

}  // namespace ballot::app
