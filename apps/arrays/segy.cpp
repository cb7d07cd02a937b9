// SPDX-License-Identifier: Apache-2.0
#include "arrays/segy.hpp"

#include "arrays/ibm_float.hpp"
#include "arrays/segy_layout.hpp"
#include "base/failure.hpp"
#include "files/input_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

namespace ballot::app {
namespace {

std::uint32_t byte_swapped(std::uint32_t word) {
  return word << 24 | (word & 0xff00u) << 8 | (word >> 8 & 0xff00u) | word >> 24;
}
static_assert(std::endian::native == std::endian::little, "samples are turned round");

class segy_array final : public array_file {
 public:
  explicit segy_array(input_file file) : file_(std::move(file)) {}

  array_rows read(phase_clock& clock) override {
    scoped_phase reading(clock, phase::read);
    bytes_ = read_rest(file_);
    try {
      layout_ = layout_of_segy(bytes_.bytes());
    } catch (const failure& problem) {
      throw failure(fmt::format("{}: {}", file_.name(), problem.what()));
    }
    array_rows data;
    data.type = dtype::f32;
    data.rows = layout_.traces;
    data.length = layout_.samples;
    data.items.resize(static_cast<std::size_t>(layout_.traces * layout_.row_bytes()));
    for (std::uint64_t t = 0; t < layout_.traces; ++t) std::memcpy(of_row(data.items, t), samples_of(t), row_bytes());
    for_each_word(data.items, [&](std::uint32_t word) {
      word = byte_swapped(word);
      return layout_.sample_format == segy_layout::ibm_float ? std::bit_cast<std::uint32_t>(float_of_ibm(word)) : word;
    });
    return data;
  }

  void write(output_file& to, std::span<const std::byte> items, phase_clock& clock) override {
    scoped_phase writing(clock, phase::write);
    host_buffer converted;
    converted.append(items);
    if (layout_.sample_format == segy_layout::ibm_float) require_finite(converted.as<float>());
    for_each_word(converted, [&](std::uint32_t word) {
      return byte_swapped(layout_.sample_format == segy_layout::ibm_float ? ibm_of_float(std::bit_cast<float>(word))
                                                                          : word);
    });
    for (std::uint64_t t = 0; t < layout_.traces; ++t) std::memcpy(samples_of(t), of_row(converted, t), row_bytes());
    to.write(bytes_.bytes());
  }

 private:
  std::size_t row_bytes() const { return static_cast<std::size_t>(layout_.row_bytes()); }
  std::byte* of_row(host_buffer& items, std::uint64_t row) const {
    return items.data() + static_cast<std::size_t>(row) * row_bytes();
  }
  std::byte* samples_of(std::uint64_t trace) {
    return bytes_.data() + static_cast<std::size_t>(layout_.samples_at(trace));
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

std::unique_ptr<array_file> open_segy(const std::string& path, std::optional<dtype> expected) {
  if (expected && *expected != dtype::f32)
    throw failure(
        fmt::format("{}: --dtype {} contradicts the file: SEG-Y samples are read as f32", path, name_of(*expected)));
  return std::make_unique<segy_array>(input_file(path));
}

}  // namespace ballot::app
