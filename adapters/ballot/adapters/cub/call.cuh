// SPDX-License-Identifier: Apache-2.0
// Shared by the calls of this adapter: the two phases of CUB, and the choice between ballot and CUB.
#pragma once

#include <ballot/core/concepts.hpp>
#include <ballot/core/error.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/operators.hpp>

#include <cuda_runtime_api.h>
#include <cuda/functional>
#include <cuda/std/functional>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>

// Everything of CUB that the adapter does not replace.
namespace cub {}
namespace ballot::adapters::cub {
using namespace ::cub;
}

namespace ballot::adapters::detail {

// The phases of every Device* call. Without temporary storage: the bytes that are needed, and no work. CUB never says
// 0. Our exceptions become what CUB returns; a call that was refused has launched nothing.
template <class Work>
cudaError_t two_phases(void* temporary, std::size_t& bytes, std::size_t needed, cudaStream_t stream, Work&& work) {
  needed = std::max<std::size_t>(needed, 1);
  if (temporary == nullptr) {
    bytes = needed;
    return cudaSuccess;
  }
  if (bytes < needed) return cudaErrorInvalidValue;
  try {
    work(exec(stream, temporary, bytes));
    return cudaSuccess;
  } catch (const cuda_error& error) {
    return static_cast<cudaError_t>(error.code());
  } catch (const invalid_argument&) {
    return cudaErrorInvalidValue;
  }
}

// A call that only its pointers make ballot's: both libraries' temporary storage in one size. by_cub(temporary, bytes)
// is CUB's call; with BALLOT_ADAPTERS_ONLY_BALLOT it is an error instead.
template <class Cub, class Work>
cudaError_t two_phases_of_either(void* temporary, std::size_t& bytes, std::size_t needed, bool is_ours,
                                 cudaStream_t stream, const Cub& by_cub, Work&& work) {
#if !defined(BALLOT_ADAPTERS_ONLY_BALLOT)
  if (temporary == nullptr) {
    std::size_t of_cub = 0;
    if (const cudaError_t error = by_cub(nullptr, of_cub); error != cudaSuccess) return error;
    bytes = std::max({needed, of_cub, std::size_t{1}});
    return cudaSuccess;
  }
  if (!is_ours) return by_cub(temporary, bytes);
#else
  if (temporary != nullptr && !is_ours) return cudaErrorInvalidValue;
  static_cast<void>(by_cub);
#endif
  return two_phases(temporary, bytes, needed, stream, work);
}

// A number of items as callers of CUB have it. A negative one is an error there, too.
template <std::integral N>
constexpr std::uint64_t items_of(N n) {
  return std::cmp_less(n, 0) ? 0 : static_cast<std::uint64_t>(n);
}

// A call whose arguments have these types has ballot underneath only if they are pointers to whole items.
template <class T>
concept plain = std::is_trivially_copyable_v<T> && !std::is_const_v<T> && !std::is_void_v<T>;

// An integer that ballot writes a count to.
template <class T>
concept count_integer = std::integral<T> && !std::same_as<T, bool> && (sizeof(T) == 4 || sizeof(T) == 8);

// CUB asks for room for the results, ballot wants to know how much there is. Not more than `items`, and not so much
// that another argument lies in it: of a program that is right, no result lies there.
template <class T>
std::span<T> output_before(T* out, std::uint64_t items, std::initializer_list<const void*> others) {
  const auto begin = reinterpret_cast<std::uintptr_t>(out);
  for (const void* other : others) {
    const auto at = reinterpret_cast<std::uintptr_t>(other);
    if (at > begin) items = std::min<std::uint64_t>(items, (at - begin) / sizeof(T));
  }
  return {out, static_cast<std::size_t>(items)};
}

// Operators that ballot has too. It knows that they commute and what they do past the end, and takes the GPU's own
// reductions. Floats keep CUB's minimum and maximum: with NaNs ballot's have other results.
template <class Op, class T>
struct known_operator {
  using type = Op;
};
template <class U, class T>
  requires std::same_as<U, void> || std::same_as<U, T>
struct known_operator<::cuda::std::plus<U>, T> {
  using type = ballot::plus;
};
template <class U, class T>
  requires(std::same_as<U, void> || std::same_as<U, T>) && std::integral<T>
struct known_operator<::cuda::minimum<U>, T> {
  using type = ballot::minimum;
};
template <class U, class T>
  requires(std::same_as<U, void> || std::same_as<U, T>) && std::integral<T>
struct known_operator<::cuda::maximum<U>, T> {
  using type = ballot::maximum;
};
template <class U, class T>
  requires(std::same_as<U, void> || std::same_as<U, T>) && std::integral<T>
struct known_operator<::cuda::std::bit_and<U>, T> {
  using type = ballot::bit_and;
};
template <class U, class T>
  requires(std::same_as<U, void> || std::same_as<U, T>) && std::integral<T>
struct known_operator<::cuda::std::bit_or<U>, T> {
  using type = ballot::bit_or;
};
template <class U, class T>
  requires(std::same_as<U, void> || std::same_as<U, T>) && std::integral<T>
struct known_operator<::cuda::std::bit_xor<U>, T> {
  using type = ballot::bit_xor;
};

template <class T, class Op>
auto operator_for(const Op& op) {
  using known = typename known_operator<Op, T>::type;
  if constexpr (std::same_as<known, Op>) return op;
  else return known{};
}

// Whether sums that are taken in T, ballot's way, are those that are taken in A and then converted to T. The same type;
// or integers of which only the low bits are kept, by an operator that works modulo 2^bits.
template <class T, class A, class Op, class Item>
consteval bool sums_agree() {
  if constexpr (std::same_as<T, A>) return std::convertible_to<Item, T>;
  using known = typename known_operator<Op, T>::type;
  constexpr bool modular = std::same_as<known, ballot::plus> || std::same_as<known, ballot::bit_and> ||
                           std::same_as<known, ballot::bit_or> || std::same_as<known, ballot::bit_xor>;
  return modular && std::integral<T> && std::integral<A> && std::integral<Item> && !std::same_as<T, bool> &&
         !std::same_as<A, bool> && !std::same_as<Item, bool> && sizeof(T) <= sizeof(A);
}

// The type that CUB takes sums in: what op returns for an initial value and an item. The host's compiler does not know
// that of a device lambda: then void.
template <class Op, class Initial, class Item>
struct accumulator {
  using type = void;
};
template <class Op, class Initial, class Item>
  requires(std::is_class_v<Op> && !ballot::detail::is_device_lambda<Op> && std::is_invocable_v<Op, Initial, Item>)
struct accumulator<Op, Initial, Item> {
  using type = std::decay_t<std::invoke_result_t<Op, Initial, Item>>;
};
template <class T, class Op, class Initial, class Item>
inline constexpr bool agrees_with_cub = sums_agree<T, typename accumulator<Op, Initial, Item>::type, Op, Item>();

}  // namespace ballot::adapters::detail

