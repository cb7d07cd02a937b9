// SPDX-License-Identifier: Apache-2.0
// The instances of scans and reductions: included by the sources that library/instances.cmake
// generates.
#pragma once

#include <ballot/batched_scan.cuh>
#include <ballot/c/operators.cuh>
#include <ballot/c/scan.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>
#include <ballot/views.cuh>

#include <cstring>
#include <type_traits>

namespace ballot_c {

// A value of the caller's on the host; null: `otherwise`.
template <class T>
T host_value(const void* from, T otherwise = T{}) {
  if (from != nullptr) std::memcpy(static_cast<void*>(&otherwise), from, sizeof(T));
  return otherwise;
}

// Sums of 16-bit floats are taken in float, and rounded where they are stored: also the total.
template <class U>
struct rounded_sums : ballot::detail::cast_output<float, output<U>> {
  using total_type = U;
  static constexpr bool may_be_input = true;
};
template <class U>
ballot::detail::view_output<rounded_sums<U>> make_rounded_sums(void* out, std::uint64_t items) {
  return {{{{{static_cast<U*>(out), items}}}}, items};
}
template <class U>
struct as_float {
  __device__ float operator()(const U& item) const { return static_cast<float>(item); }
};

template <class U, class Op>
void scan_rounded(const ballot::exec& where, const scan_request& r, const Op& op) {
  using ballot::device::scan_kind;
  using rounded = ballot::detail::view_output<rounded_sums<U>>;
  const ballot::detail::scan_call<float, ballot::device::input_items<U>, Op, rounded> call{
      .in = {static_cast<const U*>(r.in)},
      .length = r.length,
      .out = make_rounded_sums<U>(r.out, r.out_items),
      .initial = static_cast<float>(host_value<U>(r.initial, U(0.0f))),
      .op = op,
      .options = {.total = static_cast<float*>(r.total), .order = r.order, .reproducible = r.reproducible},
      .function = r.function,
      .in_name = r.in_name,
      .out_name = r.out_name};
  if (r.is_exclusive) ballot::detail::launch_scan<scan_kind::exclusive>(where, call);
  else ballot::detail::launch_scan<scan_kind::inclusive>(where, call);
}

template <class T, class Input, class Op>
void scan_in_type_of_sums(const ballot::exec& where, const scan_request& r, const Op& op) {
  using ballot::device::scan_kind;
  using stored = typename Input::stored;
  const ballot::detail::scan_call<T, Input, Op> call{
      .in = {static_cast<const stored*>(r.in)},
      .length = r.length,
      .out = {static_cast<T*>(r.out), r.out_items},
      .initial = host_value<T>(r.initial),
      .op = op,
      .options = {.total = static_cast<T*>(r.total), .order = r.order, .reproducible = r.reproducible},
      .function = r.function,
      .appends_total = r.appends_total,
      .in_name = r.in_name,
      .out_name = r.out_name};
  if (r.is_exclusive) ballot::detail::launch_scan<scan_kind::exclusive>(where, call);
  else ballot::detail::launch_scan<scan_kind::inclusive>(where, call);
}

template <class T, class Input, class Op>
void scan(const ballot::exec& where, const scan_request& r, const Op& op) {
  if constexpr (is_short_float<T>) return scan_rounded<T>(where, r, op);
  else scan_in_type_of_sums<T, Input>(where, r, op);
}

// Sum: the type of the sums.
template <class Sum, class In, class Out, class Op>
void segmented_scan_of(const ballot::exec& where, const segmented_scan_request& r, const In& in, const Out& out,
                       Sum initial, const Op& op) {
  using ballot::device::scan_kind;
  const ballot::bit_flags heads{std::span(r.words, static_cast<std::size_t>(r.word_count))};
  const auto run = [&]<scan_kind Kind, bool Backward>() {
    ballot::detail::segmented_scan<Kind, Sum, Backward>(where, in, heads, out, initial, op, r.function);
  };
  if (r.is_exclusive) {
    if (r.is_backward) run.template operator()<scan_kind::exclusive, true>();
    else run.template operator()<scan_kind::exclusive, false>();
  } else {
    if (r.is_backward) run.template operator()<scan_kind::inclusive, true>();
    else run.template operator()<scan_kind::inclusive, false>();
  }
}
template <class T, class Op>
void segmented_scan(const ballot::exec& where, const segmented_scan_request& r, const Op& op) {
  const auto* const items = static_cast<const T*>(r.in);
  if constexpr (is_short_float<T>) {  // as those of scans
    const ballot::transformed view{std::span(items, static_cast<std::size_t>(r.length.capacity)), as_float<T>{}};
    segmented_scan_of(where, r, ballot::detail::view_input{view, r.length}, make_rounded_sums<T>(r.out, r.out_items),
                      static_cast<float>(host_value<T>(r.initial, T(0.0f))), op);
  } else {
    segmented_scan_of(where, r, input<T>{items, r.length}, output<T>{static_cast<T*>(r.out), r.out_items},
                      host_value<T>(r.initial), op);
  }
}

template <class T, class In, class Op>
void reduce(const ballot::exec& where, const ballot_array& in, const void* initial, const Op& op, void* result) {
  using sum = std::conditional_t<is_short_float<T>, float, T>;  // as those of scans, rounded once
  ballot::detail::launch_reduce<ballot::device::items_as<sum>>(where, input_of<In>(in), static_cast<T*>(result),
                                                               static_cast<sum>(host_value<T>(initial)), op, "reduce");
}

template <class U>
void arg_first(const ballot::exec& where, const char* function, const ballot_array& in, const type_info& type,
               ballot::direction direction, void* result) {
  using first = first_by<U>;
  ballot::detail::launch_reduce<first>(where, input_of<U>(in), static_cast<ballot::indexed<U>*>(result),
                                       ballot::indexed<U>{}, first{numbers_of<U>(type, direction)}, function);
}

template <class T, class Accumulator>
void batched_scan(const ballot::exec& where, const ballot_array& in, const ballot_array& out, const ballot_batch& b,
                  bool forward, bool backward) {
  ballot::detail::launch_batched_scan<Accumulator>(where, input_of<T>(in), {b.rows, b.length, b.pitch},
                                                   output_of<T>(out), {b.rows, b.length, b.out_pitch}, forward,
                                                   backward, "batched_scan");
}

}  // namespace ballot_c
