// SPDX-License-Identifier: Apache-2.0
// The checks of the sorts on their arguments, before any work.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/require_arguments.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace ballot::detail {

// Requires that outputs and values have as many items as `keys`.
struct named_length {
  const char* name;
  std::uint64_t items;
};
[[gnu::noinline, gnu::cold]] inline void require_same_lengths(const char* function, named_length first,
                                                              std::initializer_list<named_length> others) {
  for (const named_length& other : others)
    require_same_length(function, first.name, first.items, other.name, other.items);
}

// Positions, in the unsigned type of their size, so that nothing is compiled for signed ones.
template <count_integer Index>
output<typename unsigned_of_size<sizeof(Index)>::type> as_positions(const output<Index>& out) {
  return {reinterpret_cast<typename unsigned_of_size<sizeof(Index)>::type*>(out.data), out.size};
}
// The same for offsets. A negative offset becomes a large number, so such offsets do not ascend.
template <count_integer Offset>
input<typename unsigned_of_size<sizeof(Offset)>::type> as_offsets(const input<Offset>& in) {
  return {reinterpret_cast<const typename unsigned_of_size<sizeof(Offset)>::type*>(in.data), in.length};
}

// Requires that the type can hold the positions of n items.
[[gnu::noinline, gnu::cold]] inline void require_positions_fit(const char* function, const char* name, count_type type,
                                                               std::uint64_t n) {
  if (n != 0 && n - 1 > type.largest())
    fail(function,
         joined({"`", name, "` are integers of ", decimal(8 * type.bytes()),
                 type.is_signed ? " bits with a sign" : " bits", ", too small for positions up to ", decimal(n - 1)}));
}

}  // namespace ballot::detail
