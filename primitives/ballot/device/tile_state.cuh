// SPDX-License-Identifier: Apache-2.0
// The state of a tile: its status and its value, packed so that other tiles see both or neither.
//
//     up to 4 bytes         [status | value]                            one word of 64 bits
//     up to 12 bytes        [value  value  value | status]              one word of 128 bits
//     up to 16 bytes        [value  value | status] [value value | status]     two of them
//     up to 32 bytes        [value  value  value | status] ...          two or three of them
//     a count and a value   [value  value | status 2 bits, count 62 bits] ...  one for each 8 bytes
//                                                                              of the value
//     a count               [status 2 bits | count 62 bits]             one word of 64 bits
//     a count, a position   [status 2 bits | count 31 bits | position 31]      one word of 64 bits
//
// A word is loaded and stored as a whole, so relaxed order is enough: a status comes with its
// value, and no other memory is handed over. The value keeps all its bits, so sums are not limited.
// (A count has 62 bits; with a position it has 31 bits, for fewer items.)
//
// If a state has several words, each has the status and is written once per status. A reader that
// finds the statuses equal has the parts of one value. Otherwise it takes the state for empty and
// polls again, since the other half follows. So this needs no fence and no acquire either.
//
// Zero bytes are an empty state.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ballot::device {

/// The state that a tile has published so far.
enum class tile_status : std::uint32_t { empty = 0, aggregate = 1, prefix = 2 };

// The state of a tile whose value is a T.
template <class T, class = void>
struct tile_state {
  static_assert(sizeof(T) <= 32, "tiles publish values of at most 32 bytes");
};

template <class T>
struct tile_state<T, std::enable_if_t<(sizeof(T) <= 4)>> {
  using value_type = T;
  using word = std::uint64_t;
  static __device__ __forceinline__ word pack(tile_status status, T value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return static_cast<word>(status) << 32 | bits;
  }
  static __device__ __forceinline__ tile_status status(word w) { return static_cast<tile_status>(w >> 32); }
  static __device__ __forceinline__ T value(word w) {
    const std::uint32_t bits = static_cast<std::uint32_t>(w);
    T v;
    std::memcpy(&v, &bits, sizeof(T));
    return v;
  }
};

template <class T>
struct tile_state<T, std::enable_if_t<(sizeof(T) > 4 && sizeof(T) <= 12)>> {
  using value_type = T;
  struct alignas(16) word {
    std::uint32_t bits[3];
    std::uint32_t status;
  };
  static __device__ __forceinline__ word pack(tile_status status, T value) {
    word w{{0, 0, 0}, static_cast<std::uint32_t>(status)};
    std::memcpy(w.bits, &value, sizeof(T));
    return w;
  }
  static __device__ __forceinline__ tile_status status(word w) { return static_cast<tile_status>(w.status); }
  static __device__ __forceinline__ T value(word w) {
    T v;
    std::memcpy(&v, w.bits, sizeof(T));
    return v;
  }
};

// Two words that are loaded and stored one after the other.
struct two_words {
  /// One of the two words: half of the value's bits, and the status.
  struct alignas(16) half {
    /// Half of the value.
    std::uint64_t bits;
    /// The status, the same in both words.
    std::uint64_t status;
  } first, second;
};

template <class T>
struct tile_state<T, std::enable_if_t<(sizeof(T) > 12 && sizeof(T) <= 16)>> {
  using value_type = T;
  using word = two_words;
  static __device__ __forceinline__ word pack(tile_status status, T value) {
    std::uint64_t bits[2] = {0, 0};
    std::memcpy(bits, &value, sizeof(T));
    const auto s = static_cast<std::uint64_t>(status);
    return {{bits[0], s}, {bits[1], s}};
  }
  static __device__ __forceinline__ tile_status status(const word& w) {
    return w.first.status == w.second.status ? static_cast<tile_status>(w.first.status) : tile_status::empty;
  }
  static __device__ __forceinline__ T value(const word& w) {
    const std::uint64_t bits[2] = {w.first.bits, w.second.bits};
    T v;
    std::memcpy(&v, bits, sizeof(T));
    return v;
  }
};

// Words that are loaded and stored one after the other.
template <class Word, int Count>
struct several_words {
  Word word[Count];
};

template <class T>
struct tile_state<T, std::enable_if_t<(sizeof(T) > 16 && sizeof(T) <= 32)>> {
  using value_type = T;
  static constexpr int words = (sizeof(T) + 11) / 12;
  /// Twelve bytes of the value, and the status.
  struct alignas(16) part {
    std::uint32_t bits[3];
    std::uint32_t status;
  };
  using word = several_words<part, words>;
  /// The words of a status and a value.
  static __device__ __forceinline__ word pack(tile_status status, const T& value) {
    std::uint32_t bits[3 * words] = {};
    std::memcpy(bits, &value, sizeof(T));
    word w;
#pragma unroll
    for (int i = 0; i < words; ++i)
      w.word[i] = {{bits[3 * i], bits[3 * i + 1], bits[3 * i + 2]}, static_cast<std::uint32_t>(status)};
    return w;
  }
  /// The status; empty if the words are of different ones.
  static __device__ __forceinline__ tile_status status(const word& w) {
    bool same = true;
#pragma unroll
    for (int i = 1; i < words; ++i) same = same && w.word[i].status == w.word[0].status;
    return same ? static_cast<tile_status>(w.word[0].status) : tile_status::empty;
  }
  /// The value in the words.
  static __device__ __forceinline__ T value(const word& w) {
    std::uint32_t bits[3 * words];
#pragma unroll
    for (int i = 0; i < 3 * words; ++i) bits[i] = w.word[i / 3].bits[i % 3];
    T v;
    std::memcpy(&v, bits, sizeof(T));
    return v;
  }
};

