// SPDX-License-Identifier: Apache-2.0
#include "arrays/segy.hpp"

#include "arrays/segy_layout.hpp"
#include "arrays/segy_samples.hpp"
#include "base/failure.hpp"
#include "files/input_file.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace ballot::app {
namespace {

class segy_array final : public array_file {
 public:
  segy_array(input_file file, std::optional<dtype> expected) : file_(std::move(file)), expected_(expected) {}

  array_rows read(phase_clock& clock) override {
    scoped_phase reading(clock, phase::read);
    bytes_ = read_rest(file_);
    try {
      layout_ = layout_of_segy(bytes_.bytes());
    } catch (const failure& problem) {
      throw failure(fmt::format("{}: {}", file_.name(), problem.what()));
    }
    const segy_samples format = *segy_samples_of(layout_.sample_format);
    if (expected_ && *expected_ != format.type)
      throw failure(fmt::format("{}: --dtype {} contradicts the file, whose samples (format {}) are read as {}",
                                file_.name(), name_of(*expected_), layout_.sample_format, name_of(format.type)));
    array_rows data;
    data.type = format.type;
    data.rows = layout_.traces;
    data.length = layout_.samples;
    const std::size_t row_bytes = static_cast<std::size_t>(layout_.samples) * size_of(format.type);
    data.items.resize(static_cast<std::size_t>(layout_.traces) * row_bytes);
    tbb::parallel_for(std::uint64_t{0}, layout_.traces, [&](std::uint64_t t) {
      read_segy_samples(format, samples_of(t), data.items.data() + t * row_bytes);
    });
    return data;
  }

  void write(output_file& to, std::span<const std::byte> items, phase_clock& clock) override {
    scoped_phase writing(clock, phase::write);
    const segy_samples format = *segy_samples_of(layout_.sample_format);
    if (format.is_ibm) require_finite({reinterpret_cast<const float*>(items.data()), items.size() / sizeof(float)});
    const std::size_t row_bytes = static_cast<std::size_t>(layout_.samples) * size_of(format.type);
    tbb::parallel_for(std::uint64_t{0}, layout_.traces, [&](std::uint64_t t) {
      write_segy_samples(format, items.data() + t * row_bytes, samples_of(t));
    });
    to.write(bytes_.bytes());
  }

 private:
  std::span<std::byte> samples_of(std::uint64_t trace) {
    return bytes_.bytes().subspan(static_cast<std::size_t>(layout_.samples_at(trace)),
                                  static_cast<std::size_t>(layout_.row_bytes()));
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
  std::optional<dtype> expected_;
  segy_layout layout_;
  host_buffer bytes_;  // the whole file
};

}  // namespace

std::unique_ptr<array_file> open_segy(const std::string& path, std::optional<dtype> expected) {
  return std::make_unique<segy_array>(input_file(path), expected);
}

}  // namespace ballot::app
