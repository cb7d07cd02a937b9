// SPDX-License-Identifier: Apache-2.0
// Text with one number per line, in ASCII, independent of the locale.
//
// The reader accepts spaces and tabs around a number, CRLF, a leading '+' and a byte order mark. It
// skips blank lines. Any other line that is not one number of the type is an error. The writer does
// not restore leading zeros; it writes floats as the shortest text that reads back as the same
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
