// SPDX-License-Identifier: Apache-2.0
// What the C library refuses: each kind of mistake with its message; and calls with random arguments, which end with a
// status, write nothing if they are refused, and never write outside of their outputs.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/support.hpp"

#include <functional>
#include <set>
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

TEST_CASE("the last error is of its thread") {
  refused("`bytes` is null", ballot_sort_scratch_bytes(BALLOT_U32, 1, nullptr));
  std::string other = "?";
  std::thread([&] { other = ballot_last_error(); }).join();
  CHECK(other.empty());
}

// ---- random arguments ----

class regions {
 public:
  static constexpr std::size_t bytes = 4096, count = 12;
  explicit regions(std::mt19937_64& random) : random_(random), memory_(bytes * count / 8) {
    std::vector<u64> words(memory_.size());
    for (u64& word : words) word = random() % 5;
    memory_.write(words);
    before_ = memory_.read();
  }
  unsigned char* at(std::size_t region) const {
    return reinterpret_cast<unsigned char*>(memory_.data()) + region * bytes;
  }
  // A region of its own most of the time; else any, so that arguments overlap.
  unsigned char* next() {
    if (random_() % 30 == 0) return nullptr;
    const std::size_t region = random_() % 12 == 0 ? random_() % count : next_++ % count;
    return at(region) + (random_() % 15 == 0 ? random_() % 17 : 0);
  }
  // What is written between two calls.
  std::set<std::size_t> changed() const {
    const auto now = memory_.read();
    std::set<std::size_t> found;
    for (std::size_t i = 0; i < now.size(); ++i)
      if (now[i] != before_[i]) found.insert(i * 8 / bytes);
    return found;
  }
  std::size_t region_of(const void* p) const {
    return static_cast<std::size_t>(static_cast<const unsigned char*>(p) - at(0)) / bytes;
  }

 private:
  std::mt19937_64& random_;
  guarded<u64> memory_;
  std::vector<u64> before_;
  std::size_t next_ = 0;
};

