// SPDX-License-Identifier: Apache-2.0
// A check says which item is the first that is wrong, however its threads share the items out.
#include "verification/verify_column.hpp"

#include "base/failure.hpp"
#include "columns/memory_stream.hpp"
#include "where.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace app = ballot::app;

namespace {

constexpr std::size_t count = 200'003;  // many times the items that a thread looks at by itself
// Around the ends of a thread's share, of a vector, of a word, of the pieces that are written.
constexpr std::size_t places[] = {1,       2,       63,      64,         65,        1023,     1024,
                                  1025,    16383,   16384,   16385,      32768,     50'000,   99'999,
                                  100'000, 100'001, 131'072, count - 65, count - 2, count - 1};

class counting_sink final : public app::sink {
 public:
  void begin(std::uint64_t) override {}
  void write(std::span<const std::byte> items) override { bytes += items.size(); }
  void finish() override {}
  std::size_t bytes = 0;
};

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& items) {
  return std::as_bytes(std::span(items));
}

// The verdict of a check about an answer that comes in two pieces; empty if the check accepts it.
template <class T, class R, class MakeCheck>
std::string verdict(app::dtype type, const std::vector<T>& items, const std::vector<R>& answer, bool needs_items,
                    const MakeCheck& make_check) {
  app::phase_clock clock;
  app::memory_source whole(bytes_of(items), type);
  app::recording_source in(whole, needs_items, clock);
  std::vector<std::byte> read(bytes_of(items).size() + 1);
  REQUIRE(in.read(read) == read.size() - 1);
  counting_sink out;
  const auto check = make_check(in, out, clock);
  try {
    check->begin(answer.size());
    const auto bytes = bytes_of(answer);
    const std::size_t seam = std::min(bytes.size(), 100'000 * sizeof(R));
    check->write(bytes.first(seam));
    check->write(bytes.subspan(seam));
    check->finish();
  } catch (const app::verification_failure& problem) {
    return problem.what();
  }
  CHECK(out.bytes == bytes_of(answer).size());
  return {};
}

using u32s = std::vector<std::uint32_t>;
using u64s = std::vector<std::uint64_t>;

u32s scrambled(std::uint32_t distinct) {
  u32s items(count);
  std::uint64_t state = 7;
  for (auto& item : items)
    item = static_cast<std::uint32_t>((state = state * 6364136223846793005u + 1) >> 33) % distinct;
  return items;
}

template <class R>
std::string sort_verdict(const u32s& items, const app::sort_request& request, const std::vector<R>& answer) {
  return verdict(request.type, items, answer, app::check_needs_items(request),
                 [&](const app::recording_source& in, app::sink& out, app::phase_clock& clock) {
                   return app::check_sort(request, in, out, clock);
                 });
}

std::string out_of_order(std::size_t at, std::uint32_t value) {
  return fmt::format("verification failed: item {} ({}) belongs before its predecessor", at, value);
}

}  // namespace

TEST_CASE("a checksum does not depend on the order, and on all else") {
  const auto of = [](const u64s& items) { return app::checksum_of(bytes_of(items), sizeof(std::uint64_t)); };
  CHECK(of({1, 2, 3}) == of({3, 1, 2}));
  CHECK(of({}) != of({0}));
  CHECK(of({5}) != of({5, 0u - 0x9e3779b97f4a7c15u}));  // whose hash is 0
  // Many of these have the same sum, some the same squares, too.
  std::vector<u64s> sets;
  for (std::uint64_t a = 0; a < 12; ++a)
    for (std::uint64_t b = a; b < 12; ++b)
      for (std::uint64_t c = b; c < 12; ++c) sets.push_back({a, b, c});
  std::size_t equal = 0;
  for (std::size_t i = 0; i < sets.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) equal += of(sets[i]) == of(sets[j]);
  CHECK(equal == 0);
  // By all cores as by one, for every size of items.
  const auto items = scrambled(1u << 31);
  for (const std::size_t item_bytes : {1u, 2u, 4u, 8u}) {
    const auto bytes = bytes_of(items).first(bytes_of(items).size() / item_bytes * item_bytes);
    app::multiset_checksum one;
    one.add(bytes.first(800), item_bytes);
    one.add(bytes.subspan(800), item_bytes);
    CHECK(app::checksum_of(bytes, item_bytes) == one);
    auto reversed_items = items;
    std::reverse(reversed_items.begin(), reversed_items.end());
    CHECK((app::checksum_of(bytes_of(reversed_items).first(bytes.size()), item_bytes) == one) ==
          (item_bytes <= sizeof items[0]));
  }
}

TEST_CASE("a sorted column") {
  const auto items = scrambled(1u << 31);
  const app::sort_request request{app::dtype::u32, ballot::direction::ascending, {0, 32}, false};
  u32s sorted = items;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sort_verdict(items, request, sorted).empty());
  for (const std::size_t at : places) {
    u32s wrong = sorted;
    wrong[at] = sorted[at - 1] - 1;
    CHECK(sort_verdict(items, request, wrong) == out_of_order(at, wrong[at]));
    for (const std::size_t later : places) {
      if (later <= at) continue;
      u32s more = wrong;
      more[later] = 0;
      CHECK(sort_verdict(items, request, more) == out_of_order(at, wrong[at]));
    }
    // In order, and of other items.
    u32s other = sorted;
    other[at] = sorted[at - 1];
    CHECK(sort_verdict(items, request, other) ==
          "verification failed: the output does not consist of the input's items");
  }
  std::reverse(sorted.begin(), sorted.end());
  const app::sort_request descending{app::dtype::u32, ballot::direction::descending, {0, 32}, false};
  CHECK(sort_verdict(items, descending, sorted).empty());
  sorted.back() = 0xffffffffu;
  CHECK(sort_verdict(items, descending, sorted) == out_of_order(count - 1, 0xffffffffu));
}

