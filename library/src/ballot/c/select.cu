// SPDX-License-Identifier: Apache-2.0
// Entry points of selections.
//
//     one column of words, by bytes, bits or a comparison of its own items   one pass, as in the headers
//     otherwise                                                              flags become bits, then a pass a column
//     a column of other items than words                                     positions, then a gather
#include <ballot/c/calls.hpp>
#include <ballot/c/columns.hpp>
#include <ballot/c/gather.hpp>
#include <ballot/c/select_calls.cuh>
#include <ballot/c/selector.cuh>
#include <ballot/compact.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/clear_counts.cuh>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/partition/in_place.cuh>
#include <ballot/device/memory.cuh>

#include <algorithm>

namespace ballot_c {
namespace {

using ballot::detail::ceil_div;
using ballot::detail::scratch_carver;

bool splits_words(unsigned bytes) { return bytes == 4 || bytes == 8; }
bool may_need_gather(const type_info& type, bool splits) {
  return type.is_bytes || (splits && !type.is_positions && !splits_words(type.bytes));
}

enum class selection { compact, compact_in_place, split, split_in_place };
bool is_in_place(selection kind) { return kind == selection::compact_in_place || kind == selection::split_in_place; }

// The scratch of a call: flags as bits, positions, a copy of a column in place, and that of the
// passes.
struct selection_scratch {
  u32* words;
  void* positions;
  std::byte* copy;
  std::size_t pass_bytes = 0;
  std::byte* pass;

  selection_scratch(scratch_carver& carver, selection kind, std::int32_t columns, const ballot_type* types, u64 n) {
    bool gathers = false;
    unsigned most_copied = 0;
    const bool splits = kind == selection::split;
    const auto add = [&](std::size_t bytes) { pass_bytes = std::max(pass_bytes, bytes); };
    for (std::int32_t c = 0; c < columns; ++c) {
      const type_info type = info_of(types[c]);
      if (may_need_gather(type, splits)) {
        gathers = true;
        most_copied = std::max(most_copied, type.bytes);
      }
      with_word(has_word(type.bytes) ? type.bytes : 0, [&]<class U>() {
        if (kind == selection::compact || kind == selection::compact_in_place) add(compact_column_bytes<U>(n));
        if (kind == selection::compact_in_place) add(ballot::detail::compact_in_place_bytes<U>(n));
        if (kind == selection::split_in_place) add(split_column_in_place_bytes<U>(n));
      });
      if (splits && type.bytes == 4) add(split_column_bytes<u32>(n));
      if (splits && type.bytes == 8) add(split_column_bytes<u64>(n));
    }
    const bool wide = has_wide_positions(n);
    if (gathers)
      with_index(wide, [&]<class I>() {
        add(splits || kind == selection::split_in_place ? split_column_bytes<I>(n) : compact_column_bytes<I>(n));
      });
    words = carver.take<u32>(ceil_div(n, 32));
    positions = gathers ? carver.take<std::byte>(bytes_for(n, wide ? 8 : 4)) : nullptr;
    copy = is_in_place(kind) ? carver.take<std::byte>(bytes_for(n, most_copied)) : nullptr;
    pass_bytes = ballot::detail::bytes_at_any_address(pass_bytes);
    pass = carver.take<std::byte>(pass_bytes);
  }
};
std::size_t selection_bytes(selection kind, std::int32_t columns, const ballot_type* types, u64 n) {
  if (n == 0) return 0;
  scratch_carver measure;
  selection_scratch(measure, kind, columns, types, n);
  return measure.bytes();
}

// f.template operator()<Column>() for a column of words or positions.
template <class F>
void with_column(const type_info& type, const F& f) {
  if (!type.is_positions) return with_word(type.bytes, f);
  with_index(type.bytes == 8, [&]<class Index>() { f.template operator()<positions_of<Index>>(); });
}

// A selection whose arguments are checked.
class selection_run {
 public:
  selection_run(const ballot_exec& where, selection kind, std::int32_t columns, const ballot_array* in,
                const checked_selector& select, const ballot::device_count& count, const char* function)
      : gpu_(exec_of(function, where)),
        kind_(kind),
        in_(in),
        columns_(columns),
        select_(select),
        n_(length_of(in[0])),
        count_(count),
        function_(function),
        lease_(gpu_, bytes_of_call(), function),
        carver_(lease_.base()),
        scratch_(carver_, kind, columns, types_, n_.capacity) {}

