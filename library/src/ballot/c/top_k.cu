// SPDX-License-Identifier: Apache-2.0
// Entry points of top_k and batched_top_k. Keys and positions of 64 bits are always selected; what
// the caller does not want goes to scratch. Values are gathered by the positions, and positions of
// 32 bits are copied from them.
#include <ballot/c/calls.hpp>
#include <ballot/c/columns.hpp>
#include <ballot/c/gather.hpp>
#include <ballot/c/selector.cuh>
#include <ballot/c/top_k_calls.cuh>
#include <ballot/c/units.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/batched_top_k/launch.cuh>
#include <ballot/detail/common/clear_counts.cuh>
#include <ballot/detail/common/row_layout.cuh>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/radix_sort/arguments.hpp>
#include <ballot/device/memory.cuh>

namespace ballot_c {
namespace {

using ballot::detail::require_room;
using ballot::detail::scratch_carver;
using ballot::detail::smaller;

struct checked_options {
  ballot::direction direction;
  ballot::nan_order nans;
  bool sorted;

  checked_options(const char* function, const ballot_top_k_options* given) {
    const auto options = options_of(function, given, sizeof(ballot_top_k_options));
    require_choice(function, "nans", options.nans, 3);
    require_choice(function, "reserved", options.reserved, 1);
    direction = options.smallest != 0 ? ballot::direction::ascending : ballot::direction::descending;
    nans = options.nans == BALLOT_NANS_FIRST     ? ballot::nan_order::first
           : options.nans == BALLOT_NANS_BY_BITS ? ballot::nan_order::by_bits
                                                 : ballot::nan_order::last;
    sorted = options.by_position == 0;
  }
};

// What is selected: keys (or nothing), and values or positions (or nothing).
enum class selected_output { keys, values, indices };
struct selected_arrays {
  selected_output what;
  bool is_batched;
  ballot_array keys_out, values, values_out, indices;
  unsigned value_bytes = 0;
  bool wide_indices = false;

  bool wants_keys() const { return keys_out.type != BALLOT_NONE; }
  bool wants_values() const { return values_out.type != BALLOT_NONE; }
  bool wants_indices() const { return indices.type != BALLOT_NONE; }
  bool owns_positions() const { return !wants_indices() || !wide_indices; }

  // room: items of the outputs. positions: how many there are.
  void require(const char* function, const ballot_array& keys, u64 room, u64 positions) {
    // What the call is for; the keys need not be wanted.
    if (what == selected_output::values && !wants_values())
      require_array(function, "values_out", values_out, accepts::anything_to_move);
    if (what == selected_output::indices && !wants_indices())
      require_array(function, "indices", indices, accepts::counts);
    if (wants_keys()) {
      require_array(function, "keys_out", keys_out, accepts::numbers);
      require_same_type(function, "keys", keys.type, "keys_out", keys_out.type);
      require_room(function, "keys_out", keys_out.length, room);
    }
    if (wants_values()) {
      const type_info value = require_array(function, "values", values, accepts::anything_to_move);
      require_array(function, "values_out", values_out, accepts::anything_to_move);
      if (value.is_positions)
        fail(function,
             joined({"`values` are positions: ballot_", is_batched ? "batched_" : "", "top_k_indices has them"}));
      require_same_type(function, "values", values.type, "values_out", values_out.type);
      ballot::detail::require_same_length(function, "keys", keys.length, "values", values.length);
      require_room(function, "values_out", values_out.length, room);
      value_bytes = value.bytes;
    }
    if (wants_indices()) {
      const type_info index = require_array(function, "indices", indices, accepts::counts);
      require_room(function, "indices", indices.length, room);
      ballot::detail::require_positions_fit(function, "indices", {index.bytes == 8, index.is_signed}, positions);
      wide_indices = index.bytes == 8;
    }
  }
  void add_to(argument_list& written, argument_list& read) const {
    if (wants_keys()) written.add("keys_out", keys_out);
    if (wants_values()) {
      written.add("values_out", values_out);
      read.add("values", values);
    }
    if (wants_indices()) written.add("indices", indices);
  }
};

// The scratch: that of the selection, and room for what the caller does not take.
struct selected_scratch {
  std::byte* work;
  void* keys;
  u64* positions;

