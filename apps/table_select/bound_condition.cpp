// SPDX-License-Identifier: Apache-2.0
// The columns of a condition, and whether the types of its operands fit. The condition is compiled
// afterwards.
#include "table_select/bound_condition.hpp"

#include "base/date_format.hpp"
#include "base/failure.hpp"
#include "base/text.hpp"
#include "conditions/condition_lexer.hpp"
#include "conditions/condition_values.hpp"
#include "tables/derived_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ballot::app {
namespace {

constexpr std::size_t longest_list = 16;  // of numbers, as single comparisons

}  // namespace

bound_condition::bound_condition(const row_condition& condition, const table& of, bool cpu_alone,
                                 const std::vector<column_type>* known)
    : condition_(condition), table_(of), begin_(beginnings_of(condition.nodes)) {
  const std::size_t count = condition_.nodes.size();
  entry_of_.resize(count);
  kinds_.resize(count);
  needs_cpu_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (is_column(condition_.nodes[i])) read_column(i, known);
    check(i);
    needs_cpu_[i] = needs_cpu(i);
  }
  if (kinds_.back() != value_kind::condition)
    fail(count - 1, "this is not a condition: compare it, for example with > 10 or == \"text\"");
  compile(cpu_alone);
}

void bound_condition::fail(std::size_t place, std::string_view what) const {
  throw_condition_error(condition_.text, condition_.nodes[place].position, what);
}

void bound_condition::read_column(std::size_t place, const std::vector<column_type>* known_types) {
  const condition_node& node = condition_.nodes[place];
  const auto is_same = [&](const entry& known) {
    return known.of->name == node.name && known.of->kind == node.kind && known.of->type == node.type &&
           known.of->format == node.format;
  };
  const auto known = std::find_if(entries_.begin(), entries_.end(), is_same);
  entry_of_[place] = static_cast<std::size_t>(known - entries_.begin());
  if (known != entries_.end()) return;
  if (!table_.has_column(node.name)) {
    table_.require_known_header();
    fail(place, fmt::format("{} has no column {}: the columns are {}", table_.name(), in_quotes(node.name),
                            table_.columns_in_words()));
  }
  if (node.kind == condition_kind::column_as_date) {
    const date_format format(node.format);
    entries_.push_back({&node, column_of_dates(table_, node.name, format), format.has_fractions()});
    return;
  }
  requested_type requested{node.kind == condition_kind::column_as_text, node.type};
  const column_type* inferred = known_types == nullptr ? nullptr : &(*known_types)[entries_.size()];
  if (inferred != nullptr && requested.is_unspecified() && inferred->is_inferred)
    requested = {inferred->is_text, inferred->is_text ? std::nullopt : std::optional(inferred->type), true};
  else inferred = nullptr;
  entries_.push_back({&node, table_.column(node.name, requested), false});
  if (inferred == nullptr) return;
  table_column& column = entries_.back().column;
  const bool is_mixed = inferred->is_text && !inferred->is_mixed && [&] {
    type_inference here;
    table_.infer_type(node.name, here);
    const column_type found = here.type_of(node.name);
    return found.is_mixed || (!found.is_text && !found.is_missing);
  }();
  static_cast<column_type&>(column) = *inferred;
  column.is_mixed = column.is_mixed || is_mixed;
}

void bound_condition::add_types(std::vector<column_type>& to) const {
  for (const entry& known : entries_) to.push_back(known.column);
}

void bound_condition::check(std::size_t place) {
  const condition_node& node = condition_.nodes[place];
  switch (node.kind) {
    case condition_kind::text:
    case condition_kind::lower:
    case condition_kind::upper:
      kinds_[place] = value_kind::text;
      break;
    case condition_kind::column:
    case condition_kind::column_as_text: {
      const table_column& column = column_of(place);
      kinds_[place] = column.is_missing ? value_kind::missing : column.is_text ? value_kind::text : value_kind::number;
      break;
    }
    case condition_kind::column_as_date:
      kinds_[place] = value_kind::date;
      break;
    default:
      kinds_[place] = is_condition(node.kind) ? value_kind::condition : value_kind::number;
  }
  check_operands(place);
}

