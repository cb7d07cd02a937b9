// SPDX-License-Identifier: Apache-2.0
// libballot for C++14 and later: the calls of ballot.h with types that are deduced and errors that are thrown.
//
//     libballot::exec gpu(stream, scratch, libballot::sort_scratch_bytes<float>(n));
//     libballot::sort(gpu, libballot::items(keys, n), libballot::items(sorted, n));
//     libballot::compact(gpu, particles, libballot::greater(0.0f), alive, libballot::value(count));
//
// An array is items(pointer, n), counted(items(pointer, n), count) with the length on the device, or whatever has
// data() and size(), a thrust::device_vector through items(thrust::raw_pointer_cast(v.data()), v.size()). Types that
// are no numbers are moved as bytes.
//
// Every call returns the status, and throws libballot::error unless it is BALLOT_OK. With BALLOT_NO_EXCEPTIONS defined
// it only returns. The namespace is not `ballot`, so that this header can stand beside the C++20 headers in one source.
#pragma once

#include <ballot.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

struct __half;
struct __nv_bfloat16;

namespace libballot {

/// What a call throws: the message of ballot_last_error, and the status.
class error : public std::runtime_error {
 public:
  explicit error(ballot_status status) : std::runtime_error(ballot_last_error()), status_(status) {}
  ballot_status status() const noexcept { return status_; }

 private:
  ballot_status status_;
};

inline ballot_status checked(ballot_status status) {
#if !defined(BALLOT_NO_EXCEPTIONS)
  if (status != BALLOT_OK) throw error(status);
#endif
  return status;
}
/// To be called once, before any other call: the library is of this header's version.
inline ballot_status check_version() { return checked(ballot_check_version()); }

/// The code of a type; of one that is no number, that of its bytes.
template <class T, class = void>
struct type_code {
  static_assert(std::is_trivially_copyable<T>::value, "items are moved byte by byte");
  static constexpr ballot_type value = BALLOT_BYTES(static_cast<ballot_type>(sizeof(T)));
};
template <class T>
struct type_code<T, std::enable_if_t<std::is_integral<T>::value && !std::is_same<T, bool>::value>> {
  static constexpr ballot_type value = sizeof(T) == 1   ? (std::is_signed<T>::value ? BALLOT_I8 : BALLOT_U8)
                                       : sizeof(T) == 2 ? (std::is_signed<T>::value ? BALLOT_I16 : BALLOT_U16)
                                       : sizeof(T) == 4 ? (std::is_signed<T>::value ? BALLOT_I32 : BALLOT_U32)
                                       : sizeof(T) == 8 ? (std::is_signed<T>::value ? BALLOT_I64 : BALLOT_U64)
                                                        : (T(-1) < T(0) ? BALLOT_I128 : BALLOT_U128);
};
template <>
struct type_code<bool> {
  static constexpr ballot_type value = BALLOT_U8;
};
template <>
struct type_code<float> {
  static constexpr ballot_type value = BALLOT_F32;
};
template <>
struct type_code<double> {
  static constexpr ballot_type value = BALLOT_F64;
};
template <>
struct type_code<::__half> {
  static constexpr ballot_type value = BALLOT_F16;
};
template <>
struct type_code<::__nv_bfloat16> {
  static constexpr ballot_type value = BALLOT_BF16;
};
template <class T>
constexpr ballot_type code() {
  return type_code<std::remove_cv_t<T>>::value;
}

// ---- arguments ----

/// n items at a device address.
template <class T>
ballot_array items(T* data, std::uint64_t n) {
  return ballot_input(data, n, code<T>());
}
inline ballot_array as_array(const ballot_array& array) { return array; }
template <class R>
auto as_array(const R& range) -> decltype(items(range.data(), range.size())) {
  return items(range.data(), range.size());
}
/// The first *count of them; the count is on the device: an integer of 4 or 8 bytes.
template <class R, class Count>
ballot_array counted(const R& range, const Count* count) {
  const ballot_array a = as_array(range);
  return ballot_counted(a.data, a.length, a.type, count, code<Count>());
}
/// One value on the device: a count, a result.
template <class T>
ballot_array value(T* address) {
  return ballot_value(address, code<T>());
}
/// The positions 0 to n - 1 as an input, for an output of std::uint32_t.
inline ballot_array positions(std::uint64_t n) { return ballot_input(nullptr, n, BALLOT_POSITIONS_U32); }
inline ballot_array nothing() { return ballot_nothing(); }

struct exec : ballot_exec {
  exec(struct CUstream_st* on, void* scratch_memory, std::size_t bytes)
      : ballot_exec(ballot_on(on, scratch_memory, bytes)) {}
  exec(const ballot_exec& where) : ballot_exec(where) {}
};

/// Which items are selected. A comparison keeps its value.
class selector {
 public:
  selector(const ballot_selector& given) : given_(given) {}
  template <class T>
  selector(ballot_comparison compare, const T& limit) : given_(ballot_where(compare, nullptr)), has_value_(true) {
    static_assert(sizeof(T) <= sizeof(value_), "numbers have up to 16 bytes");
    given_.value_type = code<T>();
    const unsigned char* const bytes = reinterpret_cast<const unsigned char*>(&limit);
    for (std::size_t i = 0; i < sizeof(T); ++i) value_[i] = bytes[i];
  }
  /// The other items.
  selector operator!() const {
    selector other = *this;
    other.given_.invert = !given_.invert;
    return other;
  }
  ballot_selector get() const {
    ballot_selector all = given_;
    if (has_value_) all.value = value_;
    return all;
  }

