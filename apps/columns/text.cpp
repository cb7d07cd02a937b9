// SPDX-License-Identifier: Apache-2.0
#include "columns/text.hpp"
#include <ballot/core/namespace.hpp>

#include "base/buffered_pieces.hpp"
#include "base/failure.hpp"
#include "base/host_buffer.hpp"
#include "base/parse_number.hpp"
#include "base/text.hpp"
#include "files/text_encoding.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

// Text is read in blocks, and a block is cut behind line ends into pieces that all cores parse. All
// of it is the same on any number of cores: the pieces are, and of several mistakes the first is
// reported.
constexpr std::size_t block_bytes = std::size_t{4} << 20, piece_bytes = std::size_t{128} << 10;
constexpr std::size_t longest_line = (std::size_t{1} << 20) - 1;

template <class T>
class text_source final : public source {
 public:
  text_source(input_file file, dtype type) : file_(std::move(file)), type_(type), block_(block_bytes + 1) {}

  const std::string& name() const override { return file_.name(); }
  dtype type() const override { return type_; }
  std::optional<std::uint64_t> count() const override { return std::nullopt; }
  std::uint64_t blank_lines() const override { return blank_lines_; }

  std::size_t read(std::span<std::byte> into) override {
    std::size_t filled = 0;  // bytes
    while (filled < into.size() && (left_ != 0 || parse_block())) filled += take(into.subspan(filled));
    return filled;
  }

 private:
  struct bad_line {
    std::string_view text;
    number_error error;
  };
  struct piece {
    const char *begin, *end;  // whole lines
    std::unique_ptr<T[]> items;
    std::size_t capacity = 0, count = 0, taken = 0;
    std::uint64_t lines = 0, blank_lines = 0;
    std::optional<bad_line> bad;  // the line after `lines`
  };

  static void parse(piece& of) {
    // Not cleared, and the pages behind the last item are never there.
    if (const auto most = static_cast<std::size_t>(of.end - of.begin) / 2 + 1; of.capacity < most) {
      of.items.reset(new T[most]);
      of.capacity = most;
    }
    of.count = of.taken = 0;
    of.lines = of.blank_lines = 0;
    of.bad.reset();
    T* to = of.items.get();
    for (const char* next = of.begin; next != of.end; ++of.lines) {
      const auto [stopped, error] = std::from_chars(next, of.end, *to);
      // There is a line end behind every line, so looking one past a carriage return stays in the
      // block.
      if (error == std::errc{} && (*stopped == '\n' || (*stopped == '\r' && stopped[1] == '\n'))) [[likely]] {
        next = stopped + (*stopped == '\n' ? 1 : 2);
        ++to;
        continue;
      }
      // Blanks, a plus sign, an empty line, or a mistake.
      const auto* const line_end =
          static_cast<const char*>(std::memchr(next, '\n', static_cast<std::size_t>(of.end - next)));
      const std::string_view line(next, static_cast<std::size_t>(line_end - next)), text = trimmed(line);
      T value{};
      if (line.size() > longest_line || !text.empty()) {
        const number_error found = line.size() > longest_line ? number_error::not_a_number : parse_number(text, value);
        if (found != number_error::none) {
          of.bad = bad_line{line.size() > longest_line ? line : text, found};
          break;
        }
        *to++ = value;
      } else {
        ++of.blank_lines;
      }
      next = line_end + 1;
    }
    of.count = static_cast<std::size_t>(to - of.items.get());
  }

