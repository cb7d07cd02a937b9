// SPDX-License-Identifier: Apache-2.0
// Entry points of argsorts.
#include <ballot/c/calls.hpp>
#include <ballot/c/columns.hpp>
#include <ballot/c/gather.hpp>
#include <ballot/c/key_order.hpp>
#include <ballot/c/sort_call.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/arguments.hpp>
#include <ballot/device/memory.cuh>

#include <algorithm>

namespace ballot_c {
namespace {

using ballot::detail::require_arguments;
using ballot::detail::scratch_carver;

// Positions of 8 bytes are sorted as 4 bytes, if that is enough, and widened. Each pass of the sort
// reads and writes 8 bytes less, and the last step moves 12. Few items are sorted as they are,
// which saves a launch. A guess, from the passes of 2^28 keys with values of 4 and of 8 bytes
// (detail/radix_sort/tuning.cuh).
#ifndef BALLOT_C_WIDENED_FROM  // the emulated tests have few items
#  define BALLOT_C_WIDENED_FROM (std::uint64_t{1} << 22)
#endif
bool widens(u64 n, bool wide) { return wide && n >= BALLOT_C_WIDENED_FROM && !has_wide_positions(n); }

// Positions, and keys if they are wanted.
template <class U>
struct argsort_scratch {
  std::byte* sort = nullptr;
  u32* order = nullptr;  // to be widened

  argsort_scratch(scratch_carver& carver, u64 n, bool wide, sort_use use) {
    with_index(wide && !widens(n, wide),
               [&]<class W>() { sort = carver.take<std::byte>(sort_words_bytes<U, W>(n, use)); });
    if (widens(n, wide)) order = carver.take<u32>(n);
  }
  static std::size_t bytes(u64 n, bool wide, sort_use use) {
    if (n == 0) return 0;
    scratch_carver measure;
    argsort_scratch(measure, n, wide, use);
    return measure.bytes();
  }
};
template <class U>
std::size_t argsort_bytes(u64 n, bool wide) {
  return std::max(argsort_scratch<U>::bytes(n, wide, sort_use::values_only),
                  argsort_scratch<U>::bytes(n, wide, sort_use::out_of_place));
}

}  // namespace
}  // namespace ballot_c

using namespace ballot_c;

extern "C" {

ballot_status ballot_argsort(ballot_exec where, ballot_array keys, ballot_array keys_out, ballot_array indices,
                             const ballot_sort_options* options) {
  constexpr const char* function = "argsort";
  return guarded([&] {
    const type_info type = require_array(function, "keys", keys, accepts::numbers, true);
    const type_info index = require_array(function, "indices", indices, accepts::counts);
    const bool wants_keys = keys_out.type != BALLOT_NONE;
    if (wants_keys) {
      require_array(function, "keys_out", keys_out, accepts::numbers);
      require_same_type(function, "keys", keys.type, "keys_out", keys_out.type);
      ballot::detail::require_same_length(function, "keys", keys.length, "keys_out", keys_out.length);
    } else {
      keys_out = ballot_nothing();
    }
    const key_order order(function, type, options);
    ballot::detail::require_same_length(function, "keys", keys.length, "indices", indices.length);
    ballot::detail::require_positions_fit(function, "indices", {index.bytes == 8, index.is_signed}, keys.length);
    const ballot::exec gpu = exec_of(function, where);
    require_arguments(function, gpu, {memory_of("keys_out", keys_out), memory_of("indices", indices)},
                      {memory_of("keys", keys), argument_of("keys.length", length_of(keys))});
    if (keys.length == 0) return;
    if (order.is_empty()) {
      if (wants_keys) copy_items(where.stream, keys.data, keys_out.data, type.bytes, length_of(keys), function);
      return write_positions(where.stream, indices.data, index.bytes == 8, length_of(keys), function);
    }
    order.with_key([&]<class U>() {
      const bool wide = index.bytes == 8;
      const sort_use use = wants_keys ? sort_use::out_of_place : sort_use::values_only;
      const ballot::detail::scratch_lease lease(gpu, argsort_scratch<U>::bytes(keys.length, wide, use), function);
      scratch_carver carver(lease.base());
      const argsort_scratch<U> scratch(carver, keys.length, wide, use);
      const sort_call call{gpu, function, order, keys, keys_out.data, lease.base()};
      if (scratch.order != nullptr) {
        call.sort<U, u32>(scratch.sort, nullptr, scratch.order);
        return widen_positions(gpu.stream(), scratch.order, static_cast<u64*>(indices.data), length_of(keys), function);
      }
      with_index(wide, [&]<class W>() { call.sort<U, W>(scratch.sort, nullptr, indices.data); });
    });
  });
}

ballot_status ballot_argsort_scratch_bytes(ballot_type keys, ballot_type indices, uint64_t n, size_t* bytes) {
  constexpr const char* function = "argsort_scratch_bytes";
  return store_bytes(function, bytes, [&] {
    const type_info key = require_type(function, "keys", keys, accepts::numbers);
    const type_info index = require_type(function, "indices", indices, accepts::counts);
    std::size_t needed = 0;
    with_each_key(key, [&]<class U>() { needed = std::max(needed, argsort_bytes<U>(n, index.bytes == 8)); });
    return ballot::detail::bytes_at_any_address(needed);
  });
}

}  // extern "C"
