// SPDX-License-Identifier: Apache-2.0
#include "table_sort/merge_slices.hpp"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

constexpr std::size_t batch_of_copies = std::size_t{128} << 10;

}  // namespace

std::shared_ptr<const keyed_rows> slice_writer::single(const table& slice, std::uint64_t row) const {
  auto copy = header_.without_rows(0);
  copy->buffer().append(slice.row(row));
  batch_room room;
  copy->find_rows(true, room);
  return std::make_shared<const keyed_rows>(std::move(copy), wanted_.keys);
}

bool slice_writer::repeats_last(const keyed_rows& first) const {
  return last_ && (keyed_row{first.first_key(0), &first, 0} <=> keyed_row{last_->first_key(0), last_.get(), 0}) == 0;
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

void slice_writer::read(const row_slices& slices, sorted_slice& to) const {
  scoped_phase reading(clock_, phase::read);
  host_buffer memory;
  if (to.rows) memory = std::move(to.rows->buffer());
  to.rows.reset();
  to.rows = slices.rows(to.begins, to.ends, std::move(memory), to.ends_of_runs);
}

void slice_writer::sort(sorted_slice& of) const {
  row_sort each = wanted_;
  each.most.reset();
  of.order = sort_rows(*of.rows, each, worker_, clock_);
  if (!wanted_.unique) return;
  const std::span<const std::uint64_t> order = of.order.as<std::uint64_t>();
  of.first = single(*of.rows, order.front());
  of.last = single(*of.rows, order.back());
  of.bytes_of_first = static_cast<std::size_t>(bytes_of_rows(*of.rows, order.first(1)));
}

void slice_writer::gather(sorted_slice& of) const {
  std::span<const std::uint64_t> left = of.order.as<std::uint64_t>();
  if (wanted_.most || check_ != nullptr || left.empty()) return;
  // In the room of the keys, which are not needed any more. Longer rows are not worth as much: to
  // copy them takes long enough for all cores to share it.
  const std::uint64_t bytes = bytes_of_rows(*of.rows, left);
  if (bytes > left.size() * (bytes_a_row_ / 5 * 2)) return;
  of.in_order.resize(static_cast<std::size_t>(bytes));
  std::vector<std::size_t> places;
  host_buffer some;
  for (std::byte* to = of.in_order.data(); !left.empty(); to += some.size()) {
    left = left.subspan(collect_rows(*of.rows, left, batch_of_copies, places, some));
    std::memcpy(to, some.data(), some.size());
  }
  of.rows->buffer() = host_buffer();
}

// Chooses the rows of a slice and writes them. The rows of the slices before it have been chosen.
void slice_writer::choose_and_write(sorted_slice& of, const std::function<void(std::span<const std::byte>)>& write) {
  std::span<const std::uint64_t> chosen = of.order.as<std::uint64_t>();
  const host_buffer in_order = std::move(of.in_order);  // given back at the end: the next slice needs the room
  std::span<const std::byte> bytes = in_order.bytes();
  if (wanted_.unique) {
    if (repeats_last(*of.first)) {
      if (!bytes.empty()) bytes = bytes.subspan(of.bytes_of_first);
      chosen = chosen.subspan(1);
    }
    if (!chosen.empty()) last_ = of.last;
  }
  if (check_ != nullptr) verify(of.rows, of.ends_of_runs, chosen);
  chosen = chosen.first(static_cast<std::size_t>(std::min<std::uint64_t>(left_.load(), chosen.size())));
  left_ -= chosen.size();
  count_ += chosen.size();
  scoped_phase writing(clock_, phase::write);
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(batch_bytes_, bytes.size())))
    write(bytes.first(std::min(batch_bytes_, bytes.size())));
  if (in_order.size() != 0) return;
  const table& rows = check_ != nullptr ? verified_->rows() : *of.rows;
  write_batches(rows, chosen, batch_bytes_, [&](const written_batch& batch) { write(batch.bytes); });
}

std::uint64_t slice_writer::operator()(const row_slices& slices,
                                       const std::function<void(std::span<const std::byte>)>& write) {
  left_ = wanted_.most.value_or(std::numeric_limits<std::uint64_t>::max());
  count_ = 0;
  std::vector<std::uint64_t> at(slices.runs());
  std::size_t next = 0;
  if (at_once_ == 1) {
    for (sorted_slice slice; left_ != 0 && next != slices.count(); ++next) {
      slice.ends = slices.ends_of(next);
      slice.begins = std::exchange(at, slice.ends);
      read(slices, slice);
      if (!slice.rows) continue;
      sort(slice);
      choose_and_write(slice, write);
    }
    return count_;
  }
  // Each slice belongs to one thread, and threads without a slice help with its parts. A thread
  // that waits for such a part takes no other slice meanwhile.
  const auto alone = [](const auto& work) { tbb::this_task_arena::isolate(work); };
  std::vector<sorted_slice> memory(at_once_);
  const auto in_order = tbb::filter_mode::serial_in_order, any = tbb::filter_mode::parallel;
  using item = sorted_slice*;
  tbb::parallel_pipeline(at_once_, tbb::make_filter<void, item>(in_order, [&](tbb::flow_control& control) -> item {
                                     if (left_ == 0 || next == slices.count()) {
                                       control.stop();
                                       return nullptr;
                                     }
                                     sorted_slice& slice = memory[next % at_once_];
                                     slice.number = next++;
                                     return &slice;
                                   }) & tbb::make_filter<item, item>(any, [&](item slice) {
                                     alone([&] { slice->ends = slices.ends_of(slice->number); });
                                     return slice;
                                   }) & tbb::make_filter<item, item>(in_order, [&](item slice) {
                                     slice->begins = std::exchange(at, slice->ends);
                                     return slice;
                                   }) & tbb::make_filter<item, item>(any, [&](item slice) {
                                     alone([&] {
                                       read(slices, *slice);
                                       if (!slice->rows) return;
                                       sort(*slice);
                                       gather(*slice);
                                     });
                                     return slice;
                                   }) & tbb::make_filter<item, void>(in_order, [&](item slice) {
                                     alone([&] {
                                       if (slice->rows) choose_and_write(*slice, write);
                                     });
                                   }));
  return count_;
}

}  // namespace ballot::app
