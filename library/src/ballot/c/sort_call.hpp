// SPDX-License-Identifier: Apache-2.0
// What the entry points of sorts share: the memory of an array, and a sort whose arguments are
// checked.
#pragma once

#include <ballot/c/calls.hpp>
#include <ballot/c/key_order.hpp>
#include <ballot/c/sort.hpp>
#include <ballot/core/exec.hpp>

namespace ballot_c {

inline argument memory_of(const char* name, const ballot_array& array) {
  return {name, array.data, array.length * info_of(array.type).bytes};
}

// A sort whose arguments are checked: the keys as words of their width.
struct sort_call {
  ballot::exec gpu;
  const char* function;
  const key_order& order;
  ballot_array keys;
  void* keys_out;  // null: not wanted
  std::byte* scratch;

  u64 n() const { return keys.length; }
  template <class U, class W>
  void sort(std::byte* scratch_of_sort, const void* values, void* values_out, U* keys_spare = nullptr,
            void* values_spare = nullptr) const {
    sort_words<U, W>(
        gpu.stream(), scratch_of_sort,
        {input_of<U>(keys), static_cast<U*>(keys_out), static_cast<const W*>(values), static_cast<W*>(values_out),
         keys_spare, static_cast<W*>(values_spare), order.codec<U>(), order.bits});
  }
};

}  // namespace ballot_c
