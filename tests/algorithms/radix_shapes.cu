// The radix sort in every way that a shape can ask for, over many tiles and in portions, with values.
#include <ballot/sort.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"

using namespace ballot;
using detail::radix_ranking;
using detail::radix_shape;

namespace {

using U = std::uint32_t;
constexpr unsigned counts_first = detail::radix_counts_first, staging_apart = detail::radix_staging_apart;

using plain = radix_shape<256, 1>;
using counting = radix_shape<256, 3, radix_ranking::votes, 0, counts_first, 2>;
using apart = radix_shape<256, 2, radix_ranking::votes, 0, staging_apart>;
using grouped = radix_shape<256, 5, radix_ranking::votes_in_groups, 2, counts_first | staging_apart, 4>;
using words = radix_shape<256, 2, radix_ranking::shared_words>;
using counted_words = radix_shape<288, 2, radix_ranking::shared_words, 0, counts_first | staging_apart, 3>;

// Well spread digits, skewed ones, and rows of one digit.
std::vector<U> mixed_keys(std::size_t n) {
  auto keys = test::keys_of_entropy<U>(n, 3, 23);
  for (std::size_t i = 0; i < n / 4; ++i) keys[i] = static_cast<U>(i * 2654435761u);
  for (std::size_t i = n / 2; i < n; ++i) keys[i] = static_cast<U>(i / 700 % 2 * 0x01010101u);
  return keys;
}

}  // namespace

TEST_CASE_TEMPLATE("keys: every ranking, order of work and staging", Shape, plain, counting, apart, grouped, words,
                   counted_words) {
  const std::size_t n = Shape::items * 9 + 77;
  const auto keys = mixed_keys(n);
  const auto want = test::serial_sort(keys, {});
  test::for_each_schedule([&] {
    const test::guarded<U> in(keys);
    test::guarded<U> out(n);
    for (std::uint64_t portion : {detail::radix_portion_items, std::uint64_t{Shape::items * 4 + 3}}) {
      CAPTURE(portion);
      test::guarded<std::byte> scratch(
          detail::radix_scratch_bytes<U, detail::no_value, Shape>(n, detail::radix_target::other_range, portion));
      out.fill_dirt();
      detail::launch_radix_sort<U, detail::no_value, Shape>(test::test_stream(), scratch.data(),
                                                            {detail::as_input(in), out.data(), nullptr, nullptr},
                                                            key_codec<U>{}, {0, 32}, portion);
      CHECK(out.read() == want);
      (void)scratch.read();
    }
  });
}

TEST_CASE_TEMPLATE("pairs: stable in every order of work and staging", Shape, plain, grouped, counted_words, counting) {
  const std::size_t n = Shape::items * 7 + 5;
  const auto keys = mixed_keys(n);
  const auto order = test::serial_argsort(keys, {});
  test::for_each_schedule([&] {
    const test::guarded<U> in(keys);
    test::guarded<U> out(n);
    test::guarded<std::uint64_t> indices(n);
    test::guarded<std::byte> scratch(
        detail::radix_scratch_bytes<U, std::uint64_t, Shape>(n, detail::radix_target::other_range));
    detail::launch_radix_sort<U, std::uint64_t, Shape>(test::test_stream(), scratch.data(),
                                                       {detail::as_input(in), out.data(), nullptr, indices.data()},
                                                       key_codec<U>{}, {0, 32});
    CHECK(indices.read() == order);
    CHECK(out.read() == test::serial_sort(keys, {}));
    (void)scratch.read();
  });
}

TEST_CASE("histogram shapes: copies of the counts, more threads") {
  using shape = detail::radix_histogram_shape<512, 2, 4, 4>;
  using small = radix_shape<256, 2>;
  const std::size_t n = shape::items + 1999;
  const auto keys = mixed_keys(n);
  const auto want = test::serial_sort(keys, {});
  test::for_each_schedule([&] {
    const test::guarded<U> in(keys);
    test::guarded<U> out(n);
    test::guarded<std::byte> scratch(
        detail::radix_scratch_bytes<U, detail::no_value, small>(n, detail::radix_target::other_range));
    detail::launch_radix_sort<U, detail::no_value, small, shape>(test::test_stream(), scratch.data(),
                                                                 {detail::as_input(in), out.data(), nullptr, nullptr},
                                                                 key_codec<U>{}, {0, 32});
    CHECK(out.read() == want);
  });
}
