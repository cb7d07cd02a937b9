// SPDX-License-Identifier: Apache-2.0
// Shared by the calls of this adapter: the two phases of CUB, and the choice between ballot and
// CUB.
#pragma once

#include <ballot/adapters/namespace.cuh>
#include <ballot/core/concepts.hpp>
#include <ballot/core/error.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/range.hpp>

#include <cuda_runtime_api.h>
#include <cub/util_type.cuh>
#include <cuda/functional>
#include <cuda/std/functional>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

// Everything of CUB that the adapter does not replace.
namespace cub {}
namespace ballot::adapters::cub {
using namespace ::cub;
}

namespace ballot::adapters::detail {

// The two phases of every Device* call. Without temporary storage, it returns the bytes that are
// needed, and does no work. The bytes are never 0, as in CUB. Exceptions become the error codes
// that CUB returns; needed() throws, too, if there are too many items.
template <class Needed, class Work>
cudaError_t two_phases(void* temporary, std::size_t& bytes, const Needed& needed, cudaStream_t stream, Work&& work) {
  try {
    const std::size_t least = std::max<std::size_t>(needed(), 1);
    if (temporary == nullptr) {
      bytes = least;
      return cudaSuccess;
    }
    if (bytes < least) return cudaErrorInvalidValue;
    work(exec(stream, temporary, bytes));
    return cudaSuccess;
  } catch (const cuda_error& error) {
    return static_cast<cudaError_t>(error.code());
  } catch (const invalid_argument&) {
    return cudaErrorInvalidValue;
  }
}

// A call for which the pointers decide between ballot and CUB. Its temporary storage is large
// enough for both. by_cub(temporary, bytes) is CUB's call; with BALLOT_ADAPTERS_ONLY_BALLOT it is
// an error instead.
template <class Needed, class Cub, class Work>
cudaError_t two_phases_of_either(void* temporary, std::size_t& bytes, const Needed& needed, bool is_ours,
                                 cudaStream_t stream, const Cub& by_cub, Work&& work) {
#if !defined(BALLOT_ADAPTERS_ONLY_BALLOT)
  if (temporary == nullptr) {
    std::size_t of_cub = 0;
    if (const cudaError_t error = by_cub(nullptr, of_cub); error != cudaSuccess) return error;
    const cudaError_t error = two_phases(nullptr, bytes, needed, stream, work);
    bytes = std::max(bytes, of_cub);
    return error;
  }
  if (!is_ours) return by_cub(temporary, bytes);
#else
  if (temporary != nullptr && !is_ours) return cudaErrorInvalidValue;
  static_cast<void>(by_cub);
#endif
  return two_phases(temporary, bytes, needed, stream, work);
}

// A number of items as callers of CUB pass it. A negative number means no items, as in Thrust. CUB
// does not check it, and converts it to a large number.
template <std::integral N>
constexpr std::uint64_t items_of(N n) {
  if constexpr (std::signed_integral<N>) return n < 0 ? 0 : static_cast<std::uint64_t>(n);
  else return static_cast<std::uint64_t>(n);
}

// The items that ballot's calls take through pointers. Pointers to other types leave a call with
// CUB.
template <class T>
concept plain = !std::is_const_v<T> && !std::is_void_v<T> && ballot::detail::is_item<T>;

// Values beside keys. To CUB, values of NullType are none: it does not read them.
template <class T>
concept plain_values = plain<T> && !std::same_as<T, ::cub::NullType>;

// An integer that ballot writes a count to.
template <class T>
concept count_integer = std::integral<T> && !std::same_as<T, bool> && (sizeof(T) == 4 || sizeof(T) == 8);

// CUB expects enough room for the results; ballot needs to know how much room there is. It is taken
// to be `items`, or less if another argument begins before that. In a correct program no result
// lies after that address.
template <class T>
std::span<T> output_before(T* out, std::uint64_t items, std::initializer_list<const void*> others) {
  const auto begin = reinterpret_cast<std::uintptr_t>(out);
  for (const void* other : others) {
    const auto at = reinterpret_cast<std::uintptr_t>(other);
    if (at > begin) items = std::min<std::uint64_t>(items, (at - begin) / sizeof(T));
  }
  return {out, static_cast<std::size_t>(items)};
}

// CUB's operators that ballot has, too, are replaced by ballot's. For those, ballot knows that they
// commute and have an identity, and uses the GPU's own reductions. Floats keep CUB's minimum and
// maximum: with NaNs, those of ballot have other results.
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

// Whether sums that are taken in T, ballot's way, are those that are taken in A and then converted
// to T. The same type; or integers of which only the low bits are kept, by an operator that works
// modulo 2^bits.
template <class T, class A, class Op, class Item>
consteval bool sums_agree() {
  if constexpr (std::same_as<T, A>) return std::convertible_to<Item, T>;
  using known = typename known_operator<Op, T>::type;
  constexpr bool modular = std::same_as<known, ballot::plus> || std::same_as<known, ballot::bit_and> ||
                           std::same_as<known, ballot::bit_or> || std::same_as<known, ballot::bit_xor>;
  return modular && std::integral<T> && std::integral<A> && std::integral<Item> && !std::same_as<T, bool> &&
         !std::same_as<A, bool> && !std::same_as<Item, bool> && sizeof(T) <= sizeof(A);
}

// An initial value that is read on the device. It would also convert to its type on the host, and
// would then be read there.
template <class Initial>
inline constexpr bool is_future = false;
template <class T, class Iterator>
inline constexpr bool is_future<::cub::FutureValue<T, Iterator>> = true;

// The type that CUB takes sums in: what op returns for an initial value and an item. For a device
// lambda, the host's compiler knows this type only if the lambda states it; else the result is
// void.
#if defined(__CUDACC_EXTENDED_LAMBDA__)
template <class Op>
inline constexpr bool hides_result =
    ballot::detail::is_device_lambda<Op> &&
    !__nv_is_extended_device_lambda_with_preserved_return_type(Op);  // layers-allow: intrinsic, a trait of the compiler
#else
template <class Op>
inline constexpr bool hides_result = false;
#endif
template <class Op, class Initial, class Item>
struct accumulator {
  using type = void;
};
template <class Op, class Initial, class Item>
  requires(std::is_class_v<Op> && !hides_result<Op> && std::is_invocable_v<Op, Initial, Item>)
struct accumulator<Op, Initial, Item> {
  using type = std::decay_t<std::invoke_result_t<Op, Initial, Item>>;
};
template <class T, class Op, class Initial, class Item>
inline constexpr bool agrees_with_cub =
    !is_future<Initial> && sums_agree<T, typename accumulator<Op, Initial, Item>::type, Op, Item>();

// Whether ballot takes such sums, of up to so many bytes, as CUB does. op is asked about T last,
// and only if CUB calls it with T, too: the question compiles the body of an op whose result has no
// stated type, and this may be an error for other types.
template <class T, class Op, class Initial, class Item, std::size_t MostBytes>
inline constexpr bool takes_sums = [] {
  if constexpr (plain<T> && std::is_class_v<Op>) {
    if constexpr (sizeof(T) <= MostBytes && agrees_with_cub<T, Op, Initial, Item>) return operator_of<Op, T>;
    else return false;
  } else {
    return false;
  }
}();

// CUB takes arguments by value, and so does the adapter: a bit-field, and a static member that has no
// definition, bind to no reference. Only the temporary storage, its bytes and buffers are taken by
// reference.
template <class K>
void take_double_buffer(const ::cub::DoubleBuffer<K>&);
template <class T>
inline constexpr bool is_double_buffer = requires(const T& argument) { take_double_buffer(argument); };
template <class T>
concept value_argument = !is_double_buffer<T>;

// The literals 0 and NULL are null pointers to CUB. A call with forwarded arguments sees an integer
// that has no name.
template <class... Arguments>
inline constexpr bool ends_in_literal = false;
template <class Last>
inline constexpr bool ends_in_literal<Last> = std::integral<Last>;
template <class First, class... Rest>
  requires(sizeof...(Rest) != 0)
inline constexpr bool ends_in_literal<First, Rest...> = ends_in_literal<Rest...>;

// The types of such a call, with a stream as the last one.
template <class... Arguments>
struct types {};
template <class Before, class... Arguments>
struct stream_last;
template <class... Before, class Last>
struct stream_last<types<Before...>, Last> {
  using type = types<Before..., cudaStream_t>;
};
template <class... Before, class First, class... Rest>
  requires(sizeof...(Rest) != 0)
struct stream_last<types<Before...>, First, Rest...> : stream_last<types<Before..., First>, Rest...> {};

// call(arguments...) with the default stream in place of the last argument, which must be 0.
template <class Call, class... Arguments>
cudaError_t with_default_stream(const Call& call, Arguments&&... arguments) {
  const std::tuple<Arguments&&...> all(static_cast<Arguments&&>(arguments)...);
  constexpr std::size_t before = sizeof...(Arguments) - 1;
  if (std::get<before>(all) != 0) return cudaErrorInvalidValue;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return call(static_cast<std::tuple_element_t<I, std::tuple<Arguments&&...>>>(std::get<I>(all))..., cudaStream_t{});
  }(std::make_index_sequence<before>{});
}

}  // namespace ballot::adapters::detail

