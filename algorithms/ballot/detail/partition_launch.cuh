// What the selections share on the host: tile shape, scratch, launches.
//
// Where rejected items follow kept ones in one output, their first place is the number of kept items, so that has to be
// known before any is written. `placing` names the ways:
//
//     look_back   in one pass; where all have to be counted, they are before
//     counted     each tile is counted, the counts are scanned, then a pass without tickets and look-back
//     reported    few tiles: in one pass, whatever has to be counted (partition_reports.cuh)
//
// The second reads no more than a count and a pass with a look-back, and its pass waits for nobody: it is what a split of
// many items takes. None stores the flags in between: a second look at an item that has to be read anyway is cheaper than
// n / 8 bytes written and read.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/count_kernel.cuh>
#include <ballot/detail/partition_kernel.cuh>
#include <ballot/detail/selectors.cuh>
#include <ballot/detail/tuning_partition.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/scan.cuh>

#include <algorithm>
#include <limits>

namespace ballot::detail {

enum class placing { look_back, counted, reported };

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

template <class Tally = kept_count>
struct reported_scratch {
  using word = typename Tally::report;
  word* reports;

  reported_scratch(scratch_carver& carver, std::uint64_t tiles) : reports(carver.take<word>(tiles)) {}
};

template <placing Placing, class Tally = kept_count>
std::size_t placing_scratch_bytes(std::uint64_t tiles) {
  if (tiles == 0) return 0;
  scratch_carver measure;
  if constexpr (Placing == placing::look_back) look_back_scratch<Tally>(measure, tiles);
  else if constexpr (Placing == placing::counted) counted_scratch(measure, tiles);
  else reported_scratch<Tally>(measure, tiles);
  return measure.bytes();
}

// Of a selection in the shapes for so many items. More items never need less.
template <placing Placing, class Shapes, class Tally = kept_count>
std::size_t tuned_scratch_bytes(std::uint64_t n) {
  const std::uint64_t small_tiles = smaller(ceil_div(n, Shapes::small::items), Shapes::most_small),
                      large_tiles = smaller(ceil_div(n, Shapes::large::items), Shapes::most_large);
  return std::max(placing_scratch_bytes<placing::reported, Tally>(std::max(small_tiles, large_tiles)),
                  placing_scratch_bytes<Placing, Tally>(ceil_div(n, Shapes::many::items)));
}

template <rejects Rejects, class... T>
std::size_t partition_scratch_bytes(std::uint64_t n) {
  return std::max(tuned_scratch_bytes<placing_of<Rejects>, partition_shapes<Rejects, false, T...>>(n),
                  tuned_scratch_bytes<placing_of<Rejects>, partition_shapes<Rejects, true, T...>>(n));
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

template <rejects Rejects, class Shape, class Columns>
simt::launch_config config_of(stream_t stream, std::uint32_t tiles) {
  return {dim3(tiles), dim3(Shape::threads), sizeof(partition_storage<Columns, Shape, Rejects>), stream};
}

// One selection of n items, everything checked but the scratch. Shape: other than the tuned one in tests and
// measurements alone. Tally: what tiles tell each other.
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
  const simt::launch_config a_block_a_tile = config_of<Rejects, Shape, Columns>(where.stream(), tiles);

  if constexpr (Placing == placing::reported) {
    const reported_scratch<Tally> scratch(carver, tiles);
    simt::fill_bytes(stream, lease.base(), 0, bytes);
    using places = reported_places<Shape, Rejects, Tally>;
    simt::launch(partition_kernel<Columns, Shape, Rejects, Selector, places>, a_block_a_tile, n, all, selector,
                 places{scratch.reports}, count);
  } else if constexpr (Placing == placing::counted) {
    const counted_scratch scratch(carver, tiles);
    simt::launch(tile_count_kernel<source, Shape, Selector>,
                 simt::launch_config{dim3(tiles), dim3(Shape::threads), sizeof(count_storage), stream},
                 all.first.source, n, selector, scratch.before_tile);
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

// Whether tiles that report to each other suit n items. Where each waits for all others, all should run at once.
template <rejects Rejects, class Shape, class Tally, class Columns, class Selector>
bool reports_suit(std::uint64_t n, std::uint64_t most_tiles) {
  const std::uint64_t tiles = ceil_div(n, Shape::items);
  if (tiles > most_tiles) return false;
  if constexpr (Rejects != rejects::after_kept) return true;
  constexpr auto kernel = partition_kernel<Columns, Shape, Rejects, Selector, reported_places<Shape, Rejects, Tally>>;
  return tiles <= 1 || tiles <= simt::resident_blocks(kernel, config_of<Rejects, Shape, Columns>(nullptr, 1));
}

// One selection in the shape for so many items. scratch_bytes: what the public function says it needs, which is asked for
// whatever the shape needs.
template <rejects Rejects, class Shapes, class Tally = kept_count, class Columns, class Selector>
void launch_tuned_partition(const exec& where, std::size_t scratch_bytes, const length& n, const Columns& all,
                            const Selector& selector, std::uint64_t* count, const char* function) {
  const scratch_lease lease(where, scratch_bytes, function);
  const exec within(where.stream(), std::span(lease.base(), scratch_bytes));
  const auto launch = [&]<class Shape, placing Placing>(std::type_identity<Shape>,
                                                        std::integral_constant<placing, Placing>) {
    launch_partition<Rejects, Shape, false, Placing, Tally>(within, n, all, selector, count, function);
  };
  constexpr std::integral_constant<placing, placing::reported> reported;
  using small = typename Shapes::small;
  using large = typename Shapes::large;
  if (reports_suit<Rejects, small, Tally, Columns, Selector>(n.capacity, Shapes::most_small))
    launch(std::type_identity<small>{}, reported);
  else if (reports_suit<Rejects, large, Tally, Columns, Selector>(n.capacity, Shapes::most_large))
    launch(std::type_identity<large>{}, reported);
  else launch(std::type_identity<typename Shapes::many>{}, std::integral_constant<placing, placing_of<Rejects>>{});
}

// A selection as the public functions have it: `keep` is what the caller gave. Shape, Placing: others than the tuned ones
// in tests and measurements alone.
template <rejects Rejects, class Shape = void, placing Placing = placing_of<Rejects>, class... I, class Keep,
          class... Kept, class... Rejected>
void select_items(const exec& where, const std::tuple<I...>& inputs, const Keep& keep,
                  const std::tuple<output<Kept>...>& kept, const std::tuple<output<Rejected>...>& rejected,
                  std::uint64_t* count, const char* function) {
  using shapes = partition_shapes<Rejects, selects_by_flags<Keep>, typename I::value_type...>;
  constexpr int width = std::conditional_t<std::is_void_v<Shape>, typename shapes::many, Shape>::width;
  const length n = length_of(inputs);
  const auto selector = make_selector<width, true>(keep, inputs, function);
  const auto all = make_columns<width>(inputs, kept, rejected);
  if constexpr (std::is_void_v<Shape>)
    launch_tuned_partition<Rejects, shapes>(where,
                                            partition_scratch_bytes<Rejects, typename I::value_type...>(n.capacity), n,
                                            all, selector, count, function);
  else launch_partition<Rejects, Shape, false, Placing>(where, n, all, selector, count, function);
}

// The positions of what is kept.
template <class... I, class Keep, class Index>
void select_positions(const exec& where, const std::tuple<I...>& inputs, const Keep& keep,
                      const std::tuple<output<Index>>& out, std::uint64_t* count, const char* function) {
  static_assert(std::unsigned_integral<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8), "indices are u32 or u64");
  // Nothing but flags is read: the large tile also where they are given.
  using shapes = partition_shapes<rejects::dropped, false, Index, typename I::value_type...>;
  constexpr int width = shapes::many::width;
  const length n = length_of(inputs);
  require(n.capacity == 0 || n.capacity - 1 <= std::numeric_limits<Index>::max(), function,
          "more items than the index type counts");
  const auto positions = make_columns<width>(std::tuple(position_input<Index>{n}), out, std::tuple());
  const auto selector = make_selector<width, false>(keep, inputs, function);
  const std::size_t bytes = partition_scratch_bytes<rejects::dropped, Index, typename I::value_type...>(n.capacity);
  launch_tuned_partition<rejects::dropped, shapes>(where, bytes, n, positions, selector, count, function);
}

}  // namespace ballot::detail
