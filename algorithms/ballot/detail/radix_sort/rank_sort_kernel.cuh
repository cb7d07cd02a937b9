// SPDX-License-Identifier: Apache-2.0
// Few items are sorted by comparison counting, in one launch: no fill, no histogram, no scratch.
//
//     block    all keys to shared memory; each block has some of the items, and reads all keys
//     warp     counts, for each of its items, the keys that go before it: that is the item's rank
//     lane i   writes item i of the warp to its rank
//
// That makes n * n comparisons, and a GPU makes some ten thousand of them in a nanosecond. No step
// depends on the one before. So 1000 keys take less time than one pass of a radix sort, and a block
// waits at one barrier.
//
// A key goes before another one if it is smaller, or equal and before it in the input: stable,
// deterministic, at any address. Blocks write while others read, so outputs may not be inputs. If
// they are, one block sorts, or keys go by runs (single_block_sort_launch.cuh).
//
// Sources: Knuth, The Art of Computer Programming 3, 5.2, algorithm C; Muller and Preparata, Bounds
// to Complexities of Networks for Sorting and for Switching, 1975.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/radix_sort/arguments.hpp>
#include <ballot/detail/radix_sort/compared_bits.hpp>
#include <ballot/detail/radix_sort/single_block_sort_kernel.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/reduce.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// WarpItems: a warp counts the ranks of so many items at a time. A lane reads keys by vectors of 16
// bytes.
template <class U, int Threads, int WarpItems>
struct rank_sort_shape {
  static constexpr int threads = Threads, warps = Threads / simt::warp_size, warp_items = WarpItems;
  static constexpr int width = static_cast<int>(16 / sizeof(U));
  static constexpr unsigned group = simt::warp_size * width;  // keys that a warp reads at a time
  static constexpr unsigned block_items = warps * WarpItems;
  static_assert(WarpItems <= static_cast<int>(simt::warp_size) && group % WarpItems == 0);

  BALLOT_HOST_DEVICE static constexpr unsigned keys_in_shared(std::uint64_t n) {
    return static_cast<unsigned>((n + group - 1) / group * group);
  }
};

// The keys of one access to shared memory.
template <class U>
struct alignas(16) rank_sort_keys {
  U key[16 / sizeof(U)];
};

template <class U, class V, class Shape>
class rank_sort {
 public:
  using arguments = single_block_sort_arguments<U, V>;
  using keys = rank_sort_keys<U>;

  __device__ __forceinline__ rank_sort(const arguments& a, keys* keys, unsigned valid)
      : a_(a), keys_(keys), compared_(compared_bits<U>::of(a.digits.low, a.digits.high)), valid_(valid) {}

  __device__ __forceinline__ void process() {
    // The item that this lane will write. It is loaded together with the keys.
    const unsigned lane = simt::lane_id(), mine = first_ + lane;
    const bool writes = lane < Shape::warp_items && mine < valid_;
    U key{};
    [[maybe_unused]] V value{};
    if (writes && a_.keys_out != nullptr) key = a_.keys.data[mine];
    if constexpr (has_values) {
      if (writes) value = a_.values == nullptr ? static_cast<V>(mine) : a_.values[mine];
    }
    stage_keys();
    simt::sync_block();
    if (first_ >= valid_) return;
    const unsigned rank = count_keys_before();
    if (!writes) return;
    if (a_.keys_out != nullptr) a_.keys_out[rank] = key;
    if constexpr (has_values) a_.values_out[rank] = value;
  }

 private:
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  static constexpr int width = Shape::width, warp_items = Shape::warp_items;

  // Stages keys as the numbers that are compared. Behind the last key are the largest numbers,
  // which go before no key.
  __device__ __forceinline__ void stage_keys() const {
    constexpr U largest = static_cast<U>(~U{0});
    const unsigned end = Shape::keys_in_shared(valid_);
#pragma unroll 8
    for (unsigned i = simt::thread_rank(); i < end; i += Shape::threads)
      key_at(i) = i < valid_ ? compared_(a_.codec.compared(a_.codec.encode(a_.keys.data[i]))) : largest;
  }

  // The rank of the warp's item `lane`, in that lane.
  __device__ __forceinline__ unsigned count_keys_before() const {
    U item[warp_items];
    unsigned count[warp_items] = {};
#pragma unroll
    for (int w = 0; w < warp_items; ++w) item[w] = key_at(first_ + w);
    const unsigned own_group = first_ / Shape::group * Shape::group, end = Shape::keys_in_shared(valid_);
    // In the groups before the warp's items, equal keys go before them. In the groups after
    // them, none does.
    for_each_key(0, own_group, [&](U key, unsigned) {
#pragma unroll
      for (int w = 0; w < warp_items; ++w) count[w] += key <= item[w];
    });
    for_each_key(own_group, own_group + Shape::group, [&](U key, unsigned at) {
#pragma unroll
      for (int w = 0; w < warp_items; ++w)
        count[w] += key < item[w] || (key == item[w] && at < first_ + static_cast<unsigned>(w));
    });
    for_each_key(own_group + Shape::group, end, [&](U key, unsigned) {
#pragma unroll
      for (int w = 0; w < warp_items; ++w) count[w] += key < item[w];
    });
    unsigned rank = 0;
#pragma unroll
    for (int w = 0; w < warp_items; ++w) {
      const unsigned all = warp::reduce(count[w]);
      if (simt::lane_id() == static_cast<unsigned>(w)) rank = all;
    }
    return rank;
  }

  // Calls visit(key, index) for this lane's part of the keys from `begin` to `end`, which are
  // multiples of a group.
  template <class Visit>
  __device__ __forceinline__ void for_each_key(unsigned begin, unsigned end, Visit visit) const {
#pragma unroll 2
    for (unsigned at = begin + simt::lane_id() * width; at < end; at += Shape::group) {
      const keys k = keys_[at / width];
#pragma unroll
      for (int j = 0; j < width; ++j) visit(k.key[j], at + static_cast<unsigned>(j));
    }
  }

  __device__ __forceinline__ U& key_at(unsigned i) const { return keys_[i / width].key[i % width]; }

  const arguments& a_;
  keys* const keys_;
  const compared_bits<U> compared_;
  const unsigned valid_;
  const unsigned first_ = (blockIdx.x * Shape::warps + simt::warp_id()) * warp_items;
};

// Blocks: one for each Shape::block_items of the capacity. Shared memory: keys_in_shared(capacity)
// keys.
template <class U, class V, class Shape>
__global__ void __launch_bounds__(Shape::threads) rank_sort_kernel(single_block_sort_arguments<U, V> a) {
  rank_sort_keys<U>* const shared = &simt::shared_storage<rank_sort_keys<U>>();  // the first
  const auto valid = static_cast<unsigned>(a.keys.length.get());
  if (blockIdx.x * Shape::block_items < valid) rank_sort<U, V, Shape>(a, shared, valid).process();
}

}  // namespace ballot::detail
