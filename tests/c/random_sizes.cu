// SPDX-License-Identifier: Apache-2.0
// The C library's sizes of scratch, of random types and lengths up to 2^64 - 1: a size or a
// refusal, without a device. And calls with more items than they can have: refused before anything
// is read.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/support.hpp"

#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ballot::test::c {
namespace random_sizes {

// Draws the arguments of a size function.
class draw {
 public:
  explicit draw(unsigned seed) : random_(seed) {}
  ballot_type type() {
    const u64 kind = random_() % 10;
    if (kind == 0) return static_cast<ballot_type>(random_() % 40) - 8;
    if (kind == 1) return BALLOT_BYTES(static_cast<ballot_type>(random_() % (1 << 20)));
    if (kind == 2) return static_cast<ballot_type>(random_());
    return static_cast<ballot_type>(random_() % 19);
  }
  // Small, around 2^32, around a power of two, or anything.
  u64 length() {
    switch (random_() % 5) {
      case 0:
        return random_() % 3;
      case 1:
        return random_() % 1'000'000;
      case 2:
        return (u64{1} << 32) + random_() % 5 - 2;
      case 3:
        return (u64{1} << random_() % 64) + random_() % 3 - 1;
      default:
        return random_();
    }
  }
  std::int32_t choice(unsigned choices) { return static_cast<std::int32_t>(random_() % (choices + 2)) - 1; }
  const ballot_type* types() {
    for (ballot_type& t : types_) t = type();
    return random_() % 30 == 0 ? nullptr : types_;
  }

