// SPDX-License-Identifier: Apache-2.0
// Device memory for tests: outputs with guards around them, and scratch that is dirty and exactly
// as large as asked for. One call runs directly and from a captured graph.
#pragma once

#include <ballot/core/namespace.hpp>
#include "support/doctest.hpp"

#include <ballot/core/exec.hpp>
#include <ballot/device/memory.cuh>

#include "support/function_ref.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace ballot::test {

// In emulation every access is checked against the exact bounds of an allocation, so guards would
// only hide an overrun.
inline constexpr std::size_t guard_bytes = BALLOT_EMULATED ? 0 : 256;
inline constexpr unsigned char guard_byte = 0xa5;
inline constexpr unsigned char dirt = 0xc3;  // what outputs and scratch hold before a call

inline stream_t test_stream() {
#if BALLOT_EMULATED
  return nullptr;
#else
  // One for each device: the ranks of tests/distributed are threads with a device each.
  static std::mutex mutex;
  static std::map<int, cudaStream_t> streams;
  int device = 0;
  simt::check(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  cudaStream_t& stream = streams[device];
  if (stream == nullptr)
    simt::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
#endif
}

// Items on the device between guards. `shift` items of the allocation lie before the first, to
// misalign it.
template <class T>
class guarded {
 public:
  explicit guarded(std::size_t items, std::size_t shift = 0)
      : items_(items), shift_(shift), bytes_(2 * guard_bytes + (items + shift) * sizeof(T), test_stream()) {
    fill_dirt();
  }
  explicit guarded(const std::vector<T>& items, std::size_t shift = 0) : guarded(items.size(), shift) { write(items); }

  T* data() const { return reinterpret_cast<T*>(bytes_.data() + guard_bytes) + shift_; }
  std::size_t size() const { return items_; }
  T* begin() const { return data(); }
  T* end() const { return data() + items_; }

  void fill_dirt() {
    if (bytes_.size() == 0) return;
    simt::fill_bytes(test_stream(), bytes_.data(), guard_byte, bytes_.size());
    if (items_ != 0) simt::fill_bytes(test_stream(), data(), dirt, items_ * sizeof(T));
  }
  void write(const std::vector<T>& items) {
    REQUIRE(items.size() == items_);
    if (items_ == 0) return;
    simt::copy_bytes(test_stream(), data(), items.data(), items_ * sizeof(T));
    simt::synchronize(test_stream());
  }
  // The items; checks that the guards are whole.
  std::vector<T> read() const {
    std::vector<unsigned char> all(bytes_.size());
    if (!all.empty()) {
      simt::copy_bytes(test_stream(), all.data(), bytes_.data(), all.size());
      simt::synchronize(test_stream());
    }
    const std::size_t begin = guard_bytes + shift_ * sizeof(T), end = begin + items_ * sizeof(T);
    bool whole = true;
    for (std::size_t i = 0; i < all.size(); ++i) whole &= (i >= begin && i < end) || all[i] == guard_byte;
    CHECK_MESSAGE(whole, "memory around an output was written");
    std::vector<T> items(items_);
    if (items_ != 0) std::memcpy(static_cast<void*>(items.data()), all.data() + begin, items_ * sizeof(T));
    return items;
  }

 private:
  std::size_t items_, shift_;
  device_array<unsigned char> bytes_;
};

// Whether an item still holds what outputs hold before a call.
template <class T>
bool is_dirt(const T& item) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &item, sizeof(T));
  for (unsigned char b : bytes)
    if (b != dirt) return false;
  return true;
}

// An exec with exactly `bytes` of dirty scratch.
class exact_scratch {
 public:
  explicit exact_scratch(std::size_t bytes) : memory_(bytes) {}
  exec where() const {
    return exec(test_stream(), std::span<std::byte>(reinterpret_cast<std::byte*>(memory_.data()), memory_.size()));
  }
  void check_guards() const { (void)memory_.read(); }

 private:
  guarded<unsigned char> memory_;
};

// The same for what a public `*_scratch_bytes` returns, at the address that needs most of it. 255
// bytes are skipped there, so that all but one are used, and a write past the end is found.
class unaligned_scratch {
 public:
  explicit unaligned_scratch(std::size_t bytes) : memory_(bytes, 1) {}
  exec where() const {
    return exec(test_stream(), std::span<std::byte>(reinterpret_cast<std::byte*>(memory_.data()), memory_.size()));
  }
  void check_guards() const { (void)memory_.read(); }

 private:
  guarded<unsigned char> memory_;
};

#if !BALLOT_EMULATED
// Captures `call` into a graph and replays it three times, with `before` ahead of each replay and
// `check` after it.
inline void captured(cudaStreamCaptureMode mode, function_ref<void()> before, function_ref<void()> call,
                     function_ref<void()> check) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  simt::check(cudaStreamBeginCapture(test_stream(), mode), "cudaStreamBeginCapture");
  call();
  simt::check(cudaStreamEndCapture(test_stream(), &graph), "cudaStreamEndCapture");
  simt::check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  for (int replay = 0; replay < 3; ++replay) {
    before();
    simt::check(cudaGraphLaunch(executable, test_stream()), "cudaGraphLaunch");
    simt::synchronize(test_stream());
    check();
  }
  simt::check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
  simt::check(cudaGraphDestroy(graph), "cudaGraphDestroy");
}
#endif

// Runs `call` (launches only, on test_stream()) directly. Then it is captured into a graph that is
// replayed three times. `before` runs ahead of each run, and `check` after it. In emulation, where
// there are no graphs: directly, and once more on the same scratch.
inline void directly_and_captured(function_ref<void()> before, function_ref<void()> call, function_ref<void()> check) {
  before();
  call();
  simt::synchronize(test_stream());
  check();
#if BALLOT_EMULATED
  before();
  call();
  check();
#else
  captured(cudaStreamCaptureModeGlobal, before, call, check);
#endif
}

}  // namespace ballot::test
