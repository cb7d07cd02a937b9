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

inline std::span<std::byte> bytes_of(const device_memory& memory, std::size_t bytes) {
  return {static_cast<std::byte*>(memory.data()), bytes};
}

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
    references_.clear();
    copy_ = median([&] {
      check(cudaMemcpyAsync(output.data(), input.data(), bytes_ / 2, cudaMemcpyDeviceToDevice, stream_),
            "cudaMemcpyAsync");
    });
    std::printf("%s, %llu items: copy %.1f us, %.0f GB/s\n", operation, static_cast<unsigned long long>(items_),
                copy_ * 1e6, static_cast<double>(bytes_) / copy_ * 1e-9);
    return true;
  }
  // also: where the answer is beside `output`, each a whole number of words.
  template <class Run>
  void shape(const std::string& name, Run&& run, const std::vector<std::span<std::byte>>& also = {}) {
    check_answer(name, run, also);
    const double seconds = median(run);
    std::printf("  %-28s %9.1f us %6.0f GB/s  %.3f of copy\n", name.c_str(), seconds * 1e6,
                static_cast<double>(bytes_) / seconds * 1e-9, copy_ / seconds);
    std::fflush(stdout);
  }

 private:
  template <class Run>
  void check_answer(const std::string& name, Run&& run, const std::vector<std::span<std::byte>>& also) {
    std::vector answer{bytes_of(output, output.size())};
    answer.insert(answer.end(), also.begin(), also.end());
    for (const auto piece : answer)
      check(cudaMemsetAsync(piece.data(), 0x5a, piece.size(), stream_), "cudaMemsetAsync");
    run();
    if (references_.empty()) {
      for (const auto piece : answer) {
        void* const kept = references_.emplace_back(piece.size()).data();
        check(cudaMemcpyAsync(kept, piece.data(), piece.size(), cudaMemcpyDeviceToDevice, stream_), "cudaMemcpyAsync");
      }
      return;
    }
    for (std::size_t i = 0; i < answer.size(); ++i)
      if (const auto at = first_difference(answer[i].data(), references_[i].data(), answer[i].size(), stream_))
        throw std::runtime_error(name + ": another answer than the first shape's, in part " + std::to_string(i) +
                                 " at byte " + std::to_string(*at));
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

 public:
  device_memory input, output, rest, count;

 private:
  device_memory scratch_;
  std::vector<device_memory> references_;  // the first shape's answer
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
