// SPDX-License-Identifier: Apache-2.0
// Sorts of arrays, of segments and of rows. Part of ballot.hpp.
#pragma once

#include <libballot/arguments.hpp>
#include <libballot/options.hpp>

#include <cstdint>

namespace libballot {
inline namespace BALLOT_CALLS {

template <class Keys, class KeysOut>
ballot_status sort(const exec& where, const Keys& keys, const KeysOut& keys_out,
                   const ballot_sort_options& options = ascending()) {
  return checked(ballot_sort(where, libballot::as_array(keys), libballot::as_array(keys_out), &options));
}
template <class Keys>
ballot_status sort_in_place(const exec& where, const Keys& keys, const ballot_sort_options& options = ascending()) {
  return checked(ballot_sort_in_place(where, libballot::as_array(keys), &options));
}
template <class Keys, class Values, class KeysOut, class ValuesOut>
ballot_status sort_pairs(const exec& where, const Keys& keys, const Values& values, const KeysOut& keys_out,
                         const ValuesOut& values_out, const ballot_sort_options& options = ascending()) {
  return checked(ballot_sort_pairs(where, libballot::as_array(keys), libballot::as_array(values),
                                   libballot::as_array(keys_out), libballot::as_array(values_out), &options));
}
template <class Keys, class Values>
ballot_status sort_pairs_in_place(const exec& where, const Keys& keys, const Values& values,
                                  const ballot_sort_options& options = ascending()) {
  return checked(ballot_sort_pairs_in_place(where, libballot::as_array(keys), libballot::as_array(values), &options));
}
/// Between two buffers, the keys in `a`. at: 0 if the sorted keys are in `a`, 1 if they are in `b`.
template <class A, class B>
ballot_status sort_ping_pong(const exec& where, const A& a, const B& b, std::int32_t& at,
                             const ballot_sort_options& options = ascending()) {
  return checked(ballot_sort_ping_pong(where, libballot::as_array(a), libballot::as_array(b), &at, &options));
}
template <class A, class ValuesA, class B, class ValuesB>
ballot_status sort_pairs_ping_pong(const exec& where, const A& a, const ValuesA& values_a, const B& b,
                                   const ValuesB& values_b, std::int32_t& at,
                                   const ballot_sort_options& options = ascending()) {
  return checked(ballot_sort_pairs_ping_pong(where, libballot::as_array(a), libballot::as_array(values_a),
                                             libballot::as_array(b), libballot::as_array(values_b), &at, &options));
}
template <class Keys, class Indices>
ballot_status argsort(const exec& where, const Keys& keys, const Indices& indices,
                      const ballot_sort_options& options = ascending()) {
  return checked(ballot_argsort(where, libballot::as_array(keys), nothing(), libballot::as_array(indices), &options));
}
template <class Keys, class Offsets, class KeysOut>
ballot_status segmented_sort(const exec& where, const Keys& keys, const Offsets& offsets, const KeysOut& keys_out,
                             const ballot_sort_options& options = ascending()) {
  return checked(ballot_segmented_sort(where, libballot::as_array(keys), libballot::as_array(offsets),
                                       libballot::as_array(keys_out), &options));
}
template <class Keys, class Values, class Offsets, class KeysOut, class ValuesOut>
ballot_status segmented_sort_pairs(const exec& where, const Keys& keys, const Values& values, const Offsets& offsets,
                                   const KeysOut& keys_out, const ValuesOut& values_out,
                                   const ballot_sort_options& options = ascending()) {
  return checked(ballot_segmented_sort_pairs(where, libballot::as_array(keys), libballot::as_array(values),
                                             libballot::as_array(offsets), libballot::as_array(keys_out),
                                             libballot::as_array(values_out), &options));
}
template <class A, class Offsets, class B>
ballot_status segmented_sort_ping_pong(const exec& where, const A& a, const Offsets& offsets, const B& b,
                                       std::int32_t& at, const ballot_sort_options& options = ascending()) {
  return checked(ballot_segmented_sort_ping_pong(where, libballot::as_array(a), libballot::as_array(offsets),
                                                 libballot::as_array(b), &at, &options));
}
template <class A, class ValuesA, class Offsets, class B, class ValuesB>
ballot_status segmented_sort_pairs_ping_pong(const exec& where, const A& a, const ValuesA& values_a,
                                             const Offsets& offsets, const B& b, const ValuesB& values_b,
                                             std::int32_t& at, const ballot_sort_options& options = ascending()) {
  return checked(ballot_segmented_sort_pairs_ping_pong(where, libballot::as_array(a), libballot::as_array(values_a),
                                                       libballot::as_array(offsets), libballot::as_array(b),
                                                       libballot::as_array(values_b), &at, &options));
}
/// The order, as positions in the whole array. keys_out: the sorted keys, or nothing().
template <class Keys, class Offsets, class KeysOut, class Indices>
ballot_status segmented_argsort(const exec& where, const Keys& keys, const Offsets& offsets, const KeysOut& keys_out,
                                const Indices& indices, const ballot_sort_options& options = ascending()) {
  return checked(ballot_segmented_argsort(where, libballot::as_array(keys), libballot::as_array(offsets),
                                          libballot::as_array(keys_out), libballot::as_array(indices), &options));
}

/// Sorts rows of `row` keys, each by itself.
template <class Keys, class KeysOut>
ballot_status batched_sort(const exec& where, const Keys& keys, std::uint64_t row, const KeysOut& keys_out,
                           const ballot_sort_options& options = ascending()) {
  return checked(ballot_batched_sort(where, libballot::as_array(keys), row, libballot::as_array(keys_out), &options));
}
template <class Keys, class Values, class KeysOut, class ValuesOut>
ballot_status batched_sort_pairs(const exec& where, const Keys& keys, const Values& values, std::uint64_t row,
                                 const KeysOut& keys_out, const ValuesOut& values_out,
                                 const ballot_sort_options& options = ascending()) {
  return checked(ballot_batched_sort_pairs(where, libballot::as_array(keys), libballot::as_array(values), row,
                                           libballot::as_array(keys_out), libballot::as_array(values_out), &options));
}
/// The order, as positions within the row.
template <class Keys, class KeysOut, class Indices>
ballot_status batched_argsort(const exec& where, const Keys& keys, std::uint64_t row, const KeysOut& keys_out,
                              const Indices& indices, const ballot_sort_options& options = ascending()) {
  return checked(ballot_batched_argsort(where, libballot::as_array(keys), row, libballot::as_array(keys_out),
                                        libballot::as_array(indices), &options));
}

}  // namespace BALLOT_CALLS
}  // namespace libballot
