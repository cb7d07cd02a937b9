// SPDX-License-Identifier: Apache-2.0
// Evaluates the gathered records: whether the ranks agree, the sum before this rank's items, and
// the total.
#pragma once

#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/distributed/agreement.cuh>
#include <ballot/distributed/detail/mailbox.cuh>
#include <ballot/simt/simt.cuh>

#include <concepts>

namespace ballot::distributed::detail {

// The address of a value to store, unless it is null.
template <class T>
__device__ void leave(T* at, const T& value) {
  if (at != nullptr) *at = value;
}
// The address of a count to store, if the caller wants it.
struct optional_count {
  device_count count;
  bool is_wanted;

  explicit optional_count(const device_count& of) : count(of), is_wanted(of.address() != nullptr) {}
};
inline __device__ void leave(const optional_count& at, std::uint64_t value) {
  if (at.is_wanted) at.count.store(value);
}

// Left: T* or optional_count.
template <class T, class Left = T*>
struct carry_arguments {
  const call_record* all;
  int rank;
  int size;
  T identity;
  ballot::detail::length items;  // of this rank
  // Results; each may be null.
  Left before;           // identity op the values of the ranks before this one
  Left total;            // ... of all ranks
  std::uint64_t* count;  // the items, or none where the ranks do not agree
  call_report* report;
};

// By one thread: there are few ranks, and operands stay in their order.
template <class T, class Left, class Op>
__device__ void carry(const carry_arguments<T, Left>& a, Op op) {
  const call_report found = compare_calls(a.all, a.size);
  if (a.report != nullptr) *a.report = found;
  if (found.what != difference::none) {
    if (a.count != nullptr) *a.count = 0;
    if (a.report == nullptr) simt::trap();
    return;
  }
  T sum = a.identity;
  for (int r = 0; r < a.size; ++r) {
    if (r == a.rank) leave(a.before, sum);
    sum = op(sum, *reinterpret_cast<const T*>(a.all[r].value));
  }
  leave(a.total, sum);
  if (a.count != nullptr) *a.count = a.items.get();
}

template <class T, class Left, class Op>
__global__ void carry_kernel(carry_arguments<T, Left> a, Op op) {
  if (simt::thread_rank() == 0) carry(a, op);
}

// The call of this rank. If `at` is missing, its record has already been written.
struct own_call {
  call_record record{};
  call_record* at = nullptr;
  const void* value = nullptr;  // a count of so many bytes, 4 or 8, whose low bytes come first
  std::size_t bytes = 0;

  __device__ void write() const {
    call_record written = record;
    if (bytes == 4) *reinterpret_cast<std::uint32_t*>(written.value) = *static_cast<const std::uint32_t*>(value);
    if (bytes == 8) *reinterpret_cast<std::uint64_t*>(written.value) = *static_cast<const std::uint64_t*>(value);
    *at = written;
  }
};

inline constexpr unsigned record_words = sizeof(call_record) / sizeof(std::uint64_t);

// All of it in one launch, if ranks have mailboxes: the record, its exchange, and what follows from
// the records of all.
template <class T, class Left, class Op>
__device__ __forceinline__ void exchange_and_carry(const mailbox& box, const own_call& own, const call_record* mine,
                                                   call_record* all, const carry_arguments<T, Left>& a, Op op) {
  if (simt::thread_rank() == 0 && own.at != nullptr) own.write();
  simt::sync_block();
  const bool is_there = exchange_mail<mail::gather>(box, 0, reinterpret_cast<const std::uint64_t*>(mine),
                                                    reinterpret_cast<std::uint64_t*>(all), record_words);
  simt::sync_block();
  if (is_there && simt::thread_rank() == 0) carry(a, op);
}
template <class T, class Left, class Op>
__global__ void __launch_bounds__(mailbox_threads)
    exchange_and_carry_kernel(mailbox box, own_call own, const call_record* mine, call_record* all,
                              carry_arguments<T, Left> a, Op op) {
  exchange_and_carry(box, own, mine, all, a, op);
}

// If a communicator has mailboxes, mail() says where.
template <class C>
concept has_mailboxes = requires(C& c) {
  { c.mail() } -> std::convertible_to<mailbox>;
  { c.has_mail() } -> std::convertible_to<bool>;
  c.meet_ranks_of_process();
};

// Gathers the records of all ranks, and stores what follows from them.
template <communicator C, class T, class Left, class Op>
void gather_and_carry(C& comm, stream_t stream, carry_arguments<T, Left> a, Op op, own_call own = {}) {
  a.all = all_records(comm);
  a.rank = comm.rank();
  a.size = comm.size();
  const bool is_new = own.record.function != function_id{};
  if constexpr (has_mailboxes<C>) {
    if (comm.has_mail()) {
      if (is_new) own.at = own_record(comm);
      comm.meet_ranks_of_process();
      simt::launch(exchange_and_carry_kernel<T, Left, Op>,
                   simt::launch_config{dim3(1), dim3(mailbox_threads), 0, stream}, comm.mail(), own,
                   static_cast<const call_record*>(own_record(comm)), all_records(comm), a, op);
      return comm.meet_ranks_of_process();
    }
  }
  if (is_new) write_record(comm, stream, own.record);
  if (own.bytes != 0) simt::copy_bytes(stream, own_record(comm)->value, own.value, own.bytes);
  gather_records(comm, stream);
  simt::launch(carry_kernel<T, Left, Op>, simt::launch_config{dim3(1), dim3(32), 0, stream}, a, op);
}

}  // namespace ballot::distributed::detail
