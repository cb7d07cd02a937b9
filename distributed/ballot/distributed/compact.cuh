// SPDX-License-Identifier: Apache-2.0
// Stream compaction over the ranks of a communicator: each keeps what it keeps, and learns its
// place among all.
//
//     ballot::distributed::compact(comm, gpu, bodies, is_alive{}, survivors, alive,
//                                  {.offset = first, .total = all});
//     ballot::distributed::count_if(comm, gpu, bodies, is_alive{}, alive, {.total = all});
//
// comm                  a communicator (communicator.hpp); every rank calls, in the same order,
//                       also where it has no items
// in, keep, out, count  of this rank, as for compact and count_if of one device (compact.cuh,
//                       count_if.cuh)
// offset                left on the device: how many items the ranks before this one keep, so that
//                       the outputs follow each other
// total                 left on the device of each rank: how many items all of them keep
// report                on the device: how the ranks' calls differ. Then offset and total are not
//                       written. Without it, the kernel traps
//
// Counts, offsets and totals are integers of 4 or 8 bytes, signed or not. offset and total are of a
// type that holds the items of all ranks. Before the call only this is checked: that it holds those
// of this rank.
//
// No item goes to another rank. Stable, in the order of the ranks; deterministic.
//
// Work on the stream: that of the call of one device, a gather of 64 bytes a rank, and a kernel of
// one warp. Waits for nothing.
//
// Scratch: that of the call of one device.
//
// Errors (before any work of this rank, and reported to the other ranks): as for the call of one
// device. A current device that is not the communicator's is an error, too, but the other ranks are
// not told, and wait for this one.
#pragma once

#include <ballot/compact.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/count_if.cuh>
#include <ballot/distributed/agreement.cuh>
#include <ballot/distributed/detail/carry_kernel.cuh>
#include <ballot/distributed/detail/explain.hpp>

#include <tuple>

namespace ballot::distributed {

/// The results of a compaction or a count beside this rank's count.
struct compact_options {
  /// How many items the ranks before this one select; null: not wanted.
  device_count offset = {};
  /// How many items all ranks select; null: not wanted.
  device_count total = {};
  /// How the ranks' calls differ; null: a difference traps.
  device_result<call_report> report = {};
};

namespace detail {

// With the rank's count in its record all learn of all.
template <communicator C>
void place_counts(C& comm, stream_t stream, const call_record& record, const device_count& count,
                  const compact_options& options) {
  gather_and_carry(comm, stream,
                   carry_arguments<std::uint64_t, optional_count>{.all = nullptr,
                                                                  .rank = 0,
                                                                  .size = 0,
                                                                  .identity = 0,
                                                                  .items = {0, nullptr},
                                                                  .before = optional_count(options.offset),
                                                                  .total = optional_count(options.total),
                                                                  .count = nullptr,
                                                                  .report = options.report.address()},
                   plus{},
                   own_call{.record = record, .at = nullptr, .value = count.address(), .bytes = count.type().bytes()});
}

template <class... I>
call_record selection_record(function_id id, const std::tuple<I...>& inputs) {
  using first = std::tuple_element_t<0, std::tuple<I...>>;
  return {.function = id,
          .item_type = type_id<typename first::value_type>(),
          .value_type = columns_id<typename I::value_type...>(),
          .refused = 0,
          .options = 0,
          .items = std::get<0>(inputs).capacity(),
          .room = 0,
          .unused = 0,
          .value = {}};
}

// offset, total and report are apart from each other and from all else that is written. offset and
// total hold the items of this rank at least.
template <class Written>
void require_offset_and_total(const char* function, const exec& where, const compact_options& options,
                              const device_count& count, const Written& written, std::uint64_t n) {
  using namespace ballot::detail;
  const argument offset = argument_of("offset", options.offset), total = argument_of("total", options.total),
                 report = argument_of("report", options.report),
                 scratch{"scratch", where.scratch().data(), where.scratch().size()};
  std::apply(
      [&](const auto&... out) {
        [[maybe_unused]] int column = 0;
        require_apart(function, {offset, total, report},
                      {argument_of("count", count), argument_of("out", out, sizeof...(out) > 1 ? column++ : -1)...});
      },
      written);
  require_apart(function, {scratch}, {offset, total, report});
  if (offset.begin != nullptr) require_count(function, "offset", options.offset, n);
  if (total.begin != nullptr) require_count(function, "total", options.total, n);
}

}  // namespace detail

template <communicator C, ballot::input_table In, ballot::selector_of<In> Keep, ballot::output_table_of<In> Out>
void compact(C& comm, const exec& where, const In& in, const Keep& keep, Out&& out, device_count count,
             const compact_options& options = {}) {
  constexpr const char* function = "distributed::compact";
  const auto inputs = ballot::detail::as_inputs(in);
  const auto record = detail::selection_record(detail::function_id::compact, inputs);
  // The call of one device checks all there is to check before it launches anything.
  detail::check_or_refuse(comm, where.stream(), record, [&] {
    detail::require_offset_and_total(function, where, options, count, ballot::detail::as_outputs(out), record.items);
    ballot::compact(where, in, keep, out, count);
  });
  detail::place_counts(comm, where.stream(), record, count, options);
}

/// How many items of this rank are selected; see above for the offset and the total.
template <communicator C, ballot::input_table In, ballot::selector_of<In> Keep>
void count_if(C& comm, const exec& where, const In& in, const Keep& keep, device_count count,
              const compact_options& options = {}) {
  constexpr const char* function = "distributed::count_if";
  const auto inputs = ballot::detail::as_inputs(in);
  const auto record = detail::selection_record(detail::function_id::count_if, inputs);
  detail::check_or_refuse(comm, where.stream(), record, [&] {
    detail::require_offset_and_total(function, where, options, count, std::tuple(), record.items);
    ballot::count_if(where, in, keep, count);
  });
  detail::place_counts(comm, where.stream(), record, count, options);
}

// The twins, which say why a call does not compile (core/explain.hpp).
template <class C, class In, class Keep, class Out, class Count>
  requires(!communicator<C> || !ballot::detail::compact_checks<In, Keep, Out, Count>::ok)
void compact(C&, const exec&, const In&, const Keep&, Out&&, const Count&, const compact_options& = {}) {
  using namespace ballot::detail;
  checks<distributed::detail::communicator_check<C>, compact_checks<In, Keep, Out, Count>>::failing::explain();
}
template <class C, class In, class Keep, class Count>
  requires(!communicator<C> || !ballot::detail::count_if_checks<In, Keep, Count>::ok)
void count_if(C&, const exec&, const In&, const Keep&, const Count&, const compact_options& = {}) {
  using namespace ballot::detail;
  checks<distributed::detail::communicator_check<C>, count_if_checks<In, Keep, Count>>::failing::explain();
}

}  // namespace ballot::distributed
