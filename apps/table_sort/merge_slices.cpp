// SPDX-License-Identifier: Apache-2.0
#include "table_sort/merge_slices.hpp"

#include "base/buffered_pieces.hpp"

#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace ballot::app {

std::shared_ptr<const keyed_rows> slice_writer::single(const table& slice, std::uint64_t row) const {
  auto copy = header_.without_rows(0);
  copy->buffer().append(slice.row(row));
  batch_room room;
  copy->find_rows(true, room);
  return std::make_shared<const keyed_rows>(std::move(copy), wanted_.keys);
}

bool slice_writer::repeats_last(const table& slice, std::uint64_t row) const {
  if (!last_) return false;
  const auto first = single(slice, row);
  return (keyed_row{first->first_key(0), first.get(), 0} <=> keyed_row{last_->first_key(0), last_.get(), 0}) == 0;
}

// Every row of the slice, in its order, with what is made of it.
void slice_writer::verify(std::unique_ptr<file_table>& slice, std::span<const std::uint64_t> ends,
                          std::span<const std::uint64_t> kept) {
  row_sort all = wanted_;
  all.unique = false;
  all.most.reset();
  const host_buffer order = sort_rows(*slice, all, worker_, clock_);
  scoped_phase checking(clock_, phase::verify);
  verified_ = std::make_shared<const keyed_rows>(std::move(slice), wanted_.keys);
  const table& rows = verified_->rows();
  const std::byte* const begin = rows.row(0).data();
  std::size_t next = 0;
  for (const std::uint64_t row : order.as<std::uint64_t>()) {
    const auto offset = static_cast<std::uint64_t>(rows.row(row).data() - begin);
    const auto run = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), offset) - ends.begin());
    const bool is_kept = next < kept.size() && kept[next] == row;
    check_->check_output({verified_->first_key(row), verified_.get(), row}, run, is_kept, wanted_.unique);
    next += is_kept;
  }
}

// Sorts the next slice and chooses what is written of it.
void slice_writer::sort(sorted_slice& of, const row_slices& slices) {
  row_sort each = wanted_;
  each.most.reset();
  of.order = sort_rows(*of.rows, each, worker_, clock_);
  of.chosen = of.order.as<std::uint64_t>();
  if (wanted_.unique) {
    if (repeats_last(*of.rows, of.chosen.front())) of.chosen = of.chosen.subspan(1);
    if (!of.chosen.empty()) last_ = single(*of.rows, of.chosen.back());
  }
  if (check_ != nullptr) verify(of.rows, slices.ends(), of.chosen);
  of.chosen = of.chosen.first(static_cast<std::size_t>(std::min<std::uint64_t>(left_.load(), of.chosen.size())));
  left_ -= of.chosen.size();
  count_ += of.chosen.size();
}

std::uint64_t slice_writer::operator()(row_slices& slices,
                                       const std::function<void(std::span<const std::byte>)>& write) {
  left_ = wanted_.most.value_or(std::numeric_limits<std::uint64_t>::max());
  count_ = 0;
  const auto read_slice = [&](sorted_slice& to) {
    if (left_ == 0) return false;
    scoped_phase reading(clock_, phase::read);
    if (to.rows) slices.reuse(std::move(to.rows));
    to.rows = slices.next();
    return to.rows != nullptr;
  };
  const auto write_slice = [&](const sorted_slice& from) {
    scoped_phase writing(clock_, phase::write);
    const table& rows = check_ != nullptr ? verified_->rows() : *from.rows;
    write_batches(rows, from.chosen, batch_bytes_, [&](const written_batch& batch) { write(batch.bytes); });
  };
  if (!overlaps_) {
    for (sorted_slice slice; read_slice(slice);) {
      sort(slice, slices);
      write_slice(slice);
    }
    return count_;
  }
  with_buffers<sorted_slice>(
      read_slice, [&](sorted_slice& of) { sort(of, slices); },
      // Who waits for a part of this writes, and does not take up the sort of the next slice meanwhile.
      [&](sorted_slice& from) { tbb::this_task_arena::isolate([&] { write_slice(from); }); });
  return count_;
}

}  // namespace ballot::app
