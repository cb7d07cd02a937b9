// SPDX-License-Identifier: Apache-2.0
// Entry points of scans within segments. Kernels read head flags as bits. Bytes are packed first (a
// read of n bytes, and n / 8 bytes written and read). Offsets set bits as they do in the headers.
#include <ballot/batched_scan.cuh>
#include <ballot/c/calls.hpp>
#include <ballot/c/flag_words.hpp>
#include <ballot/c/operators.cuh>
#include <ballot/c/scan.hpp>
#include <ballot/c/sums.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/device/memory.cuh>
#include <ballot/segmented_scan.cuh>

namespace ballot_c {
namespace {

// The bytes of the scan itself. 16-bit floats: enough for sums in float, and for minima in words of
// 2 bytes.
std::size_t scan_bytes(unsigned item_bytes, u64 n) {
  std::size_t bytes = 0;
  with_word(item_bytes, [&]<class U>() { bytes = ballot::segmented_scan_scratch_bytes<U>(n); });
  return item_bytes == 2 ? ballot::detail::larger(bytes, ballot::segmented_scan_scratch_bytes<float>(n)) : bytes;
}
// The bytes at an aligned address, and the words of bits in front of them.
std::size_t segmented_bytes(unsigned item_bytes, ballot_segments_kind kind, u64 n) {
  const std::size_t bytes = scan_bytes(item_bytes, n);
  ballot::detail::scratch_carver measure;
  if (kind != BALLOT_HEAD_BITS) measure.take<u32>(ballot::detail::ceil_div(n, 32));
  measure.take<std::byte>(bytes);
  return measure.bytes();
}

template <class F>
void with_segmented_operator(const char* function, const type_info& type, ballot_type code, ballot_operator op,
                             const F& f) {
  if (op == BALLOT_PLUS)
    return with_sum_of_one_type(type, code, [&]<class T, class>() {
      if constexpr (sizeof(T) <= 8) f.template operator()<T>(ballot::plus{}, nullptr);
    });
  with_short_word(type.bytes, [&]<class U>() {
    with_operator<U>(function, type, op,
                     [&](const auto& operation, const U* identity) { f.template operator()<U>(operation, identity); });
  });
}

void segmented_scan(const ballot_exec& where, const char* function, const ballot_array& in,
                    const ballot_segments& segments, const void* initial, bool is_exclusive, ballot_operator op,
                    const ballot_array& out, std::int32_t order) {
  const type_info type = require_array(function, "in", in, accepts::short_numbers, true);
  require_array(function, "out", out, accepts::short_numbers);
  require_same_type(function, "in", in.type, "out", out.type);
  require_choice(function, "op", op, 6);
  if (op >= BALLOT_BIT_AND) require_bits(function, type);  // before the flags are packed
  require_choice(function, "order", order, 2);
  require_choice(function, "segments.kind", segments.kind, 3);
  require_choice(function, "segments.reserved", segments.reserved, 1);
  const ballot_array& array = segments.array;
  const u64 n = in.length, words = ballot::detail::ceil_div(n, 32);
  const bool by_offsets = segments.kind == BALLOT_SEGMENT_OFFSETS, by_bits = segments.kind == BALLOT_HEAD_BITS;
  const type_info of =
      require_array(function, "segments", array, by_offsets ? accepts::counts : accepts::integers, by_offsets);
  if (!by_offsets) require_flag_array(function, "segments", array, by_bits, n);

  // The checks of the scan itself, and of arguments that it does not see: segments that are not
  // bits.
  const argument from{"in", in.data, n * type.bytes}, to{"out", out.data, out.length * type.bytes},
      count = argument_of("in", length_of(in)), heads{"segments", array.data, array.length * of.bytes},
      heads_count = argument_of("segments", length_of(array));
  ballot::detail::require_not_null(function, {from, to, heads});
  ballot::detail::require_same_length(function, "out", out.length, "in", n);
  ballot::detail::require_apart(function, {to}, {heads, heads_count, count});
  if (in.data != out.data) ballot::detail::require_apart(function, {to}, {from});
  if (n == 0) return;
  const ballot::exec gpu = exec_of(function, where);
  const std::size_t bytes = segmented_bytes(type.bytes, segments.kind, n);
  const ballot::detail::scratch_lease lease(gpu, bytes, function, {from, to, count, heads, heads_count});
  ballot::detail::scratch_carver carver(lease.base());
  const u32* bits = static_cast<const u32*>(array.data);
  if (!by_bits) {
    u32* const own = carver.take<u32>(words);
    if (by_offsets) set_head_bits(gpu.stream(), array, n, own, function);
    else pack_flags(gpu.stream(), array, length_of(in), own, function);
    bits = own;
  }
  const std::size_t rest = scan_bytes(type.bytes, n);
  const ballot::exec scan_exec(gpu.stream(), carver.take<std::byte>(rest), rest);
  segmented_scan_request request{.function = function,
                                 .in = in.data,
                                 .length = length_of(in),
                                 .words = bits,
                                 .word_count = words,
                                 .out = out.data,
                                 .out_items = out.length,
                                 .initial = initial,
                                 .is_exclusive = is_exclusive,
                                 .is_backward = order == BALLOT_BACKWARD};
  with_segmented_operator(function, type, in.type, op, [&]<class T>(const auto& operation, const T* identity) {
    if (request.initial == nullptr) request.initial = identity;
    ballot_c::segmented_scan<T>(scan_exec, request, operation);
  });
}

type_info require_accumulator(const char* function, ballot_type type, std::int32_t accumulator) {
  const type_info of = require_type(function, "in", type, accepts::short_numbers);
  require_choice(function, "accumulator", accumulator, 3);
  if (accumulator != BALLOT_ACCUMULATE_ITEMS && type != BALLOT_F32)
    fail(function, joined({"`accumulator` is for BALLOT_F32, the items have type ", of.name}));
  return of;
}

template <class F>
void with_accumulator(const type_info& type, ballot_type code, std::int32_t accumulator, const F& f) {
  if (accumulator == BALLOT_ACCUMULATE_F64) return f.template operator()<float, double>();
  if (accumulator == BALLOT_ACCUMULATE_DOUBLE_FLOAT) return f.template operator()<float, ballot::double_float>();
  // Rows of integers of one size share a type. Sums of 16-bit floats are taken in float.
  with_sum_of_one_type(type, code, [&]<class T, class>() {
    if constexpr (is_short_float<T>) f.template operator()<T, float>();
    else if constexpr (sizeof(T) <= 8) f.template operator()<T, T>();
  });
}

}  // namespace
}  // namespace ballot_c

