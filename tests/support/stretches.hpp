// SPDX-License-Identifier: Apache-2.0
// Items that are intervals of indices, and operators that count invalid operands.
//
//     item i is [i, i + 1)      [3, 5) and [5, 9) are adjacent: [3, 9)      [3, 5) and [6, 7) are not: strangers
//
// An operator that counts no strangers was applied only to sums of adjacent items. It was never
// applied to memory past the end, to copies of other items in its place, or to values of lanes
// without items. `initial` is adjacent to any item, from the left.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <vector>

namespace ballot::test {

template <class Word>
struct stretch {
  Word begin, end;
  friend bool operator==(const stretch&, const stretch&) = default;
};

template <class Word>
inline constexpr Word top_bit =
    static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));  // of `begin`: with `initial` ahead
template <class Word>
BALLOT_HOST_DEVICE constexpr stretch<Word> initial_stretch() {
  return {static_cast<Word>(~Word{0}), static_cast<Word>(~Word{0})};
}

// Of items of this range.
template <class Word>
BALLOT_HOST_DEVICE bool is_stretch(const stretch<Word>& s, Word limit) {
  return static_cast<Word>(s.begin & static_cast<Word>(~top_bit<Word>)) < s.end && s.end <= limit;
}

// Reverse: of a reverse scan of a warp or a block, where `initial` is the last operand.
template <class Word, bool Reverse = false>
struct join_adjacent {
  Word limit;           // items are [0, 1) to [limit - 1, limit)
  unsigned* strangers;  // the number of calls with operands that are not adjacent

  __device__ stretch<Word> operator()(const stretch<Word>& first, const stretch<Word>& then) const {
    const stretch<Word>&own = Reverse ? first : then, &ahead = Reverse ? then : first;
    if (ahead == initial_stretch<Word>() && is_stretch(own, limit) && own.begin < top_bit<Word>)
      return {static_cast<Word>(own.begin | top_bit<Word>), own.end};
    const bool have_initial = Reverse ? first.begin >= top_bit<Word> : then.begin >= top_bit<Word>;
    const Word meets = Reverse ? static_cast<Word>(then.begin & static_cast<Word>(~top_bit<Word>)) : then.begin;
    if (!is_stretch(first, limit) || !is_stretch(then, limit) || first.end != meets || have_initial)
      simt::atomic_add(strangers, 1u);  // relaxed: read behind the kernel
    return {static_cast<Word>(first.begin | (then.begin & top_bit<Word>)), then.end};
  }
};

// Items 0 to n - 1 in the order of a scan; backward the first is the last.
template <class Word>
std::vector<stretch<Word>> stretches(std::size_t n, bool backward = false) {
  std::vector<stretch<Word>> items(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t place = backward ? n - 1 - i : i;
    items[i] = {static_cast<Word>(place), static_cast<Word>(place + 1)};
  }
  return items;
}

// The stretch from `from` to before `to`, with `initial` ahead of it.
template <class Word>
stretch<Word> after_initial(std::size_t from, std::size_t to) {
  if (from == to) return initial_stretch<Word>();
  return {static_cast<Word>(from | top_bit<Word>), static_cast<Word>(to)};
}

}  // namespace ballot::test
