// SPDX-License-Identifier: Apache-2.0
// Entry points of sorts within segments, and of rows, which are segments of one length. Values of 4
// and 8 bytes at aligned addresses move beside their keys; for others the sort moves positions, and
// a gather moves the values once.
#include <ballot/c/calls.hpp>
#include <ballot/c/columns.hpp>
#include <ballot/c/gather.hpp>
#include <ballot/c/key_order.hpp>
#include <ballot/c/sort.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/arguments.hpp>
#include <ballot/device/memory.cuh>

#include <algorithm>

namespace ballot_c {
namespace {

using ballot::detail::require_arguments;
using ballot::detail::scratch_carver;

constexpr u64 any_length = ~u64{0};

// Positions of 8 bytes of rows that no block has room for are sorted as 4 bytes, and widened. Rows
// are moved several times, and only the last step moves 12 bytes an item.
u64 short_row(const type_info& key) { return key.bytes == 8 ? 3072 : 4608; }  // that every block has room for
bool may_widen(const type_info& key, u64 row, unsigned word_bytes) {
  return word_bytes == 8 && row > short_row(key) && !has_wide_positions(row);
}
bool widens(const type_info& key, u64 row, unsigned word_bytes) {
  if (!may_widen(key, row, word_bytes)) return false;
  bool has_room = false;
  with_short_word(key.bytes, [&]<class U>() { has_room = segmented_sort_has_room_for<U, u64>(row); });
  return !has_room;
}

// The items that move beside the keys.
enum class moved { nothing, words, positions };

struct segmented_scratch {
  std::byte* keys = nullptr;   // of an argsort whose keys are not wanted
  std::byte* order = nullptr;  // of indirect values
  std::byte* sort = nullptr;

  // word_bytes: of what moves. longest: the longest segment. The same with equal zeros and without.
  segmented_scratch(scratch_carver& carver, const type_info& key, unsigned word_bytes, bool needs_keys,
                    bool is_indirect, u64 n, u64 longest) {
    if (needs_keys) keys = carver.take<std::byte>(bytes_for(n, key.bytes));
    if (is_indirect) order = carver.take<std::byte>(bytes_for(n, word_bytes));
    with_short_word(key.bytes, [&]<class U>() {
      const std::size_t bytes = word_bytes == 0   ? segmented_sort_words_bytes<U, no_value>(n, longest)
                                : word_bytes == 4 ? segmented_sort_words_bytes<U, u32>(n, longest)
                                                  : segmented_sort_words_bytes<U, u64>(n, longest);
      sort = carver.take<std::byte>(bytes);
    });
  }
  static std::size_t bytes(const type_info& key, unsigned word_bytes, bool needs_keys, bool is_indirect, u64 n,
                           u64 longest) {
    if (n == 0) return 0;
    scratch_carver measure;
    segmented_scratch(measure, key, word_bytes, needs_keys, is_indirect, n, longest);
    return measure.bytes();
  }
};

// Where segments lie: by offsets, or as rows of one length.
struct segment_places {
  ballot_array offsets;
  u64 row = 0;
  bool are_rows = false;

  static segment_places by(const ballot_array& offsets) { return {offsets}; }
  static segment_places rows_of(u64 items) { return {ballot_nothing(), items, true}; }