 private:
  ballot_selector given_;
  bool has_value_ = false;
  alignas(16) unsigned char value_[16] = {};
};
template <class R>
selector by_bytes(const R& flags) {
  return ballot_by_bytes(as_array(flags));
}
template <class R>
selector by_bits(const R& words) {
  return ballot_by_bits(as_array(words));
}
template <class T>
selector equal(const T& limit) {
  return {BALLOT_EQUAL, limit};
}
template <class T>
selector not_equal(const T& limit) {
  return {BALLOT_NOT_EQUAL, limit};
}
template <class T>
selector less(const T& limit) {
  return {BALLOT_LESS, limit};
}
template <class T>
selector less_equal(const T& limit) {
  return {BALLOT_LESS_EQUAL, limit};
}
template <class T>
selector greater(const T& limit) {
  return {BALLOT_GREATER, limit};
}
template <class T>
selector greater_equal(const T& limit) {
  return {BALLOT_GREATER_EQUAL, limit};
}

inline ballot_sort_options ascending() {
  return {sizeof(ballot_sort_options), BALLOT_ASCENDING, BALLOT_NANS_LAST, 0, 0, BALLOT_ZEROS_APART, 0};
}
inline ballot_sort_options descending() {
  return {sizeof(ballot_sort_options), BALLOT_DESCENDING, BALLOT_NANS_LAST, 0, 0, BALLOT_ZEROS_APART, 0};
}
/// The same order, in which -0 and +0 are equal and keep their order.
inline ballot_sort_options with_equal_zeros(ballot_sort_options options = ascending()) {
  options.zeros = BALLOT_ZEROS_EQUAL;
  return options;
}
inline ballot_order_options order(std::int32_t direction = BALLOT_ASCENDING, std::int32_t nans = BALLOT_NANS_LAST) {
  return {sizeof(ballot_order_options), direction, nans};
}
inline ballot_top_k_options largest() { return {sizeof(ballot_top_k_options), 0, BALLOT_NANS_LAST, 0, 0}; }
inline ballot_top_k_options smallest() { return {sizeof(ballot_top_k_options), 1, BALLOT_NANS_LAST, 0, 0}; }
inline ballot_scan_options forward() { return {sizeof(ballot_scan_options), nullptr, BALLOT_FORWARD, 0}; }
inline ballot_scan_options backward() { return {sizeof(ballot_scan_options), nullptr, BALLOT_BACKWARD, 0}; }

// ---- scratch: the bytes for n items of these types ----

namespace detail {
template <class Size>
std::size_t bytes_of(Size size) {
  std::size_t bytes = 0;
  checked(size(&bytes));
  return bytes;
}
}  // namespace detail

template <class Sum>
std::size_t scan_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_scan_scratch_bytes(code<Sum>(), n, b); });
}
template <class T>
std::size_t segmented_scan_scratch_bytes(ballot_segments_kind kind, std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_segmented_scan_scratch_bytes(code<T>(), kind, n, b); });
}
template <class Result>
std::size_t reduce_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_reduce_scratch_bytes(code<Result>(), n, b); });
}
template <class... T>
std::size_t compact_scratch_bytes(std::uint64_t n) {
  const ballot_type types[] = {code<T>()...};
  return detail::bytes_of([&](std::size_t* b) { return ballot_compact_scratch_bytes(sizeof...(T), types, n, b); });
}
template <class... T>
std::size_t split_scratch_bytes(std::uint64_t n) {
  const ballot_type types[] = {code<T>()...};
  return detail::bytes_of([&](std::size_t* b) { return ballot_split_scratch_bytes(sizeof...(T), types, n, b); });
}
template <class Index>
std::size_t compact_indices_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_compact_indices_scratch_bytes(code<Index>(), n, b); });
}
inline std::size_t multisplit_scratch_bytes(std::uint32_t buckets, std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_multisplit_scratch_bytes(buckets, n, b); });
}
template <class T>
std::size_t unique_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_runs_scratch_bytes(code<T>(), BALLOT_NONE, n, b); });
}
template <class T, class Index>
std::size_t runs_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_runs_scratch_bytes(code<T>(), code<Index>(), n, b); });
}
template <class K>
std::size_t sort_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_sort_scratch_bytes(code<K>(), n, b); });
}
template <class K, class V>
std::size_t sort_pairs_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_sort_pairs_scratch_bytes(code<K>(), code<V>(), n, b); });
}
template <class K, class Index>
std::size_t argsort_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_argsort_scratch_bytes(code<K>(), code<Index>(), n, b); });
}
template <class K>
std::size_t segmented_sort_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_segmented_sort_scratch_bytes(code<K>(), 0, n, b); });
}
template <class K, class V>
std::size_t segmented_sort_pairs_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of(
      [=](std::size_t* b) { return ballot_segmented_sort_scratch_bytes(code<K>(), code<V>(), n, b); });
}
template <class K>
std::size_t batched_sort_scratch_bytes(std::uint64_t n, std::uint64_t row) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_batched_sort_scratch_bytes(code<K>(), 0, n, row, b); });
}
/// V: the values, or the positions of batched_argsort.
template <class K, class V>
std::size_t batched_sort_pairs_scratch_bytes(std::uint64_t n, std::uint64_t row) {
  return detail::bytes_of(
      [=](std::size_t* b) { return ballot_batched_sort_scratch_bytes(code<K>(), code<V>(), n, row, b); });
}

