// SPDX-License-Identifier: Apache-2.0
// Where segments begin and end: in the form that callers pass, and in the form that the kernels of
// the sort read.
//
//     begins   2   7  11        ends   5   7  14
//     offsets  2  5  7  7  11  14     begin 0, end 0, begin 1, ...: segments, and the gaps between
//
// So a gap is a segment that is not sorted: its offset has an odd number.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/radix_sort/arguments.hpp>
#include <ballot/detail/radix_sort/concepts.hpp>
#include <ballot/detail/radix_sort/explain.hpp>
#include <ballot/detail/segmented_sort/any_offsets.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace ballot {

/// Segments with gaps between them: segment s is items [begins[s], ends[s]). Two device ranges of
/// integers of 4 or 8 bytes, of one type; `begins` may be `counted`. They ascend: begins[0] <=
/// ends[0] <= begins[1] <= ... Ends beyond the items count as the end of the items. Items in no
/// segment are not written.
template <class Offset>
struct begins_and_ends {
  detail::input<Offset> begins, ends;

  template <offset_range Begins, offset_range Ends>
    requires std::same_as<detail::item_t<Begins>, detail::item_t<Ends>>
  begins_and_ends(const Begins& first, const Ends& last)
      : begins(detail::as_input(first)), ends(detail::as_input(last)) {}
};
template <class Begins, class Ends>
begins_and_ends(const Begins&, const Ends&) -> begins_and_ends<detail::item_t<Begins>>;

namespace detail {

// Kernels take it in place of a pointer to offsets.
template <class Offset>
struct begins_then_ends {
  const Offset* begins;
  const Offset* ends;
  BALLOT_HOST_DEVICE Offset operator[](std::uint64_t j) const {
    const Offset* const row = j % 2 == 0 ? begins : ends;
    return row[j / 2];
  }
};

// The Offset that a kernel takes: an integer, begins_then_ends of an integer, or any_offsets.
template <class Offset>
struct offsets_of_kernel {
  using type = const Offset*;
};
template <class Offset>
struct offsets_of_kernel<begins_then_ends<Offset>> {
  using type = begins_then_ends<Offset>;
};
template <>
struct offsets_of_kernel<any_offsets> {
  using type = any_offsets;
};
template <class Offset>
using offsets_of_kernel_t = typename offsets_of_kernel<Offset>::type;
template <class Offsets>
inline constexpr bool has_gaps = false;
template <class Offset>
inline constexpr bool has_gaps<begins_then_ends<Offset>> = true;
template <class Offsets>
inline constexpr bool may_be_rows = std::is_same_v<Offsets, any_offsets>;

// The segments of a call: the offsets, how many (or how many pairs) there are, and their memory.
template <class Offset>
struct segments_of_sort {
  offsets_of_kernel_t<Offset> offsets;
  length segments;
  std::array<argument, 4> memory;
};
template <count_integer Offset>
auto make_segments(const char*, const input<Offset>& in) {
  const auto offsets = as_offsets(in);
  using word = typename decltype(offsets)::value_type;
  return segments_of_sort<std::remove_const_t<word>>{
      offsets.data, offsets.length, {argument_of("offsets", in), argument_of("offsets.length", in.length)}};
}
template <class Offset>
auto make_segments(const char* function, const begins_and_ends<Offset>& of) {
  require_same_length(function, "begins", of.begins.capacity(), "ends", of.ends.capacity());
  require(of.ends.length.count == nullptr || of.ends.length.count == of.begins.length.count, function,
          "`ends` is counted by another count than `begins`");
  const auto begins = as_offsets(of.begins), ends = as_offsets(of.ends);
  using word = begins_then_ends<std::remove_const_t<typename decltype(begins)::value_type>>;
  return segments_of_sort<word>{{begins.data, ends.data},
                                begins.length,
                                {argument_of("begins", of.begins), argument_of("ends", of.ends),
                                 argument_of("begins.length", begins.length), argument_of("ends.length", ends.length)}};
}
template <offset_range R>
auto make_segments(const char* function, const R& range) {
  return make_segments(function, as_input(range));
}

template <class R>
inline constexpr bool is_begins_and_ends = false;
template <class Offset>
inline constexpr bool is_begins_and_ends<begins_and_ends<Offset>> = true;

}  // namespace detail

/// The places of a sort's segments: offsets (an offset_range), or begins_and_ends.
template <class R>
concept segments_to_sort = offset_range<R> || detail::is_begins_and_ends<std::remove_cvref_t<R>>;

namespace detail {

template <class R>
struct segments_to_sort_check : offset_range_check<R> {
  static constexpr bool ok = segments_to_sort<R>;
};

}  // namespace detail
}  // namespace ballot
