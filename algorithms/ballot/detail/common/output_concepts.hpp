// SPDX-License-Identifier: Apache-2.0
// Concepts of outputs.
#pragma once

#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>

#include <concepts>

namespace ballot {

/// An output of the same items as `In`.
template <class Out, class In>
concept output_range_of = output_range<Out> && std::same_as<detail::item_t<Out>, detail::item_t<In>>;

/// An output of several counts, offsets, indices or positions: integers of 4 or 8 bytes, signed or
/// not.
template <class R>
concept output_range_of_counts = output_range<R> && count_integer<detail::item_t<R>>;

}  // namespace ballot