template <class Result>
std::size_t segmented_reduce_scratch_bytes(ballot_segments_kind kind, std::uint64_t n) {
  return detail::bytes_of(
      [=](std::size_t* b) { return ballot_segmented_reduce_scratch_bytes(code<Result>(), kind, n, b); });
}
template <class T>
std::size_t segmented_arg_scratch_bytes(ballot_segments_kind kind, std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_segmented_arg_scratch_bytes(code<T>(), kind, n, b); });
}
template <class K, class Result>
std::size_t reduce_by_key_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of(
      [=](std::size_t* b) { return ballot_reduce_by_key_scratch_bytes(code<K>(), code<Result>(), n, b); });
}
template <class K>
std::size_t top_k_scratch_bytes(std::uint64_t n, std::uint64_t k) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_top_k_scratch_bytes(code<K>(), n, k, b); });
}
template <class K>
std::size_t batched_top_k_scratch_bytes(std::uint64_t rows, std::uint64_t k) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_batched_top_k_scratch_bytes(code<K>(), rows, k, b); });
}
template <class K>
std::size_t merge_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_merge_scratch_bytes(code<K>(), BALLOT_NONE, n, b); });
}
template <class K, class V>
std::size_t merge_pairs_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_merge_scratch_bytes(code<K>(), code<V>(), n, b); });
}
inline std::size_t is_sorted_scratch_bytes() {
  return detail::bytes_of([](std::size_t* b) { return ballot_is_sorted_scratch_bytes(b); });
}

// ---- calls: those of ballot.h, one column where that takes several. For all others there is ballot.h itself ----

