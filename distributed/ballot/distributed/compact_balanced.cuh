// SPDX-License-Identifier: Apache-2.0
// Stream compaction over the ranks of a communicator, after which each of them has as many items as
// the others.
//
//     ballot::distributed::compact_balanced(comm, gpu, bodies, is_alive{}, survivors, alive,
//                                           {.total = all});
//
// comm      a communicator (communicator.hpp); every rank calls, in the same order, also where it
//           has no items
// in, keep  of this rank, as for compact of one device (compact.cuh)
// out       the rank's part of all that is kept, in the order of the ranks. Of K items rank r gets
//           those from r K / size up to (r + 1) K / size. Outputs may be longer; what lies after
//           the part is not written
// count     left on the device: how many items this rank gets. Integers of 4 or 8 bytes, signed or
//           not
// options   offset: where its part begins; total: how many items all ranks keep. Both are left on
//           the device, and are of a type that holds the total. report: left there, too. It says
//           that the ranks agree, since the call throws if they do not
//
// This is for ranks out of balance. If the ranks keep about as many each, compact
// (distributed/compact.cuh) moves nothing between them. Stable; deterministic. Waits once on the
// host, for how many items each rank keeps, so it cannot be captured. Uses the caller's stream, and
// for the exchange one of the communicator's.
//
// Scratch: compact_balanced_scratch_bytes<T...>(ranks, n).
//
// Errors: as for compact, before any work of this rank, and reported to the other ranks. Then, on
// every rank and before any item is sent, `disagreement`, or invalid_argument if an output is too
// short, with the length it needs, or if offset or total of a rank cannot count the total.
// communication_error if others do not answer.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/device/memory.cuh>
#include <ballot/distributed/compact.cuh>
#include <ballot/distributed/detail/messages.cuh>
#include <ballot/distributed/detail/sort_sizes.cuh>

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <vector>

namespace ballot::distributed {

namespace detail {

// At most so many columns: a record has 4 bits for the address of each.
inline constexpr std::size_t most_columns = 16;

template <class... T>
struct balance_scratch {
  std::uint64_t* selected;  // how many
  std::tuple<T*...> columns;
  std::byte* staged;
  std::span<std::byte> rest;

  balance_scratch(ballot::detail::scratch_carver& carver, int ranks, std::uint64_t n)
      : selected(carver.take<std::uint64_t>(1)), columns{carver.take<T>(n)...} {
    staged = carver.take<std::byte>(
        staging::bytes(n * (sizeof(T) + ... + 0), sizeof...(T) * (static_cast<std::size_t>(ranks) + 1)));
    const std::size_t bytes = ballot::compact_scratch_bytes<T...>(n);
    rest = {carver.take<std::byte>(bytes), bytes};
  }
  static std::size_t bytes(int ranks, std::uint64_t n) {
    ballot::detail::scratch_carver measure;
    balance_scratch(measure, ranks, n);
    return measure.bytes();
  }
};

// The places of items among those of all ranks, before and after.
class balance_plan {
 public:
  explicit balance_plan(const std::vector<std::uint64_t>& selected) : begins_{0} {
    for (const std::uint64_t items : selected) begins_.push_back(begins_.back() + items);
  }
  int ranks() const { return static_cast<int>(begins_.size()) - 1; }
  std::uint64_t total() const { return begins_.back(); }
  std::uint64_t selected_from(int rank) const { return begins_[static_cast<std::size_t>(rank)]; }
  std::uint64_t part_from(int rank) const {
    const auto r = static_cast<std::uint64_t>(rank), all = static_cast<std::uint64_t>(ranks());
    return total() / all * r + total() % all * r / all;
  }
  std::uint64_t part(int rank) const { return part_from(rank + 1) - part_from(rank); }

  struct share {
    std::uint64_t from;  // among the items that the source has selected
    std::uint64_t to;    // in the receiver's part
    std::uint64_t items;
  };
  share of(int source, int receiver) const {
    const std::uint64_t begin = std::max(selected_from(source), part_from(receiver)),
                        end = std::min(selected_from(source + 1), part_from(receiver + 1));
    if (begin >= end) return {0, 0, 0};
    return {begin - selected_from(source), begin - part_from(receiver), end - begin};
  }