  void compact(const ballot_array* out) {
    if (columns_ == 1 && compacts_at_once(out[0])) return;
    const ballot::bit_flags bits = bits_of(gpu_.stream(), select_, n_, scratch_.words, function_);
    for (std::int32_t c = 0; c < columns_; ++c) {
      const type_info type = info_of(in_[c].type);
      if (type.is_positions || are_words(in_[c].data, out[c].data, type.bytes)) {
        with_column(type, [&]<class Column>() { compact_column<Column>(pass(), request(c, out[c]), bits); });
      } else {
        find_positions(bits);
        gather_selected(c, out[c]);
      }
    }
  }

  void compact_in_place() {
    const ballot::bit_flags bits = bits_of(gpu_.stream(), select_, n_, scratch_.words, function_);
    for (std::int32_t c = 0; c < columns_; ++c) {
      const unsigned bytes = info_of(in_[c].type).bytes;
      if (are_words(in_[c].data, nullptr, bytes)) {
        with_word(bytes, [&]<class U>() { compact_column_in_place<U>(pass(), request(c, in_[c]), bits); });
      } else {
        find_positions(bits);
        ballot_array copy = in_[c];
        copy.data = scratch_.copy;
        gather_selected(c, copy);
        copy_items(gpu_.stream(), copy.data, in_[c].data, bytes, counted_by(n_.capacity, count_), function_);
      }
    }
  }

  void split_in_place() {
    const ballot::bit_flags bits = bits_of(gpu_.stream(), select_, n_, scratch_.words, function_);
    for (std::int32_t c = 0; c < columns_; ++c) {
      const unsigned bytes = info_of(in_[c].type).bytes;
      if (are_words(in_[c].data, nullptr, bytes)) {
        with_word(bytes, [&]<class U>() { split_column_in_place<U>(pass(), request(c, in_[c]), bits); });
      } else {
        find_split_positions(bits);
        gather(c, scratch_.copy, n_.capacity, n_, {0});
        copy_items(gpu_.stream(), scratch_.copy, in_[c].data, bytes, n_, function_);
      }
    }
  }

  // rejected: null for one output.
  void split(const ballot_array* out, const ballot_array* rejected) {
    const ballot::bit_flags bits = bits_of(gpu_.stream(), select_, n_, scratch_.words, function_);
    for (std::int32_t c = 0; c < columns_; ++c) {
      const type_info type = info_of(in_[c].type);
      column_request r = request(c, out[c]);
      if (rejected != nullptr) {
        r.rejected = rejected[c].data;
        r.rejected_room = rejected[c].length;
      }
      if (type.is_positions || (splits_words(type.bytes) && are_words(in_[c].data, out[c].data, type.bytes) &&
                                (rejected == nullptr || are_words(rejected[c].data, nullptr, type.bytes)))) {
        const auto split = [&]<class Column>() {
          if (rejected == nullptr) split_column<Column, split_into::one>(pass(), r, bits);
          else split_column<Column, split_into::two>(pass(), r, bits);
        };
        if (type.is_positions)
          with_index(type.bytes == 8, [&]<class Index>() { split.template operator()<positions_of<Index>>(); });
        else with_index(type.bytes == 8, split);
        continue;
      }
      find_split_positions(bits);
      if (rejected == nullptr) {
        gather(c, r.out, r.room, n_, {0});
      } else {
        gather(c, r.out, r.room, counted_by(n_.capacity, count_), {0});
        gather(c, r.rejected, r.rejected_room, n_, counted_by(n_.capacity, count_));
      }
    }
  }

