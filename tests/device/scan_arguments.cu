// SPDX-License-Identifier: Apache-2.0
// Arguments of scans and reductions: error messages, scratch at any address, results and counts of
// every type. A total is the length of the next call's input.
#include <ballot/batched_scan.cuh>
#include <ballot/bit_ranks.cuh>
#include <ballot/blockwise_scan.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>
#include <ballot/sort.cuh>

#include "support/device_data.hpp"
#include "support/refused.hpp"
#include "support/scan_reference.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>

#if !BALLOT_EMULATED
#  include <thrust/device_vector.h>
#  include <cuda/std/span>
#endif

using namespace ballot;
using test::guarded;

namespace device_scan_arguments {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 320;

// The error of a call, which is refused before any work.
template <class Call>
std::string error_of(Call&& call) {
  std::string said;
  test::refused("a call", "", [&](const exec& gpu) {
    try {
      call(gpu);
    } catch (const invalid_argument& e) {
      said = e.what();
      throw;
    }
  });
  CHECK(said != "");
  return said;
}
bool has(const std::string& said, std::initializer_list<const char*> words) {
  return std::all_of(words.begin(), words.end(), [&](const char* word) { return said.find(word) != said.npos; });
}

TEST_CASE("errors of scans and reductions name the function, both arguments and the numbers") {
  const guarded<u32> in(n), words(n / 32);
  const guarded<u8> bytes(n);
  guarded<u32> out(n), shorter(n - 1);
  guarded<u64> total(1);
  const std::span<u32> within(in.data() + 16, n - 16);
  std::string said;

  said = error_of([&](const exec& gpu) { inclusive_scan(gpu, in, shorter); });
  CHECK_MESSAGE(has(said, {"ballot::inclusive_scan: ", "`out` has 319 items", "`in` has 320"}), said);
  said = error_of([&](const exec& gpu) { exclusive_scan(gpu, std::span(in).first(n - 16), within); });
  CHECK_MESSAGE(has(said, {"ballot::exclusive_scan: output `out` [0x", "1216 bytes] overlaps input `in` [0x"}), said);
  said = error_of([&](const exec& gpu) { inclusive_scan(gpu, in, out, {.total = out.data() + 1}); });
  CHECK_MESSAGE(has(said, {"output `total` [0x", "4 bytes] overlaps output `out` [0x", "1280 bytes]"}), said);
  said = error_of([&](const exec& gpu) { exclusive_scan(gpu, in, on_device{out.data() + 5}, out); });
  CHECK_MESSAGE(has(said, {"output `out` [0x", "1280 bytes] overlaps input `initial` [0x", "4 bytes]"}), said);
  said = error_of([&](const exec& gpu) { inclusive_scan(gpu, out, out, {.total = out.data() + 1}); });
  CHECK_MESSAGE(has(said, {"output `total`", "overlaps output `out`"}), said);
  said = error_of(
      [&](const exec& gpu) { exclusive_scan(gpu, std::span<const u32>(static_cast<const u32*>(nullptr), n), out); });
  CHECK_MESSAGE(has(said, {"exclusive_scan: `in` is null and has 1280 bytes"}), said);
  said = error_of([&](const exec& gpu) { counts_to_offsets(gpu, in, out); });
  CHECK_MESSAGE(has(said, {"counts_to_offsets: `offsets` has 320 items", "`counts`", "320"}), said);
  said = error_of([&](const exec& gpu) { exclusive_scan_flags(gpu, bytes, shorter); });
  CHECK_MESSAGE(has(said, {"exclusive_scan_flags: `ranks` has 319 items, `flags` has 320"}), said);

  const byte_flags few{std::span(bytes).first(n - 1)};
  said = error_of([&](const exec& gpu) { segmented_inclusive_scan(gpu, in, few, out); });
  CHECK_MESSAGE(has(said, {"segmented_inclusive_scan: `segments` has 319 bytes", "320 items"}), said);
  said = error_of([&](const exec& gpu) { segmented_exclusive_scan(gpu, in, segment_offsets{std::span(out)}, out); });
  CHECK_MESSAGE(has(said, {"segmented_exclusive_scan: output `out`", "overlaps input `segments`"}), said);
  said = error_of([&](const exec& gpu) { blockwise_inclusive_scan(gpu, in, out, 0); });
  CHECK_MESSAGE(has(said, {"blockwise_inclusive_scan: `block_items` is 0"}), said);

  said = error_of([&](const exec& gpu) { bit_ranks(gpu, {words}, n, shorter); });
  CHECK_MESSAGE(has(said, {"bit_ranks: `out` has 319 items, not 320"}), said);
  said = error_of([&](const exec& gpu) { word_ranks(gpu, {words}, n + 1, out); });
  CHECK_MESSAGE(has(said, {"word_ranks: `bits` has 10 words", "321 items"}), said);
  said = error_of([&](const exec& gpu) { bit_ranks(gpu, {words}, n, out, out.data()); });
  CHECK_MESSAGE(has(said, {"output `total`", "overlaps output `out`"}), said);

  said = error_of([&](const exec& gpu) { sum(gpu, in, in.data() + 3); });
  CHECK_MESSAGE(has(said, {"ballot::sum: output `result` [0x", "4 bytes] overlaps input `in` [0x", "1280 bytes]"}),
                said);
  said = error_of([&](const exec& gpu) { reduce(gpu, in, static_cast<u32*>(nullptr)); });
  CHECK_MESSAGE(has(said, {"reduce: `result` has no address"}), said);

  const batch narrow{.rows = 2, .length = 160, .pitch = 100}, many{.rows = 3, .length = 160};
  said = error_of([&](const exec& gpu) { batched_scan(gpu, in, out, narrow, scan_directions::forward); });
  CHECK_MESSAGE(has(said, {"batched_scan: `pitch` is 100, smaller than the length of a row, 160"}), said);
  said = error_of([&](const exec& gpu) { batched_scan(gpu, in, out, many, scan_directions::forward); });
  CHECK_MESSAGE(has(said, {"batched_scan: `in` has 320 items, its rows take 480"}), said);
  CHECK(test::is_dirt(total.read()[0]));
}

TEST_CASE("scratch of scans and reductions overlaps no argument") {
  constexpr std::size_t many = 1 << 17;  // more than one block reduces
  const device_buffer scratch(std::max(scan_scratch_bytes<u32>(many), segmented_scan_scratch_bytes<u32>(many)) + 4096,
                              test::test_stream());
  const exec gpu(test::test_stream(), scratch);
  const std::span<u32> in_scratch(reinterpret_cast<u32*>(scratch.data()), 320);
  const guarded<u32> in(many), words(many / 32);
  guarded<u32> out(many);
  const auto refused_scratch = [&](const char* name, const char* argument, auto&& call) {
    test::refused(name, "output `scratch` [0x", [&](const exec&) { call(); });
    test::refused(name, argument, [&](const exec&) { call(); });
  };
  refused_scratch("inclusive_scan", "input `in`", [&] { inclusive_scan(gpu, in_scratch, std::span(out).first(320)); });
  refused_scratch("a total", "input `total`", [&] { inclusive_scan(gpu, in, out, {.total = in_scratch.data()}); });
  refused_scratch("a length", "input `in`", [&] { inclusive_scan(gpu, counted{in, in_scratch.data()}, out); });
  refused_scratch("segments", "input `segments`", [&] {
    segmented_inclusive_scan(gpu, std::span(in).first(320), bit_flags{in_scratch}, std::span(out).first(320));
  });
  refused_scratch("long blocks", "input `out`",
                  [&] { blockwise_inclusive_scan(gpu, std::span(in).first(320), in_scratch, 1'000'000); });
  refused_scratch("bit_ranks", "input `total`", [&] { bit_ranks(gpu, {words}, many, out, in_scratch.data()); });
  refused_scratch("sum", "input `result`", [&] { sum(gpu, in, in_scratch.data()); });
}

TEST_CASE("scratch of scans and reductions may have any address") {
  const std::size_t items = 70'000;
  const guarded<u32> in(std::vector<u32>(items, 3)), words(std::vector<u32>((items + 31) / 32, ~0u));
  guarded<u32> out(items), result(1);
  for (const std::size_t shift : {0, 1, 4, 100, 255}) {
    CAPTURE(shift);
    const auto at = [&](std::size_t bytes, auto&& call) {
      const test::exact_scratch memory(bytes + shift);
      call(exec(test::test_stream(), memory.where().scratch().subspan(shift)));
      memory.check_guards();
    };
    at(scan_scratch_bytes<u32>(items), [&](const exec& gpu) { inclusive_scan(gpu, in, out); });
    CHECK(out.read().back() == 3 * items);
    at(segmented_scan_scratch_bytes<u32>(items),
       [&](const exec& gpu) { segmented_exclusive_scan(gpu, in, bit_flags{words}, 7u, out); });
    CHECK(out.read() == std::vector<u32>(items, 7));
    at(blockwise_scan_scratch_bytes<u32>(items, items),
       [&](const exec& gpu) { blockwise_exclusive_scan(gpu, in, 1u, out, items); });
    CHECK(out.read().back() == 3 * items - 2);
    at(bit_ranks_scratch_bytes(items), [&](const exec& gpu) { bit_ranks(gpu, {words}, items, out); });
    CHECK(out.read().back() == items - 1);
    at(reduce_scratch_bytes<u32>(items), [&](const exec& gpu) { reduce(gpu, in, 5u, result.data()); });
    CHECK(result.read()[0] == 3 * items + 5);
  }
}

TEST_CASE_TEMPLATE("ranks, their totals and lengths are integers of 4 or 8 bytes, signed or not", T, std::int32_t, u32,
                   std::int64_t, u64) {
  const std::vector<u32> bits{0x80000001u, 0x0000ffffu, 7u};
  const guarded<u32> words(bits);
  guarded<T> ranks(80), total(1), length(std::vector<T>{64});
  const exec gpu = allocating(test::test_stream());
  bit_ranks(gpu, {words}, 80, ranks, total.data());
  CHECK(total.read()[0] == 21);
  CHECK(ranks.read()[79] == 21);
  CHECK(ranks.read()[32] == 2);

  const guarded<u8> flags(std::vector<u8>(80, 1));
  exclusive_scan_flags(gpu, flags, ranks, {.total = total.data()});
  CHECK(ranks.read()[79] == 79);
  CHECK(total.read()[0] == 80);
  ranks.fill_dirt();
  inclusive_scan_flags(gpu, counted{flags, length.data()}, ranks);
  CHECK(ranks.read()[63] == 64);
  CHECK(test::is_dirt(ranks.read()[64]));
}

TEST_CASE("a total that cannot hold the number of bits is an error") {
  const guarded<u32> words(2);
  guarded<u64> out(1);
  guarded<std::int32_t> total(1);
  const u64 many = u64{1} << 31;
  const bit_flags bits{std::span(words.data(), many / 32)};
  test::refused("bit_ranks", "`total` is an integer of 32 bits with a sign, too small for 2147483648 items",
                [&](const exec& gpu) { word_ranks(gpu, bits, many, std::span(out.data(), many / 32), total.data()); });
}

// Nothing is copied to the host in between.
TEST_CASE("the total of a scan is the length of the next calls") {
  const std::vector<u32> groups{3, 0, 5, 1, 0, 7};
  std::vector<u32> items(100);
  for (u32 i = 0; i < 100; ++i) items[i] = 1000 - i * 7 % 31;
  const guarded<u32> counts(groups), keys(items);
  guarded<u32> offsets(groups.size()), sorted(100), all(1), total(1);
  const exec gpu = allocating(test::test_stream());
  exclusive_scan(gpu, counts, offsets, {.total = total.data()});
  sort(gpu, counted{keys, total.data()}, sorted);
  sum(gpu, counted{keys, total.data()}, all.data());
  CHECK(total.read()[0] == 16);
  std::vector<u32> want(items.begin(), items.begin() + 16);
  CHECK(all.read()[0] == std::accumulate(want.begin(), want.end(), 0u));
  std::sort(want.begin(), want.end());
  const std::vector<u32> got = sorted.read();
  CHECK(std::equal(want.begin(), want.end(), got.begin()));
  CHECK(test::is_dirt(got[16]));
}

#if !BALLOT_EMULATED
TEST_CASE("ranges of Thrust, of cuda::std and of a pointer with a length") {
  const exec gpu = allocating(test::test_stream());
  thrust::device_vector<u32> in(n, 2), out(n);
  cudaDeviceSynchronize();
  inclusive_scan(gpu, in, out);
  exclusive_scan(gpu, cuda::std::span<const u32>(thrust::raw_pointer_cast(in.data()), n), 1u, maximum{}, out);
  segmented_inclusive_scan(gpu, in, segment_offsets{in}, device_span(out.data(), n));
  blockwise_inclusive_scan(gpu, device_span(in.data(), n), device_span(thrust::raw_pointer_cast(out.data()), n), 32);
  guarded<u64> all(1);
  sum(gpu, in, all.data());
  CHECK(all.read()[0] == 2 * n);
  CHECK(out[31] == 64);
}
#endif

}  // namespace device_scan_arguments
