// SPDX-License-Identifier: Apache-2.0
#include "table_select/select_in_pieces.hpp"

#include "base/failure.hpp"
#include "engines/cpu/masks.hpp"
#include "table_select/bound_condition.hpp"
#include "tables/field_ends.hpp"

#include <fmt/format.h>
#include <tbb/concurrent_queue.h>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace ballot::app {
namespace {

struct piece {
  std::unique_ptr<file_table> rows;
  std::vector<std::uint8_t> mask;
  host_buffer selected;
  std::vector<std::uint64_t> numbers;  // within the piece
  std::uint64_t count = 0, bytes = 0;
  std::vector<column_type> types;
  bool is_last = false, failed = false;
};

std::string_view text_of(const host_buffer& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Reads pieces of whole rows, as far as can be told.
class piece_reader {
 public:
  piece_reader(const file_table& header, input_file& file, std::size_t piece_bytes)
      : header_(header), file_(file), piece_bytes_(piece_bytes) {
    line_feeds_ = count_line_feeds_and_quotes(header.header(0)).line_feeds;
  }

  // False where there is no further one.
  bool next(piece& to, std::size_t least_bytes) {
    if (ended_) return false;
    to.rows = header_.without_rows(line_feeds_);
    host_buffer& bytes = to.rows->buffer();
    bytes = take_spare();
    bytes.append(std::as_const(carried_).bytes());
    counted_bytes counted = counted_carried_;
    std::size_t end = 0;
    for (std::size_t wanted = least_bytes; end == 0; wanted = bytes.size()) {  // twice as much for a long row
      const std::size_t before = bytes.size();
      const std::uint64_t left = file_.remaining().value_or(wanted);
      const bool is_rest = left <= wanted;
      if (is_rest) wanted = static_cast<std::size_t>(left);
      bytes.resize(before + wanted);
      const std::size_t got = file_.read(bytes.bytes().subspan(before));
      bytes.resize(before + got);
      const counted_bytes more = count_line_feeds_and_quotes(text_of(bytes).substr(before));
      counted.line_feeds += more.line_feeds;
      counted.quotes += more.quotes;
      ended_ = is_rest || got < wanted;
      if (ended_) end = bytes.size();
      else end = header_.end_of_last_row(text_of(bytes), counted.quotes);
      if (ended_) break;
    }
    carried_.resize(0);
    carried_.append(std::as_const(bytes).bytes().subspan(end));
    counted_carried_ = count_line_feeds_and_quotes(text_of(carried_));
    line_feeds_ += counted.line_feeds - counted_carried_.line_feeds;
    bytes.resize(end);
    to.selected = take_spare();
    to.is_last = ended_;
    return true;
  }

  void reuse(piece& of) {
    spare_.push(std::move(of.rows->buffer()));
    spare_.push(std::move(of.selected));
    of.rows.reset();
  }

 private:
  host_buffer take_spare() {
    host_buffer spare;
    spare_.try_pop(spare);
    spare.resize(0);
    return spare;
  }

  const file_table& header_;
  input_file& file_;
  std::size_t piece_bytes_;
  std::uint64_t line_feeds_ = 0;
  host_buffer carried_;  // the beginning of the next piece
  counted_bytes counted_carried_;
  tbb::concurrent_queue<host_buffer> spare_;
  bool ended_ = false;
};

void keep_rows(const file_table& from, std::span<const std::uint8_t> mask, host_buffer& to) {
  const std::string_view line_end = from.line_end();
  to.resize(from.rows() == 0 ? 0 : from.rest().data() - from.row(0).data() + line_end.size());
  std::byte* end = to.data();
  const std::byte* run = nullptr;  // rows that lie behind each other
  std::size_t run_bytes = 0;
  const auto copy_run = [&] {
    if (run_bytes != 0) std::memcpy(end, run, run_bytes);
    end += run_bytes;
  };
  for (std::size_t row = 0; row < mask.size(); ++row) {
    if (mask[row] == 0) continue;
    const std::span<const std::byte> bytes = from.row(row);
    if (run == nullptr || bytes.data() != run + run_bytes) {
      copy_run();
      run = bytes.data();
      run_bytes = 0;
    }
    run_bytes += bytes.size();
  }
  copy_run();
  const bool lacks_end = !mask.empty() && mask.back() != 0 && run_bytes != 0 && run[run_bytes - 1] != std::byte{'\n'};
  if (lacks_end && !line_end.empty()) {
    std::memcpy(end, line_end.data(), line_end.size());
    end += line_end.size();
  }
  to.resize(static_cast<std::size_t>(end - to.data()));
}

class selector {
 public:
  selector(const piecewise_selection& wanted) : wanted_(wanted) {
    for (const condition_node& node : wanted.where->nodes)
      if (node.kind == condition_kind::column || node.kind == condition_kind::column_as_text ||
          node.kind == condition_kind::column_as_date)
        columns_.push_back(node.name);
  }

  // known: null for the first piece.
  void select(piece& of, const std::vector<column_type>* known) const try {
    file_table& rows = *of.rows;
    rows.remember_fields(columns_);
    batch_room room;
    rows.find_rows(true, room);
    of.bytes = rows.bytes();
    const auto count = static_cast<std::size_t>(rows.rows());
    const bound_condition condition(*wanted_.where, rows, true, known);
    condition.add_types(of.types);
    row_predicate predicate = condition.predicate();
    predicate.invert = wanted_.invert;
    of.mask.resize(count);
    for (std::size_t first = 0; first < count; first += cpu::mask_block)
      cpu::mask_rows(predicate, first, std::min(cpu::mask_block, count - first), of.mask.data() + first);
    of.count = cpu::count_mask(of.mask.data(), count);
    if (wanted_.verify) verify(rows, condition, of.mask);
    if (wanted_.wants_rows) keep_rows(rows, of.mask, of.selected);
    if (!wanted_.wants_numbers) return;
    for (std::size_t row = 0; row < count; ++row)
      if (of.mask[row] != 0) of.numbers.push_back(row);
  } catch (const verification_failure&) {
    throw;
  } catch (const failure&) {
    of.failed = true;
  } catch (const usage_error&) {
    of.failed = true;
  }

 private:
  void verify(const file_table& of, const bound_condition& condition, std::span<const std::uint8_t> mask) const {
    for (std::size_t row = 0; row < mask.size(); ++row) {
      const bool is_there = mask[row] != 0;
      if (is_there == (condition.evaluate(row) != wanted_.invert)) continue;
      throw_verification_failure(
          fmt::format("{} is {}", of.place_of_row(row), is_there ? "selected and should not be" : "missing"));
    }
  }

  const piecewise_selection& wanted_;
  std::vector<std::string> columns_;
};

std::size_t pieces_at_once() { return 2 * static_cast<std::size_t>(tbb::info::default_concurrency()); }

// One attempt, with a first piece of so many bytes, which shows the types. Nothing where it does
// not.
std::optional<selected_in_pieces> attempt(const file_table& header, input_file& file, const piecewise_selection& wanted,
                                          std::size_t first_bytes, const selected_rows_listener& take,
                                          phase_clock& clock) {
  const selector selector(wanted);
  piece_reader reader(header, file, wanted.piece_bytes);
  selected_in_pieces all;
  all.bytes = header.bytes();
  const auto add = [&](piece& from) {
    scoped_phase writing(clock, phase::write);
    for (std::uint64_t& number : from.numbers) number += all.rows;
    take(std::as_const(from.selected).bytes(), from.numbers);
    all.rows += from.rows->rows();
    all.blank_lines += from.rows->blank_lines();
    all.bytes += from.bytes;
    all.selected += from.count;
    for (std::size_t i = 0; i < all.types.size(); ++i)
      all.types[i].is_mixed = all.types[i].is_mixed || from.types[i].is_mixed;
    reader.reuse(from);
  };
  const auto read = [&](piece& to, std::size_t bytes) {
    scoped_phase reading(clock, phase::read);
    return reader.next(to, bytes);
  };
  piece first;
  read(first, first_bytes);
  selector.select(first, nullptr);
  if (first.failed) return std::nullopt;
  const bool is_all = first.is_last;
  const bool is_known = first.rows->rows() != 0 &&
                        std::none_of(first.types.begin(), first.types.end(),
                                     [](const column_type& type) { return type.is_inferred && type.is_missing; });
  if (!is_all && !is_known) return std::nullopt;
  all.types = first.types;
  const std::vector<column_type> known = first.types;
  add(first);
  if (is_all) return all;
  std::atomic<bool> has_failed = false;
  using shared_piece = std::shared_ptr<piece>;
  const auto read_next = [&](tbb::flow_control& control) {
    auto next = std::make_shared<piece>();
    if (has_failed || !read(*next, wanted.piece_bytes)) control.stop();
    return next;
  };
  const auto select = [&](shared_piece of) {
    // A thread for each piece: what its loops hand to others would only wait for them.
    thread_local tbb::task_arena alone(1);
    alone.execute([&] { selector.select(*of, &known); });
    if (of->failed) has_failed = true;
    return of;
  };
  const auto add_next = [&](const shared_piece& from) {
    if (!has_failed) add(*from);
  };
  const auto in_order = tbb::filter_mode::serial_in_order;
  tbb::parallel_pipeline(pieces_at_once(),
                         tbb::make_filter<void, shared_piece>(in_order, read_next) &
                             tbb::make_filter<shared_piece, shared_piece>(tbb::filter_mode::parallel, select) &
                             tbb::make_filter<shared_piece, void>(in_order, add_next));
  if (has_failed) return std::nullopt;
  return all;
}

}  // namespace

std::uint64_t memory_of_pieces() {
  constexpr std::uint64_t of_a_piece = std::uint64_t{3} << 19;  // its rows, those selected, and its columns
  return pieces_at_once() * of_a_piece;
}

bool can_select_in_pieces(const file_table& header, const input_file& file) {
  return !header.line_end().empty() && file.remaining().has_value();
}

std::optional<selected_in_pieces> select_in_pieces(const file_table& header, input_file& file,
                                                   const piecewise_selection& wanted,
                                                   const std::function<void()>& begin,
                                                   const selected_rows_listener& take, phase_clock& clock) {
  scoped_phase computing(clock, phase::compute);
  const std::uint64_t place = file.position();
  constexpr std::size_t larger = 64;  // a larger first piece may show the types
  for (const std::size_t first_bytes : {wanted.piece_bytes, larger * wanted.piece_bytes}) {
    if (wanted.first_piece_bytes && *wanted.first_piece_bytes != first_bytes) continue;
    begin();
    if (auto selected = attempt(header, file, wanted, first_bytes, take, clock)) {
      selected->first_piece_bytes = first_bytes;
      return selected;
    }
    file.seek_back_to(place);
  }
  return std::nullopt;
}

}  // namespace ballot::app