void bound_condition::check_operands(std::size_t place) {
  const condition_node& node = condition_.nodes[place];
  switch (node.kind) {
    case condition_kind::conjunction:
    case condition_kind::disjunction:
      require_condition(node.left);
      return require_condition(node.right);
    case condition_kind::negation:
      return require_condition(node.left);
    case condition_kind::compare:
      return check_comparison(place, node.left, node.right);
    case condition_kind::between:
      check_comparison(place, node.left, node.right);
      return check_comparison(place, node.left, node.third);
    case condition_kind::in_list:
      return check_list(place);
    case condition_kind::contains:
    case condition_kind::starts_with:
    case condition_kind::ends_with:
      require_text(node.left);
      return require_text(node.right);
    case condition_kind::like:
    case condition_kind::matches:
    case condition_kind::lower:
    case condition_kind::upper:
    case condition_kind::length:
      return require_text(node.left);
    case condition_kind::is_nan:
    case condition_kind::negate:
    case condition_kind::absolute:
      return require_number(node.left);
    case condition_kind::add:
    case condition_kind::subtract:
    case condition_kind::multiply:
    case condition_kind::divide:
    case condition_kind::modulo:
    case condition_kind::least:
    case condition_kind::greatest:
      require_number(node.left);
      return require_number(node.right);
    default:
      return;
  }
}

// As a message says it: "city holds text (cities.csv:2: 'Boston')".
std::string bound_condition::description_of(std::size_t place) const {
  const condition_node& node = condition_.nodes[place];
  const value_kind kind = kinds_[place];
  if (kind == value_kind::date && is_column(node)) return fmt::format("{} holds dates", node.name);
  if (node.kind == condition_kind::column) {
    const table_column& column = column_of(place);
    if (kind == value_kind::missing) return fmt::format("{} holds nothing", node.name);
    if (kind == value_kind::number) return fmt::format("{} holds numbers", node.name);
    return fmt::format("{} holds text{}", node.name, column.why_text.empty() ? "" : " (" + column.why_text + ")");
  }
  return kind == value_kind::text     ? "this is a text"
         : kind == value_kind::number ? "this is a number"
         : kind == value_kind::date   ? "this is a date"
                                      : "this is a condition";
}

void bound_condition::require_number(std::size_t place) const {
  if (kinds_[place] != value_kind::number && kinds_[place] != value_kind::missing)
    fail(place, description_of(place) + ", but a number is needed here");
}

void bound_condition::require_text(std::size_t place) const {
  if (kinds_[place] == value_kind::text || kinds_[place] == value_kind::missing) return;
  const condition_node& node = condition_.nodes[place];
  fail(place, description_of(place) + ", but a text is needed here" +
                  (node.kind == condition_kind::column ? fmt::format(": text({})", node.name) : ""));
}

void bound_condition::require_condition(std::size_t place) const {
  if (kinds_[place] != value_kind::condition)
    fail(place, description_of(place) + ", but a condition is needed here: compare it");
}