  selected_scratch(scratch_carver& carver, std::size_t work_bytes, unsigned key_bytes, u64 items, bool owns_keys,
                   bool owns_positions)
      : work(carver.take<std::byte>(work_bytes)),
        keys(carver.take<std::byte>(owns_keys ? bytes_for(items, key_bytes) : 0)),
        positions(carver.take<u64>(owns_positions ? items : 0)) {}
  static std::size_t bytes(std::size_t work_bytes, unsigned key_bytes, u64 items, bool owns_keys, bool owns_positions) {
    if (items == 0) return 0;
    scratch_carver measure;
    selected_scratch(measure, work_bytes, key_bytes, items, owns_keys, owns_positions);
    return measure.bytes();
  }
};

std::size_t work_bytes_of(const type_info& keys, u64 n, u64 k) {
  std::size_t bytes = 0;
  with_word(keys.bytes, [&]<class U>() { bytes = top_k_words_bytes<U>(n, k); });
  return bytes;
}

ballot::device_count optional_count(const char* function, const char* name, const ballot_array& array, u64 most) {
  if (array.type == BALLOT_NONE) return {};
  const ballot::device_count count = count_of(function, name, array);
  ballot::detail::require_count(function, name, count, most);
  return count;
}

void top_k(const ballot_exec& where, const char* function, const ballot_array& keys, u64 k, selected_arrays to,
           const ballot_array& count_array, const ballot_top_k_options* given) {
  const type_info type = require_array(function, "keys", keys, accepts::numbers, true);
  const checked_options options(function, given);
  const u64 n = keys.length, selected = smaller(n, k);
  to.require(function, keys, selected, n);
  const ballot::device_count count = optional_count(function, "count", count_array, selected);
  argument_list written, read;
  to.add_to(written, read);
  if (count.address() != nullptr) written.add(argument_of("count", count));
  read.add("keys", keys);
  read.add(argument_of("keys.length", length_of(keys)));
  const std::size_t work = selected == 0 ? 0 : work_bytes_of(type, n, k);
  const std::size_t bytes = selected_scratch::bytes(work, type.bytes, selected, !to.wants_keys(), to.owns_positions());
  require_memory_of(function, where, bytes, written, read);
  const ballot::exec gpu = exec_of(function, where);
  if (selected == 0) {
    if (count.address() != nullptr) ballot::detail::clear_counts(gpu.stream(), count);
    return;
  }
  const ballot::detail::scratch_lease lease(gpu, bytes, function);
  scratch_carver carver(lease.base());
  const selected_scratch scratch(carver, work, type.bytes, selected, !to.wants_keys(), to.owns_positions());
  u64* const positions = to.owns_positions() ? scratch.positions : static_cast<u64*>(to.indices.data);
  void* const keys_out = to.wants_keys() ? to.keys_out.data : scratch.keys;
  length found{0};
  with_word(type.bytes, [&]<class U>() {
    found = top_k_words<U>(gpu.stream(), scratch.work,
                           {input_of<U>(keys), codec_of<U>(type, options.direction, options.nans), k,
                            static_cast<U*>(keys_out), positions, count, options.sorted, function});
  });
  if (to.wants_values())
    gather(gpu.stream(), {to.values.data, to.values_out.data, selected, to.value_bytes, positions, true, found, {0}},
           function);
  if (to.wants_indices() && !to.wide_indices)
    narrow_positions(gpu.stream(), positions, static_cast<u32*>(to.indices.data), found, function);
}

// ---- rows ----

// out[i] = values[where the row of i begins + positions[i]], in units of an item; and positions in
// 32 bits. Only of what is selected.
template <class Unit>
__global__ void __launch_bounds__(ballot::detail::elementwise_threads)
    gather_units_of_rows_kernel(keys_of_rows rows, u64 k, const Unit* values, unsigned units, const u64* positions,
                                Unit* out) {
  ballot::detail::transform_tile(
      rows.rows * k * units, [](u64 i) { return i; },
      [&](u64 i, u64) {
        const u64 item = i / units, row = item / k;
        if (item % k < rows.items(row)) out[i] = values[(rows.begin(row) + positions[item]) * units + i % units];
      });
}
__global__ void __launch_bounds__(ballot::detail::elementwise_threads)
    narrow_positions_of_rows_kernel(keys_of_rows rows, u64 k, const u64* positions, u32* out) {
  ballot::detail::transform_tile(
      rows.rows * k, [](u64 i) { return i; },
      [&](u64 i, u64) {
        if (i % k < rows.items(i / k)) out[i] = static_cast<u32>(positions[i]);
      });
}

void gather_of_rows(ballot::stream_t stream, const keys_of_rows& rows, u64 k, const void* values, unsigned item_bytes,
                    const u64* positions, void* out, const char* function) {
  with_unit(values, out, item_bytes, [&]<class Unit>(unsigned units) {
    ballot::simt::launch(gather_units_of_rows_kernel<Unit>,
                         ballot::detail::elementwise_launch(stream, units_of(rows.rows * k, units, function), function),
                         rows, k, static_cast<const Unit*>(values), units, positions, static_cast<Unit*>(out));
  });
}
void narrow_positions_of_rows(ballot::stream_t stream, const keys_of_rows& rows, u64 k, const u64* positions, u32* out,
                              const char* function) {
  ballot::simt::launch(narrow_positions_of_rows_kernel,
                       ballot::detail::elementwise_launch(stream, rows.rows * k, function), rows, k, positions, out);
}

keys_of_rows rows_of(const char* function, const ballot_array& keys, ballot_rows& rows) {
  if (rows.offsets.type != BALLOT_NONE) {
    const type_info offset = require_array(function, "rows.offsets", rows.offsets, accepts::counts, true);
    if (rows.lengths.type != BALLOT_NONE) fail(function, "`rows` have offsets and lengths");
    const u64 count = rows.offsets.length;
    rows.rows = count == 0 ? 0 : count - 1;
    keys_of_rows of_keys{rows.rows, length_of(keys), 0, 0, {}, length_of(rows.offsets)};
    of_keys.offset = rows.offsets.data;
    of_keys.offset_type = {offset.bytes == 8, offset.is_signed};
    return of_keys;
  }
  if (keys.count != nullptr) fail(function, "`keys` is counted, and may not be: the rows have no offsets");
  if (rows.pitch == 0) rows.pitch = rows.width;
  ballot::row_layout layout{rows.rows, rows.width, rows.pitch};
  if (rows.lengths.type != BALLOT_NONE) {
    const type_info of = require_array(function, "rows.lengths", rows.lengths, accepts::counts);
    require_room(function, "rows.lengths", rows.lengths.length, rows.rows);
    layout.lengths.address = rows.lengths.data;
    layout.lengths.type = {of.bytes == 8, of.is_signed};
  }
  require_room(function, "keys", keys.length, ballot::detail::require_layout(function, layout));
  return {rows.rows, length_of(keys), rows.width, rows.pitch, layout.lengths, {0}};
}

void require_k_of_row(const char* function, u64 rows, u64 k) {
  if (k > ballot::detail::most_of_row)
    fail(function,
         joined({"`k` is ", decimal(k), ", at most ", decimal(ballot::detail::most_of_row), " are selected"}));
  if (rows != 0 && k > ~u64{0} / rows / 16) fail(function, "the selected items exceed the address space");
}

void batched_top_k(const ballot_exec& where, const char* function, const ballot_array& keys, ballot_rows rows, u64 k,
                   selected_arrays to, const ballot_array& counts_array, const ballot_top_k_options* given) {
  const type_info type = require_array(function, "keys", keys, accepts::short_numbers, true);
  const checked_options options(function, given);
  const keys_of_rows of_keys = rows_of(function, keys, rows);
  require_k_of_row(function, of_keys.rows, k);
  const u64 room = of_keys.rows * k;
  to.require(function, keys, room, of_keys.offset == nullptr ? of_keys.width : keys.length);
  ballot::device_count counts;
  argument_list written, read;
  to.add_to(written, read);
  if (counts_array.type != BALLOT_NONE) {
    require_array(function, "counts", counts_array, accepts::counts);
    require_room(function, "counts", counts_array.length, of_keys.rows);
    written.add("counts", counts_array);
    if (of_keys.rows != 0) counts = count_of(function, "counts", counts_array);
  }
  read.add("keys", keys);
  read.add(argument_of("keys.length", length_of(keys)));
  if (rows.offsets.type != BALLOT_NONE) {
    read.add("rows.offsets", rows.offsets);
    read.add(argument_of("rows.offsets.length", length_of(rows.offsets)));
  } else if (rows.lengths.type != BALLOT_NONE) {
    read.add("rows.lengths", rows.lengths);
  }
  const std::size_t bytes = selected_scratch::bytes(0, type.bytes, room, !to.wants_keys(), to.owns_positions());
  require_memory_of(function, where, bytes, written, read);
  const ballot::exec gpu = exec_of(function, where);
  if (room == 0) {
    if (counts.address() != nullptr && of_keys.rows != 0)
      ballot::detail::clear_counts(gpu.stream(), counts, of_keys.rows);
    return;
  }
  const ballot::detail::scratch_lease lease(gpu, bytes, function);
  scratch_carver carver(lease.base());
  const selected_scratch scratch(carver, 0, type.bytes, room, !to.wants_keys(), to.owns_positions());
  u64* const positions = to.owns_positions() ? scratch.positions : static_cast<u64*>(to.indices.data);
  void* const keys_out = to.wants_keys() ? to.keys_out.data : scratch.keys;
  with_short_word(type.bytes, [&]<class U>() {
    batched_top_k_words<U>(
        gpu.stream(), {of_keys, static_cast<const U*>(keys.data), codec_of<U>(type, options.direction, options.nans), k,
                       static_cast<U*>(keys_out), positions, counts, options.sorted});
  });
  if (to.wants_values())
    gather_of_rows(gpu.stream(), of_keys, k, to.values.data, to.value_bytes, positions, to.values_out.data, function);
  if (to.wants_indices() && !to.wide_indices)
    narrow_positions_of_rows(gpu.stream(), of_keys, k, positions, static_cast<u32*>(to.indices.data), function);
}

const ballot_array nothing = ballot_nothing();

}  // namespace
}  // namespace ballot_c

