#include "common/expression.hpp"
#include <ballot/core/namespace.hpp>

#include "common/failure.hpp"
#include "common/where_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

namespace ballot::app {
namespace {

constexpr int deepest_nesting = 200;  // of parentheses and negations: the parser recurses

constexpr std::pair<std::string_view, relation> relations[] = {  // longer ones first
    {"<=", relation::less_equal}, {">=", relation::greater_equal}, {"==", relation::equal},
    {"!=", relation::not_equal},  {"<", relation::less},           {">", relation::greater}};

relation mirrored(relation rel) {
  switch (rel) {
    case relation::less:
      return relation::greater;
    case relation::less_equal:
      return relation::greater_equal;
    case relation::greater:
      return relation::less;
    case relation::greater_equal:
      return relation::less_equal;
    case relation::equal:
    case relation::not_equal:
      break;
  }
  return rel;
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string lowered(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower;
}

class where_parser {
 public:
  explicit where_parser(std::string_view text) : text_(text) {}

  where_expression parse() {
    skip_blanks();
    if (at_ == text_.size()) fail(at_, "the expression is empty: for example value > 10");
    const operand whole = disjunction();
    require_condition(whole);
    if (at_ != text_.size())
      fail(at_, text_[at_] == ')' ? "this parenthesis was never opened" : "expected 'and', 'or' or the end here");
    return std::move(out_);
  }

 private:
  struct operand {
    enum { condition, column, number } kind;
    std::size_t position;
    literal constant = 0.0;
  };

  operand disjunction() {
    operand left = conjunction();
    while (take_operator("or", "||")) {
      require_condition(left);
      require_condition(conjunction());
      emit({where_step_kind::disjunction});
    }
    return left;
  }

  operand conjunction() {
    operand left = negation();
    while (take_operator("and", "&&")) {
      require_condition(left);
      require_condition(negation());
      emit({where_step_kind::conjunction});
    }
    return left;
  }

  operand negation() {
    const std::size_t position = at_;
    if (!take_operator("not", "!")) return comparison();
    enter(position);
    require_condition(negation());
    --nesting_;
    emit({where_step_kind::negation});
    return {operand::condition, position};
  }

  operand comparison() {
    const operand left = primary();
    const std::size_t position = at_;
    const auto rel = take_relation();
    if (!rel) return left;
    const operand right = primary();
    for (const operand* side : {&left, &right})
      if (side->kind == operand::condition) fail(side->position, "this is a condition: compare value with a number");
    const std::size_t second = at_;
    if (take_relation()) fail(second, "comparisons do not chain: write 1 < value and value < 3");
    if (left.kind == right.kind)
      fail(position, left.kind == operand::column
                         ? "value is on both sides: compare it with a number, or write isnan(value)"
                         : "a number is on both sides: compare value with one");
    const bool column_first = left.kind == operand::column;
    emit({where_step_kind::compare, column_first ? *rel : mirrored(*rel),
          column_first ? right.constant : left.constant});
    return {operand::condition, left.position};
  }

  operand primary() {
    const std::size_t position = at_;
    if (at_ == text_.size()) fail(at_, "something is missing here: value or a number");
    const char c = text_[at_];
    if (c == '(') {
      enter(position);
      advance(1);
      operand inside = disjunction();
      if (at_ == text_.size() || text_[at_] != ')') fail(position, "this parenthesis is never closed");
      advance(1);
      --nesting_;
      inside.position = position;
      return inside;
    }
    if (is_digit(c) || c == '.' || c == '+' || c == '-') return {operand::number, position, number()};
    const std::string_view word = word_here();
    if (word.empty())
      fail(position, fmt::format("expected value or a number, not '{}'", text_.substr(at_, character_bytes(at_))));
    const std::string lower = lowered(word);
    if (lower == "inf" || lower == "infinity" || lower == "nan") return {operand::number, position, number()};
    advance(word.size());
    if (word == "value") return {operand::column, position};
    if (word == "isnan") {
      take_punctuation('(', "isnan(value)");
      if (word_here() != "value") fail(at_, "isnan takes the column: isnan(value)");
      advance(word_here().size());
      take_punctuation(')', "isnan(value)");
      emit({where_step_kind::is_nan});
      return {operand::condition, position};
    }
    if (word == "and" || word == "or" || word == "not")
      fail(position, fmt::format("expected value or a number before '{}'", word));
    fail(position, fmt::format("unknown name '{}': known are value, isnan, inf, nan, and, or, not", word));
  }

  literal number() {
    const std::size_t position = at_;
    const bool negative = text_[at_] == '-';
    if (text_[at_] == '-' || text_[at_] == '+') advance(1);  // blanks may follow the sign
    const std::size_t begin = at_;
    const std::string_view rest = text_.substr(begin);
    std::size_t length = 0;
    literal result = 0.0;
    const auto keep_integer = [&](int base, std::size_t prefix) {
      std::uint64_t magnitude = 0;
      const auto [end, error] = std::from_chars(rest.data() + prefix, rest.data() + length, magnitude, base);
      if (end != rest.data() + length || length == prefix) fail(position, "this is not a number");
      if (error != std::errc{}) return false;
      result = negative ? -static_cast<__int128>(magnitude) : static_cast<__int128>(magnitude);
      return true;
    };
    const auto signed_of = [&](double magnitude) { return negative ? -magnitude : magnitude; };
    if (rest.starts_with("0x") || rest.starts_with("0X")) {
      while (length < rest.size() && is_word(rest[length])) ++length;
      if (!keep_integer(16, 2)) fail(position, "a hexadecimal number has at most 64 bits");
    } else {
      // Takes in what could belong to the number, so that 12abc is one mistake and not two tokens.
      while (length < rest.size() &&
             (is_word(rest[length]) || rest[length] == '.' ||
              ((rest[length] == '+' || rest[length] == '-') && length > 0 &&
               lowered(rest.substr(length - 1, 1)) == "e" && (is_digit(rest[0]) || rest[0] == '.'))))
        ++length;
      const std::string_view token = rest.substr(0, length);
      const bool digits_only = !token.empty() && std::all_of(token.begin(), token.end(), is_digit);
      if (!digits_only ||
          !keep_integer(10, 0)) {  // integers beyond 64 bits are doubles: beyond every integer column, too
        double magnitude = 0;
        const std::string terminated(token);
        char* end = nullptr;
        if (!token.empty()) magnitude = std::strtod(terminated.c_str(), &end);
        if (token.empty() || end != terminated.c_str() + token.size()) fail(position, "this is not a number");
        result = signed_of(magnitude);
      }
    }
    advance(length);
    return result;
  }

  // Words are operators only as whole words: `order` is not `or` and `der`.
  bool take_operator(std::string_view word, std::string_view symbol) {
    const std::string_view rest = text_.substr(at_);
    if (word_here() == word) {
      advance(word.size());
      return true;
    }
    if (symbol == "!" ? rest.starts_with("!") && !rest.starts_with("!=") : rest.starts_with(symbol)) {
      advance(symbol.size());
      return true;
    }
    if (symbol.size() == 2 && rest.starts_with(symbol[0])) fail(at_, fmt::format("write '{}' or '{}'", symbol, word));
    return false;
  }

  std::optional<relation> take_relation() {
    for (const auto& [symbol, rel] : relations) {
      if (!text_.substr(at_).starts_with(symbol)) continue;
      advance(symbol.size());
      return rel;
    }
    if (at_ < text_.size() && text_[at_] == '=') fail(at_, "equality is '=='");
    return std::nullopt;
  }

  void take_punctuation(char c, std::string_view example) {
    if (at_ == text_.size() || text_[at_] != c) fail(at_, fmt::format("expected '{}' here: {}", c, example));
    advance(1);
  }

  std::string_view word_here() const {
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }

  void advance(std::size_t bytes) {
    at_ += bytes;
    skip_blanks();
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }

  void enter(std::size_t position) {
    if (++nesting_ > deepest_nesting) fail(position, fmt::format("more than {} levels of nesting", deepest_nesting));
  }

  void require_condition(const operand& o) const {
    if (o.kind == operand::condition) return;
    fail(o.position, o.kind == operand::column ? "value alone is no condition: compare it, for example value > 10"
                                               : "a number alone is no condition: compare value with it");
  }

  void emit(const where_step& step) {
    height_ += step.kind == where_step_kind::compare || step.kind == where_step_kind::is_nan ? 1
               : step.kind == where_step_kind::negation                                      ? 0
                                                                                             : -1;
    out_.depth = std::max(out_.depth, static_cast<std::size_t>(height_));
    out_.steps.push_back(step);
    if (out_.steps.size() > where_capacity)
      fail(0, fmt::format("too long: at most {} comparisons and operators together", where_capacity));
    if (out_.depth > where_stack_bits)
      fail(0, fmt::format("too deep: at most {} conditions can be pending; parentheses further left need fewer",
                          where_stack_bits));
  }

  std::size_t character_bytes(std::size_t position) const {
    std::size_t end = position + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xc0) == 0x80) ++end;
    return end - position;
  }

