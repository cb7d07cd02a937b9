#include "common/rows/segy.hpp"

#include "common/failure.hpp"
#include "common/input_file.hpp"
#include "common/rows/ibm_float.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

namespace ballot::app {
namespace {

constexpr std::size_t text_header_bytes = 3200, binary_header_bytes = 400, trace_header_bytes = 240;
constexpr std::size_t first_headers = text_header_bytes + binary_header_bytes;
constexpr std::size_t sample_bytes = sizeof(float);

struct segy_layout {
  int sample_format = 0;
  std::size_t first_trace = 0;  // byte
  std::uint64_t samples = 0;    // of a trace
  std::uint64_t traces = 0;

  std::size_t trace_bytes() const { return trace_header_bytes + static_cast<std::size_t>(samples) * sample_bytes; }
};

bool is_known_format(int code) { return code >= 1 && code <= 16; }

enum sample_format : int { ibm_float = 1, ieee_float = 5 };

// Fields of the binary header, by the standard's numbers, which count bytes from 1 and from the file's begin. Two bytes,
// the higher one first.
enum class binary_field : std::size_t { samples = 3221, format = 3225, text_headers = 3505 };

std::uint16_t field_of(std::span<const std::byte> file, binary_field field) {
  const std::size_t at = static_cast<std::size_t>(field) - 1;
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(file[at]) << 8 | std::to_integer<unsigned>(file[at + 1]));
}

std::uint32_t in_other_order(std::uint32_t word) {
  return word << 24 | (word & 0xff00u) << 8 | (word >> 8 & 0xff00u) | word >> 24;
}
static_assert(std::endian::native == std::endian::little, "samples are turned round");

// Throws failure without the name of the file in front.
segy_layout layout_of(std::span<const std::byte> file) {
  if (file.size() < first_headers)
    throw failure(fmt::format("truncated SEG-Y: {} bytes, the headers alone are {}", file.size(), first_headers));
  segy_layout layout;
  layout.sample_format = static_cast<std::int16_t>(field_of(file, binary_field::format));
  if (!is_known_format(layout.sample_format)) {
    if (is_known_format(layout.sample_format >> 8) && (layout.sample_format & 0xff) == 0)
      throw failure("a little-endian SEG-Y file: only big-endian ones, the standard's, are read");
    throw failure(fmt::format("not a SEG-Y file: sample format {} at byte 3225", layout.sample_format));
  }
  if (layout.sample_format != ibm_float && layout.sample_format != ieee_float)
    throw failure(
        fmt::format("samples of SEG-Y format {}: 1 (IBM float) and 5 (IEEE float) are read", layout.sample_format));
  const auto text_headers = static_cast<std::int16_t>(field_of(file, binary_field::text_headers));
  if (text_headers < 0) throw failure("a SEG-Y file with a variable number of extended text headers is not read");
  layout.first_trace = first_headers + static_cast<std::size_t>(text_headers) * text_header_bytes;
  if (layout.first_trace > file.size())
    throw failure(
        fmt::format("truncated SEG-Y: {} bytes, {} of headers were announced", file.size(), layout.first_trace));
  layout.samples = field_of(file, binary_field::samples);
  if (layout.samples == 0) throw failure("the SEG-Y header says that traces have 0 samples (byte 3221)");
  const std::size_t bytes = file.size() - layout.first_trace;
  layout.traces = bytes / layout.trace_bytes();
  if (bytes % layout.trace_bytes() != 0)
    throw failure(fmt::format("truncated SEG-Y: {} traces of {} samples take {} bytes each, and {} bytes are left over",
                              layout.traces, layout.samples, layout.trace_bytes(), bytes % layout.trace_bytes()));
  return layout;
}

class segy_rows final : public rows_file {
 public:
  explicit segy_rows(input_file file) : file_(std::move(file)) {}

  rows_of_items read(phase_clock& clock) override {
    scoped_phase reading(clock, phase::read);
    bytes_ = read_rest(file_);
    try {
      layout_ = layout_of(bytes_.bytes());
    } catch (const failure& problem) {
      throw failure(fmt::format("{}: {}", file_.name(), problem.what()));
    }
    rows_of_items data;
    data.type = dtype::f32;
    data.rows = layout_.traces;
    data.length = layout_.samples;
    data.items.resize(static_cast<std::size_t>(layout_.traces * layout_.samples) * sample_bytes);
    for (std::uint64_t t = 0; t < layout_.traces; ++t) std::memcpy(of_row(data.items, t), samples_of(t), row_bytes());
    for_each_word(data.items, [&](std::uint32_t word) {
      word = in_other_order(word);
      return layout_.sample_format == ibm_float ? std::bit_cast<std::uint32_t>(float_of_ibm(word)) : word;
    });
    return data;
  }

  void write(output_file& to, std::span<const std::byte> items, phase_clock& clock) override {
    scoped_phase writing(clock, phase::write);
    host_buffer converted;
    converted.append(items);
    if (layout_.sample_format == ibm_float) require_finite(converted.as<float>());
    for_each_word(converted, [&](std::uint32_t word) {
      return in_other_order(layout_.sample_format == ibm_float ? ibm_of_float(std::bit_cast<float>(word)) : word);
    });
    for (std::uint64_t t = 0; t < layout_.traces; ++t) std::memcpy(samples_of(t), of_row(converted, t), row_bytes());
    to.write(bytes_.bytes());
  }

 private:
  std::size_t row_bytes() const { return static_cast<std::size_t>(layout_.samples) * sample_bytes; }
  std::byte* of_row(host_buffer& items, std::uint64_t row) const {
    return items.data() + static_cast<std::size_t>(row) * row_bytes();
  }
  std::byte* samples_of(std::uint64_t trace) {
    return bytes_.data() + layout_.first_trace + static_cast<std::size_t>(trace) * layout_.trace_bytes() +
           trace_header_bytes;
  }
  template <class Convert>
  static void for_each_word(host_buffer& items, Convert convert) {
    for (std::uint32_t& word : items.as<std::uint32_t>()) word = convert(word);
  }
  // IBM's floats have neither infinities nor NaNs.
  void require_finite(std::span<const float> samples) const {
    const auto odd = std::find_if(samples.begin(), samples.end(), [](float x) { return !std::isfinite(x); });
    if (odd == samples.end()) return;
    const auto at = static_cast<std::uint64_t>(odd - samples.begin());
    throw failure(fmt::format("{}: sample {} of trace {} became {}, which an IBM float cannot hold", file_.name(),
                              at % layout_.samples, at / layout_.samples, *odd));
  }

  input_file file_;
  segy_layout layout_;
  host_buffer bytes_;  // the whole file
};

}  // namespace

std::unique_ptr<rows_file> open_segy(const std::string& path, std::optional<dtype> expected) {
  if (expected && *expected != dtype::f32)
    throw failure(
        fmt::format("{}: --dtype {} contradicts the file: SEG-Y samples are read as f32", path, name_of(*expected)));
  return std::make_unique<segy_rows>(input_file(path));
}

}  // namespace ballot::app
