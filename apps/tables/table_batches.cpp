// SPDX-License-Identifier: Apache-2.0
#include "tables/table_batches.hpp"

#include "base/failure.hpp"
#include "base/parallel_chunks.hpp"
#include "tables/field_ends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

namespace ballot::app {
namespace {

constexpr std::size_t largest_chunk = std::size_t{8} << 20, chunk_without_limits = std::size_t{8} << 20;

std::uint64_t line_ends_in(std::span<const std::byte> bytes) {
  std::atomic<std::uint64_t> all = 0;
  for_each_chunk(bytes.size(), chunking_for_cores(16), [&](std::size_t begin, std::size_t size) {
    const auto part = bytes.subspan(begin, size);
    all += count_line_feeds_and_quotes({reinterpret_cast<const char*>(part.data()), part.size()}).line_feeds;
  });
  return all;
}

}  // namespace

std::size_t batch_limits::chunk() const {
  if (bytes == unlimited) return chunk_without_limits;
  return static_cast<std::size_t>(std::min<std::uint64_t>({bytes / 32, largest_chunk, enough}));
}

table_batch_reader::table_batch_reader(const file_table& header, byte_reader read, const batch_limits& limits,
                                       read_listener listener)
    : header_(&header),
      read_(std::move(read)),
      listener_(std::move(listener)),
      limits_(limits),
      chunk_bytes_(limits.chunk()) {
  const std::string before = header.header(0);
  line_ends_ = line_ends_in(std::as_bytes(std::span(before)));
}

table_batch_reader::table_batch_reader(const file_table& header, input_file& file, const batch_limits& limits,
                                       read_listener listener)
    : table_batch_reader(
          header, [&file](std::span<std::byte> into) { return file.read(into); }, limits, std::move(listener)) {
  is_source_ = true;
  if (!file.remaining()) return;
  header.check_length(*file.remaining());
  if (limits.bytes == batch_limits::unlimited) chunk_bytes_ = static_cast<std::size_t>(*file.remaining()) + 1;
}

void table_batch_reader::set_limits(const batch_limits& limits) {
  if (limits_.bytes != limits.bytes) rows_of_last_ = 0;
  limits_ = limits;
  chunk_bytes_ = limits.chunk();
}

void table_batch_reader::read_into(file_table& batch) {
  host_buffer& bytes = batch.buffer();
  const std::size_t before = bytes.size();
  bytes.resize(before + chunk_bytes_);
  const std::size_t got = read_(bytes.bytes().subspan(before));
  bytes.resize(before + got);
  bytes_read_ += got;
  if (listener_) listener_(got);
  input_ended_ = got < chunk_bytes_;
  if (input_ended_ && is_source_) header_->check_length(bytes_read_);
}

std::unique_ptr<file_table> table_batch_reader::next() {
  auto batch = header_->without_rows(line_ends_);
  for (const auto& [column, bytes_a_byte] : limits_.derived) batch->count_derived(column, bytes_a_byte);
  batch->remember_fields(limits_.columns);
  batch->expect_rows(rows_of_last_ + rows_of_last_ / 32);
  const std::uint64_t begin = bytes_read_ - carried_.size();  // of the batch, behind the header
  batch->buffer() = std::move(spare_);
  batch->buffer().append(carried_.bytes());
  carried_.resize(0);
  batch_room room = limits_.bytes == batch_limits::unlimited
                        ? batch_room()
                        : batch_room(limits_.room(), limits_.bytes_a_row, limits_.longest_row, limits_.rows);
  const bool is_first = batches_++ == 0;
  if (is_first) batch->count_header_bytes(*header_);
  for (;;) {
    batch->find_rows(false, room);
    const std::size_t rest = batch->rest().size();
    if (room.is_full()) break;
    if (rest > limits_.longest_row) throw_too_long(*batch);
    if (input_ended_) {
      if (is_first || batch->rows() == 0) batch->find_rows(true, room);
      break;
    }
    if (batch->rows() != 0 && batch->bytes() - rest >= limits_.enough) break;
    if (batch->rows() != 0 && room.bytes_left() / 2 < rest) break;  // a long row: with more room in the next batch
    read_into(*batch);
  }
  if (room.is_full() && batch->rows() == 0) throw_too_long(*batch);
  if (is_source_) require_rows_within_files(*batch, begin);
  carried_.append(batch->rest());
  batch->drop_rest();
  largest_row_ = std::max(largest_row_, room.largest_row());
  ended_ = input_ended_ && carried_.size() == 0;
  rows_of_last_ = batch->rows();
  const bool has_lines = !header_->line_end().empty();
  if (!ended_ && has_lines) line_ends_ += line_ends_in(batch->buffer().bytes());
  return batch;
}

// A quote that is not closed where a file ends would make the next file a part of its field.
void table_batch_reader::require_rows_within_files(file_table& batch, std::uint64_t begin) const {
  if (header_->parts() == nullptr || header_->line_end().empty()) return;
  const std::byte* const first = batch.buffer().data();
  for (const file_parts::seam& seam : header_->parts()->seams_between(begin, begin + batch.buffer().size())) {
    const std::byte* const at = first + (seam.bytes_before - begin);
    std::uint64_t row = 0;  // the first that does not begin before the seam
    for (std::uint64_t end = batch.rows(); row < end;) {
      const std::uint64_t middle = row + (end - row) / 2;
      if (batch.row(middle).data() < at) row = middle + 1;
      else end = middle;
    }
    if (row == 0 || batch.row(row - 1).data() + batch.row(row - 1).size() <= at) continue;
    throw failure(fmt::format("{}: a quote in this row is not closed where the file ends, before {}",
                              batch.place_of_row(row - 1), seam.file));
  }
}

void table_batch_reader::throw_too_long(const file_table& batch) const {
  throw failure(
      fmt::format("{}: this row is too long for --memory: it has more than {} bytes (1/{} of its {}, less the keys){}",
                  batch.describe_rest(), limits_.longest_row - std::min(limits_.longest_row, limits_.bytes_a_row),
                  longest_row_share, limits_.longest_row * longest_row_share, batch.describe_open_rest()));
}

std::unique_ptr<table> read_table(const file_table& header, input_file& file, phase_clock& clock) {
  scoped_phase reading(clock, phase::read);
  return table_batch_reader(header, file, {}).next();
}

}  // namespace ballot::app