// Defines CLASS::NAME. If ballot has a call for the arguments, it is ballot's, else CUB's own. With
// BALLOT_ADAPTERS_ONLY_BALLOT defined, a call that would be CUB's does not compile.
#if defined(BALLOT_ADAPTERS_ONLY_BALLOT)
#  define BALLOT_ADAPTERS_CUB_ITSELF(CLASS, NAME)                                                     \
    static_assert(sizeof...(Arguments) == 0, "ballot: this call of cub::" #CLASS "::" #NAME           \
                                             " has no counterpart in ballot (docs/adapters.md), and " \
                                             "BALLOT_ADAPTERS_ONLY_BALLOT is defined")
#else
#  define BALLOT_ADAPTERS_CUB_ITSELF(CLASS, NAME) static_cast<void>(0)
#endif
// NAME, which takes the arguments, and passes them on to NAME_of.
#define BALLOT_ADAPTERS_TAKE(NAME)                                                                                  \
  template <class Storage, class Bytes, detail::value_argument... Arguments>                                        \
  static cudaError_t NAME(Storage&& storage, Bytes&& bytes, Arguments... arguments) {                               \
    return NAME##_of(static_cast<Storage&&>(storage), static_cast<Bytes&&>(bytes),                                  \
                     static_cast<Arguments&&>(arguments)...);                                                       \
  }                                                                                                                 \
  template <class Storage, class K, detail::value_argument... Arguments>                                            \
  static cudaError_t NAME(Storage&& storage, std::size_t& bytes, ::cub::DoubleBuffer<K>& keys,                      \
                          Arguments... arguments) {                                                                 \
    return NAME##_of(static_cast<Storage&&>(storage), bytes, keys, static_cast<Arguments&&>(arguments)...);         \
  }                                                                                                                 \
  template <class Storage, class K, class V, detail::value_argument... Arguments>                                   \
  static cudaError_t NAME(Storage&& storage, std::size_t& bytes, ::cub::DoubleBuffer<K>& keys,                      \
                          ::cub::DoubleBuffer<V>& values, Arguments... arguments) {                                 \
    return NAME##_of(static_cast<Storage&&>(storage), bytes, keys, values, static_cast<Arguments&&>(arguments)...); \
  }
