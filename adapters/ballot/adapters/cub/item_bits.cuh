// SPDX-License-Identifier: Apache-2.0
// A bit for each item in the temporary storage. The bits are complete before an item is
// overwritten. So a call in place can select by flags or stencils that it reads beside the items.
#pragma once

#include <ballot/adapters/namespace.cuh>
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
#include <tuple>

namespace ballot::adapters::detail {

// Places the bits in memory of any alignment.
inline std::size_t item_bits_bytes(std::uint64_t n) {
  return 256 + sizeof(std::uint32_t) * static_cast<std::size_t>(ballot::detail::ceil_div(n, 32));
}
inline std::uint32_t* item_bits_in(const exec& where) {
  const auto address = reinterpret_cast<std::uintptr_t>(where.scratch().data());
  return reinterpret_cast<std::uint32_t*>((address + 255) / 256 * 256);
}
// The rest of the scratch, after the bits.
inline exec after_item_bits(const exec& where, std::uint64_t n) {
  return {where.stream(), where.scratch().subspan(item_bits_bytes(n))};
}
inline bit_flags flags_of_bits(const std::uint32_t* bits, std::uint64_t n) {
  return {std::span<const std::uint32_t>(bits, static_cast<std::size_t>(ballot::detail::ceil_div(n, 32)))};
}

// A bit is set where an item differs from the one before it. in: a range or a view of n items.
template <class In, class Same>
void set_head_bits(stream_t stream, const In& in, const Same& same, std::uint32_t* bits, const char* function) {
  const auto from = ballot::detail::as_input(in);
  ballot::detail::launch_flag_bits(stream, ballot::detail::make_source<1>(from), from.length,
                                   ballot::detail::make_head_selector(from, same), bits, function);
}
// A bit is set where an item is selected.
template <class In, class Select>
void set_selected_bits(stream_t stream, const In& in, const Select& select, std::uint32_t* bits, const char* function) {
  const std::tuple from(ballot::detail::as_input(in));
  ballot::detail::launch_flag_bits(stream, ballot::detail::make_source<1>(std::get<0>(from)), std::get<0>(from).length,
                                   ballot::detail::make_selector<1, true>(select, from), bits, function);
}

}  // namespace ballot::adapters::detail
