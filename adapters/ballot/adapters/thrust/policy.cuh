// SPDX-License-Identifier: Apache-2.0
// The execution policy that thrust.cuh adds to Thrust, and what its algorithms share.
#pragma once

#include <ballot/adapters/cub/call.cuh>
#include <ballot/adapters/cub/input.cuh>
#include <ballot/core/exec.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/device/memory.cuh>
#include <ballot/warp/function_objects.cuh>

#include <thrust/functional.h>
#include <thrust/memory.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include <cuda/std/functional>

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>

namespace ballot::adapters {

/// An execution policy of Thrust. Algorithms that ballot has are run by ballot, the others by
/// Thrust on the same stream.
class thrust_policy : public ::thrust::cuda_cub::execute_on_stream_base<thrust_policy> {
 public:
  /// On the stream of `where`, with its scratch.
  explicit thrust_policy(const exec& where)
      : ::thrust::cuda_cub::execute_on_stream_base<thrust_policy>(where.stream()), where_(where) {}

  /// Where ballot's calls run.
  const exec& where() const { return where_; }

  /// The same on another stream. Thrust's own `on` would leave ballot's calls on the old stream.
  thrust_policy on(cudaStream_t stream) const {
    return thrust_policy(where_.allocates() ? allocating(stream) : exec(stream, where_.scratch()));
  }

 private:
  exec where_;
};

namespace detail {

// The algorithms that are not ballot's.
inline ::thrust::cuda_cub::execution_policy<thrust_policy>& theirs(thrust_policy& policy) { return policy; }

template <class Iterator>
auto* address_of(const Iterator& iterator) {
  return ::thrust::raw_pointer_cast(&*iterator);
}
template <class Iterator>
struct pointee {
  using type = void;
};
template <class Iterator>
  requires ::thrust::is_contiguous_iterator<Iterator>::value
struct pointee<Iterator> {
  using type = std::remove_pointer_t<decltype(address_of(std::declval<const Iterator&>()))>;
};
// The type of the items that an iterator over an array reads; void for other iterators.
template <class Iterator>
using item_of_iterator = std::remove_const_t<typename pointee<Iterator>::type>;

// Variables, and concepts of them: see cub/input.cuh.
template <class Iterator>
inline constexpr bool has_plain_items = plain<item_of_iterator<Iterator>>;
template <class Iterator>
concept reads_array = has_plain_items<Iterator>;
template <class Iterator>
concept writes_array = reads_array<Iterator> && !std::is_const_v<typename pointee<Iterator>::type>;

template <class Iterator>
auto array(const Iterator& first, std::uint64_t n) {
  auto* const items = address_of(first);
  return std::span(items, static_cast<std::size_t>(n));
}
template <class Iterator>
std::uint64_t items_between(const Iterator& first, const Iterator& last) {
  return last < first ? 0 : static_cast<std::uint64_t>(last - first);
}

// What an algorithm reads through an iterator: the items of an array, or those that a view gives
// (cub/input.cuh). void of other iterators.
template <class Iterator>
using items_read = std::conditional_t<has_plain_items<Iterator>, item_of_iterator<Iterator>, item_of<Iterator>>;
template <class Iterator>
inline constexpr bool gives_plain_items = plain<items_read<Iterator>>;
template <class Iterator>
concept reads_items = gives_plain_items<Iterator>;

template <class Iterator>
auto source(const Iterator& first, std::uint64_t n) {
  if constexpr (reads_array<Iterator>) return array(first, n);
  else return input_of(first, n);
}
// Null if it is no array.
template <class Iterator>
const void* address_of_source(const Iterator& first) {
  if constexpr (reads_array<Iterator>) return address_of(first);
  else return nullptr;
}
template <class Iterator>
ballot::detail::argument argument_of_source(const char* name, const Iterator& first, std::uint64_t n) {
  return {name, address_of_source(first), reads_array<Iterator> ? n * sizeof(items_read<Iterator>) : 0};
}

// A comparison whose order a radix sort can make.
template <class Compare, class K>
inline constexpr bool is_less =
    std::same_as<Compare, ::cuda::std::less<K>> || std::same_as<Compare, ::cuda::std::less<>> ||
    std::same_as<Compare, std::less<K>> || std::same_as<Compare, std::less<>>;
template <class Compare, class K>
inline constexpr bool is_greater =
    std::same_as<Compare, ::cuda::std::greater<K>> || std::same_as<Compare, ::cuda::std::greater<>> ||
    std::same_as<Compare, std::greater<K>> || std::same_as<Compare, std::greater<>>;

// Equality, in the form for which ballot's kernels have less code.
template <class Same, class T>
auto equality_for(const Same& same) {
  if constexpr (std::same_as<Same, ::cuda::std::equal_to<T>> || std::same_as<Same, ::cuda::std::equal_to<>>)
    return equal_to{};
  else return same;
}
// Equality as Thrust's algorithms have it if their callers give none.
template <class Iterator>
using default_equality = ::cuda::std::equal_to<typename ::cuda::std::iterator_traits<Iterator>::value_type>;

// A result of one call, on the device until the host needs it. If the calls allocate, it is also
// allocated in stream order. Otherwise it is at the begin of the scratch, and the call gets the
// rest.
template <class T>
class result {
 public:
  explicit result(const exec& where) : where_(where) {
    if (where.allocates()) {
      own_.emplace(where.stream());
      address_ = own_->address();
      return;
    }
    const auto scratch = where.scratch();
    const std::size_t skipped = (room - reinterpret_cast<std::uintptr_t>(scratch.data()) % room) % room;
    ballot::detail::require(scratch.size() >= skipped + room, "on",
                            "the scratch has no room for a result: 512 bytes more than the call's own");
    address_ = reinterpret_cast<T*>(scratch.data() + skipped);
    where_ = exec(where.stream(), scratch.subspan(skipped + room));
  }
  const exec& where() const { return where_; }
  T* address() const { return address_; }
  // Waits for the stream.
  T read() const {
    T value;
    simt::copy_bytes(where_.stream(), &value, address_, sizeof(T));
    simt::synchronize(where_.stream());
    return value;
  }

 private:
  static constexpr std::size_t room = 256;
  static_assert(sizeof(T) <= room);
  std::optional<device_value<T>> own_;
  T* address_ = nullptr;
  exec where_;
};

// Selects what `select` rejects.
template <class Select>
struct rejected_by {
  Select select;
  template <class T>
  __device__ bool operator()(const T& item) const {
    return !static_cast<bool>(ballot::detail::call(select, item));
  }
};

}  // namespace detail
}  // namespace ballot::adapters

namespace ballot {
inline namespace BALLOT_ADAPTERS_NAMESPACE {

/// The policy for thrust:: algorithms: ballot underneath, on this stream and with this scratch. The
/// scratch must have 512 bytes more than the calls' *_scratch_bytes.
inline adapters::thrust_policy on(const exec& where) { return adapters::thrust_policy(where); }
/// The same on a stream; each call allocates its scratch in stream order.
inline adapters::thrust_policy on(stream_t stream) { return adapters::thrust_policy(allocating(stream)); }

}  // namespace BALLOT_ADAPTERS_NAMESPACE
}  // namespace ballot
