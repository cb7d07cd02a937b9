// SPDX-License-Identifier: Apache-2.0
#include "arrays/segy_layout.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

namespace ballot::app {
namespace {

constexpr std::uint64_t text_header_bytes = 3200, binary_header_bytes = 400, trace_header_bytes = 240;
constexpr std::uint64_t first_headers = text_header_bytes + binary_header_bytes;

// Fields by the standard's numbers, which count bytes from 1. Of the binary header from the file's
// begin, of a trace's header, and of its first additional one, from that header's begin.
enum field : std::uint64_t {
  samples = 3221,
  sample_format_code = 3225,
  extended_samples = 3269,
  byte_order = 3297,
  major_revision = 3501,
  fixed_length_flag = 3503,
  text_headers = 3505,
  additional_headers = 3507,
  trace_count = 3513,
  first_trace_place = 3521,
  trailer_records = 3529,
  samples_of_trace = 115,
  additional_headers_of_trace = 157,
  name_of_additional_header = 233
};

// The bytes there, the highest byte first.
template <class T>
T number_at(std::span<const std::byte> file, std::uint64_t header, field where) {
  std::uint64_t value = 0;
  for (const std::byte byte : file.subspan(static_cast<std::size_t>(header + where - 1), sizeof(T)))
    value = value << 8 | std::to_integer<unsigned>(byte);
  return static_cast<T>(value);
}

bool is_known_format(int code) { return code >= 1 && code <= 16; }  // of any revision

int format_in(std::span<const std::byte> file) {
  const auto order = number_at<std::uint32_t>(file, 0, byte_order);
  constexpr std::uint32_t little_endian = 0x04030201, pairs_swapped = 0x02010403;
  const int code = number_at<std::int16_t>(file, 0, sample_format_code);
  const bool looks_little_endian = !is_known_format(code) && is_known_format(code >> 8) && (code & 0xff) == 0;
  if (order == little_endian || order == pairs_swapped || looks_little_endian)
    throw failure(fmt::format("a {} SEG-Y file: only big-endian ones are read",
                              order == pairs_swapped ? "pairwise byte-swapped" : "little-endian"));
  if (!is_known_format(code)) throw failure(fmt::format("not a SEG-Y file: sample format {} at byte 3225", code));
  if (!segy_samples_of(code))
    throw failure(fmt::format("samples of SEG-Y format {}{} are not read: {}", code,
                              code == 4 ? " (with a gain each)" : " (not in the standard)", segy_sample_formats));
  return code;
}

// Where the traces begin, and where they end.
struct trace_range {
  std::uint64_t begin, end;
};

trace_range traces_in(std::span<const std::byte> file, bool is_revision_2) {
  const auto headers = number_at<std::int16_t>(file, 0, text_headers);
  const auto place = is_revision_2 ? number_at<std::uint64_t>(file, 0, first_trace_place) : 0;
  if (headers < 0 && place == 0)
    throw failure("a SEG-Y file with a variable number of extended text headers (byte 3505) is not read");
  const std::uint64_t begin =
      place != 0 ? place : first_headers + static_cast<std::uint64_t>(headers) * text_header_bytes;
  if (place != 0 && place < first_headers)
    throw failure(fmt::format("bad SEG-Y header: the first trace at {} (byte 3521), within the headers", place));
  if (begin > file.size())
    throw failure(fmt::format("truncated SEG-Y: {} bytes, but its headers are {} bytes", file.size(), begin));
  const auto trailers = is_revision_2 ? number_at<std::int32_t>(file, 0, trailer_records) : 0;
  if (trailers < 0) throw failure("a SEG-Y file with a variable number of trailer records (byte 3529) is not read");
  const std::uint64_t trailer_bytes = static_cast<std::uint64_t>(trailers) * text_header_bytes;
  if (trailer_bytes > file.size() - begin)
    throw failure(fmt::format("truncated SEG-Y: {} bytes behind the headers, but its trailer records are {} bytes",
                              file.size() - begin, trailer_bytes));
  return {begin, file.size() - trailer_bytes};
}

// The size of the file has confirmed the length in the file's header. The lengths in the traces'
// headers are often wrong: tools that cut traces leave them as they were. But then all of them are
// the same, so only a difference is an error. 0 means not set.
void require_equal_lengths(std::span<const std::byte> file, const segy_layout& layout) {
  std::uint64_t first_length = 0;
  for (std::uint64_t trace = 0; trace < layout.traces; ++trace) {
    const std::uint64_t header = layout.first_trace + trace * layout.trace_bytes();
    const std::uint64_t length = number_at<std::uint16_t>(file, header, samples_of_trace);
    if (first_length == 0) first_length = length;
    if (length != 0 && length != first_length)
      throw failure(
          fmt::format("trace {} has {} samples (byte {}), others have {}: traces of several lengths are not read",
                      trace, length, header + samples_of_trace, first_length));
  }
}

// The file's header says how many a trace has at most; the first of them, if it is the standard's,
// how many there are.
void require_all_headers(std::span<const std::byte> file, const segy_layout& layout, std::uint64_t additional) {
  constexpr std::string_view name = "SEG00001";
  for (std::uint64_t trace = 0; trace < layout.traces; ++trace) {
    const std::uint64_t header = layout.first_trace + trace * layout.trace_bytes() + trace_header_bytes;
    const auto begin = static_cast<std::size_t>(header + name_of_additional_header - 1);
    if (std::memcmp(file.data() + begin, name.data(), name.size()) != 0) continue;
    const std::uint64_t count = number_at<std::uint16_t>(file, header, additional_headers_of_trace);
    if (count != 0 && count != additional)
      throw failure(
          fmt::format("trace {} has {} additional headers (byte {}), the file's header says {}: a variable number "
                      "of them is not read",
                      trace, count, header + additional_headers_of_trace, additional));
  }
}

}  // namespace

segy_layout layout_of_segy(std::span<const std::byte> file) {
  if (file.size() < first_headers)
    throw failure(fmt::format("truncated SEG-Y: {} bytes, the headers alone are {}", file.size(), first_headers));
  segy_layout layout;
  layout.sample_format = format_in(file);
  const auto revision = number_at<std::uint8_t>(file, 0, major_revision);
  // Revision 1 leaves the fields of revision 2 to whoever writes the file.
  const bool is_revision_2 = revision >= 2;
  const auto [begin, end] = traces_in(file, is_revision_2);
  layout.first_trace = begin;

  const auto additional = is_revision_2 ? number_at<std::int32_t>(file, 0, additional_headers) : 0;
  if (additional < 0)
    throw failure("a SEG-Y file with a variable number of additional trace headers (byte 3507) is not read");
  layout.header_bytes = trace_header_bytes * (1 + static_cast<std::uint64_t>(additional));

  const auto extended = is_revision_2 ? number_at<std::uint32_t>(file, 0, extended_samples) : 0;
  layout.samples = extended != 0 ? extended : number_at<std::uint16_t>(file, 0, samples);
  if (layout.samples == 0) throw failure("the SEG-Y header says that traces have 0 samples (byte 3221)");

  const std::uint64_t bytes = end - begin;
  layout.traces = bytes / layout.trace_bytes();
  if (bytes % layout.trace_bytes() != 0)
    throw failure(fmt::format("truncated SEG-Y: {} traces of {} samples take {} bytes each, and {} bytes are left over",
                              layout.traces, layout.samples, layout.trace_bytes(), bytes % layout.trace_bytes()));
  const auto announced = is_revision_2 ? number_at<std::uint64_t>(file, 0, trace_count) : 0;
  if (announced != 0 && announced != layout.traces)
    throw failure(
        fmt::format("the SEG-Y header says {} traces (byte 3513), and the file has {}", announced, layout.traces));

  if (additional != 0) require_all_headers(file, layout, static_cast<std::uint64_t>(additional));
  const bool are_said_to_be_alike = revision >= 1 && number_at<std::uint16_t>(file, 0, fixed_length_flag) == 1;
  if (!are_said_to_be_alike) require_equal_lengths(file, layout);
  return layout;
}

}  // namespace ballot::app
