// SPDX-License-Identifier: Apache-2.0
// Pieces of work that are read, worked on and written, some at a time. While one is worked on, the
// piece before it is written and the piece behind it is read.
#pragma once

#include <ballot/core/namespace.hpp>

#include <tbb/parallel_pipeline.h>

#include <array>
#include <cstddef>

namespace ballot::app {

// count: of the buffers, so of the pieces in memory.
// read(buffer): false where there is no more. work(buffer), then write(buffer). Each is called for
// one piece after the other, in order, but not by the same thread. If one throws, the others end,
// and the exception is rethrown here.
template <class Buffer, std::size_t count = 2, class Read, class Work, class Write>
void with_buffers(const Read& read, const Work& work, const Write& write) {
  std::array<Buffer, count> buffers;
  std::size_t next = 0;
  const auto in_order = tbb::filter_mode::serial_in_order;
  tbb::parallel_pipeline(buffers.size(),
                         tbb::make_filter<void, Buffer*>(in_order, [&](tbb::flow_control& control) -> Buffer* {
                           Buffer& buffer = buffers[next++ % buffers.size()];
                           if (read(buffer)) return &buffer;
                           control.stop();
                           return nullptr;
                         }) & tbb::make_filter<Buffer*, Buffer*>(in_order, [&](Buffer* buffer) {
                           work(*buffer);
                           return buffer;
                         }) & tbb::make_filter<Buffer*, void>(in_order, [&](Buffer* buffer) { write(*buffer); }));
}

}  // namespace ballot::app
