// SPDX-License-Identifier: Apache-2.0
// Entry points of reductions within segments.
//
//     segments by offsets, rows     the kernels of the headers, by the types of items and results
//     by head flags                 the flags as bits, and kernels for words (reduce_run_calls.cuh)
#include <ballot/c/calls.hpp>
#include <ballot/c/columns.hpp>
#include <ballot/c/flag_words.hpp>
#include <ballot/c/operators.cuh>
#include <ballot/c/reduce_run_calls.cuh>
#include <ballot/c/reduce_segment_calls.cuh>
#include <ballot/c/reduced_types.cuh>
#include <ballot/c/selector.cuh>
#include <ballot/c/sums.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/clear_counts.cuh>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/segmented_reduce/launch.cuh>
#include <ballot/device/memory.cuh>

#include <algorithm>
#include <cstring>

namespace ballot_c {
namespace {

using ballot::detail::scratch_carver;

// Checked segments, and the argument list of their call.
struct segment_arguments {
  bool by_flags, by_bits, by_offsets;
  ballot_array array;
  ballot::device_count count;
  argument_list written, read;

  segment_arguments(const char* function, const ballot_array& in, const ballot_segments& segments,
                    const ballot_array& out, const ballot_array& count_array)
      : by_flags(segments.kind == BALLOT_HEAD_BYTES || segments.kind == BALLOT_HEAD_BITS),
        by_bits(segments.kind == BALLOT_HEAD_BITS),
        by_offsets(segments.kind == BALLOT_SEGMENT_OFFSETS),
        array(segments.array) {
    require_choice(function, "segments.kind", segments.kind, 4);
    require_choice(function, "segments.reserved", segments.reserved, 1);
    const u64 n = in.length;
    if (by_flags) {
      require_array(function, "segments", array, accepts::integers);
      require_flag_array(function, "segments", array, by_bits, n);
      count = count_of(function, "count", count_array);
      ballot::detail::require_count(function, "count", count, n);
    } else {
      if (count_array.type != BALLOT_NONE) fail(function, "`count` is for head flags: the host knows how many results");
      if (by_offsets) {
        require_array(function, "segments", array, accepts::counts, true);
        if ((array.length != 0 || out.length != 0) && array.length != out.length + 1)
          fail(function, joined({"`segments` has ", decimal(array.length), " offsets, ", decimal(out.length + 1),
                                 " are needed for the ", decimal(out.length), " items of `out`"}));
      } else {
        if (array.length == 0) fail(function, "`segments` are rows of no items");
        ballot::detail::require_same_length(function, "out", out.length, "rows of in",
                                            ballot::detail::ceil_div(n, array.length));
      }
    }
    written.add("out", out);
    if (by_flags) written.add(argument_of("count", count));
    read.add("in", in);
    read.add(argument_of("in.length", length_of(in)));
    if (by_flags || by_offsets) read.add("segments", array);
    if (by_offsets) read.add(argument_of("segments.length", length_of(array)));
  }
  any_segments segments(const ballot_array& in, const ballot_array& out) const {
    if (!by_offsets) return {nullptr, {0}, {}, {array.length, in.length, out.length}};
    const type_info type = info_of(array.type);
    return {array.data, length_of(array), {type.bytes == 8, type.is_signed}, {1, 0, 0}};
  }
};

// The scratch of a call by flags: the bits, and that of the reduction.
std::size_t flagged_bytes(ballot_segments_kind kind, u64 n, std::size_t reduction) {
  if (n == 0) return 0;
  scratch_carver measure;
  if (kind == BALLOT_HEAD_BYTES) measure.take<u32>(ballot::detail::ceil_div(n, 32));
  measure.take<std::byte>(reduction);
  return measure.bytes();
}
bool is_by_flags(ballot_segments_kind kind) { return kind == BALLOT_HEAD_BYTES || kind == BALLOT_HEAD_BITS; }

std::size_t segmented_reduce_bytes(const type_info& results, ballot_segments_kind kind, u64 n) {
  if (is_by_flags(kind)) return flagged_bytes(kind, n, run_bytes(results, n));
  std::size_t bytes = 0;
  with_short_word(results.bytes, [&]<class U>() { bytes = ballot::detail::segmented_reduce_bytes<U>(n); });
  if (is_summed_in_floats(results)) bytes = std::max(bytes, ballot::detail::segmented_reduce_bytes<float>(n));
  return bytes;
}
std::size_t segmented_arg_bytes(ballot_segments_kind kind, u64 n) {
  if (is_by_flags(kind)) return flagged_bytes(kind, n, reduce_flagged_bytes<ballot::indexed<u64>>(n));
  return ballot::detail::segmented_reduce_bytes<ballot::indexed<u64>>(n);
}

// reduce(scratch, bits) with the flags as bits, packed if they are bytes.
template <class F>
void with_head_bits(const ballot::exec& gpu, std::byte* base, const segment_arguments& a, const ballot_array& in,
                    const char* function, const F& reduce) {
  scratch_carver carver(base);
  const u32* bits = static_cast<const u32*>(a.array.data);
  if (!a.by_bits) {
    u32* const own = carver.take<u32>(ballot::detail::ceil_div(in.length, 32));
    pack_flags(gpu.stream(), a.array, length_of(in), own, function);
    bits = own;
  }
  reduce(carver.take<std::byte>(0), bits);
}

// The value of a word, of an initial value on the host.
template <class T>
T word_on_host(const run_request<T>& r, const type_info& type, const void* from) {
  u64 raw = 0;
  std::memcpy(&raw, from, type.bytes);
  return r.results.form.load(&raw, 0);
}

template <class F>
void with_segments_operation(const char* function, const type_info& type, ballot_operator op, const F& f) {
  with_short_word(type.bytes, [&]<class U>() {
    constexpr U all = static_cast<U>(~U{0});
    if (op == BALLOT_PLUS) {
      const U zero = 0;
      return f.template operator()<U>(any_operation<U>{true, false, {}, {}}, zero);
    }
    with_operator<U>(function, type, op, [&](const auto& operation, const U* identity) {
      any_operation<U> any{false, false, {}, {all, all}};
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(operation)>, bitwise<U>>) {
        any.is_of_bits = true;
        any.of_bits = operation;
      } else {
        any.first = operation;
      }
      f.template operator()<U>(any, *identity);
    });
  });
}

template <class T>
T initial_or(const void* initial, T otherwise) {
  if (initial != nullptr) std::memcpy(static_cast<void*>(&otherwise), initial, sizeof(T));
  return otherwise;
}

void segmented_reduce(const ballot_exec& where, const ballot_array& in, const ballot_segments& segments,
                      const void* initial, ballot_operator op, const ballot_array& out,
                      const ballot_array& count_array) {
  constexpr const char* function = "segmented_reduce";
  const reduced_types types(function, "in", in, "out", out, op, true);
  segment_arguments a(function, in, segments, out, count_array);
  const std::size_t bytes = segmented_reduce_bytes(types.to, segments.kind, in.length);
  require_memory_of(function, where, bytes, a.written, a.read);
  const ballot::exec gpu = exec_of(function, where);
  if (a.by_flags && in.length == 0) return ballot::detail::clear_counts(exec_of(function, where).stream(), a.count);
  const ballot::detail::scratch_lease lease(gpu, bytes, function);
  if (a.by_flags)
    return with_head_bits(gpu, lease.base(), a, in, function, [&](std::byte* scratch, const u32* bits) {
      with_run_word(types.to, op, [&]<class T>() {
        auto r = run_request_of<T>(function, in, types.from, length_of(in), op, out, types.to, a.count);
        if (initial != nullptr) r.initial = word_on_host(r, types.to, initial);
        else if (std::is_floating_point_v<T>) r.initial = T{};
        ballot_c::reduce_flagged<T>(gpu.stream(), scratch, r, bits);
      });
    });
  const any_segments by = a.segments(in, out);
  if (op == BALLOT_PLUS && (types.from.is_float || types.from.bytes != types.to.bytes))
    return with_sum(function, in.type, types.from, out.type, types.to, [&]<class T, class In>() {
      if constexpr (sizeof(T) <= 8 && (!std::is_same_v<T, In> || !std::is_integral_v<T>))
        ballot_c::reduce_segments<T, In>(gpu.stream(), lease.base(), input_of<In>(in),
                                         {by, initial_or<T>(initial, T(0)), output_of<T>(out), function},
                                         ballot::plus{});
    });
  with_segments_operation(function, types.to, op, [&]<class U>(const any_operation<U>& operation, U identity) {
    ballot_c::reduce_segments<U, U>(gpu.stream(), lease.base(), input_of<U>(in),
                                    {by, initial_or<U>(initial, identity), output_of<U>(out), function}, operation);
  });
}

void segmented_arg(const ballot_exec& where, const char* function, const ballot_array& in,
                   const ballot_segments& segments, ballot::direction direction, const ballot_array& out,
                   const ballot_array& count_array) {
  const type_info type = require_array(function, "in", in, accepts::short_numbers, true);
  require_array(function, "out", out, accepts::anything_to_move);
  require_same_type(function, "out", out.type, "an index with its item", BALLOT_BYTES(16));
  if (reinterpret_cast<std::uintptr_t>(out.data) % 8 != 0) fail(function, "`out` is not aligned to 8 bytes");
  segment_arguments a(function, in, segments, out, count_array);
  const std::size_t bytes = segmented_arg_bytes(segments.kind, in.length);
  require_memory_of(function, where, bytes, a.written, a.read);
  const ballot::exec gpu = exec_of(function, where);
  if (a.by_flags && in.length == 0) return ballot::detail::clear_counts(exec_of(function, where).stream(), a.count);
  const ballot::detail::scratch_lease lease(gpu, bytes, function);
  if (a.by_flags)
    return with_head_bits(gpu, lease.base(), a, in, function, [&](std::byte* scratch, const u32* bits) {
      const integer_form<u64> form{type.bytes, false, true, {}};  // the raw bits at the high end
      const numbers<u64> order{high_codec_of<u64>(type, direction), magnitude_mask_of<u64>(type),
                               high_infinity_of<u64>(type)};
      arg_first_of_runs(
          gpu.stream(), scratch,
          ranked_request{
              {in.data, form, order}, {in.data, form, out.data, out.length}, length_of(in), a.count, function},
          bits);
    });
  with_short_word(type.bytes, [&]<class U>() {
    using item = ballot::indexed<U>;
    ballot_c::arg_first_of_segments<U>(
        gpu.stream(), lease.base(), input_of<U>(in),
        {a.segments(in, out), item{}, {static_cast<item*>(out.data), out.length}, function},
        first_by<U>{numbers_of<U>(type, direction)});
  });
}

}  // namespace
}  // namespace ballot_c

