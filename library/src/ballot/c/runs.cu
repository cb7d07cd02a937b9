// SPDX-License-Identifier: Apache-2.0
// Entry points of runs, and of multisplit.
#include <ballot/c/calls.hpp>
#include <ballot/c/columns.hpp>
#include <ballot/c/gather.hpp>
#include <ballot/c/run_calls.cuh>
#include <ballot/c/select_calls.cuh>
#include <ballot/c/selector.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/clear_counts.cuh>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/partition/in_place.cuh>
#include <ballot/device/memory.cuh>

#include <algorithm>
#include <span>

namespace ballot_c {
namespace {

using ballot::detail::scratch_carver;

template <class U>
same<U> equality_of(const type_info& type) {
  return {magnitude_mask_of<U>(type), infinity_of<U>(type)};
}

// Items of runs and their values, of one type.
type_info require_items(const char* function, const char* name, const ballot_array& in, const char* out_name,
                        const ballot_array& out) {
  const type_info type = require_array(function, name, in, accepts::numbers, true);
  require_array(function, out_name, out, accepts::numbers);
  require_same_type(function, name, in.type, out_name, out.type);
  return type;
}

// Positions that the call itself has found are those of a column of positions: of the type that so
// many items take.
void require_positions_type(const char* function, const char* name, std::int32_t columns, const ballot_array* in) {
  for (std::int32_t c = 0; c < columns; ++c) {
    const type_info type = info_of(in[c].type);
    if (type.is_positions && (type.bytes == 8) != has_wide_positions(in[c].length))
      fail(function, joined({"`", name, "` column ", std::to_string(c), " has type ", type.name,
                             ": up to 2^32 positions are BALLOT_POSITIONS_U32 here, more are _U64"}));
  }
}

// run_offsets and run_length_encode. f.template operator()<U, Index>(...): the instance.
template <class F>
void encode_runs(const char* function, const char* name, const ballot_array& in, const ballot_array& values,
                 const ballot_array& further, const ballot_array& count_array, const F& f) {
  const type_info type = require_items(function, "in", in, "values", values);
  const type_info index = require_array(function, name, further, accepts::counts);
  const ballot::device_count count = count_of(function, "count", count_array);
  ballot::detail::require_counts_fit(function, name, {index.bytes == 8, index.is_signed}, in.length);
  with_word(type.bytes, [&]<class U>() {
    with_index(index.bytes == 8, [&]<class Index>() {
      f(input_of<U>(in), equality_of<U>(type), output_of<U>(values), output_of<Index>(further), count);
    });
  });
}

std::size_t runs_bytes(const type_info& items, const type_info& further, u64 n) {
  std::size_t bytes = 0;
  with_word(items.bytes, [&]<class U>() {
    if (further.bytes == 0) {
      bytes = unique_bytes<U>(n);
      return;
    }
    with_index(further.bytes == 8,
               [&]<class Index>() { bytes = std::max(run_offsets_bytes<U, Index>(n), run_length_bytes<U, Index>(n)); });
  });
  return bytes;
}

// Of unique_by_key: where runs begin, for the gathers.
struct heads_scratch {
  void* heads;
  std::size_t pass_bytes;
  std::byte* pass;

