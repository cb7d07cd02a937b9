// SPDX-License-Identifier: Apache-2.0
// Entry points of merges, searches and checks of sorted keys. Values of 4 and 8 bytes at aligned
// addresses are merged beside their keys; for others positions are, and then the values are
// gathered from both inputs.
#include <ballot/c/calls.hpp>
#include <ballot/c/columns.hpp>
#include <ballot/c/gather.hpp>
#include <ballot/c/merge.hpp>
#include <ballot/c/selector.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/search/launch.cuh>
#include <ballot/device/memory.cuh>

#include <algorithm>

namespace ballot_c {
namespace {

using ballot::detail::scratch_carver;

bool are_merged_inline(const void* a, const void* b, const void* out, unsigned bytes) {
  return (bytes == 4 || bytes == 8) && are_words(a, out, bytes) && are_words(b, out, bytes);
}

// The scratch: that of the merge; of values that are gathered, the positions before and after.
struct merge_scratch {
  std::byte* merge;
  std::byte* positions;
  std::byte* order;

  merge_scratch(scratch_carver& carver, const type_info& keys, u64 n, bool gathers) : merge(nullptr) {
    std::size_t bytes = 0;
    with_word(keys.bytes, [&]<class U>() { bytes = merge_words_bytes<U>(n); });
    const unsigned word = has_wide_positions(n) ? 8 : 4;
    merge = carver.take<std::byte>(bytes);
    positions = carver.take<std::byte>(gathers ? bytes_for(n, word) : 0);
    order = carver.take<std::byte>(gathers ? bytes_for(n, word) : 0);
  }
  static std::size_t bytes(const type_info& keys, u64 n, bool gathers) {
    if (n == 0) return 0;
    scratch_carver measure;
    merge_scratch(measure, keys, n, gathers);
    return measure.bytes();
  }
};

// A merge: values_out of no type for keys alone.
struct merge_call {
  const char* function;
  ballot_array first, first_values, second, second_values, keys_out, values_out;
  bool has_values() const { return values_out.type != BALLOT_NONE; }
};

template <class U, class W>
void merge_as(const ballot_exec& where, std::byte* scratch, const merge_call& c, const ballot::key_codec<U>& codec,
              const void* first_values, const void* second_values, void* values_out) {
  merge_words<U, W>(where.stream, scratch,
                    {input_of<U>(c.first), input_of<U>(c.second), static_cast<const W*>(first_values),
                     static_cast<const W*>(second_values), static_cast<U*>(c.keys_out.data),
                     static_cast<W*>(values_out), codec, c.function});
}

void merge(const ballot_exec& where, const merge_call& c, const ballot_order_options* options) {
  const char* const function = c.function;
  const char* const out_name = c.has_values() ? "keys_out" : "out";
  const type_info type = require_array(function, "first", c.first, accepts::numbers, true);
  require_array(function, "second", c.second, accepts::numbers, true);
  require_array(function, out_name, c.keys_out, accepts::numbers);
  require_same_type(function, "first", c.first.type, "second", c.second.type);
  require_same_type(function, "first", c.first.type, out_name, c.keys_out.type);
  type_info value;
  argument_list written, read;
  written.add(out_name, c.keys_out);
  read.add("first", c.first);
  read.add("second", c.second);
  read.add(argument_of("first.length", length_of(c.first)));
  read.add(argument_of("second.length", length_of(c.second)));
  if (c.has_values()) {
    value = require_array(function, "first_values", c.first_values, accepts::anything_to_move);
    if (value.is_positions) fail(function, "`first_values` are positions, which are in no memory");
    require_array(function, "second_values", c.second_values, accepts::anything_to_move);
    require_array(function, "values_out", c.values_out, accepts::anything_to_move);
    require_same_type(function, "first_values", c.first_values.type, "second_values", c.second_values.type);
    require_same_type(function, "first_values", c.first_values.type, "values_out", c.values_out.type);
    ballot::detail::require_same_length(function, "first", c.first.length, "first_values", c.first_values.length);
    ballot::detail::require_same_length(function, "second", c.second.length, "second_values", c.second_values.length);
    written.add("values_out", c.values_out);
    read.add("first_values", c.first_values);
    read.add("second_values", c.second_values);
  }
  with_word(type.bytes, [&]<class U>() {
    const ballot::key_codec<U> codec = order_of_keys<U>(function, type, options);
    const u64 n = merged_items<U>(c.first.length, c.second.length, function);
    ballot::detail::require_same_length(function, "first and second", n, out_name, c.keys_out.length);
    if (c.has_values())
      ballot::detail::require_same_length(function, "first and second", n, "values_out", c.values_out.length);
    const bool gathers =
        c.has_values() && !are_merged_inline(c.first_values.data, c.second_values.data, c.values_out.data, value.bytes);
    const std::size_t bytes = merge_scratch::bytes(type, n, gathers);
    require_memory_of(function, where, bytes, written, read);
    if (n == 0) return;
    const ballot::detail::scratch_lease lease(exec_of(function, where), bytes, function);
    scratch_carver carver(lease.base());
    const merge_scratch scratch(carver, type, n, gathers);
    if (!c.has_values()) return merge_as<U, no_value>(where, scratch.merge, c, codec, nullptr, nullptr, nullptr);
    if (!gathers)
      return with_index(value.bytes == 8, [&]<class W>() {
        merge_as<U, W>(where, scratch.merge, c, codec, c.first_values.data, c.second_values.data, c.values_out.data);
      });
    // Positions in `first`, and after its capacity those in `second`.
    const bool wide = has_wide_positions(n);
    std::byte* const of_second = scratch.positions + bytes_for(c.first.length, wide ? 8 : 4);
    write_positions_from(where.stream, 0, scratch.positions, wide, length_of(c.first), function);
    write_positions_from(where.stream, c.first.length, of_second, wide, length_of(c.second), function);
    with_index(wide, [&]<class W>() {
      merge_as<U, W>(where, scratch.merge, c, codec, scratch.positions, of_second, scratch.order);
    });
    gather_of_two(where.stream, c.first_values.data, c.first.length, c.second_values.data,
                  {nullptr, c.values_out.data, n, value.bytes, scratch.order, wide, length_of(c.first), {0}},
                  length_of(c.second), function);
  });
}

void search(const ballot_exec& where, const char* function, const ballot_array& sorted, const ballot_array& keys,
            bool upper, const ballot_array& positions, const ballot_order_options* options) {
  const type_info type = require_array(function, "sorted", sorted, accepts::numbers, true);
  const type_info key = require_array(function, "keys", keys, accepts::anything_to_move, true);
  if (key.is_positions) {
    if (!type.is_integer || type.bytes > 8 || (type.bytes == 4 && key.bytes != 4))
      fail(function, joined({"`keys` are ", key.name, ", `sorted` has type ", type.name}));
    // Every position is one of sorted's numbers.
    const u64 largest = (type.bytes == 8 ? ~u64{0} : (u64{1} << 8 * type.bytes) - 1) >> (type.is_signed ? 1 : 0);
    const u64 of_keys = key.bytes == 8 ? ~u64{0} : ~u32{0};
    if (keys.length != 0 && keys.length - 1 > std::min(largest, of_keys))
      fail(function, joined({"`keys` are ", decimal(keys.length), " positions, more than their type, or ", type.name,
                             ", counts"}));
  } else {
    require_same_type(function, "sorted", sorted.type, "keys", keys.type);
  }
  const type_info position = require_array(function, "positions", positions, accepts::counts);
  ballot::detail::require_same_length(function, "keys", keys.length, "positions", positions.length);
  ballot::detail::require_counts_fit(function, "positions", {position.bytes == 8, position.is_signed}, sorted.length);
  argument_list written, read;
  written.add("positions", positions);
  read.add("sorted", sorted);
  read.add("keys", keys);
  read.add(argument_of("sorted.length", length_of(sorted)));
  read.add(argument_of("keys.length", length_of(keys)));
  with_word(type.bytes, [&]<class U>() {
    const ballot::key_codec<U> codec = order_of_keys<U>(function, type, options);
    require_memory_of(function, where, 0, written, read);
    const ballot::stream_t stream = exec_of(function, where).stream();
    if (keys.length == 0) return;
    search_words<U>(stream, input_of<U>(sorted), input_of<U>(keys), key.is_positions, codec, upper,
                    count_of(function, "positions", positions), function);
  });
}

void is_sorted(const ballot_exec& where, const char* function, const ballot_array& in, bool whether,
               const ballot_array& result_array, const ballot_order_options* options) {
  const type_info type = require_array(function, "in", in, accepts::numbers, true);
  const ballot::device_count result = count_of(function, "result", result_array);
  with_word(type.bytes, [&]<class U>() {
    check_order<U>(exec_of(function, where), input_of<U>(in), order_of_keys<U>(function, type, options), whether,
                   result, function);
  });
}

}  // namespace
}  // namespace ballot_c

