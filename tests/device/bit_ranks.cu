// SPDX-License-Identifier: Apache-2.0
// Ranks of bits and of words against a loop: patterns, lengths, many tiles, inverted, misaligned,
// with and without the total, the contract's errors.
#include <ballot/bit_ranks.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/runtime_calls.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace device_bit_ranks {

// The scratch is said without the type of the ranks: their tiles are the same.
static_assert(detail::bit_ranks_shape<std::uint32_t>::items == detail::bit_ranks_shape<std::uint64_t>::items);

// The number of set flags before each step-th one, and the total.
template <class T>
std::vector<T> serial_ranks(const std::vector<bool>& flags, std::size_t step) {
  std::vector<T> ranks;
  T set = 0;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (i % step == 0) ranks.push_back(set);
    set += flags[i] ? 1u : 0u;
  }
  ranks.push_back(set);
  return ranks;
}

// Both kinds of ranks, with the total as a last item and as a value of its own, and without.
template <class T, int Threads>
void check_ranks(const exec& where, const bit_flags& bits, const std::vector<bool>& flags, std::size_t shift) {
  const std::size_t n = flags.size();
  const auto check = [&](std::vector<T> want, auto&& ranks) {
    const std::uint64_t set = want.back();
    test::guarded<T> with_end(want.size(), shift), without(want.size() - 1, shift);
    test::guarded<std::uint64_t> total(1);
    test::directly_and_captured([&] { with_end.fill_dirt(), total.fill_dirt(); },
                                [&] { ranks(detail::as_output(with_end), total.data()); },
                                [&] { CHECK((with_end.read() == want && total.read()[0] == set)); });
    want.pop_back();
    ranks(detail::as_output(without), nullptr);
    CHECK(without.read() == want);
  };
  for (const std::uint32_t few : {1u, detail::few_tiles})
    check(serial_ranks<T>(flags, 1), [&](const detail::output<T>& out, std::uint64_t* total) {
      detail::bit_ranks<T, Threads>(where, bits, n, out, total, "test", few);
    });
  check(serial_ranks<T>(flags, 32), [&](const detail::output<T>& out, std::uint64_t* total) {
    detail::word_ranks<T>(where, bits, n, out, total, "test");
  });
}

TEST_CASE_TEMPLATE("bit and word ranks: every pattern at every length", T, std::uint32_t, std::uint64_t) {
  for (std::size_t n : {0, 1, 31, 33, 1024, 2055}) {
    CAPTURE(n);
    for (const test::flag_pattern& pattern : test::flag_patterns) {
      CAPTURE(pattern.name);
      const auto flags = test::make_flags(pattern, n);
      auto clear = flags;
      clear.flip();
      const exec where = allocating(test::test_stream());
      test::for_each_schedule([&] {
        const test::guarded<std::uint32_t> bits(test::as_bits(flags)), inverted(test::as_bits(clear), 1);
        check_ranks<T, 32>(where, bit_flags{bits}, flags, 0);
        check_ranks<T, 64>(where, bit_flags{inverted, true}, flags, 1);
      });
    }
  }
}

TEST_CASE("bit and word ranks over many tiles, and in tiles of the size in use") {
  const std::size_t n = 3 * detail::bit_ranks_shape<std::uint32_t>::items + 77;
  const auto flags = test::make_flags(test::flag_patterns[5], n);
  test::for_each_schedule([&] {
    const test::guarded<std::uint32_t> bits(test::as_bits(flags));
    check_ranks<std::uint32_t, 32>(allocating(test::test_stream()), bit_flags{bits}, flags, 0);
    check_ranks<std::uint32_t, 256>(allocating(test::test_stream()), bit_flags{bits}, flags, 0);
  });
}

