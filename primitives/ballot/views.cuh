// SPDX-License-Identifier: Apache-2.0
// Views: inputs whose items are computed where they are read. None costs a pass or memory.
//
//     ballot::sum(gpu, ballot::transformed{x, square{}}, sum_of_squares);  // f(x[i])
//     ballot::sum(gpu, ballot::transformed{x, y, product{}}, dot);         // f(x[i], y[i])
//     ballot::count_if(gpu, ballot::gathered{x, ids}, is_far{}, count);    // x[ids[i]]
//     ballot::exclusive_scan(gpu, ballot::constant{2u, n}, offsets);       // 2, 2, 2, ...
//     ballot::sum(gpu, ballot::strided{x, 3}, sum);                        // x[0], x[3], x[6], ...
//     ballot::unique(gpu, ballot::reversed{ids}, last_first, count);       // from the end
//     // Writes squares.
//     ballot::compact(gpu, ballot::transformed{x, square{}}, is_far{}, far, count);
//     // f(0), f(1), ...
//     ballot::arg_min(gpu, ballot::transformed{ballot::positions(n), cost_of{}}, nearest);
//     ballot::sum(gpu, ballot::counted{ballot::transformed{x, square{}}, count}, sum_of_squares);
//
// ranges     contiguous device ranges, or views: views can be nested. `counted` goes around the
//            whole view: counted{view, count}
// functions  are copied to the device. They are called once or more for an item, and only for items
//            that exist
// errors     making a view throws invalid_argument for lengths that differ, a stride of 0, or more
//            positions than their type counts. A call that reads it throws invalid_argument for
//            null, and for an output that overlaps an array that the view reads
//
// A transformed array is read by the same wide loads as the array itself; a gathered, strided or
// reversed one item by item. docs/reference.md lists the calls that take views. A view cannot be an
// output. A class of your own can be a view: core/view.hpp says what it needs.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/view.hpp>
#include <ballot/device/detail/view_parts.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ballot {

/// f(a[i]), or of several ranges of one length f(a[i], b[i], ...): transformed{a, b, f}.
template <class F, class Parts>
struct transformed;
template <class F, class First, class... V>
  requires(!detail::transform_check<F, typename First::value_type, typename V::value_type...>::ok)
struct transformed<F, detail::view_list<First, V...>> {  // says what is wrong, and is a view, so that nothing else does
  using value_type = typename First::value_type;
  template <class... A>
  explicit transformed(const A&...) {
    using given = typename detail::ranges_and_function<A...>::given;
    detail::transform_check<given, typename First::value_type, typename V::value_type...>::explain();
  }
  std::uint64_t size() const { return 0; }
  __device__ value_type operator[](std::uint64_t) const { return {}; }
};
template <class F, class... V>
  requires(detail::transform_check<F, typename V::value_type...>::ok)
struct transformed<F, detail::view_list<V...>> {
  using value_type = typename detail::transform_check<F, typename V::value_type...>::type;
  static constexpr std::size_t bytes_read = detail::view_list<V...>::bytes_read,
                               arrays = detail::view_list<V...>::arrays;
  template <int Width>
  static constexpr bool has_vectors = detail::view_list<V...>::template has_vectors<Width>;

  /// The ranges, and after them the function.
  template <class... A>
    requires(sizeof...(A) == sizeof...(V) + 1)
  explicit transformed(const A&... ranges_and_f)
      : transformed(std::forward_as_tuple(ranges_and_f...), std::index_sequence_for<V...>()) {}

  /// The ranges' length.
  std::uint64_t size() const { return items_; }
  /// f of item i of each range.
  __device__ __forceinline__ value_type operator[](std::uint64_t i) const {
    value_type result;
    parts_.with_items(i, [&](const auto&... item) { result = static_cast<value_type>(detail::call(f_, item...)); });
    return result;
  }

  template <int Width>
  bool is_vector_aligned() const {
    return parts_.template is_vector_aligned<Width>();
  }
  template <int Width>
  block::aligned_vectors aligned_vectors() const {
    return parts_.template aligned_vectors<Width>();
  }
  template <int Width>
  __device__ __forceinline__ simt::vector<value_type, Width> vector(std::uint64_t first) const {
    simt::vector<value_type, Width> result;
    parts_.template with_vectors<Width>(first, [&](const auto&... v) {
#pragma unroll
      for (int j = 0; j < Width; ++j) result[j] = static_cast<value_type>(detail::call(f_, v[j]...));
    });
    return result;
  }
  template <class Visit>
  void each_array(const Visit& visit) const {
    parts_.each_array(visit);
  }
  // For a view of one array (device::transforms_in_place).
  using array_item = typename detail::only_array<V...>::type;
  BALLOT_HOST_DEVICE const array_item* array_data() const
    requires(!std::is_void_v<array_item>)
  {
    return parts_.first.data_;
  }
  template <int Width, class Item>
  __device__ __forceinline__ simt::vector<value_type, Width> of_array(const simt::vector<Item, Width>& item) const {
    simt::vector<value_type, Width> result;
#pragma unroll
    for (int j = 0; j < Width; ++j) result[j] = static_cast<value_type>(detail::call(f_, item[j]));
    return result;
  }

 private:
  template <class Arguments, std::size_t... J>
  transformed(const Arguments& all, std::index_sequence<J...>)
      : parts_(detail::make_view_list(std::tuple<V...>(detail::make_part("transformed", std::get<J>(all))...))),
        f_(std::get<sizeof...(V)>(all)),
        items_(static_cast<std::uint64_t>(parts_.first.size())) {
    parts_.rest.each_size([&](std::uint64_t items) {
      detail::require_same_length("transformed", "range 0", items_, "another range", items);
    });
  }

