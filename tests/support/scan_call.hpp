// SPDX-License-Identifier: Apache-2.0
// A call of the device scan below its public functions, for tests that choose the tile's shape.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/scan.cuh>

namespace ballot::test {

template <class In, class Out, class T, class Op>
auto scan_of(const In& in, Out& out, T initial, Op op, const scan_options<T>& options = {}) {
  const auto items = detail::as_input(in);
  using source = device::input_items<detail::item_t<In>>;
  return detail::scan_call<T, source, Op>{{items.data}, items.length, detail::as_output(out), initial, op,
                                          options,      "test"};
}

// Calls check(method) for each method of scans of few items.
template <class Check>
void for_each_scan_method(Check&& check) {
  check(detail::scan_method::in_cluster);
  check(detail::scan_method::aggregates_first);
  check(detail::scan_method::look_back);
}

}  // namespace ballot::test
