// Which items are kept: by a predicate, by byte flags, by packed bits (core/flags.hpp). A selector gives one thread the
// flags of its vector of consecutive items as the low bits of a word, which is what a warp votes on.
#pragma once

#include <ballot/core/flags.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/flags.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

template <class Predicate>
struct predicate_selector {
  static constexpr bool needs_items = true;
  Predicate keep;

  // The flags of `item[0..Width)`, which are the items from `first` on; those from `valid` on are not there.
  template <int Width, class Vector>
  __device__ __forceinline__ unsigned flags(const Vector& item, std::uint64_t /*first*/, unsigned valid) const {
    unsigned bits = 0;
#pragma unroll
    for (int j = 0; j < Width; ++j)
      if (static_cast<unsigned>(j) < valid && keep(item[j])) bits |= 1u << j;
    return bits;
  }
};

template <class Reader>
struct flag_selector {
  static constexpr bool needs_items = false;
  Reader reader;

  template <int Width, class Vector>
  __device__ __forceinline__ unsigned flags(const Vector&, std::uint64_t first, unsigned valid) const {
    return reader.template flags<Width>(first, valid);
  }
};

// Flags that lie in an output are an error (core/flags.hpp). A predicate has none.
template <class Predicate, class T>
void require_apart_from_flags(const Predicate&, const output<T>&, const char*) {}

inline flag_selector<device::byte_flag_reader> make_selector(const byte_flags& flags, std::uint64_t items,
                                                             const char* function) {
  require_flags(flags, items, function);
  return {make_flag_reader(flags)};
}
inline flag_selector<device::bit_flag_reader> make_selector(const bit_flags& flags, std::uint64_t items,
                                                            const char* function) {
  require_flags(flags, items, function);
  return {make_flag_reader(flags)};
}
template <class Predicate>
predicate_selector<Predicate> make_selector(const Predicate& keep, std::uint64_t, const char*) {
  return {keep};
}

}  // namespace ballot::detail
