// SPDX-License-Identifier: Apache-2.0
// Output views: outputs that convert items, that drop them, or that begin at an offset on the
// device. None costs a pass.
//
//     // Stores float(item), and name_of(item).
//     ballot::compact(gpu, x, is_far{}, ballot::converting<double>(floats), count);
//     ballot::compact(gpu, ids, is_alive{}, ballot::converting<u32>(names, name_of{}), count);
//     // Drops the rejected items.
//     ballot::split(gpu, ids, is_alive{}, alive, ballot::discarded<u32>(n), count);
//     // After the first *count_before hits.
//     ballot::compact(gpu, ids, is_hit{}, ballot::appended{hits, count_before}, count);
//
// converting<T>(out)     takes items of type T, and stores static_cast<U>(item) in an output of
//                        items U
// converting<T>(out, f)  stores static_cast<U>(f(item)). f is a function object, called once for
//                        each item that is stored
// discarded<T>(n)        takes up to n items of type T, and stores none
// appended{out, offset}  item i goes to out[*offset + i]. `offset` is the device address (or
//                        device_value) of one integer of 4 or 8 bytes, read when the kernel runs. A
//                        negative offset counts as 0. Items that do not fit after the offset are
//                        dropped. The offset must not overlap what the call writes, so it cannot be
//                        the call's own count. A second call can append at the count of a first
//                        one. A third call appends at the sum of both counts (ballot::sum)
//
// `out` is a contiguous device range, or an output view: they can be nested. If the input is a zip,
// an output view stands in the zip of the outputs. docs/reference.md lists the calls that take
// output views. A class of your own is an output view if it has what core/output_view.hpp says.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/concepts.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/explain.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/core/range.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ballot {
namespace detail {

// Stores U(f(item)).
template <class T, class Part, class F>
struct converted_output : output_part<Part> {
  using value_type = T;
  F f;

  __device__ __forceinline__ void store(std::uint64_t i, const T& item) const {
    put(this->part, i, static_cast<typename Part::value_type>(call(f, item)));
  }
  __device__ __forceinline__ auto located() const {
    const auto part = ballot::detail::located(this->part);
    using here = converted_output<T, std::remove_const_t<decltype(part)>, F>;
    return view_output<here>{here{{part}, f}, part.size};
  }
};

// Item i goes to item `first` + i of an output. It is dropped if the output is too short.
template <class Part>
struct shifted_output {
  using value_type = typename Part::value_type;
  Part part;
  std::uint64_t first;

  std::uint64_t size() const { return part.size - first; }
  __device__ __forceinline__ void store(std::uint64_t i, const value_type& item) const { put(part, first + i, item); }
};
template <class T>
BALLOT_HOST_DEVICE output<T> part_after(const output<T>& to, std::uint64_t first) {
  first = smaller(first, to.size);
  return {to.data + first, to.size - first};
}
template <class V>
BALLOT_HOST_DEVICE view_output<shifted_output<view_output<V>>> part_after(const view_output<V>& to,
                                                                          std::uint64_t first) {
  first = smaller(first, to.size);
  return {{to, first}, to.size - first};
}

// The first *n items of an output, from the last to the first. MayBeShorter: items past the end of
// the output are dropped.
template <class Part, bool MayBeShorter>
struct located_reversed_output {
  using value_type = typename Part::value_type;
  Part part;
  std::uint64_t items;

  std::uint64_t size() const { return items; }
  __device__ __forceinline__ void store(std::uint64_t i, const value_type& item) const {
    const std::uint64_t at = items - 1 - i;
    if (!MayBeShorter || at < part.size) put(part, at, item);
  }
};
template <class Part>
struct reversed_output : output_part<Part> {
  using value_type = typename Part::value_type;
  length n;

  __device__ __forceinline__ void store(std::uint64_t i, const value_type& item) const {
    located().view.store(i, item);
  }
  __device__ __forceinline__ auto located() const {
    const auto part = ballot::detail::located(this->part);
    using here = located_reversed_output<std::remove_const_t<decltype(part)>, is_view_output<Part>>;
    const std::uint64_t items = n.get();
    return view_output<here>{here{part, items}, items};
  }
};

template <class Out>
using output_of_t = decltype(as_output(std::declval<Out&>()));

template <class F, class T>
struct conversion_check {
  static constexpr bool is_called = std::is_invocable_v<const F&, const T&> || std::is_invocable_v<F&, const T&>;
  static constexpr bool ok = is_device_lambda<F> || is_called;
  static consteval void explain() {
    if constexpr (!function_check<F>::ok) function_check<F>::explain();
    else static_assert(ok, "ballot: the function of converting<T> cannot be called with an item of type T.");
  }
};

}  // namespace detail

/// An output that takes items of type T and stores them converted to the type of `out`.
template <class T, output_range_or_view Out>
auto converting(Out&& out) {
  using part = detail::output_of_t<Out>;
  static_assert(
      requires(const T& item) { static_cast<typename part::value_type>(item); },
      "ballot: converting<T>: a T does not convert to the output's items.");
  return detail::cast_output<T, part>{{detail::as_output(out)}};
}
/// The same through a function object of an item.
template <class T, output_range_or_view Out, class F>
auto converting(Out&& out, const F& f) {
  if constexpr (!detail::function_check<F>::ok || !detail::conversion_check<F, T>::ok)
    detail::conversion_check<F, T>::explain();
  return detail::converted_output<T, detail::output_of_t<Out>, F>{{detail::as_output(out)}, f};
}

/// An output that takes items of type T and stores none.
template <class T>
struct discarded {
  using value_type = T;

  /// For up to this many items.
  explicit discarded(std::uint64_t items) : items_(items) {}
  /// How many items the output can take.
  std::uint64_t size() const { return items_; }
  /// Nothing.
  __device__ __forceinline__ void store(std::uint64_t, const T&) const {}

 private:
  std::uint64_t items_;
};

/// The part of an output after an offset that is on the device.
template <class Part>
struct appended : detail::output_part<Part> {
  using value_type = typename Part::value_type;
  static constexpr std::size_t lengths = 1 + detail::output_part<Part>::lengths;

  /// `out` without its first *offset items.
  template <output_range_or_view Out, count_integer Offset>
  appended(Out&& out, const Offset* offset)
      : detail::output_part<Part>{detail::as_output(out)}, offset_(detail::length_of_count(this->part.size, offset)) {
    detail::require(offset != nullptr, "appended", "`offset` is null");
  }
  /// The same with the offset that a device_value owns.
  template <output_range_or_view Out, has_device_address Value>
  appended(Out&& out, const Value& offset) : appended(out, offset.address()) {}

  /// Item *offset + i of the output, if it is there.
  __device__ __forceinline__ void store(std::uint64_t i, const value_type& item) const {
    const auto to = located();
    if (i < to.size) detail::put(to, i, item);
  }
  __device__ __forceinline__ auto located() const {
    return detail::part_after(detail::located(this->part), offset_.get());
  }
  template <class Visit>
  void each_length(const Visit& visit) const {
    visit(offset_);
    detail::output_part<Part>::each_length(visit);
  }

 private:
  detail::length offset_;
};
template <class Out, class Offset>
appended(Out&&, const Offset&) -> appended<detail::output_of_t<Out>>;

}  // namespace ballot
