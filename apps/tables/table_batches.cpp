#include "tables/table_batches.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace ballot::app {
namespace {

constexpr std::size_t largest_chunk = std::size_t{1} << 20, chunk_without_limits = std::size_t{8} << 20;

std::uint64_t line_ends_in(std::span<const std::byte> bytes) {
  return static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), std::byte{'\n'}));
}

}  // namespace

table_pieces::table_pieces(const file_table& front, byte_reader read, const piece_limits& limits,
                           read_listener listener)
    : front_(&front),
      read_(std::move(read)),
      listener_(std::move(listener)),
      limits_(limits),
      chunk_bytes_(limits.bytes == piece_limits::unlimited
                       ? chunk_without_limits
                       : static_cast<std::size_t>(std::min<std::uint64_t>(limits.bytes / 8, largest_chunk))) {
  const std::string before = front.front(0);
  line_ends_ = line_ends_in(std::as_bytes(std::span(before)));
}

table_pieces::table_pieces(const file_table& front, input_file& file, const piece_limits& limits,
                           read_listener listener)
    : table_pieces(
          front, [&file](std::span<std::byte> into) { return file.read(into); }, limits, std::move(listener)) {
  checks_length_ = true;
  if (!file.remaining()) return;
  front.check_length(*file.remaining());
  if (limits.bytes == piece_limits::unlimited) chunk_bytes_ = static_cast<std::size_t>(*file.remaining()) + 1;
}

void table_pieces::read_into(file_table& piece) {
  host_buffer& bytes = piece.buffer();
  const std::size_t before = bytes.size();
  bytes.resize(before + chunk_bytes_);
  const std::size_t got = read_(bytes.bytes().subspan(before));
  bytes.resize(before + got);
  bytes_read_ += got;
  if (listener_) listener_(got);
  input_ended_ = got < chunk_bytes_;
  if (input_ended_ && checks_length_) front_->check_length(bytes_read_);
}

std::unique_ptr<file_table> table_pieces::next() {
  auto piece = front_->without_rows(line_ends_);
  piece->buffer().append(carried_.bytes());
  carried_.resize(0);
  // Bytes behind the piece are there twice while it is: at its end, and as what the next one begins with.
  row_room room =
      limits_.bytes == piece_limits::unlimited
          ? row_room()
          : row_room(limits_.bytes - 2 * chunk_bytes_, limits_.bytes_a_row, limits_.longest_row, limits_.rows);
  const bool is_first = pieces_++ == 0;
  if (is_first) piece->count_front(*front_);
  for (;;) {
    piece->find_rows(false, room);
    const std::size_t rest = piece->rest().size();
    if (room.is_full()) break;
    if (rest > limits_.longest_row) throw_too_long(*piece);
    if (input_ended_) {
      if (is_first || piece->rows() == 0) piece->find_rows(true, room);
      break;
    }
    if (piece->rows() != 0 && room.bytes_left() / 2 < rest) break;  // a long row: with more room in the next piece
    read_into(*piece);
  }
  if (room.is_full() && piece->rows() == 0) throw_too_long(*piece);
  carried_.append(piece->rest());
  piece->drop_rest();
  largest_row_ = std::max(largest_row_, room.largest_row());
  ended_ = input_ended_ && carried_.size() == 0;
  if (!ended_) line_ends_ += line_ends_in(piece->buffer().bytes());
  return piece;
}

void table_pieces::throw_too_long(const file_table& piece) const {
  throw failure(
      fmt::format("{}: this row is too long for --memory: it has more than {} bytes, a {}th less what keys take{}",
                  piece.place_of_rest(), limits_.longest_row - std::min(limits_.longest_row, limits_.bytes_a_row),
                  longest_row_share, piece.what_holds_rest_open()));
}

}  // namespace ballot::app
