// SPDX-License-Identifier: Apache-2.0
// The first item of each run of equal items over the ranks of a communicator: runs go on from rank
// to rank.
//
//     ballot::distributed::unique(comm, gpu, sorted_cells, cells, cell_count,
//                                 {.offset = first, .total = all});
//
// comm             a communicator (communicator.hpp); every rank calls, in the same order, also
//                  where it has no items
// in, same, count  of this rank, as for unique of one device (unique.cuh); items have up to 16
//                  bytes. A run's item is kept by the rank where the run begins
// out              with room for all items of this rank, though fewer are kept. Items after the
//                  kept ones are unspecified
// options          offset, total, report: as for compact (distributed/compact.cuh)
//
// No item goes to another rank, except the ends of runs in the gather of 64 bytes a rank. Stable,
// in the order of the ranks; deterministic.
//
// Work on the stream: unique of one device, the gather, three small kernels. If a rank's first run
// began on a rank before, its selected items are moved up by one: read and written once more. Waits
// for nothing.
//
// Scratch: distributed::unique_scratch_bytes<T>(n).
//
// Errors (before any work of this rank, and reported to the other ranks): as for unique; an output
// that is too short. A current device that is not the communicator's is an error, too, but the
// other ranks are not told, and wait for this one.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/device/memory.cuh>
#include <ballot/distributed/compact.cuh>
#include <ballot/distributed/detail/run_ends_kernels.cuh>
#include <ballot/unique.cuh>

#include <optional>

namespace ballot::distributed {

/// A relation on items of up to 16 bytes, and their ranges.
template <class In, class Same, class Out>
concept unique_over = ballot::input_range<In> && ballot::relation_of<Same, ballot::detail::item_t<In>> &&
                      ballot::output_range_of<Out, In> && sizeof(ballot::detail::item_t<In>) <= 16;

namespace detail {

template <class T>
struct unique_scratch {
  std::uint64_t* moved;
  T* saved;
  std::span<std::byte> rest;

  unique_scratch(ballot::detail::scratch_carver& carver, std::uint64_t n)
      : moved(carver.take<std::uint64_t>(1)), saved(carver.take<T>(saved_tiles(n))) {
    const std::size_t bytes = ballot::detail::heads_scratch_bytes<ballot::detail::unique_shapes<T>>(n);
    rest = {carver.take<std::byte>(bytes), bytes};
  }
  static std::size_t bytes(std::uint64_t n) {
    ballot::detail::scratch_carver measure;
    unique_scratch(measure, n);
    return measure.bytes();
  }
};

template <communicator C, class T, class Same>
void unique_items(C& comm, const exec& where, const ballot::detail::input<T>& in, const Same& same,
                  const ballot::detail::output<T>& out, const device_count& count, const compact_options& options) {
  using namespace ballot::detail;
  constexpr const char* function = "distributed::unique";
  const stream_t stream = where.stream();
  const std::uint64_t n = in.capacity();
  const call_record record = selection_record(function_id::unique, std::tuple(in));
  std::optional<scratch_lease> lease;
  std::optional<unique_scratch<T>> scratch;
  check_or_refuse(comm, stream, record, [&] {
    require_offset_and_total(function, where, options, count, std::tuple(out), n);
    require(out.size >= n, function, "`out` has no room for all items of this rank, whose first may have to go");
    lease.emplace(where, unique_scratch<T>::bytes(n), function,
                  std::initializer_list<argument>{argument_of("in", in), argument_of("in.length", in.length),
                                                  argument_of("out", out), argument_of("count", count)});
    scratch_carver carver(lease->base());
    scratch.emplace(carver, n);
    write_record(comm, stream, record);
    // Checks the rest before it launches anything.
    ballot::detail::unique(exec(stream, scratch->rest), in, same, out, count);
  });
  simt::launch(record_run_ends_kernel<T, call_record>, simt::launch_config{dim3(1), dim3(32), 0, stream},
               own_record(comm), in.data, in.length, length{n, count.address(), count.type()});
  gather_records(comm, stream);
  const join_runs_arguments<T, call_record> join{.all = all_records(comm),
                                                 .rank = comm.rank(),
                                                 .size = comm.size(),
                                                 .capacity = n,
                                                 .count = count,
                                                 .offset = optional_count(options.offset),
                                                 .total = optional_count(options.total),
                                                 .moved = scratch->moved,
                                                 .report = options.report.address()};
  simt::launch(join_runs_kernel<T, call_record, Same>, simt::launch_config{dim3(1), dim3(32), 0, stream}, join, same);
  launch_move_up(stream, out.data, n, scratch->moved, scratch->saved);
}

template <class In>
struct run_item_check {
  static constexpr bool ok = std::is_same_v<ballot::detail::known_item_t<In>, ballot::detail::unknown> ||
                             sizeof(ballot::detail::known_item_t<In>) <= 16;
  static consteval void explain() {
    static_assert(ok, "ballot: items of runs over several ranks have at most 16 bytes, which go with a rank's record.");
  }
};

}  // namespace detail

/// Bytes of scratch for n items T of this rank. Pure.
template <class T>
std::size_t unique_scratch_bytes(std::uint64_t n) {
  return ballot::detail::bytes_at_any_address(detail::unique_scratch<T>::bytes(n));
}

/// The first item of each run.
template <communicator C, class In, class Same, class Out>
  requires unique_over<In, Same, Out>
void unique(C& comm, const exec& where, const In& in, const Same& same, Out&& out, device_count count,
            const compact_options& options = {}) {
  detail::unique_items(comm, where, ballot::detail::as_input(in), same, ballot::detail::as_output(out), count, options);
}
template <communicator C, class In, class Out>
  requires unique_over<In, equal_to, Out>
void unique(C& comm, const exec& where, const In& in, Out&& out, device_count count,
            const compact_options& options = {}) {
  detail::unique_items(comm, where, ballot::detail::as_input(in), equal_to{}, ballot::detail::as_output(out), count,
                       options);
}

// The twins, which say why a call does not compile (core/explain.hpp).
template <class C, class In, class Same, class Out, class Count>
  requires((!communicator<C> || !unique_over<In, Same, Out> || !ballot::detail::count_check<Count>::ok) &&
           !std::is_same_v<Count, compact_options>)
void unique(C&, const exec&, const In&, const Same&, Out&&, const Count&, const compact_options& = {}) {
  using namespace ballot::detail;
  checks<distributed::detail::communicator_check<C>, distributed::detail::run_item_check<In>,
         unique_checks<In, Same, Out, Count>>::failing::explain();
}
template <class C, class In, class Out, class Count>
  requires(!communicator<C> || !unique_over<In, equal_to, Out> || !ballot::detail::count_check<Count>::ok)
void unique(C&, const exec&, const In&, Out&&, const Count&, const compact_options& = {}) {
  using namespace ballot::detail;
  checks<distributed::detail::communicator_check<C>, distributed::detail::run_item_check<In>,
         unique_checks<In, equal_to, Out, Count>>::failing::explain();
}

}  // namespace ballot::distributed
