// SPDX-License-Identifier: Apache-2.0
// Definitions for device_algorithms.hpp: a translation unit includes this and instantiates the
// types of one width.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/cuda/device_algorithms.hpp"

#include <ballot/compact.cuh>

namespace ballot::app {

template <class T>
std::size_t device_compact<T>::scratch_bytes(std::uint64_t count) {
  return ballot::compact_scratch_bytes<T>(count);
}

template <class T>
void device_compact<T>::where(const exec& gpu, const item_predicate<T>& predicate, std::span<const T> items,
                              std::span<T> selected, std::uint64_t* count) {
  ballot::compact(gpu, items, predicate, selected, count);
}

template <class U>
void device_compact_by_flags<U>::run(const exec& gpu, std::span<const std::uint8_t> flags, bool invert,
                                     std::span<const U> items, std::span<U> selected, std::uint64_t* count) {
  ballot::compact(gpu, items, byte_flags{flags, invert}, selected, count);
}

}  // namespace ballot::app
