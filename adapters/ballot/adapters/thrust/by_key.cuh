// SPDX-License-Identifier: Apache-2.0
// thrust::reduce_by_key and unique_by_key with ballot underneath: of arrays. They return where the
// results end, so they wait for the stream, as Thrust's do.
#pragma once

#include <ballot/adapters/thrust/select.cuh>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/partition/flag_bits_kernel.cuh>
#include <ballot/reduce_by_key.cuh>

#include <thrust/reduce.h>
#include <thrust/unique.h>

namespace ballot::adapters {
namespace detail {

template <class Keys, class Values, class KeysOut, class Results, class Same, class Op>
inline constexpr bool reduces_runs = [] {
  if constexpr (has_runs<Keys, Same> && copies_array<Keys, KeysOut> && reads_array<Values> && writes_array<Results>) {
    using T = items_behind<Results>;
    return sizeof(items_behind<Keys>) <= 32 && sizeof(T) <= 32 && std::is_class_v<Op> && operator_of<Op, T> &&
           std::same_as<items_behind<Values>, T> && agrees_with_cub<T, Op, T, T>;
  } else {
    return false;
  }
}();

// Bits that say where a key differs from the one before it. If the calls allocate, this is
// allocated in stream order. Otherwise it is at the begin of the scratch, and the call gets the
// rest.
class head_bits {
 public:
  head_bits(const exec& where, std::uint64_t n) : rest_(where), words_(ballot::detail::ceil_div(n, 32)) {
    const auto bytes = static_cast<std::size_t>(words_ * sizeof(std::uint32_t));
    if (where.allocates()) {
      if (n != 0) own_.emplace(bytes, where.stream());
      bits_ = n == 0 ? nullptr : reinterpret_cast<std::uint32_t*>(own_->data());
      return;
    }
    const auto scratch = where.scratch();
    const std::size_t skipped = (room - reinterpret_cast<std::uintptr_t>(scratch.data()) % room) % room;
    ballot::detail::require(scratch.size() >= skipped + bytes, "unique_by_key",
                            "the scratch has no room for a bit of each item");
    bits_ = reinterpret_cast<std::uint32_t*>(scratch.data() + skipped);
    rest_ = exec(where.stream(), scratch.subspan(skipped + bytes));
  }
  const exec& where() const { return rest_; }
  bit_flags flags() const { return {std::span<const std::uint32_t>(bits_, static_cast<std::size_t>(words_))}; }

  template <class K, class Same>
  void set(std::span<K> keys, const Same& same) const {
    const ballot::detail::length n{keys.size()};
    const ballot::detail::input<std::remove_const_t<K>> from{keys.data(), n};
    ballot::detail::launch_flag_bits(rest_.stream(), ballot::detail::make_source<1>(from), n,
                                     ballot::detail::make_head_selector(from, same), bits_, "unique_by_key");
  }

 private:
  static constexpr std::size_t room = 256;
  exec rest_;
  std::uint64_t words_;
  std::optional<device_buffer> own_;
  std::uint32_t* bits_ = nullptr;
};

}  // namespace detail

template <class Keys, class Values, class KeysOut, class Results, class Same, class Op>
::thrust::pair<KeysOut, Results> reduce_by_key(thrust_policy& policy, Keys first, Keys last, Values values,
                                               KeysOut keys_out, Results results, Same same, Op op) {
  if constexpr (detail::reduces_runs<Keys, Values, KeysOut, Results, Same, Op>) {
    const std::uint64_t n = detail::items_between(first, last);
    const detail::count_result count(policy.where());
    auto* const a = detail::address_of(keys_out);
    auto* const b = detail::address_of(results);
    const void *const keys = detail::address_of(first), *const in = detail::address_of(values);
    ballot::reduce_by_key(count.where(), detail::array(first, n), detail::array(values, n),
                          detail::equality_for<Same, detail::items_behind<Keys>>(same),
                          detail::operator_for<detail::items_behind<Results>>(op),
                          detail::output_before(a, n, {keys, in, b, count.address()}),
                          detail::output_before(b, n, {keys, in, a, count.address()}), count.address());
    const std::uint64_t runs = count.read();
    return {detail::behind(keys_out, runs), detail::behind(results, runs)};
  } else {
    return ::thrust::cuda_cub::reduce_by_key(detail::theirs(policy), first, last, values, keys_out, results, same, op);
  }
}
template <class Keys, class Values, class KeysOut, class Results, class Same>
::thrust::pair<KeysOut, Results> reduce_by_key(thrust_policy& policy, Keys first, Keys last, Values values,
                                               KeysOut keys_out, Results results, Same same) {
  return adapters::reduce_by_key(policy, first, last, values, keys_out, results, same, ::cuda::std::plus<>{});
}
template <class Keys, class Values, class KeysOut, class Results>
::thrust::pair<KeysOut, Results> reduce_by_key(thrust_policy& policy, Keys first, Keys last, Values values,
                                               KeysOut keys_out, Results results) {
  return adapters::reduce_by_key(policy, first, last, values, keys_out, results, detail::default_equality<Keys>{});
}

template <class Keys, class Values, class Same>
::thrust::pair<Keys, Values> unique_by_key(thrust_policy& policy, Keys first, Keys last, Values values, Same same) {
  if constexpr (detail::has_runs<Keys, Same> && detail::writes_array<Keys> && detail::moves_values<Values>) {
    const std::uint64_t n = detail::items_between(first, last);
    const detail::count_result count(policy.where());
    const detail::head_bits heads(count.where(), n);
    const auto keys = detail::array(first, n);
    if (n != 0) heads.set(keys, detail::equality_for<Same, detail::items_behind<Keys>>(same));
    compact_in_place(heads.where(), zip{keys, detail::array(values, n)}, heads.flags(), count.address());
    const std::uint64_t runs = count.read();
    return {detail::behind(first, runs), detail::behind(values, runs)};
  } else {
    return ::thrust::cuda_cub::unique_by_key(detail::theirs(policy), first, last, values, same);
  }
}
template <class Keys, class Values>
::thrust::pair<Keys, Values> unique_by_key(thrust_policy& policy, Keys first, Keys last, Values values) {
  return adapters::unique_by_key(policy, first, last, values, detail::default_equality<Keys>{});
}

}  // namespace ballot::adapters
