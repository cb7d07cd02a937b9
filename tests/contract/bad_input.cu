// What every call refuses before any work, whichever algorithm it is: memory that is written and also read (counts and
// lengths on the device, too), columns of different lengths, more positions than their type counts. And what is only
// read, which may overlap.
#include <ballot/ballot.cuh>

#include "support/runtime_calls.hpp"
#include "support/schedules.hpp"

#include <numeric>
#include <string>

using namespace ballot;
using test::guarded;

namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 320;

struct is_odd {
  template <class T>
  __device__ bool operator()(T x) const {
    return x % 2 != 0;
  }
};
struct last_digit {
  __device__ u32 operator()(u32 x) const { return x % 10; }
};

template <class Call>
void refused(const std::string& name, const std::string& why, Call&& call) {
  CAPTURE(name);
  std::string said;
  const test::runtime_calls done = test::runtime_calls_of([&] {
    try {
      call(allocating(test::test_stream()));
    } catch (const invalid_argument& e) {
      said = e.what();
    }
  });
  CHECK_MESSAGE(said.find(why) != std::string::npos, said);
  CHECK(done.launches + done.fills + done.copies + done.allocations + done.releases + done.waits == 0);
}

// The second word of a range, as the address of a count.
template <class T>
u64* inside(const guarded<T>& range) {
  return reinterpret_cast<u64*>(range.data()) + 1;
}

TEST_CASE("a count that a selection leaves is apart from all else") {
  const guarded<u32> in(n), words(n / 32);
  const guarded<u8> bytes(n);
  guarded<u32> out(n), other(n);
  guarded<u64> counts(12);
  // `length`: of the input or null; `count`: where it is left.
  const auto all = [&](const u64* length, u64* count, const std::string& why) {
    const counted now{in, length};
    const byte_flags flags{bytes};
    refused("compact by flags", why, [&](const exec& gpu) { compact(gpu, now, flags, out, count); });
    refused("compact_indices", why, [&](const exec& gpu) { compact_indices(gpu, now, flags, out, count); });
    refused("count_if", why, [&](const exec& gpu) { count_if(gpu, zip{now, out}, flags, count); });
    refused("split", why, [&](const exec& gpu) { split(gpu, now, flags, out, other, count); });
    refused("split, one output", why, [&](const exec& gpu) { split(gpu, now, flags, out, count); });
    if (count != inside(bytes)) {  // calls without flags
      refused("compact", why, [&](const exec& gpu) { compact(gpu, now, is_odd{}, out, count); });
      refused("compact a zip", why, [&](const exec& gpu) {
        compact(gpu, zip{now, positions(n)}, on_first{is_odd{}}, zip{out, other}, count);
      });
      refused("unique", why, [&](const exec& gpu) { unique(gpu, now, out, count); });
      refused("unique_by_key", why, [&](const exec& gpu) { unique_by_key(gpu, now, positions(n), out, other, count); });
      refused("run_offsets", why, [&](const exec& gpu) { run_offsets(gpu, now, out, other, count); });
      refused("run_length_encode", why, [&](const exec& gpu) { run_length_encode(gpu, now, out, other, count); });
    }
  };
  all(counts.data(), counts.data(), "a length on the device");
  all(nullptr, inside(in), "overlap");
  all(nullptr, inside(out), "overlap");
  all(nullptr, inside(bytes), "overlap");

  const auto in_place = [&](const u64* length, u64* count, const std::string& why) {
    refused("compact_in_place", why,
            [&](const exec& gpu) { compact_in_place(gpu, out, byte_flags{bytes}, count, length); });
    refused("compact_in_place of a zip", why, [&](const exec& gpu) {
      compact_in_place(gpu, zip{other, out}, byte_flags{bytes}, count, length);
    });
    refused("split_in_place", why,
            [&](const exec& gpu) { split_in_place(gpu, out, byte_flags{bytes}, count, length); });
    if (count != inside(bytes))
      refused("unique_in_place", why, [&](const exec& gpu) { unique_in_place(gpu, out, count, equal_to{}, length); });
  };
  in_place(counts.data(), counts.data(), "a length on the device");
  in_place(inside(out), counts.data(), "a length on the device");
  in_place(nullptr, inside(out), "overlap");
  in_place(nullptr, inside(bytes), "overlap");

  u64* const many = counts.data();  // 12 of them, as offsets and as counts of rows
  const std::string length_within = "a length on the device";
  refused("multisplit", length_within, [&](const exec& gpu) {
    multisplit(gpu, counted{in, many + 3}, last_digit{}, 10, out, counts);
  });
  const guarded<u64> begins(12);
  refused("compact_segments", length_within, [&](const exec& gpu) {
    compact_segments(gpu, counted{in, many + 3}, begins, is_odd{}, out, counts);
  });
  row_layout layout{.rows = 10, .width = 30, .pitch = 32, .lengths = many};
  refused("compact_rows, counts", "overlap",
          [&](const exec& gpu) { compact_rows(gpu, in, layout, is_odd{}, out, counts); });
  layout.lengths = inside(out);
  refused("compact_rows, items", "overlap",
          [&](const exec& gpu) { compact_rows(gpu, in, layout, is_odd{}, out, counts); });
  refused("bit_ranks, bits", "overlap", [&](const exec& gpu) { bit_ranks(gpu, {words}, n, out, inside(words)); });
  refused("bit_ranks, ranks", "overlap", [&](const exec& gpu) { bit_ranks(gpu, {words}, n, out, inside(out)); });
  refused("word_ranks", "overlap",
          [&](const exec& gpu) { word_ranks(gpu, {words}, n, std::span(other.data(), n / 32), inside(words)); });
  CHECK(std::ranges::all_of(counts.read(), test::is_dirt<u64>));
}

