// SPDX-License-Identifier: Apache-2.0
// Where a reduction of runs stores results and keys: a range, an output view, or several of them.
// Each may be shorter than needed.
//
//     results 0 1 2 3 | 4 5 6 7 8 | 9 ...       a tile that begins with run 4: from(4), and then
//                       0 1 2 3 4               store(0, ...) to store(4, ...)
//
// So a tile counts in 32 bits, and looks up once where an output view lies.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/reduce_by_key/values.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// For how many results there is room from one of them on.
template <class Out>
__device__ __forceinline__ unsigned room_from(const Out& to, std::uint64_t first) {
  return first < to.size ? static_cast<unsigned>(smaller(to.size - first, ~0u)) : 0u;
}

// The results from one of them on.
template <class Out>
struct results_from {
  using T = typename Out::value_type;
  Out to;
  std::uint64_t first;
  unsigned room;

  __device__ __forceinline__ results_from(const Out& located, std::uint64_t first_result)
      : to(located), first(first_result), room(room_from(located, first_result)) {}
  // Result ~0u is always past the end.
  __device__ __forceinline__ void store(unsigned i, const T& result) const {
    if (i < room) put(to, first + i, result);
  }
};
template <class T>
struct results_from<output<T>> {
  T* data;
  unsigned room;

  __device__ __forceinline__ results_from(const output<T>& to, std::uint64_t first)
      // Opaque: else the compiler adds `first` again for each result.
      : data(simt::opaque(to.data + smaller(first, to.size))), room(room_from(to, first)) {}
  __device__ __forceinline__ void store(unsigned i, const T& result) const {
    if (i < room) data[i] = result;
  }
};
template <class Out>
struct results_of_range {
  using T = typename Out::value_type;
  Out results;
  __device__ __forceinline__ auto from(std::uint64_t first) const {
    const auto to = located(results);
    return results_from<std::remove_const_t<decltype(to)>>(to, first);
  }
};

// The results of a zip, in rows. First: results_of_range or results_from; the same for each column.
template <class Row, class... Firsts>
struct results_of_zip;
template <class T, class First>
struct results_of_zip<row<T>, First> {
  First first;
  __device__ __forceinline__ auto from(std::uint64_t i) const {
    const auto here = first.from(i);
    return results_of_zip<row<T>, std::remove_const_t<decltype(here)>>{here};
  }
  __device__ __forceinline__ void store(unsigned i, const row<T>& result) const { first.store(i, result.first); }
};
template <class T, class... Rest, class First, class... Others>
struct results_of_zip<row<T, Rest...>, First, Others...> {
  First first;
  results_of_zip<row<Rest...>, Others...> rest;
  __device__ __forceinline__ auto from(std::uint64_t i) const { return joined(first.from(i), rest.from(i)); }
  __device__ __forceinline__ void store(unsigned i, const row<T, Rest...>& result) const {
    first.store(i, result.first);
    rest.store(i, result.rest);
  }

 private:
  template <class Here, class... There>
  static __device__ __forceinline__ results_of_zip<row<T, Rest...>, Here, There...> joined(
      const Here& here, const results_of_zip<row<Rest...>, There...>& there) {
    return {here, there};
  }
};

template <class Out>
results_of_range<Out> make_results_of(const Out& results) {
  return {results};
}
template <class First>
auto make_results(const First& results) {
  return results_of_zip<row<typename First::value_type>, results_of_range<First>>{make_results_of(results)};
}
template <class First, class... Others>
  requires(sizeof...(Others) != 0)
auto make_results(const First& results, const Others&... others) {
  return results_of_zip<row<typename First::value_type, typename Others::value_type...>, results_of_range<First>,
                        results_of_range<Others>...>{make_results_of(results), make_results(others...)};
}

}  // namespace ballot::detail
