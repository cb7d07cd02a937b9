// SPDX-License-Identifier: Apache-2.0
// Refusals of the C library: each kind of mistake with its message.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/support.hpp"

#include <string>
#include <thread>

namespace ballot::test::c {
namespace errors {

void refused(const char* why, ballot_status status, ballot_status expected = BALLOT_INVALID_ARGUMENT) {
  CAPTURE(why);
  CHECK(status == expected);
  const std::string message = ballot_last_error();
  CHECK_MESSAGE(message.find(why) != std::string::npos, message);
}

TEST_CASE("versions") {
  CHECK(ballot_version() == BALLOT_API_VERSION);
  CHECK(ballot_check_version() == BALLOT_OK);
  CHECK(ballot_check_header_version(BALLOT_API_VERSION + 50) == BALLOT_OK);  // another patch
  refused("compiled with ballot.h of version", ballot_check_header_version(BALLOT_API_VERSION + 10000),
          BALLOT_WRONG_VERSION);
  refused("compiled with ballot.h of version", ballot_check_header_version(BALLOT_API_VERSION + 100),
          BALLOT_WRONG_VERSION);
  refused("compiled with ballot.h of version", ballot_check_header_version(-1), BALLOT_WRONG_VERSION);
  CHECK(std::string(ballot_status_name(BALLOT_NO_DEVICE)) == "BALLOT_NO_DEVICE");
  CHECK(std::string(ballot_status_name(99)) == "an unknown status");
}

TEST_CASE("mistakes of sorts between two buffers") {
  const guarded<u32> a(100), b(100), ten(10);
  const guarded<u16> short_a(100), short_b(100);
  const guarded<std::byte> scratch(1 << 16);
  const ballot_exec gpu = ballot_on(test_stream(), scratch.data(), scratch.size());
  std::int32_t at = 5;
  refused("`values_a` has type BALLOT_U16: values between two buffers have 4 or 8 bytes",
          ballot_sort_pairs_ping_pong(gpu, in(a), in(short_a), out(b), out(short_b), &at, nullptr));
  refused("`values_a` has type",
          ballot_sort_pairs_ping_pong(gpu, in(a), ballot_nothing(), out(b), ballot_nothing(), &at, nullptr));
  refused("overlaps", ballot_sort_ping_pong(gpu, in(a), out(a), &at, nullptr));
  refused("`a` has 100 items, `b` has 10", ballot_sort_ping_pong(gpu, in(a), out(ten), &at, nullptr));
  refused("`at` is null", ballot_sort_ping_pong(gpu, in(a), out(b), nullptr, nullptr));
  const auto bytes_at = [](const guarded<u32>& items) {
    return ballot_input(reinterpret_cast<char*>(items.data()) + 1, 90, BALLOT_BYTES(4));
  };
  refused("is at an address that is no multiple of 4",
          ballot_sort_pairs_ping_pong(gpu, ballot_input(short_a.data(), 90, BALLOT_U8), bytes_at(a),
                                      ballot_input(short_b.data(), 90, BALLOT_U8), bytes_at(b), &at, nullptr));
  CHECK(at == 5);
  std::size_t bytes = 0;
  refused("`values` has type BALLOT_U16: values between two buffers have 4 or 8 bytes",
          ballot_sort_ping_pong_scratch_bytes(BALLOT_U32, BALLOT_U16, 100, &bytes));
}

TEST_CASE("mistakes are named with their numbers") {
  const std::size_t n = 100;
  const guarded<u32> a(n), b(n), ten(10), count(1);
  const guarded<float> x(n);
  const guarded<u8> flags(n);
  const guarded<std::byte> memory(1 << 20);
  const ballot_exec gpu = ballot_on(test_stream(), memory.data(), memory.size());
  const ballot_array source = in(a), target = out(b);

  refused("ballot_sort: `keys` has 100 items, `keys_out` has 10", ballot_sort(gpu, in(a), out(ten), nullptr));
  refused("`keys` has type BALLOT_U32 (6), `keys_out` has type BALLOT_F32 (13)",
          ballot_sort(gpu, in(a), out(x), nullptr));
  refused("`keys` has type an unknown type (99)", ballot_sort(gpu, in(a, 99), out(b, 99), nullptr));
  refused("`keys` has type BALLOT_BYTES (16777220): numbers are wanted",
          ballot_sort(gpu, in(a, BALLOT_BYTES(4)), out(b, BALLOT_BYTES(4)), nullptr));
  refused("is null and has 400 bytes", ballot_sort(gpu, ballot_input(nullptr, n, BALLOT_U32), out(b), nullptr));
  refused("overlaps", ballot_sort(gpu, in(a), out(a), nullptr));
  refused("overlaps", ballot_sort(ballot_on(test_stream(), b.data(), 400), in(a), out(b), nullptr));
  refused("not aligned to its items of 4 bytes",
          ballot_sort(gpu, ballot_input(reinterpret_cast<char*>(a.data()) + 1, 10, BALLOT_U32), out(ten), nullptr));
  refused("more than the address space",
          ballot_sort(gpu, ballot_input(a.data(), ~u64{0}, BALLOT_U32), out(b), nullptr));
  refused("`keys_out` is counted", ballot_sort(gpu, in(a), counted(b, count), nullptr));
  refused("integers are wanted", ballot_multisplit(gpu, in(x), 3, 1, &source, &target, out(ten)));

  ballot_sort_options options{sizeof(options), 2, 0, 0, 0, 0, 0};
  refused("`direction` is 2, not one of 0 to 1", ballot_sort(gpu, in(a), out(b), &options));
  options = {sizeof(options), 0, 7, 0, 0, 0, 0};
  refused("`nans` is 7", ballot_sort(gpu, in(a), out(b), &options));
  options = {sizeof(options), 0, 0, 9, 3, 0, 0};
  refused("the bit range [9, 3) is inverted", ballot_sort(gpu, in(a), out(b), &options));
  options = {sizeof(options), 0, 0, 0, 33, 0, 0};
  refused("outside the key, which has 32 bits", ballot_sort(gpu, in(a), out(b), &options));
  options = {7, 0, 0, 0, 0, 0, 0};
  refused("`options.size` is 7, the struct has 32 bytes", ballot_sort(gpu, in(a), out(b), &options));
  struct {
    ballot_sort_options known;
    int newer[2];
  } newer{{sizeof(newer), 0, 0, 0, 0, 0, 0}, {0, 0}};
  ok(ballot_sort(gpu, in(a), out(b), &newer.known));
  newer.newer[1] = 1;
  refused("one behind the 32 that this library knows is not zero", ballot_sort(gpu, in(a), out(b), &newer.known));

  const guarded<u128> wide(n), wide_out(n);
  refused("numbers of up to 8 bytes are wanted", ballot_inclusive_scan(gpu, in(wide), 0, out(wide_out), nullptr));
  refused("`op` is 6", ballot_inclusive_scan(gpu, in(a), 6, out(b), nullptr));
  refused("`op` is of bits, the items have type BALLOT_F32",
          ballot_inclusive_scan(gpu, in(x), BALLOT_BIT_OR, out(x), nullptr));
  refused("items of type BALLOT_F32 have no sum of type BALLOT_U32",
          ballot_inclusive_scan(gpu, in(x), BALLOT_PLUS, out(b), nullptr));
  refused("`select.kind` is 3",
          ballot_compact(gpu, 1, &source, ballot_selector{in(flags), nullptr, 0, 0, 3, 0, 0}, &target, out(count)));
  const u32 limit = 3;
  refused("`select.value` is null",
          ballot_compact(gpu, 1, &source, ballot_where(BALLOT_LESS, nullptr), &target, out(count)));
  refused("`select.compare` is 6", ballot_compact(gpu, 1, &source, ballot_where(6, &limit), &target, out(count)));
  ballot_selector typed = ballot_where(BALLOT_LESS, &limit);
  typed.value_type = BALLOT_F32;
  refused("`select.value` has type BALLOT_F32", ballot_compact(gpu, 1, &source, typed, &target, out(count)));
  refused("`columns` is 17", ballot_compact(gpu, 17, &source, ballot_where(BALLOT_LESS, &limit), &target, out(count)));
  refused("`in` is null", ballot_compact(gpu, 1, nullptr, ballot_where(BALLOT_LESS, &limit), &target, out(count)));
  refused("`out` is null", ballot_compact(gpu, 1, &source, ballot_where(BALLOT_LESS, &limit), nullptr, out(count)));
  refused("`count` has no address",
          ballot_compact(gpu, 1, &source, ballot_by_bytes(in(flags)), &target, ballot_value(nullptr, BALLOT_U32)));
  refused(
      "`flags` has 10 bytes, 100 are needed",
      ballot_compact(gpu, 1, &source, ballot_by_bytes(ballot_input(flags.data(), 10, BALLOT_U8)), &target, out(count)));
  refused(
      "`flags` has 3 words, 4 are needed",
      ballot_compact(gpu, 1, &source, ballot_by_bits(ballot_input(ten.data(), 3, BALLOT_U32)), &target, out(count)));
  refused("`buckets` is 257", ballot_multisplit(gpu, in(a), 257, 1, &source, &target, out(ten)));
  refused("`offsets` has 10 items, at least 101 are needed",
          ballot_multisplit(gpu, in(a), 100, 1, &source, &target, out(ten)));
  refused("the scratch has 0 bytes", ballot_compact(ballot_on(test_stream(), nullptr, 0), 1, &source,
                                                    ballot_by_bytes(in(flags)), &target, out(count)));
  refused("exceeds the address space",
          ballot_sort_scratch_bytes(BALLOT_U64, ~u64{0} / 16, reinterpret_cast<std::size_t*>(memory.data())));
  std::size_t bytes = 0;  // none of these wraps round to a small size
  for (const u64 many : {u64{1} << 59, u64{1} << 60, u64{1} << 61, ~u64{0}}) {
    const ballot_type large = BALLOT_BYTES(1 << 20);
    refused("address space", ballot_sort_pairs_scratch_bytes(BALLOT_U32, large, many, &bytes));
    refused("address space", ballot_compact_in_place_scratch_bytes(1, &large, many, &bytes));
    refused("address space", ballot_segmented_sort_scratch_bytes(BALLOT_U64, large, many, &bytes));
  }
  for (const u64 many : {u64{1} << 61, ~u64{0}}) {
    const ballot_type small = BALLOT_BYTES(3);
    refused("address space", ballot_split_scratch_bytes(1, &small, many, &bytes));
    refused("address space", ballot_unique_by_key_scratch_bytes(BALLOT_U8, many, &bytes));
    refused("address space", ballot_multisplit_scratch_bytes(2, many, &bytes));
    refused("address space", ballot_argsort_scratch_bytes(BALLOT_U64, BALLOT_U64, many, &bytes));
  }
  refused("`bytes` is null", ballot_sort_scratch_bytes(BALLOT_U32, n, nullptr));
  refused("`accumulator` is for BALLOT_F32", ballot_batched_scan(gpu, in(a), out(b), ballot_batch{1, 10, 0, 0}, 0, 1));
  refused("its rows take 200", ballot_batched_scan(gpu, in(a), out(b), ballot_batch{2, 100, 0, 0}, 0, 0));
  refused("`segments.kind` is 4", ballot_segmented_reduce(gpu, in(a), ballot_segments_by(4, in(flags)), nullptr,
                                                          BALLOT_PLUS, out(b), out(count)));
  refused("`segments` are rows of no items",
          ballot_segmented_reduce(gpu, in(a), ballot_segments_of(0), nullptr, BALLOT_PLUS, out(b), ballot_nothing()));
  refused("`count` is for head flags",
          ballot_segmented_reduce(gpu, in(a), ballot_segments_of(10), nullptr, BALLOT_PLUS, out(ten), out(count)));
  refused("items of type BALLOT_F32 have no sum of type BALLOT_U32",
          ballot_reduce_by_key(gpu, in(a), in(x), BALLOT_PLUS, out(b), out(ten), out(count)));
  refused("`values` has 10", ballot_reduce_by_key(gpu, in(a), in(ten), BALLOT_PLUS, out(b), out(b), out(count)));
  refused("`keys_out` has 10 items, at least 50 are needed",
          ballot_top_k(gpu, in(a), 50, out(ten), ballot_nothing(), nullptr));
  refused("`k` is 4097, at most 4096",
          ballot_batched_top_k(gpu, in(a), ballot_rows_at(1, 10, 0), 4097, out(b), ballot_nothing(), nullptr));
  refused("`keys` has 100 items, at least 200",
          ballot_batched_top_k(gpu, in(a), ballot_rows_at(2, 100, 0), 1, out(b), ballot_nothing(), nullptr));
  refused("rows overlap",
          ballot_batched_top_k(gpu, in(a), ballot_rows_at(2, 10, 5), 1, out(b), ballot_nothing(), nullptr));
  refused("the digit has 32 bits", ballot_histogram(gpu, in(a), ballot_digit_bins(0, 32), out(b), ballot_nothing()));
  refused("`bins.lower` is null",
          ballot_histogram(gpu, in(a), ballot_even_bins(nullptr, &limit), out(b), ballot_nothing()));
  refused("`bins.levels` has 10", ballot_histogram(gpu, in(a), ballot_level_bins(in(ten)), out(b), ballot_nothing()));
  refused("first and second", ballot_merge(gpu, in(a), in(ten), out(b), nullptr));
  refused("`keys` are BALLOT_POSITIONS_U64, `sorted` has type BALLOT_U32",
          ballot_lower_bound(gpu, in(a), ballot_input(nullptr, 10, BALLOT_POSITIONS_U64), out(ten), nullptr));
  const guarded<i8> bytes_of_keys(1000);
  const guarded<u32> places(1000);
  refused("`keys` are 1000 positions, more than their type",
          ballot_lower_bound(gpu, in(bytes_of_keys), ballot_input(nullptr, 1000, BALLOT_POSITIONS_U32), out(places),
                             nullptr));
  refused("`in` and `indices` are both counted",
          ballot_scatter(gpu, counted(a, count), counted(b, count), out(x, BALLOT_U32), ballot_nothing()));
  CHECK(ballot_last_cuda_error() == 0);
}

TEST_CASE("mistakes of values, indices and initial values") {
  const std::size_t n = 100;
  const guarded<u32> a(n), b(n), count(1);
  const guarded<float> x(n), y(n);
  const guarded<u8> flags(n);
  const std::vector<std::byte> before(1 << 16, std::byte{0x5a});
  const guarded<std::byte> memory(before);
  const ballot_exec gpu = ballot_on(test_stream(), memory.data(), memory.size());
  const ballot_array nothing = ballot_nothing();
  refused("`values_out` has type", ballot_top_k_pairs(gpu, in(a), in(a), 5, out(b), nothing, nothing, nullptr));
  refused("`indices` has type", ballot_top_k_indices(gpu, in(a), 5, out(b), nothing, nothing, nullptr));
  const ballot_rows rows = ballot_rows_at(2, 50, 50);
  refused("`values_out` has type",
          ballot_batched_top_k_pairs(gpu, in(a), in(a), rows, 5, out(b), nothing, nothing, nullptr));
  refused("`indices` has type", ballot_batched_top_k_indices(gpu, in(a), rows, 5, out(b), nothing, nothing, nullptr));
  refused("ballot_batched_top_k_indices has them",
          ballot_batched_top_k_pairs(gpu, in(a), ballot_input(nullptr, n, BALLOT_POSITIONS_U32), rows, 5, out(b),
                                     out(b), nothing, nullptr));

  refused("overlaps", ballot_exclusive_scan_from(gpu, in(a), memory.data(), 1, BALLOT_PLUS, out(b), nullptr));
  for (const ballot_segments_kind kind : {BALLOT_HEAD_BYTES, BALLOT_SEGMENT_OFFSETS}) {
    const ballot_segments segments = ballot_segments_by(kind, kind == BALLOT_HEAD_BYTES ? in(flags) : in(count));
    refused("`op` is of bits, the items have type BALLOT_F32",
            ballot_segmented_inclusive_scan(gpu, in(x), segments, BALLOT_BIT_OR, out(y), BALLOT_FORWARD));
  }
  CHECK(memory.read() == before);  // nothing was launched
  ballot_segments segments = ballot_segments_by(BALLOT_HEAD_BYTES, in(flags));
  segments.reserved = 1;
  refused("`segments.reserved` is 1",
          ballot_segmented_inclusive_scan(gpu, in(x), segments, BALLOT_PLUS, out(y), BALLOT_FORWARD));
  refused("`segments.reserved` is 1",
          ballot_segmented_reduce(gpu, in(a), segments, nullptr, BALLOT_PLUS, out(b), out(count)));
  const guarded<u32> ten(10), ten_offsets(10);
  refused("`segments` has 10 offsets, 11 are needed for the 10 items of `out`",
          ballot_segmented_reduce(gpu, in(a), ballot_segments_by(BALLOT_SEGMENT_OFFSETS, in(ten_offsets)), nullptr,
                                  BALLOT_PLUS, out(ten), nothing));

  const ballot_array counted_items = counted(a, count), values = in(a), values_out = out(x);
  refused("`items.length`", ballot_split_in_place(gpu, 1, &counted_items, ballot_by_bytes(in(flags)),
                                                  ballot_value(count.data(), BALLOT_U32)));
  refused("`values_out` has type BALLOT_F32 (13), `values` has type BALLOT_U32",
          ballot_unique_by_key(gpu, in(a), 1, &values, out(b), &values_out, out(count)));
}

#if BALLOT_EMULATED  // a GPU's driver knows that there is no such memory
TEST_CASE("more items than 32 bits count are refused") {
  const auto at = [](u64 place) { return reinterpret_cast<void*>(place << 40); };
  const ballot_exec gpu = ballot_on(test_stream(), at(9), std::size_t{1} << 39);
  for (const bool has_sign : {false, true}) {
    const u64 n = (u64{1} << (has_sign ? 31 : 32)) + 1;
    const ballot_type index = has_sign ? BALLOT_I32 : BALLOT_U32;
    const char* const says = has_sign ? "32 bits with a sign, " : "32 bits, ";
    const ballot_array keys = ballot_input(at(1), n, BALLOT_U8), same = ballot_output(at(2), n, BALLOT_U8),
                       positions = ballot_output(at(3), n, index), count = ballot_value(at(4), index),
                       nothing = ballot_nothing();
    refused(says, ballot_argsort(gpu, keys, nothing, positions, nullptr));
    refused(says, ballot_compact_indices(gpu, keys, ballot_by_bytes(keys), positions, ballot_value(at(4), BALLOT_U64)));
    refused(says, ballot_compact(gpu, 1, &keys, ballot_by_bytes(keys), &same, count));
    refused(says, ballot_unique(gpu, keys, same, count));
    refused(says,
            ballot_run_offsets(gpu, keys, same, ballot_output(at(3), n + 1, index), ballot_value(at(4), BALLOT_U64)));
    refused(says, ballot_top_k_indices(gpu, keys, 10, nothing, ballot_output(at(3), 10, index), nothing, nullptr));
    refused(says, ballot_batched_argsort(gpu, keys, n, nothing, positions, nullptr));
  }
}
#endif

TEST_CASE("the last error is of its thread") {
  refused("`bytes` is null", ballot_sort_scratch_bytes(BALLOT_U32, 1, nullptr));
  std::string other = "?";
  std::thread([&] { other = ballot_last_error(); }).join();
  CHECK(other.empty());
}

}  // namespace errors
}  // namespace ballot::test::c
