// SPDX-License-Identifier: Apache-2.0
// For sources that say cub:: and should not be changed. After this header, `cub` means ballot's
// adapter.
//
//     nvcc -include ballot/adapters/replace_cub.cuh their_file.cu
//
// It first includes all of CUB, so that no header of CUB is read after the name has its new
// meaning. It also includes the algorithms of Thrust and of cuda::std. They call cub::Device*, too,
// and must keep calling CUB's.
#pragma once

#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/gather.h>
#include <thrust/inner_product.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/per_device_resource.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/uninitialized_copy.h>
#include <thrust/uninitialized_fill.h>
#include <thrust/unique.h>
#include <cub/cub.cuh>

// Those of CUB's headers that cub.cuh leaves out, and one of libcu++ that uses CUB.
#include <cub/block/block_shuffle.cuh>
#if __has_include(<cub/warp/warp_reduce_batched.cuh>)
#  include <cub/warp/warp_reduce_batched.cuh>
#endif
#if __has_include(<cub/warp/warp_utils.cuh>)
#  include <cub/warp/warp_utils.cuh>
#endif
#if __has_include(<cuda/buffer>)
#  include <cuda/buffer>
#endif
#if __has_include(<cuda/std/execution>)
#  include <cuda/std/execution>
#endif

#include <ballot/adapters/cub.cuh>

namespace ballot_adapters_cub = ::ballot::adapters::cub;
#define cub ballot_adapters_cub