using namespace ballot_c;

extern "C" {

ballot_status ballot_segmented_inclusive_scan(ballot_exec where, ballot_array in, ballot_segments segments,
                                              ballot_operator op, ballot_array out, int32_t order) {
  return guarded(
      [&] { segmented_scan(where, "segmented_inclusive_scan", in, segments, nullptr, false, op, out, order); });
}
ballot_status ballot_segmented_exclusive_scan(ballot_exec where, ballot_array in, ballot_segments segments,
                                              const void* initial, ballot_operator op, ballot_array out,
                                              int32_t order) {
  return guarded(
      [&] { segmented_scan(where, "segmented_exclusive_scan", in, segments, initial, true, op, out, order); });
}
ballot_status ballot_segmented_scan_scratch_bytes(ballot_type type, ballot_segments_kind kind, uint64_t n,
                                                  size_t* bytes) {
  constexpr const char* function = "segmented_scan_scratch_bytes";
  return store_bytes(function, bytes, [&] {
    const type_info of = require_type(function, "type", type, accepts::short_numbers);
    require_choice(function, "kind", kind, 3);
    return n == 0 ? 0 : ballot::detail::bytes_at_any_address(segmented_bytes(of.bytes, kind, n));
  });
}

ballot_status ballot_batched_scan(ballot_exec where, ballot_array in, ballot_array out, ballot_batch batch,
                                  int32_t directions, int32_t accumulator) {
  constexpr const char* function = "batched_scan";
  return guarded([&] {
    const type_info type = require_accumulator(function, in.type, accumulator);
    require_array(function, "in", in, accepts::short_numbers);
    require_array(function, "out", out, accepts::short_numbers);
    require_same_type(function, "in", in.type, "out", out.type);
    require_choice(function, "directions", directions, 3);
    if (batch.pitch == 0) batch.pitch = batch.length;
    if (batch.out_pitch == 0) batch.out_pitch = batch.pitch;
    with_accumulator(type, in.type, accumulator, [&]<class T, class Accumulator>() {
      ballot_c::batched_scan<T, Accumulator>(exec_of(function, where), in, out, batch,
                                             directions != BALLOT_ROWS_BACKWARD, directions != BALLOT_ROWS_FORWARD);
    });
  });
}
ballot_status ballot_batched_scan_scratch_bytes(ballot_type type, int32_t accumulator, uint64_t rows,
                                                uint64_t row_length, size_t* bytes) {
  constexpr const char* function = "batched_scan_scratch_bytes";
  return store_bytes(function, bytes, [&] {
    const type_info of = require_accumulator(function, type, accumulator);
    std::size_t needed = 0;
    with_accumulator(of, type, accumulator, [&]<class T, class Accumulator>() {
      needed =
          ballot::detail::bytes_at_any_address(ballot::detail::batched_scan_bytes<T, Accumulator>(rows, row_length));
    });
    return needed;
  });
}

}  // extern "C"
