// SPDX-License-Identifier: Apache-2.0
// Texts in small and in capital letters, and how many characters they have. Texts are UTF-8; bytes
// that are none stay as they are, and count as a character each.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace ballot::app {

enum class letters { small, capital };

// Appends the text. A letter becomes one letter, by the tables of the C library (C.UTF-8, whatever
// the environment's locale is). The German sharp s, for example, has no capital letter.
void append_in(letters wanted, std::string_view text, std::string& to);

// The bytes of the character that the text begins with. The text is not empty.
std::size_t character_length(std::string_view text);
std::size_t characters_in(std::string_view text);

}  // namespace ballot::app
