// SPDX-License-Identifier: Apache-2.0
// Entry points of scans and reductions: from type codes and operators to instances (scan.cuh).
#include <ballot/c/calls.hpp>
#include <ballot/c/operators.cuh>
#include <ballot/c/precede.hpp>
#include <ballot/c/scan.hpp>
#include <ballot/c/sums.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>

#include <algorithm>

namespace ballot_c {
namespace {

void require_operator(const char* function, ballot_operator op) { require_choice(function, "op", op, 6); }

ballot::scan_order order_of(const char* function, std::int32_t order) {
  require_choice(function, "order", order, 2);
  return order == BALLOT_BACKWARD ? ballot::scan_order::backward : ballot::scan_order::forward;
}

void require_total(const char* function, void* total, unsigned bytes) {
  if (reinterpret_cast<std::uintptr_t>(total) % bytes != 0)
    fail(function, joined({"`total` is not aligned to its ", decimal(bytes), " bytes"}));
  require_device_address(function, "total", total);
}

void scan(const ballot_exec& where, const char* function, const ballot_array& in, const void* initial,
          bool is_exclusive, ballot_operator op, const ballot_array& out, const ballot_scan_options* given) {
  const type_info from = require_array(function, "in", in, accepts::short_numbers, true);
  const type_info to = require_array(function, "out", out, accepts::short_numbers);
  require_operator(function, op);
  const auto options = options_of(function, given, sizeof(ballot_scan_options));
  scan_request request{.function = function,
                       .in = in.data,
                       .length = length_of(in),
                       .out = out.data,
                       .out_items = out.length,
                       .initial = initial,
                       .is_exclusive = is_exclusive,
                       .total = options.total,
                       .order = order_of(function, options.order),
                       .reproducible = options.reproducible != 0};
  require_total(function, options.total, to.bytes);
  if (op == BALLOT_PLUS) {
    return with_sum(function, in.type, from, out.type, to, [&]<class T, class In>() {
      if constexpr (sizeof(T) <= 8)
        ballot_c::scan<T, ballot::device::input_items<In>>(exec_of(function, where), request, ballot::plus{});
    });
  }
  require_same_type(function, "in", in.type, "out", out.type);
  with_short_word(to.bytes, [&]<class U>() {
    with_operator<U>(function, to, op, [&](const auto& operation, const U* identity) {
      if (request.initial == nullptr) request.initial = identity;
      ballot_c::scan<U, ballot::device::input_items<U>>(exec_of(function, where), request, operation);
    });
  });
}

// A scan without an initial value, which then precedes each of its results, and the total.
void scan_from(const ballot_exec& where, const char* function, const ballot_array& in, const void* initial,
               bool on_device, bool is_exclusive, ballot_operator op, const ballot_array& out,
               const ballot_scan_options* given) {
  const type_info to = require_type(function, "out", out.type, accepts::short_numbers);
  if (initial == nullptr) fail(function, "`initial` is null");
  const auto options = options_of(function, given, sizeof(ballot_scan_options));
  const argument written[] = {{"out", out.data, bytes_of_items(out, to)},
                              {"total", options.total, options.total != nullptr ? to.bytes : 0u},
                              {"scratch", where.scratch, where.scratch_bytes}};
  if (on_device) {
    if (reinterpret_cast<std::uintptr_t>(initial) % to.bytes != 0)
      fail(function, joined({"`initial` is not aligned to its ", decimal(to.bytes), " bytes"}));
    require_device_address(function, "initial", initial);
    for (const argument& output : written)
      ballot::detail::require_apart(function, {output}, {{"initial", initial, to.bytes}});
  } else if (is_exclusive) {
    return scan(where, function, in, initial, true, op, out, given);
  }
  // A total of no items is `initial`: an inclusive scan alone would not write it.
  scan(where, function, in, nullptr, is_exclusive, op, out, given);
  const length n{out.length, in.count, length_of(in).type};
  precede(where.stream, initial, on_device, op, to, out.data, n, function);
  if (options.total == nullptr) return;
  const bool may_be_empty = !is_exclusive && (in.length == 0 || in.count != nullptr);
  precede_total(where.stream, initial, on_device, op, to, options.total, may_be_empty ? length_of(in) : length{1},
                function);
}

void scan_flags(const ballot_exec& where, const char* function, const ballot_array& flags, bool is_exclusive,
                const ballot_array& ranks, const ballot_scan_options* given) {
  require_array(function, "flags", flags, accepts::integers, true);
  require_same_type(function, "flags", flags.type, "a flag", BALLOT_U8);
  const type_info to = require_array(function, "ranks", ranks, accepts::counts);
  const auto options = options_of(function, given, sizeof(ballot_scan_options));
  require_total(function, options.total, to.bytes);
  const scan_request request{.function = function,
                             .in = flags.data,
                             .length = length_of(flags),
                             .out = ranks.data,
                             .out_items = ranks.length,
                             .initial = nullptr,
                             .is_exclusive = is_exclusive,
                             .total = options.total,
                             .order = order_of(function, options.order),
                             .reproducible = false,
                             .in_name = "flags",
                             .out_name = "ranks"};
  with_index(to.bytes == 8, [&]<class T>() {
    ballot_c::scan<T, ballot::device::input_flags>(exec_of(function, where), request, ballot::plus{});
  });
}

void arg_first(const ballot_exec& where, const char* function, const ballot_array& in, ballot::direction direction,
               void* result) {
  const type_info type = require_array(function, "in", in, accepts::short_numbers, true);
  if (reinterpret_cast<std::uintptr_t>(result) % 8 != 0) fail(function, "`result` is not aligned to 8 bytes");
  require_device_address(function, "result", result);
  with_short_word(type.bytes, [&]<class U>() {
    ballot_c::arg_first<U>(exec_of(function, where), function, in, type, direction, result);
  });
}

}  // namespace
}  // namespace ballot_c

