// SPDX-License-Identifier: Apache-2.0
// Where an order of keys is cut: which keys are selected. The cut is found digit by digit, the most
// significant first.
//
//     keys         5 3 9 3 3 1 3       ordered bits; the smaller ones are selected
//     cut {3, 4}   . 3 . 3 . 1 .       all below 3, and those that are 3 at positions before 4
//
// Equal keys differ by their positions. So every number of selected keys has one cut, however many
// keys are equal.
//
// Radix selection: the counts of the items by their first digit say which digit the last selected
// item has. Of the items with that digit the next digit is counted, and so on. First come the
// digits of the keys. If more keys are equal than are to be selected, the digits of the positions
// follow. The search ends as soon as all items that are left are to be selected.
// Source: Alabi, Blanchard, Gordon and Steinbach, Fast K-Selection Algorithms for Graphics
// Processing Units, 2012.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

inline constexpr int select_bits = 11;
inline constexpr unsigned select_digits = 1u << select_bits;

template <class U>
struct cut {
  U code;
  std::uint64_t end;

  static BALLOT_HOST_DEVICE cut none() { return {U{0}, 0}; }
  static BALLOT_HOST_DEVICE cut all() { return {static_cast<U>(~U{0}), ~std::uint64_t{0}}; }
  BALLOT_HOST_DEVICE bool selects(U of_key, std::uint64_t position) const {
    return of_key < code || (of_key == code && position < end);
  }
};

// The digits of keys of so many bits, and after them the digits of positions of so many bits.
struct select_plan {
  int code_bits;
  int position_bits;

  static constexpr int digits_of(int bits) { return (bits + select_bits - 1) / select_bits; }
  BALLOT_HOST_DEVICE int code_passes() const { return (code_bits + select_bits - 1) / select_bits; }
  BALLOT_HOST_DEVICE int passes() const { return code_passes() + (position_bits + select_bits - 1) / select_bits; }
  BALLOT_HOST_DEVICE bool is_of_code(int pass) const { return pass < code_passes(); }
  BALLOT_HOST_DEVICE bool is_first(int pass) const { return pass == 0 || pass == code_passes(); }
  // The digit of a pass begins at this bit; the last one may have fewer bits than the others.
  BALLOT_HOST_DEVICE int shift(int pass) const {
    const int high = high_of(pass);
    return high < select_bits ? 0 : high - select_bits;
  }
  BALLOT_HOST_DEVICE int high_of(int pass) const {
    return is_of_code(pass) ? code_bits - pass * select_bits : position_bits - (pass - code_passes()) * select_bits;
  }
};

// What is known of the cut so far: its leading digits.
template <class U>
struct cut_search {
  U code;
  std::uint64_t position;
  std::uint64_t remaining;  // so many of the items with these digits are to be selected
  std::uint32_t is_done;

  // Whether an item has the digits that are known before this pass.
  BALLOT_HOST_DEVICE bool has_item(const select_plan& plan, int pass, U of_key, std::uint64_t at) const {
    if (plan.is_of_code(pass)) return plan.is_first(pass) || static_cast<U>(of_key ^ code) >> plan.high_of(pass) == 0;
    return of_key == code && (plan.is_first(pass) || (at ^ position) >> plan.high_of(pass) == 0);
  }
  static BALLOT_HOST_DEVICE unsigned digit(const select_plan& plan, int pass, U of_key, std::uint64_t at) {
    const int shift = plan.shift(pass);
    const unsigned mask = (1u << (plan.high_of(pass) - shift)) - 1u;
    return (plan.is_of_code(pass) ? static_cast<unsigned>(of_key >> shift) : static_cast<unsigned>(at >> shift)) & mask;
  }
  // The last selected item has this digit. `count` items have it, and `before` of the items have a
  // smaller one. Up to `slack` items more than wanted may be selected.
  BALLOT_HOST_DEVICE void take(const select_plan& plan, int pass, unsigned found, std::uint64_t before,
                               std::uint64_t count, std::uint64_t slack) {
    const int shift = plan.shift(pass);
    remaining -= before;
    is_done = count - remaining <= slack;
    if (plan.is_of_code(pass)) {
      code = static_cast<U>(code | static_cast<U>(found) << shift);
      if (!is_done) return;
      code = static_cast<U>(code | static_cast<U>((U{1} << shift) - 1));  // all items with this digit
      position = ~std::uint64_t{0} - 1;
    } else {
      position |= std::uint64_t{found} << shift;
      if (is_done) position |= (std::uint64_t{1} << shift) - 1;
    }
  }
  BALLOT_HOST_DEVICE cut<U> result() const { return {code, position + 1}; }
};

// Adds 1 to the count of each digit. The added number is a constant, and the old value is not used.
// So the hardware adds up the additions of lanes with one digit.
__device__ __forceinline__ void add_row(std::uint32_t* counts, bool has_item, unsigned digit) {
  // Relaxed: read after a barrier.
  if (has_item) simt::atomic_add<simt::order::relaxed, simt::scope::block>(counts + digit, 1u);
}

