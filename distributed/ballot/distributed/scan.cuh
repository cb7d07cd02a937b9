// SPDX-License-Identifier: Apache-2.0
// Prefix sums of an array that lies in blocks on the ranks of a communicator, in the order of the
// ranks.
//
//     ballot::distributed::exclusive_scan(comm, gpu, counts, places);
//     ballot::distributed::inclusive_scan(comm, gpu, heights, lowest, ballot::maximum{}, highest,
//                                         {.total = top});
//
// comm      a communicator (communicator.hpp); every rank calls, in the same order, also where it
//           has no items
// in, out   of this rank, as for the scans of one device (ballot/scan.cuh); `in` may be `counted`;
//           in place too
// identity  changes nothing on either side of op: 0 for plus
// op        associative, need not commute. Without identity and op: sums, from 0
// total     op of the items of all ranks, left on the device of each; also written where no rank
//           has items
// carry     op of the items of the ranks before this one, left on the device. If it is asked for,
//           `out` gets the sums of this rank's items alone, and the caller applies op(carry,
//           out[i]) where they are read
// report    on the device: how the ranks' calls differ. If they differ, nothing else is written. If
//           no report is wanted, the kernel traps
//
// Work on the stream: a reduction of this rank's items, a gather of 64 bytes a rank, and a scan. So
// the items are read twice and written once. A rank has to know the sum of those before it when it
// writes its first item. With a carry: a scan, then the gather, so that items are read once. If the
// ranks differ, `out` has been written then. Waits for nothing; it can be captured where the
// communicator's gather can.
//
// Deterministic where op is truly associative. With `reproducible`, sums of floats have the same
// bits on every run with the same blocks.
//
// Scratch: scan_scratch_bytes<T>(n).
//
// Errors (before any work of this rank, and reported to the other ranks): as for the scans of one
// device. A current device that is not the communicator's is an error, too, but the other ranks are
// not told, and wait for this one.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/distributed/agreement.cuh>
#include <ballot/distributed/detail/carry_kernel.cuh>
#include <ballot/distributed/detail/explain.hpp>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>

#include <algorithm>
#include <cstring>
#include <optional>

namespace ballot::distributed {

/// The options of a scan over ranks.
template <class T>
struct scan_options {
  /// Where the total of all ranks goes; null: not wanted.
  device_result<T> total = {};
  /// Where the sum of the ranks before this one goes, which `out` then leaves out; null: `out` has
  /// it.
  device_result<T> carry = {};
  /// The same bits on every run.
  bool reproducible = false;
  /// How the ranks' calls differ; null: a difference traps.
  device_result<call_report> report = {};
};

// Arguments of scans: an operator on the output's items, and a value that converts to one.
template <class In, class Identity, class Op, class Out>
concept scan_over =
    ballot::operator_of<Op, ballot::detail::item_t<Out>> && detail::is_sum<ballot::detail::item_t<Out>> &&
    std::is_convertible_v<const Identity&, ballot::detail::item_t<Out>> &&
    requires(const ballot::detail::item_t<In>& item) { static_cast<ballot::detail::item_t<Out>>(item); };

namespace detail {

template <class In, class Out>
struct convertible_items_check {
  static constexpr bool ok =
      requires(const ballot::detail::known_item_t<In>& item) { static_cast<ballot::detail::known_item_t<Out>>(item); };
  static consteval void explain() {
    static_assert(ok, "ballot: an item does not convert to a sum. The type of a sum is the output's.");
  }
};

template <class C, class In, class Identity, class Op, class Out>
void explain_scan() {
  using namespace ballot::detail;
  using T = known_item_t<Out>;
  ballot::detail::explain<communicator_check<C>, input_check<In>, output_check<Out>, identity_check<Identity, T>,
                          operator_check<Op, T>, sum_check<T>, convertible_items_check<In, Out>>();
}

template <class T>
struct scan_scratch {
  T* carry;
  std::uint64_t* count;
  std::span<std::byte> rest;