using namespace ballot_c;

extern "C" {

ballot_status ballot_merge(ballot_exec where, ballot_array first, ballot_array second, ballot_array out,
                           const ballot_order_options* options) {
  return guarded([&] {
    const ballot_array none = ballot_nothing();
    merge(where, {"merge", first, none, second, none, out, none}, options);
  });
}
ballot_status ballot_merge_pairs(ballot_exec where, ballot_array first, ballot_array first_values, ballot_array second,
                                 ballot_array second_values, ballot_array keys_out, ballot_array values_out,
                                 const ballot_order_options* options) {
  return guarded([&] {
    if (values_out.type == BALLOT_NONE) fail("merge_pairs", "`values_out` has type BALLOT_NONE (0)");
    merge(where, {"merge_pairs", first, first_values, second, second_values, keys_out, values_out}, options);
  });
}
ballot_status ballot_merge_scratch_bytes(ballot_type keys, ballot_type values, uint64_t n, size_t* bytes) {
  constexpr const char* function = "merge_scratch_bytes";
  return store_bytes(function, bytes, [&] {
    const type_info key = require_type(function, "keys", keys, accepts::numbers);
    type_info value;
    if (values != BALLOT_NONE) value = require_type(function, "values", values, accepts::anything_to_move);
    const bool gathers = values != BALLOT_NONE && (value.is_bytes || (value.bytes != 4 && value.bytes != 8));
    return ballot::detail::bytes_at_any_address(merge_scratch::bytes(key, n, gathers));
  });
}

ballot_status ballot_lower_bound(ballot_exec where, ballot_array sorted, ballot_array keys, ballot_array positions,
                                 const ballot_order_options* options) {
  return guarded([&] { search(where, "lower_bound", sorted, keys, false, positions, options); });
}
ballot_status ballot_upper_bound(ballot_exec where, ballot_array sorted, ballot_array keys, ballot_array positions,
                                 const ballot_order_options* options) {
  return guarded([&] { search(where, "upper_bound", sorted, keys, true, positions, options); });
}
ballot_status ballot_is_sorted(ballot_exec where, ballot_array in, ballot_array result,
                               const ballot_order_options* options) {
  return guarded([&] { is_sorted(where, "is_sorted", in, true, result, options); });
}
ballot_status ballot_is_sorted_until(ballot_exec where, ballot_array in, ballot_array result,
                                     const ballot_order_options* options) {
  return guarded([&] { is_sorted(where, "is_sorted_until", in, false, result, options); });
}
ballot_status ballot_is_sorted_scratch_bytes(size_t* bytes) {
  return store_bytes("is_sorted_scratch_bytes", bytes,
                     [] { return ballot::detail::bytes_at_any_address(ballot::detail::sorted_bytes()); });
}

}  // extern "C"
