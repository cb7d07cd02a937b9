// SPDX-License-Identifier: Apache-2.0
// Moves keys and values to their stretches, by few splitters, in one read and one write. Stable.
//
//     take a ticket -> load keys -> group and rank of each among its warp's
//     -> publish the tile's counts -> stage keys by group -> look back, a lane for each group
//     -> write each group's keys as one run -> the same with values
//
// distribute_ranks.cuh finds the group and the rank of each key.
//
// A group's place among the items by group follows from this rank's counts. The stretch that has
// that place says where the group lies in memory (stretches.cuh). A group of equal keys may be cut
// between stretches. Then the stretch is looked up item by item.
//
// Each warp writes an equal part of the tile's items by group. So all warps write equally much,
// however many groups there are, and however unequal they are. Rows of a warp begin at a multiple
// of its lanes in memory.
//
// Shared memory: a tile of items. Six barriers, two more with values.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/device/look_back.cuh>
#include <ballot/distributed/detail/distribute_ranks.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/scan.cuh>

#include <type_traits>

namespace ballot::distributed::detail {

template <class U, class V, class Shape>
class distribute_tile : protected distribute_ranks<U, V, Shape> {
  using base = distribute_ranks<U, V, Shape>;

 public:
  using typename base::arguments;
  using typename base::storage;

  __device__ __forceinline__ distribute_tile(const arguments& a, storage& shared, std::uint32_t tile)
      : base(a, shared, tile) {}

  __device__ __forceinline__ void process() {
    const bool is_full = valid_ == Shape::items;
    if (is_full) this->template load_keys<true>();
    else this->template load_keys<false>();
    load_tables();
    simt::sync_block();
    if (are_dropped()) return;  // all tiles
    find_groups();              // read after a barrier
    if (!is_full || simt::sync_block_any(rank_untied())) {
      simt::sync_block();
      rank_tied();
      simt::sync_block();
    }
    bring(is_full);
  }

 protected:
  using base::a_;
  using base::are_dropped;
  using base::begin_;
  using base::find_groups;
  using base::first_;
  using base::group_shift;
  using base::items_per_thread;
  using base::key_;
  using base::load_tables;
  using base::padding;
  using base::rank_;
  using base::rank_mask;
  using base::rank_tied;
  using base::rank_untied;
  using base::row;
  using base::shared_;
  using base::thread_;
  using base::tile_;
  using base::valid_;
  using base::warp_;

  // For tiles in which keys equal splitters, and for partial tiles: repeats the work from the
  // tile's keys and tables on.
  __device__ __forceinline__ void process_tied() {
    simt::sync_block();
    rank_tied();
    simt::sync_block();
    bring(false);
  }

  // Moves ranked items to their places. There is one code for all tiles: two copies take more
  // registers than there are.
  __device__ __forceinline__ void bring(bool is_full) {
    std::uint32_t count = 0, first = 0;
    if (warp_ == 0) publish_counts(count, first);
    simt::sync_block();
    stage_keys();
    if (warp_ == 0) look_back(count, first);
    write_items(is_full);
  }

  static constexpr bool has_values = !std::is_same_v<V, no_value>;

  __device__ __forceinline__ void write_items(bool is_full) {
    V value[has_values ? items_per_thread : 1];
    if constexpr (has_values) {
      if (is_full) load_values<true>(value);
      else load_values<false>(value);
    }
    simt::sync_block();
    const U* const keys = reinterpret_cast<const U*>(shared_.items);
    write(a_.keys_out, shared_.key_offset, &stretch::key_shift, [&](unsigned, int rank) { return keys[rank]; });
    if constexpr (has_values) {
      simt::sync_block();  // the keys are out; values take their memory
      V* const staged = reinterpret_cast<V*>(shared_.items);
#pragma unroll
      for (int i = 0; i < items_per_thread; ++i) staged[rank_.get(i)] = value[i];
      simt::sync_block();
      write(a_.values_out, shared_.value_offset, &stretch::value_shift,
            [&](unsigned, int rank) { return staged[rank]; });
    }
  }

  template <bool Full>
  __device__ __forceinline__ void load_values(V (&value)[items_per_thread]) const {
    const std::uint64_t begin = begin_ + first_;
    if (a_.values != nullptr) {
#pragma unroll
      for (int i = 0; i < items_per_thread; ++i)
        value[i] = Full || first_ + row(i) < valid_ ? a_.values[begin + row(i)] : V{};
    } else if constexpr (std::is_integral_v<V>) {
#pragma unroll
      for (int i = 0; i < items_per_thread; ++i) value[i] = static_cast<V>(a_.first_position + begin + row(i));
    }
  }

  // Warp 0. Lane g has the tile's items of group g, and the rank of the first of them. The warps'
  // counts become offsets.
  __device__ __forceinline__ void publish_counts(std::uint32_t& count, std::uint32_t& first) {
    const unsigned lane = simt::lane_id();
    const bool owns = lane < Shape::groups;
    if (owns) {
#pragma unroll
      for (int w = 0; w < Shape::warps; ++w) count += shared_.warp_offset[w][lane];
      if (lane != Shape::no_group)  // pairs with the loads of later tiles in look_back
        device::publish_state(
            own_state(),
            distribute_state::pack(tile_ == 0 ? device::tile_status::prefix : device::tile_status::aggregate, count));
    }
    first = warp::inclusive_scan(count) - count;
    if (!owns) return;
    shared_.first[lane] = first;
    std::uint32_t offset = first;
#pragma unroll
    for (int w = 0; w < Shape::warps; ++w) {
      const std::uint32_t of_warp = shared_.warp_offset[w][lane];
      // Missing items stay where they are.
      shared_.warp_offset[w][lane] = lane == Shape::no_group ? static_cast<unsigned>(w) * Shape::warp_items : offset;
      offset += of_warp;
    }
  }

