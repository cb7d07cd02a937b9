// SPDX-License-Identifier: Apache-2.0
// Counts the digits of all passes in one read of the keys. From the counts follow the offset of
// each digit in the output and the action of each launch of the sort.
//
//     load a tile of keys -> check their order -> count the digits of all passes in shared memory
//     -> add the counts to the device's
//     -> the last block: exclusive scan of each pass's 256 counts, actions (plan.hpp)
//
// The counts of a digit do not change when the keys move, so one histogram serves every pass. A
// digit that all keys share needs no pass. Keys that are in order need no pass at all.
//
//     count[pass][digit][column]    lane l adds to column l % columns
//
// Every lane adds 1 for each digit of each of its keys. With one column the atomics of a warp would
// collide: equal digits in their word, others in their bank of shared memory. On average 3.5 lanes
// would take turns. With 16 columns at most two lanes collide, whatever the distribution of the
// keys. Small arrays take one column: few keys collide, and many columns would have to be cleared
// and added up.
//
// The compared bits are shifted down first, so that every digit is at a constant position.
//
// A warp stops checking the order when it has seen a key smaller than the one before it. In
// unordered keys that happens within the first tile. In the same way, blocks check whether there
// are only few different keys, so that some digits need no pass (determined_digits.cuh).
//
// Shared memory: 1 KiB for each pass and column. Barriers: five, and in the last block two more for
// each pass.
// Source: Adinets and Merrill, Onesweep, 2022 (one upfront histogram).
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/radix_sort/determined_digits.cuh>
#include <ballot/detail/radix_sort/key_tile.cuh>
#include <ballot/detail/radix_sort/leading_bits_histogram_kernel.cuh>
#include <ballot/detail/radix_sort/leading_digits.cuh>
#include <ballot/detail/radix_sort/pass_arguments.cuh>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/device/grids.cuh>
#include <ballot/device/last_block.cuh>
#include <ballot/simt/simt.cuh>

#include <type_traits>

