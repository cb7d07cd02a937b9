// SPDX-License-Identifier: Apache-2.0
// Entry points of reductions of runs of equal keys.
//
//     keys of 4 and 8 bytes     one pass, with kernels for words (reduce_run_calls.cuh)
//     other keys                where runs begin, these as bits, and the reduction by flags
#include <ballot/c/calls.hpp>
#include <ballot/c/columns.hpp>
#include <ballot/c/flag_words.hpp>
#include <ballot/c/operators.cuh>
#include <ballot/c/reduce_run_calls.cuh>
#include <ballot/c/reduced_types.cuh>
#include <ballot/c/run_calls.cuh>
#include <ballot/c/scan.hpp>
#include <ballot/c/selector.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/clear_counts.cuh>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/device/memory.cuh>

#include <algorithm>

namespace ballot_c {
namespace {

using ballot::detail::scratch_carver;

bool has_one_pass(const type_info& keys) { return keys.bytes == 4 || keys.bytes == 8; }

// Of keys of other sizes: where runs begin, the same as bits, and that of the passes.
struct by_key_scratch {
  void* begins = nullptr;
  u32* bits = nullptr;
  std::size_t pass_bytes;
  std::byte* pass;

  by_key_scratch(scratch_carver& carver, const type_info& keys, const type_info& results, u64 n) {
    if (has_one_pass(keys)) {
      const auto bytes = [&]<class K>() {
        return results.bytes == 8 ? reduce_by_key_bytes<K, u64>(n) : reduce_by_key_bytes<K, u32>(n);
      };
      pass_bytes = keys.bytes == 8 ? bytes.template operator()<u64>() : bytes.template operator()<u32>();
    } else {
      const bool wide = has_wide_positions(n);
      begins = carver.take<std::byte>(bytes_for(n == ~u64{0} ? n : n + 1, wide ? 8 : 4));
      bits = carver.take<u32>(ballot::detail::ceil_div(n, 32));
      pass_bytes = 0;
      with_word(keys.bytes,
                [&]<class U>() { with_index(wide, [&]<class I>() { pass_bytes = run_offsets_bytes<U, I>(n); }); });
      pass_bytes = std::max(pass_bytes, run_bytes(results, n));
    }
    pass = carver.take<std::byte>(pass_bytes);
  }
  static std::size_t bytes(const type_info& keys, const type_info& results, u64 n) {
    if (n == 0) return 0;
    scratch_carver measure;
    by_key_scratch(measure, keys, results, n);
    return measure.bytes();
  }
};

void reduce_by_key(const ballot_exec& where, const ballot_array& keys, const ballot_array& values, ballot_operator op,
                   const ballot_array& keys_out, const ballot_array& results, const ballot_array& count_array) {
  constexpr const char* function = "reduce_by_key";
  const type_info key = require_array(function, "keys", keys, accepts::numbers, true);
  require_array(function, "keys_out", keys_out, accepts::numbers);
  require_same_type(function, "keys", keys.type, "keys_out", keys_out.type);
  const reduced_types types(function, "values", values, "results", results, op, false);
  const u64 n = keys.length;
  ballot::detail::require_same_length(function, "keys", n, "values", values.length);
  const ballot::device_count count = count_of(function, "count", count_array);
  ballot::detail::require_count(function, "count", count, n);
  argument_list written, read;
  written.add("keys_out", keys_out);
  written.add("results", results);
  written.add(argument_of("count", count));
  read.add("keys", keys);
  read.add(argument_of("keys.length", length_of(keys)));
  read.add("values", values);
  const std::size_t bytes = by_key_scratch::bytes(key, types.to, n);
  require_memory_of(function, where, bytes, written, read);
  const ballot::exec gpu = exec_of(function, where);
  if (n == 0) return ballot::detail::clear_counts(gpu.stream(), count);
  const ballot::detail::scratch_lease lease(gpu, bytes, function);
  scratch_carver carver(lease.base());
  const by_key_scratch scratch(carver, key, types.to, n);
  const bool wide = has_wide_positions(n);
  if (!has_one_pass(key)) {
    with_word(key.bytes, [&]<class U>() {
      with_index(wide, [&]<class Index>() {
        ballot_c::run_offsets<U, Index>(ballot::exec(gpu.stream(), scratch.pass, scratch.pass_bytes), input_of<U>(keys),
                                        same<U>{magnitude_mask_of<U>(key), infinity_of<U>(key)}, output_of<U>(keys_out),
                                        {static_cast<Index*>(scratch.begins), n + 1}, count);
      });
    });
    const ballot_array begins =
        ballot_counted(scratch.begins, n, wide ? BALLOT_U64 : BALLOT_U32, count_array.data, count_array.type);
    set_head_bits(gpu.stream(), begins, n, scratch.bits, function);
  }
  with_run_word(types.to, op, [&]<class T>() {
    const auto r = run_request_of<T>(function, values, types.from, length_of(keys), op, results, types.to, count);
    if (!has_one_pass(key)) return ballot_c::reduce_flagged<T>(gpu.stream(), scratch.pass, r, scratch.bits);
    with_index(key.bytes == 8, [&]<class K>() {
      ballot_c::reduce_by_key<K, T>(gpu.stream(), scratch.pass, r, static_cast<const K*>(keys.data),
                                    same<K>{magnitude_mask_of<K>(key), infinity_of<K>(key)}, output_of<K>(keys_out));
    });
  });
}

}  // namespace
}  // namespace ballot_c

using namespace ballot_c;

extern "C" {

ballot_status ballot_reduce_by_key(ballot_exec where, ballot_array keys, ballot_array values, ballot_operator op,
                                   ballot_array keys_out, ballot_array results, ballot_array count) {
  return guarded([&] { reduce_by_key(where, keys, values, op, keys_out, results, count); });
}
ballot_status ballot_reduce_by_key_scratch_bytes(ballot_type keys, ballot_type results, uint64_t n, size_t* bytes) {
  constexpr const char* function = "reduce_by_key_scratch_bytes";
  return store_bytes(function, bytes, [&] {
    const type_info key = require_type(function, "keys", keys, accepts::numbers);
    const type_info to = require_type(function, "results", results, accepts::short_numbers);
    return ballot::detail::bytes_at_any_address(by_key_scratch::bytes(key, to, n));
  });
}

}  // extern "C"
