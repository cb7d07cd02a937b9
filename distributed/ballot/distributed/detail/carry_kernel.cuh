// SPDX-License-Identifier: Apache-2.0
// From the gathered records: whether the ranks agree, what comes before this rank's items, and the total.
#pragma once

#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/distributed/agreement.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot::distributed::detail {

// Where a value is left, unless it is null.
template <class T>
__device__ void leave(T* at, const T& value) {
  if (at != nullptr) *at = value;
}
// Where a count is left, if it is wanted.
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

// One warp; its first thread does all: the ranks are few, and operands stay in their order.
template <class T, class Left, class Op>
__global__ void carry_kernel(carry_arguments<T, Left> a, Op op) {
  if (simt::thread_rank() != 0) return;
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

template <communicator C, class T, class Left, class Op>
void launch_carry(C& comm, stream_t stream, carry_arguments<T, Left> a, Op op) {
  a.all = all_records(comm);
  a.rank = comm.rank();
  a.size = comm.size();
  simt::launch(carry_kernel<T, Left, Op>, simt::launch_config{dim3(1), dim3(32), 0, stream}, a, op);
}

}  // namespace ballot::distributed::detail
