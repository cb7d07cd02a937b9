// SPDX-License-Identifier: Apache-2.0
// Mistakes in calls of scans and reductions, one for each number of MISTAKE, and what the compiler
// says to each (mistakes_test.py). Without MISTAKE, the file compiles.
#include <ballot/batched_scan.cuh>
#include <ballot/bit_ranks.cuh>
#include <ballot/blockwise_scan.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/device/memory.cuh>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#ifndef MISTAKE
#  define MISTAKE 0
#endif

using ballot::exec;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using items = std::span<const u32>;
using sums = ballot::device_array<u32>;

struct larger {
  __device__ u32 operator()(u32 a, u32 b) const { return a < b ? b : a; }
};
struct of_strings {
  __device__ std::string operator()(const std::string& a, const std::string&) const { return a; }
};
struct holds_memory {
  std::vector<u32> table;
  __device__ u32 operator()(u32 a, u32 b) const { return a + b; }
};
struct wide {
  u64 words[5];
};

#if MISTAKE == 1
// says: a range stands where a function object is expected
void operator_behind_the_output(const exec& gpu, items in, sums& out) {
  ballot::inclusive_scan(gpu, in, out, larger{});
}
#endif

#if MISTAKE == 2
// says: a range or pointer stands where the initial value is expected
void initial_behind_the_output(const exec& gpu, items in, sums& out) { ballot::exclusive_scan(gpu, in, out, 5u); }
#endif

#if MISTAKE == 3
// says: a range or pointer stands where the initial value is expected
void initial_and_operator_behind_the_output(const exec& gpu, items in, sums& out) {
  ballot::exclusive_scan(gpu, in, out, 5u, larger{});
}
#endif

#if MISTAKE == 4
// says: a function object stands where the initial value is expected
void no_initial_value(const exec& gpu, items in, sums& out) { ballot::exclusive_scan(gpu, in, larger{}, out); }
#endif

#if MISTAKE == 5
// says: a number stands where a function object is expected
void number_for_operator(const exec& gpu, items in, sums& out) { ballot::inclusive_scan(gpu, in, 0, 1, out); }
#endif

#if MISTAKE == 6
// says: the operator cannot be called with two sums
void operator_of_other_sums(const exec& gpu, items in, sums& out) {
  ballot::inclusive_scan(gpu, in, of_strings{}, out);
}
#endif

#if MISTAKE == 7
// says: it must be trivially copyable
void operator_with_memory(const exec& gpu, items in, sums& out, const holds_memory& op) {
  ballot::inclusive_scan(gpu, in, op, out);
}
#endif

#if MISTAKE == 8
// says: the output is const
void const_output(const exec& gpu, items in) { ballot::inclusive_scan(gpu, in, in); }
#endif

#if MISTAKE == 9
// says: a pointer does not know its length
void pointer_output(const exec& gpu, items in, u32* out) { ballot::exclusive_scan(gpu, in, out, {.total = out}); }
#endif

#if MISTAKE == 10
// says: an iterator is not accepted
void iterator_output(const exec& gpu, items in, std::vector<u32>& out) {
  ballot::exclusive_scan(gpu, in, 1u, larger{}, out.begin());
}
#endif

#if MISTAKE == 11
// says: lies in the host's memory
void host_output(const exec& gpu, items in, std::vector<u32>& out) { ballot::inclusive_scan(gpu, in, out); }
#endif

#if MISTAKE == 12
// says: flags are items of one byte
void wide_flags(const exec& gpu, items flags, sums& ranks) { ballot::exclusive_scan_flags(gpu, flags, ranks); }
#endif

#if MISTAKE == 13
// says: ranks are integers
void float_ranks(const exec& gpu, std::span<const bool> flags, std::span<float> ranks) {
  ballot::inclusive_scan_flags(gpu, flags, ranks);
}
#endif

#if MISTAKE == 14
// says: the result, or total, is stored as another type
void total_of_another_type(const exec& gpu, items in, sums& out, ballot::device_value<u64>& total) {
  ballot::inclusive_scan(gpu, in, out, {.total = total});
}
#endif

#if MISTAKE == 15
// says: the result, or total, is stored as another type
void offsets_total_of_another_type(const exec& gpu, items counts, sums& offsets, u64* total) {
  ballot::counts_to_offsets(gpu, counts, offsets, total);
}
#endif

#if MISTAKE == 16
// says: does not convert to a sum, static_cast
void items_that_do_not_convert(const exec& gpu, std::span<const wide> in, sums& out) {
  ballot::inclusive_scan(gpu, in, out);
}
#endif

#if MISTAKE == 17
// says: a sum has at most 32 bytes
void wide_sums(const exec& gpu, std::span<const wide> in, std::span<wide> out) { ballot::inclusive_scan(gpu, in, out); }
#endif

#if MISTAKE == 18
// says: segments are ballot::byte_flags{bytes}
void segments_as_a_range(const exec& gpu, items in, items begins, sums& out) {
  ballot::segmented_inclusive_scan(gpu, in, begins, out);
}
#endif

#if MISTAKE == 19
// says: a range stands where a function object is expected
void segmented_operator_behind_the_output(const exec& gpu, items in, ballot::bit_flags heads, sums& out) {
  ballot::segmented_inclusive_scan_backward(gpu, in, heads, out, larger{});
}
#endif

#if MISTAKE == 20
// says: the output's items have another type than the input's
void segmented_sums_of_another_type(const exec& gpu, items in, ballot::bit_flags heads, std::span<u64> out) {
  ballot::segmented_exclusive_scan(gpu, in, heads, 1u, larger{}, out);
}
#endif

#if MISTAKE == 21
// says: a range or pointer stands where the initial value is expected
void blockwise_initial_behind_the_output(const exec& gpu, items in, sums& out) {
  ballot::blockwise_exclusive_scan(gpu, in, out, 5u, 64);
}
#endif

#if MISTAKE == 22
// says: a range or pointer stands where the initial value is expected
void result_before_the_operator(const exec& gpu, items in, ballot::device_value<u32>& result) {
  ballot::reduce(gpu, in, result.address(), 0u, larger{});
}
#endif

#if MISTAKE == 23
// says: Pass a ballot::device_value
void result_as_a_range(const exec& gpu, items in, sums& result) { ballot::sum(gpu, in, result); }
#endif

#if MISTAKE == 24
// says: ballot::reduce with an initial item of your own
void smallest_of_no_numbers(const exec& gpu, std::span<const wide> in, ballot::device_value<wide>& least) {
  ballot::minimum_of(gpu, in, least);
}
#endif

#if MISTAKE == 25
// says: the result, or total, is stored as another type
void index_alone(const exec& gpu, items in, ballot::device_value<u64>& index) { ballot::arg_min(gpu, in, index); }
#endif

#if MISTAKE == 26
// says: ranks are integers of 4 or 8 bytes
void narrow_ranks(const exec& gpu, ballot::bit_flags bits, std::span<std::uint16_t> ranks) {
  ballot::bit_ranks(gpu, bits, ranks.size(), ranks);
}
#endif

#if MISTAKE == 27
// says: rows are of integers, float or double
void rows_of_flags(const exec& gpu, std::span<const bool> in, std::span<bool> out, ballot::batch rows) {
  ballot::batched_scan(gpu, in, out, rows, ballot::scan_directions::forward);
}
#endif

#if MISTAKE == 28
// says: a std::vector or std::array lies in the host's memory
void host_rows(const exec& gpu, std::vector<float>& samples, ballot::batch rows) {
  ballot::batched_scan(gpu, samples, samples, rows, ballot::scan_directions::forward);
}
#endif
