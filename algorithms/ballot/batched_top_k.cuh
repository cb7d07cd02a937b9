// SPDX-License-Identifier: Apache-2.0
// The k largest or smallest keys of each row.
//
//     ballot::batched_top_k(gpu, scores, ballot::row_layout{.rows = 64, .width = 128'000}, 50,
//                           best, found);
//     // Row r: begins[r] to begins[r + 1].
//     ballot::batched_top_k_pairs(gpu, distances, ids, begins, 16, nearest, nearest_ids, found,
//                                 {.direction = ballot::direction::ascending});
//
// keys:     contiguous device range of keys of up to 8 bytes: integers, float, double, __half,
//           __nv_bfloat16, and types with key_traits, in the order of sort (core/key_order.hpp).
//           If rows are given by offsets, the range may be `counted`. No view: some keys are read
//           more than once
// rows:     a row_layout: row r has the `width` items from r * pitch on, or only the first
//           lengths[r] of them. The lengths are on the device. Or offsets: a device range (or
//           `counted`) of integers of 4 or 8 bytes, one more than rows. Then row r has the items
//           offsets[r] to offsets[r + 1] - 1. A row that ends before it begins has no items. A row
//           ends where the keys end
// k:        0 to 4096. A shorter row gives all of its items
// values:   device range or view (views.cuh) of any trivially copyable type, as long as the keys. Of
//           a view only the selected items are computed, each once
// outputs:  keys_out, values_out, indices (positions within the row; integers of 4 or 8 bytes,
//           signed or not), of at least rows * k items. Those of row r begin at r * k. Items after
//           the selected ones of a row are not written. No output views
// counts:   device range of at least as many integers of 4 or 8 bytes as there are rows: how many
//           items each row gives. May be left out
//
// Options, ties and NaNs: as top_k (top_k.cuh). Outputs and scratch must not overlap any other
// argument, including lengths and offsets. Deterministic.
//
// Scratch: none for keys. batched_top_k_pairs_scratch_bytes(rows, k): 8 bytes for each selected
// item. batched_top_k_indices_scratch_bytes<K>(rows, k): a key for each.
//
// Work on the stream: one kernel. If sorted, one more for k above 256, and one more for values. For
// no rows or k = 0 only a fill of the counts. A warp takes a row of up to 1024 keys (8-byte keys:
// 512), and a block takes a longer one. So this call is for many rows: a few very long rows do not
// fill the GPU.
//
// Bytes moved: rows of up to 16384 keys (8-byte keys: 8192) are read once. Longer rows are read
// once if k is up to an eighth of the row, else once for each digit of 11 bits. Rows of more than
// 1024 keys (512) that are much longer than the average are also read once for each digit.
//
// Errors, before any work: invalid_argument for null with n > 0, k above 4096, ranges that are too
// short, overlap, or scratch that is too small; cuda_error from a launch.
//
// Method and sources: detail/batched_top_k/kernels.cuh.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/batched_top_k/launch.cuh>
#include <ballot/detail/common/clear_counts.cuh>
#include <ballot/detail/common/row_layout.cuh>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/radix_sort/arguments.hpp>
#include <ballot/detail/radix_sort/concepts.hpp>
#include <ballot/detail/radix_sort/explain.hpp>
#include <ballot/detail/top_k/options.hpp>
#include <ballot/device/memory.cuh>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace ballot {
namespace detail {

inline std::size_t bytes_of_rows(std::uint64_t rows, std::uint64_t k, std::size_t item_bytes) {
  if (rows == 0 || k == 0) return 0;
  scratch_carver measure;
  measure.take<std::byte>(product_or_most(rows, item_bytes * smaller(k, most_of_row)));
  return measure.bytes();
}

template <class K>
keys_of_rows rows_of(const char* function, const input<K>& keys, const row_layout& layout) {
  require(keys.length.count == nullptr, function, "the input of rows is not counted");
  require_room(function, "keys", keys.capacity(), require_layout(function, layout));
  return {layout.rows, keys.length, layout.width, layout.pitch, layout.lengths, {0}};
}
template <class K, offset_range Offsets>
keys_of_rows rows_of(const char*, const input<K>& keys, const Offsets& offsets) {
  const auto begins = as_offsets(as_input(offsets));
  const std::uint64_t count = begins.capacity();
  keys_of_rows rows{count == 0 ? 0 : count - 1, keys.length, 0, 0, {}, begins.length};
  rows.offset = begins.data;
  rows.offset_type = count_type::of<item_t<Offsets>>();
  return rows;
}
inline argument argument_of_lengths(const keys_of_rows& rows) {
  return {"rows.lengths", rows.lengths.address,
          rows.lengths.address == nullptr ? 0 : rows.rows * rows.lengths.type.bytes()};
}
inline argument argument_of_offsets(const keys_of_rows& rows) {
  return {"rows", rows.offset, rows.offset == nullptr ? 0 : rows.offsets.capacity * rows.offset_type.bytes()};
}

// Counts of rows, or none.
struct counts_of_rows {
  device_count counts;
  std::uint64_t size = 0;

