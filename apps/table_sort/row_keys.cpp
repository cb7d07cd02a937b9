// SPDX-License-Identifier: Apache-2.0
#include "table_sort/row_keys.hpp"

#include "base/failure.hpp"
#include "base/text.hpp"
#include "table_sort/key_bits.hpp"
#include "table_sort/text_ties.hpp"
#include "tables/derived_column.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

namespace ballot::app {
namespace {

template <class F>
void for_each_row(std::uint64_t rows, const F& f) {
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, rows, 1 << 14), [&](const auto& range) {
    for (std::uint64_t row = range.begin(); row != range.end(); ++row) f(row);
  });
}

constexpr std::size_t longest_exact = 32;  // bytes of a text that keys say all of; four columns at most

// The length of what `common` shares with the texts of some rows.
std::size_t common_prefix_length(const table_column& column, std::uint64_t begin, std::uint64_t end,
                                 std::string_view common) {
  for (std::uint64_t row = begin; row < end && !common.empty(); ++row) {
    if (column.is_empty(row)) continue;
    const std::string_view text = column.texts[row];
    const std::size_t shared = std::min(common.size(), text.size());
    if (std::memcmp(common.data(), text.data(), shared) == 0) {
      common = common.substr(0, shared);
    } else {
      const auto differ = std::mismatch(common.begin(), common.begin() + std::ptrdiff_t(shared), text.begin());
      common = common.substr(0, static_cast<std::size_t>(differ.first - common.begin()));
    }
  }
  return common.size();
}

std::size_t common_prefix_length(const table_column& column) {
  const std::uint64_t rows = column.texts.size();
  std::uint64_t first = 0;
  while (first < rows && column.is_empty(first)) ++first;
  if (first == rows) return 0;
  const std::string_view common = column.texts[first];
  return tbb::parallel_reduce(
      tbb::blocked_range<std::uint64_t>(first, rows, 1 << 14), common.size(),
      [&](const auto& range, std::size_t known) {
        return known == 0 ? 0 : common_prefix_length(column, range.begin(), range.end(), common.substr(0, known));
      },
      [](std::size_t a, std::size_t b) { return std::min(a, b); });
}

}  // namespace

table_column sort_key::column_of(const table& from) const {
  if (dates) return column_of_dates(from, column, *dates);
  if (!texts.is_bytes()) return column_of_keys(from, column, texts);
  return from.column_to_compare(column, requested);
}

std::optional<table::equal_texts> sort_key::bytes_of(const table& from) const {
  if (dates || !texts.is_bytes() || requested.type) return std::nullopt;
  const auto found = from.texts_of_one_size(column);
  return found && found->bytes <= longest_exact ? found : std::nullopt;
}

sort_key parse_sort_key(const std::string& text, const table& of, direction order) {
  sort_key key;
  key.order = order;
  std::string_view rest = text;
  bool has_type = false, has_order = false;
  while (!of.has_column(rest)) {
    // A format of dates may have colons of its own.
    std::size_t colon = rest.ends_with(')') ? rest.rfind(":date(") : std::string_view::npos;
    if (colon == std::string_view::npos) colon = rest.rfind(':');
    if (colon == std::string_view::npos) break;
    const std::string_view word = rest.substr(colon + 1);
    const auto type = dtype_named(word);
    const bool is_date = word.starts_with("date(") && word.ends_with(')');
    const bool is_type = type.has_value() || word == "text" || is_date, is_order = word == "asc" || word == "desc";
    try {
      if (is_date) key.dates.emplace(word.substr(5, word.size() - 6));
      else if (!is_type && !is_order && !key.texts.take(word)) break;
    } catch (const usage_error& problem) {
      throw usage_error(fmt::format("--by {}: {}", text, problem.what()));
    }
    if ((is_type && has_type) || (is_order && has_order))
      throw usage_error(fmt::format("--by {}: '{}' contradicts the words behind it", text, word));
    if (is_type) {
      key.requested = {word == "text" || is_date, type};
      has_type = true;
    } else if (is_order) {
      key.order = word == "desc" ? direction::descending : direction::ascending;
      has_order = true;
    }
    rest = rest.substr(0, colon);
  }
  if (!of.has_column(rest)) {
    of.require_known_header();
    throw usage_error(fmt::format("--by {}: {} has no column {}: the columns are {}", text, of.name(), in_quotes(rest),
                                  of.columns_in_words()));
  }
  if (!key.texts.is_bytes()) {
    if (key.dates || key.requested.type)
      throw usage_error(fmt::format("--by {}: the order '{}' is one of texts", text, key.texts.in_words()));
    key.requested.as_text = true;
  }
  key.column = rest;
  return key;
}

