// SPDX-License-Identifier: Apache-2.0
// Sums over all ranks of a communicator, left on the device of each.
//
//     ballot::distributed::sum(comm, gpu, masses, whole);
//     // Need not commute.
//     ballot::distributed::reduce(comm, gpu, maps, affine::identity(), compose{}, whole);
//
// comm      a communicator (communicator.hpp); every rank calls, in the same order, also where it
//           has no items
// in        of this rank, as for reduce of one device (ballot/reduce.cuh); may be `counted`
// result    device address (or device_value) of one T of at most 16 bytes, outside the input
// identity  changes nothing on either side of op
// report on the device: how the ranks' calls differ. Then the result is not written. Without one,
//           the kernel traps
//
// Deterministic: operands are associated by the lengths of the ranks' blocks alone.
//
// Work on the stream: the reduction of this rank's items, a gather of 64 bytes a rank, and a kernel
// of one warp. Waits for nothing.
//
// Scratch: reduce_scratch_bytes<T>(n).
//
// Errors (before any work of this rank, and reported to the other ranks): as for reduce. A current
// device that is not the communicator's is an error, too, but the other ranks are not told, and
// wait for this one.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/distributed/agreement.cuh>
#include <ballot/distributed/detail/carry_kernel.cuh>
#include <ballot/distributed/detail/explain.hpp>
#include <ballot/reduce.cuh>

#include <optional>

namespace ballot::distributed {

/// The output of a reduction beside its result.
struct reduce_options {
  /// How the ranks' calls differ; null: a difference traps.
  device_result<call_report> report = {};
};

namespace detail {

template <communicator C, class In, class T, class Op>
void reduce_items(C& comm, const exec& where, const ballot::detail::input<In>& in, T* result, T identity, Op op,
                  const reduce_options& options, function_id id, const char* function) {
  using namespace ballot::detail;
  const stream_t stream = where.stream();
  const call_record record{.function = id,
                           .item_type = type_id<T>(),
                           .value_type = 0,
                           .refused = 0,
                           .options = 0,
                           .items = in.capacity(),
                           .room = 0,
                           .unused = 0,
                           .value = {}};
  const std::size_t bytes = reduce_scratch_bytes_of<T>(smallest_reduce_shape::blocks(in.capacity()));
  std::optional<scratch_lease> lease;
  check_or_refuse(comm, stream, record, [&] {
    const argument from = argument_of("in", in), length = argument_of("in.length", in.length),
                   to = argument_of("result", device_result<T>(result)), report = argument_of("report", options.report);
    require_not_null(function, {from});
    require(result != nullptr, function, "`result` has no address");
    require_apart(function, {to, report}, {from, length});
    lease.emplace(where, bytes, function, std::initializer_list<argument>{from, length, to, report});
  });
  const exec inner(stream, std::span(lease->base(), bytes));
  write_record(comm, stream, record);
  launch_reduce<device::items_as<T>>(inner, in, reinterpret_cast<T*>(own_record(comm)->value), identity, op, function);
  gather_and_carry(comm, stream,
                   carry_arguments<T>{.all = nullptr,
                                      .rank = 0,
                                      .size = 0,
                                      .identity = identity,
                                      .items = in.length,
                                      .before = nullptr,
                                      .total = result,
                                      .count = nullptr,
                                      .report = options.report.address()},
                   op);
}

}  // namespace detail

// Bytes of scratch for n items of this rank and results of type T. Pure.
template <class T>
std::size_t reduce_scratch_bytes(std::uint64_t n) {
  using namespace ballot::detail;
  return bytes_at_any_address(reduce_scratch_bytes_of<T>(smallest_reduce_shape::blocks(n)));
}

// A device address (or device_value) of one sum, to which an operator applies.
template <class Result, class Identity, class Op>
concept reduction_to = detail::has_result<Result> && ballot::operator_of<Op, ballot::detail::result_t<Result>> &&
                       detail::is_sum<ballot::detail::result_t<Result>> &&
                       std::is_convertible_v<const Identity&, ballot::detail::result_t<Result>>;

// result = op of the items of all ranks, in their order.
template <communicator C, ballot::input_range In, class Identity, class Op, class Result>
  requires reduction_to<Result, Identity, Op>
void reduce(C& comm, const exec& where, const In& in, const Identity& identity, const Op& op, const Result& result,
            const reduce_options& options = {}) {
  detail::reduce_items(comm, where, ballot::detail::as_input(in), device_result(result).address(),
                       static_cast<ballot::detail::result_t<Result>>(identity), op, options,
                       detail::function_id::reduce, "distributed::reduce");
}

// result = the sum of the items of all ranks, in the type of the result. Integers wrap.
template <communicator C, ballot::input_range In, class Result>
  requires reduction_to<Result, ballot::detail::result_t<Result>, plus>
void sum(C& comm, const exec& where, const In& in, const Result& result, const reduce_options& options = {}) {
  detail::reduce_items(comm, where, ballot::detail::as_input(in), device_result(result).address(),
                       ballot::detail::result_t<Result>{}, plus{}, options, detail::function_id::sum,
                       "distributed::sum");
}

// The twins, which say why a call does not compile (core/explain.hpp).
template <class C, class In, class Identity, class Op, class Result>
void reduce(C&, const exec&, const In&, const Identity&, const Op&, const Result&, const reduce_options& = {}) {
  using namespace ballot::detail;
  using T = distributed::detail::known_result_t<Result>;
  ballot::detail::explain<distributed::detail::communicator_check<C>, input_check<In>,
                          distributed::detail::result_check<Result>, distributed::detail::identity_check<Identity, T>,
                          operator_check<Op, T>, distributed::detail::sum_check<T>>();
}
template <class C, class In, class Result>
void sum(C&, const exec&, const In&, const Result&, const reduce_options& = {}) {
  using namespace ballot::detail;
  using T = distributed::detail::known_result_t<Result>;
  ballot::detail::explain<distributed::detail::communicator_check<C>, input_check<In>,
                          distributed::detail::result_check<Result>, operator_check<plus, T>,
                          distributed::detail::sum_check<T>>();
}

}  // namespace ballot::distributed