  __device__ __forceinline__ void stage_keys() {
    U* const staged = reinterpret_cast<U*>(shared_.items);
    const auto stage = [&](int i, std::uint32_t both) {
      const std::uint32_t group = both >> group_shift;
      const std::uint32_t rank = (both & rank_mask) + shared_.warp_offset[warp_][group];
      staged[rank] = key_[i];
      rank_.set(i, rank);
    };
#pragma unroll
    for (int i = 0; i < items_per_thread; i += 2) {  // both numbers of a word are read before it is set
      const std::uint32_t first = rank_.get(i), second = rank_.get(i + 1);
      stage(i, first);
      stage(i + 1, second);
    }
  }

  // Warp 0, lane g.
  __device__ __forceinline__ void look_back(std::uint32_t count, std::uint32_t first) {
    const unsigned lane = simt::lane_id();
    if (lane >= Shape::no_group) return;
    std::uint64_t before = 0;
    if (tile_ != 0) {
      before = items_before();
      // Pairs with the loads of later tiles in look_back.
      device::publish_state(own_state(), distribute_state::pack(device::tile_status::prefix, before + count));
    }
    if (count == 0) return;  // also where there is no such group
    const std::uint64_t begin = shared_.group_begin[lane] + before;
    const int of_first = stretch_of(begin);
    const bool is_divided = begin + count > shared_.stretches[of_first + 1].begin;
    shared_.offset[lane] = begin - first;
    const auto place = [&](std::int64_t shift) {
      return is_divided ? storage::divided : static_cast<std::int64_t>(begin - first) + shift;
    };
    shared_.key_offset[lane] = place(shared_.stretches[of_first].key_shift);
    shared_.value_offset[lane] = place(shared_.stretches[of_first].value_shift);
  }
  __device__ __forceinline__ std::uint64_t items_before() const {
    constexpr unsigned window = 8;
    const auto state_of = [&](std::uint32_t newest, unsigned back) {  // tile 0 publishes only a prefix
      return a_.states + static_cast<std::size_t>(newest > back ? newest - back : 0) * Shape::groups + simt::lane_id();
    };
    std::uint64_t sum = 0;
    for (std::uint32_t newest = tile_ - 1;; newest -= window) {
      distribute_state::word w[window];
#pragma unroll
      for (unsigned j = 0; j < window; ++j) w[j] = device::load_state(state_of(newest, j));  // pairs as said above
#pragma unroll
      for (unsigned j = 0; j < window; ++j) {
        while (distribute_state::status(w[j]) == device::tile_status::empty) {
          simt::spin_hint();
          w[j] = device::load_state(state_of(newest, j));
        }
        sum += distribute_state::value(w[j]);
        if (distribute_state::status(w[j]) == device::tile_status::prefix) return sum;
      }
    }
  }
  // The last stretch that begins there or before. It has the item.
  __device__ __forceinline__ int stretch_of(std::uint64_t item) const {
    int s = 0;
    while (s < a_.number && shared_.stretches[s + 1].begin <= item) ++s;
    return s;
  }

  // item(group, rank): an item of the tile's items by group.
  template <class T, class Item>
  __device__ __forceinline__ void write(T* out, const std::int64_t* offset, std::int64_t stretch::*shift,
                                        const Item& item) const {
    const int lane = static_cast<int>(simt::lane_id());
    const int begin = static_cast<int>(warp_ * Shape::warp_items), end = begin + static_cast<int>(Shape::warp_items);
    bool is_here = false;  // whether the warp's part has items of group `lane`
    if (lane <= 2 * a_.number) {
      const int first = static_cast<int>(shared_.first[lane]), behind = static_cast<int>(shared_.first[lane + 1]);
      is_here = first < behind && first < end && behind > begin;
    }
    for (unsigned groups = simt::ballot(is_here); groups != 0; groups &= groups - 1) {
      const auto group = static_cast<unsigned>(simt::find_first(groups));
      const int of_group = static_cast<int>(shared_.first[group]), first = of_group < begin ? begin : of_group,
                end_of_group = static_cast<int>(shared_.first[group + 1]),
                behind = end_of_group < end ? end_of_group : end;
      const std::int64_t at = offset[group];
      if (at == storage::divided) {
        for (int rank = first + lane; rank < behind; rank += simt::warp_size) {
          const std::uint64_t place = shared_.offset[group] + static_cast<unsigned>(rank);
          out[static_cast<std::int64_t>(place) + shared_.stretches[stretch_of(place)].*shift] = item(group, rank);
        }
        continue;
      }
      T* const run = out + at;
      const auto beyond = static_cast<int>(reinterpret_cast<std::uintptr_t>(run + first) / sizeof(T) % simt::warp_size);
#pragma unroll 4
      for (int rank = first - beyond + lane; rank < behind; rank += simt::warp_size)
        if (rank >= first) run[rank] = item(group, rank);
    }
  }

  __device__ __forceinline__ distribute_state::word* own_state() const {
    return a_.states + static_cast<std::size_t>(tile_) * Shape::groups + simt::lane_id();
  }
};

template <class U, class V, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks) distribute_kernel(distribute_arguments<U, V> a) {
  auto& shared = simt::shared_storage<distribute_storage<U, V, Shape>>();
  const std::uint32_t tile = device::take_ticket(a.ticket, shared.tile);
  distribute_tile<U, V, Shape>(a, shared, tile).process();
}

}  // namespace ballot::distributed::detail