std::vector<sort_key> parse_sort_keys(const table& of, const std::vector<std::string>& by, direction order) {
  std::vector<sort_key> keys;
  for (const std::string& text : by) keys.push_back(parse_sort_key(text, of, order));
  if (keys.empty() && !of.only_column().empty()) keys.push_back({of.only_column(), {}, order, true, {}, {}});
  return keys;
}

std::vector<std::string> columns_of(std::span<const sort_key> keys) {
  std::vector<std::string> names;
  for (const sort_key& key : keys) names.push_back(key.column);
  return names;
}

namespace {

// The bytes of a text that zeros fill up to the length of its field, as NumPy has it.
std::optional<std::size_t> length_of_padded(const table& from, const sort_key& key) {
  if (key.dates || !key.texts.is_bytes()) return std::nullopt;
  const auto stored = from.stored(key.column);
  if (!stored || stored->bytes > longest_exact) return std::nullopt;
  return static_cast<std::size_t>(stored->bytes);
}

}  // namespace

void row_keys::require_keys_of_parts(const table& header, std::span<const sort_key> keys) {
  for (const sort_key& key : keys) {
    const table_column column = key.column_of(header);
    if (!column.is_text || (column.fixed_length && *column.fixed_length <= longest_exact)) continue;
    if (!length_of_padded(header, key))
      throw usage_error(fmt::format(
          "{}: column {}: several processes sort by numbers, and by bytes and texts of at most {} bytes in the order "
          "of their bytes",
          header.name(), in_quotes(key.column), longest_exact));
  }
}

row_keys::row_keys(const table& from, std::span<const sort_key> keys, bool keeps_fields) : rows_(from.rows()) {
  for (const sort_key& key : keys) add(from, key, keeps_fields, false);
}

row_keys row_keys::of_part(const table& from, std::span<const sort_key> keys) {
  row_keys made;
  made.rows_ = from.rows();
  for (const sort_key& key : keys) made.add(from, key, false, true);
  return made;
}

void row_keys::add(const table& from, const sort_key& key, bool keeps_fields, bool is_of_part) {
  part p{{}, key.order, key.exact_bits};
  p.first_key = columns_.size();
  if (const auto bytes = keeps_fields ? std::nullopt : key.bytes_of(from)) {
    p.column.name = key.column;
    p.column.is_text = true;
    p.column.fixed_length = bytes->bytes;
    add_bytes(p, [bytes](std::uint64_t row) {
      return std::string_view(reinterpret_cast<const char*>(bytes->first) + row * bytes->row_bytes, bytes->bytes);
    });
  } else {
    p.column = key.column_of(from);
    const auto padded = is_of_part ? length_of_padded(from, key) : std::nullopt;
    if (!p.column.is_text) add_numbers(p);
    else if (p.column.fixed_length && *p.column.fixed_length <= longest_exact)
      add_bytes(p, [&](std::uint64_t row) { return p.column.texts[row]; });
    else if (padded) add_padded_texts(p, *padded);
    else add_texts(p);
  }
  p.key_count = columns_.size() - p.first_key;
  parts_.push_back(std::move(p));
}

void row_keys::add_flags(std::size_t of) {
  part& p = parts_[of];
  key_column column = flags_of(p);
  columns_.insert(columns_.begin() + static_cast<std::ptrdiff_t>(p.first_key), std::move(column));
  p.has_flags = true;
  ++p.key_count;
  for (std::size_t i = of + 1; i < parts_.size(); ++i) ++parts_[i].first_key;
}

