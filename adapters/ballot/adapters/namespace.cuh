// SPDX-License-Identifier: Apache-2.0
// Every header that opens `namespace ballot::adapters` includes this one first.
//
// Two macros decide what the adapters do. One source file of a program may define them, and another
// one may not. Templates are weak symbols, so under one name the linker would take the functions of
// one file for both. Therefore the macros are part of the names: `adapters` is inside an inline
// namespace. Later on `namespace ballot::adapters` extends this one (core/namespace.hpp).
#pragma once

#include <ballot/core/namespace.hpp>

#if defined(BALLOT_ADAPTERS_ORDER_ZEROS) && defined(BALLOT_ADAPTERS_ONLY_BALLOT)
#  define BALLOT_ADAPTERS_NAMESPACE adapters_with_order_zeros_only_ballot
#elif defined(BALLOT_ADAPTERS_ORDER_ZEROS)
#  define BALLOT_ADAPTERS_NAMESPACE adapters_with_order_zeros
#elif defined(BALLOT_ADAPTERS_ONLY_BALLOT)
#  define BALLOT_ADAPTERS_NAMESPACE adapters_with_equal_zeros_only_ballot
#else
#  define BALLOT_ADAPTERS_NAMESPACE adapters_with_equal_zeros
#endif

namespace ballot {
inline namespace BALLOT_ADAPTERS_NAMESPACE {
namespace adapters {}
}  // namespace BALLOT_ADAPTERS_NAMESPACE
}  // namespace ballot
