// SPDX-License-Identifier: Apache-2.0
// Entry points of sorts.
//
//     values of 4 and 8 bytes at aligned addresses    inline: they move beside their keys
//     other values of up to 8 bytes                   repacked: copied to words of 4 or 8 bytes and back
//     longer values; within segments all others       indirect: the sort moves positions, a gather the values
#include <ballot/c/calls.hpp>
#include <ballot/c/columns.hpp>
#include <ballot/c/gather.hpp>
#include <ballot/c/key_order.hpp>
#include <ballot/c/sort.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/arguments.hpp>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/device/memory.cuh>

#include <algorithm>

namespace ballot_c {
namespace {

using ballot::detail::require_arguments;
using ballot::detail::scratch_carver;

argument memory_of(const char* name, const ballot_array& array) {
  return {name, array.data, array.length * info_of(array.type).bytes};
}

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

// A sort whose arguments are checked: the keys as words of their width.
struct sort_call {
  ballot::exec gpu;
  const char* function;
  const key_order& order;
  ballot_array keys;
  void* keys_out;  // null: not wanted
  std::byte* scratch;

  u64 n() const { return keys.length; }
  template <class U, class W>
  void sort(std::byte* scratch_of_sort, const void* values, void* values_out, U* keys_spare = nullptr,
            void* values_spare = nullptr) const {
    sort_words<U, W>(
        gpu.stream(), scratch_of_sort,
        {input_of<U>(keys), static_cast<U*>(keys_out), static_cast<const W*>(values), static_cast<W*>(values_out),
         keys_spare, static_cast<W*>(values_spare), order.codec<U>(), order.bits});
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

// Positions of 8 bytes are sorted as 4 bytes, if that is enough, and widened. Each pass of the sort reads and writes 8
// bytes less, and the last step moves 12. Few items are sorted as they are, which saves a launch. A guess, from the
// passes of 2^28 keys with values of 4 and of 8 bytes (detail/radix_sort/tuning.cuh).
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

// A pair of buffers of one type and length.
type_info require_buffers(const char* function, const char* a_name, const ballot_array& a, const char* b_name,
                          const ballot_array& b, accepts what, bool may_be_counted) {
  const type_info type = require_array(function, a_name, a, what, may_be_counted);
  require_array(function, b_name, b, what);
  require_same_type(function, a_name, a.type, b_name, b.type);
  ballot::detail::require_same_length(function, a_name, a.length, b_name, b.length);
  return type;
}
void require_words_of_buffers(const char* function, const char* name, const type_info& value) {
  if (value.is_positions || (value.bytes != 4 && value.bytes != 8))
    fail(function, joined({"`", name, "` has type ", value.name, ": values between two buffers have 4 or 8 bytes"}));
}

// values_a, values_b: nothing of keys alone.
void ping_pong(const ballot_exec& where, const char* function, const ballot_array& a, const ballot_array& values_a,
               const ballot_array& b, const ballot_array& values_b, std::int32_t* at,
               const ballot_sort_options* options) {
  const bool has_values = values_a.type != BALLOT_NONE || values_b.type != BALLOT_NONE;
  const type_info key = require_buffers(function, "a", a, "b", b, accepts::numbers, true);
  unsigned value_bytes = 0;
  if (has_values) {
    const type_info value =
        require_buffers(function, "values_a", values_a, "values_b", values_b, accepts::anything_to_move, false);
    require_words_of_buffers(function, "values_a", value);
    if (!are_words(values_a.data, values_b.data, value.bytes))
      fail(function, joined({"`values_a` or `values_b` is at an address that is no multiple of ",
                             std::to_string(value.bytes), ", the size of its items"}));
    ballot::detail::require_same_length(function, "a", a.length, "values_a", values_a.length);
    value_bytes = value.bytes;
  }
  if (at == nullptr) fail(function, "`at` is null");
  const key_order order(function, key, options);
  const ballot::exec gpu = exec_of(function, where);
  require_arguments(
      function, gpu,
      {memory_of("a", a), memory_of("values_a", values_a), memory_of("b", b), memory_of("values_b", values_b)},
      {argument_of("a.length", length_of(a))});
  const bool in_b = ballot::detail::radix_digit_plan{order.bits.low, order.bits.high}.passes() % 2 == 1;
  if (a.length == 0 || order.is_empty()) {
    *at = in_b;
    return;
  }
  order.with_key([&]<class U>() {
    const auto sort = [&]<class W>() {
      const ballot::detail::scratch_lease lease(gpu, sort_words_bytes<U, W>(a.length, sort_use::double_buffer),
                                                function);
      U *const first = static_cast<U*>(a.data), *const second = static_cast<U*>(b.data);
      W *const first_values = static_cast<W*>(values_a.data), *const second_values = static_cast<W*>(values_b.data);
      sort_words<U, W>(gpu.stream(), lease.base(),
                       {input_of<U>(a), in_b ? second : first, first_values, in_b ? second_values : first_values,
                        in_b ? first : second, in_b ? first_values : second_values, order.codec<U>(), order.bits});
    };
    if (value_bytes == 0) sort.template operator()<no_value>();
    else with_index(value_bytes == 8, sort);
  });
  *at = in_b;
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

ballot_status ballot_sort_ping_pong(ballot_exec where, ballot_array a, ballot_array b, int32_t* at,
                                    const ballot_sort_options* options) {
  return guarded([&] { ping_pong(where, "sort_ping_pong", a, ballot_nothing(), b, ballot_nothing(), at, options); });
}
ballot_status ballot_sort_pairs_ping_pong(ballot_exec where, ballot_array a, ballot_array values_a, ballot_array b,
                                          ballot_array values_b, int32_t* at, const ballot_sort_options* options) {
  constexpr const char* function = "sort_pairs_ping_pong";
  return guarded([&] {
    require_array(function, "values_a", values_a, accepts::anything_to_move);
    ping_pong(where, function, a, values_a, b, values_b, at, options);
  });
}

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
ballot_status ballot_sort_ping_pong_scratch_bytes(ballot_type keys, ballot_type values, uint64_t n, size_t* bytes) {
  constexpr const char* function = "sort_ping_pong_scratch_bytes";
  return store_bytes(function, bytes, [&] {
    const type_info key = require_type(function, "keys", keys, accepts::numbers);
    unsigned value_bytes = 0;
    if (values != BALLOT_NONE) {
      const type_info value = require_type(function, "values", values, accepts::anything_to_move);
      require_words_of_buffers(function, "values", value);
      value_bytes = value.bytes;
    }
    std::size_t needed = 0;
    with_each_key(key, [&]<class U>() {
      const auto add = [&]<class W>() {
        needed = std::max(needed, sort_words_bytes<U, W>(n, sort_use::double_buffer));
      };
      if (value_bytes == 0) add.template operator()<no_value>();
      else with_index(value_bytes == 8, add);
    });
    return ballot::detail::bytes_at_any_address(needed);
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
