// SPDX-License-Identifier: Apache-2.0
// distribute_kernel.cuh for keys alone that are sorted by all their bits. Equal keys cannot be told
// apart, so the order within a group is free. That saves half of the instructions, which bound the
// speed of that kernel.
//
//     load keys -> group and rank of each among its thread's -> scan of the counts
//     -> publish the tile's counts -> stage keys by group -> look back
//     -> write each group's keys as one run
//
// A thread counts its keys of each group in its own words of shared memory. The count that it finds
// there is a key's rank. So lanes need not look for each other. Keys that equal a splitter are only
// counted, in the upper half of the word of the group after it. They are all the same. So they are
// not staged, and the splitter is written in their place. A partial tile takes the way of
// distribute_kernel.cuh.
//
// Shared memory: a tile of keys, a word a thread and group between splitters. Six barriers.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/distributed/detail/distribute_kernel.cuh>

namespace ballot::distributed::detail {

template <class U, class Shape>
struct distribute_keys_storage : distribute_storage<U, no_value, Shape> {
  static constexpr unsigned searched = 1u << (Shape::bits - 1);  // groups of a search, the padding's among them
  // Two counts a word: of keys between splitters, and of those that equal the splitter before.
  // Later they are the counts of the threads before.
  alignas(16) std::uint32_t of_thread[searched][Shape::threads];
  std::uint32_t of_tile[searched];
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
    if (this->are_dropped()) return;  // all tiles
    this->find_groups();              // read after a barrier
    if (!is_full) return base::process_tied();
    if (this->a_.asked.codec.is_identity()) rank_in_thread<true>();
    else rank_in_thread<false>();
    simt::sync_block();
    scan_counts();
    simt::sync_block();
    std::uint32_t count = 0, first = 0;
    if (this->warp_ == 0) publish_counts(count, first);
    simt::sync_block();
    stage();
    if (this->warp_ == 0) this->look_back(count, first);
    simt::sync_block();
    write();
  }

 private:
  static constexpr int search_bits = Shape::bits - 1;
  static constexpr unsigned searched = storage::searched;
  static constexpr unsigned not_staged = searched;  // in place of a group

