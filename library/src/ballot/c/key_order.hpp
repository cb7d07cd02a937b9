// SPDX-License-Identifier: Apache-2.0
// The order of a sort's keys, from the caller's options.
#pragma once

#include <ballot/c/calls.hpp>
#include <ballot/c/sort.hpp>

namespace ballot_c {

// The order of a call's keys, checked.
struct key_order {
  type_info type;
  ballot::direction direction;
  ballot::nan_order nans;
  sort_bits bits;
  bool has_equal_zeros;

  key_order(const char* function, const type_info& keys, const ballot_sort_options* given) : type(keys) {
    const auto options = options_of(function, given, offsetof(ballot_sort_options, zeros));
    require_choice(function, "direction", options.direction, 2);
    require_choice(function, "nans", options.nans, 3);
    require_choice(function, "zeros", options.zeros, 2);
    require_choice(function, "reserved", options.reserved, 1);
    has_equal_zeros = keys.is_float && options.zeros == BALLOT_ZEROS_EQUAL;
    direction = options.direction == BALLOT_DESCENDING ? ballot::direction::descending : ballot::direction::ascending;
    nans = options.nans == BALLOT_NANS_FIRST     ? ballot::nan_order::first
           : options.nans == BALLOT_NANS_BY_BITS ? ballot::nan_order::by_bits
                                                 : ballot::nan_order::last;
    const int key_bits = static_cast<int>(8 * keys.bytes);
    bits = {options.low_bit, options.high_bit == 0 ? key_bits : options.high_bit};
    if (bits.low < 0 || bits.low > bits.high || bits.high > key_bits)
      fail(function, joined({"the bit range [", std::to_string(bits.low), ", ", std::to_string(bits.high),
                             ") is inverted or outside the key, which has ", std::to_string(key_bits), " bits"}));
  }
  bool is_empty() const { return bits.low == bits.high; }
  // f.template operator()<U>() for the word that the keys are sorted as.
  template <class F>
  void with_key(const F& f) const {
    if (has_equal_zeros) with_word_of_equal_zeros(type.bytes, f);
    else with_word(type.bytes, f);
  }
  template <class F>
  void with_short_key(const F& f) const {
    if (has_equal_zeros) with_word_of_equal_zeros(type.bytes, f);
    else with_short_word(type.bytes, f);
  }
  template <class U>
  ballot::key_codec<U> codec() const {
    return codec_of<U>(type, direction, nans);
  }
};

}  // namespace ballot_c