template <class In, class Out>
ballot_status inclusive_scan(const exec& where, const In& in, ballot_operator op, const Out& out,
                             const ballot_scan_options& options = forward()) {
  return checked(ballot_inclusive_scan(where, as_array(in), op, as_array(out), &options));
}
/// From the operator's identity.
template <class In, class Out>
ballot_status exclusive_scan(const exec& where, const In& in, ballot_operator op, const Out& out,
                             const ballot_scan_options& options = forward()) {
  return checked(ballot_exclusive_scan(where, as_array(in), nullptr, op, as_array(out), &options));
}
/// From an initial value of the output's type; or from one at a device address.
template <class In, class T, class Out>
ballot_status inclusive_scan_from(const exec& where, const In& in, const T& initial, ballot_operator op, const Out& out,
                                  const ballot_scan_options& options = forward()) {
  const ballot_array to = as_array(out);
  const void* const value = to.type == code<T>() ? &initial : nullptr;  // of another type: refused
  return checked(ballot_inclusive_scan_from(where, as_array(in), value, 0, op, to, &options));
}
template <class In, class T, class Out>
ballot_status exclusive_scan_from(const exec& where, const In& in, const T& initial, ballot_operator op, const Out& out,
                                  const ballot_scan_options& options = forward()) {
  const ballot_array to = as_array(out);
  const void* const value = to.type == code<T>() ? &initial : nullptr;
  return checked(ballot_exclusive_scan_from(where, as_array(in), value, 0, op, to, &options));
}
template <class In, class T, class Out>
ballot_status inclusive_scan_from_device(const exec& where, const In& in, const T* initial, ballot_operator op,
                                         const Out& out, const ballot_scan_options& options = forward()) {
  const ballot_array to = as_array(out);
  const void* const value = to.type == code<T>() ? initial : nullptr;
  return checked(ballot_inclusive_scan_from(where, as_array(in), value, 1, op, to, &options));
}
template <class In, class T, class Out>
ballot_status exclusive_scan_from_device(const exec& where, const In& in, const T* initial, ballot_operator op,
                                         const Out& out, const ballot_scan_options& options = forward()) {
  const ballot_array to = as_array(out);
  const void* const value = to.type == code<T>() ? initial : nullptr;
  return checked(ballot_exclusive_scan_from(where, as_array(in), value, 1, op, to, &options));
}
template <class In, class Out>
ballot_status counts_to_offsets(const exec& where, const In& counts, const Out& offsets) {
  return checked(ballot_counts_to_offsets(where, as_array(counts), as_array(offsets)));
}
template <class In, class Out>
ballot_status segmented_inclusive_scan(const exec& where, const In& in, const ballot_segments& segments,
                                       ballot_operator op, const Out& out, std::int32_t order = BALLOT_FORWARD) {
  return checked(ballot_segmented_inclusive_scan(where, as_array(in), segments, op, as_array(out), order));
}
template <class In, class Out>
ballot_status segmented_exclusive_scan(const exec& where, const In& in, const ballot_segments& segments,
                                       ballot_operator op, const Out& out, std::int32_t order = BALLOT_FORWARD) {
  return checked(ballot_segmented_exclusive_scan(where, as_array(in), segments, nullptr, op, as_array(out), order));
}
template <class In, class Result>
ballot_status reduce(const exec& where, const In& in, ballot_operator op, Result* result) {
  return checked(ballot_reduce(where, as_array(in), nullptr, op, value(result)));
}

template <class In, class Out>
ballot_status compact(const exec& where, const In& in, const selector& select, const Out& out,
                      const ballot_array& count) {
  const ballot_array from = as_array(in), to = as_array(out);
  return checked(ballot_compact(where, 1, &from, select.get(), &to, count));
}
template <class In, class Out>
ballot_status split(const exec& where, const In& in, const selector& select, const Out& out,
                    const ballot_array& count) {
  const ballot_array from = as_array(in), to = as_array(out);
  return checked(ballot_split(where, 1, &from, select.get(), &to, count));
}
template <class In, class Selected, class Rejected>
ballot_status split_in_two(const exec& where, const In& in, const selector& select, const Selected& selected,
                           const Rejected& rejected, const ballot_array& count) {
  const ballot_array from = as_array(in), to = as_array(selected), rest = as_array(rejected);
  return checked(ballot_split_in_two(where, 1, &from, select.get(), &to, &rest, count));
}
template <class In, class Indices>
ballot_status compact_indices(const exec& where, const In& in, const selector& select, const Indices& indices,
                              const ballot_array& count) {
  return checked(ballot_compact_indices(where, as_array(in), select.get(), as_array(indices), count));
}
template <class In>
ballot_status count_if(const exec& where, const In& in, const selector& select, const ballot_array& count) {
  return checked(ballot_count_if(where, as_array(in), select.get(), count));
}
template <class In, class Words>
ballot_status flag_bits(const exec& where, const In& in, const selector& select, const Words& words) {
  return checked(ballot_flag_bits(where, as_array(in), select.get(), as_array(words)));
}
template <class Numbers, class In, class Out, class Offsets>
ballot_status multisplit(const exec& where, const Numbers& numbers, std::uint32_t buckets, const In& in, const Out& out,
                         const Offsets& offsets) {
  const ballot_array from = as_array(in), to = as_array(out);
  return checked(ballot_multisplit(where, as_array(numbers), buckets, 1, &from, &to, as_array(offsets)));
}

