// SPDX-License-Identifier: Apache-2.0
// Text in pictures, drawn as round strokes of any size.
//
// The letters are here and not from a font library. A title is a few words and numbers. A library
// would need a font file on every machine that the command is carried to.
#pragma once

#include <ballot/core/namespace.hpp>

#include "pictures/image.hpp"

#include <string_view>

namespace ballot::app {

// The width in pixels of a line whose digits are `height` pixels high.
double width_of_text(std::string_view text, double height);

// Draws one line over the picture, its digits between `top` and `top + height`. There are digits,
// small letters, blank and , . : / -; anything else is drawn as a blank.
void draw_text(image& on, std::string_view text, double left, double top, double height, const colour& ink);

}  // namespace ballot::app