  // Parses the next lines; false where there are none.
  bool parse_block() {
    while (refill()) {
      std::size_t count = 0;
      for (const char* at = next_; at != lines_end_; ++count) {
        const char* end = lines_end_;
        if (static_cast<std::size_t>(end - at) > piece_bytes) {
          const char* const least = at + piece_bytes;
          end = static_cast<const char*>(std::memchr(least, '\n', static_cast<std::size_t>(end - least))) + 1;
        }
        if (count == pieces_.size()) pieces_.emplace_back();
        pieces_[count].begin = at;
        at = pieces_[count].end = end;
      }
      tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) { parse(pieces_[i]); });
      next_ = lines_end_;
      next_piece_ = left_ = 0;
      for (const piece& of : std::span(pieces_).first(count)) {
        line_ += of.lines;
        blank_lines_ += of.blank_lines;
        if (of.bad) throw_bad_line(*of.bad);
        left_ += of.count;
      }
      if (left_ != 0) return true;
    }
    return false;
  }

  // Moves parsed items there, as many as there is room for; returns their bytes.
  std::size_t take(std::span<std::byte> into) {
    struct part {
      const T* from;
      std::size_t count;
      std::byte* to;
    };
    std::vector<part> parts;
    std::size_t taken = 0;
    const std::size_t wanted = std::min(left_, into.size() / sizeof(T));
    for (; taken < wanted; ++next_piece_) {
      piece& of = pieces_[next_piece_];
      const std::size_t count = std::min(of.count - of.taken, wanted - taken);
      if (count != 0) parts.push_back({of.items.get() + of.taken, count, into.data() + taken * sizeof(T)});
      of.taken += count;
      taken += count;
      if (of.taken != of.count) break;
    }
    tbb::parallel_for(std::size_t{0}, parts.size(),
                      [&](std::size_t i) { std::memcpy(parts[i].to, parts[i].from, parts[i].count * sizeof(T)); });
    left_ -= taken;
    return taken * sizeof(T);
  }

  [[noreturn]] void throw_too_long() const {
    throw failure(fmt::format("{}:{}: a line of more than {} bytes", name(), line_, longest_line));
  }
  [[noreturn]] void throw_bad_line(const bad_line& bad) const {
    if (bad.text.size() > longest_line) throw_too_long();
    const bool out_of_range = bad.error == number_error::out_of_range;
    throw failure(fmt::format("{}:{}: {} {}: {}{}", name(), line_,
                              out_of_range ? "out of range for" : "not a number of type", name_of(type_),
                              in_quotes(bad.text), type_hint(bad.text, out_of_range)));
  }

  // Text does not say which type it is meant to be; where another one would do, it is named.
  std::string type_hint(std::string_view text, bool out_of_range) const {
    double as_double{};
    if (!std::is_floating_point_v<T> && !out_of_range && parse_number(text, as_double) == number_error::none)
      return " (--dtype f64 reads fractions)";
    std::uint64_t as_u64{};
    if (out_of_range && type_ == dtype::i64 && parse_number(text, as_u64) == number_error::none)
      return " (--dtype u64 reads it)";
    return {};
  }

  // Step by step where nobody knows how much there is: files of /proc refuse large reads.
  std::size_t fill(std::span<std::byte> room) {
    if (file_.remaining()) return file_.read(room);
    constexpr std::size_t step = std::size_t{1} << 20;
    std::size_t filled = 0;
    while (filled < room.size()) {
      const std::size_t wanted = std::min(step, room.size() - filled), got = file_.read(room.subspan(filled, wanted));
      filled += got;
      if (got < wanted) break;
    }
    return filled;
  }

  // Makes [next_, lines_end_) whole lines again. False at the end.
  bool refill() {
    if (at_end_) return false;
    auto* const data = reinterpret_cast<char*>(block_.data());
    if (next_ == nullptr) next_ = filled_end_ = data;
    const std::size_t carried = static_cast<std::size_t>(filled_end_ - next_);
    std::memmove(data, next_, carried);
    const std::span<std::byte> room = block_.bytes().subspan(carried, block_bytes - carried);
    const std::size_t got = fill(room);
    next_ = data;
    filled_end_ = data + carried + got;
    if (is_first_) require_bytes_of_text({next_, got}, name());
    if (is_first_ && std::string_view(next_, got).starts_with(utf8_mark)) next_ += utf8_mark.size();
    is_first_ = false;
    if (got < room.size()) {
      at_end_ = true;
      if (filled_end_ != next_ && filled_end_[-1] != '\n') *filled_end_++ = '\n';  // the last line may lack its end
      lines_end_ = filled_end_;
      return next_ != lines_end_;
    }
    const auto* last = static_cast<const char*>(memrchr(next_, '\n', static_cast<std::size_t>(filled_end_ - next_)));
    if (last == nullptr) throw_too_long();
    lines_end_ = last + 1;
    return true;
  }

  input_file file_;
  dtype type_;
  host_buffer block_;  // one byte longer than is read into it: room for a last line's missing end
  char* filled_end_ = nullptr;
  const char *next_ = nullptr, *lines_end_ = nullptr;
  std::vector<piece> pieces_;
  std::size_t next_piece_ = 0, left_ = 0;  // of the items parsed: where the next one is, and how many there are
  std::uint64_t line_ = 1;
  std::uint64_t blank_lines_ = 0;
  bool at_end_ = false;
  bool is_first_ = true;
};

