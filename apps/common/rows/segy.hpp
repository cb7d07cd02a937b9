// SEG-Y: a text header of 3200 bytes, a binary header of 400, text again where the binary header says so, then traces:
// 240 bytes of header and the samples, all equally many: as many as the binary header says, if the size of the file bears
// it out (what trace headers say is not looked at: files that were cropped are often wrong there). Big-endian, as the
// standard has it; samples are 4-byte IBM or IEEE floats. Everything but the samples is written back as it was.
// SEG Technical Standards Committee, SEG-Y rev 1 (2002), rev 2 (2017).
#pragma once

#include <ballot/core/namespace.hpp>

#include "common/rows/rows.hpp"

#include <memory>
#include <optional>
#include <string>

namespace ballot::app {

// `expected`: f32 or nothing, since that is what the samples are.
std::unique_ptr<rows_file> open_segy(const std::string& path, std::optional<dtype> expected);

}  // namespace ballot::app
