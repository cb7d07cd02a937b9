// SPDX-License-Identifier: Apache-2.0
// distribute_kernel.cuh for keys alone that are sorted by all their bits: equal ones cannot be told apart, so the order
// within a group is free. That saves half of the instructions, which are what bounds that kernel.
//
//     load keys -> group and rank of each among its thread's -> scan of the counts -> publish the tile's counts -> stage
//     keys by group -> look back -> write each group's keys as one run
//
// A thread counts its keys of each group in words of shared memory of its own; what it finds there is a key's rank. So
// lanes need not look for each other. Groups are written one after the other, by all threads, from a multiple of a
// warp's lanes on in memory.
//
// Few tiles have a key that equals a splitter. The others count only the groups between splitters, and a tile that
// finds such a key counts again: those between splitters in the lower half of a word, those that equal the splitter
// before in the upper half. Where so many keys are equal that most tiles would count twice, all begin with that. Keys
// that equal a splitter are not staged: they are all the same, so only their number matters. The partial tile takes the
// way of distribute_kernel.cuh.
//
// Shared memory: a tile of keys, a byte a key, a word a thread and group between splitters. Five barriers.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/distributed/detail/distribute_kernel.cuh>

namespace ballot::distributed::detail {

template <class U, class Shape>
struct distribute_keys_storage : distribute_storage<U, no_value, Shape> {
  static constexpr unsigned searched = 1u << (Shape::bits - 1);  // groups of a search, the padding's among them
  std::uint32_t of_thread[searched][Shape::threads];             // counts, then the rank in the tile of the first key
  std::uint32_t first[Shape::groups + 1];                        // rank in the tile of each group's first key
};

template <class U, class Shape>
class distribute_keys_tile : distribute_tile<U, no_value, Shape> {
  using base = distribute_tile<U, no_value, Shape>;

 public:
  using storage = distribute_keys_storage<U, Shape>;

  __device__ __forceinline__ distribute_keys_tile(const typename base::arguments& a, storage& shared,
                                                  std::uint32_t tile)
      : base(a, shared, tile), own_(shared) {}

  __device__ __forceinline__ void process() {
    const bool is_full = this->valid_ == Shape::items;
    if (is_full) this->template load_keys<true>();
    else this->template load_keys<false>();
    this->load_tables();
    simt::sync_block();
    this->find_groups();  // read behind a barrier
    if (!is_full) return base::process_tied();
    bool is_tied = expects_ties();
    if (!is_tied) {
      const bool finds_tie = this->a_.asked.codec.is_identity() ? rank_in_thread<true>() : rank_in_thread<false>();
      is_tied = simt::sync_block_any(finds_tie);
    }
    if (is_tied) {
      rank_in_thread_with_ties();
      simt::sync_block();
    }
    std::uint32_t count = 0, first = 0;
    if (this->warp_ == 0) {
      this->publish_counts(count, first);
      note_first(first);
    }
    simt::sync_block();
    if (is_tied) stage<true>();
    else stage<false>();
    if (this->warp_ == 0) this->look_back(count, first);
    simt::sync_block();
    write();
  }

 private:
  static constexpr int search_bits = Shape::bits - 1;
  static constexpr unsigned searched = storage::searched;
  static constexpr int words = static_cast<int>(searched) / 2;  // two counts each
  static constexpr unsigned not_staged = searched;              // in place of a group
  static constexpr int known = search_bits < 3 ? search_bits : 3;

  // Splitters of the first three comparisons stay in registers.
  struct known_splitters {
    U at[(1 << known) - 1];
    __device__ __forceinline__ explicit known_splitters(const storage& shared) {
#pragma unroll
      for (int i = 0; i < (1 << known) - 1; ++i)
        at[i] = shared.splitter[static_cast<unsigned>(i + 1) * (searched >> known) - 1];
    }
  };

  // Whether a tile has on average a key that equals a certain splitter: the same for all tiles.
  __device__ __forceinline__ bool expects_ties() const {
    const unsigned lane = simt::lane_id();
    const bool are_many =
        lane < static_cast<unsigned>(this->a_.number) && this->a_.own_below[2 * lane + 1] > this->a_.n / Shape::items;
    return simt::ballot(are_many) != 0;
  }