TEST_CASE("a length on the device is apart from what is written") {
  const guarded<u32> in(n), values(n);
  const guarded<u8> bytes(n);
  const guarded<u64> length(1);
  guarded<u32> out(n), other(n), third(n), fourth(n), words(n / 32);
  guarded<u64> wide(n);
  const auto refuse = [&](const std::string& name, auto&& call) { refused(name, "a length on the device", call); };
  const counted now{in, inside(out)}, beside{in, inside(other)};

  refuse("compact", [&](const exec& gpu) { compact(gpu, now, is_odd{}, out, wide.data()); });
  refuse("split", [&](const exec& gpu) { split(gpu, now, is_odd{}, other, out, wide.data()); });
  refuse("flag_bits", [&](const exec& gpu) { flag_bits(gpu, counted{in, inside(words)}, is_odd{}, words); });
  refuse("unique", [&](const exec& gpu) { unique(gpu, now, out, wide.data()); });

  refuse("sort", [&](const exec& gpu) { sort(gpu, now, out); });
  refuse("sort_in_place", [&](const exec& gpu) { sort_in_place(gpu, out, {}, inside(out)); });
  refuse("sort_pairs, keys", [&](const exec& gpu) { sort_pairs(gpu, now, values, out, other); });
  refuse("sort_pairs, values", [&](const exec& gpu) { sort_pairs(gpu, beside, values, out, other); });
  refuse("sort_pairs_in_place, keys", [&](const exec& gpu) { sort_pairs_in_place(gpu, out, other, {}, inside(out)); });
  refuse("sort_pairs_in_place, values",
         [&](const exec& gpu) { sort_pairs_in_place(gpu, out, other, {}, inside(other)); });
  refuse("argsort", [&](const exec& gpu) { argsort(gpu, now, out); });
  refuse("argsort with keys, keys", [&](const exec& gpu) { argsort(gpu, now, out, other); });
  refuse("argsort with keys, indices", [&](const exec& gpu) { argsort(gpu, beside, out, other); });
  refuse("sort_by", [&](const exec& gpu) { sort_by(gpu, now, last_digit{}, out); });
  refuse("argsort_by", [&](const exec& gpu) { argsort_by(gpu, now, last_digit{}, out); });
  refuse("argsort_further", [&](const exec& gpu) { argsort_further(gpu, now, out); });
  refuse("argsort_by_columns", [&](const exec& gpu) { argsort_by_columns(gpu, out, now, now); });
  refuse("sort_ping_pong, a", [&](const exec& gpu) { sort_ping_pong(gpu, out, other, {}, inside(out)); });
  refuse("sort_ping_pong, b", [&](const exec& gpu) { sort_ping_pong(gpu, out, other, {}, inside(other)); });
  for (const guarded<u32>* range : {&out, &other, &third, &fourth})
    refuse("sort_pairs_ping_pong",
           [&](const exec& gpu) { sort_pairs_ping_pong(gpu, out, other, third, fourth, {}, inside(*range)); });
  refuse("segmented_sort", [&](const exec& gpu) { segmented_sort(gpu, now, values, out); });
  refuse("segmented_sort, offsets", [&](const exec& gpu) {
    segmented_sort(gpu, in, counted{values, inside(out)}, out);
  });
  for (const u64* at : {inside(out), inside(other)}) {
    refuse("segmented_sort_pairs", [&](const exec& gpu) {
      segmented_sort_pairs(gpu, counted{in, at}, values, values, out, other);
    });
    refuse("segmented_sort_pairs, offsets", [&](const exec& gpu) {
      segmented_sort_pairs(gpu, in, values, counted{values, at}, out, other);
    });
  }

  refuse("inclusive_scan", [&](const exec& gpu) { inclusive_scan(gpu, now, out); });
  refuse("exclusive_scan", [&](const exec& gpu) { exclusive_scan(gpu, now, out); });
  refuse("counts_to_offsets", [&](const exec& gpu) {
    counts_to_offsets(gpu, counted{std::span(in.data(), n - 1), inside(out)}, out);
  });
  refuse("inclusive_scan_flags", [&](const exec& gpu) { inclusive_scan_flags(gpu, counted{bytes, inside(out)}, out); });
  refuse("a total", [&](const exec& gpu) {
    inclusive_scan(gpu, counted{in, length.data()}, wide, plus{}, {.total = length.data()});
  });
  const byte_flags heads{bytes};
  refuse("segmented_inclusive_scan", [&](const exec& gpu) { segmented_inclusive_scan(gpu, now, heads, out); });
  refuse("segmented_exclusive_scan_backward",
         [&](const exec& gpu) { segmented_exclusive_scan_backward(gpu, now, heads, out); });
  refuse("segmented_exclusive_scan, in place", [&](const exec& gpu) {
    segmented_exclusive_scan(gpu, counted{out, inside(out)}, heads, out);
  });
  refuse("segmented scan by offsets",
         [&](const exec& gpu) { segmented_inclusive_scan(gpu, now, segment_offsets{values}, out); });
  refuse("segmented scan, offsets", [&](const exec& gpu) {
    segmented_inclusive_scan(gpu, in, segment_offsets{counted{values, inside(out)}}, out);
  });
  refuse("blockwise_inclusive_scan", [&](const exec& gpu) { blockwise_inclusive_scan(gpu, now, out, 32); });
  refuse("blockwise_exclusive_scan", [&](const exec& gpu) { blockwise_exclusive_scan(gpu, now, out, 1'000'000); });

  u64* const result = length.data();
  const counted some{in, result};
  refuse("sum", [&](const exec& gpu) { sum(gpu, some, result); });
  refuse("reduce", [&](const exec& gpu) { reduce(gpu, some, result, u64{1}, maximum{}); });
  refuse("minimum_of", [&](const exec& gpu) { minimum_of(gpu, some, result); });
  refuse("maximum_of", [&](const exec& gpu) { maximum_of(gpu, some, result); });
  const auto place = reinterpret_cast<indexed<u32>*>(wide.data());
  refuse("arg_min", [&](const exec& gpu) { arg_min(gpu, counted{in, wide.data() + 1}, place); });
  refuse("arg_max", [&](const exec& gpu) { arg_max(gpu, counted{in, wide.data()}, place); });
  CHECK(test::is_dirt(length.read()[0]));
}

