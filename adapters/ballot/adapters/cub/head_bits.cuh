// SPDX-License-Identifier: Apache-2.0
// Runs of keys as bits in the temporary storage: a bit is set where a key differs from the one
// before it.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/flags.hpp>
#include <ballot/detail/common/zip.cuh>
#include <ballot/detail/partition/flag_bits_kernel.cuh>
#include <ballot/detail/partition/selectors.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace ballot::adapters::detail {

// In memory of any alignment.
inline std::size_t head_bits_bytes(std::uint64_t n) {
  return 256 + sizeof(std::uint32_t) * static_cast<std::size_t>(ballot::detail::ceil_div(n, 32));
}
// What is behind the bits.
inline exec behind_head_bits(const exec& where, std::uint64_t n) {
  return {where.stream(), where.scratch().subspan(head_bits_bytes(n))};
}
template <class K, class Same>
bit_flags set_head_bits(const exec& where, const K* keys, std::uint64_t n, const Same& same, const char* function) {
  const auto address = reinterpret_cast<std::uintptr_t>(where.scratch().data());
  auto* const bits = reinterpret_cast<std::uint32_t*>((address + 255) / 256 * 256);
  const ballot::detail::length items{n};
  const ballot::detail::input<K> from{keys, items};
  ballot::detail::launch_flag_bits(where.stream(), ballot::detail::make_source<1>(from), items,
                                   ballot::detail::make_head_selector(from, same), bits, function);
  return {std::span<const std::uint32_t>(bits, static_cast<std::size_t>(ballot::detail::ceil_div(n, 32)))};
}

}  // namespace ballot::adapters::detail