 private:
  std::size_t bytes_of_call() {
    for (std::int32_t c = 0; c < columns_; ++c) types_[c] = in_[c].type;
    return selection_bytes(kind_, columns_, types_, n_.capacity);
  }
  ballot::exec pass() const { return {gpu_.stream(), scratch_.pass, scratch_.pass_bytes}; }
  column_request request(std::int32_t c, const ballot_array& out) const {
    return {in_[c].data, n_, out.data, out.length, nullptr, 0, count_, function_};
  }

  // One column by bytes, or by a comparison of its own items of up to 8 bytes.
  bool compacts_at_once(const ballot_array& out) const {
    const type_info type = info_of(in_[0].type);
    if (!type.is_positions && !are_words(in_[0].data, out.data, type.bytes)) return false;
    if (select_.by_bytes) {
      with_column(type, [&]<class Column>() { compact_column<Column>(pass(), request(0, out), select_.byte_flags()); });
      return true;
    }
    if (!select_.compares_column || type.bytes > 8) return false;
    with_short_word(type.bytes, [&]<class U>() { compact_column<U>(pass(), request(0, out), select_.compare<U>()); });
    return true;
  }

  void gather(std::int32_t c, void* out, u64 room, const length& n, const length& skipped) const {
    ballot_c::gather(gpu_.stream(),
                     {in_[c].data, out, room, info_of(in_[c].type).bytes, scratch_.positions,
                      has_wide_positions(n_.capacity), n, skipped},
                     function_);
  }
  void gather_selected(std::int32_t c, const ballot_array& out) const {
    gather(c, out.data, out.length, counted_by(n_.capacity, count_), {0});
  }
  // Once, for all columns that need them.
  column_request positions_request() const {
    return {nullptr, n_, scratch_.positions, n_.capacity, nullptr, 0, count_, function_};
  }
  void find_positions(const ballot::bit_flags& bits) {
    if (has_positions_) return;
    with_index(has_wide_positions(n_.capacity),
               [&]<class Index>() { compact_column<positions_of<Index>>(pass(), positions_request(), bits); });
    has_positions_ = true;
  }
  void find_split_positions(const ballot::bit_flags& bits) {
    if (has_positions_) return;
    with_index(has_wide_positions(n_.capacity), [&]<class Index>() {
      split_column<positions_of<Index>, split_into::one>(pass(), positions_request(), bits);
    });
    has_positions_ = true;
  }

  ballot::exec gpu_;
  selection kind_;
  const ballot_array* in_;
  std::int32_t columns_;
  const checked_selector& select_;
  length n_;
  ballot::device_count count_;
  const char* function_;
  ballot_type types_[most_columns] = {};
  ballot::detail::scratch_lease lease_;
  scratch_carver carver_;
  selection_scratch scratch_;
  bool has_positions_ = false;
};

// Checks what all selections have in common, and runs one. out, rejected: null where there are
// none.
template <class Run>
void select_columns(const ballot_exec& where, const char* function, selection kind, std::int32_t columns,
                    const ballot_array* in, const ballot_selector& given, const ballot_array* out, const char* out_name,
                    const ballot_array* rejected, bool is_as_long, const ballot_array& count_array, const Run& run) {
  const bool in_place = is_in_place(kind);
  require_columns(function, in_place ? "items" : "in", columns, in, true);
  const u64 n = in[0].length;
  if (in_place) {
    for (std::int32_t c = 0; c < columns; ++c)
      if (info_of(in[c].type).is_positions) fail(function, "`items` are positions, which cannot be changed");
  } else {
    require_outputs(function, out_name, columns, in, out, is_as_long ? n : 0);
    if (rejected != nullptr) require_outputs(function, "rejected", columns, in, rejected, 0);
  }
  const checked_selector select(function, given, in[0], n, in_place ? "items" : "in");
  const ballot::device_count count = count_of(function, "count", count_array);
  ballot::detail::require_count(function, "count", count, n);
  argument_list written, read;
  for (std::int32_t c = 0; c < columns; ++c) {
    const int shown = columns > 1 ? c : -1;
    if (in_place) written.add("items", in[c], shown);
    else read.add("in", in[c], shown);
    if (!in_place) written.add(out_name, out[c], shown);
    if (rejected != nullptr) written.add("rejected", rejected[c], shown);
  }
  written.add(argument_of("count", count));
  read.add(argument_of(in_place ? "items.length" : "in.length", length_of(in[0])));
  select.add_to(read);
  ballot_type types[most_columns];
  for (std::int32_t c = 0; c < columns; ++c) types[c] = in[c].type;
  require_memory_of(function, where, selection_bytes(kind, columns, types, n), written, read);
  if (n == 0) return ballot::detail::clear_counts(exec_of(function, where).stream(), count);
  selection_run call(where, kind, columns, in, select, count, function);
  run(call);
}

}  // namespace
}  // namespace ballot_c

