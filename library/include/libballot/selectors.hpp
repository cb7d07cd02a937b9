// SPDX-License-Identifier: Apache-2.0
// Which items are selected: by comparisons, and by flags. Part of ballot.hpp.
#pragma once

#include <libballot/arguments.hpp>

#include <cstddef>

namespace libballot {

/// Which items are selected. A comparison keeps its value.
class selector {
 public:
  selector(const ballot_selector& given) : given_(given) {}
  template <class T>
  selector(ballot_comparison compare, const T& limit) : given_(ballot_where(compare, nullptr)), has_value_(true) {
    static_assert(sizeof(T) <= sizeof(value_), "numbers have up to 16 bytes");
    given_.value_type = code<T>();
    const unsigned char* const bytes = reinterpret_cast<const unsigned char*>(&limit);
    for (std::size_t i = 0; i < sizeof(T); ++i) value_[i] = bytes[i];
  }
  /// The other items.
  selector operator!() const {
    selector other = *this;
    other.given_.invert = !given_.invert;
    return other;
  }
  ballot_selector get() const {
    ballot_selector all = given_;
    if (has_value_) all.value = value_;
    return all;
  }

 private:
  ballot_selector given_;
  bool has_value_ = false;
  alignas(16) unsigned char value_[16] = {};
};
template <class R>
selector by_bytes(const R& flags) {
  return ballot_by_bytes(libballot::as_array(flags));
}
template <class R>
selector by_bits(const R& words) {
  return ballot_by_bits(libballot::as_array(words));
}
template <class T>
selector equal(const T& limit) {
  return {BALLOT_EQUAL, limit};
}
template <class T>
selector not_equal(const T& limit) {
  return {BALLOT_NOT_EQUAL, limit};
}
template <class T>
selector less(const T& limit) {
  return {BALLOT_LESS, limit};
}
template <class T>
selector less_equal(const T& limit) {
  return {BALLOT_LESS_EQUAL, limit};
}
template <class T>
selector greater(const T& limit) {
  return {BALLOT_GREATER, limit};
}
template <class T>
selector greater_equal(const T& limit) {
  return {BALLOT_GREATER_EQUAL, limit};
}

}  // namespace libballot