// Defines CLASS::NAME: ballot's call where the arguments are such that it has one, else CUB's own. With
// BALLOT_ADAPTERS_ONLY_BALLOT a call of CUB does not compile.
#if defined(BALLOT_ADAPTERS_ONLY_BALLOT)
#  define BALLOT_ADAPTERS_CUB_ITSELF(CLASS, NAME)                                                     \
    static_assert(sizeof...(Arguments) == 0, "ballot: this call of cub::" #CLASS "::" #NAME           \
                                             " has no counterpart in ballot (docs/adapters.md), and " \
                                             "BALLOT_ADAPTERS_ONLY_BALLOT is defined")
#else
#  define BALLOT_ADAPTERS_CUB_ITSELF(CLASS, NAME) static_cast<void>(0)
#endif
#define BALLOT_ADAPTERS_CALL(CLASS, NAME)                                           \
  template <class... Arguments>                                                     \
  static cudaError_t NAME(Arguments&&... arguments) {                               \
    if constexpr (requires { calls::CLASS::NAME(std::declval<Arguments>()...); }) { \
      return calls::CLASS::NAME(static_cast<Arguments&&>(arguments)...);            \
    } else {                                                                        \
      BALLOT_ADAPTERS_CUB_ITSELF(CLASS, NAME);                                      \
      return ::cub::CLASS::NAME(static_cast<Arguments&&>(arguments)...);            \
    }                                                                               \
  }
// A call that ballot does not have.
#define BALLOT_ADAPTERS_CUB_CALL(CLASS, NAME)                          \
  template <class... Arguments>                                        \
  static cudaError_t NAME(Arguments&&... arguments) {                  \
    BALLOT_ADAPTERS_CUB_ITSELF(CLASS, NAME);                           \
    return ::cub::CLASS::NAME(static_cast<Arguments&&>(arguments)...); \
  }