namespace ballot::detail {

// Columns: the columns of the counts in shared memory, a power of two up to 32. Blocks: the most
// blocks (device/grids.cuh). Each adds its counts to the device's once, so more blocks than are
// resident would only cost more additions.
template <int Threads, int Chunks, int Width, int Columns, class Blocks>
struct radix_histogram_shape : block::tile_shape<Threads, Chunks, Width> {
  static constexpr int columns = Columns;
  using blocks = Blocks;
  static_assert(Columns >= 1 && Columns <= 32 && (Columns & (Columns - 1)) == 0);
  static_assert(Threads >= radix_digits, "one thread a digit");
};

template <class U>
struct radix_histogram_arguments {
  const U* keys;
  length n;
  key_codec<U> codec;
  radix_digit_plan digits;
  radix_step_rule rule;
  bool may_be_unstable;  // the first pass need not be stable (all_digits_plan)
  bool vector_aligned;
  // Zero at launch:
  std::uint64_t* digit_offsets;    // [pass][digit]: gets the number of keys with a smaller digit
  std::uint32_t* finished_blocks;  // blocks
  std::uint32_t* findings;         // radix_histogram_finding
  launch_action* actions;          // [launch], written
  // Not 0: the keys are sorted by leading bits in two passes, and nothing is left to decide. May be
  // null.
  const std::uint32_t* approved = nullptr;
  // For a sort that takes the last digit as its leading bits: the most keys of a bucket that the
  // local sort takes; the offsets of the buckets, which the kernel writes; and the action of the
  // local sort. The action is zero at launch.
  std::uint32_t max_bucket_items = 0;
  std::uint32_t* bucket_offsets = nullptr;  // [digit], and the number of keys; null: no such sort
  launch_action* local_sort = nullptr;
  // For a sort by leading digits: its limits; the number of digits that a sample asks for; the
  // actions of the local sort and of the rounds. These are zero at launch.
  leading_digits_limits leading_limits = {};
  std::uint32_t* leading_digits = nullptr;
  launch_action* tile_sort = nullptr;
  launch_action* rounds = nullptr;
  // For digits that others determine: as many entries as determined_digits merges. They are zero at
  // launch and afterwards. Null: no such digits are looked for.
  U* merged_keys = nullptr;
  bool overlaps = false;  // the launch before, which is a kernel
};

template <class U, class Shape>
struct radix_histogram_storage {
  static constexpr int max_passes = static_cast<int>(sizeof(U));
  using sample = leading_digits_sample<Shape::threads, 4, Shape::columns == 1 ? 8192 : 32768>;
  static constexpr bool has_sample = radix_passes_in_rounds<U>;
  union {
    std::uint32_t count[max_passes][radix_digits][Shape::columns];
    std::conditional_t<has_sample, typename sample::storage, std::uint32_t> sampled;
  };
  std::uint32_t frequent[max_radix_passes];            // [pass]: scaled count and digit, packed as below
  std::uint32_t largest[has_sample ? max_passes : 1];  // [pass]: the largest count
  std::uint32_t most_used;                             // values of a digit
  std::conditional_t<finds_determined_digits<U, Shape>, typename determined_digits<U>::storage, std::uint32_t>
      determined;
  typename block::scan<std::uint64_t, Shape::threads>::storage scan;
  bool last_block;
};

// Whether a launch in this shape may have to take a sample. Shapes for few keys (`is_for_few_keys`)
// take many keys only where the GPU lacks the shared memory for other shapes. Code for other GPUs
// has no sample in these shapes. It may still get many keys, on a newer GPU with less shared
// memory. Then the sort makes all passes, and its result is the same.
inline constexpr bool has_room_for_columns =
    simt::architecture == 800 || simt::architecture == 870 || (simt::architecture >= 900 && simt::architecture < 1200);
template <class U, class Shape>
inline constexpr bool asks_sample =
    radix_passes_in_rounds<U> && !(has_room_for_columns && requires { Shape::is_for_few_keys; });

// Counts the digits of a tile's keys, of all passes. key: their compared bits.
template <class U, class Shape>
__device__ __forceinline__ void count_digits(radix_histogram_storage<U, Shape>& shared,
                                             const typename block::tile<U, Shape>::items& key, unsigned valid,
                                             int passes) {
  using tile = block::tile<U, Shape>;
  const unsigned lane = simt::lane_id();
  const auto add = [&](int pass, unsigned digit) {
    // Relaxed: read after the kernel's barrier.
    simt::atomic_add<simt::order::relaxed, simt::scope::block>(&shared.count[pass][digit][lane % Shape::columns], 1u);
  };
  const auto digit_of = [](U compared, int pass) {
    return static_cast<unsigned>(compared >> (pass * radix_bits)) & (radix_digits - 1u);
  };
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    if (valid == Shape::items) {
#pragma unroll
      for (int p = 0; p < shared.max_passes; ++p) {
        if (p >= passes) continue;
#pragma unroll
        for (int j = 0; j < Shape::width; ++j) add(p, digit_of(key[c][j], p));
      }
    } else {
#pragma unroll
      for (int j = 0; j < Shape::width; ++j)
#pragma unroll 1  // saves compile time: there is one such tile
        for (int p = 0; p < passes; ++p)
          if (tile::first_item(c) + j < valid) add(p, digit_of(key[c][j], p));
    }
  }
}

// Adds the block's counts to the device's.
template <class U, class Shape>
__device__ __forceinline__ void add_counts(const radix_histogram_arguments<U>& a,
                                           const radix_histogram_storage<U, Shape>& shared, int passes) {
  const unsigned thread = simt::thread_rank();
  for (unsigned i = thread; i < static_cast<unsigned>(passes) * radix_digits; i += Shape::threads) {
    std::uint32_t count = 0;
#pragma unroll
    for (int column = 0; column < Shape::columns; ++column)
      count += (&shared.count[0][0][0])[i * Shape::columns + (thread + column) % Shape::columns];
    if (count != 0) simt::atomic_add(&a.digit_offsets[i], static_cast<std::uint64_t>(count));
  }
}

// The number of leading digits to use: it may be more than `asked`, which the sample gave. A bucket
// that is a few times as large as others has too few keys in the sample to be noticed. So this
// multiplies the shares of the most frequent values of the leading digits, as if the digits were
// independent. If the product says that a bucket is too large, it takes another digit. 0: no sort
// by leading digits. All threads get the same, after a barrier.
template <class U, class Shape>
__device__ __forceinline__ int enough_digits(const radix_histogram_arguments<U>& a,
                                             const radix_histogram_storage<U, Shape>& shared, int asked, int passes,
                                             std::uint64_t n) {
  using sample = typename radix_histogram_storage<U, Shape>::sample;
  // With few different keys a digit has no more values than there are keys. If it has more, there
  // are keys that the sample does not show.
  if (const int distinct = asked >> sample::distinct_shift; distinct != 0)
    return distinct == sample::most_distinct || static_cast<int>(shared.most_used) <= distinct
               ? asked & ((1 << sample::distinct_shift) - 1)
               : 0;
  const auto all = static_cast<float>(n), enough = static_cast<float>(a.leading_limits.bucket_items) * 0.75f;
  float bucket = all;
  for (int leading = 1; leading + leading_digits_plan::passes_saved <= passes; ++leading) {
    bucket *= static_cast<float>(shared.largest[passes - leading]) / all;
    if (leading >= asked && bucket <= enough) return leading;
  }
  return 0;
}

