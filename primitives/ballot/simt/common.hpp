// SPDX-License-Identifier: Apache-2.0
// Names that both backends share: scopes, memory orders, the size of a warp, and the value of a
// wide access.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::simt {

/// Lanes of a warp.
inline constexpr unsigned warp_size = 32;
/// All lanes.
inline constexpr unsigned full_mask = 0xffffffffu;

/// Alignment in bytes of shared memory that asynchronous copies fill. Less alignment costs time,
/// because copies then fill parts of lines. Compaction of u32 on an H200 takes 408 us if tiles
/// begin at a multiple of this number. It takes 467 us if they begin 16 bytes after one, 428 for
/// 32, and 425 for 64.
inline constexpr std::size_t copy_alignment = 128;

/// The shared memory that a block may have on every GPU from sm_75 on, in bytes.
inline constexpr std::size_t least_shared_bytes_limit = 64 * 1024;

/// The most blocks of a launch that is one cluster, on any GPU.
inline constexpr unsigned most_cluster_blocks = 16;

/// The threads for which an access or a fence is ordered: those of one block, or those of the
/// device. system: those of all devices and the host (only for ordered loads and stores).
enum class scope { block, device, system };

/// The accesses that an atomic orders besides its own.
enum class order { relaxed, acquire, release, acq_rel };

/// `W` items of one access.
template <class T, int W>
struct vector {
  static_assert(W >= 1);
  T item[W];
  BALLOT_HOST_DEVICE constexpr T& operator[](int i) { return item[i]; }
  BALLOT_HOST_DEVICE constexpr const T& operator[](int i) const { return item[i]; }
};

namespace detail {

template <class T, int W>
inline constexpr std::size_t vector_bytes = [] {
  static_assert(std::is_trivially_copyable_v<T>, "vector accesses move trivially copyable items");
  constexpr std::size_t n = sizeof(T) * W;
  static_assert(n == 1 || n == 2 || n == 4 || n == 8 || n == 16, "a vector access moves 1, 2, 4, 8 or 16 bytes");
  return n;
}();

// The operand of an atomic is converted to the type of its word, so that atomic_add(&count, 1)
// finds its type in &count.
template <class T>
using word_of = std::type_identity_t<T>;

}  // namespace detail
}  // namespace ballot::simt
