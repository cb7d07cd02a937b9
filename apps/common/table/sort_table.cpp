#include "common/table/sort_table.hpp"

#include "common/table/verify_table.hpp"

#include <algorithm>
#include <cstring>

namespace ballot::app {
namespace {

template <class Equal>
void keep_first_of_equals(host_buffer& rows, const Equal& equal) {
  const std::span<std::uint64_t> all = rows.as<std::uint64_t>();
  const auto end = std::unique(all.begin(), all.end(), equal);
  rows.resize(static_cast<std::size_t>(end - all.begin()) * sizeof(std::uint64_t));
}

}  // namespace

host_buffer sort_rows(const table& of, const row_order& wanted, engine& worker, phase_clock& clock) {
  host_buffer rows(static_cast<std::size_t>(of.rows()) * sizeof(std::uint64_t));
  const row_keys keys = [&] {
    scoped_phase reading(clock, phase::read);
    return row_keys(of, wanted.keys);
  }();
  if (of.rows() != 0) {
    worker.order(keys.columns(), rows.as<std::uint64_t>(), clock);
    scoped_phase computing(clock, phase::kernel);
    keys.refine(rows.as<std::uint64_t>());
  }
  if (wanted.verify) {
    scoped_phase checking(clock, phase::verify);
    verify_order(keys.parts(), rows.as<std::uint64_t>());
  }
  host_buffer all;
  if (wanted.verify && wanted.unique) all.append(rows.bytes());
  scoped_phase computing(clock, phase::kernel);
  if (wanted.unique) keep_first_of_equals(rows, [&](std::uint64_t a, std::uint64_t b) { return keys.equal(a, b); });
  if (wanted.verify && wanted.unique) {
    scoped_phase checking(clock, phase::verify);
    verify_unique(keys.parts(), all.as<std::uint64_t>(), rows.as<std::uint64_t>());
  }
  if (wanted.most && *wanted.most < rows.size() / sizeof(std::uint64_t))
    rows.resize(static_cast<std::size_t>(*wanted.most) * sizeof(std::uint64_t));
  return rows;
}

void drop_repeated(const table& of, std::span<const sort_key> keys, host_buffer& rows) {
  if (keys.empty()) {
    keep_first_of_equals(rows, [&](std::uint64_t a, std::uint64_t b) {
      const auto row_a = of.row(a), row_b = of.row(b);
      return row_a.size() == row_b.size() && std::memcmp(row_a.data(), row_b.data(), row_a.size()) == 0;
    });
    return;
  }
  const row_keys compared(of, keys);
  keep_first_of_equals(rows, [&](std::uint64_t a, std::uint64_t b) { return compared.equal(a, b); });
}

}  // namespace ballot::app
