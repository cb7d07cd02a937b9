// SPDX-License-Identifier: Apache-2.0
// Arguments that all selections have in common: counts of every integer type, lengths on the
// device, ranges of other classes, scratch at any address; and what is said of those that are
// refused.
#include <ballot/compact.cuh>
#include <ballot/compact_rows.cuh>
#include <ballot/compact_segments.cuh>
#include <ballot/count_if.cuh>
#include <ballot/flag_bits.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/split.cuh>
#include <ballot/split_in_place.cuh>
#include <ballot/unique.cuh>

#include "support/refused.hpp"

#include <numeric>
#include <string>

#if !BALLOT_EMULATED
#  include <thrust/device_vector.h>
#  include <cuda/std/span>
#endif

using namespace ballot;
using test::guarded;
using test::is_odd;
using test::last_digit;
using test::refused;

namespace algorithms_selection_arguments {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 1000;
using short_count = int;

std::vector<u32> ascending() {
  std::vector<u32> items(n);
  std::iota(items.begin(), items.end(), 0u);
  return items;
}
template <class T>
T only(const guarded<T>& of) {
  return of.read()[0];
}
struct same_tens {
  __device__ bool operator()(u32 a, u32 b) const { return a / 10 == b / 10; }
};

TEST_CASE_TEMPLATE("a count of any integer type is written", C, u32, int, u64, long long) {
  const exec gpu = allocating(test::test_stream());
  const guarded<u32> in(ascending());
  guarded<u32> out(n), rest(n);
  guarded<C> count(1);
  const auto check = [&](auto&& call, u64 want) {
    count.fill_dirt();
    call();
    CHECK(only(count) == static_cast<C>(want));
  };
  C* const c = count.data();
  check([&] { compact(gpu, in, is_odd{}, out, c); }, n / 2);
  check([&] { compact(gpu, std::span<const u32>(), is_odd{}, out, c); }, 0);
  check([&] { compact_indices(gpu, in, is_odd{}, out, c); }, n / 2);
  check([&] { count_if(gpu, in, is_odd{}, c); }, n / 2);
  check([&] { split(gpu, in, is_odd{}, out, rest, c); }, n / 2);
  check([&] { split(gpu, in, is_odd{}, out, c); }, n / 2);
  check([&] { unique(gpu, in, same_tens{}, out, c); }, n / 10);
  check([&] { unique_by_key(gpu, in, positions(n), same_tens{}, out, rest, c); }, n / 10);
  check([&] { run_offsets(gpu, in, same_tens{}, out, rest, c); }, n / 10);
  check([&] { run_length_encode(gpu, in, same_tens{}, out, rest, c); }, n / 10);
  const auto in_place = [&](auto&& call, u64 want) {
    out.write(ascending());
    check(call, want);
  };
  in_place([&] { compact_in_place(gpu, out, is_odd{}, c); }, n / 2);
  in_place([&] { compact_in_place(gpu, zip{out, rest}, on_first{is_odd{}}, c); }, n / 2);
  in_place([&] { split_in_place(gpu, out, is_odd{}, c); }, n / 2);
  in_place([&] { unique_in_place(gpu, out, same_tens{}, c); }, n / 10);
  const device_value<C> value(test::test_stream());
  compact(gpu, in, is_odd{}, out, value);
  CHECK(value.read(test::test_stream()) == static_cast<C>(n / 2));
}

TEST_CASE_TEMPLATE("a length of any integer type is read, also in place; a negative one is none", C, u32, int, u64,
                   long long) {
  const exec gpu = allocating(test::test_stream());
  const guarded<u32> in(ascending());
  guarded<u32> out(n), rest(n), count(1);
  std::vector<long long> lengths{0, 1, 777, n + 5};
  if (std::is_signed_v<C>) lengths.push_back(-3);
  for (const long long length : lengths) {
    CAPTURE(length);
    const u32 there = static_cast<u32>(length < 0 ? 0 : std::min<long long>(length, n));
    const guarded<C> of(std::vector<C>{static_cast<C>(length)});
    u32* const c = count.data();
    count_if(gpu, counted{in, of.data()}, is_odd{}, c);
    CHECK(only(count) == there / 2);
    compact(gpu, counted{positions(n), of.data()}, is_odd{}, out, c);
    CHECK(only(count) == there / 2);
    unique(gpu, counted{in, of.data()}, same_tens{}, out, c);
    CHECK(only(count) == (there + 9) / 10);
    const auto in_place = [&](auto&& call, u32 want) {
      out.write(ascending());
      rest.write(ascending());
      call();
      CHECK(only(count) == want);
      const auto after = out.read();
      CHECK(std::equal(after.begin() + there, after.end(), ascending().begin() + there));
      CHECK((there < 2 || after[0] <= 1));
    };
    const auto first = [&] { return counted{out, of.data()}; };
    in_place([&] { compact_in_place(gpu, first(), is_odd{}, c); }, there / 2);
    in_place([&] { compact_in_place(gpu, zip{first(), rest}, on_first{is_odd{}}, c); }, there / 2);
    CHECK(out.read() == rest.read());
    in_place([&] { split_in_place(gpu, first(), is_odd{}, c); }, there / 2);
    in_place([&] { split_in_place(gpu, zip{first(), rest}, on_first{is_odd{}}, c); }, there / 2);
    CHECK(out.read() == rest.read());
    in_place([&] { unique_in_place(gpu, first(), same_tens{}, c); }, (there + 9) / 10);
  }
}

TEST_CASE_TEMPLATE("offsets, lengths and indices of any integer type", C, u32, int, u64, long long) {
  const exec gpu = allocating(test::test_stream());
  const guarded<u32> in(ascending());
  guarded<u32> out(n);
  guarded<u64> count(1);
  guarded<C> several(n + 1);
  const auto begins_with = [&](const std::vector<C>& want) {
    const std::vector<C> got = several.read();
    CHECK(std::equal(want.begin(), want.end(), got.begin()));
    CHECK(std::all_of(got.begin() + static_cast<std::ptrdiff_t>(want.size()), got.end(), test::is_dirt<C>));
    several.fill_dirt();
  };
  std::vector<C> odd, tens, hundreds{0};
  for (u32 i = 1; i < n; i += 2) odd.push_back(static_cast<C>(i));
  for (u32 i = 0; i <= n; i += 10) tens.push_back(static_cast<C>(i));
  for (u32 i = 1; i <= 10; ++i) hundreds.push_back(static_cast<C>(i * (n / 10)));
  compact_indices(gpu, in, is_odd{}, several, count.data());
  begins_with(odd);
  run_offsets(gpu, in, same_tens{}, out, several, count.data());
  begins_with(tens);
  run_length_encode(gpu, in, same_tens{}, out, several, count.data());
  begins_with(std::vector<C>(n / 10, C{10}));
  multisplit(gpu, in, last_digit{}, 10, out, std::span(several.data(), 11));
  begins_with(hundreds);
  const guarded<C> lengths(std::vector<C>{10, 0, 300, static_cast<C>(-1), 8});
  compact_rows(gpu, in, {.rows = 5, .width = 100, .pitch = 200, .lengths = lengths.data()}, is_odd{}, out, several);
  begins_with({5, 0, 50, std::is_signed_v<C> ? C{0} : C{50}, 4});
  const guarded<C> segments(std::vector<C>{0, 10, 10, static_cast<C>(n)});
  compact_segments(gpu, in, segments, is_odd{}, out, std::span(several.data(), 4));
  begins_with({0, 5, 5, static_cast<C>(n / 2)});
  guarded<short_count> other(4);
  compact_segments(gpu, in, segments, is_odd{}, out, other);
  CHECK(other.read() == std::vector<short_count>{0, 5, 5, static_cast<short_count>(n / 2)});
}

// A container of someone else's, whose pointers are of a class.
template <class T>
struct foreign_pointer {
  T* address;
  T* get() const { return address; }
};
template <class T>
struct foreign_vector {
  guarded<T>& items;
  foreign_pointer<T> data() { return {items.data()}; }
  foreign_pointer<const T> data() const { return {items.data()}; }
  std::size_t size() const { return items.size(); }
};

TEST_CASE("ranges of other classes") {
  const exec gpu = allocating(test::test_stream());
  guarded<u32> items(ascending()), words(n / 32 + 1), some(n), more(n);
  guarded<u8> bytes(std::vector<u8>(n, 1));
  device_value<u32> count(test::test_stream()), rest_count(test::test_stream());
  const auto counts = [&](u32 want) { CHECK(count.read(test::test_stream()) == want); };
  const auto use = [&](const auto& in, auto& out, auto& rest, auto& bits, const auto& flags) {
    compact(gpu, in, is_odd{}, out, count), counts(n / 2);
    compact(gpu, zip{in, positions(n)}, on_first{is_odd{}}, zip{out, rest}, count), counts(n / 2);
    flag_bits(gpu, in, is_odd{}, bits);
    compact(gpu, in, bit_flags{bits}, out, count), counts(n / 2);
    unique(gpu, in, same_tens{}, out, count), counts(n / 10);
    compact(gpu, in, byte_flags{flags}, out, count), counts(n);
    split_in_place(gpu, zip{counted{out, count}, rest}, on_first{is_odd{}}, rest_count);
    CHECK(rest_count.read(test::test_stream()) == n / 2);
  };
  foreign_vector<u32> out{some}, rest{more}, bits{words};
  use(foreign_vector<u32>{items}, out, rest, bits, foreign_vector<u8>{bytes});
#if !BALLOT_EMULATED
  cuda::std::span<u32> out_span(some.data(), n), rest_span(more.data(), n), bits_span(words.data(), words.size());
  use(cuda::std::span<const u32>(items.data(), n), out_span, rest_span, bits_span,
      cuda::std::span<const u8>(bytes.data(), n));
  const std::vector<u32> host = ascending();
  const thrust::device_vector<u32> in_vector(host.begin(), host.end());
  thrust::device_vector<u32> out_vector(n), rest_vector(n), bits_vector(n / 32 + 1);
  use(in_vector, out_vector, rest_vector, bits_vector, thrust::device_vector<u8>(n, 1));
#endif
}

TEST_CASE("selections: scratch may lie at any address, but not within an argument") {
  const guarded<u32> more(std::vector<u32>(5000, 7));  // for a multisplit that takes scratch
  guarded<u32> more_out(more.size());
  const guarded<u32> in(ascending());
  guarded<u32> out(n), rest(n);
  guarded<u64> count(1), offsets(11);
  const guarded<u8> flags(std::vector<u8>(n, 1));
  const guarded<u64> length(std::vector<u64>{n});
  const std::size_t bytes =
      std::max({compact_scratch_bytes<u32, u32>(n), split_scratch_bytes<u32>(n), unique_scratch_bytes<u32, u32>(n),
                split_in_place_scratch_bytes<u32>(n), multisplit_scratch_bytes<u32>(more.size(), 10)});
  const device_buffer memory(bytes + 255, test::test_stream());
  for (const std::size_t skipped : {0, 1, 4, 128, 255}) {
    CAPTURE(skipped);
    const exec gpu(test::test_stream(), memory.data() + skipped, bytes);
    compact(gpu, in, byte_flags{flags}, out, count.data());
    CHECK(only(count) == n);
    split(gpu, in, is_odd{}, out, count.data());
    CHECK(only(count) == n / 2);
    split_in_place(gpu, out, is_odd{}, count.data());
    CHECK(only(count) == n / 2);
    multisplit(gpu, in, last_digit{}, 10, out, offsets);
    CHECK(offsets.read()[10] == n);
    CHECK_NOTHROW(compact(exec(test::test_stream(), memory.data() + skipped, compact_scratch_bytes<u32>(n)), in,
                          is_odd{}, out, count.data()));
  }

  const auto refuse = [&](const std::string& name, const auto& range, auto&& call) {
    const auto at = reinterpret_cast<std::uintptr_t>(range.data());
    const exec within(test::test_stream(), reinterpret_cast<void*>(at), bytes);
    refused(name, "output `scratch` [0x", [&](const exec&) { call(within); });
    // Behind a short range, the scratch may reach into another one.
    if (range.size() * sizeof(range.data()[0]) >= bytes)
      refused(name, "`" + name + "` [0x", [&](const exec&) { call(within); });
  };
  const auto compacts = [&](const exec& gpu) {
    compact(gpu, counted{in, length.data()}, byte_flags{flags}, out, count.data());
  };
  refuse("in", in, compacts);
  refuse("out", out, compacts);
  refuse("flags", flags, compacts);
  refuse("count", count, compacts);
  refuse("in.length", length, compacts);
  refuse("rejected", rest, [&](const exec& gpu) { split(gpu, in, is_odd{}, out, rest, count.data()); });
  refuse("items", out, [&](const exec& gpu) { split_in_place(gpu, out, is_odd{}, count.data()); });
  refuse("offsets", offsets, [&](const exec& gpu) { multisplit(gpu, more, last_digit{}, 10, more_out, offsets); });
  refuse("values_out", rest, [&](const exec& gpu) { unique_by_key(gpu, in, in, out, rest, count.data()); });
  refuse("lengths", rest, [&](const exec& gpu) { run_length_encode(gpu, in, out, rest, count.data()); });
  // Calls that take no scratch do not look at it.
  CHECK_NOTHROW(count_if(exec(test::test_stream(), out.data(), 64), in, is_odd{}, count.data()));
}

TEST_CASE("what is refused says which arguments, and the numbers: selections") {
  const guarded<u32> in(n), values(n - 1);
  guarded<u32> out(n), shorter(n - 2);
  guarded<u64> count(1), offsets(9);
  u64* const c = count.data();
  const guarded<u8> flags(n - 3);
  const std::span<u32> null(static_cast<u32*>(nullptr), n);
  const auto refuse = [](const std::string& why, auto&& call) { refused(why, why, call); };

  refuse("ballot::compact: output `out` [0x", [&](const exec& gpu) { compact(gpu, out, is_odd{}, out, c); });
  refuse(", 4000 bytes] overlaps input `in` [0x", [&](const exec& gpu) { compact(gpu, out, is_odd{}, out, c); });
  refuse("output `out` column 1 [0x", [&](const exec& gpu) {
    compact(gpu, zip{in, in}, on_first{is_odd{}}, zip{shorter, out}, out.data());
  });
  refuse("overlaps output `out` column 0 [0x", [&](const exec& gpu) {
    compact(gpu, zip{in, in}, on_first{is_odd{}}, zip{out, out}, c);
  });
  refuse("ballot::split: `in` column 1 has 999 items, column 0 has 1000", [&](const exec& gpu) {
    split(gpu, zip{in, values}, on_first{is_odd{}}, zip{out, out}, c);
  });
  refuse("`in` column 1 is counted: only the first", [&](const exec& gpu) {
    split(gpu, zip{in, counted{in, c}}, on_first{is_odd{}}, zip{out, shorter}, c);
  });
  refuse("ballot::compact_in_place: only the first range of a zip may be counted", [&](const exec& gpu) {
    compact_in_place(gpu, zip{out, counted{out, c}}, on_first{is_odd{}}, c);
  });
  refuse("ballot::split: `in` has 1000 items, `out` has 998",
         [&](const exec& gpu) { split(gpu, in, is_odd{}, shorter, c); });
  refuse("ballot::compact: `out` is null and has 4000 bytes",
         [&](const exec& gpu) { compact(gpu, in, is_odd{}, null, c); });
  refuse("ballot::count_if: `count` has no address", [&](const exec& gpu) { count_if(gpu, in, is_odd{}, nullptr); });
  refuse("`flags` has 997 bytes, fewer flags than the 1000 items",
         [&](const exec& gpu) { compact(gpu, in, byte_flags{flags}, out, c); });
  refuse("`flags` has 9 words, fewer flag bits than the 1000 items",
         [&](const exec& gpu) { count_if(gpu, in, bit_flags{std::span<const u32>(in.data(), 9)}, c); });
  refuse("ballot::multisplit: `buckets` is 257, buckets are 1 to 256",
         [&](const exec& gpu) { multisplit(gpu, in, last_digit{}, 257, out, offsets); });
  refuse("ballot::multisplit: `offsets` has 9 items, at least 11 are needed",
         [&](const exec& gpu) { multisplit(gpu, in, last_digit{}, 10, out, offsets); });
  refuse("ballot::compact_segments: `offsets` has 1000 items, `new_offsets` has 998",
         [&](const exec& gpu) { compact_segments(gpu, in, in, is_odd{}, out, shorter); });
  refuse("ballot::compact_rows: rows overlap: the pitch, 9, is below the width, 10",
         [&](const exec& gpu) { compact_rows(gpu, in, {.rows = 9, .width = 10, .pitch = 9}, is_odd{}, out, offsets); });
  refuse("ballot::unique_by_key: `keys` has 1000 items, `values` has 999",
         [&](const exec& gpu) { unique_by_key(gpu, in, values, out, shorter, c); });

  // More than a count holds. Nobody reads these items, or writes here.
  const std::span<const u8> many(reinterpret_cast<const u8*>(u64{1} << 40), std::size_t{1} << 32);
  const std::span<u8> none;
  const auto count32 = reinterpret_cast<u32*>(256);
  const auto signed32 = reinterpret_cast<int*>(256);
  refuse("`count` is an integer of 32 bits, too small for 4294967296 items",
         [&](const exec& gpu) { count_if(gpu, many, is_odd{}, count32); });
  refuse("`count` is an integer of 32 bits with a sign, too small for 2147483648 items",
         [&](const exec& gpu) { compact(gpu, many.first(std::size_t{1} << 31), is_odd{}, none, signed32); });
  refuse("`lengths` has integers of 32 bits with a sign, for more items than they count: 4294967296",
         [&](const exec& gpu) { run_length_encode(gpu, many, none, std::span(signed32, 1), c); });
  refuse("`indices` has integers of 32 bits with a sign, for more items than they count: 4294967295",
         [&](const exec& gpu) { compact_indices(gpu, many, is_odd{}, std::span(signed32, 1), c); });
  CHECK(test::is_dirt(only(count)));
}

}  // namespace algorithms_selection_arguments
