// The kernels behind bit_ranks and word_ranks: binary scans of votes that have been taken already.
//
//     words          lane 0: w0    lane 1: w1    ...  lane 31: w31       a word is a ballot: 32 flags
//     popcounts         17            9                  20              scanned over lanes, warps, tiles
//     items of w1    every lane gets w1 and its rank: rank + popcount(w1 & bits below its own)
//
// A warp's binary scan goes from flags to a vote and from there to ranks (warp/binary_scan.cuh); here the votes come
// from memory, 32 items in 4 bytes, so that a warp scans 1024 items with one load, one population count and one scan
// of 32 counts. The only number that crosses tiles is a count. Harris and Garland, GPU Computing Gems Jade Edition,
// chapter 3; Merrill and Garland 2016.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/device/flags.cuh>
#include <ballot/device/look_back.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/scan.cuh>

#include <cstdint>

namespace ballot::device {

// `bits` bits in memory; those past the last in its word are cleared when it is read.
struct packed_bits {
  const std::uint32_t* words;
  std::uint64_t bits;
  bool invert;

  __device__ __forceinline__ std::uint64_t word_count() const { return ballot::detail::ceil_div(bits, 32); }
  // Word `index`, as loaded, without what does not count.
  __device__ __forceinline__ std::uint32_t clean(std::uint32_t word, std::uint64_t index) const {
    const std::uint32_t set = invert ? ~word : word;
    const std::uint64_t first = index * 32;
    if (first + 32 <= bits) return set;
    return first < bits ? set & low_bits(static_cast<unsigned>(bits - first)) : 0u;
  }
};

// Where the ranks go: an item for each bit or word, one more for the total if `has_end`, and the total alone if not
// null.
template <class T>
struct rank_output {
  T* ranks;
  bool has_end;
  std::uint64_t* total;
};

template <int Threads>
struct rank_storage {
  typename block::scan<unsigned, Threads>::storage warps;
  std::uint32_t tile;
  std::uint64_t before;
};

// All threads: the count of all tiles before this one, which has `count` itself. The first warp looks back. One
// barrier; `slot` must not be written again before another one.
__device__ __forceinline__ std::uint64_t count_before_tile(count_state::word* states, std::uint32_t tile,
                                                           unsigned count, std::uint64_t& slot) {
  using back = look_back<count_state>;
  if (simt::warp_id() == 0) {
    std::uint64_t before = 0;
    if (tile != 0) {
      if (simt::lane_id() == 0) back::publish_aggregate(states, tile, count);
      before = back::before(states, tile);
    }
    if (simt::lane_id() == 0) {
      back::publish_prefix(states, tile, before + count);
      slot = before;
    }
  }
  simt::sync_block();
  return slot;
}

// By the thread that knows the last tile's sum.
template <class T>
__device__ __forceinline__ void write_total(const rank_output<T>& out, std::uint64_t end, std::uint64_t total) {
  if (out.has_end) out.ranks[end] = static_cast<T>(total);
  if (out.total != nullptr) *out.total = total;
}

// A rank for each bit. One tile a block, one word a thread, and 32 ranks of the warp's 1024 in vectors as Shape says.
// `states` (a word a tile) and `ticket` are zero at launch. Barriers: three.
template <class T, class Shape>
__global__ void __launch_bounds__(Shape::threads)
    bit_ranks_kernel(packed_bits in, rank_output<T> out, bool whole_vectors, count_state::word* states,
                     std::uint32_t* ticket) {
  constexpr unsigned width = Shape::width;
  static_assert(Shape::warp_items == 32 * simt::warp_size, "a word a lane");
  auto& shared = simt::shared_storage<rank_storage<Shape::threads>>();
  const std::uint32_t index = take_ticket(ticket, shared.tile);
  const std::uint64_t begin = static_cast<std::uint64_t>(index) * Shape::items;
  const std::uint64_t at = static_cast<std::uint64_t>(index) * Shape::threads + simt::thread_rank();
  const std::uint32_t word = at < in.word_count() ? in.clean(in.words[at], at) : 0u;

  const unsigned count = simt::popcount(word), up_to_lane = warp::inclusive_scan(count);
  const block::warp_prefix<unsigned> in_block =
      block::scan<unsigned, Shape::threads>::across_warps(shared.warps, up_to_lane);
  const unsigned in_tile = (in_block.has_before ? in_block.before : 0u) + up_to_lane - count;
  const std::uint64_t before = count_before_tile(states, index, in_block.total, shared.before);

  T* const ranks = out.ranks + begin;
  const bool whole = whole_vectors && in.bits - begin >= Shape::items;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    // This lane's vector of the chunk lies in the word of another lane, which it shares with 32 / width - 1 lanes.
    const unsigned owner = static_cast<unsigned>(c) * width + simt::lane_id() * width / 32;
    const unsigned shift = simt::lane_id() * width % 32;
    const std::uint32_t bits = simt::shuffle(word, owner);
    auto rank = static_cast<T>(before + simt::shuffle(in_tile, owner) + simt::popcount(bits & low_bits(shift)));
    simt::vector<T, width> ranks_of_vector;
#pragma unroll
    for (unsigned j = 0; j < width; ++j) {
      ranks_of_vector[j] = rank;
      rank += bits >> (shift + j) & 1u;
    }
    const unsigned first = block::tile<T, Shape>::first_item(c);
    if (whole) {
      simt::store_vector<T, width>(ranks + first, ranks_of_vector);
    } else {
#pragma unroll
      for (unsigned j = 0; j < width; ++j)
        if (begin + first + j < in.bits) ranks[first + j] = ranks_of_vector[j];
    }
  }
  if (begin + Shape::items >= in.bits && simt::thread_rank() == 0) write_total(out, in.bits, before + in_block.total);
}