void bound_condition::check_comparison(std::size_t place, std::size_t a, std::size_t b) {
  for (const std::size_t side : {a, b})
    if (kinds_[side] == value_kind::condition)
      fail(side, "this is a condition: only numbers and texts can be compared");
  if (take_date(a, b) || take_date(b, a) || take_time(a, b) || take_time(b, a)) return;
  const auto is = [&](std::size_t side, value_kind kind) { return kinds_[side] == kind; };
  if (is(a, value_kind::date) && is(b, value_kind::date)) {
    if (is_column(condition_.nodes[a]) && is_column(condition_.nodes[b]) &&
        entries_[entry_of_[a]].is_fraction != entries_[entry_of_[b]].is_fraction)
      fail(place, "one of these dates is read with a fraction of a second (%f), and one without");
    return;
  }
  const bool is_mismatch = !is(a, value_kind::missing) && !is(b, value_kind::missing) && kinds_[a] != kinds_[b];
  if (is_mismatch) {
    const std::size_t column = is_column(condition_.nodes[a]) ? a : b;
    const std::size_t other = column == a ? b : a;
    const condition_node& named = condition_.nodes[column];
    std::string advice = "compare numbers with numbers and texts with texts";
    if (is(column, value_kind::date)) advice = "compare it with a date in quotes";
    else if (named.kind == condition_kind::column && is(column, value_kind::number))
      advice = fmt::format("compare it with a number, or text({}) with a text", named.name);
    else if (named.kind == condition_kind::column) advice = "compare it with a text in quotes";
    const condition_node& against = condition_.nodes[other];
    if (against.kind == condition_kind::text && !is(column, value_kind::date) && table_.has_column(against.name))
      advice = fmt::format("is the column `{}` meant? Names go between backticks, texts between quotes", against.name);
    fail(other, fmt::format("{}: {}", description_of(column), advice));
  }
  if (are_texts(a, b) && condition_.nodes[a].kind == condition_kind::text &&
      condition_.nodes[b].kind == condition_kind::text)
    fail(place, "two texts: one of them should be a column");
}

void bound_condition::check_list(std::size_t place) {
  const condition_node& node = condition_.nodes[place];
  condition_list& list = condition_.lists[node.list];
  const value_kind kind = kinds_[node.left];
  const auto wrong = [&](std::string_view advice) {
    throw_condition_error(condition_.text, list.positions.front(),
                          fmt::format("{}: {}", description_of(node.left), advice));
  };
  if (kind == value_kind::condition) fail(node.left, "this is a condition: only numbers and texts can be in a list");
  if (kind == value_kind::date) {
    if (list.texts.empty()) wrong("the list must have dates in quotes");
    for (std::size_t i = 0; i < list.texts.size(); ++i)
      list.numbers.emplace_back(static_cast<__int128>(date_constant(node.left, list.texts[i], list.positions[i])));
    list.texts.clear();
  }
  if (is_time(node.left) && list.numbers.empty()) {
    for (std::size_t i = 0; i < list.texts.size(); ++i)
      list.numbers.emplace_back(time_constant(node.left, list.texts[i], list.positions[i]));
    list.texts.clear();
  }
  if (kind == value_kind::number && list.numbers.empty()) wrong("the list has to be one of numbers");
  if (kind == value_kind::text && list.texts.empty()) wrong("the list has to be one of texts in quotes");
}

bool bound_condition::is_column_with_constant(std::size_t a, std::size_t b) const {
  return is_column(condition_.nodes[a]) && condition_.nodes[b].kind == condition_kind::number;
}

bool bound_condition::are_columns_of_integers(std::size_t a, std::size_t b) const {
  return is_column(condition_.nodes[a]) && is_column(condition_.nodes[b]) && is_integer(column_of(a).type) &&
         is_integer(column_of(b).type);
}

bool bound_condition::needs_cpu(std::size_t place) const {
  const condition_node& node = condition_.nodes[place];
  switch (node.kind) {
    case condition_kind::text:
    case condition_kind::modulo:
    case condition_kind::absolute:
    case condition_kind::least:
    case condition_kind::greatest:
    case condition_kind::length:
    case condition_kind::lower:
    case condition_kind::upper:
    case condition_kind::contains:
    case condition_kind::starts_with:
    case condition_kind::ends_with:
    case condition_kind::like:
    case condition_kind::matches:
      return true;
    case condition_kind::in_list:
      return condition_.lists[node.list].numbers.empty() || condition_.lists[node.list].numbers.size() > longest_list ||
             !is_column(left(node));
    case condition_kind::is_empty:
      return false;
    case condition_kind::column:
    case condition_kind::column_as_text:
    case condition_kind::column_as_date:
      return kinds_[place] == value_kind::text;
    default:
      break;
  }
  const int operands = operands_of(node);
  return (operands > 0 && needs_cpu_[node.left]) || (operands > 1 && needs_cpu_[node.right]) ||
         (operands > 2 && needs_cpu_[node.third]);
}

}  // namespace ballot::app
