// SPDX-License-Identifier: Apache-2.0
// The k best keys of an array, or of each row. Part of ballot.hpp.
#pragma once

#include <libballot/arguments.hpp>
#include <libballot/options.hpp>

#include <cstdint>

namespace libballot {
inline namespace BALLOT_CALLS {

template <class Keys, class KeysOut>
ballot_status top_k(const exec& where, const Keys& keys, std::uint64_t k, const KeysOut& keys_out,
                    const ballot_array& count = ballot_nothing(), const ballot_top_k_options& options = largest()) {
  return checked(ballot_top_k(where, libballot::as_array(keys), k, libballot::as_array(keys_out), count, &options));
}
template <class Keys, class Values, class KeysOut, class ValuesOut>
ballot_status top_k_pairs(const exec& where, const Keys& keys, const Values& values, std::uint64_t k,
                          const KeysOut& keys_out, const ValuesOut& values_out,
                          const ballot_array& count = ballot_nothing(),
                          const ballot_top_k_options& options = largest()) {
  return checked(ballot_top_k_pairs(where, libballot::as_array(keys), libballot::as_array(values), k,
                                    libballot::as_array(keys_out), libballot::as_array(values_out), count, &options));
}
template <class Keys, class Indices>
ballot_status top_k_indices(const exec& where, const Keys& keys, std::uint64_t k, const Indices& indices,
                            const ballot_array& count = ballot_nothing(),
                            const ballot_top_k_options& options = largest()) {
  return checked(ballot_top_k_indices(where, libballot::as_array(keys), k, nothing(), libballot::as_array(indices),
                                      count, &options));
}
template <class Keys, class KeysOut>
ballot_status batched_top_k(const exec& where, const Keys& keys, const ballot_rows& rows, std::uint64_t k,
                            const KeysOut& keys_out, const ballot_array& counts = ballot_nothing(),
                            const ballot_top_k_options& options = largest()) {
  return checked(
      ballot_batched_top_k(where, libballot::as_array(keys), rows, k, libballot::as_array(keys_out), counts, &options));
}
template <class Keys, class Values, class KeysOut, class ValuesOut>
ballot_status batched_top_k_pairs(const exec& where, const Keys& keys, const Values& values, const ballot_rows& rows,
                                  std::uint64_t k, const KeysOut& keys_out, const ValuesOut& values_out,
                                  const ballot_array& counts = ballot_nothing(),
                                  const ballot_top_k_options& options = largest()) {
  return checked(ballot_batched_top_k_pairs(where, libballot::as_array(keys), libballot::as_array(values), rows, k,
                                            libballot::as_array(keys_out), libballot::as_array(values_out), counts,
                                            &options));
}
template <class Keys, class Indices>
ballot_status batched_top_k_indices(const exec& where, const Keys& keys, const ballot_rows& rows, std::uint64_t k,
                                    const Indices& indices, const ballot_array& counts = ballot_nothing(),
                                    const ballot_top_k_options& options = largest()) {
  return checked(ballot_batched_top_k_indices(where, libballot::as_array(keys), rows, k, nothing(),
                                              libballot::as_array(indices), counts, &options));
}

}  // namespace BALLOT_CALLS
}  // namespace libballot