// The actions of all launches, by threads of the last block. Bit p of `trivial`: digit p needs no
// pass.
template <class U, class Shape>
__device__ __forceinline__ void write_radix_actions(const radix_histogram_arguments<U>& a,
                                                    const radix_histogram_storage<U, Shape>& shared, int passes,
                                                    std::uint32_t trivial, bool sorts_locally, int leading_digits,
                                                    bool in_order) {
  const unsigned thread = simt::thread_rank();
  if (const int launch = static_cast<int>(thread); launch < a.rule.launches) {
    const std::uint32_t frequent_digit = shared.frequent[launch < passes ? launch : 0];
    if (sorts_locally && !in_order) {
      const leading_bits_plan plan(passes, 1, a.rule, a.may_be_unstable);
      a.actions[launch].bits = plan.action(launch, frequent_digit).bits;
      if (launch == 0) a.local_sort->bits = plan.local_sort().bits;
    } else if (const leading_digits_plan by_digits(trivial, passes, in_order ? 0 : leading_digits, a.rule,
                                                   a.may_be_unstable);
               by_digits.pays()) {
      a.actions[launch].bits = by_digits.action(launch, frequent_digit).bits;
      if (launch == 0) a.tile_sort->bits = by_digits.tile_sort().bits;
    } else {
      const all_digits_plan plan(in_order ? ~std::uint32_t{0} : trivial, a.rule, a.may_be_unstable);
      a.actions[launch].bits = plan.action(launch, frequent_digit).bits;
    }
  }
  if constexpr (asks_sample<U, Shape>) {
    if (const int round = static_cast<int>(thread); leading_digits != 0 && round <= passes) {
      const leading_digits_plan plan(trivial, passes, leading_digits, a.rule, a.may_be_unstable);
      const std::uint32_t frequent_digit = shared.frequent[leading_digits_plan::digit_of_round(round)];
      a.rounds[round].bits = plan.round(round, frequent_digit).bits;
    }
  }
}

// The last block, which has all counts: replaces them by offsets, and decides the actions of all
// launches.
template <class U, class Shape>
__device__ __forceinline__ void plan_radix_sort(const radix_histogram_arguments<U>& a,
                                                radix_histogram_storage<U, Shape>& shared, std::uint64_t n,
                                                int passes) {
  const unsigned thread = simt::thread_rank();
  if constexpr (asks_sample<U, Shape>)
    if (thread <= shared.max_passes) (thread < shared.max_passes ? shared.largest[thread] : shared.most_used) = 0;
  if (thread < max_radix_passes) shared.frequent[thread] = 0;  // the scan's barriers separate this from what follows
  // Counts are scaled to 24 bits, so that count and digit fit one word.
  const int scale = n >> 24 == 0 ? 0 : 40 - simt::leading_zeros(n);
  int leading_digits = 0;
  if constexpr (asks_sample<U, Shape>)
    if (a.leading_digits != nullptr)  // as for the counts below
      leading_digits = static_cast<int>(simt::load_relaxed(a.leading_digits));
  // Launches after the passes have no digit.
  std::uint32_t trivial = ~std::uint32_t{0} << passes;
  bool sorts_locally = a.bucket_offsets != nullptr;
  for (int p = 0; p < passes; ++p) {
    // Pairs with the relaxed additions of all blocks, ordered by `finished_blocks`.
    std::uint64_t* const start = &a.digit_offsets[p * radix_digits + static_cast<int>(thread)];
    const std::uint64_t count = thread < radix_digits ? simt::load_relaxed(start) : 0;
    std::uint64_t total;
    const std::uint64_t before =
        block::scan<std::uint64_t, Shape::threads>::exclusive(shared.scan, count, std::uint64_t{0}, total);
    if (thread < radix_digits) *start = before;
    // A digit is frequent if more than a quarter of the keys have it. Of several frequent digits,
    // the one with the most keys counts.
    if (count > n / 4)
      simt::atomic_max(&shared.frequent[p], static_cast<std::uint32_t>(count >> scale) << radix_bits | thread);
    if constexpr (asks_sample<U, Shape>)
      if (leading_digits != 0) {
        const std::uint32_t largest = simt::reduce_max(static_cast<std::uint32_t>(count));
        if (simt::lane_id() == 0) simt::atomic_max(&shared.largest[p], largest);
        const auto used = static_cast<std::uint32_t>(simt::sync_block_count(count != 0));
        if (thread == 0 && used > shared.most_used) shared.most_used = used;
      }
    if (simt::sync_block_any(count == n)) trivial |= std::uint32_t{1} << p;
    if (sorts_locally && p == passes - 1) {
      if (thread < radix_digits) a.bucket_offsets[thread] = static_cast<std::uint32_t>(before);
      if (thread == 0) a.bucket_offsets[radix_digits] = static_cast<std::uint32_t>(n);
      sorts_locally = !simt::sync_block_any(count > a.max_bucket_items);
    }
  }
  if constexpr (asks_sample<U, Shape>)
    if (leading_digits != 0) leading_digits = enough_digits(a, shared, leading_digits, passes, n);
  const std::uint32_t findings = simt::load_relaxed(a.findings);  // pairs with the relaxed `or`, as above
  if constexpr (finds_determined_digits<U, Shape>) {
    if (a.merged_keys != nullptr) {
      if ((findings & radix_histogram_finding::many_keys) == 0) {
        trivial |= ~determined_digits<U>::find_needed(shared.determined, a.merged_keys, Shape::threads,
                                                      (findings & radix_histogram_finding::lowest_digit_open) != 0);
        // So few passes are quicker than a local sort after other passes.
        const int needed = static_cast<int>(simt::popcount(~trivial));
        if (needed < passes) leading_digits = 0;
        if (needed <= 2 && passes > 2) sorts_locally = false;
      }
      if (thread < determined_digits<U>::merged_words) a.merged_keys[thread] = 0;  // each has been read by its thread
    }
  }
  if (thread < max_radix_passes)
    shared.frequent[thread] = shared.frequent[thread] == 0 ? radix_digits : shared.frequent[thread] % radix_digits;
  simt::sync_block();
  write_radix_actions(a, shared, passes, trivial, sorts_locally, leading_digits,
                      (findings & radix_histogram_finding::unordered) == 0);
}