  void require(const char* function, u64 n) const {
    if (!are_rows) {
      require_array(function, "offsets", offsets, accepts::counts, true);
    } else if (n != 0 && (row == 0 || n % row != 0)) {
      fail(function, joined({"`keys` has ", decimal(n), " items, no multiple of `row`, which is ", decimal(row)}));
    }
  }
  // The longest segment of n items, as far as the host knows.
  u64 longest() const { return are_rows ? row : any_length; }
  length segments(u64 n) const { return are_rows ? length{n / row} : length_of(offsets); }
  ballot::detail::any_offsets as_offsets(bool counts_from_segment) const {
    ballot::detail::any_offsets at;
    at.offsets = offsets.data;
    at.row_items = row;
    at.are_wide = !are_rows && info_of(offsets.type).bytes == 8;
    at.counts_from_segment = counts_from_segment;
    return at;
  }
};

// The names of the arguments.
struct segmented_names {
  const char *keys = "keys", *keys_out = "keys_out", *values = "values", *values_out = "values_out";
};

struct segmented_call {
  const char* function;
  ballot_array keys;
  segment_places at;
  ballot_array keys_out;
  bool wants_keys;
  ballot_array values, values_out;  // of an argsort the indices are values_out
  moved what;
  segmented_names names = {};
  bool may_stay = false;  // items, where nothing is compared
};

// Whether the items are in keys_out and values_out afterwards.
bool segmented_sort(const ballot_exec& where, const segmented_call& call, const ballot_sort_options* options) {
  const char* const function = call.function;
  const segmented_names& names = call.names;
  const ballot_array &keys = call.keys, &offsets = call.at.offsets;
  const bool are_rows = call.at.are_rows;
  const type_info key = require_array(function, names.keys, keys, accepts::short_numbers, !are_rows);
  const u64 n = keys.length;
  call.at.require(function, n);
  const key_order order(function, key, options);
  if (call.wants_keys) {
    require_array(function, names.keys_out, call.keys_out, accepts::numbers);
    require_same_type(function, names.keys, keys.type, names.keys_out, call.keys_out.type);
    ballot::detail::require_same_length(function, names.keys, n, names.keys_out, call.keys_out.length);
  }
  unsigned word_bytes = 0, value_bytes = 0;
  bool is_indirect = false;
  const char* out_name = names.values_out;
  if (call.what == moved::positions) {
    out_name = "indices";
    const type_info index = require_array(function, out_name, call.values_out, accepts::counts);
    ballot::detail::require_same_length(function, names.keys, n, out_name, call.values_out.length);
    ballot::detail::require_positions_fit(function, out_name, {index.bytes == 8, index.is_signed},
                                          are_rows ? call.at.row : n);
    word_bytes = index.bytes;
  } else if (call.what == moved::words) {
    const type_info value = require_array(function, names.values, call.values, accepts::anything_to_move);
    if (value.is_positions)
      fail(function, joined({"`", names.values, "` are positions: ballot_segmented_argsort writes them"}));
    require_array(function, out_name, call.values_out, accepts::anything_to_move);
    require_same_type(function, names.values, call.values.type, out_name, call.values_out.type);
    ballot::detail::require_same_length(function, names.keys, n, names.values, call.values.length);
    ballot::detail::require_same_length(function, names.keys, n, out_name, call.values_out.length);
    value_bytes = value.bytes;
    is_indirect =
        !((value_bytes == 4 || value_bytes == 8) && are_words(call.values.data, call.values_out.data, value_bytes));
    word_bytes = !is_indirect ? value_bytes : has_wide_positions(n) ? 8 : 4;
  }
  const bool is_widened = are_rows && call.what == moved::positions && widens(key, call.at.row, word_bytes);
  if (is_widened) word_bytes = 4;
  const auto memory = [](const char* name, const ballot_array& array) {
    return argument{name, array.data, array.length * info_of(array.type).bytes};
  };
  const ballot::exec gpu = exec_of(function, where);
  require_arguments(function, gpu, {memory(names.keys_out, call.keys_out), memory(out_name, call.values_out)},
                    {memory(names.keys, keys), memory(names.values, call.values), memory("offsets", offsets),
                     argument_of(are_rows || !call.may_stay ? "keys.length" : "a.length", length_of(keys)),
                     argument_of("offsets.length", length_of(offsets))});
  if (n == 0 || (call.may_stay && order.is_empty())) return false;
  const bool writes_places_in_row = are_rows && call.what == moved::positions;  // also where nothing is compared
  if (order.is_empty() && !writes_places_in_row) {
    if (call.wants_keys) copy_items(where.stream, keys.data, call.keys_out.data, key.bytes, length_of(keys), function);
    if (call.what == moved::words)
      copy_items(where.stream, call.values.data, call.values_out.data, value_bytes, length_of(keys), function);
    if (call.what == moved::positions)
      write_positions(where.stream, call.values_out.data, word_bytes == 8, length_of(keys), function);
    return true;
  }
  const u64 longest = call.at.longest();
  const ballot::detail::scratch_lease lease(
      gpu, segmented_scratch::bytes(key, word_bytes, !call.wants_keys, is_indirect || is_widened, n, longest),
      function);
  scratch_carver carver(lease.base());
  const segmented_scratch scratch(carver, key, word_bytes, !call.wants_keys, is_indirect || is_widened, n, longest);
  void* const keys_out = call.wants_keys ? call.keys_out.data : scratch.keys;
  const void* const words = is_indirect ? nullptr : call.values.data;  // null: positions
  void* const words_out = is_indirect || is_widened ? scratch.order : call.values_out.data;
  const sort_bits bits = order.is_empty() ? sort_bits{0, 0} : order.bits;  // no shift by all bits
  order.with_short_key([&]<class U>() {
    const auto sort = [&]<class W>() {
      segmented_sort_words<U, W>(
          gpu.stream(), scratch.sort,
          {input_of<U>(keys), call.at.as_offsets(writes_places_in_row), call.at.segments(n), longest,
           static_cast<U*>(keys_out), static_cast<const W*>(words), static_cast<W*>(words_out), order.codec<U>(), bits},
          function);
    };
    if (word_bytes == 0) sort.template operator()<no_value>();
    else with_index(word_bytes == 8, sort);
  });
  if (is_widened)
    widen_positions(gpu.stream(), reinterpret_cast<const u32*>(scratch.order), static_cast<u64*>(call.values_out.data),
                    length_of(keys), function);
  if (is_indirect)
    gather(
        gpu.stream(),
        {call.values.data, call.values_out.data, n, value_bytes, scratch.order, word_bytes == 8, length_of(keys), {0}},
        function);
  return true;
}

// The largest scratch of values of that type.
std::size_t most_bytes(const char* function, ballot_type keys, ballot_type values, u64 n, u64 longest) {
  const type_info key = require_type(function, "keys", keys, accepts::short_numbers);
  if (values == BALLOT_NONE)
    return ballot::detail::bytes_at_any_address(segmented_scratch::bytes(key, 0, false, false, n, longest));
  const type_info value = require_type(function, "values", values, accepts::anything_to_move);
  const unsigned position_bytes = has_wide_positions(n) ? 8 : 4;
  std::size_t needed = 0;
  // Inline, which may be an argsort's positions without keys; and indirect, which BALLOT_BYTES may
  // be at any size.
  if (value.bytes == 4 || value.bytes == 8)
    needed = segmented_scratch::bytes(key, value.bytes, true, false, n, longest);
  if (may_widen(key, longest, value.bytes))
    needed = std::max(needed, segmented_scratch::bytes(key, 4, true, true, n, longest));
  if (value.is_bytes || (value.bytes != 4 && value.bytes != 8))
    needed = std::max(needed, segmented_scratch::bytes(key, position_bytes, false, true, n, longest));
  return ballot::detail::bytes_at_any_address(needed);
}

ballot_status keys_alone(const ballot_exec& where, const char* function, const ballot_array& keys,
                         const segment_places& at, const ballot_array& keys_out, const ballot_sort_options* options) {
  return guarded([&] {
    segmented_sort(where, {function, keys, at, keys_out, true, ballot_nothing(), ballot_nothing(), moved::nothing},
                   options);
  });
}
ballot_status pairs(const ballot_exec& where, const char* function, const ballot_array& keys,
                    const ballot_array& values, const segment_places& at, const ballot_array& keys_out,
                    const ballot_array& values_out, const ballot_sort_options* options) {
  return guarded([&] {
    segmented_sort(where, {function, keys, at, keys_out, true, values, values_out, moved::words}, options);
  });
}
ballot_status argsort(const ballot_exec& where, const char* function, const ballot_array& keys,
                      const segment_places& at, const ballot_array& keys_out, const ballot_array& indices,
                      const ballot_sort_options* options) {
  return guarded([&] {
    const bool wants_keys = keys_out.type != BALLOT_NONE;
    segmented_sort(where,
                   {function, keys, at, wants_keys ? keys_out : ballot_nothing(), wants_keys, ballot_nothing(), indices,
                    moved::positions},
                   options);
  });
}

// Between two buffers. values_a, values_b: nothing of keys alone.
ballot_status ping_pong(const ballot_exec& where, const char* function, const ballot_array& a,
                        const ballot_array& values_a, const ballot_array& offsets, const ballot_array& b,
                        const ballot_array& values_b, moved what, std::int32_t* at,
                        const ballot_sort_options* options) {
  return guarded([&] {
    if (at == nullptr) fail(function, "`at` is null");
    *at = segmented_sort(where,
                         {function,
                          a,
                          segment_places::by(offsets),
                          b,
                          true,
                          values_a,
                          values_b,
                          what,
                          {"a", "b", "values_a", "values_b"},
                          true},
                         options);
  });
}

}  // namespace
}  // namespace ballot_c

