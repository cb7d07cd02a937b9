// SPDX-License-Identifier: Apache-2.0
// Random arguments of the C library's calls: memory in regions, and arrays, options and counts that
// mostly could be right.
#pragma once

#include <ballot/core/namespace.hpp>

#include "c/support.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace ballot::test::c {

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
  // The regions that were written between two calls.
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
    sort_ = {rarely() ? random_() % 50 : sizeof(sort_),
             choice(2),
             choice(3),
             rarely(4) ? choice(20) : 0,
             rarely(4) ? choice(70) : 0,
             choice(2),
             rarely() ? 1 : 0};
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

}  // namespace ballot::test::c