template <int Threads>
struct digit_search_storage {
  std::uint32_t counts[select_digits];
  std::uint64_t totals[select_digits];
  union {
    typename block::scan<std::uint32_t, Threads>::storage scan;
    typename block::scan<std::uint64_t, Threads>::storage wide_scan;
  };
  struct {
    unsigned digit;
    std::uint64_t before, count;
  } found;
};

// One step of a search by the counts of the pass's digits, in shared memory. All threads, after a
// barrier. The search is the same in all of them. Two barriers.
template <int Threads, class Count, class U>
__device__ __forceinline__ void take_digit(digit_search_storage<Threads>& shared, const Count* counts,
                                           const select_plan& plan, int pass, std::uint64_t slack,
                                           cut_search<U>& search) {
  constexpr unsigned each = select_digits / Threads;
  static_assert(each * Threads == select_digits);
  const unsigned first = simt::thread_rank() * each;
  Count sum = 0, total, before;
#pragma unroll
  for (unsigned j = 0; j < each; ++j) sum += counts[first + j];
  if constexpr (sizeof(Count) == 4) before = block::scan<Count, Threads>::exclusive(shared.scan, sum, Count{0}, total);
  else before = block::scan<Count, Threads>::exclusive(shared.wide_scan, sum, Count{0}, total);
#pragma unroll
  for (unsigned j = 0; j < each; ++j) {
    const Count count = counts[first + j];
    if (before < search.remaining && search.remaining <= before + count) shared.found = {first + j, before, count};
    before += count;
  }
  simt::sync_block();
  search.take(plan, pass, shared.found.digit, shared.found.before, shared.found.count, slack);
}

// Counts the digits of items [begin, end), at most 2^32 - 1, in shared.counts.
template <int Threads, class U, class CodeOf, class PositionOf>
__device__ __forceinline__ void count_digits(digit_search_storage<Threads>& shared, const select_plan& plan, int pass,
                                             const cut_search<U>& search, std::uint64_t begin, std::uint64_t end,
                                             const CodeOf& code_of, const PositionOf& position_of) {
  constexpr unsigned at_once = 4;
  const unsigned thread = simt::thread_rank();
#pragma unroll 1
  for (std::uint64_t base = begin; base < end; base += Threads * at_once) {
    U code[at_once]{};
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j)
      if (base + j * Threads + thread < end) code[j] = code_of(base + j * Threads + thread);
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) {
      const std::uint64_t i = base + j * Threads + thread;
      const std::uint64_t at = plan.is_of_code(pass) || i >= end ? 0 : position_of(i);
      add_row(shared.counts, i < end && search.has_item(plan, pass, code[j], at),
              search.digit(plan, pass, code[j], at));
    }
  }
}

// The cut that selects `rank` of n items, or up to `slack` more. For i < n, code_of(i) and
// position_of(i) are those of item i; positions differ. One block, all threads; ends with a
// barrier.
template <int Threads, class U, class CodeOf, class PositionOf>
__device__ __forceinline__ cut<U> select_in_block(digit_search_storage<Threads>& shared, const select_plan& plan,
                                                  std::uint64_t n, std::uint64_t rank, std::uint64_t slack,
                                                  const CodeOf& code_of, const PositionOf& position_of) {
  constexpr std::uint64_t most_counted = std::uint64_t{1} << 30;  // in 32 bits
  const unsigned thread = simt::thread_rank();
  if (rank == 0) return cut<U>::none();
  if (rank >= n) return cut<U>::all();
  const bool is_wide = n > most_counted;
  cut_search<U> search{U{0}, 0, rank, 0};
#pragma unroll 1
  for (int pass = 0; search.is_done == 0; ++pass) {
    simt::sync_block();  // the counts before have been read
    for (unsigned d = thread; d < select_digits; d += Threads) {
      shared.counts[d] = 0;
      if (is_wide) shared.totals[d] = 0;
    }
    simt::sync_block();
    if (!is_wide) {
      count_digits(shared, plan, pass, search, 0, n, code_of, position_of);
      simt::sync_block();
      take_digit<Threads>(shared, shared.counts, plan, pass, slack, search);
      continue;
    }
#pragma unroll 1
    for (std::uint64_t begin = 0; begin < n; begin += most_counted) {
      count_digits(shared, plan, pass, search, begin, n - begin < most_counted ? n : begin + most_counted, code_of,
                   position_of);
      simt::sync_block();
      for (unsigned d = thread; d < select_digits; d += Threads) {
        shared.totals[d] += shared.counts[d];
        shared.counts[d] = 0;
      }
      simt::sync_block();
    }
    take_digit<Threads>(shared, shared.totals, plan, pass, slack, search);
  }
  simt::sync_block();
  return search.result();
}

}  // namespace ballot::detail
