// SPDX-License-Identifier: Apache-2.0
// bench/shares.hpp: the items of which selections keep a share.
#include <doctest/doctest.h>

#include <bench/shares.hpp>

#include <cmath>

namespace {

using namespace ballot::bench;

constexpr std::uint64_t n = 1'000'000;

struct seen {
  double selected = 0, alike = 0;  // shares: of the items; of neighbours that are both selected or both rejected
  int both = 0;                    // items that are both selected and not, or neither
};
seen look_at(const share& of) {
  const is_below keep{of.limit()};
  const is_not_below others{of.limit()};
  const shared_item item{of.clustered};
  seen found;
  bool before = false;
  for (std::uint64_t i = 0; i < n; ++i) {
    const bool selected = keep(item(i));
    found.both += selected == others(item(i)) ? 1 : 0;
    found.selected += selected ? 1.0 / n : 0;
    found.alike += i != 0 && selected == before ? 1.0 / n : 0;
    before = selected;
  }
  CHECK(found.both == 0);
  return found;
}

TEST_CASE("nothing and everything") {
  for (const bool clustered : {false, true}) {
    CHECK(look_at({"0", 0, clustered}).selected == 0);
    CHECK(look_at({"1", 1, clustered}).selected == doctest::Approx(1));
  }
}

TEST_CASE("shares, scattered and in clusters") {
  for (const double selected : {0.01, 0.1, 0.5, 0.9, 0.99}) {
    const seen scattered = look_at({"", selected, false}), clustered = look_at({"", selected, true});
    CHECK(std::abs(scattered.selected - selected) < 0.002);
    CHECK(std::abs(clustered.selected - selected) < 0.02);
    CHECK(std::abs(scattered.alike - (selected * selected + (1 - selected) * (1 - selected))) < 0.005);
    CHECK(clustered.alike > 0.99);
  }
}

}  // namespace
