// SPDX-License-Identifier: Apache-2.0
// Views: inputs whose items are computed where they are read. None costs a pass or memory.
//
//     ballot::sum(gpu, ballot::transformed{x, square{}}, sum_of_squares);            // f(x[i])
//     ballot::sum(gpu, ballot::transformed{x, y, product{}}, dot);                   // f(x[i], y[i])
//     ballot::compact(gpu, ballot::transformed{x, square{}}, is_far{}, far, count);  // writes squares
//     ballot::count_if(gpu, ballot::gathered{x, ids}, is_far{}, count);              // x[ids[i]]
//     ballot::exclusive_scan(gpu, ballot::constant{2u, n}, offsets);                 // 2, 2, 2, ...
//     ballot::sum(gpu, ballot::strided{x, 3}, sum);                                  // x[0], x[3], x[6], ...
//     ballot::unique(gpu, ballot::reversed{ids}, last_first, count);                 // from the end
//     ballot::arg_min(gpu, ballot::transformed{ballot::positions(n), cost_of{}}, nearest);  // f(0), f(1), ...
//     ballot::sum(gpu, ballot::counted{ballot::transformed{x, square{}}, count}, sum_of_squares);
//
// ranges    contiguous device ranges, or views: they can be nested. A length on the device stands outside:
//           counted{view, count}
// functions as everywhere: copied to the device, called once or more for an item, only for items that exist
// errors    invalid_argument where the view is made, for lengths that differ, a stride of 0 and more positions than
//           their type counts; where it is read, for null and for an output that overlaps an array below the view
//
// A transformed array is read by the same wide loads as the array itself; a gathered, strided or reversed one item by
// item. docs/reference.md lists the calls that take views. A view is no output. A class of your own is a view if it has
// what core/view.hpp says.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/explain.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/view.hpp>
#include <ballot/device/detail/view_loads.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ballot {
namespace detail {

// What a view holds of a range: an array_view, or the view itself.
template <class R>
struct part_of_view {
  static_assert(!is_counted<R> && !is_counted_view<R>,
                "ballot: a counted range within a view. The length stands outside: counted{transformed{range, f}, "
                "count}.");
  using type = positions<>;
};
template <class R>
  requires(!device_range<R> && !device_view<R> && !is_counted<R> && !is_counted_view<R>)
struct part_of_view<R> {
  static consteval bool explained() {
    input_or_view_check<R>::explain();
    return false;
  }
  static constexpr bool ok = explained();
  using type = std::conditional_t<ok, void, positions<>>;
};
template <device_range R>
struct part_of_view<R> {
  using type = device::array_view<item_t<R>>;
};
template <device_view V>
struct part_of_view<V> {
  using type = V;
};
template <class R>
using part_of_view_t = typename part_of_view<std::remove_cvref_t<R>>::type;

template <class R>
part_of_view_t<R> make_part(const char* view, const R& range) {
  if constexpr (device_range<R>) {
    const auto items = span_of(range);
    return {items.data(), items.size()};
  } else if constexpr (device_view<R>) {
    if constexpr (is_positions<R>) require_positions(view, "positions", range);
    return range;
  } else {
    return positions<>(0);  // the class has said what is wrong
  }
}

// Several parts, read together.
template <class... V>
struct view_list;
template <>
struct view_list<> {
  static constexpr std::size_t bytes_read = 0, arrays = 0;
  template <int Width>
  static constexpr bool has_vectors = true;

  template <int Width>
  bool is_vector_aligned() const {
    return true;
  }
  template <class Visit>
  void each_array(const Visit&) const {}
  template <class Visit>
  void each_size(const Visit&) const {}
  template <class Use, class... T>
  __device__ __forceinline__ void with_items(std::uint64_t, const Use& use, const T&... items) const {
    use(items...);
  }
  template <int Width, class Use, class... T>
  __device__ __forceinline__ void with_vectors(std::uint64_t, const Use& use, const T&... vectors) const {
    use(vectors...);
  }
};
template <class First, class... Rest>
struct view_list<First, Rest...> {
  static constexpr std::size_t bytes_read = device::bytes_read<First> + view_list<Rest...>::bytes_read;
  static constexpr std::size_t arrays = arrays_of<First> + view_list<Rest...>::arrays;
  template <int Width>
  static constexpr bool has_vectors =
      device::has_vectors<First, Width> && view_list<Rest...>::template has_vectors<Width>;
  First first;
  view_list<Rest...> rest;