// Draws the arguments of a call, mostly such that it could be right.
class draw {
 public:
  draw(std::mt19937_64& random, regions& memory) : random_(random), memory_(memory) {
    n_ = random_() % 4 == 0 ? random_() % 3 : random_() % 100;
    type_ = type();
  }
  bool rarely(unsigned often = 20) { return random_() % often == 0; }
  ballot_type type() {
    if (rarely(10)) return static_cast<ballot_type>(random_() % 24) - 3;
    if (rarely(10)) return BALLOT_BYTES(static_cast<ballot_type>(random_() % 40));
    constexpr ballot_type some[] = {BALLOT_I8,  BALLOT_U16, BALLOT_I32, BALLOT_U32, BALLOT_U32,
                                    BALLOT_F32, BALLOT_F64, BALLOT_I64, BALLOT_F16, BALLOT_I128};
    return some[random_() % 10];
  }
  ballot_type main_type() { return rarely() ? type() : type_; }
  ballot_type count_type() {
    constexpr ballot_type some[] = {BALLOT_I32, BALLOT_U32, BALLOT_I64, BALLOT_U64};
    return rarely(40) ? type() : some[random_() % 4];
  }
  u64 length() { return rarely() ? random_() % 100 : n_; }
  ballot_array array(ballot_type type, bool written = false) {
    ballot_array a = ballot_input(memory_.next(), length(), type);
    if (!written && rarely(8)) {
      a.count = memory_.next();
      a.count_type = count_type();
    }
    if (written && a.data != nullptr) written_.insert(memory_.region_of(a.data));
    return a;
  }
  ballot_array in() { return array(main_type()); }
  ballot_array out() { return array(main_type(), true); }
  ballot_array in_place() {
    ballot_array a = array(main_type());
    if (a.data != nullptr) written_.insert(memory_.region_of(a.data));
    return a;
  }
  ballot_array counts(u64 least = 0) {
    ballot_array a = array(count_type(), true);
    if (!rarely()) a.length = n_ + least;
    return a;
  }
  ballot_array offsets() { return array(count_type()); }
  ballot_selector select() {
    ballot_selector s = ballot_by_bytes(ballot_nothing());
    s.kind = static_cast<ballot_selector_kind>(random_() % (rarely() ? 5 : 3));
    if (s.kind == BALLOT_BY_BYTES) s.array = array(rarely() ? type() : BALLOT_U8);
    if (s.kind == BALLOT_BY_BITS) s.array = array(rarely() ? type() : BALLOT_U32);
    if (s.kind == BALLOT_BY_COMPARISON && rarely(3)) s.array = array(type());
    if (!rarely(4)) s.array.count = nullptr;
    s.compare = static_cast<ballot_comparison>(random_() % (rarely() ? 9 : 6));
    s.value_on_device = rarely(3);
    s.value = s.value_on_device != 0 ? static_cast<const void*>(memory_.next()) : host_;
    if (rarely()) s.value = nullptr;
    s.invert = rarely(3);
    return s;
  }
  std::int32_t choice(unsigned choices) {
    return static_cast<std::int32_t>(random_() % (rarely() ? choices + 3 : choices)) - (rarely(60) ? 1 : 0);
  }
  // Mostly a divisor of the length.
  u64 row() {
    const u64 parts = 1 + random_() % 5;
    return rarely() ? random_() % 7 : n_ % parts == 0 ? n_ / parts : n_;
  }
  const ballot_sort_options* sort_options() {
    if (rarely(3)) return nullptr;
    sort_ = {rarely() ? random_() % 50 : sizeof(sort_), choice(2), choice(3), rarely(4) ? choice(20) : 0,
             rarely(4) ? choice(70) : 0, choice(2), rarely() ? 1 : 0};
    return &sort_;
  }
  const ballot_scan_options* scan_options() {
    if (rarely(3)) return nullptr;
    void* const total = rarely(3) ? memory_.next() : nullptr;
    if (total != nullptr) written_.insert(memory_.region_of(total));
    scan_ = {rarely() ? random_() % 50 : sizeof(scan_), total, choice(2), choice(2)};
    return &scan_;
  }
  ballot_segments segments() {
    const ballot_segments_kind kind = choice(4);
    if (kind == BALLOT_SEGMENT_ROWS) return ballot_segments_of(random_() % (rarely() ? 2 : 9));
    ballot_array array = kind == BALLOT_SEGMENT_OFFSETS
                             ? this->array(count_type())
                             : this->array(kind == BALLOT_HEAD_BITS ? BALLOT_U32 : BALLOT_U8);
    if (kind != BALLOT_SEGMENT_OFFSETS && !rarely()) array.count = nullptr;
    return ballot_segments_by(kind, array);
  }
  // As many results as there are segments.
  ballot_array results(const ballot_segments& s, ballot_type type) {
    ballot_array a = array(type, true);
    if (rarely()) return a;
    if (s.kind == BALLOT_SEGMENT_OFFSETS) a.length = s.array.length == 0 ? 0 : s.array.length - 1;
    if (s.kind == BALLOT_SEGMENT_ROWS && s.array.length != 0) a.length = (n_ + s.array.length - 1) / s.array.length;
    return a;
  }
  ballot_array count_of(const ballot_segments& s) {
    const bool by_flags = s.kind == BALLOT_HEAD_BYTES || s.kind == BALLOT_HEAD_BITS;
    return by_flags != rarely() ? counts(1) : ballot_nothing();
  }
  u64 k() { return rarely(4) ? random_() % 5000 : random_() % 8; }
  ballot_array room_for(u64 items, ballot_type type) {
    ballot_array a = array(type, true);
    if (!rarely()) a.length = items;
    return a;
  }
  ballot_rows rows() {
    if (rarely(3)) return ballot_rows_by(offsets());
    const u64 rows = random_() % 6;
    ballot_rows r = ballot_rows_at(rows, rows == 0 ? n_ : n_ / rows, rarely(3) ? random_() % 20 : 0);
    if (rarely(3)) r.lengths = array(count_type());
    if (!rarely(8)) r.lengths.count = nullptr;
    return r;
  }
  ballot_bins bins() {
    ballot_bins b = ballot_even_bins(host(), host_ + 16);
    b.kind = choice(3);
    b.low_bit = choice(12);
    b.bits = choice(12);
    if (b.kind == BALLOT_BINS_LEVELS) {
      b.levels = array(main_type());
      b.levels.length = n_ + (rarely() ? 0 : 1);
      if (!rarely()) b.levels.count = nullptr;
    }
    b.reserved = rarely(40) ? 1 : 0;
    return b;
  }
  const ballot_top_k_options* top_k_options() {
    if (rarely(3)) return nullptr;
    top_k_ = {rarely() ? random_() % 50 : sizeof(top_k_), choice(2), choice(3), choice(2), rarely(40) ? 1 : 0};
    return &top_k_;
  }
  const ballot_order_options* order_options() {
    if (rarely(3)) return nullptr;
    order_ = {rarely() ? random_() % 50 : sizeof(order_), choice(2), choice(3)};
    return &order_;
  }
  const void* address() { return memory_.next(); }
  void* result() {
    void* const at = memory_.next();
    if (at != nullptr) written_.insert(memory_.region_of(at));
    return at;
  }
  const void* host() { return rarely(3) ? nullptr : host_; }
  u64 n() const { return n_; }
  const std::set<std::size_t>& written() const { return written_; }

