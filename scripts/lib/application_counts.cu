// SPDX-License-Identifier: Apache-2.0
// The kernels of the chapter's applications. scripts/instruction-counts counts their instructions.
// Each is compiled with binary and with generic ranks, and with one and four items a lane. Nothing
// is launched; taking an address is enough to compile a kernel.
#include <ballot/survey/chapter/binary_prefix_sums.cuh>
#include <ballot/survey/chapter/block_split_sort.cuh>
#include <ballot/survey/chapter/compaction.cuh>
#include <ballot/survey/chapter/split_sort.cuh>

using namespace ballot::survey;

struct is_odd {
  __device__ bool operator()(unsigned item) const { return (item & 1u) != 0; }
};

template <class Ranks, class Shape>
struct kernels {
  void (*count_flags)(const std::uint8_t*, std::uint64_t, bool, byte_is_set,
                      std::uint64_t*) = count_tiles_kernel<Ranks, Shape>;
  void (*count_items)(const unsigned*, std::uint64_t, bool, is_odd, std::uint64_t*) = count_tiles_kernel<Ranks, Shape>;
  void (*count_keys)(const unsigned*, std::uint64_t, bool, bit_is_clear,
                     std::uint64_t*) = count_tiles_kernel<Ranks, Shape>;
  void (*prefix_sums)(const std::uint8_t*, std::uint64_t, bool, const std::uint64_t*, unsigned*,
                      bool) = prefix_sums_kernel<Ranks, Shape>;
  void (*compact)(const unsigned*, std::uint64_t, bool, is_odd, const std::uint64_t*, unsigned*,
                  std::uint64_t) = compact_tiles_kernel<Ranks, Shape>;
  void (*split)(const unsigned*, std::uint64_t, bool, bit_is_clear, const std::uint64_t*, const std::uint64_t*,
                unsigned*) = split_tiles_kernel<Ranks, Shape>;
  void (*sort)(const unsigned*, unsigned*, std::uint64_t, bool, bool, int, int) = block_split_sort_kernel<Ranks, Shape>;
};

kernels<binary_ranks, single_items> binary;
kernels<generic_ranks, single_items> generic;
kernels<binary_ranks, items_by_four> binary_by_four;
kernels<generic_ranks, items_by_four> generic_by_four;