template <class In, class Out>
ballot_status unique(const exec& where, const In& in, const Out& out, const ballot_array& count) {
  return checked(ballot_unique(where, as_array(in), as_array(out), count));
}
template <class In, class Values, class Offsets>
ballot_status run_offsets(const exec& where, const In& in, const Values& values, const Offsets& offsets,
                          const ballot_array& count) {
  return checked(ballot_run_offsets(where, as_array(in), as_array(values), as_array(offsets), count));
}
template <class In, class Values, class Lengths>
ballot_status run_length_encode(const exec& where, const In& in, const Values& values, const Lengths& lengths,
                                const ballot_array& count) {
  return checked(ballot_run_length_encode(where, as_array(in), as_array(values), as_array(lengths), count));
}

template <class Keys, class KeysOut>
ballot_status sort(const exec& where, const Keys& keys, const KeysOut& keys_out,
                   const ballot_sort_options& options = ascending()) {
  return checked(ballot_sort(where, as_array(keys), as_array(keys_out), &options));
}
template <class Keys>
ballot_status sort_in_place(const exec& where, const Keys& keys, const ballot_sort_options& options = ascending()) {
  return checked(ballot_sort_in_place(where, as_array(keys), &options));
}
template <class Keys, class Values, class KeysOut, class ValuesOut>
ballot_status sort_pairs(const exec& where, const Keys& keys, const Values& values, const KeysOut& keys_out,
                         const ValuesOut& values_out, const ballot_sort_options& options = ascending()) {
  return checked(
      ballot_sort_pairs(where, as_array(keys), as_array(values), as_array(keys_out), as_array(values_out), &options));
}
template <class Keys, class Indices>
ballot_status argsort(const exec& where, const Keys& keys, const Indices& indices,
                      const ballot_sort_options& options = ascending()) {
  return checked(ballot_argsort(where, as_array(keys), nothing(), as_array(indices), &options));
}
template <class Keys, class Offsets, class KeysOut>
ballot_status segmented_sort(const exec& where, const Keys& keys, const Offsets& offsets, const KeysOut& keys_out,
                             const ballot_sort_options& options = ascending()) {
  return checked(ballot_segmented_sort(where, as_array(keys), as_array(offsets), as_array(keys_out), &options));
}
template <class Keys, class Values, class Offsets, class KeysOut, class ValuesOut>
ballot_status segmented_sort_pairs(const exec& where, const Keys& keys, const Values& values, const Offsets& offsets,
                                   const KeysOut& keys_out, const ValuesOut& values_out,
                                   const ballot_sort_options& options = ascending()) {
  return checked(ballot_segmented_sort_pairs(where, as_array(keys), as_array(values), as_array(offsets),
                                             as_array(keys_out), as_array(values_out), &options));
}

/// Rows of so many keys, each by itself.
template <class Keys, class KeysOut>
ballot_status batched_sort(const exec& where, const Keys& keys, std::uint64_t row, const KeysOut& keys_out,
                           const ballot_sort_options& options = ascending()) {
  return checked(ballot_batched_sort(where, as_array(keys), row, as_array(keys_out), &options));
}
template <class Keys, class Values, class KeysOut, class ValuesOut>
ballot_status batched_sort_pairs(const exec& where, const Keys& keys, const Values& values, std::uint64_t row,
                                 const KeysOut& keys_out, const ValuesOut& values_out,
                                 const ballot_sort_options& options = ascending()) {
  return checked(ballot_batched_sort_pairs(where, as_array(keys), as_array(values), row, as_array(keys_out),
                                           as_array(values_out), &options));
}
/// Positions within the row.
template <class Keys, class KeysOut, class Indices>
ballot_status batched_argsort(const exec& where, const Keys& keys, std::uint64_t row, const KeysOut& keys_out,
                              const Indices& indices, const ballot_sort_options& options = ascending()) {
  return checked(ballot_batched_argsort(where, as_array(keys), row, as_array(keys_out), as_array(indices), &options));
}

