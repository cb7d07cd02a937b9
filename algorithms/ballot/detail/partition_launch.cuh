// What the selections share on the host: tile shape, scratch, launches.
//
// Where rejected items follow kept ones in one output, their first place is the number of kept items, so that has to be
// known before any is written. Two ways, of which `placing` names one: count all, then a look-back pass; or count each
// tile, scan the counts (few of them each tile sums for itself), then a pass without tickets and look-back. The second
// reads no more than the first and its pass waits for nobody: it is what split takes. Neither stores the flags in
// between: a second look at an item that has to be read anyway is cheaper than n / 8 bytes written and read.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/count_kernel.cuh>
#include <ballot/detail/partition_kernel.cuh>
#include <ballot/detail/selectors.cuh>
#include <ballot/detail/tuning_partition.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/scan.cuh>
#include <ballot/device/tiles.hpp>

#include <algorithm>
#include <limits>

namespace ballot::detail {

enum class placing { look_back, counted };

template <rejects Rejects>
inline constexpr placing placing_of = Rejects == rejects::after_kept ? placing::counted : placing::look_back;

template <class Tally = kept_count>
struct look_back_scratch {
  using word = typename Tally::state::word;
  std::uint32_t* ticket;
  word* states;

  look_back_scratch(scratch_carver& carver, std::uint64_t tiles)
      : ticket(carver.take<std::uint32_t>(1)), states(carver.take<word>(tiles)) {}
};

struct counted_scratch {
  std::uint64_t* before_tile;  // and the total behind them
  std::span<std::byte> scan;

