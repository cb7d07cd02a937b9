// SPDX-License-Identifier: Apache-2.0
// The demands of scans and reductions on their arguments, as concepts, and the checks with their
// messages (core/explain.hpp).
#pragma once

#include <ballot/core/explain.hpp>
#include <ballot/core/flags.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/scan_options.hpp>
#include <ballot/device/segment_offsets.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace ballot {
namespace detail {

// Options and results of a call whose output is not a range. They may be anything, because a check
// explains the output.
struct anything {
  anything() = default;
  template <class T>
  anything(const T&) {}
};

template <class T>
inline constexpr bool is_scan_options = false;
template <class T>
inline constexpr bool is_scan_options<scan_options<T>> = true;
// Tells an output from options where overloads have as many arguments.
template <class R>
concept no_options = !is_scan_options<std::remove_cvref_t<R>>;

// T is a type of sums to which items are converted when they are loaded.
template <class T, class Item>
concept sum_of = is_item<T> && sizeof(T) <= most_sum_bytes && requires(const Item& item) { static_cast<T>(item); };

// The output of a scan of In.
template <class Out, class In>
concept sums_of = no_options<Out> && output_range<Out> && sum_of<item_t<Out>, item_t<In>>;
// The same, also an output view.
template <class Out, class In>
concept sums_or_view_of = no_options<Out> && output_range_or_view<Out> && sum_of<item_t<Out>, item_t<In>>;

// The output of a scan whose sums have the type of the items.
template <class Out, class In>
concept items_or_view_of =
    output_range_or_view<Out> && std::same_as<item_t<Out>, item_t<In>> && sizeof(item_t<Out>) <= most_sum_bytes;

template <class F>
concept byte_sized_flags = input_range<F> && sizeof(item_t<F>) == 1;
template <class R>
concept rank_range = output_range<R> && std::integral<item_t<R>> && !std::same_as<item_t<R>, bool>;
template <class R>
concept wide_rank_range = rank_range<R> && (sizeof(item_t<R>) == 4 || sizeof(item_t<R>) == 8);

template <class T>
inline constexpr bool is_segments = std::same_as<T, byte_flags> || std::same_as<T, bit_flags>;
template <class Offset>
inline constexpr bool is_segments<segment_offsets<Offset>> = true;
template <class T>
concept segments_argument = is_segments<T>;

// The types that make a device_result.
template <class Result>
struct known_result {
  using type = unknown;
};
template <class Result>
  requires requires(const Result& result) { device_result(result).address(); }
struct known_result<Result> {
  using type = result_t<Result>;
};
template <class Result>
using known_result_t = typename known_result<Result>::type;
template <class Result>
concept result_argument = !std::same_as<known_result_t<Result>, unknown> && !std::is_const_v<known_result_t<Result>>;
template <class Result, class In>
concept sum_result_of = result_argument<Result> && sum_of<known_result_t<Result>, item_t<In>>;

}  // namespace detail

template <>
struct scan_options<detail::unknown> {
  detail::anything total = {};
  scan_order order = scan_order::forward;
  bool reproducible = false;
};
template <>
class device_result<detail::unknown> {
 public:
  device_result() = default;
  template <class T>
  device_result(const T&) {}
};