// Many items are made text by all cores, piece by piece, while the pieces before them are written;
// few wait for more.
template <class T>
class text_sink final : public sink {
 public:
  explicit text_sink(output_file& file) : file_(file) {}
  void begin(std::uint64_t) override {}
  bool takes_items_as_they_come() const override { return file_.is_seen_when_complete(); }
  void write(std::span<const std::byte> bytes) override {
    std::span<const T> items(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
    if (items.size() < piece_items) return write_few(items);
    flush();
    with_buffers<batch>(
        [&](batch& of) {
          of.items = items.first(std::min(items.size(), piece_items * pieces_at_once));
          items = items.subspan(of.items.size());
          return !of.items.empty();
        },
        [&](batch& of) {
          const std::size_t count = (of.items.size() + piece_items - 1) / piece_items;
          of.texts.resize(count);
          tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
            const auto part =
                of.items.subspan(i * piece_items, std::min(piece_items, of.items.size() - i * piece_items));
            of.texts[i].used = 0;
            append(part, of.texts[i]);
          });
        },
        [&](batch& of) {
          for (const text& piece : of.texts) file_.write(piece.bytes());
        });
  }
  void finish() override { flush(); }

 private:
  static constexpr std::size_t piece_items = std::size_t{1} << 12, pieces_at_once = 32;
  static constexpr std::size_t longest = 26;  // of a line: a shortest double is 24 characters at most

  struct text {
    std::unique_ptr<char[]> characters{new char[piece_items * longest]};
    std::size_t used = 0;
    std::span<const std::byte> bytes() const { return std::as_bytes(std::span(characters.get(), used)); }
  };
  struct batch {
    std::span<const T> items;
    std::vector<text> texts;
  };

  static void append(std::span<const T> items, text& to) {
    char* next = to.characters.get() + to.used;
    for (const T item : items) {
      next = std::to_chars(next, next + longest, item).ptr;
      *next++ = '\n';
    }
    to.used = static_cast<std::size_t>(next - to.characters.get());
  }
  void write_few(std::span<const T> items) {
    if (few_items_ + items.size() > piece_items) flush();
    append(items, few_);
    few_items_ += items.size();
  }
  void flush() {
    if (few_.used != 0) file_.write(few_.bytes());
    few_.used = few_items_ = 0;
  }

  output_file& file_;
  text few_;
  std::size_t few_items_ = 0;
};

}  // namespace

std::unique_ptr<source> open_text(input_file file, dtype type) {
  return visit_dtype(type, [&]<class T>(std::type_identity<T>) -> std::unique_ptr<source> {
    return std::make_unique<text_source<T>>(std::move(file), type);
  });
}

std::unique_ptr<sink> make_text_sink(output_file& file, dtype type) {
  return visit_dtype(type, [&]<class T>(std::type_identity<T>) -> std::unique_ptr<sink> {
    return std::make_unique<text_sink<T>>(file);
  });
}

}  // namespace ballot::app
