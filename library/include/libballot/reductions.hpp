// SPDX-License-Identifier: Apache-2.0
// Reductions of whole arrays, within segments, and of runs of equal keys. Part of ballot.hpp.
#pragma once

#include <libballot/arguments.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace libballot {

/// A result of arg_min and arg_max, also of a segment.
template <class T>
struct indexed {
  std::uint64_t index;
  T value;  // of up to 8 bytes: 16 in all
};

inline namespace BALLOT_CALLS {

namespace detail {
// Whether a range has items of type T. For a ballot_array this is known only at run time.
template <class R, class T, class = void>
struct may_have_items_of : std::true_type {};
template <class R, class T>
struct may_have_items_of<R, T, decltype(void(std::declval<const R&>().data()))>
    : std::is_same<std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<const R&>().data())>>, T> {};

// Null if results and items have different types. The library refuses null.
template <class In, class T>
indexed<T>* if_of_items(const In& in, indexed<T>* results) {
  static_assert(may_have_items_of<In, T>::value, "results are indexed<T>, where T is the type of the items");
  return libballot::as_array(in).type == code<T>() ? results : nullptr;
}
}  // namespace detail

template <class In, class Result>
ballot_status reduce(const exec& where, const In& in, ballot_operator op, Result* result) {
  return checked(ballot_reduce(where, libballot::as_array(in), nullptr, op, libballot::value(result)));
}
/// From an initial value.
template <class In, class Result>
ballot_status reduce_from(const exec& where, const In& in, const Result& initial, ballot_operator op, Result* result) {
  return checked(ballot_reduce(where, libballot::as_array(in), &initial, op, libballot::value(result)));
}
/// One result on the device, of the items' type. A ballot_array of another type is refused, as a
/// null pointer is.
template <class In, class T>
ballot_status arg_min(const exec& where, const In& in, indexed<T>* result) {
  return checked(ballot_arg_min(where, libballot::as_array(in), detail::if_of_items(in, result)));
}
template <class In, class T>
ballot_status arg_max(const exec& where, const In& in, indexed<T>* result) {
  return checked(ballot_arg_max(where, libballot::as_array(in), detail::if_of_items(in, result)));
}

/// Segments by n + 1 offsets, or rows of `items` items each.
template <class R>
ballot_segments segment_offsets(const R& offsets) {
  return ballot_segments_by(BALLOT_SEGMENT_OFFSETS, libballot::as_array(offsets));
}
inline ballot_segments rows_of(std::uint64_t items_of_row) { return ballot_segments_of(items_of_row); }
/// Segments by head flags.
template <class R>
ballot_segments head_bytes(const R& flags) {
  return ballot_segments_by(BALLOT_HEAD_BYTES, libballot::as_array(flags));
}
template <class R>
ballot_segments head_bits(const R& words) {
  return ballot_segments_by(BALLOT_HEAD_BITS, libballot::as_array(words));
}

/// From the operator's identity. `count`: only for segments by head flags.
template <class In, class Out>
ballot_status segmented_reduce(const exec& where, const In& in, const ballot_segments& segments, ballot_operator op,
                               const Out& out, const ballot_array& count = ballot_nothing()) {
  return checked(
      ballot_segmented_reduce(where, libballot::as_array(in), segments, nullptr, op, libballot::as_array(out), count));
}
template <class In, class T>
ballot_status segmented_arg_min(const exec& where, const In& in, const ballot_segments& segments, indexed<T>* out,
                                std::uint64_t room, const ballot_array& count = ballot_nothing()) {
  return checked(ballot_segmented_arg_min(where, libballot::as_array(in), segments,
                                          ballot_output(detail::if_of_items(in, out), room, BALLOT_BYTES(16)), count));
}
template <class In, class T>
ballot_status segmented_arg_max(const exec& where, const In& in, const ballot_segments& segments, indexed<T>* out,
                                std::uint64_t room, const ballot_array& count = ballot_nothing()) {
  return checked(ballot_segmented_arg_max(where, libballot::as_array(in), segments,
                                          ballot_output(detail::if_of_items(in, out), room, BALLOT_BYTES(16)), count));
}
template <class Keys, class Values, class KeysOut, class Results>
ballot_status reduce_by_key(const exec& where, const Keys& keys, const Values& values, ballot_operator op,
                            const KeysOut& keys_out, const Results& results, const ballot_array& count) {
  return checked(ballot_reduce_by_key(where, libballot::as_array(keys), libballot::as_array(values), op,
                                      libballot::as_array(keys_out), libballot::as_array(results), count));
}

}  // namespace BALLOT_CALLS
}  // namespace libballot