// Takes a literal 0 as the temporary storage. Takes it as the stream if ballot's call has a stream
// there, or if CUB's takes no integer there.
#define BALLOT_ADAPTERS_NULL_STORAGE(NAME)                                                        \
  template <std::integral Null, class... Arguments>                                               \
  static cudaError_t NAME##_of(Null null, std::size_t& bytes, Arguments&&... arguments) {         \
    if (null != 0) return cudaErrorInvalidValue;                                                  \
    return NAME##_of(static_cast<void*>(nullptr), bytes, static_cast<Arguments&&>(arguments)...); \
  }
#define BALLOT_ADAPTERS_NULL_STREAM_OR_CUB(CLASS, NAME, OURS)                                             \
  if constexpr (detail::ends_in_literal<Arguments...> &&                                                  \
                (OURS || !requires { ::cub::CLASS::NAME(std::declval<Arguments>()...); })) {              \
    return detail::with_default_stream(                                                                   \
        [](auto&&... given) -> cudaError_t { return NAME##_of(static_cast<decltype(given)>(given)...); }, \
        static_cast<Arguments&&>(arguments)...);                                                          \
  } else {                                                                                                \
    BALLOT_ADAPTERS_CUB_ITSELF(CLASS, NAME);                                                              \
    return ::cub::CLASS::NAME(static_cast<Arguments&&>(arguments)...);                                    \
  }
#define BALLOT_ADAPTERS_CALL(CLASS, NAME)                                                    \
  BALLOT_ADAPTERS_TAKE(NAME)                                                                 \
  BALLOT_ADAPTERS_NULL_STORAGE(NAME)                                                         \
  template <class... Arguments>                                                              \
  static cudaError_t NAME##_of(Arguments&&... arguments) {                                   \
    if constexpr (requires { calls::CLASS::NAME(std::declval<Arguments>()...); }) {          \
      return calls::CLASS::NAME(static_cast<Arguments&&>(arguments)...);                     \
    } else {                                                                                 \
      constexpr auto has = []<class... Given>(detail::types<Given...>) {                     \
        return requires { calls::CLASS::NAME(std::declval<Given>()...); };                   \
      };                                                                                     \
      using with_stream = typename detail::stream_last<detail::types<>, Arguments...>::type; \
      BALLOT_ADAPTERS_NULL_STREAM_OR_CUB(CLASS, NAME, has(with_stream{}))                    \
    }                                                                                        \
  }
// A call that ballot does not have: always CUB's.
#define BALLOT_ADAPTERS_CUB_CALL(CLASS, NAME)              \
  BALLOT_ADAPTERS_TAKE(NAME)                               \
  BALLOT_ADAPTERS_NULL_STORAGE(NAME)                       \
  template <class... Arguments>                            \
  static cudaError_t NAME##_of(Arguments&&... arguments) { \
    BALLOT_ADAPTERS_NULL_STREAM_OR_CUB(CLASS, NAME, false) \
  }