// One block, while the others count: takes a sample of the keys, and decides how many leading
// digits will do.
template <class U, class Shape, class ComparedOf>
__device__ __forceinline__ void choose_leading_digits(const radix_histogram_arguments<U>& a,
                                                      radix_histogram_storage<U, Shape>& shared, std::uint64_t n,
                                                      const ComparedOf& compared_of) {
  using sample = typename radix_histogram_storage<U, Shape>::sample;
  std::uint64_t key[sample::of_thread];
#pragma unroll
  for (int i = 0; i < sample::of_thread; ++i) {
    const std::uint32_t position = simt::thread_rank() + static_cast<unsigned>(i) * Shape::threads;
    key[i] = compared_of(a.codec.encode(a.keys[radix_sample_position(position, n)]));
  }
  // The last digit as leading bits is better, if its buckets are small enough.
  if (a.bucket_offsets != nullptr && sample::is_spread(shared.sampled, a.digits, key)) return;
  const int leading = sample::choose(shared.sampled, n, a.digits, a.leading_limits, key);
  if (simt::thread_rank() == 0) *a.leading_digits = static_cast<std::uint32_t>(leading);  // released by is_last_block
}

// Clears the counts and the table of a block. Ends with a barrier.
template <class U, class Shape>
__device__ __forceinline__ void clear_histogram(radix_histogram_storage<U, Shape>& shared) {
  const unsigned thread = simt::thread_rank();
  for (unsigned i = thread; i < sizeof(shared.count) / sizeof(std::uint32_t); i += Shape::threads)
    (&shared.count[0][0][0])[i] = 0;
  if constexpr (finds_determined_digits<U, Shape>) {
    auto* const words = shared.determined.of[0].word;
    for (unsigned i = thread; i < 2 * (determined_digits<U>::buckets + 1); i += Shape::threads) words[i] = 0;
    if (thread == 0) shared.determined.used = shared.determined.findings = 0;
  }
  simt::sync_block();
}

