// SPDX-License-Identifier: Apache-2.0
// How a call is timed. Times are between two events on the stream, in seconds a call.
//
//   call    One call. Small operations start with a cold L2: a buffer of twice its size was written
//           just before. Then a kernel that only waits, so that the launches of the call queue up
//           behind it, and the time is the device's and not that of the host's launches. Large
//           operations (16 times the L2 and more) find nothing of theirs in the L2 anyway, and take
//           long enough for their launches to be hidden: neither is done for them.
//   burst   Many calls, one after another, as fast as the host launches them; what fits in the L2
//           is there.
//   graph   One call captured as a graph, and replayed many times, one after another; likewise.
//
// The flush writes, and does not only read. In a program each operation evicts lines that the one
// before has written, and the next one evicts its own. With a flush of clean lines, it would have
// no written lines to evict.
#pragma once

#include <ballot/core/namespace.hpp>

#include "cuda.hpp"

#include <cstddef>
#include <functional>
#include <optional>

namespace ballot::bench {

class stopwatch {
 public:
  explicit stopwatch(cudaStream_t stream);
  ~stopwatch();
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;

  using work = std::function<void()>;

  double call(const work& prepare, const work& run, std::size_t bytes_moved);
  double burst(const work& run, int calls);

  bool flushes(std::size_t bytes_moved) const { return bytes_moved < 16 * l2_bytes_; }
  std::size_t l2_bytes() const { return l2_bytes_; }

 private:
  double between_events();

  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::size_t l2_bytes_ = 0;
  device_memory flush_;
};

// Work on a stream, captured once.
class captured_graph {
 public:
  captured_graph(cudaStream_t stream, const std::function<void()>& run);
  ~captured_graph();
  captured_graph(const captured_graph&) = delete;
  captured_graph& operator=(const captured_graph&) = delete;
  void replay() const;

 private:
  cudaStream_t stream_;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace ballot::bench
