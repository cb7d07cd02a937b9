// One number a line, in ASCII, whatever the locale.
//
// Read: spaces and tabs around a number, CRLF, a leading '+' and a byte order mark at the front are tolerated; blank
// lines are no items; anything else that is not entirely one number of the type is an error. Numbers are read as
// numbers: leading zeros do not come out again. Written: floats as the shortest text that reads back as the same
// number.
#pragma once

#include <ballot/core/namespace.hpp>
#include "columns/stream.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"

#include <memory>

namespace ballot::app {

std::unique_ptr<source> open_text(input_file file, dtype type);
std::unique_ptr<sink> make_text_sink(output_file& file, dtype type);

}  // namespace ballot::app
