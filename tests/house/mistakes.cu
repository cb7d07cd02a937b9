// SPDX-License-Identifier: Apache-2.0
// Calls that do not compile, and what the compiler says of them first (mistakes_test.py). One
// mistake a block, in a function of its own: the test defines its name, and looks for the text
// behind it in the first error. Without a name everything compiles. "nvcc:" before the text: to
// g++, for the emulator, it is no mistake.
#include <ballot/ballot.cuh>

#include <array>
#include <string>
#include <vector>

using namespace ballot;

namespace mistakes {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct is_odd {
  __device__ bool operator()(u32 x) const { return x % 2 != 0; }
};
struct twice {
  __device__ u32 operator()(u32 x) const { return 2 * x; }
};
struct is_long {
  __device__ bool operator()(const char* text) const { return text[0] != 0 && text[1] != 0; }
};
struct with_table {
  std::vector<bool> table;
  bool operator()(u32 x) const { return table[x]; }
};
struct same_parity {
  __device__ bool operator()(u32 a, u32 b) const { return a % 2 == b % 2; }
};
struct ranges {
  std::span<const u32> in, values;
  std::span<u32> out, values_out;
  u64* count;
};

// Nothing is wrong here.
void right(const exec& gpu, const ranges& of) {
  compact(gpu, of.in, is_odd{}, of.out, of.count);
  unique(gpu, of.in, same_parity{}, of.out, of.count);
  sum(gpu, counted{transformed{gathered{of.in, of.values}, twice{}}, of.count}, of.count + 1);
}

// Ranges.

#ifdef MISTAKE_pointer  // a pointer does not know its length
void call(const exec& gpu, const ranges& of) { compact(gpu, of.in.data(), is_odd{}, of.out, of.count); }
#endif
#ifdef MISTAKE_output_pointer  // a pointer does not know its length
void call(const exec& gpu, const ranges& of) { compact(gpu, of.in, is_odd{}, of.out.data(), of.count); }
#endif
#ifdef MISTAKE_iterator  // an iterator is not accepted
void call(const exec& gpu, const ranges& of) { split(gpu, of.in.begin(), is_odd{}, of.out, of.count); }
#endif
#ifdef MISTAKE_host_vector  // lies in the host's memory
void call(const exec& gpu, const std::vector<u32>& in, const ranges& of) { unique(gpu, in, of.out, of.count); }
#endif
#ifdef MISTAKE_host_array  // lies in the host's memory
void call(const exec& gpu, std::array<u32, 9>& items, const ranges& of) {
  compact_in_place(gpu, items, is_odd{}, of.count);
}
#endif
#ifdef MISTAKE_const_output  // the output is const
void call(const exec& gpu, const ranges& of) { compact(gpu, of.in, is_odd{}, of.values, of.count); }
#endif
#ifdef MISTAKE_const_in_place  // must not be const
void call(const exec& gpu, const ranges& of) { split_in_place(gpu, of.in, is_odd{}, of.count); }
#endif
#ifdef MISTAKE_counted_output  // an output is not counted
void call(const exec& gpu, const ranges& of) { compact(gpu, of.in, is_odd{}, counted{of.out, of.count}, of.count); }
#endif
#ifdef MISTAKE_other_type  // the output's items have another type than the input's
void call(const exec& gpu, const ranges& of, std::span<u64> out) { compact(gpu, of.in, is_odd{}, out, of.count); }
#endif
#ifdef MISTAKE_strings  // must be trivially copyable
void call(const exec& gpu, std::span<std::string> items, const ranges& of) {
  compact_in_place(gpu, items, is_odd{}, of.count);
}
#endif
#ifdef MISTAKE_const_members  // needs a default constructor and an assignment
struct fixed {
  const u32 id;
};
void call(const exec& gpu, std::span<const fixed> items, std::span<const u32> at, std::span<fixed> out) {
  gather(gpu, items, at, out);
}
#endif
#ifdef MISTAKE_no_default_constructor  // needs a default constructor and an assignment
struct numbered {
  __host__ __device__ explicit numbered(u32 number) : id(number) {}
  u32 id;
};
struct has_number {
  __device__ bool operator()(const numbered& item) const { return item.id != 0; }
};
void call(const exec& gpu, std::span<numbered> items, std::span<const numbered> in, const ranges& of) {
  compact(gpu, in, has_number{}, items, of.count);
}
#endif
#ifdef MISTAKE_no_assignment_in_place  // needs a default constructor and an assignment
struct placed {
  u32 id;
  placed() = default;
  placed(const placed&) = default;
  placed& operator=(const placed&) = delete;
};
void call(const exec& gpu, std::span<placed> items, std::span<u32> keys) { sort_pairs_in_place(gpu, keys, items); }
#endif
#ifdef MISTAKE_values_with_const_members  // needs a default constructor and an assignment
struct weighed {
  const float weight;
};
struct heavier {
  __device__ weighed operator()(const weighed& a, const weighed& b) const { return a.weight < b.weight ? b : a; }
};
void call(const exec& gpu, std::span<const weighed> values, std::span<weighed> results, const ranges& of) {
  reduce_by_key(gpu, of.in, values, heavier{}, of.out, results, of.count);
}
#endif
#ifdef MISTAKE_number_as_range  // a number stands where a range is expected
void call(const exec& gpu, const ranges& of) { multisplit(gpu, of.in, is_odd{}, 2, of.out, 3); }
#endif
#ifdef MISTAKE_function_as_range  // a function object stands where a range is expected
void call(const exec& gpu, const ranges& of) { compact(gpu, is_odd{}, of.in, of.out, of.count); }
#endif

// Zips.

#ifdef MISTAKE_missing_column  // as many ranges as the input has
void call(const exec& gpu, const ranges& of) {
  compact(gpu, zip{of.in, of.values}, on_first{is_odd{}}, of.out, of.count);
}
#endif
#ifdef MISTAKE_pointer_in_zip  // a pointer does not know its length
void call(const exec& gpu, const ranges& of) {
  compact(gpu, zip{of.in, of.values.data()}, on_first{is_odd{}}, zip{of.out, of.values_out}, of.count);
}
#endif
#ifdef MISTAKE_predicate_of_first  // For the first range of a zip alone
void call(const exec& gpu, const ranges& of) {
  compact(gpu, zip{of.in, of.values}, is_odd{}, zip{of.out, of.values_out}, of.count);
}
#endif
#ifdef MISTAKE_positions_in_place  // a view cannot be changed in place
void call(const exec& gpu, const ranges& of) {
  compact_in_place(gpu, zip{of.out, positions(9)}, on_first{is_odd{}}, of.count);
}
#endif

// Views.

#ifdef MISTAKE_view_as_output  // a view is no output
void call(const exec& gpu, const ranges& of) { compact(gpu, of.in, is_odd{}, reversed{of.out}, of.count); }
#endif
#ifdef MISTAKE_view_in_output_zip  // a view is no output
void call(const exec& gpu, const ranges& of) {
  compact(gpu, zip{of.in, of.in}, on_first{is_odd{}}, zip{of.out, constant{1u, 9}}, of.count);
}
#endif
#ifdef MISTAKE_scan_into_view  // a view is no output
void call(const exec& gpu, const ranges& of) { inclusive_scan(gpu, of.in, strided{of.out, 2}); }
#endif
#ifdef MISTAKE_positions_as_floats  // takes integers of 4 or 8 bytes
void call(const exec& gpu, const ranges& of) { lower_bound(gpu, of.in, of.values, converting<float>(of.out)); }
#endif
#ifdef MISTAKE_index_of_segments  // For the index alone write
void call(const exec& gpu, const ranges& of) { segmented_arg_min(gpu, of.in, row_length(9), of.out); }
#endif
#ifdef MISTAKE_counted_view_of_values  // their count is that of the values
void call(const exec& gpu, const ranges& of) {
  top_k_pairs(gpu, of.in, counted{positions(9), of.count}, 5, of.out, of.values_out);
}
#endif
#ifdef MISTAKE_view_in_place  // a view cannot be changed in place
void call(const exec& gpu, const ranges& of) { unique_in_place(gpu, transformed{of.out, twice{}}, of.count); }
#endif
#ifdef MISTAKE_view_of_keys  // takes no view
void call(const exec& gpu, const ranges& of) { segmented_sort(gpu, transformed{of.in, twice{}}, of.values, of.out); }
#endif
#ifdef MISTAKE_counted_within_view  // a counted range within a view
void call(const exec& gpu, const ranges& of) { sum(gpu, reversed{counted{of.in, of.count}}, of.count); }
#endif
#ifdef MISTAKE_pointer_in_view  // a pointer does not know its length
void call(const exec& gpu, const ranges& of) { sum(gpu, transformed{of.in.data(), twice{}}, of.count); }
#endif
#ifdef MISTAKE_host_vector_in_view  // lies in the host's memory
void call(const exec& gpu, const std::vector<u32>& in, const ranges& of) { sum(gpu, strided{in, 2}, of.count); }
#endif
#ifdef MISTAKE_function_before_range  // cannot be called with an item of each range
void call(const exec& gpu, const ranges& of) { sum(gpu, transformed{of.in, of.values, twice{}}, of.count); }
#endif
#ifdef MISTAKE_host_lambda_in_view  // nvcc: a lambda of the host cannot be called by a kernel
void call(const exec& gpu, const ranges& of) {
  sum(gpu, transformed{of.in, [](u32 x) { return x; }}, of.count);
}
#endif
#ifdef MISTAKE_lambda_without_type  // nvcc: does not see what this lambda returns
void call(const exec& gpu, const ranges& of) {
  sum(gpu, transformed{of.in, [] __device__(u32 x) { return x; }}, of.count);
}
#endif
#ifdef MISTAKE_function_pointer_in_view  // a pointer stands where a function object is expected
u32 half(u32 x) { return x / 2; }
void call(const exec& gpu, const ranges& of) { sum(gpu, transformed{of.in, half}, of.count); }
#endif
#ifdef MISTAKE_no_result_in_view  // returns no trivially copyable item
struct nothing {
  __device__ void operator()(u32) const {}
};
void call(const exec& gpu, const ranges& of) { sum(gpu, transformed{of.in, nothing{}}, of.count); }
#endif
#ifdef MISTAKE_float_indices  // indices of gathered are integers
void call(const exec& gpu, const ranges& of, std::span<float> at) { sum(gpu, gathered{of.in, at}, of.count); }
#endif

// Function objects.

#ifdef MISTAKE_number_as_predicate  // a number stands where a function object is expected
void call(const exec& gpu, const ranges& of) { compact(gpu, of.in, 3, of.out, of.count); }
#endif
#ifdef MISTAKE_range_as_predicate  // a range stands where a function object is expected
void call(const exec& gpu, const ranges& of) { compact(gpu, of.in, of.values, of.out, of.count); }
#endif
#ifdef MISTAKE_predicate_behind_output  // a range stands where a function object is expected
void call(const exec& gpu, const ranges& of) { compact(gpu, of.in, of.out, is_odd{}, of.count); }
#endif
#ifdef MISTAKE_function_pointer  // a pointer stands where a function object is expected
bool is_even(u32 x) { return x % 2 == 0; }
void call(const exec& gpu, const ranges& of) { compact(gpu, of.in, is_even, of.out, of.count); }
#endif
#ifdef MISTAKE_host_lambda  // nvcc: a lambda of the host cannot be called by a kernel
void call(const exec& gpu, const ranges& of) {
  compact(
      gpu, of.in, [](u32 x) { return x % 2 != 0; }, of.out, of.count);
}
#endif
#ifdef MISTAKE_predicate_of_other_items  // the predicate cannot be called with an item
void call(const exec& gpu, const ranges& of) { count_if(gpu, of.in, is_long{}, of.count); }
#endif
#ifdef MISTAKE_not_trivially_copyable  // so it must be trivially copyable
void call(const exec& gpu, const ranges& of) { compact(gpu, of.in, with_table{}, of.out, of.count); }
#endif
#ifdef MISTAKE_relation_behind_outputs  // a range stands where a function object is expected
void call(const exec& gpu, const ranges& of) { unique(gpu, of.in, of.out, of.count, same_parity{}); }
#endif
#ifdef MISTAKE_relation_of_one  // the relation cannot be called with two items
void call(const exec& gpu, const ranges& of) { unique(gpu, of.in, is_odd{}, of.out, of.count); }
#endif
#ifdef MISTAKE_bucket_is_no_integer  // its result is no integer
struct name_of {
  __device__ const char* operator()(u32) const { return nullptr; }
};
void call(const exec& gpu, const ranges& of, std::span<u32> offsets) {
  multisplit(gpu, of.in, name_of{}, 9, of.out, offsets);
}
#endif

// Counts.

#ifdef MISTAKE_double_count  // A float, double or an integer of 2 bytes is no count
void call(const exec& gpu, const ranges& of, double* count) { compact(gpu, of.in, is_odd{}, of.out, count); }
#endif
#ifdef MISTAKE_short_count  // A float, double or an integer of 2 bytes is no count
void call(const exec& gpu, const ranges& of, std::uint16_t* count) { count_if(gpu, of.in, is_odd{}, count); }
#endif
#ifdef MISTAKE_const_count  // a pointer that is not const
void call(const exec& gpu, const ranges& of, const u64* count) { split(gpu, of.in, is_odd{}, of.out, count); }
#endif
#ifdef MISTAKE_float_value_as_count  // A float, double or an integer of 2 bytes is no count
void call(const exec& gpu, const ranges& of, const device_value<float>& count) { unique(gpu, of.in, of.out, count); }
#endif
#ifdef MISTAKE_float_offsets  // has integers of 4 or 8 bytes
void call(const exec& gpu, const ranges& of, std::span<float> offsets) {
  run_offsets(gpu, of.in, of.out, offsets, of.count);
}
#endif
#ifdef MISTAKE_words_of_bytes  // packed into a range of std::uint32_t
void call(const exec& gpu, const ranges& of, std::span<unsigned char> bits) { flag_bits(gpu, of.in, is_odd{}, bits); }
#endif

}  // namespace mistakes
