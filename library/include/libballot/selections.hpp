// SPDX-License-Identifier: Apache-2.0
// Selections, splits and runs. Part of ballot.hpp.
#pragma once

#include <libballot/arguments.hpp>
#include <libballot/selectors.hpp>

#include <cstdint>

namespace libballot {
inline namespace BALLOT_CALLS {

template <class In, class Out>
ballot_status compact(const exec& where, const In& in, const selector& select, const Out& out,
                      const ballot_array& count) {
  const ballot_array from = libballot::as_array(in), to = libballot::as_array(out);
  return checked(ballot_compact(where, 1, &from, select.get(), &to, count));
}
/// The selected items at the front.
template <class Items>
ballot_status compact_in_place(const exec& where, const Items& items_in_place, const selector& select,
                               const ballot_array& count) {
  const ballot_array changed = libballot::as_array(items_in_place);
  return checked(ballot_compact_in_place(where, 1, &changed, select.get(), count));
}
template <class In, class Out>
ballot_status split(const exec& where, const In& in, const selector& select, const Out& out,
                    const ballot_array& count) {
  const ballot_array from = libballot::as_array(in), to = libballot::as_array(out);
  return checked(ballot_split(where, 1, &from, select.get(), &to, count));
}
template <class In, class Selected, class Rejected>
ballot_status split_in_two(const exec& where, const In& in, const selector& select, const Selected& selected,
                           const Rejected& rejected, const ballot_array& count) {
  const ballot_array from = libballot::as_array(in), to = libballot::as_array(selected),
                     rest = libballot::as_array(rejected);
  return checked(ballot_split_in_two(where, 1, &from, select.get(), &to, &rest, count));
}
/// The selected items at the front, the rejected ones after them.
template <class Items>
ballot_status split_in_place(const exec& where, const Items& items_in_place, const selector& select,
                             const ballot_array& count) {
  const ballot_array changed = libballot::as_array(items_in_place);
  return checked(ballot_split_in_place(where, 1, &changed, select.get(), count));
}
template <class In, class Indices>
ballot_status compact_indices(const exec& where, const In& in, const selector& select, const Indices& indices,
                              const ballot_array& count) {
  return checked(
      ballot_compact_indices(where, libballot::as_array(in), select.get(), libballot::as_array(indices), count));
}
template <class In>
ballot_status count_if(const exec& where, const In& in, const selector& select, const ballot_array& count) {
  return checked(ballot_count_if(where, libballot::as_array(in), select.get(), count));
}
template <class In, class Words>
ballot_status flag_bits(const exec& where, const In& in, const selector& select, const Words& words) {
  return checked(ballot_flag_bits(where, libballot::as_array(in), select.get(), libballot::as_array(words)));
}
template <class Numbers, class In, class Out, class Offsets>
ballot_status multisplit(const exec& where, const Numbers& numbers, std::uint32_t buckets, const In& in, const Out& out,
                         const Offsets& offsets) {
  const ballot_array from = libballot::as_array(in), to = libballot::as_array(out);
  return checked(
      ballot_multisplit(where, libballot::as_array(numbers), buckets, 1, &from, &to, libballot::as_array(offsets)));
}

template <class In, class Out>
ballot_status unique(const exec& where, const In& in, const Out& out, const ballot_array& count) {
  return checked(ballot_unique(where, libballot::as_array(in), libballot::as_array(out), count));
}
/// The first item of each run, at the front.
template <class Items>
ballot_status unique_in_place(const exec& where, const Items& items_in_place, const ballot_array& count) {
  return checked(ballot_unique_in_place(where, libballot::as_array(items_in_place), count));
}
/// The first key of each run, and its value.
template <class Keys, class Values, class KeysOut, class ValuesOut>
ballot_status unique_by_key(const exec& where, const Keys& keys, const Values& values, const KeysOut& keys_out,
                            const ValuesOut& values_out, const ballot_array& count) {
  const ballot_array from = libballot::as_array(values), to = libballot::as_array(values_out);
  return checked(
      ballot_unique_by_key(where, libballot::as_array(keys), 1, &from, libballot::as_array(keys_out), &to, count));
}
template <class In, class Values, class Offsets>
ballot_status run_offsets(const exec& where, const In& in, const Values& values, const Offsets& offsets,
                          const ballot_array& count) {
  return checked(ballot_run_offsets(where, libballot::as_array(in), libballot::as_array(values),
                                    libballot::as_array(offsets), count));
}
template <class In, class Values, class Lengths>
ballot_status run_length_encode(const exec& where, const In& in, const Values& values, const Lengths& lengths,
                                const ballot_array& count) {
  return checked(ballot_run_length_encode(where, libballot::as_array(in), libballot::as_array(values),
                                          libballot::as_array(lengths), count));
}

}  // namespace BALLOT_CALLS
}  // namespace libballot