// Words in vectors and one by one, in one launch and several, with whole words alone; a total as
// large as the ranks, a larger and a smaller one; of sums that wrap, too.
TEST_CASE_TEMPLATE("word ranks over many tiles, with totals of every size", T, std::uint32_t, std::uint64_t) {
  for (const std::size_t n : {std::size_t{40'000 * 32 + 5}, std::size_t{96}, std::size_t{99}}) {
    CAPTURE(n);
    const auto flags = test::make_flags(test::flag_patterns[5], n);
    auto words = test::as_bits(flags);
    if (n % 32 != 0) words.back() |= ~std::uint32_t{0} << n % 32;  // bits past the end
    const auto want = serial_ranks<T>(flags, 32);
    for (const std::size_t shift : {0, 1}) {
      const test::guarded<std::uint32_t> bits(words, shift);
      test::guarded<T> out(want.size());
      test::guarded<std::int32_t> narrow(1);
      test::guarded<std::uint64_t> wide(1);
      const test::unaligned_scratch scratch(word_ranks_scratch_bytes(n));
      for (const std::uint64_t most_narrow : {n, std::size_t{0}})
        for (const device_count& total : {device_count(narrow.data()), device_count(wide.data()), device_count()}) {
          if (n > 99 && (most_narrow == 0) != (total.address() == nullptr)) continue;  // many words: a part of all
          detail::word_ranks<T>(scratch.where(), bit_flags{bits}, n, detail::as_output(out), total, "test",
                                most_narrow);
          CHECK(out.read() == want);
        }
      CHECK(narrow.read()[0] == static_cast<std::int32_t>(want.back()));
      CHECK(wide.read()[0] == static_cast<std::uint64_t>(want.back()));
      scratch.check_guards();
    }
  }
}

TEST_CASE("word ranks of 4 bytes: the total of more bits than they count") {
  const std::size_t n = 1000;
  const auto flags = test::make_flags(test::flag_patterns[5], n);
  const auto want = serial_ranks<std::uint32_t>(flags, 32);
  const test::guarded<std::uint32_t> bits(test::as_bits(flags));
  test::guarded<std::uint32_t> out(want.size() - 1);
  test::guarded<std::uint64_t> total(1);
  // The scan's sums would do here. What shows is that a reduction stores the total.
  const std::uint64_t launched =
      test::runtime_calls_of([&] {
        detail::word_ranks<std::uint32_t>(allocating(test::test_stream()), bit_flags{bits}, n, detail::as_output(out),
                                          total.data(), "test", 0);
      }).launches;
  CHECK(launched == 3);
  CHECK(total.read()[0] == want.back());
}

// A sum of 4 bytes that also counts 31 bits past the end is 2^32, of which 0 is left.
TEST_CASE("word ranks: the total of as many bits as ranks of 4 bytes count") {
  const test::guarded<std::uint32_t> words(std::vector<std::uint32_t>{~0u}), sum(std::vector<std::uint32_t>{0});
  test::guarded<std::uint64_t> total(1);
  simt::launch(device::store_totals_kernel<std::uint32_t, std::uint32_t>,
               simt::launch_config{.grid = dim3(1), .block = dim3(1), .stream = test::test_stream()},
               device::packed_bits{words.data(), 1, false}, static_cast<const std::uint32_t*>(sum.data()),
               device::rank_output<std::uint32_t>{nullptr, false, total.data()});
  CHECK(total.read()[0] == (std::uint64_t{1} << 32) - 31);
}

TEST_CASE("bit and word ranks: exact scratch, and bad arguments are errors before any work") {
  const std::size_t n = 9000, words = (n + 31) / 32;
  const test::guarded<std::uint32_t> bits(std::vector<std::uint32_t>(words, 0x55555555u));
  test::guarded<std::uint32_t> out(n), longer(n + 2), directory(words), longer_directory(words + 2);
  const test::exact_scratch scratch(bit_ranks_scratch_bytes(n)), small(bit_ranks_scratch_bytes(n) - 257);
  const test::exact_scratch word_scratch(word_ranks_scratch_bytes(n)), small_words(word_ranks_scratch_bytes(n) - 257);
  const exec where = scratch.where();
  const bit_flags flags{bits}, fewer{std::span(bits).first(words - 1)};
  const bit_flags in_out{std::span<const std::uint32_t>(out.data(), words)};
  const bit_flags null{std::span(static_cast<const std::uint32_t*>(nullptr), words)};
  CHECK_THROWS_AS(bit_ranks(where, flags, n, longer), invalid_argument);
  CHECK_THROWS_AS(bit_ranks(where, flags, n + 1, out), invalid_argument);
  CHECK_THROWS_AS(bit_ranks(where, fewer, n, out), invalid_argument);
  CHECK_THROWS_AS(bit_ranks(where, null, n, out), invalid_argument);
  CHECK_THROWS_AS(bit_ranks(where, in_out, n, out), invalid_argument);
  CHECK_THROWS_AS(bit_ranks(where, flags, n, std::span(static_cast<std::uint32_t*>(nullptr), n)), invalid_argument);
  CHECK_THROWS_AS(bit_ranks(small.where(), flags, n, out), invalid_argument);
  CHECK_THROWS_AS(word_ranks(where, flags, n, longer_directory), invalid_argument);
  CHECK_THROWS_AS(word_ranks(where, fewer, n, directory), invalid_argument);
  CHECK_THROWS_AS(word_ranks(small_words.where(), flags, n, directory), invalid_argument);
  for (const auto* range : {&out, &longer, &directory, &longer_directory}) {
    const auto untouched = range->read();
    CHECK(std::all_of(untouched.begin(), untouched.end(), [](std::uint32_t x) { return test::is_dirt(x); }));
  }
  CHECK(bit_ranks_scratch_bytes(0) == 0);

  const device_value<std::uint64_t> total(test::test_stream());
  bit_ranks(where, flags, n, out, total);
  CHECK(out.read()[n - 1] == n / 2);
  CHECK(total.read(test::test_stream()) == n / 2);
  word_ranks(word_scratch.where(), flags, n, directory, total);
  CHECK(directory.read()[words - 1] == (words - 1) * 16);
  scratch.check_guards();
  word_scratch.check_guards();
}

}  // namespace device_bit_ranks