  // The rank of each key among its thread's of the same group; true if a key equals a splitter. Then the counts of the
  // warp, and in before_ what the lanes before this one have.
  template <bool Plain>
  __device__ __forceinline__ bool rank_in_thread() {
    const unsigned thread = this->thread_;
    std::uint32_t* const counts = &own_.of_thread[0][thread];
#pragma unroll
    for (unsigned g = 0; g < searched; ++g) counts[g * Shape::threads] = 0;
    const known_splitters splitter(own_);
    bool is_tied = false;
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i) {
      const U code = Plain ? static_cast<U>(this->key_[i]) : this->a_.asked.codec.encode(this->key_[i]);
      const unsigned group = group_of<known>(splitter.at, code, is_tied);
      const std::uint32_t rank = counts[group * Shape::threads];
      counts[group * Shape::threads] = rank + 1;
      this->rank_.set(i, (group << base::group_shift) + rank);
    }
    std::uint32_t own[words], upto[words];
#pragma unroll
    for (int w = 0; w < words; ++w) {
      own[w] = counts[static_cast<unsigned>(2 * w) * Shape::threads] |
               counts[static_cast<unsigned>(2 * w + 1) * Shape::threads] << 16;
      upto[w] = warp::inclusive_scan(own[w]);  // neither half overflows: a tile has fewer than 2^16 keys
      before_[w] = upto[w] - own[w];
    }
    // The true groups; odd ones are of keys that equal a splitter, and the padding has none.
    const unsigned lane = simt::lane_id();
    if (lane < Shape::groups) own_.warp_offset[this->warp_][lane] = 0;
    simt::sync_warp();
    if (lane == simt::warp_size - 1) {
      const unsigned padded = static_cast<unsigned>(this->padding());
#pragma unroll
      for (unsigned g = 0; g < searched; ++g)
        if (g >= padded) own_.warp_offset[this->warp_][2 * (g - padded)] = upto[g / 2] >> (g % 2 * 16) & 0xffffu;
    }
    return is_tied;
  }

