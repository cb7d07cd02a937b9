// SPDX-License-Identifier: Apache-2.0
// Several arrays, or several lists, without reading a count.
//
// Before: four compactions, each followed by a copy of its count to the host to size the next
// launch.
//
// That covers three different cases. Each has its own call.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/compact.cuh>
#include <ballot/multisplit.cuh>

#include <algorithm>
#include <cstdint>
#include <span>

namespace examples {

// One predicate, four arrays: one launch, one count.
struct bodies {
  std::span<float> at_x, at_y, speed;
  std::span<std::uint32_t> id;
};
struct is_inside {
  float low, high;
  __device__ bool operator()(float x) const { return low <= x && x < high; }
};

inline std::size_t keep_inside_scratch_bytes(std::uint64_t n) {
  return ballot::compact_scratch_bytes<float, float, float, std::uint32_t>(n);
}

inline void keep_inside(const ballot::exec& gpu, const bodies& in, is_inside inside, const bodies& out,
                        std::uint64_t* count) {
  ballot::compact(gpu, ballot::zip{in.at_x, in.at_y, in.speed, in.id}, ballot::on_first{inside},
                  ballot::zip{out.at_x, out.at_y, out.speed, out.id}, count);
}

// Each item goes to one of four lists: list k is lists[offsets[k]] to lists[offsets[k + 1]].
// Offsets stay on the device.
inline constexpr unsigned kinds = 4;

struct kind_of {
  __device__ unsigned operator()(std::uint8_t kind) const { return kind; }  // 4 and more: in no list
};

inline std::size_t lists_of_kinds_scratch_bytes(std::uint64_t n) {
  return ballot::multisplit_scratch_bytes<std::uint8_t, std::uint32_t>(n, kinds);
}

// kinds_out: the kinds in the order of the lists.
inline void lists_of_kinds(const ballot::exec& gpu, std::span<const std::uint8_t> kind,
                           std::span<std::uint8_t> kinds_out, std::span<std::uint32_t> lists,
                           std::span<std::uint64_t> offsets) {
  ballot::multisplit(gpu, ballot::zip{kind, ballot::positions(kind.size())}, ballot::on_first{kind_of{}}, kinds,
                     ballot::zip{kinds_out, lists}, offsets);
}

// Lists that share items: `counted{list[k], counts + k}` has the length counts[k]. A host that
// needs the four counts reads them with one copy, after the step.
struct has_bit {
  unsigned bit;
  __device__ bool operator()(std::uint8_t flags) const { return (flags >> bit & 1u) != 0; }
};

inline std::size_t lists_of_bits_scratch_bytes(std::uint64_t n) {
  return ballot::compact_indices_scratch_bytes<std::uint32_t, std::uint8_t>(n);
}

inline void lists_of_bits(const ballot::exec& gpu, std::span<const std::uint8_t> flags,
                          std::span<const std::span<std::uint32_t>> lists, std::uint64_t* counts) {
  for (unsigned bit = 0; bit < lists.size(); ++bit)
    ballot::compact_indices(gpu, flags, has_bit{bit}, lists[bit], counts + bit);
}

}  // namespace examples
