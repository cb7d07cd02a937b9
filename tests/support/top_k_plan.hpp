// SPDX-License-Identifier: Apache-2.0
// top_k by a plan of the test's choice, against a stable sort.
#pragma once

#include "support/top_k_reference.hpp"

namespace ballot::test {

template <class K, bool Positions>
void check_with_plan(const std::vector<K>& keys, std::size_t k, const detail::top_k_plan& plan) {
  using U = ordered_bits_t<K>;
  using scratch = detail::top_k_scratch<U, std::uint32_t, Positions>;
  const std::vector<std::uint64_t> order = top_k_order_of(keys, keys.size(), k, largest_by_position);
  for_some_schedules([&] {
    // The GPU of some schedules has no clusters.
    if (plan.cluster_blocks > 1 &&
        detail::top_k_launch<U, std::uint32_t, Positions>::most_cluster_blocks() < plan.cluster_blocks)
      return;
    const guarded<K> in(keys);
    guarded<K> out(order.size());
    guarded<std::uint32_t> positions(order.size());
    guarded<std::uint64_t> count(1);
    detail::scratch_carver measure;
    scratch(measure, keys.size(), plan);
    const exact_scratch memory(measure.bytes());
    detail::top_k_launch<U, std::uint32_t, Positions>(
        test_stream(), memory.where().scratch().data(), detail::as_key_words(detail::as_input(in)),
        key_codec_of<K>(direction::descending), k, plan, detail::as_key_words(out.data()), positions.data(),
        count.data(), "test")
        .run(false);
    const auto got = out.read();
    bool same = true;
    for (std::size_t i = 0; i < order.size(); ++i) same &= got[i] == keys[order[i]];
    CHECK(same);
    CHECK(count.read()[0] == order.size());
    if (Positions) CHECK(positions.read() == std::vector<std::uint32_t>(order.begin(), order.end()));
    memory.check_guards();
  });
}

}  // namespace ballot::test