using namespace ballot_c;

extern "C" {

ballot_status ballot_inclusive_scan(ballot_exec where, ballot_array in, ballot_operator op, ballot_array out,
                                    const ballot_scan_options* options) {
  return guarded([&] { scan(where, "inclusive_scan", in, nullptr, false, op, out, options); });
}
ballot_status ballot_exclusive_scan(ballot_exec where, ballot_array in, const void* initial, ballot_operator op,
                                    ballot_array out, const ballot_scan_options* options) {
  return guarded([&] { scan(where, "exclusive_scan", in, initial, true, op, out, options); });
}

ballot_status ballot_inclusive_scan_from(ballot_exec where, ballot_array in, const void* initial,
                                         int32_t initial_on_device, ballot_operator op, ballot_array out,
                                         const ballot_scan_options* options) {
  return guarded(
      [&] { scan_from(where, "inclusive_scan_from", in, initial, initial_on_device != 0, false, op, out, options); });
}
ballot_status ballot_exclusive_scan_from(ballot_exec where, ballot_array in, const void* initial,
                                         int32_t initial_on_device, ballot_operator op, ballot_array out,
                                         const ballot_scan_options* options) {
  return guarded(
      [&] { scan_from(where, "exclusive_scan_from", in, initial, initial_on_device != 0, true, op, out, options); });
}

ballot_status ballot_counts_to_offsets(ballot_exec where, ballot_array counts, ballot_array offsets) {
  constexpr const char* function = "counts_to_offsets";
  return guarded([&] {
    const type_info from = require_array(function, "counts", counts, accepts::integers, true);
    require_type(function, "counts", counts.type, accepts::short_numbers);
    const type_info to = require_array(function, "offsets", offsets, accepts::integers);
    require_type(function, "offsets", offsets.type, accepts::short_numbers);
    const scan_request request{.function = function,
                               .in = counts.data,
                               .length = length_of(counts),
                               .out = offsets.data,
                               .out_items = offsets.length,
                               .initial = nullptr,
                               .is_exclusive = true,
                               .total = nullptr,
                               .order = ballot::scan_order::forward,
                               .reproducible = false,
                               .appends_total = true,
                               .in_name = "counts",
                               .out_name = "offsets"};
    with_sum(function, counts.type, from, offsets.type, to, [&]<class T, class In>() {
      if constexpr (sizeof(T) <= 8)
        ballot_c::scan<T, ballot::device::input_items<In>>(exec_of(function, where), request, ballot::plus{});
    });
  });
}

ballot_status ballot_inclusive_scan_flags(ballot_exec where, ballot_array flags, ballot_array ranks,
                                          const ballot_scan_options* options) {
  return guarded([&] { scan_flags(where, "inclusive_scan_flags", flags, false, ranks, options); });
}
ballot_status ballot_exclusive_scan_flags(ballot_exec where, ballot_array flags, ballot_array ranks,
                                          const ballot_scan_options* options) {
  return guarded([&] { scan_flags(where, "exclusive_scan_flags", flags, true, ranks, options); });
}

ballot_status ballot_scan_scratch_bytes(ballot_type sums, uint64_t n, size_t* bytes) {
  return store_bytes("scan_scratch_bytes", bytes, [&] {
    const type_info type = require_type("scan_scratch_bytes", "sums", sums, accepts::short_numbers);
    std::size_t needed = 0;
    with_word(type.bytes, [&]<class U>() { needed = ballot::scan_scratch_bytes<U>(n); });
    if (is_summed_in_floats(type)) needed = std::max(needed, ballot::scan_scratch_bytes<float>(n));
    return needed;
  });
}

ballot_status ballot_reduce(ballot_exec where, ballot_array in, const void* initial, ballot_operator op,
                            ballot_array result) {
  constexpr const char* function = "reduce";
  return guarded([&] {
    const type_info from = require_array(function, "in", in, accepts::numbers, true);
    const type_info to = require_array(function, "result", result, accepts::numbers);
    if (result.length < 1) fail(function, "`result` has no room for a value: its length is 0");
    require_operator(function, op);
    if (op == BALLOT_PLUS)
      return with_sum(function, in.type, from, result.type, to, [&]<class T, class In>() {
        ballot_c::reduce<T, In>(exec_of(function, where), in, initial, ballot::plus{}, result.data);
      });
    require_same_type(function, "in", in.type, "result", result.type);
    with_word(to.bytes, [&]<class U>() {
      with_operator<U>(function, to, op, [&](const auto& operation, const U* identity) {
        ballot_c::reduce<U, U>(exec_of(function, where), in, initial != nullptr ? initial : identity, operation,
                               result.data);
      });
    });
  });
}
ballot_status ballot_reduce_scratch_bytes(ballot_type result, uint64_t n, size_t* bytes) {
  return store_bytes("reduce_scratch_bytes", bytes, [&] {
    const type_info type = require_type("reduce_scratch_bytes", "result", result, accepts::numbers);
    std::size_t needed = 0;
    with_word(type.bytes, [&]<class U>() { needed = ballot::reduce_scratch_bytes<U>(n); });
    if (is_summed_in_floats(type)) needed = std::max(needed, ballot::reduce_scratch_bytes<float>(n));
    return needed;
  });
}

ballot_status ballot_arg_min(ballot_exec where, ballot_array in, void* result) {
  return guarded([&] { arg_first(where, "arg_min", in, ballot::direction::ascending, result); });
}
ballot_status ballot_arg_max(ballot_exec where, ballot_array in, void* result) {
  return guarded([&] { arg_first(where, "arg_max", in, ballot::direction::descending, result); });
}
ballot_status ballot_arg_scratch_bytes(ballot_type type, uint64_t n, size_t* bytes) {
  return store_bytes("arg_scratch_bytes", bytes, [&] {
    require_type("arg_scratch_bytes", "type", type, accepts::short_numbers);
    return ballot::reduce_scratch_bytes<ballot::indexed<u64>>(n);
  });
}

}  // extern "C"