namespace detail {

template <class T, class Item>
struct sum_check {
  static constexpr bool is_known = !std::is_same_v<T, unknown> && !std::is_same_v<Item, unknown>;
  static constexpr bool is_small = !is_known || sizeof(T) <= most_sum_bytes;
  static constexpr bool is_stored = !is_known || is_item<T>;
  static constexpr bool ok = !is_known || sum_of<T, Item>;
  static consteval void explain() {
    static_assert(is_small,
                  "ballot: a sum has at most 32 bytes. Its type is that of the output's items or of the result.");
    static_assert(is_stored || !is_small,
                  "ballot: kernels copy sums byte by byte and keep them in arrays, so their type must be trivially "
                  "copyable, with "
                  "a default constructor and an assignment: no const members, no references.");
    static_assert(
        ok || !is_small || !is_stored,
        "ballot: an item of the input does not convert to a sum, static_cast<T>(item). The type T of a sum is "
        "that of the output's items or of the result.");
  }
};
template <class Out, class In>
using sums_check = sum_check<known_item_t<Out>, known_item_t<In>>;

template <class Initial, class T>
struct initial_check {
  static constexpr bool is_range = is_range_like<Initial> || is_pointer_like<std::decay_t<Initial>>;
  static constexpr bool converts = initial_of<Initial, T> || (is_on_device<Initial> && std::is_same_v<T, unknown>);
  static constexpr bool is_of_another = is_on_device<Initial> && !converts;
  static constexpr bool is_function = !is_range && !converts && std::is_class_v<Initial> && std::is_empty_v<Initial>;
  static constexpr bool ok = converts || (std::is_same_v<T, unknown> && !is_range && !is_function);
  static consteval void explain() {
    static_assert(
        !is_range,
        "ballot: a range or pointer stands where the initial value is expected. The order is: inputs, initial "
        "value, function object, outputs, results, options.");
    static_assert(!is_function,
                  "ballot: a function object stands where the initial value is expected. The order is: inputs, initial "
                  "value, function object, outputs, results, options.");
    static_assert(!is_of_another,
                  "ballot: the initial value on the device has another type than the sums, the type of the output's "
                  "items; or this call takes one from the host alone.");
    static_assert(
        ok || is_range || is_function || is_of_another,
        "ballot: the initial value does not convert to a sum. The type of a sum is that of the output's items "
        "or of the result.");
  }
};

template <class Segments>
struct segments_check {
  static constexpr bool ok = segments_argument<Segments>;
  static consteval void explain() {
    static_assert(
        ok,
        "ballot: segments are ballot::byte_flags{bytes} or ballot::bit_flags{words}, a head flag for each item, "
        "or ballot::segment_offsets{begins}, the indices at which segments begin.");
  }
};

template <class Flags>
struct byte_flags_check {
  static constexpr bool ok = byte_sized_flags<Flags>;
  static consteval void explain() {
    if constexpr (!input_check<Flags>::ok) input_check<Flags>::explain();
    else
      static_assert(
          ok,
          "ballot: flags are items of one byte: bool, std::uint8_t, std::byte. For flags of another type, write "
          "a scan with a type of sums that they convert to.");
  }
};

template <class Ranks>
struct ranks_check {
  static constexpr bool ok = rank_range<Ranks>;
  static consteval void explain() {
    if constexpr (!output_check<Ranks>::ok) output_check<Ranks>::explain();
    else static_assert(ok, "ballot: ranks are integers, for example std::uint32_t.");
  }
};
template <class Ranks>
struct wide_ranks_check {
  static constexpr bool ok = wide_rank_range<Ranks>;
  static consteval void explain() {
    if constexpr (!output_check<Ranks>::ok) output_check<Ranks>::explain();
    else static_assert(ok, "ballot: ranks are integers of 4 or 8 bytes, for example std::uint32_t.");
  }
};

template <class Result>
struct result_check {
  static constexpr bool ok = result_argument<Result>;
  static constexpr bool is_range = is_range_like<Result>;
  static constexpr bool is_const = std::is_const_v<known_result_t<Result>>;
  static consteval void explain() {
    static_assert(!is_range,
                  "ballot: a range stands where the result is expected. Pass a ballot::device_value, or the device "
                  "address of one value.");
    static_assert(!is_const, "ballot: the result is const. Pass the address of a value that can be written.");
    static_assert(
        ok || is_range || is_const,
        "ballot: the result is no address of a value on the device. Pass a ballot::device_value, or a pointer; "
        "it stands behind the function object. The order is: inputs, initial value, function object, result.");
  }
};

}  // namespace detail
}  // namespace ballot
