// SPDX-License-Identifier: Apache-2.0
// The first level of splitters.cuh for many keys, in one read instead of two. A sample says in
// which digits the boundaries will probably be. Keys that begin with these digits are collected
// while all keys are counted.
//
//     sample     One row of 32 keys in 256, added up over the ranks.
//     wanted     Digits within reach of a boundary, as far as chance goes (about 1 in 100).
//     count      Every key. Keys with a wanted digit become candidates for the next levels.
//     check      Are all boundaries in wanted digits? If not, candidates are sought again, in a
//                second read.
//
// The counts are exact in any case. The sample only decides what is collected.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/device/grids.cuh>
#include <ballot/distributed/detail/groups.cuh>
#include <ballot/distributed/detail/splitters.cuh>

#include <cmath>

namespace ballot::distributed::detail {

inline constexpr std::uint64_t sampled_row = 32, rows_of_sample = 256;

// A warp takes one row of each 256. If the length is on the device, rows may also end before the
// end of the array.
template <class U>
__global__ void __launch_bounds__(count_threads) sample_digits_kernel(count_arguments<U> a) {
  std::uint32_t* const shared = &simt::shared_storage<std::uint32_t>();
  shared[simt::thread_rank()] = 0;
  simt::sync_block();
  const std::uint64_t n = a.items.get(), warps = std::uint64_t{gridDim.x} * (count_threads / simt::warp_size);
  for (std::uint64_t row = std::uint64_t{blockIdx.x} * (count_threads / simt::warp_size) + simt::warp_id();
       row * rows_of_sample * sampled_row + sampled_row <= n; row += warps) {
    const U code = a.asked.of(a.keys[row * rows_of_sample * sampled_row + simt::lane_id()]);
    // Relaxed: read after the barrier below.
    simt::atomic_add<simt::order::relaxed, simt::scope::block>(
        shared + (static_cast<unsigned>(code >> a.shift) & (level_digits - 1u)), 1u);
  }
  simt::sync_block();
  const std::uint32_t items = shared[simt::thread_rank()];
  if (items != 0) simt::atomic_add(a.counts + simt::thread_rank(), std::uint64_t{items});
}

// One block. wanted[d]: whether a boundary may fall into digit d.
template <class U>
__global__ void __launch_bounds__(count_threads)
    guess_digits_kernel(boundaries<U> of, const std::uint64_t* sample, std::uint64_t items, std::uint8_t* wanted) {
  auto& shared = simt::shared_storage<typename block::scan<std::uint64_t, count_threads>::storage>();
  const std::uint64_t own = sample[simt::thread_rank()];
  std::uint64_t total;
  const std::uint64_t before =
      block::scan<std::uint64_t, count_threads>::exclusive(shared, own, std::uint64_t{0}, total);
  // 6 times the standard deviation of the number of sampled keys below some key is at most 3
  // sqrt(total).
  const double sampled = static_cast<double>(total), reach = 3 * std::sqrt(sampled) + 32;
  bool is_wanted = false;
  for (int j = 0; j < of.number; ++j) {
    const double place = static_cast<double>(of.left[j]) / static_cast<double>(items) * sampled;
    is_wanted |= static_cast<double>(before) <= place + reach && place - reach <= static_cast<double>(before + own);
  }
  wanted[simt::thread_rank()] = is_wanted ? 1 : 0;
}

template <class U>
struct collect_storage {
  std::uint8_t wanted[level_digits];
  U key[count_shape<U>::warps][simt::warp_size * count_shape<U>::chunks * count_shape<U>::width];
  std::uint32_t count[level_digits * first_columns];
};

template <class U>
struct collect_arguments {
  count_arguments<U> count;
  const std::uint8_t* wanted;
  U* candidates;         // in no order
  std::uint64_t* found;  // how many; zero at launch
};

// Does the work of count_level_kernel of the first level and of find_candidates_kernel at once.
template <class U>
__global__ void __launch_bounds__(count_threads) count_and_collect_kernel(collect_arguments<U> a) {
  using shape = count_shape<U>;
  using tile = block::tile<U, shape>;
  auto& shared = simt::shared_storage<collect_storage<U>>();
  const unsigned lane = simt::lane_id(), warp = simt::warp_id(), thread = simt::thread_rank();
  shared.wanted[thread] = a.wanted[thread];
  for (unsigned i = thread; i < level_digits * first_columns; i += count_threads) shared.count[i] = 0;
  simt::sync_block();
  constexpr unsigned room = simt::warp_size * shape::chunks * shape::width;
  unsigned staged = 0;  // the same in all lanes
  const auto flush = [&] {
    simt::sync_warp();  // written by other lanes
    std::uint64_t place = 0;
    if (lane == 0) place = simt::atomic_add(a.found, std::uint64_t{staged});
    place = simt::shuffle(place, 0);
    for (unsigned i = lane; i < staged; i += simt::warp_size) a.candidates[place + i] = shared.key[warp][i];
    staged = 0;
    simt::sync_warp();  // read before the next ones come
  };
  const std::uint64_t n = a.count.items.get();
  for (std::uint64_t begin = std::uint64_t{blockIdx.x} * shape::items; begin < n;
       begin += std::uint64_t{gridDim.x} * shape::items) {
    const auto valid = static_cast<unsigned>(ballot::detail::smaller(n - begin, shape::items));
    typename tile::items key;
    ballot::detail::load_keys<U, shape>(a.count.keys + begin, valid, a.count.vector_aligned, key);
    unsigned candidates = 0;  // of this thread's items, a bit each
#pragma unroll
    for (int c = 0; c < shape::chunks; ++c)
#pragma unroll
      for (int j = 0; j < shape::width; ++j) {
        const unsigned digit =
            static_cast<unsigned>(a.count.asked.of(key[c][j]) >> a.count.shift) & (level_digits - 1u);
        if (tile::first_item(c) + static_cast<unsigned>(j) >= valid) continue;
        // Relaxed: read after the barrier below.
        simt::atomic_add<simt::order::relaxed, simt::scope::block>(
            shared.count + digit * first_columns + lane % first_columns, 1u);
        if (shared.wanted[digit] != 0) candidates |= 1u << (c * shape::width + j);
      }
    const unsigned own = static_cast<unsigned>(simt::popcount(candidates));
    const unsigned upto = warp::inclusive_scan(own), of_warp = simt::shuffle(upto, simt::warp_size - 1);
    if (of_warp == 0) continue;
    if (staged + of_warp > room) flush();
    unsigned slot = staged + upto - own;
    staged += of_warp;
#pragma unroll
    for (int c = 0; c < shape::chunks; ++c)
#pragma unroll
      for (int j = 0; j < shape::width; ++j)
        if ((candidates >> (c * shape::width + j) & 1u) != 0) shared.key[warp][slot++] = key[c][j];
  }
  if (staged != 0) flush();
  simt::sync_block();
  std::uint32_t items = 0;
#pragma unroll
  for (unsigned column = 0; column < first_columns; ++column)
    items += shared.count[thread * first_columns + (thread + column) % first_columns];
  if (items != 0) simt::atomic_add(a.count.counts + thread, std::uint64_t{items});
}

// One block: if a boundary is in another digit, candidates have to be sought again.
template <class U>
__global__ void __launch_bounds__(count_threads)
    check_guess_kernel(const U* splitter, int number, const std::uint8_t* wanted, std::uint64_t* found,
                       std::uint32_t* again) {
  bool missed = false;
  for (int j = static_cast<int>(simt::thread_rank()); j < number; j += count_threads)
    missed |= wanted[static_cast<unsigned>(splitter[j]) & (level_digits - 1u)] == 0;
  missed = simt::sync_block_any(missed);
  if (simt::thread_rank() != 0) return;
  *again = missed ? 1 : 0;
  if (missed) *found = 0;
}

template <class U>
void launch_sample(stream_t stream, const count_arguments<U>& a) {
  constexpr unsigned rows_of_block = count_threads / simt::warp_size;
  const std::uint64_t rows = a.items.capacity / (rows_of_sample * sampled_row);
  const auto blocks = static_cast<unsigned>(ballot::detail::smaller(
      ballot::detail::ceil_div(rows, rows_of_block), ballot::detail::blocks_per_multiprocessor<2>::most()));
  if (blocks == 0) return;
  simt::launch(sample_digits_kernel<U>,
               simt::launch_config{dim3(blocks), dim3(count_threads), level_digits * sizeof(std::uint32_t), stream}, a);
}
template <class U>
void launch_guess(stream_t stream, const boundaries<U>& of, const std::uint64_t* sample, std::uint64_t items,
                  std::uint8_t* wanted) {
  simt::launch(guess_digits_kernel<U>,
               simt::launch_config{dim3(1), dim3(count_threads),
                                   sizeof(typename block::scan<std::uint64_t, count_threads>::storage), stream},
               of, sample, items, wanted);
}
template <class U>
void launch_count_and_collect(stream_t stream, collect_arguments<U> a) {
  using shape = count_shape<U>;
  const auto blocks = static_cast<unsigned>(
      ballot::detail::smaller(ballot::detail::ceil_div(a.count.items.capacity, shape::items), most_count_blocks));
  if (blocks == 0) return;
  a.count.vector_aligned = block::is_vector_aligned<U, shape::width>(a.count.keys);
  simt::launch(count_and_collect_kernel<U>,
               simt::launch_config{dim3(blocks), dim3(count_threads), sizeof(collect_storage<U>), stream}, a);
}

}  // namespace ballot::distributed::detail
