// SPDX-License-Identifier: Apache-2.0
// Entry points of sorts of keys, and of pairs.
//
//     values of 4 and 8 bytes at aligned addresses    inline: they move beside their keys
//     other values of up to 8 bytes                   repacked: copied to words of 4 or 8 bytes and back
//     longer values                                   indirect: the sort moves positions, a gather the values
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

unsigned word_bytes_of(unsigned item_bytes) { return item_bytes <= 4 ? 4 : 8; }
bool are_inline(const void* in, const void* out, unsigned bytes) {
  return (bytes == 4 || bytes == 8) && are_words(in, out, bytes);
}

// The scratch of pairs, by the way in which values move.
template <class U>
struct pairs_scratch {
  std::byte* sort;
  U* keys;              // repacked: the other buffer
  void *words, *spare;  // repacked
  void* order;          // indirect
  std::byte* values;    // indirect, in place: a copy

  pairs_scratch(scratch_carver& carver, u64 n, bool in_place, unsigned item_bytes, bool is_inline)
      : sort(nullptr), keys(nullptr), words(nullptr), spare(nullptr), order(nullptr), values(nullptr) {
    const sort_use use = in_place ? sort_use::in_place : sort_use::out_of_place;
    const auto bytes = [&]<class W>(sort_use how) { return sort_words_bytes<U, W>(n, how); };
    const auto sort_bytes = [&](bool wide, sort_use how) {
      return wide ? bytes.template operator()<u64>(how) : bytes.template operator()<u32>(how);
    };
    if (item_bytes > 8) {
      const bool wide = has_wide_positions(n);
      sort = carver.take<std::byte>(sort_bytes(wide, use));
      order = carver.take<std::byte>(bytes_for(n, wide ? 8 : 4));
      if (in_place) values = carver.take<std::byte>(bytes_for(n, item_bytes));
      return;
    }
    const unsigned word = word_bytes_of(item_bytes);
    sort = carver.take<std::byte>(sort_bytes(word == 8, is_inline ? use : sort_use::double_buffer));
    if (is_inline) return;
    keys = carver.take<U>(n);
    words = carver.take<std::byte>(bytes_for(n, word));
    spare = carver.take<std::byte>(bytes_for(n, word));
  }
  static std::size_t bytes(u64 n, bool in_place, unsigned item_bytes, bool is_inline) {
    if (n == 0) return 0;
    scratch_carver measure;
    pairs_scratch(measure, n, in_place, item_bytes, is_inline);
    return measure.bytes();
  }
};

template <class U>
void sort_pairs(const sort_call& call, const void* values, void* values_out, unsigned item_bytes) {
  const u64 n = call.n();
  const bool in_place = call.keys.data == call.keys_out, is_inline = are_inline(values, values_out, item_bytes);
  scratch_carver carver(call.scratch);
  const pairs_scratch<U> scratch(carver, n, in_place, item_bytes, is_inline);
  const length count = length_of(call.keys);
  const auto stream = call.gpu.stream();
  if (item_bytes > 8) {
    const void* from = values;
    if (values == values_out) {
      copy_items(stream, values, scratch.values, item_bytes, {n}, call.function);
      from = scratch.values;
    }
    const bool wide = has_wide_positions(n);
    with_index(wide, [&]<class W>() { call.sort<U, W>(scratch.sort, nullptr, scratch.order); });
    return gather(stream, {from, values_out, n, item_bytes, scratch.order, wide, count, {0}}, call.function);
  }
  const unsigned word = word_bytes_of(item_bytes);
  with_index(word == 8, [&]<class W>() {
    if (is_inline) return call.sort<U, W>(scratch.sort, values, values_out);
    // Out of place the first step reads the spare words, and the second step overwrites them.
    void* const from = in_place ? scratch.words : scratch.spare;
    pack_values(stream, values, item_bytes, from, word, count, call.function);
    call.sort<U, W>(scratch.sort, from, scratch.words, scratch.keys, scratch.spare);
    unpack_values(stream, scratch.words, word, values_out, item_bytes, count, call.function);
  });
}

void keys_alone(const ballot_exec& where, const char* function, const ballot_array& keys, const ballot_array& keys_out,
                const ballot_sort_options* options, bool in_place) {
  const type_info type = require_array(function, "keys", keys, accepts::numbers, true);
  const key_order order(function, type, options);
  const ballot::exec gpu = exec_of(function, where);
  if (!in_place) {
    require_array(function, "keys_out", keys_out, accepts::numbers);
    require_same_type(function, "keys", keys.type, "keys_out", keys_out.type);
    ballot::detail::require_same_length(function, "keys", keys.length, "keys_out", keys_out.length);
    require_arguments(function, gpu, {memory_of("keys_out", keys_out)},
                      {memory_of("keys", keys), argument_of("keys.length", length_of(keys))});
  } else {
    require_arguments(function, gpu, {memory_of("keys", keys)}, {argument_of("keys.length", length_of(keys))});
  }
  if (keys.length == 0) return;
  if (order.is_empty())
    return copy_items(where.stream, keys.data, keys_out.data, type.bytes, length_of(keys), function);
  order.with_key([&]<class U>() {
    const std::size_t bytes =
        sort_words_bytes<U, no_value>(keys.length, in_place ? sort_use::in_place : sort_use::out_of_place);
    const ballot::detail::scratch_lease lease(gpu, bytes, function);
    sort_call{gpu, function, order, keys, keys_out.data, lease.base()}.sort<U, no_value>(lease.base(), nullptr,
                                                                                         nullptr);
  });
}

