// SPDX-License-Identifier: Apache-2.0
// Common to the survey's scans of whole arrays: their two functions and the checks before any work.
//
//     survey::reduce_then_scan<>::inclusive(gpu, in, out);
//     survey::chained_scan<>::exclusive(gpu, in, out, first, op);
//
// `in` and `out` are device ranges of the same trivially copyable item type and length, known on
// the host. They may be the same range, and must not overlap otherwise. Any n, also above 2^32. Op:
// associative, also non-commutative. Scratch may be dirty.
//
// Errors (before any work): invalid_argument for null with n > 0, lengths that differ, partial
// overlap, scratch too small or misaligned; cuda_error from the launches. n = 0 launches nothing
// and needs no scratch. Deterministic, also for floats, unless an algorithm says otherwise.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/detail/scan_kernel.cuh>
#include <ballot/survey/scan_arguments.hpp>

namespace ballot::survey {

using device::scan_kind;

// Algorithm: name, largest_item, and launch<Kind>(where, const T* in, T* out, n >= 1, initial, op).
template <class Algorithm>
struct device_scan {
  // out[i] = in[0] op ... op in[i].
  template <device_range In, output_range Out, class Op>
  static void inclusive(const exec& where, const In& in, Op op, Out&& out) {
    scan<scan_kind::inclusive>(where, detail::as_input(in), detail::as_output(out), detail::item_t<In>{}, op);
  }
  // out[0] = initial, out[i] = initial op in[0] op ... op in[i - 1].
  template <device_range In, output_range Out, class Op>
  static void exclusive(const exec& where, const In& in, detail::item_t<In> initial, Op op, Out&& out) {
    scan<scan_kind::exclusive>(where, detail::as_input(in), detail::as_output(out), initial, op);
  }
  // By plus; the exclusive scan also from 0.
  template <device_range In, output_range Out>
  static void inclusive(const exec& where, const In& in, Out&& out) {
    inclusive(where, in, plus{}, out);
  }
  template <device_range In, output_range Out>
  static void exclusive(const exec& where, const In& in, detail::item_t<In> initial, Out&& out) {
    exclusive(where, in, initial, plus{}, out);
  }
  template <device_range In, output_range Out>
  static void exclusive(const exec& where, const In& in, Out&& out) {
    exclusive(where, in, detail::item_t<In>{}, plus{}, out);
  }

 private:
  template <scan_kind Kind, class T, class Op>
  static void scan(const exec& where, const detail::input<T>& in, const detail::output<T>& out, T initial, Op op) {
    static_assert(sizeof(T) <= Algorithm::largest_item, "the algorithm takes no items of that size");
    const char* const function = Algorithm::name;
    require_scan_arguments(function, in, out, may_be_in_place::yes);
    if (out.size != 0) Algorithm::template launch<Kind>(where, in.data, out.data, out.size, initial, op);
  }
};

}  // namespace ballot::survey
