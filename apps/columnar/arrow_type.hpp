// SPDX-License-Identifier: Apache-2.0
// The types of Arrow's columns, as the C data interface writes them, and what they are here.
//
//     c C s S i I l L   integers       e f g        floats of 16, 32, 64 bits     b   booleans, bits
//     u U vu  z Z vz    texts, bytes   w:N          bytes of a fixed length       n   nothing but nulls
//     d:P,S[,BITS]      decimals       tdD tdm      dates                         ts tt tD ti   times
//     +...              nested: lists, structures, maps, unions, run ends
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/dtype.hpp"
#include "columnar/c_data.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

enum class arrow_kind : std::uint8_t {
  nothing,
  boolean,
  number,
  half,
  decimal,
  text,
  bytes,
  fixed_bytes,
  date,     // days or milliseconds
  time,     // of a day
  instant,  // timestamp
  duration,
  interval,  // not read
  nested
};

// How an array of texts stores their ends.
enum class arrow_ends : std::uint8_t { none, of_32_bits, of_64_bits, views };

struct arrow_type {
  arrow_kind kind = arrow_kind::nothing;
  std::string format;                  // as it is written: views are written as texts with ends
  arrow_ends ends = arrow_ends::none;  // of an array that is read
  std::uint64_t item_bytes = 0;        // of a value in a row; of a text of its end
  std::optional<dtype> number;         // the type of its numbers: also of times
  char unit = 0;                       // of times: s, m, u, n; of dates D, m
  std::string zone;                    // of instants
  int precision = 0, scale = 0;        // of decimals

  bool is_variable() const { return ends != arrow_ends::none; }
  bool is_time() const {
    return kind == arrow_kind::date || kind == arrow_kind::time || kind == arrow_kind::instant ||
           kind == arrow_kind::duration;
  }
  bool is_text() const {
    return kind == arrow_kind::text || kind == arrow_kind::bytes || kind == arrow_kind::fixed_bytes;
  }
  std::string in_words() const;  // "timestamp[us, UTC]"
  std::int64_t units_a_second() const {
    return unit == 's' ? 1 : unit == 'm' ? 1000 : unit == 'u' ? 1000000 : 1000000000;
  }
};

arrow_type arrow_type_of(const ArrowSchema& schema);  // of the values, where there is a dictionary

struct arrow_column {
  std::string name;
  arrow_type type;
  std::string indices{};   // the type of the indices of a dictionary; empty: there is none
  std::string metadata{};  // as the C data interface has it
  std::string what{};      // its type in words, also where it is nested
  bool is_nullable = true;
};

struct arrow_schema {
  std::vector<arrow_column> columns;
  std::string metadata;
};

arrow_schema read_arrow_schema(const ArrowSchema& from);
// Makes a schema of these columns. The caller releases it.
void make_arrow_schema(const arrow_schema& from, ArrowSchema& to);

// The type of numbers: "<f8" is "g".
std::string arrow_format_of(dtype type);

}  // namespace ballot::app