// A rank for each word. One tile of words a block. `states` (a word a tile) and `ticket` are zero at launch. Barriers:
// three.
template <class T, class Shape>
__global__ void __launch_bounds__(Shape::threads)
    word_ranks_kernel(packed_bits in, rank_output<T> out, bool whole_input, bool whole_output,
                      count_state::word* states, std::uint32_t* ticket) {
  auto& shared = simt::shared_storage<rank_storage<Shape::threads>>();
  const std::uint32_t index = take_ticket(ticket, shared.tile);
  const std::uint64_t words = in.word_count(), begin = static_cast<std::uint64_t>(index) * Shape::items;
  const auto valid = static_cast<unsigned>(ballot::detail::smaller(words - begin, Shape::items));

  typename block::tile<std::uint32_t, Shape>::items item;  // the words, then their ranks within the warp
  block::tile<std::uint32_t, Shape>::load(in.words + begin, valid, whole_input, item);
  unsigned warp_total = 0;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const std::uint64_t first = begin + block::tile<std::uint32_t, Shape>::first_item(c);
    unsigned of_lane = 0;
#pragma unroll
    for (int j = 0; j < Shape::width; ++j) {
      const unsigned count = simt::popcount(in.clean(item[c][j], first + static_cast<unsigned>(j)));
      item[c][j] = of_lane;
      of_lane += count;
    }
    const unsigned up_to_lane = warp::inclusive_scan(of_lane);
#pragma unroll
    for (int j = 0; j < Shape::width; ++j) item[c][j] += warp_total + up_to_lane - of_lane;
    warp_total += simt::shuffle(up_to_lane, simt::warp_size - 1);
  }
  const block::warp_prefix<unsigned> in_block =
      block::scan<unsigned, Shape::threads>::across_warps(shared.warps, warp_total);
  const std::uint64_t before = count_before_tile(states, index, in_block.total, shared.before);
  const std::uint64_t before_warp = before + (in_block.has_before ? in_block.before : 0u);

  typename block::tile<T, Shape>::items rank;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c)
#pragma unroll
    for (int j = 0; j < Shape::width; ++j) rank[c][j] = static_cast<T>(before_warp + item[c][j]);
  block::tile<T, Shape>::store(out.ranks + begin, valid, whole_output, rank);
  if (begin + valid == words && simt::thread_rank() == 0) write_total(out, words, before + in_block.total);
}

}  // namespace ballot::device
