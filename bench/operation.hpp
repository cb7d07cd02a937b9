// SPDX-License-Identifier: Apache-2.0
// The vocabulary: an operation is a task with its data, a contender is somebody who does it.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ballot::bench {

// The device memory of one operation at one size. All its contenders read the same inputs and write
// the same outputs.
struct arrays {
  std::uint64_t n = 0;
  const void* input = nullptr;
  const void* second_input = nullptr;  // values, or flags
  const void* third_input = nullptr;   // what the peers read in place of the second
  void* output = nullptr;
  void* second_output = nullptr;
  std::uint64_t* count = nullptr;
  std::span<std::byte> scratch;
  cudaStream_t stream = nullptr;

  // Every peer is called with 32-bit lengths, with which it is fastest.
  int length() const { return static_cast<int>(n); }

  template <class T>
  const T* in() const {
    return static_cast<const T*>(input);
  }
  template <class T>
  const T* second_in() const {
    return static_cast<const T*>(second_input);
  }
  template <class T>
  const T* third_in() const {
    return static_cast<const T*>(third_input);
  }
  template <class T>
  T* out() const {
    return static_cast<T*>(output);
  }
  template <class T>
  T* second_out() const {
    return static_cast<T*>(second_output);
  }
};

// The count that a contender brought to the host, by waiting; empty where it left it on the device.
using count_on_host = std::optional<std::uint64_t>;

struct contender {
  std::string name;
  std::function<std::size_t(const arrays&)> scratch_bytes;
  std::function<count_on_host(const arrays&)> run;
  // Before each call and not timed. A contender that needs it is timed call by call only, not in
  // bursts and graphs.
  std::function<void(const arrays&)> prepare = {};
  // Puts a right answer in another order into the reference's, before the two are compared.
  std::function<void(const arrays&, std::uint64_t count)> reorder = {};
  bool waits = false;           // for the device, in every call: cannot be captured
  bool only_reference = false;  // is not timed
  bool answers = true;          // else a ceiling: it moves bytes, and there is nothing to compare
};

// Data that an operation reads, made on the device.
struct source {
  std::string name;  // sources of the same name and length are made once
  std::function<std::size_t(std::uint64_t n)> bytes;
  std::function<void(void* to, std::uint64_t n, cudaStream_t)> fill;
};

// Which items of the outputs mean something.
enum class result_shape {
  all,             // n items in each output there is, and `items_beyond` more in the first
  one,             // one item in the first
  kept,            // as many items in the first as are counted, or as the host knows
  kept_and_others  // count items in the first, n - count in the second
};

struct operation {
  std::string name;
  double bytes_per_item;  // the fewest that any contender could move
  source input;
  std::optional<source> second_input = {};
  std::optional<source> third_input = {};
  std::size_t output_bytes;             // of one item
  std::size_t second_output_bytes = 0;  // 0: there is none. Also where a contender needs the space and it is no result
  bool compare_second = true;
  bool counts = false;                                         // the results, on the device
  std::function<std::uint64_t(std::uint64_t n)> results = {};  // how many there are, where the host knows
  result_shape shape = result_shape::all;
  std::uint64_t items_beyond = 0;
  // With how many items it works where it is asked for n: whole rows. At most n, and 0 where it
  // leaves that size out.
  std::function<std::uint64_t(std::uint64_t n)> items = {};
  // How many items behind an aligned address the input and the outputs begin. The bytes of the
  // input's items: of input.bytes(1) each.
  std::uint64_t offset_items = 0;
  bool in_registers = false;               // memory has no part in it: a copy says nothing
  std::vector<std::uint64_t> also_at{};    // further sizes, where none were asked for
  std::vector<contender> contenders = {};  // the first one's answer is the reference
};

}  // namespace ballot::bench