TEST_CASE("what is only read may overlap") {
  // Items that are their own length, flags, values and offsets.
  std::vector<u64> items(n);
  std::iota(items.begin(), items.end(), u64{0});
  const u64 there = 200;
  std::vector<u64> odd;
  for (u64 x = 1; x < there; x += 2) odd.push_back(x);
  test::for_each_schedule([&] {
    const guarded<u64> in(items);
    const counted now{in, in.data() + there};
    guarded<u64> out(n), second(n), count(1);
    const exec where = allocating(test::test_stream());
    const auto begins_with = [&](const guarded<u64>& found, const std::vector<u64>& want) {
      const std::vector<u64> got = found.read();
      CHECK(std::equal(want.begin(), want.end(), got.begin()));
      CHECK(std::all_of(got.begin() + static_cast<std::ptrdiff_t>(want.size()), got.end(), test::is_dirt<u64>));
    };
    compact(where, zip{now, in}, on_first{is_odd{}}, zip{out, second}, count.data());
    CHECK(count.read()[0] == odd.size());
    begins_with(out, odd), begins_with(second, odd);

    const byte_flags low_bytes{{reinterpret_cast<const u8*>(in.data()), n}};  // one in 8 of them is not 0
    count_if(where, now, low_bytes, count.data());
    CHECK(count.read()[0] == (there + 7) / 8 - 1);

    const std::vector<u64> first(items.begin(), items.begin() + there);
    out.fill_dirt(), second.fill_dirt();
    segmented_sort_pairs(where, now, in, now, out, second);
    begins_with(out, first), begins_with(second, first);
    out.fill_dirt(), second.fill_dirt();
    sort_pairs(where, now, in, out, second);
    begins_with(out, first), begins_with(second, first);
    out.fill_dirt();
    argsort_by_columns(where, out, now, column{now, {.bits = {0, 8}}});
    begins_with(out, first);
  });
}