  heads_scratch(scratch_carver& carver, const type_info& keys, u64 n)
      : heads(carver.take<std::byte>(bytes_for(n == ~u64{0} ? n : n + 1, has_wide_positions(n) ? 8 : 4))),
        pass_bytes(runs_bytes(keys, info_of(has_wide_positions(n) ? BALLOT_U64 : BALLOT_U32), n)),
        pass(carver.take<std::byte>(pass_bytes)) {}
  static std::size_t bytes(const type_info& keys, u64 n) {
    if (n == 0) return 0;
    scratch_carver measure;
    heads_scratch(measure, keys, n);
    return measure.bytes();
  }
};

void unique_by_key(const ballot_exec& where, const ballot_array& keys, std::int32_t columns, const ballot_array* values,
                   const ballot_array& keys_out, const ballot_array* values_out, const ballot_array& count_array) {
  constexpr const char* function = "unique_by_key";
  const type_info type = require_items(function, "keys", keys, "keys_out", keys_out);
  require_columns(function, "values", columns, values, false);
  require_outputs(function, "values_out", columns, values, values_out, 0, "values");
  require_positions_type(function, "values", columns, values);
  const u64 n = keys.length;
  ballot::detail::require_same_length(function, "keys", n, "values", values[0].length);
  const ballot::device_count count = count_of(function, "count", count_array);
  ballot::detail::require_count(function, "count", count, n);
  argument_list written, read;
  written.add("keys_out", keys_out);
  written.add(argument_of("count", count));
  read.add("keys", keys);
  read.add(argument_of("keys.length", length_of(keys)));
  for (std::int32_t c = 0; c < columns; ++c) {
    written.add("values_out", values_out[c], columns > 1 ? c : -1);
    read.add("values", values[c], columns > 1 ? c : -1);
  }
  const std::size_t bytes = heads_scratch::bytes(type, n);
  require_memory_of(function, where, bytes, written, read);
  const ballot::exec gpu = exec_of(function, where);
  if (n == 0) return ballot::detail::clear_counts(gpu.stream(), count);
  const ballot::detail::scratch_lease lease(gpu, bytes, function);
  scratch_carver carver(lease.base());
  const heads_scratch scratch(carver, type, n);
  const bool wide = has_wide_positions(n);
  with_word(type.bytes, [&]<class U>() {
    with_index(wide, [&]<class Index>() {
      ballot_c::run_offsets<U, Index>(ballot::exec(gpu.stream(), scratch.pass, scratch.pass_bytes), input_of<U>(keys),
                                      equality_of<U>(type), output_of<U>(keys_out),
                                      {static_cast<Index*>(scratch.heads), n + 1}, count);
    });
  });
  const length runs = counted_by(n, count);
  for (std::int32_t c = 0; c < columns; ++c) {
    const type_info of = info_of(values[c].type);
    if (of.is_positions) {
      const length kept{ballot::detail::smaller(n, values_out[c].length), runs.count, runs.type};
      copy_items(gpu.stream(), scratch.heads, values_out[c].data, of.bytes, kept, function);
    } else {
      gather(gpu.stream(),
             {values[c].data, values_out[c].data, values_out[c].length, of.bytes, scratch.heads, wide, runs, {0}},
             function);
    }
  }
}

// Where runs begin as bits, and then a compaction by them.
struct unique_in_place_scratch {
  u32* heads;
  std::size_t pass_bytes = 0;
  std::byte* pass;

  unique_in_place_scratch(scratch_carver& carver, const type_info& items, u64 n)
      : heads(carver.take<u32>(ballot::detail::ceil_div(n, 32))) {
    with_word(items.bytes, [&]<class U>() { pass_bytes = ballot::detail::compact_in_place_bytes<U>(n); });
    pass_bytes = ballot::detail::bytes_at_any_address(pass_bytes);
    pass = carver.take<std::byte>(pass_bytes);
  }
  static std::size_t bytes(const type_info& items, u64 n) {
    if (n == 0) return 0;
    scratch_carver measure;
    unique_in_place_scratch(measure, items, n);
    return measure.bytes();
  }
};

void unique_in_place(const ballot_exec& where, const ballot_array& items, const ballot_array& count_array) {
  constexpr const char* function = "unique_in_place";
  const type_info type = require_array(function, "items", items, accepts::numbers, true);
  const u64 n = items.length;
  const ballot::device_count count = count_of(function, "count", count_array);
  ballot::detail::require_count(function, "count", count, n);
  argument_list written, read;
  written.add("items", items);
  written.add(argument_of("count", count));
  read.add(argument_of("items.length", length_of(items)));
  const std::size_t bytes = unique_in_place_scratch::bytes(type, n);
  require_memory_of(function, where, bytes, written, read);
  const ballot::exec gpu = exec_of(function, where);
  if (n == 0) return ballot::detail::clear_counts(gpu.stream(), count);
  const ballot::detail::scratch_lease lease(gpu, bytes, function);
  scratch_carver carver(lease.base());
  const unique_in_place_scratch scratch(carver, type, n);
  const ballot::bit_flags heads{
      std::span(static_cast<const u32*>(scratch.heads), static_cast<std::size_t>(ballot::detail::ceil_div(n, 32)))};
  with_word(type.bytes, [&]<class U>() {
    head_bits<U>(gpu.stream(), input_of<U>(items), equality_of<U>(type), scratch.heads, function);
    compact_column_in_place<U>(ballot::exec(gpu.stream(), scratch.pass, scratch.pass_bytes),
                               {items.data, length_of(items), items.data, n, nullptr, 0, count, function}, heads);
  });
}

// ---- multisplit ----

// Columns of 4 and 8 bytes move at once by numbers of 1 and 4 bytes; others by their positions.
bool moves_at_once(const type_info& item, const type_info& number) {
  return (item.bytes == 4 || item.bytes == 8) && (number.bytes == 1 || number.bytes == 4);
}

struct multisplit_scratch {
  void* positions;
  std::size_t pass_bytes;
  std::byte* pass;