  counts_of_rows(std::nullptr_t = nullptr) {}
  template <output_range_of_counts Counts>
  counts_of_rows(Counts&& range) : counts(as_output(range).data), size(as_output(range).size) {}
  argument as_argument() const { return {"counts", counts.address(), size * counts.type().bytes()}; }
};

inline void require_rows(const char* function, const keys_of_rows& rows, std::uint64_t k,
                         const counts_of_rows& counts) {
  if (k > most_of_row)
    fail(function, joined({"`k` is ", decimal(k), ", at most ", decimal(most_of_row), " are selected"}));
  if (counts.counts.address() != nullptr) require_room(function, "counts", counts.size, rows.rows);
}

// The items that an output needs. Rows of no items may be more than any output has room for.
inline std::uint64_t room_of_rows(const keys_of_rows& rows, std::uint64_t k) { return product_or_most(rows.rows, k); }

}  // namespace detail

/// The rows of batched_top_k: a row_layout, or offsets.
template <class Rows>
concept rows_of_keys = std::same_as<Rows, row_layout> || offset_range<Rows>;

/// Bytes of scratch of batched_top_k_pairs. Pure.
inline std::size_t batched_top_k_pairs_scratch_bytes(std::uint64_t rows, std::uint64_t k) {
  return detail::bytes_at_any_address(detail::bytes_of_rows(rows, k, sizeof(std::uint64_t)));
}
/// Bytes of scratch of batched_top_k_indices. Pure.
template <sort_key K>
std::size_t batched_top_k_indices_scratch_bytes(std::uint64_t rows, std::uint64_t k) {
  return detail::bytes_at_any_address(detail::bytes_of_rows(rows, k, sizeof(K)));
}

namespace detail {

template <bool Positions, class Rows, class Index, class K>
void run_batched_top_k(const exec& where, const input<K>& keys, const keys_of_rows& rows, std::uint64_t k,
                       void* keys_out, Index* positions_out, const counts_of_rows& counts,
                       const top_k_options& options) {
  using U = ordered_bits_t<K>;
  launch_batched_top_k<Positions, offset_range<Rows>>(
      where.stream(),
      batched_top_k_arguments<U, Index>{rows, reinterpret_cast<const U*>(keys.data),
                                        key_codec_of<K>(options.direction, options.nans), k, static_cast<U*>(keys_out),
                                        positions_out, counts.counts},
      options.order == top_k_order::sorted);
}

// Nothing to select.
inline bool is_nothing(const exec& where, const keys_of_rows& rows, std::uint64_t k, const counts_of_rows& counts) {
  if (rows.rows != 0 && k != 0) return false;
  if (counts.counts.address() != nullptr && rows.rows != 0) clear_counts(where.stream(), counts.counts, rows.rows);
  return true;
}

}  // namespace detail

/// The keys.
template <segmented_key_range Keys, rows_of_keys Rows, output_range_of<Keys> KeysOut>
void batched_top_k(const exec& where, const Keys& keys, const Rows& rows, std::uint64_t k, KeysOut&& keys_out,
                   detail::counts_of_rows counts = {}, const top_k_options& options = {}) {
  using namespace detail;
  constexpr const char* function = "batched_top_k";
  const auto in = as_input(keys);
  const auto out = as_output(keys_out);
  const keys_of_rows of_keys = rows_of(function, in, rows);
  require_rows(function, of_keys, k, counts);
  require_room(function, "keys_out", out.size, room_of_rows(of_keys, k));
  require_arguments(function, where, 0, {argument_of("keys_out", out), counts.as_argument()},
                    {argument_of("keys", in), argument_of("keys.length", in.length), argument_of_lengths(of_keys),
                     argument_of_offsets(of_keys), argument_of("rows.length", of_keys.offsets)});
  if (is_nothing(where, of_keys, k, counts)) return;
  run_batched_top_k<false, Rows>(where, in, of_keys, k, out.data, static_cast<std::uint32_t*>(nullptr), counts,
                                 options);
}

/// The keys with their values.
template <segmented_key_range Keys, value_range_or_view Values, rows_of_keys Rows, output_range_of<Keys> KeysOut,
          output_range_of<Values> ValuesOut>
