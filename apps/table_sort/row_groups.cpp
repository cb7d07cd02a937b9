// SPDX-License-Identifier: Apache-2.0
#include "table_sort/row_groups.hpp"

#include "base/failure.hpp"
#include "table_sort/verify_table.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>

namespace ballot::app {
namespace {

constexpr std::size_t written_at_once = std::size_t{4} << 20;

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

// A byte for each row: whether it begins a group.
template <class Equal>
std::vector<std::uint8_t> beginnings(std::uint64_t rows, const Equal& equal) {
  std::vector<std::uint8_t> begins(static_cast<std::size_t>(rows), 1);
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(1, std::max<std::uint64_t>(rows, 1), 4096),
                    [&](const auto& range) {
                      for (std::uint64_t row = range.begin(); row != range.end(); ++row)
                        begins[row] = !equal(row - 1, row);
                    });
  return begins;
}

}  // namespace

void row_groups::check(const row_keys& keys, std::span<const std::uint8_t> begins) const {
  for (std::uint64_t row = 1; row < begins.size(); ++row)
    if (rows_are_equal(keys.parts(), row - 1, row) == (begins[row] != 0))
      throw_verification_failure(fmt::format("row {} of the sorted ones is counted with the wrong group", rows_ + row));
}

void row_groups::add(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  scoped_phase computing(clock_, phase::compute);
  const auto rows = header_.without_rows(0);
  const bool goes_on = pending_ != 0;
  rows->buffer().append(first_.bytes());
  rows->buffer().append(bytes);
  batch_room room;
  rows->find_rows(true, room);
  std::vector<std::uint8_t> begins;
  if (by_.keys.empty()) {
    begins = beginnings(rows->rows(),
                        [&](std::uint64_t a, std::uint64_t b) { return same_bytes(rows->row(a), rows->row(b)); });
  } else {
    const row_keys keys(*rows, by_.keys);
    begins = beginnings(rows->rows(), [&](std::uint64_t a, std::uint64_t b) { return keys.equal(a, b); });
    if (by_.verify) check(keys, begins);
  }
  rows_ += rows->rows() - goes_on;
  std::uint64_t begin = 0, count = goes_on ? pending_ : 1;
  for (std::uint64_t row = 1; row < rows->rows(); ++row) {
    if (begins[row] == 0) {
      ++count;
      continue;
    }
    emit(rows->row(begin), count);
    begin = row;
    count = 1;
  }
  const auto last = rows->row(begin);
  host_buffer first;
  first.append(last);
  first_ = std::move(first);
  pending_ = count;
}

void row_groups::emit(std::span<const std::byte> row, std::uint64_t count) {
  counted_ += count;
  if (written_ == by_.most) return;
  header_.append_counted(row, count, out_);
  ++written_;
  if (out_.size() >= written_at_once) write();
}

void row_groups::write() {
  scoped_phase writing(clock_, phase::write);
  write_(out_.bytes());
  out_.resize(0);
}

std::uint64_t row_groups::finish() {
  if (pending_ != 0) emit(first_.bytes(), pending_);
  write();
  if (counted_ != rows_)
    throw_verification_failure(
        fmt::format("the counts of the groups are {} together, and there were {} rows", counted_, rows_));
  return written_;
}

void grouped_output::begin(output_file& to) {
  if (conversion_ != nullptr) {
    counted_ = header_.counted_table();
    converted_.emplace(*conversion_, *source_, *counted_, directory_, to);
  } else if (!waits_) {
    const std::string front = header_.counted_header(0);
    to.write(std::as_bytes(std::span(front)));
  } else if (!directory_.empty()) {
    kept_.emplace(directory_);
  }
}

void grouped_output::write(std::span<const std::byte> rows, output_file& to) {
  if (converted_) converted_->add(rows);
  else if (!waits_) to.write(rows);
  else if (kept_) kept_->append(rows);
  else kept_in_memory_.append(rows);
}

void grouped_output::finish(std::uint64_t groups, output_file& to) {
  if (converted_) converted_->finish();
  if (waits_) {
    const std::string front = header_.counted_header(groups);
    to.write(std::as_bytes(std::span(front)));
    to.write(kept_in_memory_.bytes());
  }
  if (kept_) {
    std::vector<std::byte> batch(std::size_t{64} << 10);
    for (std::uint64_t at = 0; at < kept_->size(); at += batch.size()) {
      batch.resize(static_cast<std::size_t>(std::min<std::uint64_t>(batch.size(), kept_->size() - at)));
      kept_->read(at, batch);
      to.write(batch);
    }
  }
  to.commit();
}

void settle_types(std::vector<sort_key>& keys, const table& of) {
  std::vector<column_type> types;
  for (const sort_key& key : keys) types.push_back(key.is_inferred() ? key.column_of(of) : column_type{});
  settle_types(keys, types);
}

void settle_types(std::vector<sort_key>& keys, std::span<const column_type> types) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!keys[i].is_inferred() || !types[i].is_inferred) continue;
    const bool is_text = types[i].is_text;
    keys[i].requested = {is_text, is_text ? std::nullopt : std::optional(types[i].type)};
  }
}

}  // namespace ballot::app