/// A result of segmented_arg_min and segmented_arg_max.
template <class T>
struct indexed {
  std::uint64_t index;
  T value;  // of up to 8 bytes: 16 in all
};
/// Segments by n + 1 offsets; or of so many items each.
template <class R>
ballot_segments segment_offsets(const R& offsets) {
  return ballot_segments_by(BALLOT_SEGMENT_OFFSETS, as_array(offsets));
}
inline ballot_segments rows_of(std::uint64_t items_of_row) { return ballot_segments_of(items_of_row); }
/// Segments by head flags.
template <class R>
ballot_segments head_bytes(const R& flags) {
  return ballot_segments_by(BALLOT_HEAD_BYTES, as_array(flags));
}
template <class R>
ballot_segments head_bits(const R& words) {
  return ballot_segments_by(BALLOT_HEAD_BITS, as_array(words));
}

/// From the operator's identity. count: by head flags.
template <class In, class Out>
ballot_status segmented_reduce(const exec& where, const In& in, const ballot_segments& segments, ballot_operator op,
                               const Out& out, const ballot_array& count = ballot_nothing()) {
  return checked(ballot_segmented_reduce(where, as_array(in), segments, nullptr, op, as_array(out), count));
}
template <class In, class T>
ballot_status segmented_arg_min(const exec& where, const In& in, const ballot_segments& segments, indexed<T>* out,
                                std::uint64_t room, const ballot_array& count = ballot_nothing()) {
  return checked(
      ballot_segmented_arg_min(where, as_array(in), segments, ballot_output(out, room, BALLOT_BYTES(16)), count));
}
template <class In, class T>
ballot_status segmented_arg_max(const exec& where, const In& in, const ballot_segments& segments, indexed<T>* out,
                                std::uint64_t room, const ballot_array& count = ballot_nothing()) {
  return checked(
      ballot_segmented_arg_max(where, as_array(in), segments, ballot_output(out, room, BALLOT_BYTES(16)), count));
}
template <class Keys, class Values, class KeysOut, class Results>
ballot_status reduce_by_key(const exec& where, const Keys& keys, const Values& values, ballot_operator op,
                            const KeysOut& keys_out, const Results& results, const ballot_array& count) {
  return checked(
      ballot_reduce_by_key(where, as_array(keys), as_array(values), op, as_array(keys_out), as_array(results), count));
}

template <class Keys, class KeysOut>
ballot_status top_k(const exec& where, const Keys& keys, std::uint64_t k, const KeysOut& keys_out,
                    const ballot_array& count = ballot_nothing(), const ballot_top_k_options& options = largest()) {
  return checked(ballot_top_k(where, as_array(keys), k, as_array(keys_out), count, &options));
}
template <class Keys, class Values, class KeysOut, class ValuesOut>
ballot_status top_k_pairs(const exec& where, const Keys& keys, const Values& values, std::uint64_t k,
                          const KeysOut& keys_out, const ValuesOut& values_out,
                          const ballot_array& count = ballot_nothing(),
                          const ballot_top_k_options& options = largest()) {
  return checked(ballot_top_k_pairs(where, as_array(keys), as_array(values), k, as_array(keys_out),
                                    as_array(values_out), count, &options));
}
template <class Keys, class Indices>
ballot_status top_k_indices(const exec& where, const Keys& keys, std::uint64_t k, const Indices& indices,
                            const ballot_array& count = ballot_nothing(),
                            const ballot_top_k_options& options = largest()) {
  return checked(ballot_top_k_indices(where, as_array(keys), k, nothing(), as_array(indices), count, &options));
}
template <class Keys, class KeysOut>
ballot_status batched_top_k(const exec& where, const Keys& keys, const ballot_rows& rows, std::uint64_t k,
                            const KeysOut& keys_out, const ballot_array& counts = ballot_nothing(),
                            const ballot_top_k_options& options = largest()) {
  return checked(ballot_batched_top_k(where, as_array(keys), rows, k, as_array(keys_out), counts, &options));
}
template <class Keys, class Values, class KeysOut, class ValuesOut>
ballot_status batched_top_k_pairs(const exec& where, const Keys& keys, const Values& values, const ballot_rows& rows,
                                  std::uint64_t k, const KeysOut& keys_out, const ValuesOut& values_out,
                                  const ballot_array& counts = ballot_nothing(),
                                  const ballot_top_k_options& options = largest()) {
  return checked(ballot_batched_top_k_pairs(where, as_array(keys), as_array(values), rows, k, as_array(keys_out),
                                            as_array(values_out), counts, &options));
}
template <class Keys, class Indices>
ballot_status batched_top_k_indices(const exec& where, const Keys& keys, const ballot_rows& rows, std::uint64_t k,
                                    const Indices& indices, const ballot_array& counts = ballot_nothing(),
                                    const ballot_top_k_options& options = largest()) {
  return checked(
      ballot_batched_top_k_indices(where, as_array(keys), rows, k, nothing(), as_array(indices), counts, &options));
}

