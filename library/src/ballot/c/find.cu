// SPDX-License-Identifier: Apache-2.0
// Entry points for what is selected of one array: the positions, the number, and the flags as bits.
#include <ballot/c/calls.hpp>
#include <ballot/c/columns.hpp>
#include <ballot/c/flag_words.hpp>
#include <ballot/c/select_calls.cuh>
#include <ballot/c/selector.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/clear_counts.cuh>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/device/memory.cuh>

#include <algorithm>

using namespace ballot_c;
using ballot::detail::ceil_div;
using ballot::detail::scratch_carver;

namespace {

std::size_t compact_indices_bytes(const type_info& index, u64 n) {
  if (n == 0) return 0;
  std::size_t pass = compact_column_bytes<u64>(n);
  if (index.bytes == 4)
    pass = std::max({compact_column_bytes<u32>(n), compact_indices_by_comparison_bytes<u8>(n),
                     compact_indices_by_comparison_bytes<u16>(n), compact_indices_by_comparison_bytes<u32>(n),
                     compact_indices_by_comparison_bytes<u64>(n)});
  scratch_carver measure;
  measure.take<u32>(ceil_div(n, 32));
  measure.take<std::byte>(pass);
  return ballot::detail::bytes_at_any_address(measure.bytes());
}

}  // namespace

extern "C" {

ballot_status ballot_compact_indices(ballot_exec where, ballot_array in, ballot_selector given, ballot_array indices,
                                     ballot_array count_array) {
  constexpr const char* function = "compact_indices";
  return guarded([&] {
    require_array(function, "in", in, accepts::anything_to_move, true);
    const type_info index = require_array(function, "indices", indices, accepts::counts);
    const u64 n = in.length;
    const checked_selector select(function, given, in, n);
    const ballot::device_count count = count_of(function, "count", count_array);
    ballot::detail::require_count(function, "count", count, n);
    ballot::detail::require_counts_fit(function, "indices", {index.bytes == 8, index.is_signed}, n == 0 ? 0 : n - 1);
    argument_list written, read;
    written.add("indices", indices);
    written.add(argument_of("count", count));
    if (select.compares_column) read.add("in", in);
    read.add(argument_of("in.length", length_of(in)));
    select.add_to(read);
    const std::size_t bytes = compact_indices_bytes(index, n);
    require_memory_of(function, where, bytes, written, read);
    const ballot::exec gpu = exec_of(function, where);
    if (n == 0) return ballot::detail::clear_counts(gpu.stream(), count);
    const ballot::detail::scratch_lease lease(gpu, bytes - ballot::detail::scratch_alignment, function);
    scratch_carver carver(lease.base());
    u32* const words = carver.take<u32>(ceil_div(n, 32));
    const std::size_t rest = bytes - ballot::detail::scratch_alignment - carver.bytes();
    const ballot::exec pass(gpu.stream(), carver.take<std::byte>(rest), rest);
    const column_request request{nullptr, length_of(in), indices.data, indices.length, nullptr, 0, count, function};
    if (select.by_comparison() && index.bytes == 4 && select.type.bytes <= 8)
      return with_short_word(select.type.bytes, [&]<class U>() {
        compact_indices_by_comparison<U>(pass, {static_cast<const U*>(select.compared.data), length_of(in)},
                                         select.compare<U>(), request);
      });
    with_index(index.bytes == 8, [&]<class Index>() {
      if (select.by_bytes) return compact_column<positions_of<Index>>(pass, request, select.byte_flags());
      compact_column<positions_of<Index>>(pass, request, bits_of(gpu.stream(), select, length_of(in), words, function));
    });
  });
}
ballot_status ballot_compact_indices_scratch_bytes(ballot_type indices, uint64_t n, size_t* bytes) {
  constexpr const char* function = "compact_indices_scratch_bytes";
  return store_bytes(function, bytes, [&]() -> std::size_t {
    return compact_indices_bytes(require_type(function, "indices", indices, accepts::counts), n);
  });
}

ballot_status ballot_count_if(ballot_exec where, ballot_array in, ballot_selector given, ballot_array count_array) {
  constexpr const char* function = "count_if";
  return guarded([&] {
    require_array(function, "in", in, accepts::anything_to_move, true);
    const checked_selector select(function, given, in, in.length);
    const ballot::device_count count = count_of(function, "count", count_array);
    ballot::detail::require_count(function, "count", count, in.length);
    argument_list written, read;
    written.add(argument_of("count", count));
    if (select.compares_column) read.add("in", in);
    read.add(argument_of("in.length", length_of(in)));
    select.add_to(read);
    require_memory_of(function, where, 0, written, read);
    const ballot::stream_t stream = exec_of(function, where).stream();
    if (!select.by_comparison())
      return count_flags(stream, given.array, select.by_bits, length_of(in), select.inverts(), count);
    with_word(select.type.bytes, [&]<class U>() {
      count_by_comparison<U>(stream, {static_cast<const U*>(select.compared.data), length_of(in)}, select.compare<U>(),
                             count);
    });
  });
}

ballot_status ballot_flag_bits(ballot_exec where, ballot_array in, ballot_selector given, ballot_array words) {
  constexpr const char* function = "flag_bits";
  return guarded([&] {
    require_array(function, "in", in, accepts::anything_to_move, true);
    require_array(function, "words", words, accepts::integers);
    require_same_type(function, "words", words.type, "words of flags", BALLOT_U32);
    const checked_selector select(function, given, in, in.length);
    ballot::detail::require_room(function, "words", words.length, ceil_div(in.length, 32));
    argument_list written, read;
    written.add("words", words);
    if (select.compares_column) read.add("in", in);
    read.add(argument_of("in.length", length_of(in)));
    select.add_to(read);
    require_memory_of(function, where, 0, written, read);
    const ballot::stream_t stream = exec_of(function, where).stream();
    if (in.length == 0) return;
    u32* const to = static_cast<u32*>(words.data);
    if (select.by_bits) copy_flags(stream, given.array, length_of(in), to, function, select.inverts());
    else bits_of(stream, select, length_of(in), to, function);
  });
}

}  // extern "C"