  // The same with the groups of keys that equal a splitter, whose ranks do not matter. What the lanes before this one
  // have is left where the counts were.
  __device__ __forceinline__ void rank_in_thread_with_ties() {
    const unsigned thread = this->thread_, padded = static_cast<unsigned>(this->padding());
    std::uint32_t* const counts = &own_.of_thread[0][thread];
#pragma unroll
    for (unsigned g = 0; g < searched; ++g) counts[g * Shape::threads] = 0;
    const known_splitters splitter(own_);
    bool ignored = false;
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i) {
      const U code = this->a_.asked.codec.encode(this->key_[i]);
      const unsigned group = group_of<known>(splitter.at, code, ignored);
      const bool equals = group > padded && own_.splitter[group - 1] == code;  // zeros of the padding are no splitters
      const std::uint32_t both = counts[group * Shape::threads];
      counts[group * Shape::threads] = both + (equals ? 1u << 16 : 1u);
      this->rank_.set(i, equals ? not_staged << base::group_shift : (group << base::group_shift) + (both & 0xffffu));
    }
    const unsigned lane = simt::lane_id();
    if (lane < Shape::groups) own_.warp_offset[this->warp_][lane] = 0;
    simt::sync_warp();
#pragma unroll
    for (unsigned g = 0; g < searched; ++g) {
      const std::uint32_t own = counts[g * Shape::threads];
      const std::uint32_t upto = warp::inclusive_scan(own);  // neither half overflows, as above
      counts[g * Shape::threads] = (upto - own) & 0xffffu;
      if (lane == simt::warp_size - 1 && g >= padded) {
        const unsigned between = 2 * (g - padded);
        own_.warp_offset[this->warp_][between] = upto & 0xffffu;
        if (g > padded) own_.warp_offset[this->warp_][between - 1] = upto >> 16;
      }
    }
  }

  // By binary search: how many splitters are not above the code. A key that equals one of them meets it on its way.
  template <int Known>
  __device__ __forceinline__ unsigned group_of(const U (&splitter)[(1 << Known) - 1], U code, bool& is_tied) const {
    const U first = splitter[(1 << (Known - 1)) - 1];
    const bool right = first <= code;
    is_tied |= first == code;
    unsigned group = right ? searched / 2 : 0;
    if constexpr (Known >= 2) {
      constexpr int quarter = 1 << (Known - 2), middle = 1 << (Known - 1);
      const U second = right ? splitter[middle + quarter - 1] : splitter[quarter - 1];
      const bool right_again = second <= code;
      is_tied |= second == code;
      group += right_again ? searched / 4 : 0;
      if constexpr (Known >= 3) {
        const U low = right ? splitter[4] : splitter[0], high = right ? splitter[6] : splitter[2];
        const U third = right_again ? high : low;
        is_tied |= third == code;
        group += third <= code ? searched / 8 : 0;
      }
    }
#pragma unroll
    for (unsigned step = searched >> (Known + 1); step > 0; step /= 2) {
      const U next = own_.splitter[group + step - 1];
      is_tied |= next == code;
      group += next <= code ? step : 0;
    }
    return group;
  }

  // Warp 0, lane g: behind the last group all keys are before.
  __device__ __forceinline__ void note_first(std::uint32_t first) {
    const unsigned lane = simt::lane_id();
    if (lane < Shape::groups) own_.first[lane] = first;
    if (lane == 0) own_.first[Shape::groups] = Shape::items;
  }

  template <bool Tied>
  __device__ __forceinline__ void stage() {
    std::uint32_t* const begins = &own_.of_thread[0][this->thread_];
    const unsigned padded = static_cast<unsigned>(this->padding());
    const std::uint32_t* const of_warp = own_.warp_offset[this->warp_];
#pragma unroll
    for (unsigned g = 0; g < searched; ++g)
      if (g >= padded) {
        const std::uint32_t before = Tied ? begins[g * Shape::threads] : before_[g / 2] >> (g % 2 * 16) & 0xffffu;
        begins[g * Shape::threads] = of_warp[2 * (g - padded)] + before;
      }
    U* const staged = reinterpret_cast<U*>(own_.items);
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i) {
      const std::uint32_t both = this->rank_.get(i), group = both >> base::group_shift;
      if (Tied && group == not_staged) continue;
      staged[begins[group * Shape::threads] + (both & base::rank_mask)] = this->key_[i];
    }
  }

  __device__ __forceinline__ void write() const {
    const U* const staged = reinterpret_cast<const U*>(own_.items);
    for (int group = 0; group <= 2 * this->a_.number; ++group) {
      const int first = static_cast<int>(own_.first[group]), end = static_cast<int>(own_.first[group + 1]);
      if (first == end) continue;
      const bool equals = group % 2 != 0;
      const U splitter = equals ? this->a_.asked.codec.decode(own_.splitter[this->padding() + (group - 1) / 2]) : U{0};
      const auto key = [&](int r) { return equals ? splitter : staged[r]; };
      const std::int64_t offset = own_.key_offset[group];
      if (offset == storage::divided) {
        for (int r = first + static_cast<int>(this->thread_); r < end; r += Shape::threads) {
          const std::uint64_t item = own_.offset[group] + static_cast<unsigned>(r);
          const std::int64_t shift = own_.stretches[this->stretch_of(item)].key_shift;
          this->a_.keys_out[static_cast<std::int64_t>(item) + shift] = key(r);
        }
        continue;
      }
      U* const out = this->a_.keys_out + offset;
      const auto beyond = static_cast<int>(reinterpret_cast<std::uintptr_t>(out + first) / sizeof(U) % simt::warp_size);
#pragma unroll 4
      for (int r = first - beyond + static_cast<int>(this->thread_); r < end; r += Shape::threads)
        if (r >= first) out[r] = key(r);
    }
  }

  storage& own_;
  std::uint32_t before_[words];
};

template <class U, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    distribute_keys_kernel(distribute_arguments<U, no_value> a) {
  auto& shared = simt::shared_storage<distribute_keys_storage<U, Shape>>();
  const std::uint32_t tile = device::take_ticket(a.ticket, shared.tile);
  distribute_keys_tile<U, Shape>(a, shared, tile).process();
}

}  // namespace ballot::distributed::detail