 private:
  std::vector<std::uint64_t> begins_;
};

// The messages of one column, and the copy of what stays.
template <communicator C, class T>
void balance_column(C& comm, stream_t stream, const balance_plan& plan, std::size_t column,
                    const std::vector<std::uint64_t>& address_bits, T* from, T* to, staging& staged,
                    std::vector<message>& sends, std::vector<message>& receives) {
  const int rank = comm.rank();
  // As the receiver's addresses are, as far as they matter to messages.
  const auto place = [&](int receiver, const balance_plan::share& s) {
    return (address_bits[static_cast<std::size_t>(receiver)] >> 4 * column & 15u) + s.to * sizeof(T);
  };
  for (int peer = 0; peer < comm.size(); ++peer) {
    const balance_plan::share out = plan.of(rank, peer), in = plan.of(peer, rank);
    if (peer == rank) {
      if (out.items != 0) simt::copy_bytes(stream, to + out.to, from + out.from, out.items * sizeof(T));
      continue;
    }
    const std::uint64_t bytes = out.items * sizeof(T);
    cut_into_messages(sends, peer,
                      staged.place(stream, reinterpret_cast<std::byte*>(from + out.from), place(peer, out), bytes),
                      place(peer, out), bytes, comm.most_message_bytes());
    cut_into_messages(receives, peer, reinterpret_cast<std::byte*>(to + in.to), place(rank, in), in.items * sizeof(T),
                      comm.most_message_bytes());
  }
}

template <class... T>
std::uint64_t address_bits_of(const std::tuple<ballot::detail::output<T>...>& outputs) {
  std::uint64_t bits = 0;
  std::size_t column = 0;
  std::apply(
      [&](const auto&... out) {
        ((bits |= (reinterpret_cast<std::uintptr_t>(out.data) & 15u) << 4 * column, ++column), ...);
      },
      outputs);
  return bits;
}

// The items and the room of all ranks, as soon as the host knows them.
template <communicator C>
balance_plan read_balance(C& comm, const char* function, std::vector<std::uint64_t>& address_bits) {
  const auto* const all = reinterpret_cast<const call_record*>(comm.wait());
  if (const call_report found = compare_calls(all, comm.size()); found.what != difference::none)
    throw disagreement(found.rank, std::string("ballot::") + function + ": " + describe(found, all));
  std::vector<std::uint64_t> selected;
  for (int r = 0; r < comm.size(); ++r) {
    selected.push_back(all[r].items);
    address_bits.push_back(all[r].unused);
  }
  balance_plan plan(selected);
  for (int r = 0; r < comm.size(); ++r) {
    std::uint64_t largest = 0;
    std::memcpy(&largest, all[r].value, sizeof largest);
    require_stored(function, r, largest, plan.total());
  }
  for (int r = 0; r < comm.size(); ++r)
    if (all[r].room < plan.part(r))
      ballot::detail::fail(
          function, ballot::detail::joined({"the output of rank ", std::to_string(r), " has room for ",
                                            std::to_string(all[r].room), " items and gets ",
                                            std::to_string(plan.part(r)), " of ", std::to_string(plan.total())}));
  return plan;
}

template <communicator C, class Keep, class... I, class... T>
void compact_columns(C& comm, const exec& where, const std::tuple<I...>& inputs, const Keep& keep,
                     const std::tuple<ballot::detail::output<T>...>& outputs, const device_count& count,
                     const compact_options& options) {
  using namespace ballot::detail;
  constexpr const char* function = "distributed::compact_balanced";
  static_assert(sizeof...(T) <= most_columns, "ballot: a balanced compaction takes up to 16 columns");
  const stream_t stream = where.stream();
  const std::uint64_t n = std::get<0>(inputs).capacity(), room = std::get<0>(outputs).size;
  call_record record = selection_record(function_id::compact_balanced, inputs);
  record.room = room;
  record.unused = address_bits_of(outputs);
  const std::uint64_t largest = largest_stored({options.offset, options.total});
  std::memcpy(record.value, &largest, sizeof largest);
  std::optional<scratch_lease> lease;
  std::optional<balance_scratch<T...>> scratch;
  check_or_refuse(comm, stream, record, [&] {
    require_offset_and_total(function, where, options, count, outputs, 0);
    require_count(function, "count", count, room);
    std::apply([&](const auto&... out) { (require_same_length(function, "out", room, "out", out.size), ...); },
               outputs);
    std::vector<argument> read, written{argument_of("count", count)};
    std::apply([&](const auto&... in) { (read.push_back(argument_of("in", in)), ...); }, inputs);
    std::apply([&](const auto&... out) { (written.push_back(argument_of("out", out)), ...); }, outputs);
    require_not_null(function, written);
    require_apart(function, written, read);
    read.insert(read.end(), written.begin(), written.end());
    require_apart(function,
                  std::initializer_list<argument>{{"scratch", where.scratch().data(), where.scratch().size()}},
                  std::span<const argument>(read));
    lease.emplace(where, balance_scratch<T...>::bytes(comm.size(), n), function);
    scratch_carver carver(lease->base());
    scratch.emplace(carver, comm.size(), n);
    write_record(comm, stream, record);
    const auto selected = std::apply(
        [&](auto*... column) {
          return std::tuple(output<T>{column, n}...);
        },
        scratch->columns);
    ballot::detail::compact(exec(stream, scratch->rest), inputs, keep, selected, device_count(scratch->selected));
  });
  simt::copy_bytes(stream, &own_record(comm)->items, scratch->selected, sizeof(std::uint64_t));
  gather_records(comm, stream);
  comm.read_back(stream, all_records(comm), static_cast<std::size_t>(comm.size()) * sizeof(call_record));
  std::vector<std::uint64_t> address_bits;
  const balance_plan plan = read_balance(comm, function, address_bits);

  const int rank = comm.rank();
  std::vector<message> sends, receives;
  staging staged(scratch->staged);
  [&]<std::size_t... Column>(std::index_sequence<Column...>) {
    (balance_column(comm, stream, plan, Column, address_bits, std::get<Column>(scratch->columns),
                    std::get<Column>(outputs).data, staged, sends, receives),
     ...);
  }(std::index_sequence_for<T...>{});
  comm.start_exchange(stream, std::span<const message>(sends), std::span<const message>(receives));
  // Whatever fails here: the other ranks count on the exchange, the next call would end this one in
  // place of its own, and scratch is freed only after it.
  std::exception_ptr failure;
  try {
    const sort_sizes at{optional_count(count), optional_count(options.offset), optional_count(options.total),
                        options.report.address()};
    launch_one(stream, leave_sizes_kernel<sort_sizes>, at, plan.part(rank), plan.part_from(rank), plan.total());
  } catch (...) {
    failure = std::current_exception();
  }
  comm.finish_exchange(stream);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace detail

/// Bytes of scratch for n items of this rank with columns T.... Pure. Throws invalid_argument where
/// there are no ranks.
template <class... T>
std::size_t compact_balanced_scratch_bytes(int ranks, std::uint64_t n) {
  ballot::detail::require(ranks >= 1, "distributed::compact_balanced_scratch_bytes", "no ranks");
  return ballot::detail::bytes_at_any_address(detail::balance_scratch<T...>::bytes(ranks, n));
}

/// Compacts, and moves items between ranks until all have as many.
template <communicator C, ballot::input_table In, ballot::selector_of<In> Keep, ballot::output_table_of<In> Out>
void compact_balanced(C& comm, const exec& where, const In& in, const Keep& keep, Out&& out, device_count count,
                      const compact_options& options = {}) {
  detail::compact_columns(comm, where, ballot::detail::as_inputs(in), keep, ballot::detail::as_outputs(out), count,
                          options);
}
// The twin, which says why a call does not compile (core/explain.hpp).
template <class C, class In, class Keep, class Out, class Count>
  requires(!communicator<C> || !ballot::detail::compact_checks<In, Keep, Out, Count>::ok)
void compact_balanced(C&, const exec&, const In&, const Keep&, Out&&, const Count&, const compact_options& = {}) {
  using namespace ballot::detail;
  checks<distributed::detail::communicator_check<C>, compact_checks<In, Keep, Out, Count>>::failing::explain();
}

}  // namespace ballot::distributed