  multisplit_scratch(scratch_carver& carver, unsigned buckets, u64 n)
      : positions(carver.take<std::byte>(bytes_for(n, has_wide_positions(n) ? 8 : 4))),
        pass_bytes(std::max(multisplit_column_bytes<u32>(n, buckets), multisplit_column_bytes<u64>(n, buckets))),
        pass(carver.take<std::byte>(pass_bytes)) {}
  static std::size_t bytes(unsigned buckets, u64 n) {
    if (n == 0) return 0;
    scratch_carver measure;
    multisplit_scratch(measure, buckets, n);
    return measure.bytes();
  }
};

void require_buckets(const char* function, u32 buckets) {
  if (buckets < 1 || buckets > 256)
    fail(function, joined({"`buckets` is ", std::to_string(buckets), ", buckets are 1 to 256"}));
}

void multisplit(const ballot_exec& where, const ballot_array& numbers, u32 buckets, std::int32_t columns,
                const ballot_array* in, const ballot_array* out, const ballot_array& offsets_array) {
  constexpr const char* function = "multisplit";
  const type_info number = require_array(function, "numbers", numbers, accepts::integers, true);
  require_type(function, "numbers", numbers.type, accepts::short_numbers);
  require_buckets(function, buckets);
  require_columns(function, "in", columns, in, false);
  require_outputs(function, "out", columns, in, out, 0);
  require_positions_type(function, "in", columns, in);
  const u64 n = numbers.length;
  ballot::detail::require_same_length(function, "numbers", n, "in", in[0].length);
  const ballot::device_count offsets = count_of(function, "offsets", offsets_array);
  ballot::detail::require_room(function, "offsets", offsets_array.length, u64{buckets} + 1);
  ballot::detail::require_counts_fit(function, "offsets", offsets.type(), n);
  argument_list written, read;
  written.add("offsets", offsets_array);
  read.add("numbers", numbers);
  read.add(argument_of("numbers.length", length_of(numbers)));
  for (std::int32_t c = 0; c < columns; ++c) {
    written.add("out", out[c], columns > 1 ? c : -1);
    read.add("in", in[c], columns > 1 ? c : -1);
  }
  const std::size_t bytes = multisplit_scratch::bytes(buckets, n);
  require_memory_of(function, where, bytes, written, read);
  const ballot::exec gpu = exec_of(function, where);
  if (n == 0) return ballot::detail::clear_counts(gpu.stream(), offsets, u64{buckets} + 1);
  const ballot::detail::scratch_lease lease(gpu, bytes, function);
  scratch_carver carver(lease.base());
  const multisplit_scratch scratch(carver, buckets, n);
  const ballot::exec pass(gpu.stream(), scratch.pass, scratch.pass_bytes);
  const type_info first = info_of(in[0].type);
  if (columns == 1 && !first.is_positions && moves_at_once(first, number) &&
      are_words(in[0].data, out[0].data, first.bytes)) {
    const auto move = [&]<class N>() {
      with_index(first.bytes == 8, [&]<class T>() {
        multisplit_column<N, T>(pass, input_of<N>(numbers), number.is_signed, buckets,
                                static_cast<const T*>(in[0].data), output_of<T>(out[0]), offsets);
      });
    };
    return number.bytes == 1 ? move.template operator()<u8>() : move.template operator()<u32>();
  }
  const bool wide = has_wide_positions(n);
  with_short_word(number.bytes, [&]<class N>() {
    with_index(wide, [&]<class Index>() {
      multisplit_positions<N, Index>(pass, input_of<N>(numbers), number.is_signed, buckets,
                                     {static_cast<Index*>(scratch.positions), n}, offsets);
    });
  });
  auto* const total = static_cast<std::byte*>(offsets.address()) + buckets * offsets.type().bytes();
  const length placed{n, total, offsets.type()};
  for (std::int32_t c = 0; c < columns; ++c) {
    const type_info of = info_of(in[c].type);
    if (of.is_positions) {
      const length kept{ballot::detail::smaller(n, out[c].length), placed.count, placed.type};
      copy_items(gpu.stream(), scratch.positions, out[c].data, of.bytes, kept, function);
    } else {
      gather(gpu.stream(), {in[c].data, out[c].data, out[c].length, of.bytes, scratch.positions, wide, placed, {0}},
             function);
    }
  }
}

}  // namespace
}  // namespace ballot_c