key_column row_keys::flags_of(const part& p) const {
  key_column column;
  column.key_bytes = 4;
  column.keys.resize(static_cast<std::size_t>(rows_) * column.key_bytes);
  const std::span<std::uint32_t> flags = column.keys.as<std::uint32_t>();
  for_each_row(rows_, [&](std::uint64_t row) { flags[row] = p.column.is_empty(row) ? 1 : 0; });
  return column;
}

key_column& row_keys::add_keys(part&, std::size_t key_bytes) {
  key_column& column = columns_.emplace_back();
  column.key_bytes = key_bytes;
  column.keys.resize(static_cast<std::size_t>(rows_) * key_bytes);
  return column;
}

void row_keys::add_numbers(part& p) {
  visit_dtype(p.column.type, [&]<class T>(std::type_identity<T>) {
    const std::span<const T> numbers = std::as_const(p.column.numbers).as<T>();
    const auto key_of = [&](std::uint64_t row) {
      return ordered_bits(p.exact_bits ? numbers[row] : canonical(numbers[row]), p.order);
    };
    if (sizeof(T) <= 4 && p.column.empty.empty()) {
      const std::span<std::uint32_t> keys = add_keys(p, 4).keys.as<std::uint32_t>();
      for_each_row(rows_, [&](std::uint64_t row) { keys[row] = static_cast<std::uint32_t>(key_of(row)); });
      return;
    }
    key_column column = std::move(add_keys(p, 8));
    columns_.pop_back();
    const std::span<std::uint64_t> keys = column.keys.as<std::uint64_t>();
    std::atomic<bool> collides = false;
    for_each_row(rows_, [&](std::uint64_t row) {
      keys[row] = p.column.is_empty(row) ? last_key : key_of(row);
      if (keys[row] == last_key && !p.column.is_empty(row)) collides.store(true, std::memory_order_relaxed);
    });
    // A number that has the last key for itself: whether a field is empty then has to be a key of
    // its own.
    if (collides && !p.column.empty.empty()) {
      columns_.push_back(flags_of(p));
      p.has_flags = true;
    }
    columns_.push_back(std::move(column));
  });
}

template <class BytesOf>
void row_keys::add_bytes(part& p, const BytesOf& bytes_of) {
  const std::size_t length = *p.column.fixed_length;
  for (std::size_t at = 0; at < length; at += 8) {
    const std::size_t bytes = std::min<std::size_t>(8, length - at);
    const std::uint64_t flip = p.order == direction::descending ? last_key : 0;
    key_column& column = add_keys(p, bytes <= 4 ? 4 : 8);
    const std::span<std::uint64_t> words = bytes == 8 ? column.keys.as<std::uint64_t>() : std::span<std::uint64_t>();
    for_each_row(rows_, [&](std::uint64_t row) {
      const char* const from = bytes_of(row).data() + at;
      if (!words.empty()) {  // so many bytes that the compiler knows
        words[row] = big_endian_key({from, 8}) ^ flip;
        return;
      }
      const std::uint64_t key = big_endian_key({from, bytes}) ^ flip;
      if (bytes <= 4) column.keys.as<std::uint32_t>()[row] = static_cast<std::uint32_t>(key >> 32);
      else column.keys.as<std::uint64_t>()[row] = key;
    });
  }
}

void row_keys::add_texts(part& p) {
  const std::size_t skipped = p.common_prefix = common_prefix_length(p.column);
  const std::uint64_t flip = p.order == direction::descending ? last_key : 0;
  const std::span<std::uint64_t> keys = add_keys(p, 8).keys.as<std::uint64_t>();
  std::atomic<bool> is_exact = true;
  for_each_row(rows_, [&](std::uint64_t row) {
    if (p.column.is_empty(row)) {
      keys[row] = last_key;
      return;
    }
    const std::string_view rest = p.column.texts[row].substr(skipped);
    keys[row] = big_endian_key(rest) ^ flip;
    // Zeros at the end look like the end, and the last key may be an empty field's.
    if (rest.size() > 8 || rest.find('\0') != std::string_view::npos || keys[row] == last_key)
      is_exact.store(false, std::memory_order_relaxed);
  });
  p.is_exact = is_exact;
}

