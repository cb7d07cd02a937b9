// SPDX-License-Identifier: Apache-2.0
// The kernels whose instructions scripts/instruction-counts counts. Each loads a word, does one
// thing with it and stores the result. `nothing` stores the word itself; its count is subtracted
// from the others'.
#include <ballot/block/binary_reduce.cuh>
#include <ballot/block/binary_scan.cuh>
#include <ballot/block/reduce.cuh>
#include <ballot/block/scan.cuh>
#include <ballot/block/segmented_binary_scan.cuh>
#include <ballot/block/segmented_scan.cuh>
#include <ballot/warp/binary_scan.cuh>
#include <ballot/warp/bitwise_scan.cuh>
#include <ballot/warp/reduce.cuh>
#include <ballot/warp/scan.cuh>
#include <ballot/warp/segmented_binary_scan.cuh>
#include <ballot/warp/segmented_scan.cuh>

using namespace ballot;

namespace {

constexpr int threads = 512;  // as in the chapter's figures

// A sum that the library does not recognise as one, so that it uses no hardware reduction: the
// generic 32-bit case.
struct generic_plus {
  __device__ unsigned operator()(unsigned a, unsigned b) const { return a + b; }
};

template <class Collective>
__device__ auto& shared_by() {
  return simt::shared_storage<typename Collective::storage>();
}

using bit_block_scan = block::binary_scan<threads>;
using segmented_bit_block_scan = block::segmented_binary_scan<threads>;
using generic_block_scan = block::scan<unsigned, threads>;
using generic_block_reduction = block::reduction<unsigned, threads>;
using generic_segmented_block_scan = block::segmented_scan<unsigned, threads>;

}  // namespace

#define BALLOT_COUNT(name, expression)                                 \
  extern "C" __global__ void name(const unsigned* in, unsigned* out) { \
    const unsigned i = blockIdx.x * threads + threadIdx.x;             \
    const unsigned word = in[i];                                       \
    [[maybe_unused]] unsigned total;                                   \
    out[i] = expression;                                               \
  }

BALLOT_COUNT(nothing, word)

BALLOT_COUNT(warp_count_1, warp::binary_count(word != 0))
#define BALLOT_COUNT_BITS(bits)                                                    \
  BALLOT_COUNT(warp_bitwise_scan_##bits, warp::bitwise_exclusive_scan<bits>(word)) \
  BALLOT_COUNT(warp_bitwise_sum_##bits, warp::bitwise_sum<bits>(word))             \
  BALLOT_COUNT(block_bitwise_sum_##bits, block::bitwise_sum<bits>(word))
BALLOT_COUNT_BITS(1)
BALLOT_COUNT_BITS(2)
BALLOT_COUNT_BITS(3)
BALLOT_COUNT_BITS(4)
BALLOT_COUNT_BITS(5)
BALLOT_COUNT_BITS(6)
BALLOT_COUNT_BITS(7)
BALLOT_COUNT_BITS(8)
BALLOT_COUNT(warp_scan_32, warp::exclusive_scan(word, 0u, generic_plus{}))
BALLOT_COUNT(warp_sum_32, warp::reduce(word, generic_plus{}))
BALLOT_COUNT(warp_sum_hardware, warp::reduce(word))

BALLOT_COUNT(warp_segmented_scan_1,
             warp::segmented_binary_exclusive_scan((word & 1u) != 0, warp::heads_of((word & 2u) != 0)))
BALLOT_COUNT(warp_segmented_scan_32,
             warp::segmented_exclusive_scan(word, warp::heads_of((word & 2u) != 0), 0u, generic_plus{}))

BALLOT_COUNT(block_count_1, block::binary_count(word != 0))
BALLOT_COUNT(block_sum_32, generic_block_reduction::of(shared_by<generic_block_reduction>(), word, generic_plus{}))
BALLOT_COUNT(block_sum_hardware, generic_block_reduction::of(shared_by<generic_block_reduction>(), word))

BALLOT_COUNT(block_scan_1, bit_block_scan::exclusive(shared_by<bit_block_scan>(), word != 0).rank)
BALLOT_COUNT(block_scan_32,
             generic_block_scan::exclusive(shared_by<generic_block_scan>(), word, 0u, total, generic_plus{}))
BALLOT_COUNT(block_scan_hardware, generic_block_scan::exclusive(shared_by<generic_block_scan>(), word, 0u, total))

BALLOT_COUNT(block_segmented_scan_1, segmented_bit_block_scan::exclusive(shared_by<segmented_bit_block_scan>(),
                                                                         (word & 1u) != 0, (word & 2u) != 0))
BALLOT_COUNT(block_segmented_scan_32,
             generic_segmented_block_scan::exclusive(shared_by<generic_segmented_block_scan>(), word, (word & 2u) != 0,
                                                     0u, generic_plus{}))
