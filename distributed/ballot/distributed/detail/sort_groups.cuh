// SPDX-License-Identifier: Apache-2.0
// Brings items into the order of their groups, if there are many splitters, or items are no words.
// In other cases the kernel of distribute_kernel.cuh does the same, and writes them to where they
// are sent from.
//
// Items that words hold take one pass of a radix sort, by bytes that name their groups. Others take
// a multisplit.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/dispatch.cuh>
#include <ballot/distributed/detail/groups.cuh>
#include <ballot/distributed/detail/sort_job.cuh>
#include <ballot/distributed/detail/sort_scratch.cuh>

namespace ballot::distributed::detail {

template <class K, class V>
class sort_groups {
 public:
  using U = ordered_bits_t<K>;
  static constexpr bool has_values = !std::is_same_v<V, no_value>;

  sort_groups(stream_t stream, const sort_job<K, V>& job, const sort_scratch<K, V>& scratch, std::uint64_t n,
              const asked_bits<U>& asked, const U* splitter, int number, std::uint64_t first_item)
      : stream_(stream),
        job_(job),
        scratch_(scratch),
        n_(n),
        asked_(asked),
        splitter_(splitter),
        number_(number),
        first_item_(first_item) {}

  // by_candidates: all groups are known, except those of the candidates (groups.cuh).
  void run(const group_arguments<U>& groups, bool by_candidates) {
    if constexpr (sort_scratch<K, V>::by_bytes) {
      if (n() == 0) return;
      launch_by_groups<U>(by_candidates ? correct_groups_kernel<U> : find_groups_kernel<U>, stream_, groups,
                          sizeof(few_splitters<U>));
      move_by_groups(job_.keys.data, scratch_.split_keys);
      if constexpr (has_values) move_by_groups(job_.positions ? nullptr : job_.values, scratch_.split_values);
      if constexpr (has_values && std::is_unsigned_v<V>)
        if (job_.positions) add_first_position();
    } else {
      multisplit(group_of<U, K>{asked_, splitter_, number_});
    }
  }

 private:
  std::uint64_t n() const { return n_; }

  // One pass of a radix sort by the groups, with the items as values; null: their positions.
  template <class T>
  void move_by_groups(const T* from, T* to) {
    using W = value_word_t<T>;
    using namespace ballot::detail;
    launch_radix_sort<std::uint8_t, W>(
        stream_, scratch_.splitting.data(),
        {{scratch_.group, {n(), nullptr}}, nullptr, reinterpret_cast<const W*>(from), reinterpret_cast<W*>(to)}, {},
        {0, bucket_bits(groups_of(number_))});
  }
  void add_first_position() {
    const auto blocks = ballot::detail::smaller(ballot::detail::ceil_div(n(), 256), 4096);
    if (blocks == 0 || first_item_ == 0) return;
    simt::launch(move_positions_kernel<V>,
                 simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(256), 0, stream_}, scratch_.split_values,
                 n(), first_item_);
  }

  void multisplit(const group_of<U, K>& group) {
    const unsigned groups = groups_of(number_);
    const exec where(stream_, scratch_.splitting);
    const std::span<const K> keys(job_.keys.data, n());
    const std::span<K> by_group(scratch_.split_keys, n());
    const std::span<std::uint64_t> offsets(scratch_.offsets, groups + 1);
    if constexpr (!has_values) {
      ballot::multisplit(where, keys, group, groups, by_group, offsets);
    } else {
      const zip by_group_with_values{by_group, std::span<V>(scratch_.split_values, n())};
      if constexpr (std::is_unsigned_v<V>) {
        if (job_.positions) {
          ballot::multisplit(where, zip{keys, positions<V>(n())}, on_first{group}, groups, by_group_with_values,
                             offsets);
          return add_first_position();
        }
      }
      ballot::multisplit(where, zip{keys, std::span<const V>(job_.values, n())}, on_first{group}, groups,
                         by_group_with_values, offsets);
    }
  }

  stream_t stream_;
  const sort_job<K, V>& job_;
  const sort_scratch<K, V>& scratch_;
  std::uint64_t n_;
  asked_bits<U> asked_;
  const U* splitter_;
  int number_;
  std::uint64_t first_item_;
};

}  // namespace ballot::distributed::detail