using namespace ballot_c;

extern "C" {

ballot_status ballot_unique(ballot_exec where, ballot_array in, ballot_array out, ballot_array count_array) {
  constexpr const char* function = "unique";
  return guarded([&] {
    const type_info type = require_items(function, "in", in, "out", out);
    const ballot::device_count count = count_of(function, "count", count_array);
    with_word(type.bytes, [&]<class U>() {
      ballot_c::unique<U>(exec_of(function, where), input_of<U>(in), equality_of<U>(type), output_of<U>(out), count);
    });
  });
}
ballot_status ballot_unique_in_place(ballot_exec where, ballot_array items, ballot_array count) {
  return guarded([&] { unique_in_place(where, items, count); });
}
ballot_status ballot_unique_by_key(ballot_exec where, ballot_array keys, int32_t columns, const ballot_array* values,
                                   ballot_array keys_out, const ballot_array* values_out, ballot_array count) {
  return guarded([&] { unique_by_key(where, keys, columns, values, keys_out, values_out, count); });
}
ballot_status ballot_run_offsets(ballot_exec where, ballot_array in, ballot_array values, ballot_array offsets,
                                 ballot_array count) {
  return guarded([&] {
    encode_runs("run_offsets", "offsets", in, values, offsets, count,
                [&]<class U, class Index>(const input<U>& items, const same<U>& equal, const output<U>& heads,
                                          const output<Index>& begins, const ballot::device_count& runs) {
                  ballot_c::run_offsets<U, Index>(exec_of("run_offsets", where), items, equal, heads, begins, runs);
                });
  });
}
ballot_status ballot_run_length_encode(ballot_exec where, ballot_array in, ballot_array values, ballot_array lengths,
                                       ballot_array count) {
  return guarded([&] {
    encode_runs("run_length_encode", "lengths", in, values, lengths, count,
                [&]<class U, class Length>(const input<U>& items, const same<U>& equal, const output<U>& heads,
                                           const output<Length>& sizes, const ballot::device_count& runs) {
                  ballot_c::run_length_encode<U, Length>(exec_of("run_length_encode", where), items, equal, heads,
                                                         sizes, runs);
                });
  });
}
ballot_status ballot_runs_scratch_bytes(ballot_type items, ballot_type further, uint64_t n, size_t* bytes) {
  constexpr const char* function = "runs_scratch_bytes";
  return store_bytes(function, bytes, [&] {
    const type_info of = require_type(function, "items", items, accepts::numbers);
    const type_info index =
        further == BALLOT_NONE ? info_of(further) : require_type(function, "further", further, accepts::counts);
    return runs_bytes(of, index, n);
  });
}
ballot_status ballot_unique_in_place_scratch_bytes(ballot_type items, uint64_t n, size_t* bytes) {
  constexpr const char* function = "unique_in_place_scratch_bytes";
  return store_bytes(function, bytes, [&] {
    const type_info of = require_type(function, "items", items, accepts::numbers);
    return ballot::detail::bytes_at_any_address(unique_in_place_scratch::bytes(of, n));
  });
}
ballot_status ballot_unique_by_key_scratch_bytes(ballot_type keys, uint64_t n, size_t* bytes) {
  constexpr const char* function = "unique_by_key_scratch_bytes";
  return store_bytes(function, bytes, [&] {
    const type_info of = require_type(function, "keys", keys, accepts::numbers);
    return ballot::detail::bytes_at_any_address(heads_scratch::bytes(of, n));
  });
}

ballot_status ballot_multisplit(ballot_exec where, ballot_array numbers, uint32_t buckets, int32_t columns,
                                const ballot_array* in, const ballot_array* out, ballot_array offsets) {
  return guarded([&] { multisplit(where, numbers, buckets, columns, in, out, offsets); });
}
ballot_status ballot_multisplit_scratch_bytes(uint32_t buckets, uint64_t n, size_t* bytes) {
  constexpr const char* function = "multisplit_scratch_bytes";
  return store_bytes(function, bytes, [&] {
    require_buckets(function, buckets);
    return ballot::detail::bytes_at_any_address(multisplit_scratch::bytes(buckets, n));
  });
}

}  // extern "C"
