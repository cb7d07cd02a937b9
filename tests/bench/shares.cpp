// bench/shares.hpp: the items of which selections keep a share.
#include <doctest/doctest.h>

#include <bench/shares.hpp>

#include <cmath>

namespace {

using namespace ballot::bench;

constexpr std::uint64_t n = 1'000'000;

struct seen {
  double kept = 0, alike = 0;  // shares: of the items; of neighbours that are both kept or both rejected
  int both = 0;                // items that are both kept and not, or neither
};
seen look_at(const share& of) {
  const is_below keep{of.limit()};
  const is_not_below others{of.limit()};
  const shared_item item{of.clustered};
  seen found;
  bool before = false;
  for (std::uint64_t i = 0; i < n; ++i) {
    const bool kept = keep(item(i));
    found.both += kept == others(item(i)) ? 1 : 0;
    found.kept += kept ? 1.0 / n : 0;
    found.alike += i != 0 && kept == before ? 1.0 / n : 0;
    before = kept;
  }
  CHECK(found.both == 0);
  return found;
}

TEST_CASE("nothing and everything") {
  for (const bool clustered : {false, true}) {
    CHECK(look_at({"0", 0, clustered}).kept == 0);
    CHECK(look_at({"1", 1, clustered}).kept == doctest::Approx(1));
  }
}

TEST_CASE("shares, scattered and in clusters") {
  for (const double kept : {0.01, 0.1, 0.5, 0.9, 0.99}) {
    const seen scattered = look_at({"", kept, false}), clustered = look_at({"", kept, true});
    CHECK(std::abs(scattered.kept - kept) < 0.002);
    CHECK(std::abs(clustered.kept - kept) < 0.02);
    CHECK(std::abs(scattered.alike - (kept * kept + (1 - kept) * (1 - kept))) < 0.005);
    CHECK(clustered.alike > 0.99);
  }
}

}  // namespace