void batched_top_k_pairs(const exec& where, const Keys& keys, const Values& values, const Rows& rows, std::uint64_t k,
                         KeysOut&& keys_out, ValuesOut&& values_out, detail::counts_of_rows counts = {},
                         const top_k_options& options = {}) {
  using namespace detail;
  constexpr const char* function = "batched_top_k_pairs";
  const auto in = as_input(keys);
  const auto values_in = as_input(values);
  const auto out = as_output(keys_out);
  const auto second = as_output(values_out);
  const keys_of_rows of_keys = rows_of(function, in, rows);
  require_rows(function, of_keys, k, counts);
  require_same_length(function, "keys", in.capacity(), "values", values_in.capacity());
  require_items_of_view(function, "values", values_in);
  require_room(function, "keys_out", out.size, room_of_rows(of_keys, k));
  require_room(function, "values_out", second.size, room_of_rows(of_keys, k));
  const std::size_t bytes = bytes_of_rows(of_keys.rows, k, sizeof(std::uint64_t));
  require_arguments(
      function, where, bytes, {argument_of("keys_out", out), argument_of("values_out", second), counts.as_argument()},
      {argument_of("keys", in), arguments_of("values", values_in), argument_of("keys.length", in.length),
       argument_of_lengths(of_keys), argument_of_offsets(of_keys), argument_of("rows.length", of_keys.offsets)});
  if (is_nothing(where, of_keys, k, counts)) return;
  const scratch_lease lease(where, bytes, function);
  scratch_carver carver(lease.base());
  auto* const positions = carver.take<std::uint64_t>(of_keys.rows * k);
  run_batched_top_k<true, Rows>(where, in, of_keys, k, out.data, positions, counts, options);
  launch_gather_of_rows(where.stream(), of_keys, k, source_of_input(values_in), positions, second.data, function);
}

/// The positions of the keys within their rows. No keys are written.
template <segmented_key_range Keys, rows_of_keys Rows, output_range_of_counts Indices>
void batched_top_k_indices(const exec& where, const Keys& keys, const Rows& rows, std::uint64_t k, Indices&& indices,
                           detail::counts_of_rows counts = {}, const top_k_options& options = {}) {
  using namespace detail;
  constexpr const char* function = "batched_top_k_indices";
  using K = item_t<Keys>;
  const auto in = as_input(keys);
  const auto out = as_output(indices);
  const keys_of_rows of_keys = rows_of(function, in, rows);
  require_rows(function, of_keys, k, counts);
  require_room(function, "indices", out.size, room_of_rows(of_keys, k));
  require_positions_fit(function, "indices", count_type::of<item_t<Indices>>(),
                        of_keys.offset == nullptr ? of_keys.width : in.capacity());
  const std::size_t bytes = bytes_of_rows(of_keys.rows, k, sizeof(K));
  require_arguments(function, where, bytes, {argument_of("indices", out), counts.as_argument()},
                    {argument_of("keys", in), argument_of("keys.length", in.length), argument_of_lengths(of_keys),
                     argument_of_offsets(of_keys), argument_of("rows.length", of_keys.offsets)});
  if (is_nothing(where, of_keys, k, counts)) return;
  const scratch_lease lease(where, bytes, function);
  scratch_carver carver(lease.base());
  run_batched_top_k<true, Rows>(where, in, of_keys, k, carver.take<K>(of_keys.rows * k), as_positions(out).data, counts,
                                options);
}

namespace detail {

template <class Rows>
struct rows_of_keys_check {
  static constexpr bool ok = rows_of_keys<Rows>;
  static consteval void explain() {
    static_assert(
        ok,
        "ballot: rows are a ballot::row_layout{.rows, .width, .pitch, .lengths}, or a range of offsets, which are "
        "integers of 4 or 8 bytes.");
  }
};

}  // namespace detail

// The twins, which say why a call does not compile (core/explain.hpp).
template <class Keys, class Rows, class KeysOut>
void batched_top_k(const exec&, const Keys&, const Rows&, std::uint64_t, KeysOut&&, detail::counts_of_rows = {},
                   const top_k_options& = {}) {
  detail::explain<detail::segmented_keys_check<Keys>, detail::rows_of_keys_check<Rows>, detail::output_check<KeysOut>,
                  detail::same_items_check<KeysOut, Keys>>();
}
template <class Keys, class Values, class Rows, class KeysOut, class ValuesOut>
void batched_top_k_pairs(const exec&, const Keys&, const Values&, const Rows&, std::uint64_t, KeysOut&&, ValuesOut&&,
                         detail::counts_of_rows = {}, const top_k_options& = {}) {
  detail::explain<detail::segmented_keys_check<Keys>, detail::value_range_or_view_check<Values>,
                  detail::rows_of_keys_check<Rows>, detail::output_check<KeysOut>, detail::output_check<ValuesOut>,
                  detail::same_items_check<KeysOut, Keys>, detail::same_items_check<ValuesOut, Values>>();
}
template <class Keys, class Rows, class Indices>
void batched_top_k_indices(const exec&, const Keys&, const Rows&, std::uint64_t, Indices&&, detail::counts_of_rows = {},
                           const top_k_options& = {}) {
  detail::explain<detail::segmented_keys_check<Keys>, detail::rows_of_keys_check<Rows>,
                  detail::positions_check<Indices>>();
}

}  // namespace ballot
