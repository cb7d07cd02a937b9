// Stream compaction over the ranks of a communicator: each keeps what it keeps, and learns its place among all.
//
//     ballot::distributed::compact(comm, gpu, particles, is_alive{}, survivors, alive, {.offset = first, .total = all});
//     ballot::distributed::count_if(comm, gpu, particles, is_alive{}, alive, {.total = all});
//
// comm     a communicator (communicator.hpp); every rank calls, in the same order, also where it has no items
// in, keep, out   of this rank, as for compact and count_if of one device (compact.cuh, count_if.cuh)
// count    of this rank: on the device, one std::uint64_t, as are offset and total
// offset   left on the device: how many items the ranks before this one keep, so that the ranks' outputs follow each other
// total    left on the device of each rank: how many items all of them keep
// report   on the device: what the ranks differ in; then offset and total are not written. Without one, the kernel traps
//
// No item goes to another rank. Stable, in the order of the ranks; deterministic. Work on the stream: that of the call of
// one device, a gather of 64 bytes a rank, a kernel of one warp. Waits for nothing. Scratch: that of the call of one
// device. Errors (before any work of this rank, and the other ranks are told): as for that; a device that is not the
// communicator's.
#pragma once

#include <ballot/compact.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/count_if.cuh>
#include <ballot/distributed/agreement.cuh>
#include <ballot/distributed/detail/carry_kernel.cuh>

#include <optional>

namespace ballot::distributed {

struct compact_options {
  device_result<std::uint64_t> offset = {};
  device_result<std::uint64_t> total = {};
  device_result<call_report> report = {};
};

namespace detail {

// The rank's count is in its record: all learn of all.
template <communicator C>
void place_counts(C& comm, stream_t stream, const compact_options& options) {
  gather_records(comm, stream);
  launch_carry(comm, stream,
               carry_arguments<std::uint64_t>{.all = nullptr,
                                              .rank = 0,
                                              .size = 0,
                                              .identity = 0,
                                              .items = {0, nullptr},
                                              .before = options.offset.address(),
                                              .total = options.total.address(),
                                              .count = nullptr,
                                              .report = options.report.address()},
               plus{});
}
template <communicator C>
void write_count(C& comm, stream_t stream, const device_result<std::uint64_t>& count) {
  simt::copy_bytes(stream, own_record(comm)->value, count.address(), sizeof(std::uint64_t));
}

template <class In>
call_record selection_record(function_id id, const In& inputs) {
  using first = std::tuple_element_t<0, In>;
  return {.function = id,
          .item_type = type_id<typename first::value_type>(),
          .value_type = static_cast<std::uint32_t>(std::tuple_size_v<In>) << 4,
          .refused = 0,
          .options = 0,
          .items = std::get<0>(inputs).capacity(),
          .room = 0,
          .unused = 0,
          .value = {}};
}

// offset and total are apart from each other and from all else that is written.
template <class Written>
void require_places_apart(const compact_options& options, const device_result<std::uint64_t>& count,
                          const Written& written, const char* function) {
  using namespace ballot::detail;
  const argument places[] = {argument_of("options.offset", options.offset),
                             argument_of("options.total", options.total)};
  const argument of_count = argument_of("count", count);
  require_apart(function, places, std::span(&of_count, 1));
  require_apart(function, places, arguments_of("out", written));
}

}  // namespace detail

template <communicator C, ballot::input_table In, class Keep, ballot::output_table Out>
void compact(C& comm, const exec& where, const In& in, const Keep& keep, Out&& out, device_result<std::uint64_t> count,
             const compact_options& options = {}) {
  constexpr const char* function = "distributed::compact";
  const auto inputs = ballot::detail::as_inputs(in);
  const auto record = detail::selection_record(detail::function_id::compact, inputs);
  // The call of one device checks all there is to check before it launches anything.
  detail::check_or_refuse(comm, where.stream(), record, [&] {
    const auto kept = ballot::detail::as_outputs(out);
    detail::require_places_apart(options, count, kept, function);
    detail::write_record(comm, where.stream(), record);
    ballot::compact(where, in, keep, out, count.address());
  });
  detail::write_count(comm, where.stream(), count);
  detail::place_counts(comm, where.stream(), options);
}

template <communicator C, ballot::input_table In, class Keep>
void count_if(C& comm, const exec& where, const In& in, const Keep& keep, device_result<std::uint64_t> count,
              const compact_options& options = {}) {
  constexpr const char* function = "distributed::count_if";
  const auto inputs = ballot::detail::as_inputs(in);
  const auto record = detail::selection_record(detail::function_id::count_if, inputs);
  detail::check_or_refuse(comm, where.stream(), record, [&] {
    detail::require_places_apart(options, count, std::tuple(), function);
    detail::write_record(comm, where.stream(), record);
    ballot::count_if(where, in, keep, count.address());
  });
  detail::write_count(comm, where.stream(), count);
  detail::place_counts(comm, where.stream(), options);
}

}  // namespace ballot::distributed