using namespace ballot_c;

extern "C" {

ballot_status ballot_compact(ballot_exec where, int32_t columns, const ballot_array* in, ballot_selector select,
                             const ballot_array* out, ballot_array count) {
  return guarded([&] {
    select_columns(where, "compact", selection::compact, columns, in, select, out, "out", nullptr, false, count,
                   [&](selection_run& run) { run.compact(out); });
  });
}
ballot_status ballot_compact_in_place(ballot_exec where, int32_t columns, const ballot_array* items,
                                      ballot_selector select, ballot_array count) {
  return guarded([&] {
    select_columns(where, "compact_in_place", selection::compact_in_place, columns, items, select, nullptr, "items",
                   nullptr, false, count, [](selection_run& run) { run.compact_in_place(); });
  });
}
ballot_status ballot_split(ballot_exec where, int32_t columns, const ballot_array* in, ballot_selector select,
                           const ballot_array* out, ballot_array count) {
  return guarded([&] {
    select_columns(where, "split", selection::split, columns, in, select, out, "out", nullptr, true, count,
                   [&](selection_run& run) { run.split(out, nullptr); });
  });
}
ballot_status ballot_split_in_two(ballot_exec where, int32_t columns, const ballot_array* in, ballot_selector select,
                                  const ballot_array* selected, const ballot_array* rejected, ballot_array count) {
  return guarded([&] {
    if (rejected == nullptr) fail("split_in_two", "`rejected` is null");
    select_columns(where, "split_in_two", selection::split, columns, in, select, selected, "selected", rejected, false,
                   count, [&](selection_run& run) { run.split(selected, rejected); });
  });
}
ballot_status ballot_split_in_place(ballot_exec where, int32_t columns, const ballot_array* items,
                                    ballot_selector select, ballot_array count) {
  return guarded([&] {
    select_columns(where, "split_in_place", selection::split_in_place, columns, items, select, nullptr, "items",
                   nullptr, false, count, [](selection_run& run) { run.split_in_place(); });
  });
}
static ballot_status selection_size(const char* function, selection kind, int32_t columns, const ballot_type* types,
                                    uint64_t n, size_t* bytes) {
  return store_bytes(function, bytes, [&] {
    require_column_types(function, columns, types);
    return ballot::detail::bytes_at_any_address(selection_bytes(kind, columns, types, n));
  });
}
ballot_status ballot_compact_scratch_bytes(int32_t columns, const ballot_type* types, uint64_t n, size_t* bytes) {
  return selection_size("compact_scratch_bytes", selection::compact, columns, types, n, bytes);
}
ballot_status ballot_compact_in_place_scratch_bytes(int32_t columns, const ballot_type* types, uint64_t n,
                                                    size_t* bytes) {
  return selection_size("compact_in_place_scratch_bytes", selection::compact_in_place, columns, types, n, bytes);
}
ballot_status ballot_split_scratch_bytes(int32_t columns, const ballot_type* types, uint64_t n, size_t* bytes) {
  return selection_size("split_scratch_bytes", selection::split, columns, types, n, bytes);
}
ballot_status ballot_split_in_place_scratch_bytes(int32_t columns, const ballot_type* types, uint64_t n,
                                                  size_t* bytes) {
  return selection_size("split_in_place_scratch_bytes", selection::split_in_place, columns, types, n, bytes);
}

}  // extern "C"