using namespace ballot_c;

extern "C" {

ballot_status ballot_top_k(ballot_exec where, ballot_array keys, uint64_t k, ballot_array keys_out, ballot_array count,
                           const ballot_top_k_options* options) {
  return guarded([&] {
    top_k(where, "top_k", keys, k, {selected_output::keys, false, keys_out, nothing, nothing, nothing}, count, options);
  });
}
ballot_status ballot_top_k_pairs(ballot_exec where, ballot_array keys, ballot_array values, uint64_t k,
                                 ballot_array keys_out, ballot_array values_out, ballot_array count,
                                 const ballot_top_k_options* options) {
  return guarded([&] {
    top_k(where, "top_k_pairs", keys, k, {selected_output::values, false, keys_out, values, values_out, nothing}, count,
          options);
  });
}
ballot_status ballot_top_k_indices(ballot_exec where, ballot_array keys, uint64_t k, ballot_array keys_out,
                                   ballot_array indices, ballot_array count, const ballot_top_k_options* options) {
  return guarded([&] {
    top_k(where, "top_k_indices", keys, k, {selected_output::indices, false, keys_out, nothing, nothing, indices},
          count, options);
  });
}
ballot_status ballot_top_k_scratch_bytes(ballot_type keys, uint64_t n, uint64_t k, size_t* bytes) {
  constexpr const char* function = "top_k_scratch_bytes";
  return store_bytes(function, bytes, [&] {
    const type_info type = require_type(function, "keys", keys, accepts::numbers);
    const u64 selected = smaller(n, k);
    if (selected == 0) return std::size_t{0};
    return ballot::detail::bytes_at_any_address(
        selected_scratch::bytes(work_bytes_of(type, n, k), type.bytes, selected, true, true));
  });
}

ballot_status ballot_batched_top_k(ballot_exec where, ballot_array keys, ballot_rows rows, uint64_t k,
                                   ballot_array keys_out, ballot_array counts, const ballot_top_k_options* options) {
  return guarded([&] {
    batched_top_k(where, "batched_top_k", keys, rows, k,
                  {selected_output::keys, true, keys_out, nothing, nothing, nothing}, counts, options);
  });
}
ballot_status ballot_batched_top_k_pairs(ballot_exec where, ballot_array keys, ballot_array values, ballot_rows rows,
                                         uint64_t k, ballot_array keys_out, ballot_array values_out,
                                         ballot_array counts, const ballot_top_k_options* options) {
  return guarded([&] {
    batched_top_k(where, "batched_top_k_pairs", keys, rows, k,
                  {selected_output::values, true, keys_out, values, values_out, nothing}, counts, options);
  });
}
ballot_status ballot_batched_top_k_indices(ballot_exec where, ballot_array keys, ballot_rows rows, uint64_t k,
                                           ballot_array keys_out, ballot_array indices, ballot_array counts,
                                           const ballot_top_k_options* options) {
  return guarded([&] {
    batched_top_k(where, "batched_top_k_indices", keys, rows, k,
                  {selected_output::indices, true, keys_out, nothing, nothing, indices}, counts, options);
  });
}
ballot_status ballot_batched_top_k_scratch_bytes(ballot_type keys, uint64_t rows, uint64_t k, size_t* bytes) {
  constexpr const char* function = "batched_top_k_scratch_bytes";
  return store_bytes(function, bytes, [&] {
    const type_info type = require_type(function, "keys", keys, accepts::short_numbers);
    require_k_of_row(function, rows, k);
    return ballot::detail::bytes_at_any_address(selected_scratch::bytes(0, type.bytes, rows * k, true, true));
  });
}

}  // extern "C"