void pairs(const ballot_exec& where, const char* function, const ballot_array& keys, const ballot_array& values,
           const ballot_array& keys_out, const ballot_array& values_out, const ballot_sort_options* options,
           bool in_place) {
  const type_info type = require_array(function, "keys", keys, accepts::numbers, true);
  const type_info value = require_array(function, "values", values, accepts::anything_to_move);
  if (value.is_positions) fail(function, "`values` are positions: ballot_argsort writes them");
  const key_order order(function, type, options);
  const ballot::exec gpu = exec_of(function, where);
  const u64 n = keys.length;
  ballot::detail::require_same_length(function, "keys", n, "values", values.length);
  if (!in_place) {
    require_array(function, "keys_out", keys_out, accepts::numbers);
    require_array(function, "values_out", values_out, accepts::anything_to_move);
    require_same_type(function, "keys", keys.type, "keys_out", keys_out.type);
    require_same_type(function, "values", values.type, "values_out", values_out.type);
    ballot::detail::require_same_length(function, "keys", n, "keys_out", keys_out.length);
    ballot::detail::require_same_length(function, "keys", n, "values_out", values_out.length);
    require_arguments(
        function, gpu, {memory_of("keys_out", keys_out), memory_of("values_out", values_out)},
        {memory_of("keys", keys), memory_of("values", values), argument_of("keys.length", length_of(keys))});
  } else {
    require_arguments(function, gpu, {memory_of("keys", keys), memory_of("values", values)},
                      {argument_of("keys.length", length_of(keys))});
  }
  if (n == 0) return;
  if (order.is_empty()) {
    copy_items(where.stream, keys.data, keys_out.data, type.bytes, length_of(keys), function);
    return copy_items(where.stream, values.data, values_out.data, value.bytes, length_of(keys), function);
  }
  order.with_key([&]<class U>() {
    const bool is_inline = are_inline(values.data, values_out.data, value.bytes);
    const ballot::detail::scratch_lease lease(gpu, pairs_scratch<U>::bytes(n, in_place, value.bytes, is_inline),
                                              function);
    sort_pairs<U>({gpu, function, order, keys, keys_out.data, lease.base()}, values.data, values_out.data, value.bytes);
  });
}

// The largest scratch of values of this type: those of BALLOT_BYTES may lie anywhere.
std::size_t most_pairs_bytes(const type_info& keys, const type_info& values, u64 n) {
  std::size_t bytes = 0;
  with_each_key(keys, [&]<class U>() {
    for (const bool in_place : {false, true}) {
      const bool may_be_inline = values.bytes == 4 || values.bytes == 8;
      if (may_be_inline) bytes = std::max(bytes, pairs_scratch<U>::bytes(n, in_place, values.bytes, true));
      if (!may_be_inline || values.is_bytes)
        bytes = std::max(bytes, pairs_scratch<U>::bytes(n, in_place, values.bytes, false));
    }
  });
  return bytes;
}

}  // namespace
}  // namespace ballot_c

using namespace ballot_c;

extern "C" {

ballot_status ballot_sort(ballot_exec where, ballot_array keys, ballot_array keys_out,
                          const ballot_sort_options* options) {
  return guarded([&] { keys_alone(where, "sort", keys, keys_out, options, false); });
}
ballot_status ballot_sort_in_place(ballot_exec where, ballot_array keys, const ballot_sort_options* options) {
  return guarded([&] { keys_alone(where, "sort_in_place", keys, keys, options, true); });
}
ballot_status ballot_sort_pairs(ballot_exec where, ballot_array keys, ballot_array values, ballot_array keys_out,
                                ballot_array values_out, const ballot_sort_options* options) {
  return guarded([&] { pairs(where, "sort_pairs", keys, values, keys_out, values_out, options, false); });
}
ballot_status ballot_sort_pairs_in_place(ballot_exec where, ballot_array keys, ballot_array values,
                                         const ballot_sort_options* options) {
  return guarded([&] { pairs(where, "sort_pairs_in_place", keys, values, keys, values, options, true); });
}

ballot_status ballot_sort_scratch_bytes(ballot_type keys, uint64_t n, size_t* bytes) {
  constexpr const char* function = "sort_scratch_bytes";
  return store_bytes(function, bytes, [&] {
    std::size_t needed = 0;
    with_each_key(require_type(function, "keys", keys, accepts::numbers), [&]<class U>() {
      for (const sort_use use : {sort_use::in_place, sort_use::out_of_place})
        needed = std::max(needed, sort_words_bytes<U, no_value>(n, use));
    });
    return ballot::detail::bytes_at_any_address(needed);
  });
}
ballot_status ballot_sort_pairs_scratch_bytes(ballot_type keys, ballot_type values, uint64_t n, size_t* bytes) {
  constexpr const char* function = "sort_pairs_scratch_bytes";
  return store_bytes(function, bytes, [&] {
    const type_info key = require_type(function, "keys", keys, accepts::numbers);
    const type_info value = require_type(function, "values", values, accepts::anything_to_move);
    return ballot::detail::bytes_at_any_address(most_pairs_bytes(key, value, n));
  });
}
}  // extern "C"
