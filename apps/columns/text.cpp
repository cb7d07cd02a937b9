// SPDX-License-Identifier: Apache-2.0
#include "columns/text.hpp"
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "base/parse_number.hpp"
#include "base/text.hpp"
#include "files/text_encoding.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

template <class T>
class text_source final : public source {
 public:
  text_source(input_file file, dtype type) : file_(std::move(file)), type_(type), buffer_(buffer_bytes + 1) {}

  const std::string& name() const override { return file_.name(); }
  dtype type() const override { return type_; }
  std::optional<std::uint64_t> count() const override { return std::nullopt; }
  std::uint64_t blank_lines() const override { return blank_lines_; }

  std::size_t read(std::span<std::byte> into) override {
    T* const out = reinterpret_cast<T*>(into.data());
    const std::size_t wanted = into.size() / sizeof(T);
    std::size_t found = 0;
    while (found < wanted && (next_ != lines_end_ || refill())) {
      const auto [stopped, error] = std::from_chars(next_, lines_end_, out[found]);
      // There is a line end behind every line, so looking one past a carriage return stays in the buffer.
      if (error == std::errc{} && (*stopped == '\n' || (*stopped == '\r' && stopped[1] == '\n'))) [[likely]] {
        next_ = stopped + (*stopped == '\n' ? 1 : 2);
        ++found;
      } else {
        found += parse_unusual_line(out[found]);
      }
      ++line_;
    }
    return found * sizeof(T);
  }

 private:
  // Blanks, a plus sign, an empty line, or a mistake. Returns the number of items.
  std::size_t parse_unusual_line(T& item) {
    const char* const end =
        static_cast<const char*>(std::memchr(next_, '\n', static_cast<std::size_t>(lines_end_ - next_)));
    const std::string_view text = trimmed({next_, static_cast<std::size_t>(end - next_)});
    next_ = end + 1;
    if (text.empty()) {
      ++blank_lines_;
      return 0;
    }
    T value{};
    switch (parse_number(text, value)) {
      case number_error::none:
        break;
      case number_error::out_of_range:
        throw failure(fmt::format("{}:{}: out of range for {}: {}{}", name(), line_, name_of(type_), in_quotes(text),
                                  type_hint(text, true)));
      case number_error::not_a_number:
        throw failure(fmt::format("{}:{}: not a number of type {}: {}{}", name(), line_, name_of(type_),
                                  in_quotes(text), type_hint(text, false)));
    }
    item = value;
    return 1;
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

  // Makes [next_, lines_end_) whole lines again. False at the end.
  bool refill() {
    if (at_end_) return false;
    const std::size_t carried = static_cast<std::size_t>(filled_end_ - next_);
    std::memmove(buffer_.data(), next_, carried);
    const std::span<char> room(buffer_.data() + carried, buffer_bytes - carried);
    const std::size_t got = file_.read(std::as_writable_bytes(room));
    next_ = buffer_.data();
    filled_end_ = buffer_.data() + carried + got;
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
    if (last == nullptr)
      throw failure(fmt::format("{}:{}: a line of more than {} bytes", name(), line_, buffer_bytes - 1));
    lines_end_ = last + 1;
    return true;
  }

  input_file file_;
  dtype type_;
  std::vector<char> buffer_;  // one byte longer than is read into it: room for a last line's missing end
  char* filled_end_ = buffer_.data();
  const char* next_ = buffer_.data();
  const char* lines_end_ = buffer_.data();
  std::uint64_t line_ = 1;
  std::uint64_t blank_lines_ = 0;
  bool at_end_ = false;
  bool is_first_ = true;
};

template <class T>
class text_sink final : public sink {
 public:
  explicit text_sink(output_file& file) : file_(file), buffer_(buffer_bytes) {}
  void begin(std::uint64_t) override {}
  void write(std::span<const std::byte> items) override {
    constexpr std::size_t longest_line = 32;  // the longest shortest double is 24 characters, the longest integer 20
    for (const T item : std::span(reinterpret_cast<const T*>(items.data()), items.size() / sizeof(T))) {
      if (buffer_.size() - used_ < longest_line) flush();
      const auto [end, error] = std::to_chars(buffer_.data() + used_, buffer_.data() + buffer_.size(), item);
      static_cast<void>(error);  // there is room
      *end = '\n';
      used_ = static_cast<std::size_t>(end + 1 - buffer_.data());
    }
  }
  void finish() override { flush(); }

 private:
  void flush() {
    file_.write(std::as_bytes(std::span(buffer_.data(), used_)));
    used_ = 0;
  }

  output_file& file_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
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
