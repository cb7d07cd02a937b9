// Sums over all ranks of a communicator, left on the device of each.
//
//     ballot::distributed::sum(comm, gpu, masses, whole);
//     ballot::distributed::reduce(comm, gpu, maps, whole, affine::identity(), compose{});   // in order: need not commute
//
// comm      a communicator (communicator.hpp); every rank calls, in the same order, also where it has no items
// in        of this rank, as for reduce of one device (ballot/reduce.cuh); may be `counted`
// result    device address (or device_value) of one T of at most 16 bytes, outside the input
// identity  changes nothing on either side of op
// report    on the device: what the ranks differ in; then the result is not written. Without one, the kernel traps
//
// Deterministic: operands are associated by the lengths of the ranks' blocks alone. Work on the stream: the reduction of this
// rank's items, a gather of 64 bytes a rank, a kernel of one warp. Waits for nothing. Scratch: reduce_scratch_bytes<T>(n).
// Errors (before any work of this rank, and the other ranks are told): as for reduce; a device that is not the communicator's.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/distributed/agreement.cuh>
#include <ballot/distributed/detail/carry_kernel.cuh>
#include <ballot/reduce.cuh>

#include <optional>

namespace ballot::distributed {

struct reduce_options {
  device_result<call_report> report = {};
};

namespace detail {

template <communicator C, class In, class T, class Op>
void reduce_items(C& comm, const exec& where, const ballot::detail::input<In>& in, T* result, T identity, Op op,
                  const reduce_options& options, function_id id, const char* function) {
  using namespace ballot::detail;
  static_assert(sizeof(T) <= 16, "results have at most 16 bytes");
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
  std::optional<scratch_lease> lease;
  check_or_refuse(comm, stream, record, [&] {
    require_readable(in, function);
    require(result != nullptr, function, "the result has no address");
    require_apart(in.data, in.capacity(), result, 1, function);
    require_apart(in.length, output<T>{result, 1}, function);
    lease.emplace(where, ballot::reduce_scratch_bytes<T>(in.capacity()), function);
  });
  const exec inner(stream, std::span(lease->base(), ballot::reduce_scratch_bytes<T>(in.capacity())));
  write_record(comm, stream, record);
  launch_reduce<device::items_as<T>>(inner, in, reinterpret_cast<T*>(own_record(comm)->value), identity, op, function);
  gather_records(comm, stream);
  launch_carry(comm, stream,
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
  return ballot::reduce_scratch_bytes<T>(n);
}

// result = op of the items of all ranks, in their order.
template <communicator C, ballot::input_range In, class Result, class Op = plus>
void reduce(C& comm, const exec& where, const In& in, const Result& result,
            ballot::detail::result_t<Result> identity = {}, Op op = {}, const reduce_options& options = {}) {
  detail::reduce_items(comm, where, ballot::detail::as_input(in), device_result(result).address(), identity, op,
                       options, detail::function_id::reduce, "distributed::reduce");
}

// result = the sum of the items of all ranks, in the type of the result. Integers wrap.
template <communicator C, ballot::input_range In, class Result>
void sum(C& comm, const exec& where, const In& in, const Result& result, const reduce_options& options = {}) {
  detail::reduce_items(comm, where, ballot::detail::as_input(in), device_result(result).address(),
                       ballot::detail::result_t<Result>{}, plus{}, options, detail::function_id::sum,
                       "distributed::sum");
}

}  // namespace ballot::distributed
