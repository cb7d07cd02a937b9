// SPDX-License-Identifier: Apache-2.0
// Equal pieces of an array, as keys for CUB's scans by key. The key is the number of the piece,
// computed from the position and not read.
#pragma once

#include <ballot/core/namespace.hpp>

#include "peer.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

template <unsigned Items>
struct number_of_piece {
  __host__ __device__ unsigned operator()(unsigned i) const { return i / Items; }
};

template <unsigned Items>
auto numbers_of_pieces() {
  return thrust::make_transform_iterator(thrust::counting_iterator<unsigned>(0), number_of_piece<Items>{});
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