  [[noreturn]] void fail(std::size_t position, std::string_view what) const {
    // Blanks as the expression has them, so that the caret stands below the place whatever a tab is worth.
    std::string shown, indent;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const bool continues = (static_cast<unsigned char>(text_[i]) & 0xc0) == 0x80;
      shown += text_[i] == '\n' ? ' ' : text_[i];
      if (i < position && !continues) indent += text_[i] == '\t' ? '\t' : ' ';
    }
    throw usage_error(fmt::format("--where: {} (column {})\n  {}\n  {}^", what, indent.size() + 1, shown, indent));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  int height_ = 0;
  where_expression out_;
};

enum class ordering { less, equal, greater, unordered };

ordering compare_exactly(__int128 a, double b) {
  if (std::isnan(b)) return ordering::unordered;
  if (b >= 0x1p100) return ordering::less;  // beyond every 64-bit integer, and the next line may convert
  if (b <= -0x1p100) return ordering::greater;
  const auto whole = static_cast<__int128>(std::floor(b));
  if (a != whole) return a < whole ? ordering::less : ordering::greater;
  return b > std::floor(b) ? ordering::less : ordering::equal;
}

template <class T>
ordering compare_plainly(T a, T b) {
  return a < b ? ordering::less : a > b ? ordering::greater : a == b ? ordering::equal : ordering::unordered;
}

ordering compare_exactly(const literal& a, const literal& b) {
  if (std::holds_alternative<__int128>(a))
    return std::holds_alternative<__int128>(b) ? compare_plainly(std::get<__int128>(a), std::get<__int128>(b))
                                               : compare_exactly(std::get<__int128>(a), std::get<double>(b));
  if (std::holds_alternative<double>(b)) return compare_plainly(std::get<double>(a), std::get<double>(b));
  const ordering mirrored = compare_exactly(std::get<__int128>(b), std::get<double>(a));
  return mirrored == ordering::less ? ordering::greater : mirrored == ordering::greater ? ordering::less : mirrored;
}

bool holds(ordering o, relation rel) {
  switch (rel) {
    case relation::less:
      return o == ordering::less;
    case relation::less_equal:
      return o == ordering::less || o == ordering::equal;
    case relation::greater:
      return o == ordering::greater;
    case relation::greater_equal:
      return o == ordering::greater || o == ordering::equal;
    case relation::equal:
      return o == ordering::equal;
    case relation::not_equal:
      break;
  }
  return o != ordering::equal;
}

}  // namespace

where_expression parse_where(std::string_view text) { return where_parser(text).parse(); }

bool evaluate(const where_expression& expression, const literal& value) {
  std::vector<bool> stack;
  const auto pop = [&] {
    const bool top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const where_step& step : expression.steps) {
    switch (step.kind) {
      case where_step_kind::compare:
        stack.push_back(holds(compare_exactly(value, step.constant), step.rel));
        break;
      case where_step_kind::is_nan:
        stack.push_back(std::holds_alternative<double>(value) && std::isnan(std::get<double>(value)));
        break;
      case where_step_kind::negation:
        stack.back() = !stack.back();
        break;
      case where_step_kind::conjunction: {
        const bool right = pop(), left = pop();
        stack.push_back(left && right);
        break;
      }
      case where_step_kind::disjunction: {
        const bool right = pop(), left = pop();
        stack.push_back(left || right);
        break;
      }
    }
  }
  return stack.back();
}

}  // namespace ballot::app
