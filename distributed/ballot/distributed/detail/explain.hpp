// SPDX-License-Identifier: Apache-2.0
// Why a distributed call does not compile (core/explain.hpp).
#pragma once

#include <ballot/core/explain.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/distributed/communicator.hpp>

#include <type_traits>

namespace ballot::distributed::detail {

template <class C>
struct communicator_check {
  static constexpr bool ok = communicator<C>;
  static consteval void explain() {
    static_assert(
        ok,
        "ballot: the first argument is no communicator. Pass a ballot::distributed::nccl_communicator, or a type "
        "with the functions in <ballot/distributed/communicator.hpp>.");
  }
};

// Sums have at most 16 bytes, so that one fits into a rank's record.
template <class T>
inline constexpr bool is_sum = std::is_trivially_copyable_v<T> && sizeof(T) <= 16;
template <class T>
struct sum_check {
  static constexpr bool ok = is_sum<T>;
  static consteval void explain() {
    static_assert(ok, "ballot: sums over several ranks have at most 16 bytes and are copied byte by byte.");
  }
};

template <class Identity, class T>
struct identity_check {
  static constexpr bool ok = std::is_convertible_v<const Identity&, T> || std::is_same_v<T, ballot::detail::unknown>;
  static consteval void explain() {
    static_assert(
        ok,
        "ballot: the identity of the operator does not convert to a sum. The type of a sum is the output's. The "
        "order is: input, identity, operator, output, options.");
  }
};

// Where a reduction stores its result: a pointer, or an object that gives the address of one value.
template <class Result>
concept has_result = requires { typename ballot::detail::result_t<Result>; };
template <class Result>
struct known_result {
  using type = ballot::detail::unknown;
};
template <has_result Result>
struct known_result<Result> {
  using type = ballot::detail::result_t<Result>;
};
template <class Result>
using known_result_t = typename known_result<Result>::type;
template <class Result>
struct result_check {
  static constexpr bool ok = has_result<Result>;
  static consteval void explain() {
    static_assert(ok,
                  "ballot: the result is no device address of one value. Pass a pointer or a ballot::device_value. The "
                  "order is: input, identity, operator, result, options.");
  }
};

}  // namespace ballot::distributed::detail