using namespace ballot_c;

extern "C" {

ballot_status ballot_segmented_reduce(ballot_exec where, ballot_array in, ballot_segments segments, const void* initial,
                                      ballot_operator op, ballot_array out, ballot_array count) {
  return guarded([&] { segmented_reduce(where, in, segments, initial, op, out, count); });
}
ballot_status ballot_segmented_reduce_scratch_bytes(ballot_type out, ballot_segments_kind kind, uint64_t n,
                                                    size_t* bytes) {
  constexpr const char* function = "segmented_reduce_scratch_bytes";
  return store_bytes(function, bytes, [&] {
    const type_info of = require_type(function, "out", out, accepts::short_numbers);
    require_choice(function, "kind", kind, 4);
    return ballot::detail::bytes_at_any_address(segmented_reduce_bytes(of, kind, n));
  });
}

ballot_status ballot_segmented_arg_min(ballot_exec where, ballot_array in, ballot_segments segments, ballot_array out,
                                       ballot_array count) {
  return guarded(
      [&] { segmented_arg(where, "segmented_arg_min", in, segments, ballot::direction::ascending, out, count); });
}
ballot_status ballot_segmented_arg_max(ballot_exec where, ballot_array in, ballot_segments segments, ballot_array out,
                                       ballot_array count) {
  return guarded(
      [&] { segmented_arg(where, "segmented_arg_max", in, segments, ballot::direction::descending, out, count); });
}
ballot_status ballot_segmented_arg_scratch_bytes(ballot_type type, ballot_segments_kind kind, uint64_t n,
                                                 size_t* bytes) {
  constexpr const char* function = "segmented_arg_scratch_bytes";
  return store_bytes(function, bytes, [&] {
    require_type(function, "type", type, accepts::short_numbers);
    require_choice(function, "kind", kind, 4);
    return ballot::detail::bytes_at_any_address(segmented_arg_bytes(kind, n));
  });
}

}  // extern "C"