/// Bins of one width from lower to below upper, as many as counts.
template <class In, class T, class Counts>
ballot_status histogram_even(const exec& where, const In& in, T lower, T upper, const Counts& counts,
                             const ballot_array& outside = ballot_nothing()) {
  const ballot_array items = as_array(in);
  // Values of another type would not be read as what they are: null is refused.
  const bool fits = items.type == code<T>();
  const ballot_bins bins = ballot_even_bins(fits ? &lower : nullptr, fits ? &upper : nullptr);
  return checked(ballot_histogram(where, items, bins, as_array(counts), outside));
}
/// 2^bits bins, by bits of the keys' order.
template <class In, class Counts>
ballot_status histogram_digit(const exec& where, const In& in, std::int32_t low_bit, std::int32_t bits,
                              const Counts& counts, const ballot_array& outside = ballot_nothing()) {
  return checked(ballot_histogram(where, as_array(in), ballot_digit_bins(low_bit, bits), as_array(counts), outside));
}
/// Bins between levels on the device.
template <class In, class Levels, class Counts>
ballot_status histogram_levels(const exec& where, const In& in, const Levels& levels, const Counts& counts,
                               const ballot_array& outside = ballot_nothing()) {
  return checked(ballot_histogram(where, as_array(in), ballot_level_bins(as_array(levels)), as_array(counts), outside));
}

template <class First, class Second, class Out>
ballot_status merge(const exec& where, const First& first, const Second& second, const Out& out,
                    const ballot_order_options& options = order()) {
  return checked(ballot_merge(where, as_array(first), as_array(second), as_array(out), &options));
}
template <class First, class FirstValues, class Second, class SecondValues, class KeysOut, class ValuesOut>
ballot_status merge_pairs(const exec& where, const First& first, const FirstValues& first_values, const Second& second,
                          const SecondValues& second_values, const KeysOut& keys_out, const ValuesOut& values_out,
                          const ballot_order_options& options = order()) {
  return checked(ballot_merge_pairs(where, as_array(first), as_array(first_values), as_array(second),
                                    as_array(second_values), as_array(keys_out), as_array(values_out), &options));
}
template <class Sorted, class Keys, class Positions>
ballot_status lower_bound(const exec& where, const Sorted& sorted, const Keys& keys, const Positions& positions,
                          const ballot_order_options& options = order()) {
  return checked(ballot_lower_bound(where, as_array(sorted), as_array(keys), as_array(positions), &options));
}
template <class Sorted, class Keys, class Positions>
ballot_status upper_bound(const exec& where, const Sorted& sorted, const Keys& keys, const Positions& positions,
                          const ballot_order_options& options = order()) {
  return checked(ballot_upper_bound(where, as_array(sorted), as_array(keys), as_array(positions), &options));
}
template <class In>
ballot_status is_sorted(const exec& where, const In& in, const ballot_array& result,
                        const ballot_order_options& options = order()) {
  return checked(ballot_is_sorted(where, as_array(in), result, &options));
}
template <class In>
ballot_status is_sorted_until(const exec& where, const In& in, const ballot_array& result,
                              const ballot_order_options& options = order()) {
  return checked(ballot_is_sorted_until(where, as_array(in), result, &options));
}

template <class In, class Indices, class Out>
ballot_status gather(const exec& where, const In& in, const Indices& indices, const Out& out,
                     const ballot_array& outside = ballot_nothing()) {
  return checked(ballot_gather(where, as_array(in), as_array(indices), as_array(out), outside));
}
template <class In, class Indices, class Out>
ballot_status scatter(const exec& where, const In& in, const Indices& indices, const Out& out,
                      const ballot_array& outside = ballot_nothing()) {
  return checked(ballot_scatter(where, as_array(in), as_array(indices), as_array(out), outside));
}

}  // namespace libballot
