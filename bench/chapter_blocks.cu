// SPDX-License-Identifier: Apache-2.0
// The chapter's figures 3.1 and 3.2 over grid sizes: one flag a thread, counted and ranked within
// blocks of 512 threads.
//
//   binary                by votes and the barriers that reduce
//   generic               the same flag as a 32-bit number, by shuffles, for any operator
//   hardware_reductions   the same, by the warp reductions that came after the chapter
//   cub                   BlockReduce and BlockScan by warps; the count is handed to all threads,
//                         as the others do
#include <ballot/core/namespace.hpp>

#include "in_registers.cuh"

#include <ballot/block/binary_reduce.cuh>
#include <ballot/block/binary_scan.cuh>
#include <ballot/block/reduce.cuh>
#include <ballot/block/scan.cuh>

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

namespace ballot::bench {
namespace {

constexpr int threads = threads_in_registers;

struct binary_count {
  using storage = no_storage;
  static __device__ unsigned of(storage&, unsigned flag) { return block::binary_count(flag != 0); }
};
template <class Op>
struct sum_32 {
  using collective = block::reduction<unsigned, threads>;
  using storage = collective::storage;
  static __device__ unsigned of(storage& shared, unsigned flag) { return collective::of(shared, flag, Op{}); }
};
struct cub_count {
  using collective = cub::BlockReduce<unsigned, threads, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  struct storage {
    collective::TempStorage of_cub;
    unsigned total;
  };
  static __device__ unsigned of(storage& shared, unsigned flag) {
    const unsigned total = collective(shared.of_cub).Sum(flag);
    if (threadIdx.x == 0) shared.total = total;
    __syncthreads();
    return shared.total;
  }
};

struct binary_rank {
  using collective = block::binary_scan<threads>;
  using storage = collective::storage;
  static __device__ unsigned of(storage& shared, unsigned flag) {
    return collective::exclusive(shared, flag != 0).rank;
  }
};
template <class Op>
struct scan_32 {
  using collective = block::scan<unsigned, threads>;
  using storage = collective::storage;
  static __device__ unsigned of(storage& shared, unsigned flag) {
    unsigned total;
    return collective::exclusive(shared, flag, 0u, total, Op{});
  }
};
struct cub_rank {
  using collective = cub::BlockScan<unsigned, threads, cub::BLOCK_SCAN_WARP_SCANS>;
  using storage = collective::TempStorage;
  static __device__ unsigned of(storage& shared, unsigned flag) {
    unsigned rank;
    collective(shared).ExclusiveSum(flag, rank);
    return rank;
  }
};

template <class Cub, class Binary, class Generic, class Hardware>
operation comparison(const char* name) {
  operation task = in_registers_operation(name);
  task.contenders = {in_registers<1, Cub>("cub"), in_registers<1, Binary>("binary"),
                     in_registers<1, Generic>("generic"), in_registers<1, Hardware>("hardware_reductions"),
                     generator_of<1>()};
  return task;
}

}  // namespace

void add_chapter_blocks(std::vector<operation>& all) {
  all.push_back(comparison<cub_count, binary_count, sum_32<generic_plus>, sum_32<plus>>("chapter_block_count"));
  all.push_back(comparison<cub_rank, binary_rank, scan_32<generic_plus>, scan_32<plus>>("chapter_block_scan"));
}

}  // namespace ballot::bench
