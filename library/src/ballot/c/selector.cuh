// SPDX-License-Identifier: Apache-2.0
// A selector of ballot.h, checked; and the lists of arguments that selections check.
#pragma once

#include <ballot/c/calls.hpp>
#include <ballot/c/flag_words.hpp>
#include <ballot/c/operators.cuh>
#include <ballot/core/flags.hpp>

#include <cstring>
#include <span>

namespace ballot_c {

// Names and memory of a call's arguments, without allocation.
class argument_list {
 public:
  void add(const argument& one) { items_[size_++] = one; }
  void add(const char* name, const ballot_array& array, int column = -1) {
    const type_info type = info_of(array.type);
    add({name, array.data, type.is_positions ? 0 : array.length * type.bytes, column});
  }
  std::span<const argument> items() const { return {items_, size_}; }

 private:
  argument items_[40];
  std::size_t size_ = 0;
};

// Nothing is null, and what is written overlaps nothing else; nor does the scratch.
inline void require_memory_of(const char* function, const ballot_exec& where, std::size_t scratch_bytes,
                              argument_list& written, const argument_list& read) {
  ballot::detail::require_not_null(function, written.items());
  ballot::detail::require_not_null(function, read.items());
  if (scratch_bytes != 0) written.add({"scratch", where.scratch, where.scratch_bytes});
  ballot::detail::require_apart(function, written.items(), read.items());
}

// How n items are selected. compared: the type of the items of a comparison.
struct checked_selector {
  ballot_selector given;
  bool by_bits, by_bytes, compares_column;  // the latter: the first column's own items
  ballot_array compared;
  type_info type;

  // column_name: that of the argument with the first column.
  checked_selector(const char* function, const ballot_selector& select, const ballot_array& first_column, u64 n,
                   const char* column_name = "in")
      : given(select),
        by_bits(select.kind == BALLOT_BY_BITS),
        by_bytes(select.kind == BALLOT_BY_BYTES),
        compares_column(false),
        compared(select.array),
        type{} {
    require_choice(function, "select.kind", select.kind, 3);
    if (select.kind != BALLOT_BY_COMPARISON) {
      require_array(function, "flags", select.array, accepts::integers);
      require_flag_array(function, "flags", select.array, by_bits, n);
      return;
    }
    require_choice(function, "select.compare", select.compare, 6);
    if (select.value == nullptr) fail(function, "`select.value` is null");
    compares_column = select.array.type == BALLOT_NONE;
    if (compares_column) compared = first_column;
    const char* const name = compares_column ? column_name : "select.array";
    type = require_array(function, name, compared, accepts::numbers, compares_column);
    if (select.value_type != BALLOT_NONE)
      require_same_type(function, "select.value", select.value_type, name, compared.type);
    if (!compares_column) ballot::detail::require_same_length(function, name, compared.length, column_name, n);
    if (select.value_on_device == 0) return;
    if (reinterpret_cast<std::uintptr_t>(select.value) % type.bytes != 0)
      fail(function, joined({"`select.value` is not aligned to its ", decimal(type.bytes), " bytes"}));
    require_device_address(function, "select.value", select.value);
  }

  bool by_comparison() const { return !by_bits && !by_bytes; }
  bool inverts() const { return given.invert != 0; }

  // The input of the selector.
  void add_to(argument_list& read) const {
    if (!by_comparison()) return read.add("flags", given.array);
    if (!compares_column) read.add("select.array", given.array);
    if (given.value_on_device != 0) read.add({"select.value", given.value, type.bytes});
  }

  ballot::byte_flags byte_flags() const {
    return {std::span(static_cast<const u8*>(given.array.data), static_cast<std::size_t>(given.array.length)),
            inverts()};
  }
  ballot::bit_flags bit_flags() const {
    return {std::span(static_cast<const u32*>(given.array.data), static_cast<std::size_t>(given.array.length)),
            inverts()};
  }
  template <class U>
  comparison<U> compare() const {
    constexpr unsigned selected[] = {
        is_equal, is_less | is_greater | is_unordered, is_less, is_less | is_equal, is_greater, is_greater | is_equal};
    comparison<U> made{numbers_of<U>(type), nullptr, 0, selected[given.compare] ^ (inverts() ? 15u : 0u)};
    if (given.value_on_device != 0) made.device_value = static_cast<const U*>(given.value);
    else std::memcpy(&made.value, given.value, sizeof(U));
    return made;
  }
};

}  // namespace ballot_c
