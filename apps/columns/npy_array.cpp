// SPDX-License-Identifier: Apache-2.0
#include "columns/npy_array.hpp"

#include "base/failure.hpp"
#include "columns/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ballot::app {
namespace {

constexpr std::size_t written_bytes = std::size_t{32} << 20;

std::string_view why_not_summed(const npy_type& type) {
  switch (type.kind) {
    case npy_type::date:
      return "points in time, which cannot be added up";
    case npy_type::boolean:
      return "booleans: save numbers, for example array.astype('u4')";
    case npy_type::bytes:
    case npy_type::wide:
      return "texts";
    default:
      return "not numbers that ballot reads";
  }
}

}  // namespace

npy_array::type_check require_summable(std::optional<dtype> expected) {
  return [expected](const npy_type& type, const std::string& descr) {
    if (type.kind != npy_type::number && type.kind != npy_type::half && type.kind != npy_type::duration)
      throw failure(fmt::format("items of type '{}' are {} ({}, f16 and timedelta64 are)", descr, why_not_summed(type),
                                dtype_names));
    if (expected && *expected != *type.read_as)
      throw failure(fmt::format("--dtype {} contradicts the file, whose items are read as {}", name_of(*expected),
                                name_of(*type.read_as)));
  };
}

npy_array::npy_array(input_file file, const type_check& require_type) : file_(std::move(file)) {
  try {
    header_ = read_npy_header(file_);
    if (header_.structured)
      throw failure(fmt::format("items are structured ({}): save one field", header_.descr.substr(0, 60)));
    type_ = npy_type_of(header_.descr);
    require_type(type_, header_.descr);
    count_ = count_in(header_);
  } catch (const failure& problem) {
    throw failure(fmt::format("{}: {}", file_.name(), problem.what()));
  }
  if (file_.remaining()) require_npy_bytes(file_.name(), type(), type_.item_bytes, count_, *file_.remaining());
}

host_buffer npy_array::read(phase_clock& clock) {
  scoped_phase reading(clock, phase::read);
  host_buffer items = read_rest(file_);
  require_npy_bytes(file_.name(), type(), type_.item_bytes, count_, items.size());
  if (header_.fortran_order && count_ != 0)
    items = in_c_order(std::as_const(items).bytes(), header_.shape, type_.item_bytes);
  if (!type_.is_native()) {
    host_buffer numbers(static_cast<std::size_t>(count_) * size_of(type()));
    read_npy_items(type_, items.data(), type_.item_bytes, count_, numbers.data());
    items = std::move(numbers);
  }
  if (type_.has_nat()) {
    const auto times = std::as_const(items).as<std::int64_t>();
    const auto none = std::find(times.begin(), times.end(), not_a_time);
    if (none != times.end())
      throw failure(fmt::format("{}: item {} is NaT, which cannot be added up", file_.name(), none - times.begin()));
  }
  return items;
}

void npy_array::write(output_file& to, std::span<const std::byte> items, phase_clock& clock) const {
  scoped_phase writing(clock, phase::write);
  const std::string preamble = npy_preamble(header_.descr, header_.shape);
  to.write(std::as_bytes(std::span(preamble)));
  host_buffer stored;
  while (!items.empty()) {
    const auto part = items.first(std::min(items.size(), written_bytes));
    items = items.subspan(part.size());
    if (type_.is_native()) {
      to.write(part);
      continue;
    }
    stored.resize(part.size() / size_of(type()) * static_cast<std::size_t>(type_.item_bytes));
    write_npy_items(type_, part, stored.data());
    to.write(stored.bytes());
  }
}

}  // namespace ballot::app