 private:
  std::mt19937_64& random_;
  regions& memory_;
  u64 n_;
  ballot_type type_;
  std::set<std::size_t> written_;
  ballot_sort_options sort_{};
  ballot_scan_options scan_{};
  ballot_top_k_options top_k_{};
  ballot_order_options order_{};
  alignas(16) unsigned char host_[64] = {2};
};

using fuzzed = std::function<ballot_status(draw&, ballot_exec)>;

struct columns_of {
  ballot_array in[3], out[3], more[3];
  std::int32_t count;
  explicit columns_of(draw& d, bool two = false) : in{}, out{}, more{}, count(d.rarely(4) ? d.choice(3) : 1) {
    for (int c = 0; c < 3; ++c) {
      in[c] = c == 0 ? d.in() : d.array(d.type());
      if (c != 0 && !d.rarely()) in[c].count = nullptr;
      out[c] = d.array(in[c].type, true);
      if (two) more[c] = d.array(in[c].type, true);
    }
  }
};

const std::vector<std::pair<const char*, fuzzed>>& calls() {
  static const std::vector<std::pair<const char*, fuzzed>> all{
      {"inclusive_scan",
       [](draw& d, ballot_exec gpu) {
         return ballot_inclusive_scan(gpu, d.in(), d.choice(6), d.out(), d.scan_options());
       }},
      {"exclusive_scan",
       [](draw& d, ballot_exec gpu) {
         return ballot_exclusive_scan(gpu, d.in(), d.host(), d.choice(6), d.out(), d.scan_options());
       }},
      {"exclusive_scan_from",
       [](draw& d, ballot_exec gpu) {
         const bool on_device = d.rarely(2);
         const void* const initial = on_device ? d.address() : d.host();
         return ballot_exclusive_scan_from(gpu, d.in(), initial, on_device, d.choice(6), d.out(), d.scan_options());
       }},
      {"inclusive_scan_from",
       [](draw& d, ballot_exec gpu) {
         return ballot_inclusive_scan_from(gpu, d.in(), d.host(), 0, d.choice(6), d.out(), d.scan_options());
       }},
      {"counts_to_offsets",
       [](draw& d, ballot_exec gpu) { return ballot_counts_to_offsets(gpu, d.in(), d.counts(1)); }},
      {"inclusive_scan_flags",
       [](draw& d, ballot_exec gpu) {
         return ballot_inclusive_scan_flags(gpu, d.array(BALLOT_U8), d.counts(), d.scan_options());
       }},
      {"segmented_inclusive_scan",
       [](draw& d, ballot_exec gpu) {
         const ballot_segments_kind kind = d.choice(3);
         const ballot_array array =
             kind == BALLOT_SEGMENT_OFFSETS ? d.offsets() : d.array(kind == BALLOT_HEAD_BITS ? BALLOT_U32 : BALLOT_U8);
         return ballot_segmented_inclusive_scan(gpu, d.in(), ballot_segments_by(kind, array), d.choice(6), d.out(),
                                                d.choice(2));
       }},
      {"batched_scan",
       [](draw& d, ballot_exec gpu) {
         const u64 rows = static_cast<u64>(d.choice(5) + 1);
         const u64 width = rows == 0 ? 3 : d.n() / rows;
         return ballot_batched_scan(gpu, d.in(), d.out(), ballot_batch{rows, width, d.rarely(4) ? d.n() : 0, 0},
                                    d.choice(3), d.rarely(3) ? d.choice(3) : 0);
       }},
      {"reduce", [](draw& d, ballot_exec gpu) { return ballot_reduce(gpu, d.in(), d.host(), d.choice(6), d.out()); }},
      {"arg_min", [](draw& d, ballot_exec gpu) { return ballot_arg_min(gpu, d.in(), d.result()); }},
      {"compact",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         return ballot_compact(gpu, c.count, c.in, d.select(), c.out, d.counts(1));
       }},
      {"compact_in_place",
       [](draw& d, ballot_exec gpu) {
         const ballot_array items[] = {d.in_place()};
         return ballot_compact_in_place(gpu, 1, items, d.select(), d.counts(1));
       }},
      {"split",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         return ballot_split(gpu, c.count, c.in, d.select(), c.out, d.counts(1));
       }},
      {"split_in_two",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d, true);
         return ballot_split_in_two(gpu, c.count, c.in, d.select(), c.out, c.more, d.counts(1));
       }},
      {"compact_indices",
       [](draw& d, ballot_exec gpu) {
         return ballot_compact_indices(gpu, d.in(), d.select(), d.counts(), d.counts(1));
       }},
      {"count_if", [](draw& d, ballot_exec gpu) { return ballot_count_if(gpu, d.in(), d.select(), d.counts(1)); }},
      {"flag_bits",
       [](draw& d, ballot_exec gpu) { return ballot_flag_bits(gpu, d.in(), d.select(), d.array(BALLOT_U32, true)); }},
      {"multisplit",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         const auto buckets = static_cast<u32>(d.choice(90));
         return ballot_multisplit(gpu, d.array(BALLOT_U8), buckets, c.count, c.in, c.out, d.counts(1));
       }},
      {"unique", [](draw& d, ballot_exec gpu) { return ballot_unique(gpu, d.in(), d.out(), d.counts(1)); }},
      {"unique_by_key",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         return ballot_unique_by_key(gpu, d.in(), c.count, c.in, d.out(), c.out, d.counts(1));
       }},
      {"run_offsets",
       [](draw& d, ballot_exec gpu) { return ballot_run_offsets(gpu, d.in(), d.out(), d.counts(1), d.counts(1)); }},
      {"run_length_encode",
       [](draw& d, ballot_exec gpu) {
         return ballot_run_length_encode(gpu, d.in(), d.out(), d.counts(), d.counts(1));
       }},
      {"sort", [](draw& d, ballot_exec gpu) { return ballot_sort(gpu, d.in(), d.out(), d.sort_options()); }},
      {"sort_in_place",
       [](draw& d, ballot_exec gpu) { return ballot_sort_in_place(gpu, d.in_place(), d.sort_options()); }},
      {"sort_pairs",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         return ballot_sort_pairs(gpu, c.in[0], c.in[1], c.out[0], c.out[1], d.sort_options());
       }},
      {"argsort",
       [](draw& d, ballot_exec gpu) {
         return ballot_argsort(gpu, d.in(), d.rarely(2) ? d.out() : ballot_nothing(), d.counts(), d.sort_options());
       }},
      {"segmented_sort",
       [](draw& d, ballot_exec gpu) {
         return ballot_segmented_sort(gpu, d.in(), d.offsets(), d.out(), d.sort_options());
       }},
      {"segmented_sort_pairs",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         return ballot_segmented_sort_pairs(gpu, c.in[0], c.in[1], d.offsets(), c.out[0], c.out[1], d.sort_options());
       }},
      {"segmented_argsort",
       [](draw& d, ballot_exec gpu) {
         return ballot_segmented_argsort(gpu, d.in(), d.offsets(), d.rarely(2) ? d.out() : ballot_nothing(), d.counts(),
                                         d.sort_options());
       }},
      {"batched_sort",
       [](draw& d, ballot_exec gpu) { return ballot_batched_sort(gpu, d.in(), d.row(), d.out(), d.sort_options()); }},
      {"batched_sort_pairs",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         return ballot_batched_sort_pairs(gpu, c.in[0], c.in[1], d.row(), c.out[0], c.out[1], d.sort_options());
       }},
      {"batched_argsort",
       [](draw& d, ballot_exec gpu) {
         return ballot_batched_argsort(gpu, d.in(), d.row(), d.rarely(2) ? d.out() : ballot_nothing(), d.counts(),
                                       d.sort_options());
       }},
      {"segmented_reduce",
       [](draw& d, ballot_exec gpu) {
         const ballot_segments segments = d.segments();
         return ballot_segmented_reduce(gpu, d.in(), segments, d.host(), d.choice(6),
                                        d.results(segments, d.main_type()), d.count_of(segments));
       }},
      {"segmented_arg_max",
       [](draw& d, ballot_exec gpu) {
         const ballot_segments segments = d.segments();
         return ballot_segmented_arg_max(gpu, d.in(), segments,
                                         d.results(segments, d.rarely() ? d.type() : BALLOT_BYTES(16)),
                                         d.count_of(segments));
       }},
      {"reduce_by_key",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         return ballot_reduce_by_key(gpu, c.in[0], c.in[1], d.choice(6), c.out[0], c.out[1], d.counts(1));
       }},
      {"top_k",
       [](draw& d, ballot_exec gpu) {
         const u64 k = d.k();
         return ballot_top_k(gpu, d.in(), k, d.room_for(k, d.main_type()), d.rarely(3) ? ballot_nothing() : d.counts(1),
                             d.top_k_options());
       }},
      {"top_k_pairs",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         return ballot_top_k_pairs(gpu, c.in[0], c.in[1], d.k(), c.out[0], c.out[1], d.counts(1), d.top_k_options());
       }},
      {"top_k_indices",
       [](draw& d, ballot_exec gpu) {
         const u64 k = d.k();
         return ballot_top_k_indices(gpu, d.in(), k, d.rarely(2) ? d.out() : ballot_nothing(),
                                     d.room_for(k, d.count_type()), d.counts(1), d.top_k_options());
       }},
      {"batched_top_k",
       [](draw& d, ballot_exec gpu) {
         const ballot_rows rows = d.rows();
         const u64 k = d.k();
         return ballot_batched_top_k(gpu, d.in(), rows, k, d.room_for(rows.rows * k, d.main_type()),
                                     d.rarely(3) ? ballot_nothing() : d.counts(1), d.top_k_options());
       }},
      {"batched_top_k_pairs",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         const ballot_rows rows = d.rows();
         const u64 k = d.k() % 8;
         c.out[0].length = c.out[1].length = rows.rows * k;
         return ballot_batched_top_k_pairs(gpu, c.in[0], c.in[1], rows, k, c.out[0], c.out[1], ballot_nothing(),
                                           d.top_k_options());
       }},
      {"batched_top_k_indices",
       [](draw& d, ballot_exec gpu) {
         const ballot_rows rows = d.rows();
         const u64 k = d.k();
         return ballot_batched_top_k_indices(gpu, d.in(), rows, k, d.rarely(2) ? d.out() : ballot_nothing(),
                                             d.room_for(rows.rows * k, d.count_type()), d.counts(1), d.top_k_options());
       }},
      {"histogram",
       [](draw& d, ballot_exec gpu) {
         return ballot_histogram(gpu, d.in(), d.bins(), d.counts(), d.rarely(2) ? d.counts(1) : ballot_nothing());
       }},
      {"merge",
       [](draw& d, ballot_exec gpu) {
         const ballot_array first = d.in(), second = d.in();
         return ballot_merge(gpu, first, second, d.room_for(first.length + second.length, d.main_type()),
                             d.order_options());
       }},
      {"merge_pairs",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d), e(d);
         c.out[0].length = c.in[0].length + e.in[0].length;
         c.out[1].length = c.in[0].length + e.in[0].length;
         if (!d.rarely()) e.in[1].type = c.in[1].type;
         return ballot_merge_pairs(gpu, c.in[0], c.in[1], e.in[0], e.in[1], c.out[0], c.out[1], d.order_options());
       }},
      {"lower_bound",
       [](draw& d, ballot_exec gpu) {
         const ballot_array sorted = d.in();
         const ballot_array keys = d.rarely(4) ? d.array(BALLOT_POSITIONS_U32) : d.in();
         return ballot_lower_bound(gpu, sorted, keys, d.counts(), d.order_options());
       }},
      {"is_sorted",
       [](draw& d, ballot_exec gpu) { return ballot_is_sorted(gpu, d.in(), d.counts(1), d.order_options()); }},
      {"is_sorted_until",
       [](draw& d, ballot_exec gpu) { return ballot_is_sorted_until(gpu, d.in(), d.counts(1), d.order_options()); }},
      {"gather",
       [](draw& d, ballot_exec gpu) {
         return ballot_gather(gpu, d.in(), d.offsets(), d.out(), d.rarely(2) ? d.counts(1) : ballot_nothing());
       }},
      {"scatter",
       [](draw& d, ballot_exec gpu) {
         return ballot_scatter(gpu, d.in(), d.offsets(), d.out(), d.rarely(2) ? d.counts(1) : ballot_nothing());
       }},
  };
  return all;
}

TEST_CASE("random arguments") {
  const guarded<std::byte> scratch(1 << 20);
  for (const auto& [name, call] : calls()) {
    CAPTURE(name);
    int accepted = 0, refusals = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 random(seed);
      regions memory(random);
      draw d(random, memory);
      const std::size_t size = d.rarely() ? random() % 300 : scratch.size();
      const ballot_status status = call(d, ballot_on(test_stream(), d.rarely(60) ? nullptr : scratch.data(), size));
      REQUIRE((status == BALLOT_OK || status == BALLOT_INVALID_ARGUMENT));
      const auto changed = memory.changed();
      if (status != BALLOT_OK) {
        ++refusals;
        REQUIRE(std::strlen(ballot_last_error()) > 10);
        REQUIRE_MESSAGE(changed.empty(), ballot_last_error());
      } else {
        ++accepted;
        for (const std::size_t region : changed)
          REQUIRE_MESSAGE(d.written().count(region) + d.written().count(region - 1) != 0, "region " << region);
      }
    }
    CHECK_MESSAGE(accepted > 8, name << ": " << accepted);
    CHECK_MESSAGE(refusals > 8, name << ": " << refusals);
  }
}

}  // namespace errors
}  // namespace ballot::test::c
