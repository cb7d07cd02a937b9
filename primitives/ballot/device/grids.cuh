// SPDX-License-Identifier: Apache-2.0
// How many blocks a kernel gets that goes over its items in a loop. This is a parameter of its
// shape.
//
// No number of multiprocessors is written down: the GPU at hand says how many it has. The scratch
// of a call must not depend on the number of blocks, or its size would depend on the GPU.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// So many for each multiprocessor of the current device.
template <unsigned Blocks>
struct blocks_per_multiprocessor {
  static std::uint64_t most() { return std::uint64_t{Blocks} * simt::multiprocessors(); }
};

// The same number on every GPU.
template <unsigned Blocks>
struct blocks_on_every_gpu {
  static constexpr std::uint64_t most() { return Blocks; }
};

}  // namespace ballot::detail