  counted_scratch(scratch_carver& carver, std::uint64_t tiles) : before_tile(carver.take<std::uint64_t>(tiles + 1)) {
    const std::size_t bytes = scan_scratch_bytes<std::uint64_t>(tiles + 1);
    scan = {carver.take<std::byte>(bytes), bytes};
  }
};

template <placing Placing, class Tally = kept_count>
std::size_t placing_scratch_bytes(std::uint64_t tiles) {
  if (tiles == 0) return 0;
  scratch_carver measure;
  if constexpr (Placing == placing::look_back) look_back_scratch<Tally>(measure, tiles);
  else counted_scratch(measure, tiles);
  return measure.bytes();
}

template <rejects Rejects, class... T>
std::size_t partition_scratch_bytes(std::uint64_t n) {
  constexpr unsigned smallest_tile = std::min<unsigned>(partition_shape<Rejects, T...>::items,
                                                        flagged_partition_shape<Rejects, T...>::items),
                     smallest_tile_of_few = std::min<unsigned>(few_partition_shape<Rejects, false, T...>::items,
                                                               few_partition_shape<Rejects, true, T...>::items);
  return placing_scratch_bytes<placing_of<Rejects>>(
      std::max(ceil_div(n, smallest_tile), ceil_div(smaller(n, few_selected), smallest_tile_of_few)));
}

// *count += how many of n items are kept.
template <class Shape, class Source, class Selector>
void launch_count(stream_t stream, const Source& from, const length& n, const Selector& selector,
                  std::uint64_t* count) {
  if (n.capacity == 0) return;
  const auto blocks = static_cast<unsigned>(smaller(ceil_div(n.capacity, Shape::items), count_blocks));
  simt::launch(count_kernel<Source, Shape, Selector>,
               simt::launch_config{dim3(blocks), dim3(Shape::threads), sizeof(count_storage), stream}, from, n,
               selector, count);
}

// One selection of n items, everything checked but the scratch. Shape: other than the tuned one in tests and
// measurements alone. Tally: what tiles tell each other in a look-back.
template <rejects Rejects, class Shape, bool InPlace = false, placing Placing = placing_of<Rejects>,
          class Tally = kept_count, class Columns, class Selector>
void launch_partition(const exec& where, const length& n, const Columns& all, const Selector& selector,
                      std::uint64_t* count, const char* function) {
  using source = decltype(Columns::first.source);
  static_assert(Columns::largest_item <= 128, "items of more than 128 bytes: select their positions, then gather");
  static_assert(!InPlace || std::is_same_v<decltype(Columns::rest), columns<>>,
                "in place, all that a tile reads must be read before it publishes its state: one column");
  const stream_t stream = where.stream();
  const std::uint32_t tiles = tile_count(n.capacity, Shape::items, function);
  if (tiles == 0) {
    simt::fill_bytes(stream, count, 0, sizeof(std::uint64_t));
    return;
  }
  const std::size_t bytes = placing_scratch_bytes<Placing, Tally>(tiles);
  const scratch_lease lease(where, bytes, function);
  scratch_carver carver(lease.base());
  simt::launch_config a_block_a_tile{dim3(tiles), dim3(Shape::threads),
                                     sizeof(partition_storage<Columns, Shape, Rejects>), stream};

  if constexpr (Placing == placing::counted) {
    const counted_scratch scratch(carver, tiles);
    simt::launch(tile_count_kernel<source, Shape, Selector>,
                 simt::launch_config{dim3(tiles), dim3(Shape::threads), sizeof(count_storage), stream},
                 all.first.source, n, selector, scratch.before_tile);
    if (tiles <= summed_places::most_tiles) {
      a_block_a_tile.overlaps_the_one_before = true;
      return simt::launch(partition_kernel<Columns, Shape, Rejects, Selector, summed_places>, a_block_a_tile, n, all,
                          selector, summed_places{scratch.before_tile}, count);
    }
    const std::span<std::uint64_t> counts(scratch.before_tile, std::size_t{tiles} + 1);
    exclusive_scan(exec(stream, scratch.scan), counts, counts);
    simt::launch(partition_kernel<Columns, Shape, Rejects, Selector, counted_places>, a_block_a_tile, n, all, selector,
                 counted_places{scratch.before_tile, scratch.before_tile + tiles}, count);
  } else {
    const look_back_scratch<Tally> scratch(carver, tiles);
    if constexpr (Rejects == rejects::after_kept) {
      simt::fill_bytes(stream, count, 0, sizeof(std::uint64_t));
      launch_count<Shape>(stream, all.first.source, n, selector, count);
    }
    simt::fill_bytes(stream, lease.base(), 0, bytes);
    using places = look_back_places<InPlace, Tally>;
    simt::launch(partition_kernel<Columns, Shape, Rejects, Selector, places>, a_block_a_tile, n, all, selector,
                 places{scratch.states, scratch.ticket}, count);
  }
}

// A selection as the public functions have it: `keep` is what the caller gave. Shape as above, void for the tuned one.
template <rejects Rejects, class Shape = void, placing Placing = placing_of<Rejects>, class... I, class Keep,
          class... Kept, class... Rejected>
void select_items(const exec& where, const std::tuple<I...>& inputs, const Keep& keep,
                  const std::tuple<output<Kept>...>& kept, const std::tuple<output<Rejected>...>& rejected,
                  std::uint64_t* count, const char* function) {
  constexpr bool by_flags = selects_by_flags<Keep>;
  using tuned = typename partition_shape_of<Rejects, by_flags, typename I::value_type...>::type;
  using few = few_partition_shape<Rejects, by_flags, typename I::value_type...>;
  using shape = std::conditional_t<std::is_void_v<Shape>, tuned, Shape>;
  const length n = length_of(inputs);
  const auto selector = make_selector<shape::width, true>(keep, inputs, function);
  const auto all = make_columns<shape::width>(inputs, kept, rejected);
  if constexpr (std::is_void_v<Shape> && Placing == placing::look_back && !std::is_same_v<few, tuned>) {
    if (n.capacity <= few_selected)
      return launch_partition<Rejects, few, false, Placing>(where, n, all, selector, count, function);
  }
  launch_partition<Rejects, shape, false, Placing>(where, n, all, selector, count, function);
}

// The positions of what is kept.
template <class Shape = void, class... I, class Keep, class Index>
void select_positions(const exec& where, const std::tuple<I...>& inputs, const Keep& keep,
                      const std::tuple<output<Index>>& out, std::uint64_t* count, const char* function) {
  static_assert(std::unsigned_integral<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8), "indices are u32 or u64");
  // Nothing but flags is read: the large tile also where they are given.
  using tuned = partition_shape<rejects::dropped, Index, typename I::value_type...>;
  using few = few_partition_shape<rejects::dropped, false, Index, typename I::value_type...>;
  using shape = std::conditional_t<std::is_void_v<Shape>, tuned, Shape>;
  const length n = length_of(inputs);
  require(n.capacity == 0 || n.capacity - 1 <= std::numeric_limits<Index>::max(), function,
          "more items than the index type counts");
  const auto positions = make_columns<shape::width>(std::tuple(position_input<Index>{n}), out, std::tuple());
  const auto selector = make_selector<shape::width, false>(keep, inputs, function);
  if constexpr (std::is_void_v<Shape> && !std::is_same_v<few, tuned>) {
    if (n.capacity <= few_selected)
      return launch_partition<rejects::dropped, few>(where, n, positions, selector, count, function);
  }
  launch_partition<rejects::dropped, shape>(where, n, positions, selector, count, function);
}

}  // namespace ballot::detail
