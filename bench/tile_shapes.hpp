// SPDX-License-Identifier: Apache-2.0
// Shared by the comparisons of tile shapes: the data, the timing and check of a shape, the lines
// printed.
#pragma once

#include <ballot/core/namespace.hpp>

#include "cuda.hpp"
#include "equality.hpp"
#include "stopwatch.hpp"

#include <ballot/core/exec.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::bench {

class comparison {
 public:
  comparison(std::uint64_t items, std::size_t bytes_of_input, std::size_t bytes_of_scratch, std::string_view wanted)
      : items_(items),
        wanted_(wanted),
        watch_((check(cudaStreamCreate(&stream_), "cudaStreamCreate"), stream_)),
        input(bytes_of_input),
        output(bytes_of_input),
        rest(bytes_of_input),
        count(256),
        reference_(bytes_of_input),
        scratch_(bytes_of_scratch) {}

  exec where() const {
    return exec(stream_, std::span<std::byte>(static_cast<std::byte*>(scratch_.data()), scratch_.size()));
  }
  cudaStream_t stream() const { return stream_; }
  std::uint64_t items() const { return items_; }

  // The first line, with the copy that the others are compared with. False: this operation is not
  // asked for.
  bool begin(const char* operation, std::size_t bytes_moved) {
    if (std::string_view(operation).find(wanted_) == std::string_view::npos) return false;
    bytes_ = bytes_moved;
    has_reference_ = false;
    copy_ = median([&] {
      check(cudaMemcpyAsync(output.data(), input.data(), bytes_ / 2, cudaMemcpyDeviceToDevice, stream_),
            "cudaMemcpyAsync");
    });
    std::printf("%s, %llu items: copy %.1f us, %.0f GB/s\n", operation, static_cast<unsigned long long>(items_),
                copy_ * 1e6, static_cast<double>(bytes_) / copy_ * 1e-9);
    return true;
  }
  template <class Run>
  void shape(const std::string& name, Run&& run) {
    check_answer(name, run);
    const double seconds = median(run);
    std::printf("  %-28s %9.1f us %6.0f GB/s  %.3f of copy\n", name.c_str(), seconds * 1e6,
                static_cast<double>(bytes_) / seconds * 1e-9, copy_ / seconds);
    std::fflush(stdout);
  }

 private:
  template <class Run>
  void check_answer(const std::string& name, Run&& run) {
    check(cudaMemsetAsync(output.data(), 0x5a, output.size(), stream_), "cudaMemsetAsync");
    run();
    if (!has_reference_) {
      check(cudaMemcpyAsync(reference_.data(), output.data(), output.size(), cudaMemcpyDeviceToDevice, stream_),
            "cudaMemcpyAsync");
      has_reference_ = true;
    } else if (const auto at = first_difference(output.data(), reference_.data(), output.size(), stream_)) {
      throw std::runtime_error(name + ": another answer than the first shape's, at byte " + std::to_string(*at));
    }
  }
  template <class Run>
  double median(Run&& run) {
    std::vector<double> seconds;
    for (int i = 0; i < 9; ++i) seconds.push_back(watch_.call(nullptr, run, bytes_));
    std::nth_element(seconds.begin(), seconds.begin() + 4, seconds.end());
    return seconds[4];
  }

  std::uint64_t items_;
  std::string_view wanted_;
  cudaStream_t stream_ = nullptr;
  stopwatch watch_;
  std::size_t bytes_ = 0;
  double copy_ = 0;
  bool has_reference_ = false;

 public:
  device_memory input, output, rest, count;

 private:
  device_memory reference_, scratch_;
};

// For shapes of blocks that read their items as vectors.
template <class Shape>
std::string name_of_tile_shape() {
  return std::to_string(Shape::threads) + " threads, " + std::to_string(Shape::chunks) + " x " +
         std::to_string(Shape::width);
}

// In the order of the calls. Each finds uniform words in `input`; the sorts come last, for they
// write other keys there.
void compare_scans(comparison& of);       // tile_shapes_scan.cu
void compare_selections(comparison& of);  // tile_shapes_selection.cu
void compare_sorts(comparison& of);       // tile_shapes_sort.cu

// The scratch of any sort compared here, which is more than scans and selections need.
std::size_t scratch_of_sorts(std::uint64_t items);

}  // namespace ballot::bench