using namespace ballot_c;

extern "C" {

ballot_status ballot_segmented_sort(ballot_exec where, ballot_array keys, ballot_array offsets, ballot_array keys_out,
                                    const ballot_sort_options* options) {
  return keys_alone(where, "segmented_sort", keys, segment_places::by(offsets), keys_out, options);
}
ballot_status ballot_segmented_sort_pairs(ballot_exec where, ballot_array keys, ballot_array values,
                                          ballot_array offsets, ballot_array keys_out, ballot_array values_out,
                                          const ballot_sort_options* options) {
  return pairs(where, "segmented_sort_pairs", keys, values, segment_places::by(offsets), keys_out, values_out, options);
}
ballot_status ballot_segmented_sort_ping_pong(ballot_exec where, ballot_array a, ballot_array offsets, ballot_array b,
                                              int32_t* at, const ballot_sort_options* options) {
  return ping_pong(where, "segmented_sort_ping_pong", a, ballot_nothing(), offsets, b, ballot_nothing(), moved::nothing,
                   at, options);
}
ballot_status ballot_segmented_sort_pairs_ping_pong(ballot_exec where, ballot_array a, ballot_array values_a,
                                                    ballot_array offsets, ballot_array b, ballot_array values_b,
                                                    int32_t* at, const ballot_sort_options* options) {
  return ping_pong(where, "segmented_sort_pairs_ping_pong", a, values_a, offsets, b, values_b, moved::words, at,
                   options);
}
ballot_status ballot_segmented_argsort(ballot_exec where, ballot_array keys, ballot_array offsets,
                                       ballot_array keys_out, ballot_array indices,
                                       const ballot_sort_options* options) {
  return argsort(where, "segmented_argsort", keys, segment_places::by(offsets), keys_out, indices, options);
}
ballot_status ballot_segmented_sort_scratch_bytes(ballot_type keys, ballot_type values, uint64_t n, size_t* bytes) {
  constexpr const char* function = "segmented_sort_scratch_bytes";
  return store_bytes(function, bytes, [&] { return most_bytes(function, keys, values, n, any_length); });
}

ballot_status ballot_batched_sort(ballot_exec where, ballot_array keys, uint64_t row, ballot_array keys_out,
                                  const ballot_sort_options* options) {
  return keys_alone(where, "batched_sort", keys, segment_places::rows_of(row), keys_out, options);
}
ballot_status ballot_batched_sort_pairs(ballot_exec where, ballot_array keys, ballot_array values, uint64_t row,
                                        ballot_array keys_out, ballot_array values_out,
                                        const ballot_sort_options* options) {
  return pairs(where, "batched_sort_pairs", keys, values, segment_places::rows_of(row), keys_out, values_out, options);
}
ballot_status ballot_batched_argsort(ballot_exec where, ballot_array keys, uint64_t row, ballot_array keys_out,
                                     ballot_array indices, const ballot_sort_options* options) {
  return argsort(where, "batched_argsort", keys, segment_places::rows_of(row), keys_out, indices, options);
}
ballot_status ballot_batched_sort_scratch_bytes(ballot_type keys, ballot_type values, uint64_t n, uint64_t row,
                                                size_t* bytes) {
  constexpr const char* function = "batched_sort_scratch_bytes";
  return store_bytes(function, bytes, [&] { return most_bytes(function, keys, values, n, row); });
}

}  // extern "C"