// Adds the findings of a block to those of all, after its last tile. One barrier.
template <class U, class Shape>
__device__ __forceinline__ void add_findings(const radix_histogram_arguments<U>& a,
                                             radix_histogram_storage<U, Shape>& shared, bool ordered,
                                             [[maybe_unused]] bool lowest_open) {
  const unsigned thread = simt::thread_rank();
  if constexpr (finds_determined_digits<U, Shape>) {
    // Relaxed: read after the barrier.
    if (simt::any(lowest_open) && simt::lane_id() == 0)
      simt::atomic_or<simt::order::relaxed, simt::scope::block>(
          &shared.determined.findings, std::uint32_t{radix_histogram_finding::lowest_digit_open});
  }
  const bool unordered = simt::sync_block_any(!ordered);
  std::uint32_t findings = unordered && thread == 0 ? radix_histogram_finding::unordered : 0u;
  if constexpr (finds_determined_digits<U, Shape>) {
    if (a.merged_keys != nullptr) {
      const std::uint32_t of_block = shared.determined.findings;
      if (thread == 0) findings |= of_block;
      if ((of_block & radix_histogram_finding::many_keys) == 0)
        findings |= determined_digits<U>::merge(shared.determined, a.merged_keys, Shape::threads);
    }
  }
  if (findings != 0) simt::atomic_or(a.findings, findings);  // relaxed: released by is_last_block
}

// No block takes 2^32 keys or more (the host chooses the grid accordingly), so 32 bits suffice for
// shared counts.
template <class U, class Shape>
__global__ void __launch_bounds__(Shape::threads) radix_histogram_kernel(radix_histogram_arguments<U> a) {
  using tile = block::tile<U, Shape>;
  auto& shared = simt::shared_storage<radix_histogram_storage<U, Shape>>();
  const int passes = a.digits.passes();
  simt::wait_for_previous_launch();  // which may have approved
  if (a.approved != nullptr && *a.approved != 0) return;
  const std::uint64_t n = a.n.get();
  unsigned blocks = gridDim.x;  // that count
  bool samples = false;
  if constexpr (asks_sample<U, Shape>) {
    if (a.leading_digits != nullptr && n >= a.leading_limits.least_items && blocks > 1) {
      --blocks;
      samples = blockIdx.x == blocks;
    }
  }
  clear_histogram<U, Shape>(shared);

  const U compared_mask =
      static_cast<U>(static_cast<U>(~U{0}) >> (8 * static_cast<int>(sizeof(U)) - (a.digits.high - a.digits.low)));
  const auto compared_of = [&](U code) {
    return static_cast<U>(static_cast<U>(a.codec.compared(code) >> a.digits.low) & compared_mask);
  };

  bool ordered = true;  // the same in all lanes
  // Whether there have been few different keys so far, the same in all lanes; and whether their
  // lowest digit is not determined.
  [[maybe_unused]] bool few = a.merged_keys != nullptr, lowest_open = false;
  for (std::uint64_t begin = samples ? n : static_cast<std::uint64_t>(blockIdx.x) * Shape::items; begin < n;
       begin += static_cast<std::uint64_t>(blocks) * Shape::items) {
    const auto valid = static_cast<unsigned>(smaller(n - begin, Shape::items));
    typename tile::items key;
    load_keys<U, Shape>(a.keys + begin, valid, a.vector_aligned, key);
    encode_keys(a.codec, key);
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) key[c][j] = compared_of(key[c][j]);

    if (ordered) {
      const std::uint64_t behind = begin + (simt::warp_id() + 1u) * Shape::warp_items;
      const bool follows = simt::lane_id() == simt::warp_size - 1 && behind < n;
      const U following = follows ? compared_of(a.codec.encode(a.keys[behind])) : U{};
      ordered = in_order_in_warp<U, Shape>(key, tile::first_item(0), valid, following, follows);
    }
    if constexpr (finds_determined_digits<U, Shape>) {
      using determined = determined_digits<U>;
      const std::uint64_t first_begin = static_cast<std::uint64_t>(blockIdx.x) * Shape::items;
      if (begin == first_begin) {
        if (few)
          few = determined::template enter_tile<tile, Shape>(
              shared.determined, key, valid,
              [&](unsigned at) { return compared_of(a.codec.encode(a.keys[begin + at])); }, lowest_open);
      } else {
        if (begin == first_begin + static_cast<std::uint64_t>(blocks) * Shape::items && a.merged_keys != nullptr) {
          simt::sync_block();  // all keys of the first tile are in the table
          few = few && !simt::any(determined::are_many(shared.determined));
        }
        if (few) few = determined::template look_up_tile<tile, Shape>(shared.determined, key, lowest_open);
      }
    }
    count_digits<U, Shape>(shared, key, valid, passes);
  }
  add_findings<U, Shape>(a, shared, ordered, lowest_open);
  if constexpr (asks_sample<U, Shape>)
    if (samples) choose_leading_digits(a, shared, n, compared_of);
  if (!samples) add_counts<U, Shape>(a, shared, passes);
  if (device::is_last_block(a.finished_blocks, shared.last_block)) plan_radix_sort<U, Shape>(a, shared, n, passes);
}

}  // namespace ballot::detail
