// SPDX-License-Identifier: Apache-2.0
// What a tile of a reduction of runs stores (kernel.cuh): at each head the key of its run, and the
// result of the run before.
#pragma once

#include <ballot/block/staged_tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/reduce_by_key/head_words.cuh>
#include <ballot/detail/reduce_by_key/tile.cuh>
#include <ballot/device/flags.cuh>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>

namespace ballot::detail {

// How many words of a warp's heads are stored at once: a divisor of all, and up to 64 bytes of
// items a lane.
template <unsigned Words, std::size_t Bytes>
inline constexpr unsigned words_at_once = [] {
  unsigned most = 4;
  while (most > 1 && (Words % most != 0 || most * Bytes > 64)) --most;
  return most;
}();

// All threads, after the barrier that follows the look-back. Each warp stores what belongs to its
// items. words: their heads. own_keys: those of the tile. The last tile also stores the number of
// runs.
template <bool HasInitial, class T, class Shape, class Arguments, class Keys, class Storage>
__device__ __forceinline__ void store_runs(const Arguments& a, const Keys& own_keys, Storage& shared,
                                           const tile_of_block& at, const head_words& words,
                                           const scanned_runs<T>& all) {
  using staged = block::staged_tile<T, Shape>;
  constexpr unsigned items_of_word = simt::warp_size, words_of_warp = Shape::warp_items / items_of_word;
  const unsigned lane = at.lane, first_of_warp = at.warp * Shape::warp_items;
  const std::uint64_t runs_before = at.index == 0 ? 0 : shared.runs_before;
  // The result at a head of rank r is that of run r - 1. The first head of all ends no run: ~0u.
  const unsigned runs_ended = at.index == 0 ? 1u : 0u;
  const auto keys = a.heads.from(runs_before);
  const auto results = a.results.from(runs_before - 1 + runs_ended);
  const auto with_initial = [&](const T& result) {
    if constexpr (HasInitial) return a.op(a.initial, result);
    else return result;
  };

  // The run that ends at the tile's first head may have begun in a tile before.
  if (at.index != 0 && all.warp_rank == 0 && words.before == 0 && words.word != 0) {
    const unsigned item = first_of_warp + lane * items_of_word + static_cast<unsigned>(simt::find_first(words.word));
    T& result = staged::item_at(shared.values.items, item);
    result = item == 0 ? shared.prefix : a.op(shared.prefix, result);
  }
  simt::sync_warp();
  constexpr unsigned at_once = words_at_once<words_of_warp, sizeof(T) + sizeof(typename Keys::key)>;
  const unsigned used = simt::ballot(words.word != 0);
#pragma unroll 1
  for (unsigned first = 0; first < words_of_warp; first += at_once) {
    if ((used >> first & device::low_bits_of_word(at_once)) == 0) continue;
    unsigned word[at_once], rank[at_once];  // all loads before the first store
    typename Keys::key key[at_once];
    T result[at_once];
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      const unsigned item = first_of_warp + (first + k) * items_of_word + lane;
      word[k] = simt::shuffle(words.word, first + k);
      rank[k] = all.warp_rank + simt::shuffle(words.before, first + k) + simt::popcount(word[k] & simt::lanemask_lt());
      key[k] = own_keys.at(shared.keys, item);
      result[k] = staged::item_at(shared.values.items, item);
    }
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      const bool is_head = (word[k] >> lane & 1u) != 0;
      keys.store(is_head ? rank[k] : ~0u, key[k]);
      if (HasInitial && is_head) result[k] = with_initial(result[k]);
      results.store(is_head ? rank[k] - runs_ended : ~0u, result[k]);
    }
  }
  if (at.begin + at.valid == at.n && at.thread == 0) {
    a.count.store(runs_before + all.tile_heads);
    const T last = at.valid == Shape::items ? all.tail : staged::item_at(shared.values.items, at.valid);
    const bool is_open = all.tile_heads == 0;  // the last run began in another tile
    results.store(all.tile_heads - runs_ended, with_initial(is_open ? a.op(shared.prefix, last) : last));
  }
}

}  // namespace ballot::detail
