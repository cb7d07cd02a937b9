// SPDX-License-Identifier: Apache-2.0
// Sums along the rows of a matrix of floats, rows of 10,000 items: forward, and forward and then
// backward.
//
//   ballot                         sums in float
//   ballot_double_float, _double   sums carried in these, rounded where an item is written
//   cub                            DeviceScan::InclusiveSumByKey, the key being the number of the
//                                  row, computed and not read; backward in place over the result,
//                                  by reverse iterators: two passes
//
// The items are small integers, whose sums are exact in float, so all answers have the same bits.
// The reference for both directions is a loop over each row. Bytes: each item read and written
// once, whatever the directions.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"
#include "pieces.cuh"

#include <ballot/batched_scan.cuh>

#include <thrust/iterator/reverse_iterator.h>
#include <cub/device/device_scan.cuh>

#include <algorithm>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = float;
constexpr unsigned row_items = 10'000;

__global__ void scan_rows_by_loops(const T* in, T* out, std::uint64_t rows) {
  const std::uint64_t row = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const T* x = in + row * row_items;
  T* y = out + row * row_items;
  T sum = 0;
  for (unsigned i = 0; i < row_items; ++i) y[i] = sum += x[i];
  sum = 0;
  for (unsigned i = row_items; i-- > 0;) y[i] = sum += y[i];
}

template <class Accumulator>
contender ballot_with(scan_directions directions) {
  const auto rows_of = [](std::uint64_t n) { return batch{.rows = n / row_items, .length = row_items}; };
  return by_ballot([](std::uint64_t n) { return batched_scan_scratch_bytes<T, Accumulator>(n / row_items, row_items); },
                   [=](const auto& gpu, const arrays& a) {
                     batched_scan<Accumulator>(gpu, in<T>(a), out<T>(a), rows_of(a.n), directions);
                   });
}

cudaError_t cub_forward(void* temporary, std::size_t& bytes, const arrays& a) {
  return cub::DeviceScan::InclusiveSumByKey(temporary, bytes, numbers_of_pieces<row_items>(), a.in<T>(), a.out<T>(),
                                            a.length(), ::cuda::std::equal_to<>{}, a.stream);
}
cudaError_t cub_backward_in_place(void* temporary, std::size_t& bytes, const arrays& a) {
  const auto last = thrust::make_reverse_iterator(a.out<T>() + a.n);
  return cub::DeviceScan::InclusiveSumByKey(temporary, bytes, numbers_of_pieces<row_items>(), last, last, a.length(),
                                            ::cuda::std::equal_to<>{}, a.stream);
}

operation rows(const char* name) {
  return {.name = name,
          .bytes_per_item = 2 * sizeof(T),
          .input = small_numbers<T>(),
          .output_bytes = sizeof(T),
          .items = [](std::uint64_t n) { return n / row_items * row_items; },
          .also_at = {100'000'000}};
}

void add_ours(operation& task, scan_directions directions) {
  task.contenders.push_back(ballot_with<same_as_items>(directions));
  task.contenders.push_back(named("ballot_double_float", ballot_with<double_float>(directions)));
  task.contenders.push_back(named("ballot_double", ballot_with<double>(directions)));
}

operation forward() {
  operation task = rows("batched_forward_f32");
  task.contenders.push_back(by_cub(cub_forward));
  add_ours(task, scan_directions::forward);
  return task;
}

operation forward_then_backward() {
  operation task = rows("batched_forward_backward_f32");
  contender reference;
  reference.name = "loops";
  reference.scratch_bytes = no_scratch;
  reference.run = [](const arrays& a) {
    const std::uint64_t count = a.n / row_items;
    scan_rows_by_loops<<<static_cast<unsigned>(count / 64 + 1), 64, 0, a.stream>>>(a.in<T>(), a.out<T>(), count);
    check(cudaGetLastError(), "scan_rows_by_loops");
    return count_on_host{};
  };
  reference.only_reference = true;
  task.contenders.push_back(std::move(reference));
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    std::size_t of_forward = bytes, of_backward = bytes;
    cudaError_t failed = cub_forward(temporary, of_forward, a);
    if (failed == cudaSuccess) failed = cub_backward_in_place(temporary, of_backward, a);
    if (temporary == nullptr) bytes = std::max(of_forward, of_backward);
    return failed;
  }));
  add_ours(task, scan_directions::forward_then_backward);
  return task;
}

}  // namespace

void add_batched_scans(std::vector<operation>& all) {
  all.push_back(forward());
  all.push_back(forward_then_backward());
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
