// SPDX-License-Identifier: Apache-2.0
// How many blocks are launched for a kernel whose blocks loop over tiles. This is a parameter of
// the shape.
//
// The number of multiprocessors is queried, not written down. So the scratch of a call must not
// depend on the number of blocks, or its size would depend on the GPU.
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