  detail::view_list<V...> parts_;
  F f_;
  std::uint64_t items_;
};
template <class... A>
  requires(sizeof...(A) >= 2)
transformed(const A&...) -> transformed<typename detail::ranges_and_function<A...>::function,
                                        typename detail::ranges_and_function<A...>::template parts<>>;

/// n times one value.
template <class T>
struct constant {
  using value_type = T;
  static constexpr std::size_t bytes_read = 0;

  /// `value`, `items` times.
  constant(const T& value, std::uint64_t items) : value_(value), items_(items) {}
  /// How many items there are.
  std::uint64_t size() const { return items_; }
  /// The value.
  __device__ __forceinline__ T operator[](std::uint64_t) const { return value_; }

 private:
  T value_;
  std::uint64_t items_;
};

/// The items of a range from the last to the first.
template <class V>
struct reversed {
  using value_type = typename V::value_type;
  static constexpr std::size_t arrays = detail::arrays_of<V>;

  /// Of this range.
  template <class R>
    requires(!std::same_as<std::remove_cvref_t<R>, reversed>)
  explicit reversed(const R& range) : part_(detail::make_part("reversed", range)) {}
  /// The range's length.
  std::uint64_t size() const { return part_.size(); }
  /// Item i from the end.
  __device__ __forceinline__ value_type operator[](std::uint64_t i) const { return part_[items_ - 1 - i]; }
  template <class Visit>
  void each_array(const Visit& visit) const {
    if constexpr (arrays != 0) part_.each_array(visit);
  }

 private:
  V part_;
  std::uint64_t items_ = static_cast<std::uint64_t>(part_.size());
};
template <class R>
reversed(const R&) -> reversed<detail::part_of_view_t<R>>;

/// Every stride-th item of a range, from the first on.
template <class V>
struct strided {
  using value_type = typename V::value_type;
  static constexpr std::size_t arrays = detail::arrays_of<V>;

  /// Items 0, stride, 2 stride, ... of this range. The stride is not 0.
  template <class R>
  strided(const R& range, std::uint64_t stride) : part_(detail::make_part("strided", range)), stride_(stride) {
    detail::require(stride != 0, "strided", "`stride` is 0");
  }
  /// The range's length by the stride, rounded up.
  std::uint64_t size() const { return detail::ceil_div(part_.size(), stride_); }
  /// Item i * stride of the range.
  __device__ __forceinline__ value_type operator[](std::uint64_t i) const { return part_[i * stride_]; }
  template <class Visit>
  void each_array(const Visit& visit) const {
    if constexpr (arrays != 0) part_.each_array(visit);
  }

 private:
  V part_;
  std::uint64_t stride_;
};
template <class R, class Stride>
strided(const R&, Stride) -> strided<detail::part_of_view_t<R>>;

/// The items of a range at given indices, range[indices[i]]. Every index must be less than the
/// range's length. This is not checked.
template <class V, class Indices>
struct gathered {
  using value_type = typename V::value_type;
  static_assert(std::is_integral_v<typename Indices::value_type>, "ballot: indices of gathered are integers.");
  static constexpr std::size_t arrays = detail::arrays_of<V> + detail::arrays_of<Indices>;

  /// The range, and the indices: a range or view of integers.
  template <class R, class I>
  gathered(const R& range, const I& indices)
      : part_(detail::make_part("gathered", range)), indices_(detail::make_part("gathered", indices)) {}
  /// The number of indices.
  std::uint64_t size() const { return indices_.size(); }
  /// Item indices[i] of the range.
  __device__ __forceinline__ value_type operator[](std::uint64_t i) const {
    return part_[static_cast<std::uint64_t>(indices_[i])];
  }
  template <class Visit>
  void each_array(const Visit& visit) const {
    if constexpr (detail::arrays_of<V> != 0) part_.each_array(visit);
    if constexpr (detail::arrays_of<Indices> != 0) indices_.each_array(visit);
  }

 private:
  V part_;
  Indices indices_;
};
template <class R, class I>
gathered(const R&, const I&) -> gathered<detail::part_of_view_t<R>, detail::part_of_view_t<I>>;

namespace detail {

template <class Iterator>
struct iterator_value {
  using type = std::remove_cvref_t<decltype(std::declval<const Iterator&>()[0])>;
};
template <class Iterator>
  requires requires { typename Iterator::value_type; }
struct iterator_value<Iterator> {
  using type = std::remove_cv_t<typename Iterator::value_type>;
};

}  // namespace detail

/// n items of a random-access iterator, as its operator[] gives them on the device. So a program
/// can keep the iterators that it has: those of Thrust, of CUB, or its own. The memory that the
/// iterator reads is not known, so null and overlap are not checked. For plain memory use
/// device_span(pointer, n), which is read in wide accesses.
template <class Iterator>
struct view {
  using value_type = typename detail::iterator_value<Iterator>::type;

  /// The iterator to item 0, and the number of items.
  view(const Iterator& first, std::uint64_t items) : first_(first), items_(items) {}
  /// How many items there are.
  std::uint64_t size() const { return items_; }
  /// first[i].
  __device__ __forceinline__ value_type operator[](std::uint64_t i) const {
    return static_cast<value_type>(first_[static_cast<std::int64_t>(i)]);
  }

 private:
  Iterator first_;
  std::uint64_t items_;
};

}  // namespace ballot