TEST_CASE("a column sorted by some bits") {
  const auto items = scrambled(1u << 31);
  const app::sort_request request{app::dtype::u32, ballot::direction::ascending, {3, 9}, false};
  u32s sorted = items;
  std::stable_sort(sorted.begin(), sorted.end(), [](auto a, auto b) { return (a >> 3 & 63) < (b >> 3 & 63); });
  CHECK(sort_verdict(items, request, sorted).empty());
  for (const std::size_t at : places) {
    u32s wrong = sorted;
    wrong[at] ^= 0x80000000u;  // not one of the bits
    const bool in_first = at < 100'000;
    CHECK(sort_verdict(items, request, wrong) ==
          fmt::format("verification failed: items {} to {} differ from those of a stable sort", in_first ? 0 : 100'000,
                      in_first ? 100'000 : count));
  }
}

TEST_CASE("places") {
  const auto items = scrambled(1000);
  const app::sort_request request{app::dtype::u32, ballot::direction::ascending, {0, 32}, true};
  u64s order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return items[a] < items[b]; });
  CHECK(sort_verdict(items, request, order).empty());
  const auto says = [](std::size_t at, std::uint64_t index, const char* what) {
    return fmt::format("verification failed: index {} at position {} {}", index, at, what);
  };
  const auto with = [&](std::size_t at, std::uint64_t index) {
    u64s wrong = order;
    wrong[at] = index;
    return wrong;
  };
  for (const std::size_t at : places) {
    CHECK(sort_verdict(items, request, with(at, count)) == says(at, count, "is out of range"));
    for (const std::size_t earlier : {std::size_t{0}, at / 2, at - 1})
      CHECK(sort_verdict(items, request, with(at, order[earlier])) == says(at, order[earlier], "appears twice"));
    u64s wrong = with(at, order[at - 1]);
    wrong[at - 1] = order[at];
    CHECK(sort_verdict(items, request, wrong) == says(at, wrong[at], "belongs before its predecessor"));
    // Behind it everything is wrong in every way, and that changes nothing.
    for (std::size_t later = at + 1; later < count; ++later) wrong[later] = later % 2 ? wrong[at] : ~std::uint64_t{0};
    CHECK(sort_verdict(items, request, wrong) == says(at, wrong[at], "belongs before its predecessor"));
  }
}

TEST_CASE("selected items") {
  const auto items = scrambled(1u << 31);
  // All of them, none, about half, and few of them: words without any.
  for (const std::uint32_t below : {1u << 31, 0u, 1u << 30, 1u << 20}) {
    const auto where = app::parse_where(fmt::format("value < {}", below));
    const app::compact_request request{app::dtype::u32, &where, nullptr, false};
    const auto say = [&](const u32s& answer) {
      return verdict(app::dtype::u32, items, answer, true,
                     [&](const app::recording_source& in, app::sink& out, app::phase_clock& clock) {
                       return app::check_compact(request, in, nullptr, out, clock);
                     });
    };
    u32s kept;
    std::vector<std::size_t> from;
    for (std::size_t i = 0; i < count; ++i) {
      if (items[i] >= below) continue;
      kept.push_back(items[i]);
      from.push_back(i);
    }
    CHECK(say(kept).empty());
    for (const std::size_t place : places) {
      if (kept.empty()) break;
      const std::size_t at = std::min(place, kept.size() - 1);
      u32s wrong = kept;
      for (std::size_t i = at; i < wrong.size(); i += 4099) ++wrong[i];
      CHECK(say(wrong) ==
            fmt::format("verification failed: item {} of the output is not item {} of the input", at, from[at]));
      wrong = kept;
      wrong.resize(at);
      CHECK(say(wrong) ==
            fmt::format("verification failed: item {} of the input is missing from the output", from[at]));
    }
    u32s more = kept;
    more.resize(kept.size() + 20'000);
    CHECK(say(more) == fmt::format("verification failed: more items than the {} selected ones", kept.size()));
  }
}
