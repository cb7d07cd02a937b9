// SPDX-License-Identifier: Apache-2.0
// Refusals of every sort before any work: scratch within an argument, lengths, overlaps and bit
// ranges. The messages name the arguments and have the numbers. Also columns of different lengths.
#include <ballot/ballot.cuh>

#include "support/refused.hpp"
#include "support/schedules.hpp"

#include <algorithm>
#include <string>

using namespace ballot;
using test::guarded;
using test::last_digit;
using test::refused;

namespace contract_bad_sorts {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 320;

TEST_CASE("scratch may lie at any address, but not within an argument of the call: sorts") {
  const guarded<u32> in(n), values(n), offsets(4);
  guarded<u32> out(n), values_out(n);
  const guarded<u64> length(1);
  const std::size_t bytes = sort_scratch_bytes<u32>(n);
  const device_buffer memory(bytes + 255, test::test_stream());
  for (const std::size_t skipped : {0, 1, 4, 128, 255})
    CHECK_NOTHROW(sort(exec(test::test_stream(), std::span(memory.data() + skipped, bytes)), in, out));
  refused("sort, scratch too small", "are needed",
          [&](const exec& gpu) { sort(exec(gpu.stream(), std::span(memory.data() + 1, bytes - 256)), in, out); });

  // From a range on, over whatever lies behind it.
  const auto within = [](const exec& gpu, const auto& range) {
    return exec(gpu.stream(), reinterpret_cast<std::byte*>(const_cast<u8*>(reinterpret_cast<const u8*>(range.data()))),
                64);
  };
  const auto refuse = [&](const std::string& name, const std::string& other, const auto& range, auto&& call) {
    refused(name, "`scratch`", [&](const exec& gpu) { call(within(gpu, range)); });
    refused(name, other, [&](const exec& gpu) { call(within(gpu, range)); });
  };
  const auto sorts = [&](const exec& gpu) { sort(gpu, in, out); };
  refuse("sort, keys", "`keys`", in, sorts);
  refuse("sort, keys_out", "`keys_out`", out, sorts);
  refuse("sort, count", "`keys.length`", length, [&](const exec& gpu) { sort(gpu, counted{in, length.data()}, out); });
  refuse("sort_in_place", "`keys`", out, [&](const exec& gpu) { sort_in_place(gpu, out); });
  const auto pairs = [&](const exec& gpu) { sort_pairs(gpu, in, values, out, values_out); };
  refuse("sort_pairs, values", "`values`", values, pairs);
  refuse("sort_pairs, values_out", "`values_out`", values_out, pairs);
  refuse("sort_pairs_in_place", "`values`", values_out,
         [&](const exec& gpu) { sort_pairs_in_place(gpu, out, values_out); });
  refuse("argsort", "`indices`", out, [&](const exec& gpu) { argsort(gpu, in, out); });
  refuse("sort_by", "`items`", in, [&](const exec& gpu) { sort_by(gpu, in, last_digit{}, out); });
  refuse("argsort_by", "`indices`", out, [&](const exec& gpu) { argsort_by(gpu, in, last_digit{}, out); });
  refuse("argsort_further", "`order`", out, [&](const exec& gpu) { argsort_further(gpu, in, out); });
  refuse("argsort_by_columns", "`columns` column 1", values,
         [&](const exec& gpu) { argsort_by_columns(gpu, out, in, values); });
  refuse("sort_ping_pong", "`b`", values_out, [&](const exec& gpu) { sort_ping_pong(gpu, out, values_out); });
  refuse("segmented_sort", "`offsets`", offsets, [&](const exec& gpu) { segmented_sort(gpu, in, offsets, out); });
}

TEST_CASE("what is refused says which arguments, and the numbers: sorts") {
  const guarded<u32> in(n), values(n - 1);
  guarded<u32> out(n), shorter(n - 2);
  refused("lengths", "ballot::sort: `keys` has 320 items, `keys_out` has 318",
          [&](const exec& gpu) { sort(gpu, in, shorter); });
  refused("values", "ballot::sort_pairs: `keys` has 320 items, `values` has 319",
          [&](const exec& gpu) { sort_pairs(gpu, in, values, out, shorter); });
  refused("both overlap", "ballot::sort: output `keys_out` [0x", [&](const exec& gpu) { sort(gpu, out, out); });
  refused("both overlap", ", 1280 bytes] overlaps input `keys` [0x", [&](const exec& gpu) { sort(gpu, out, out); });
  refused("outputs", "output `values_out` [0x", [&](const exec& gpu) { sort_pairs(gpu, in, in, out, out); });
  refused("outputs", "bytes] overlaps output `keys_out` [0x",
          [&](const exec& gpu) { sort_pairs(gpu, in, in, out, out); });
  refused("null", "ballot::sort: `keys_out` is null and has 1280 bytes",
          [&](const exec& gpu) { sort(gpu, in, std::span<u32>(static_cast<u32*>(nullptr), n)); });
  refused("bits", "the bit range [0, 33) is inverted or outside the key, which has 32 bits", [&](const exec& gpu) {
    sort(gpu, in, out, {.bits = {0, u64{33}}});
  });
  refused("bits", "the bit range [-1, 32)", [&](const exec& gpu) { sort(gpu, in, out, {.bits = {-1, 32}}); });
  refused("bits", "the bit range [4, 3)", [&](const exec& gpu) { sort(gpu, in, out, {.bits = {4u, 3ul}}); });
  refused("bits", "the bit range [0, -1)", [&](const exec& gpu) { sort(gpu, in, out, {.bits = {0, -1}}); });
  refused("bits", "inverted", [&](const exec& gpu) { sort(gpu, in, out, {.bits = {0, ~u64{0}}}); });
  refused("bits", "inverted", [&](const exec& gpu) { sort(gpu, in, out, {.bits = {0, std::int64_t{-1} << 40}}); });
  const std::span<const u8> many(reinterpret_cast<const u8*>(256), std::size_t{1} << 32);  // nobody reads them
  const std::span<int> places(reinterpret_cast<int*>(std::uintptr_t{1} << 40), many.size());
  refused("too many", "`indices` are integers of 32 bits with a sign, too small for positions up to 4294967295",
          [&](const exec& gpu) { argsort(gpu, many, places); });
}

TEST_CASE("columns of an order have one length on the device") {
  const guarded<u32> a(n), b(n);
  const guarded<u64> lengths(2);
  guarded<u32> order(n);
  const std::string why = "columns have different lengths";
  const u64 *const one = lengths.data(), *const other = lengths.data() + 1;
  refused("two counts", why, [&](const exec& gpu) {
    argsort_by_columns(gpu, order, counted{a, one}, counted{b, other});
  });
  refused("the last", why, [&](const exec& gpu) { argsort_by_columns(gpu, order, a, counted{b, one}); });
  refused("the first", why, [&](const exec& gpu) { argsort_by_columns(gpu, order, counted{a, one}, b); });
  refused("with options", why, [&](const exec& gpu) {
    const counted first{a, one}, last{b, other};
    argsort_by_columns(gpu, order, first, column{last, {.bits = {0, 9}}});
  });
  CHECK(std::ranges::all_of(order.read(), test::is_dirt<u32>));
}

}  // namespace contract_bad_sorts