TEST_CASE("more items than offsets and lengths count") {
  const guarded<u8> in(n);
  const std::span<const u8> many(in.data(), std::size_t{1} << 32);  // nobody reads them,
  u64* const count = reinterpret_cast<u64*>(256);                   // and nobody writes here
  const std::span<u32> offsets(reinterpret_cast<u32*>(512), 2), no_lengths;
  const std::span<u8> no_items;
  refused("run_length_encode", "more items than",
          [&](const exec& gpu) { run_length_encode(gpu, many, no_items, no_lengths, count); });
  refused("run_offsets", "more items than",
          [&](const exec& gpu) { run_offsets(gpu, many, no_items, no_lengths, count); });
  const std::span<const u32> old(reinterpret_cast<u32*>(768), 2);
  refused("compact_segments", "more items than",
          [&](const exec& gpu) { compact_segments(gpu, many, old, is_odd{}, no_items, offsets); });
}

TEST_CASE("an empty range within another does not overlap it") {
  guarded<u32> out(n);
  guarded<u64> count(1);
  const exec where = allocating(test::test_stream());
  CHECK_NOTHROW(compact(where, std::span<const u32>(out.data() + 3, 0), is_odd{}, out, count.data()));
  CHECK(count.read()[0] == 0);
}

TEST_CASE("scratch that is aligned to half of what it has to be is refused") {
  const guarded<u32> in(n);
  guarded<u32> out(n);
  const std::size_t bytes = sort_scratch_bytes<u32>(n);
  const device_buffer memory(bytes + 128, test::test_stream());
  refused("sort", "not aligned",
          [&](const exec& gpu) { sort(exec(gpu.stream(), std::span(memory.data() + 128, bytes)), in, out); });
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

TEST_CASE("more positions than their type counts") {
  const u64 most = u64{1} << 32;
  const guarded<u32> keys(n);
  const std::span<const u32> many(keys.data(), most + 1);  // nobody reads them
  const guarded<u64> begins(2);
  guarded<u32> out(n), words(n / 32);
  guarded<u64> indices(n), counts(3);
  u64* const count = counts.data();
  const auto refuse = [&](const std::string& name, auto&& call) { refused(name, "more positions", call); };
  const positions all(most + 1);
  refuse("compact", [&](const exec& gpu) { compact(gpu, all, is_odd{}, out, count); });
  refuse("compact a zip", [&](const exec& gpu) {
    compact(gpu, zip{many, all}, on_first{is_odd{}}, zip{out, words}, count);
  });
  refuse("compact by flags", [&](const exec& gpu) {
    compact(gpu, all, bit_flags{{words.data(), std::size_t{1} << 28}}, out, count);
  });
  refuse("compact_indices", [&](const exec& gpu) { compact_indices(gpu, all, is_odd{}, indices, count); });
  refuse("compact_rows", [&](const exec& gpu) { compact_rows(gpu, all, {3, 4}, is_odd{}, out, counts); });
  refuse("compact_segments",
         [&](const exec& gpu) { compact_segments(gpu, all, begins, is_odd{}, out, std::span(counts.data(), 2)); });
  refuse("count_if", [&](const exec& gpu) { count_if(gpu, all, is_odd{}, count); });
  refuse("flag_bits", [&](const exec& gpu) { flag_bits(gpu, all, is_odd{}, words); });
  refuse("split", [&](const exec& gpu) { split(gpu, all, is_odd{}, out, words, count); });
  refuse("split, one output", [&](const exec& gpu) { split(gpu, all, is_odd{}, out, count); });
  refuse("multisplit", [&](const exec& gpu) { multisplit(gpu, all, last_digit{}, 2, out, counts); });
  refuse("unique_by_key", [&](const exec& gpu) { unique_by_key(gpu, many, all, out, words, count); });
  refuse("of bytes", [&](const exec& gpu) { count_if(gpu, positions<u8>(257), is_odd{}, count); });

  // As many as the type counts; and any number where flags alone decide, and no position is looked at.
  const std::size_t more = 300;
  const guarded<u8> flags(std::vector<u8>(more, 1));
  guarded<u32> at(more);
  const exec where = allocating(test::test_stream());
  count_if(where, positions<u8>(256), is_odd{}, count);
  count_if(where, positions<u8>(more), byte_flags{flags}, count + 1);
  compact_indices(where, positions<u8>(more), byte_flags{flags}, at, count + 2);
  flag_bits(where, positions<u8>(more), byte_flags{flags}, words);
  CHECK(counts.read() == std::vector<u64>{128, more, more});
  CHECK(at.read().back() == more - 1);
  CHECK(words.read().back() == (1u << more % 32) - 1);
}

}  // namespace