void row_keys::add_padded_texts(part& p, std::size_t length) {
  if (!p.column.empty.empty()) {
    columns_.push_back(flags_of(p));
    p.has_flags = true;
  }
  const std::uint64_t flip = p.order == direction::descending ? last_key : 0;
  for (std::size_t at = 0; at < length; at += sizeof(std::uint64_t)) {
    const std::span<std::uint64_t> keys = add_keys(p, 8).keys.as<std::uint64_t>();
    for_each_row(rows_, [&](std::uint64_t row) {
      const std::string_view text = p.column.texts[row];
      keys[row] = big_endian_key(text.substr(std::min(at, text.size()))) ^ flip;
    });
  }
}

bool row_keys::same_keys(std::size_t first_part, std::size_t last_part, std::uint64_t a, std::uint64_t b) const {
  const std::size_t end = parts_[last_part].first_key + parts_[last_part].key_count;
  for (std::size_t k = parts_[first_part].first_key; k < end; ++k)
    if (columns_[k][a] != columns_[k][b]) return false;
  return true;
}

int row_keys::compare_from(std::size_t first_part, std::uint64_t a, std::uint64_t b) const {
  for (std::size_t i = first_part; i < parts_.size(); ++i) {
    const part& p = parts_[i];
    for (std::size_t k = p.first_key; k < p.first_key + p.key_count; ++k)
      if (columns_[k][a] != columns_[k][b]) return columns_[k][a] < columns_[k][b] ? -1 : 1;
    if (p.is_exact) continue;
    if (p.column.is_empty(a) != p.column.is_empty(b)) return p.column.is_empty(a) ? 1 : -1;
    const int order = p.column.texts[a].compare(p.column.texts[b]);
    if (order != 0) return (order < 0) == (p.order == direction::ascending) ? -1 : 1;
  }
  return 0;
}

bool row_keys::break_ties(std::span<std::uint64_t> rows, std::span<std::uint8_t> repeats) const {
  std::size_t text = 0;
  while (text < parts_.size() && parts_[text].is_exact) ++text;
  if (text == parts_.size()) return false;
  const bool sees_repeats = !repeats.empty() && text + 1 == parts_.size();
  const auto before_in_rest = [this, text](std::uint64_t a, std::uint64_t b) {
    const int order = compare_from(text + 1, a, b);
    return order != 0 ? order < 0 : a < b;
  };
  const text_ties::finisher sort_rest = [&](std::span<std::uint64_t> equal) {
    if (!std::is_sorted(equal.begin(), equal.end(), before_in_rest))
      tbb::parallel_sort(equal.begin(), equal.end(), before_in_rest);
    if (sees_repeats)
      std::fill_n(repeats.begin() + (equal.data() - rows.data()) + 1, equal.size() - 1, std::uint8_t{1});
  };
  const text_ties ties(parts_[text], sort_rest);
  // Runs of rows that agree up to the text's first bytes. The thread that finds the beginning of a
  // run has all of it.
  constexpr std::size_t rows_at_a_time = std::size_t{1} << 14;
  const auto agree = [&](std::size_t i) { return same_keys(0, text, rows[i - 1], rows[i]); };
  std::vector<std::vector<std::span<std::uint64_t>>> found(rows.size() / rows_at_a_time + 1);
  tbb::parallel_for(std::size_t{0}, found.size(), [&](std::size_t piece) {
    const std::size_t end = std::min(rows.size(), (piece + 1) * rows_at_a_time);
    std::size_t begin = piece * rows_at_a_time;
    while (begin != 0 && begin < end && agree(begin)) ++begin;
    while (begin < end) {
      std::size_t run_end = begin + 1;
      while (run_end < rows.size() && agree(run_end)) ++run_end;
      if (run_end - begin > 1) found[piece].push_back(rows.subspan(begin, run_end - begin));
      begin = run_end;
    }
  });
  tbb::parallel_for(std::size_t{0}, found.size(), [&](std::size_t piece) {
    for (const auto run : found[piece]) ties.sort(run, parts_[text].common_prefix);
  });
  return sees_repeats;
}

}  // namespace ballot::app