// A number of items, and a value.
template <class T>
struct count_and_value {
  std::uint64_t count;
  T value;
};

// The state of a tile whose value is a count_and_value, for counts below 2^62. Each word has eight
// bytes of the value.
template <class T>
struct count_and_value_state {
  static_assert(sizeof(T) <= 32, "tiles publish values of at most 32 bytes");
  using value_type = count_and_value<T>;
  static constexpr int words = (sizeof(T) + 7) / 8;
  /// Eight bytes of the value, the status and the count.
  struct alignas(16) part {
    std::uint64_t bits;
    std::uint64_t status_and_count;
  };
  using word = std::conditional_t<words == 1, part, several_words<part, words>>;
  /// The words of a status and a value.
  static __device__ __forceinline__ word pack(tile_status status, const value_type& value) {
    std::uint64_t bits[words] = {};
    std::memcpy(bits, &value.value, sizeof(T));
    const std::uint64_t status_and_count = static_cast<std::uint64_t>(status) << 62 | value.count;
    word w;
#pragma unroll
    for (int i = 0; i < words; ++i) at(w, i) = {bits[i], status_and_count};
    return w;
  }
  /// The status; empty if the words are of different ones.
  static __device__ __forceinline__ tile_status status(const word& w) {
    bool same = true;
#pragma unroll
    for (int i = 1; i < words; ++i) same = same && at(w, i).status_and_count == at(w, 0).status_and_count;
    return same ? static_cast<tile_status>(at(w, 0).status_and_count >> 62) : tile_status::empty;
  }
  /// Count and value in the words.
  static __device__ __forceinline__ value_type value(const word& w) {
    std::uint64_t bits[words];
#pragma unroll
    for (int i = 0; i < words; ++i) bits[i] = at(w, i).bits;
    value_type v;
    v.count = at(w, 0).status_and_count & ((std::uint64_t{1} << 62) - 1);
    std::memcpy(&v.value, bits, sizeof(T));
    return v;
  }

 private:
  template <class Word>
  static __device__ __forceinline__ auto& at(Word& w, int i) {
    if constexpr (words == 1) return w;
    else return w.word[i];
  }
};

// The state of a tile whose value is a count of items: 62 bits are more than any memory holds.
struct count_state {
  using value_type = std::uint64_t;
  using word = std::uint64_t;
  /// Status and count in one word.
  static __device__ __forceinline__ word pack(tile_status status, std::uint64_t count) {
    return static_cast<word>(status) << 62 | count;
  }
  /// The status in a word.
  static __device__ __forceinline__ tile_status status(word w) { return static_cast<tile_status>(w >> 62); }
  /// The count in a word.
  static __device__ __forceinline__ std::uint64_t value(word w) { return w & ((std::uint64_t{1} << 62) - 1); }
};

// A number of items, and the position of the last of them.
template <class Index>
struct count_and_last {
  Index count;
  Index last;
};

// The state of a tile whose value is a count_and_last, for fewer than 2^31 items.
struct count_and_last_state {
  using value_type = count_and_last<std::uint32_t>;
  using word = std::uint64_t;
  /// Status, count and index in one word.
  static __device__ __forceinline__ word pack(tile_status status, value_type value) {
    return static_cast<word>(status) << 62 | static_cast<word>(value.count) << 31 | value.last;
  }
  /// The status in a word.
  static __device__ __forceinline__ tile_status status(word w) { return static_cast<tile_status>(w >> 62); }
  /// Count and index in a word.
  static __device__ __forceinline__ value_type value(word w) {
    constexpr std::uint32_t mask = (std::uint32_t{1} << 31) - 1;
    return {static_cast<std::uint32_t>(w >> 31) & mask, static_cast<std::uint32_t>(w) & mask};
  }
};

// The current state; pairs with publish_state of its tile. Each word has status and value.
template <class Word>
__device__ __forceinline__ Word load_state(const Word* state) {
  return simt::load_relaxed(state);
}
__device__ __forceinline__ two_words load_state(const two_words* state) {
  return {simt::load_relaxed(&state->first), simt::load_relaxed(&state->second)};
}

/// The state of an item of several words, each of which has the status.
template <class Word, int Count>
__device__ __forceinline__ several_words<Word, Count> load_state(const several_words<Word, Count>* state) {
  several_words<Word, Count> w;
#pragma unroll
  for (int i = 0; i < Count; ++i) w.word[i] = simt::load_relaxed(&state->word[i]);
  return w;
}

// One thread; pairs with load_state of other tiles. A state is written by its tile alone, once per
// status.
template <class Word>
__device__ __forceinline__ void publish_state(Word* state, const Word& w) {
  simt::publish_relaxed(state, w);
}
__device__ __forceinline__ void publish_state(two_words* state, const two_words& w) {
  simt::publish_relaxed(&state->first, w.first);
  simt::publish_relaxed(&state->second, w.second);
}

/// Stores the words one after the other. A reader waits until all have the same status.
template <class Word, int Count>
__device__ __forceinline__ void publish_state(several_words<Word, Count>* state, const several_words<Word, Count>& w) {
#pragma unroll
  for (int i = 0; i < Count; ++i) simt::publish_relaxed(&state->word[i], w.word[i]);
}

}  // namespace ballot::device
