// SPDX-License-Identifier: Apache-2.0
// The library's algorithms behind one declaration a type, each defined in the translation unit of
// its width. Memory is the device's, throughout.
#pragma once

#include <ballot/core/namespace.hpp>

#include "conditions/item_predicate.hpp"
#include "conditions/row_predicate.hpp"
#include "engines/engine.hpp"

#include <ballot/core/exec.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace ballot::app {

template <class K>
struct device_sort {
  static std::size_t scratch_bytes(const sort_request& request, std::uint64_t count);
  static void keys(const exec& gpu, const sort_request& request, std::span<K> keys);
  static void indices(const exec& gpu, const sort_request& request, std::span<const K> keys,
                      std::span<std::uint64_t> indices);
};

template <class T>
struct device_compact {
  static std::size_t scratch_bytes(std::uint64_t count);
  static void where(const exec& gpu, const item_predicate<T>& predicate, std::span<const T> items,
                    std::span<T> selected, std::uint64_t* count);
};

// Rows one after the other, in place. Sum: the accumulator.
template <class T, class Sum>
struct device_scan {
  static std::size_t scratch_bytes(const scan_request& request);
  static void rows(const exec& gpu, const scan_request& request, std::span<T> items);
};

// An order of rows made from the least significant column of keys to the most significant one. U:
// u32 or u64.
template <class U>
struct device_order {
  static std::size_t scratch_bytes(std::uint64_t count);
  static void first(const exec& gpu, std::span<const U> keys, std::span<std::uint64_t> rows);
  static void further(const exec& gpu, std::span<const U> keys, std::span<std::uint64_t> rows);
};

// The rows that a program, whose columns are on the device, says yes to.
struct device_select {
  static std::size_t scratch_bytes(std::uint64_t rows);
  static void run(const exec& gpu, const row_predicate& predicate, std::uint64_t rows, std::span<std::uint64_t> chosen,
                  std::uint64_t* count);
};

// U: an unsigned integer, which stands for every type of its width.
template <class U>
struct device_compact_by_flags {
  static void run(const exec& gpu, std::span<const std::uint8_t> flags, bool invert, std::span<const U> items,
                  std::span<U> selected, std::uint64_t* count);
};

}  // namespace ballot::app
