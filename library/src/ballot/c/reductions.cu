// SPDX-License-Identifier: Apache-2.0
// Entry points of reductions within segments and of runs of equal keys.
//
//     segments by offsets, rows           the kernels of the headers, by the types of items and results
//     by head flags                       the flags as bits, and kernels for words (reduce_runs.hpp)
//     runs of keys of 4 and 8 bytes       one pass, with the same words
//     of other keys                       where runs begin, these as bits, and the reduction by flags
#include <ballot/c/calls.hpp>
#include <ballot/c/columns.hpp>
#include <ballot/c/flag_words.hpp>
#include <ballot/c/operators.cuh>
#include <ballot/c/reduce_runs.hpp>
#include <ballot/c/reduce_segments.hpp>
#include <ballot/c/run_calls.cuh>
#include <ballot/c/scan.hpp>
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

// ---- reductions of words ----

// Sums of integers of up to 4 bytes are taken in words of 4 bytes, the others in 8; those of 16-bit floats in float.
template <class F>
void with_run_word(const type_info& to, ballot_operator op, const F& f) {
  if (op == BALLOT_PLUS && to.is_float) {
    if (to.bytes == 8) f.template operator()<double>();
    else f.template operator()<float>();
  } else {
    with_index(to.bytes == 8, f);
  }
}

template <class T>
integer_form<T> integer_form_of(const type_info& type, ballot_operator op) {
  const bool is_ordered = op == BALLOT_MINIMUM || op == BALLOT_MAXIMUM;
  integer_form<T> form{type.bytes, type.is_signed && op == BALLOT_PLUS, is_ordered, {}};
  if (is_ordered)
    form.order =
        high_codec_of<T>(type, op == BALLOT_MINIMUM ? ballot::direction::ascending : ballot::direction::descending);
  return form;
}
template <class T>
auto form_for(const type_info& type, ballot_operator op) {
  if constexpr (std::is_floating_point_v<T>) return float_form<T>{type.bytes, type.mantissa_bits};
  else return integer_form_of<T>(type, op);
}

template <class T>
run_request<T> run_request_of(const char* function, const ballot_array& values, const type_info& from, const length& n,
                              ballot_operator op, const ballot_array& results, const type_info& to,
                              const ballot::device_count& count) {
  run_request<T> r{{values.data, form_for<T>(from, op)},
                   {results.data, results.length, form_for<T>(to, op)},
                   T{},
                   {},
                   n,
                   count,
                   function};
  if constexpr (std::is_integral_v<T>) {
    constexpr T all = static_cast<T>(~T{0});
    r.op = {op == BALLOT_PLUS                              ? integer_operator::plus
            : op == BALLOT_MINIMUM || op == BALLOT_MAXIMUM ? integer_operator::first_in_order
                                                           : integer_operator::bits,
            {op == BALLOT_BIT_XOR ? T{0} : all, op == BALLOT_BIT_AND ? T{0} : all}};
    if (op == BALLOT_MINIMUM || op == BALLOT_MAXIMUM || op == BALLOT_BIT_AND) r.initial = all;
  } else {
    r.initial = T(-0.0);  // which leaves every number as it is
  }
  return r;
}

std::size_t run_bytes(const type_info& results, u64 n) {
  // Of all operators: sums of floats and integers have one size.
  return results.bytes == 8 ? reduce_flagged_bytes<u64>(n) : reduce_flagged_bytes<u32>(n);
}

// ---- types and operators ----

// Values and results of a reduction: what a sum may be of what (sums.cuh).
struct reduced_types {
  type_info from, to;
  reduced_types(const char* function, const char* in_name, const ballot_array& in, const char* out_name,
                const ballot_array& out, ballot_operator op, bool may_be_counted)
      : from(require_array(function, in_name, in, accepts::short_numbers, may_be_counted)),
        to(require_array(function, out_name, out, accepts::short_numbers)) {
    require_choice(function, "op", op, 6);
    if (op == BALLOT_PLUS) {
      // Whether there are such sums.
      with_sum(function, in.type, from, out.type, to, [&]<class T, class In>() { static_cast<void>(function); });
    } else {
      require_same_type(function, in_name, in.type, out_name, out.type);
      if (op >= BALLOT_BIT_AND && !to.is_integer)
        fail(function, joined({"`op` is of bits, the items have type ", to.name}));
    }
  }
};

// ---- segments ----

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
        if (array.length != 0 || out.length != 0)
          ballot::detail::require_same_length(function, "out", out.length + 1, "segments", array.length);
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
  const ballot::exec gpu = exec_of(where);
  if (a.by_flags && in.length == 0) return ballot::detail::clear_counts(where.stream, a.count);
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
  const ballot::exec gpu = exec_of(where);
  if (a.by_flags && in.length == 0) return ballot::detail::clear_counts(where.stream, a.count);
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

// ---- reduce_by_key ----

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
  if (n == 0) return ballot::detail::clear_counts(where.stream, count);
  const ballot::exec gpu = exec_of(where);
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