  template <int Width>
  bool is_vector_aligned() const {
    return device::is_vector_aligned<Width>(first) && rest.template is_vector_aligned<Width>();
  }
  template <class Visit>
  void each_array(const Visit& visit) const {
    if constexpr (arrays_of<First> != 0) first.each_array(visit);
    rest.each_array(visit);
  }
  template <class Visit>
  void each_size(const Visit& visit) const {
    visit(static_cast<std::uint64_t>(first.size()));
    rest.each_size(visit);
  }
  // use(a, b, ...) with item i of each; with Width items of each.
  template <class Use, class... T>
  __device__ __forceinline__ void with_items(std::uint64_t i, const Use& use, const T&... items) const {
    const typename First::value_type item = static_cast<typename First::value_type>(first[i]);
    rest.with_items(i, use, items..., item);
  }
  template <int Width, class Use, class... T>
  __device__ __forceinline__ void with_vectors(std::uint64_t at, const Use& use, const T&... vectors) const {
    const auto loaded = device::vector_of<Width>(first, at);
    rest.template with_vectors<Width>(at, use, vectors..., loaded);
  }
};

inline view_list<> make_view_list(std::tuple<>) { return {}; }
template <class First, class... Rest>
view_list<First, Rest...> make_view_list(const std::tuple<First, Rest...>& parts) {
  return std::apply(
      [](const First& first, const Rest&... rest) {
        return view_list<First, Rest...>{first, make_view_list(std::tuple<Rest...>(rest...))};
      },
      parts);
}

// The items of a view's only part, an array; else void.
template <class... V>
struct only_array {
  using type = void;
};
template <class T>
struct only_array<device::array_view<T>> {
  using type = T;
};

// The last of several types; all others, as the parts of a view.
struct no_function {};
template <class... A>
struct ranges_and_function;
template <class F>
struct ranges_and_function<F> {
  using given = std::decay_t<F>;
  using function = std::conditional_t<function_object<given>, given, no_function>;  // nvcc knows no other in a kernel
  template <class... V>
  using parts = view_list<V...>;
};
template <class R, class... Rest>
struct ranges_and_function<R, Rest...> {
  using given = typename ranges_and_function<Rest...>::given;
  using function = typename ranges_and_function<Rest...>::function;
  template <class... V>
  using parts = typename ranges_and_function<Rest...>::template parts<V..., part_of_view_t<R>>;
};

// What f returns for items T...
template <class F, class... T>
struct transform_check {
#if defined(__CUDACC__)
  // clang-format off
  static constexpr bool hides_type =
      is_device_lambda<F> && !__nv_is_extended_device_lambda_with_preserved_return_type(F);  // layers-allow: intrinsic, a trait
  // clang-format on
#else
  static constexpr bool hides_type = false;
#endif
  static consteval auto find() {
    if constexpr (!function_check<F>::ok || hides_type) return std::type_identity<void>();
    else if constexpr (std::is_invocable_v<const F&, const T&...>)
      return std::type_identity<std::remove_cvref_t<std::invoke_result_t<const F&, const T&...>>>();
    else if constexpr (std::is_invocable_v<F&, const T&...>)
      return std::type_identity<std::remove_cvref_t<std::invoke_result_t<F&, const T&...>>>();
    else return std::type_identity<void>();
  }
  using type = typename decltype(find())::type;
  static constexpr bool is_called = std::is_invocable_v<const F&, const T&...> || std::is_invocable_v<F&, const T&...>;
  static constexpr bool ok = !std::is_void_v<type> && std::is_trivially_copyable_v<type>;
  static consteval void explain() {
    if constexpr (!function_check<F>::ok) function_check<F>::explain();
    else {
      static_assert(!hides_type,
                    "ballot: the host's compiler does not see what this lambda returns. Write the type behind it, "
                    "[] __device__ (...) -> T {...}, or [] __host__ __device__ (...) {...}, or a struct with a "
                    "__device__ operator().");
      static_assert(hides_type || is_called,
                    "ballot: the function of transformed cannot be called with an item of each range. It stands "
                    "behind the ranges: transformed{a, b, f} is f(a[i], b[i]).");
      static_assert(hides_type || !is_called || ok,
                    "ballot: the function of transformed returns no trivially copyable item.");
    }
  }
};

}  // namespace detail

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

  /// The ranges, and behind them the function.
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
  // Of one array (device::transforms_in_place).
  using array_item = typename detail::only_array<V...>::type;
  __device__ __forceinline__ const array_item* array_data() const
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

/// The items of a range at given indices, range[indices[i]]. Every index must be less than the range's length; that is
/// not checked.
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

/// n items from a random-access iterator on, as operator[] of the iterator gives them on the device: an iterator of
/// Thrust, CUB or your own, so that a call site keeps it. What lies behind it is not known: null and overlap are not
/// checked. For memory, device_span(pointer, n) is better: it is read in wide accesses.
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
