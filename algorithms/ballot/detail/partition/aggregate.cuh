// What tiles of a selection tell each other of their kept items: how many there are; or that and where the last of them
// is, for who needs to know how far it is from there to the next one (run_columns.cuh).
//
// One warp speaks for its tile. Of a count every warp knows as much as the others; the place of the last kept item is
// known to the warp that has it, which has no need to tell the others then.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/detail/partition/tile.cuh>
#include <ballot/device/tile_state.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/reduce.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

struct kept_count {
  using state = device::count_state;
  using value_type = std::uint64_t;
  using join = plus;  // of what lies before and what follows
  static constexpr bool has_last = false;

  // Whether this warp speaks, `warp_kept` of whose items are kept.
  static __device__ __forceinline__ bool speaks(const placed_tile&, unsigned /*warp_kept*/) {
    return simt::warp_id() == 0;
  }
  template <class Shape>
  static __device__ __forceinline__ unsigned last_of_warp(const tile_flags<Shape>&) {
    return 0;
  }
  static __device__ __forceinline__ value_type of_tile(const placed_tile& tile, unsigned /*warp_last*/) {
    return tile.kept;
  }
  static __device__ __forceinline__ std::uint64_t count(value_type tally) { return tally; }

  // What one of few tiles reports (partition_reports.cuh), of fewer than 2^32 - 1 items: zero is no report.
  using report = std::uint32_t;
  using few = std::uint32_t;  // the tally of few items
  static __device__ __forceinline__ report report_of(value_type tally) { return static_cast<report>(tally) + 1; }
  static __device__ __forceinline__ few reported(report r) { return r - 1; }
  // Of one thread's flags, and of the tallies of all lanes.
  template <class Shape>
  static __device__ __forceinline__ few of_flags(const tile_flags<Shape>& of, std::uint64_t /*begin*/) {
    return of.count();
  }
  static __device__ __forceinline__ value_type of_all_lanes(few tally) { return warp::reduce(tally); }
};

// Index: u32 where there are fewer than 2^31 items, u64.
template <class Index>
struct kept_count_and_last {
  using value_type = device::count_and_last<Index>;
  using state = std::conditional_t<sizeof(Index) == 4, device::count_and_last_state, device::tile_state<value_type>>;
  static constexpr bool has_last = true;

  // Places ascend. Where nothing is kept the last place is 0, and so gives way.
  struct join {
    __device__ __forceinline__ value_type operator()(const value_type& a, const value_type& b) const {
      return {a.count + b.count, maximum{}(a.last, b.last)};
    }
  };

  // The warp with the last kept item; of a tile that has none, warp 0.
  static __device__ __forceinline__ bool speaks(const placed_tile& tile, unsigned warp_kept) {
    if (tile.kept == 0) return simt::warp_id() == 0;
    return warp_kept != 0 && tile.kept_before_warp + warp_kept == tile.kept;
  }
  // All lanes of the warp: where in the tile its last kept item is, if it has one.
  template <class Shape>
  static __device__ __forceinline__ unsigned last_of_warp(const tile_flags<Shape>& of) {
    return warp::reduce(of.count() != 0 ? of.last() : 0u, maximum{});
  }
  // In the warp that speaks.
  static __device__ __forceinline__ value_type of_tile(const placed_tile& tile, unsigned warp_last) {
    return {tile.kept, tile.kept == 0 ? 0 : static_cast<Index>(tile.begin + warp_last)};
  }
  static __device__ __forceinline__ std::uint64_t count(const value_type& tally) { return tally.count; }
  static __device__ __forceinline__ std::uint64_t last(const value_type& tally) { return tally.last; }

  // As above, of fewer than 2^31 items.
  using report = typename device::count_and_last_state::word;
  using few = value_type;
  static __device__ __forceinline__ report report_of(const value_type& tally) {
    return device::count_and_last_state::pack(device::tile_status::aggregate, tally);
  }
  static __device__ __forceinline__ few reported(report r) { return device::count_and_last_state::value(r); }
  template <class Shape>
  static __device__ __forceinline__ few of_flags(const tile_flags<Shape>& of, std::uint64_t begin) {
    const unsigned kept = of.count();
    return {kept, kept == 0 ? 0 : static_cast<Index>(begin + of.last())};
  }
  static __device__ __forceinline__ value_type of_all_lanes(const few& tally) {
    return {warp::reduce(tally.count), warp::reduce(tally.last, maximum{})};
  }
};

}  // namespace ballot::detail
