// SPDX-License-Identifier: Apache-2.0
// The output of a scan's sums on the host, a range or an output view: where it is, and its checks.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>

namespace ballot::detail {

// The arrays below an output view are checked by require_output_view.
template <class T>
argument argument_of_sums(const char* name, const output<T>& out) {
  return argument_of(name, out);
}
template <class V>
argument argument_of_sums(const char* name, const view_output<V>&) {
  return {name};
}

// The array in which the sums are stored; its items have another type if a view converts them. Null
// if the sums are not stored as an array.
template <class T>
T* data_of_sums(const output<T>& out) {
  return out.data;
}
template <class V>
auto data_of_sums(const view_output<V>& out) {
  if constexpr (is_cast_to_array<view_output<V>>) return out.view.part.data;
  else return static_cast<typename V::value_type*>(nullptr);
}

// Whether the output is this array of items, so that each sum is stored where its item lies. An
// output view says that it may be.
template <class Out>
inline constexpr bool may_be_input = true;
template <class V>
inline constexpr bool may_be_input<view_output<V>> = requires { V::may_be_input; };
template <class Item, class Out>
bool is_array_of_sums(const Item* items, const Out& out) {
  using stored = std::remove_pointer_t<decltype(data_of_sums(out))>;
  if constexpr (may_be_input<Out> && std::is_same_v<Item, stored>) return items == data_of_sums(out);
  else return false;
}

// A range is as long as the input. An output view may have more room.
template <class T>
void require_room_for_sums(const char* function, const char* name, const output<T>& out, const char* in_name,
                           std::uint64_t n) {
  require_same_length(function, name, out.size, in_name, n);
}
template <class V>
void require_room_for_sums(const char* function, const char* name, const view_output<V>& out, const char* in_name,
                           std::uint64_t n) {
  if (out.size < n)
    fail(function,
         joined({"`", name, "` has room for ", decimal(out.size), " items, `", in_name, "` has ", decimal(n)}));
}

// Checks that the arrays below an output view are not null, and overlap no other argument. They
// and what else is written do not overlap the lengths that the view reads. in: the arrays below a
// view that is the input.
template <class T, std::size_t N>
void require_output_view(const char*, const exec&, const char*, const output<T>&, std::span<const argument>,
                         std::initializer_list<argument>, const std::array<argument, N>&) {}
template <class V, std::size_t N>
void require_output_view(const char* function, const exec& where, const char* name, const view_output<V>& out,
                         std::span<const argument> read, std::initializer_list<argument> also_written,
                         const std::array<argument, N>& in) {
  const auto written = arguments_of(name, out);
  const auto lengths = lengths_of("out.offset", out);
  const argument scratch[] = {{"scratch", where.scratch().data(), where.allocates() ? 0 : where.scratch().size()}};
  const std::span also(also_written.begin(), also_written.size());
  require_not_null(function, written);
  const std::span<const argument> all[] = {read, also, scratch, in, lengths};
  for (const auto others : all) require_apart(function, written, others);
  require_apart(function, also, lengths);
  require_apart(function, scratch, lengths);
}

}  // namespace ballot::detail