  // The rank of each key among its thread's of the same group, and the thread's counts.
  template <bool Plain>
  __device__ __forceinline__ void rank_in_thread() {
    const unsigned padded = static_cast<unsigned>(this->padding());
    std::uint32_t* const counts = &own_.of_thread[0][this->thread_];
#pragma unroll
    for (unsigned g = 0; g < searched; ++g) counts[g * Shape::threads] = 0;
    // Splitters of the first three comparisons stay in registers.
    constexpr int known = search_bits < 3 ? search_bits : 3;
    U splitter[(1 << known) - 1];
#pragma unroll
    for (int i = 0; i < (1 << known) - 1; ++i)
      splitter[i] = own_.splitter[static_cast<unsigned>(i + 1) * (searched >> known) - 1];
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i) {
      const U code = Plain ? static_cast<U>(this->key_[i]) : this->a_.asked.codec.encode(this->key_[i]);
      U nearest;
      const unsigned group = group_of<known>(splitter, code, nearest);
      const bool equals = nearest == code && group > padded;  // zeros of the padding are no splitters
      const std::uint32_t both = counts[group * Shape::threads];
      counts[group * Shape::threads] = both + (equals ? 1u << 16 : 1u);
      this->rank_.set(i, equals ? not_staged << base::group_shift : (group << base::group_shift) + (both & 0xffffu));
    }
  }

  // Finds by binary search how many splitters are not above the code, and the last of them.
  template <int Known>
  __device__ __forceinline__ unsigned group_of(const U (&splitter)[(1 << Known) - 1], U code, U& nearest) const {
    const U first = splitter[(1 << (Known - 1)) - 1];
    const bool right = first <= code;
    nearest = right ? first : static_cast<U>(~code);
    unsigned group = right ? searched / 2 : 0;
    if constexpr (Known >= 2) {
      constexpr int quarter = 1 << (Known - 2), middle = 1 << (Known - 1);
      const U second = right ? splitter[middle + quarter - 1] : splitter[quarter - 1];
      const bool right_again = second <= code;
      nearest = right_again ? second : nearest;
      group += right_again ? searched / 4 : 0;
      if constexpr (Known >= 3) {
        const U low = right ? splitter[4] : splitter[0], high = right ? splitter[6] : splitter[2];
        const U third = right_again ? high : low;
        nearest = third <= code ? third : nearest;
        group += third <= code ? searched / 8 : 0;
      }
    }
#pragma unroll
    for (unsigned step = searched >> (Known + 1); step > 0; step /= 2) {
      const U next = own_.splitter[group + step - 1];
      nearest = next <= code ? next : nearest;
      group += next <= code ? step : 0;
    }
    return group;
  }

  // A scan over the threads, of both counts of a word at once. Neither overflows, since a tile has
  // fewer than 2^16 keys. A few lanes share the words of a group. Each lane takes consecutive
  // words, as many as there are groups.
  __device__ __forceinline__ void scan_counts() {
    constexpr unsigned lanes = Shape::threads / searched;
    static_assert(lanes <= simt::warp_size && simt::warp_size % lanes == 0);
    std::uint32_t* const words = &own_.of_thread[0][0] + this->thread_ * searched;
    std::uint32_t word[searched], sum = 0;
#pragma unroll
    for (unsigned i = 0; i < searched; ++i) word[i] = words[i];
#pragma unroll
    for (unsigned i = 0; i < searched; ++i) sum += word[i];
    const unsigned lane = this->thread_ % lanes;
    std::uint32_t upto = sum;
#pragma unroll
    for (unsigned distance = 1; distance < lanes; distance *= 2) {
      const std::uint32_t below = simt::shuffle_up(upto, distance);
      upto += lane >= distance ? below : 0u;
    }
    std::uint32_t before = upto - sum;
#pragma unroll
    for (unsigned i = 0; i < searched; ++i) {
      words[i] = before;
      before += word[i];
    }
    if (lane == lanes - 1) own_.of_tile[this->thread_ / lanes] = upto;
  }

  // Warp 0. Lane g has the tile's keys of group g, and the rank of the first of them.
  __device__ __forceinline__ void publish_counts(std::uint32_t& count, std::uint32_t& first) {
    const unsigned lane = simt::lane_id();
    // The group after a splitter has the count of those that equal it, too.
    const unsigned group = static_cast<unsigned>(this->padding()) + (lane + 1) / 2;
    if (group < searched && lane < Shape::no_group)
      count = lane % 2 == 0 ? own_.of_tile[group] & 0xffffu : own_.of_tile[group] >> 16;
    if (lane < Shape::no_group)  // pairs with the loads of later tiles in look_back
      device::publish_state(this->own_state(), distribute_state::pack(this->tile_ == 0 ? device::tile_status::prefix
                                                                                       : device::tile_status::aggregate,
                                                                      count));
    first = warp::inclusive_scan(count) - count;
    if (lane < Shape::groups) own_.first[lane] = first;
    if (lane == 0) own_.first[Shape::groups] = Shape::items;
  }

  __device__ __forceinline__ void stage() {
    const unsigned padded = static_cast<unsigned>(this->padding());
    const std::uint32_t* const before = &own_.of_thread[0][this->thread_];
    U* const staged = reinterpret_cast<U*>(own_.items);
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i) {
      const std::uint32_t both = this->rank_.get(i), group = both >> base::group_shift;
      if (group == not_staged) continue;
      const std::uint32_t of_group = own_.first[2 * (group - padded)] + (before[group * Shape::threads] & 0xffffu);
      staged[of_group + (both & base::rank_mask)] = this->key_[i];
    }
  }

  __device__ __forceinline__ void write() const {
    const U* const staged = reinterpret_cast<const U*>(own_.items);
    base::write(this->a_.keys_out, own_.key_offset, &stretch::key_shift, [&](unsigned group, int rank) {
      if (group % 2 == 0) return staged[rank];
      return this->a_.asked.codec.decode(own_.splitter[this->padding() + static_cast<int>(group - 1) / 2]);
    });
  }

  storage& own_;
};

template <class U, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    distribute_keys_kernel(distribute_arguments<U, no_value> a) {
  auto& shared = simt::shared_storage<distribute_keys_storage<U, Shape>>();
  const std::uint32_t tile = device::take_ticket(a.ticket, shared.tile);
  distribute_keys_tile<U, Shape>(a, shared, tile).process();
}

}  // namespace ballot::distributed::detail
