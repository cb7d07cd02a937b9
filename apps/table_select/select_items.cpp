// SPDX-License-Identifier: Apache-2.0
#include "table_select/select_items.hpp"

#include "base/failure.hpp"
#include "base/text.hpp"
#include "conditions/condition_lexer.hpp"
#include "table_select/select_rows.hpp"
#include "tables/row_chunks.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace ballot::app {
namespace {

class items_table final : public table {
 public:
  items_table(std::string name, dtype type, host_buffer items)
      : name_(std::move(name)), type_(type), items_(std::move(items)) {}

  const std::string& name() const override { return name_; }
  std::uint64_t rows() const override { return items_.size() / size_of(type_); }
  std::uint64_t bytes() const override { return items_.size(); }
  std::span<const std::byte> row(std::uint64_t i) const override {
    return items_.bytes().subspan(static_cast<std::size_t>(i) * size_of(type_), size_of(type_));
  }
  std::string header(std::uint64_t) const override { return {}; }
  bool has_column(std::string_view name) const override { return name == "value"; }
  std::string columns_in_words() const override { return "value"; }
  table_column column(const std::string& name, const requested_type& requested) const override {
    if (!has_column(name)) throw_no_column(name);
    if (requested.type && requested.type != type_)
      throw usage_error(fmt::format("{}: the items are {}, not {}", name_, name_of(type_), name_of(*requested.type)));
    table_column column;
    column.name = name;
    column.type = type_;
    column.numbers.append(items_.bytes());
    return column;
  }

 private:
  std::string name_;
  dtype type_;
  host_buffer items_;
};

}  // namespace

void require_item_condition(const row_condition& condition) {
  for (const condition_node& node : condition.nodes) {
    const auto fail = [&](std::string_view what) { throw_condition_error(condition.text, node.position, what); };
    if (node.kind == condition_kind::column_as_text || node.kind == condition_kind::column_as_date)
      fail("the items are numbers: only tables have texts and dates");
    if (node.kind == condition_kind::column && node.name != "value")
      fail(fmt::format("unknown name {}: the only column is value", in_quotes(node.name)));
    if (node.kind == condition_kind::column && node.type) fail("--dtype says the type of the items");
  }
  const items_table nothing("the input", dtype::i64, {});
  const bound_condition check(condition, nothing);
}

item_counts select_items(const item_condition& wanted, engine& worker, source& in, sink& out, phase_clock& clock) {
  const dtype type = in.type();
  const items_table items(in.name(), type, read_all(in, clock));
  row_selection rows;
  rows.where = wanted.where;
  rows.invert = wanted.invert;
  rows.verify = wanted.verify;
  const host_buffer chosen = select_rows(items, rows, worker, clock);
  const std::span<const std::uint64_t> places = std::as_const(chosen).as<std::uint64_t>();
  host_buffer selected(places.size() * size_of(type));
  {
    scoped_phase computing(clock, phase::compute);
    for_each_row_chunk(places.size(), [&](std::uint64_t, std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i)
        std::memcpy(selected.data() + i * size_of(type), items.row(places[i]).data(), size_of(type));
    });
  }
  out.begin(places.size());
  write_all(out, selected.bytes(), clock);
  return {items.rows(), places.size()};
}

}  // namespace ballot::app