 private:
  std::mt19937_64 random_;
  ballot_type types_[20] = {};
};

using sized = std::function<ballot_status(draw&, u64 n, std::size_t* bytes)>;

const std::vector<std::pair<const char*, sized>>& sizes() {
#define OF(CALL, ...)                                                                                                 \
  {                                                                                                                   \
    #CALL, []([[maybe_unused]] draw& d, u64 n, std::size_t* b) { return ballot_##CALL##_scratch_bytes(__VA_ARGS__); } \
  }
  static const std::vector<std::pair<const char*, sized>> all{
      OF(scan, d.type(), n, b),
      OF(segmented_scan, d.type(), d.choice(3), n, b),
      OF(batched_scan, d.type(), d.choice(3), d.length(), n, b),
      OF(reduce, d.type(), n, b),
      OF(arg, d.type(), n, b),
      OF(segmented_reduce, d.type(), d.choice(4), n, b),
      OF(segmented_arg, d.type(), d.choice(4), n, b),
      OF(reduce_by_key, d.type(), d.type(), n, b),
      OF(compact, d.choice(17), d.types(), n, b),
      OF(compact_in_place, d.choice(17), d.types(), n, b),
      OF(split, d.choice(17), d.types(), n, b),
      OF(split_in_place, d.choice(17), d.types(), n, b),
      OF(compact_indices, d.type(), n, b),
      OF(multisplit, static_cast<u32>(d.choice(260)), n, b),
      OF(runs, d.type(), d.type(), n, b),
      OF(unique_in_place, d.type(), n, b),
      OF(unique_by_key, d.type(), n, b),
      OF(sort, d.type(), n, b),
      OF(sort_pairs, d.type(), d.type(), n, b),
      OF(sort_ping_pong, d.type(), d.type(), n, b),
      OF(argsort, d.type(), d.type(), n, b),
      OF(segmented_sort, d.type(), d.type(), n, b),
      OF(batched_sort, d.type(), d.type(), n, d.length(), b),
      OF(top_k, d.type(), n, d.length(), b),
      OF(batched_top_k, d.type(), n, d.length(), b),
      OF(merge, d.type(), d.type(), n, b),
  };
#undef OF
  return all;
}

TEST_CASE("random sizes") {
  for (const auto& [name, size] : sizes()) {
    CAPTURE(std::string(name));
    int accepted = 0, refusals = 0;
    for (unsigned seed = 0; seed < 3000; ++seed) {
      CAPTURE(seed);
      draw lengths(seed + 100'000), arguments(seed), again(seed), of_fewer(seed);
      const u64 n = lengths.length();
      const std::size_t before = 0x1234567;
      std::size_t bytes = before, same = before, fewer = before;
      const ballot_status status = size(arguments, n, &bytes);
      REQUIRE((status == BALLOT_OK || status == BALLOT_INVALID_ARGUMENT));
      REQUIRE(size(again, n, &same) == status);  // pure
      REQUIRE(same == bytes);
      if (status != BALLOT_OK) {
        ++refusals;
        REQUIRE(bytes == before);
        REQUIRE(std::strlen(ballot_last_error()) > 10);
        continue;
      }
      ++accepted;
      // Nothing wraps round: fewer items never need more. (Except for positions that are widened,
      // of up to 2^32 items.)
      const bool may_be_widened = std::strcmp(name, "argsort") == 0 && n > u64{1} << 32 && n / 2 <= u64{1} << 32;
      if (!may_be_widened && size(of_fewer, n / 2, &fewer) == BALLOT_OK)
        REQUIRE_MESSAGE(fewer <= bytes, std::string(name) << " of " << n / 2 << " and " << n << " items");
    }
    CHECK_MESSAGE(accepted > 50, std::string(name) << ": " << accepted);
    CHECK_MESSAGE(refusals > 50, std::string(name) << ": " << refusals);
    draw d(1);
    CHECK(size(d, 10, nullptr) == BALLOT_INVALID_ARGUMENT);
  }
  std::size_t bytes = 1;
  CHECK(ballot_is_sorted_scratch_bytes(&bytes) == BALLOT_OK);
  CHECK(ballot_is_sorted_scratch_bytes(nullptr) == BALLOT_INVALID_ARGUMENT);
}

[[maybe_unused]] void refused(const char* why, ballot_status status) {
  CAPTURE(why);
  CHECK(status == BALLOT_INVALID_ARGUMENT);
  const std::string message = ballot_last_error();
  CHECK_MESSAGE(message.find(why) != std::string::npos, message);
}

#if BALLOT_EMULATED
// The arrays are shorter than they say: the calls are refused before that matters. (On a GPU these
// addresses are refused as the host's.)
TEST_CASE("more items than the type of a position counts") {
  const guarded<u8> memory(4096), scratch(64);
  const ballot_exec gpu = ballot_on(test_stream(), scratch.data(), scratch.size());
  const u64 many = (u64{1} << 32) + 1;
  unsigned char* const at = memory.data();
  // Addresses that do not overlap: nothing reads them.
  const auto far = [&](u64 number) { return at + number * (u64{1} << 40); };
  const ballot_array keys = ballot_input(far(0), many, BALLOT_U8), values = ballot_input(far(1), many, BALLOT_U8),
                     out = ballot_output(far(2), many, BALLOT_U8), count = ballot_value(far(3), BALLOT_U64),
                     flags = ballot_input(far(4), many, BALLOT_U8);
  const auto counts = [&](ballot_type type) { return ballot_output(far(5), many + 1, type); };
  for (const ballot_type narrow : {BALLOT_U32, BALLOT_I32}) {
    CAPTURE(narrow);
    refused("4294967", ballot_argsort(gpu, keys, ballot_nothing(), counts(narrow), nullptr));
    refused("4294967", ballot_compact_indices(gpu, ballot_input(nullptr, many, BALLOT_POSITIONS_U64),
                                              ballot_by_bytes(flags), counts(narrow), count));
    refused("4294967", ballot_run_offsets(gpu, keys, out, counts(narrow), count));
    refused("4294967", ballot_run_length_encode(gpu, keys, out, counts(narrow), count));
    refused("4294967", ballot_histogram(gpu, keys, ballot_digit_bins(0, 8), counts(narrow), ballot_nothing()));
    refused("4294967", ballot_lower_bound(gpu, keys, values, counts(narrow), nullptr));
    refused("4294967", ballot_compact(gpu, 1, &keys, ballot_by_bytes(flags), &out, ballot_value(far(3), narrow)));
    refused("4294967", ballot_unique(gpu, keys, out, ballot_value(far(3), narrow)));
    refused("4294967", ballot_multisplit(gpu, keys, 4, 1, &values, &out, counts(narrow)));
  }
}
#endif

}  // namespace random_sizes
}  // namespace ballot::test::c