  scan_scratch(ballot::detail::scratch_carver& carver, std::uint64_t n)
      : carry(carver.take<T>(1)), count(carver.take<std::uint64_t>(1)) {
    using namespace ballot::detail;
    const std::size_t bytes = std::max(reduce_scratch_bytes_of<T>(smallest_reduce_shape::blocks(n)), scan_bytes<T>(n));
    rest = {carver.take<std::byte>(bytes), bytes};
  }

  static std::size_t bytes(std::uint64_t n) {
    ballot::detail::scratch_carver measure;
    scan_scratch(measure, n);
    return measure.bytes();
  }
};

}  // namespace detail

// Bytes of scratch for n items of this rank and sums of type T. Pure.
template <class T>
std::size_t scan_scratch_bytes(std::uint64_t n) {
  return ballot::detail::bytes_at_any_address(detail::scan_scratch<T>::bytes(n));
}

namespace detail {

template <device::scan_kind Kind, communicator C, class In, class T, class Op>
void scan_items(C& comm, const exec& where, const ballot::detail::input<In>& in, const ballot::detail::output<T>& out,
                T identity, Op op, const scan_options<T>& options, function_id id, const char* function) {
  using source = device::input_items<In>;
  const std::uint64_t n = in.capacity();
  const stream_t stream = where.stream();
  ballot::detail::scan_call<T, source, Op> call{
      {in.data}, in.length, out, identity, op, {.reproducible = options.reproducible}, function};
  call_record record{.function = id,
                     .item_type = type_id<T>(),
                     .value_type = 0,
                     .refused = 0,
                     .options = std::uint64_t{options.reproducible} |
                                (options.carry.address() != nullptr ? std::uint64_t{2} : std::uint64_t{0}),
                     .items = n,
                     .room = out.size,
                     .unused = 0,
                     .value = {}};
  std::byte* base = nullptr;
  std::optional<ballot::detail::scratch_lease> lease;
  check_or_refuse(comm, stream, record, [&] {
    using ballot::detail::argument_of;
    call.options.total = options.total;  // to be apart from the ranges
    ballot::detail::require_sound(call);
    call.options.total = options.carry;
    ballot::detail::require_sound(call);
    call.options.total = {};
    const ballot::detail::argument report = argument_of("report", options.report);
    ballot::detail::require_apart(
        function,
        {argument_of("out", out), argument_of("total", options.total), argument_of("carry", options.carry), report},
        {});
    ballot::detail::require_apart(function, {report}, {argument_of("in", in), argument_of("in.length", in.length)});
    lease.emplace(where, scan_scratch<T>::bytes(n), function,
                  std::initializer_list<ballot::detail::argument>{
                      argument_of("in", in), argument_of("out", out), argument_of("in.length", in.length),
                      argument_of("total", options.total), argument_of("carry", options.carry),
                      argument_of("report", options.report)});
    base = lease->base();
  });
  ballot::detail::scratch_carver carver(base);
  const scan_scratch<T> scratch(carver, n);
  const exec inner(stream, scratch.rest);

  T* const of_rank = reinterpret_cast<T*>(own_record(comm)->value);
  const bool leaves_carry = options.carry.address() != nullptr;
  std::memcpy(record.value, &identity, sizeof(T));
  static_assert(sizeof(T) <= sizeof record.room + sizeof record.unused);
  std::memcpy(static_cast<void*>(&record.room), &identity, sizeof(T));  // scans have no use for it otherwise
  write_record(comm, stream, record);
  if (leaves_carry) {
    call.device_initial = reinterpret_cast<const T*>(&own_record(comm)->room);  // the identity
    call.options.total = device_result<T>(of_rank);
    ballot::detail::launch_scan<Kind>(inner, call);
  } else {
    ballot::detail::launch_reduce<device::items_as<T>>(inner, in, of_rank, identity, op, function);
  }
  gather_and_carry(comm, stream,
                   carry_arguments<T>{.all = nullptr,
                                      .rank = 0,
                                      .size = 0,
                                      .identity = identity,
                                      .items = in.length,
                                      .before = leaves_carry ? options.carry.address() : scratch.carry,
                                      .total = options.total.address(),
                                      .count = leaves_carry ? nullptr : scratch.count,
                                      .report = options.report.address()},
                   op);
  if (leaves_carry) return;
  call.length = ballot::detail::length_of_count(n, scratch.count);
  call.device_initial = scratch.carry;
  ballot::detail::launch_scan<Kind>(inner, call);
}

}  // namespace detail

// out[i] = the items of the ranks before this one, then in[0] op ... op in[i].
template <communicator C, ballot::input_range In, class Identity, class Op, ballot::output_range Out>
  requires scan_over<In, Identity, Op, Out>
void inclusive_scan(C& comm, const exec& where, const In& in, const Identity& identity, const Op& op, Out&& out,
                    const scan_options<ballot::detail::known_item_t<Out>>& options = {}) {
  detail::scan_items<device::scan_kind::inclusive_device_initial>(
      comm, where, ballot::detail::as_input(in), ballot::detail::as_output(out),
      static_cast<ballot::detail::item_t<Out>>(identity), op, options, detail::function_id::inclusive_scan,
      "distributed::inclusive_scan");
}
template <communicator C, ballot::input_range In, ballot::output_range Out>
  requires scan_over<In, ballot::detail::item_t<Out>, plus, Out>
void inclusive_scan(C& comm, const exec& where, const In& in, Out&& out,
                    const scan_options<ballot::detail::known_item_t<Out>>& options = {}) {
  distributed::inclusive_scan(comm, where, in, ballot::detail::item_t<Out>{}, plus{}, out, options);
}

// out[i] = the items of the ranks before this one, then in[0] op ... op in[i - 1]; the first of all
// is the identity.
template <communicator C, ballot::input_range In, class Identity, class Op, ballot::output_range Out>
  requires scan_over<In, Identity, Op, Out>
void exclusive_scan(C& comm, const exec& where, const In& in, const Identity& identity, const Op& op, Out&& out,
                    const scan_options<ballot::detail::known_item_t<Out>>& options = {}) {
  detail::scan_items<device::scan_kind::exclusive_device_initial>(
      comm, where, ballot::detail::as_input(in), ballot::detail::as_output(out),
      static_cast<ballot::detail::item_t<Out>>(identity), op, options, detail::function_id::exclusive_scan,
      "distributed::exclusive_scan");
}
template <communicator C, ballot::input_range In, ballot::output_range Out>
  requires scan_over<In, ballot::detail::item_t<Out>, plus, Out>
void exclusive_scan(C& comm, const exec& where, const In& in, Out&& out,
                    const scan_options<ballot::detail::known_item_t<Out>>& options = {}) {
  distributed::exclusive_scan(comm, where, in, ballot::detail::item_t<Out>{}, plus{}, out, options);
}

// The twins, which say why a call does not compile (core/explain.hpp).
template <class C, class In, class Identity, class Op, class Out>
void inclusive_scan(C&, const exec&, const In&, const Identity&, const Op&, Out&&,
                    const scan_options<ballot::detail::known_item_t<Out>>& = {}) {
  detail::explain_scan<C, In, Identity, Op, Out>();
}
template <class C, class In, class Out>
void inclusive_scan(C&, const exec&, const In&, Out&&, const scan_options<ballot::detail::known_item_t<Out>>& = {}) {
  detail::explain_scan<C, In, ballot::detail::known_item_t<Out>, plus, Out>();
}
template <class C, class In, class Identity, class Op, class Out>
void exclusive_scan(C&, const exec&, const In&, const Identity&, const Op&, Out&&,
                    const scan_options<ballot::detail::known_item_t<Out>>& = {}) {
  detail::explain_scan<C, In, Identity, Op, Out>();
}
template <class C, class In, class Out>
void exclusive_scan(C&, const exec&, const In&, Out&&, const scan_options<ballot::detail::known_item_t<Out>>& = {}) {
  detail::explain_scan<C, In, ballot::detail::known_item_t<Out>, plus, Out>();
}

}  // namespace ballot::distributed
