// SPDX-License-Identifier: Apache-2.0
#include "columns/npy.hpp"
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "columns/npy_header.hpp"
#include "columns/npy_type.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace ballot::app {

npy_header read_npy_header(input_file& file) {
  const auto bytes_of = [](auto& container) { return std::as_writable_bytes(std::span(container)); };
  std::array<unsigned char, 8> magic{};
  if (file.read(bytes_of(magic)) < magic.size() ||
      std::string_view(reinterpret_cast<char*>(magic.data()), 6) != "\x93NUMPY")
    throw failure("not an .npy file");
  if (magic[6] < 1 || magic[6] > 3) throw failure(fmt::format(".npy version {}.{} is not known", magic[6], magic[7]));
  // Version 1 has two bytes for the length of the dictionary, later ones have four.
  std::array<unsigned char, 4> length_bytes{};
  const std::span<std::byte> used = bytes_of(length_bytes).first(magic[6] == 1 ? 2 : 4);
  if (file.read(used) < used.size()) throw failure("truncated .npy header");
  std::size_t length = 0;
  for (std::size_t i = length_bytes.size(); i-- > 0;) length = length << 8 | length_bytes[i];
  constexpr std::size_t longest = std::size_t{1} << 20;  // a structured type can be long; this is not one that we read
  if (length > longest) throw failure(fmt::format("bad .npy header: {} bytes long", length));
  std::string dictionary(length, '\0');
  if (file.read(bytes_of(dictionary)) < length) throw failure("truncated .npy header");
  return parse_npy_dictionary(npy_dictionary_of(dictionary, magic[6]));
}

std::uint64_t count_in(const npy_header& header) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / 8;
  if (std::find(header.shape.begin(), header.shape.end(), 0u) != header.shape.end()) return 0;
  std::uint64_t count = 1;
  for (const std::uint64_t n : header.shape) {
    if (n > most / count)
      throw failure(fmt::format("bad .npy header: an array of shape ({})", fmt::join(header.shape, ", ")));
    count *= n;
  }
  return count;
}

void require_npy_bytes(const std::string& name, dtype type, std::uint64_t item_bytes, std::uint64_t count,
                       std::uint64_t bytes) {
  if (bytes < count * item_bytes)
    throw failure(fmt::format("{}: truncated: {} {} items are {} bytes, {} are there", name, count, name_of(type),
                              count * item_bytes, bytes));
  if (bytes > count * item_bytes)
    throw failure(
        fmt::format("{}: {} bytes after the {} items that the header counts", name, bytes - count * item_bytes, count));
}

namespace {

std::string unsupported_type(std::string_view descr) {
  std::string_view what = "not one of the types that ballot reads";
  // Files of these are tables (plans/table_plan.cpp): this is a pipe, or a file behind one of another type.
  if (npy_type_of(descr).kind != npy_type::other) what = "read from files of that type alone, not from a pipe";
  if (descr.ends_with('O')) what = "Python objects";
  if (descr.ends_with("b1")) what = "booleans, which are flags (compact --flags) and not a column";
  return fmt::format("items of type '{}' are {} ({})", descr, what, dtype_names);
}

void require_column(const npy_header& header) {
  if (header.shape.size() != 1)
    throw failure(fmt::format("the array is {}-dimensional, shape ({}){}: only 1-dimensional ones are read",
                              header.shape.size(), fmt::join(header.shape, ", "),
                              header.fortran_order ? ", in Fortran order" : ""));
}

class npy_source final : public source {
 public:
  npy_source(input_file file, dtype type, std::uint64_t count)
      : file_(std::move(file)), type_(type), count_(count), left_(count * size_of(type)) {
    if (file_.remaining()) require_npy_bytes(name(), type_, size_of(type_), count_, *file_.remaining());
  }

  const std::string& name() const override { return file_.name(); }
  dtype type() const override { return type_; }
  std::optional<std::uint64_t> count() const override { return count_; }

  std::size_t read(std::span<std::byte> into) override {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left_));
    const std::size_t got = file_.read(into.first(wanted));
    if (got < wanted) require_npy_bytes(name(), type_, size_of(type_), count_, count_ * size_of(type_) - left_ + got);
    left_ -= got;
    if (wanted < into.size()) {
      std::byte more{};
      if (file_.read(std::span(&more, 1)) > 0) throw_trailing("more data");
    }
    return got;
  }

 private:
  [[noreturn]] void throw_trailing(std::string_view what) const {
    throw failure(fmt::format("{}: {} after the {} items that the header counts", name(), what, count_));
  }

  input_file file_;
  dtype type_;
  std::uint64_t count_;
  std::uint64_t left_;  // bytes
};

class npy_sink final : public sink {
 public:
  // shape: of an array; without, a column of as many items as begin() is told.
  npy_sink(output_file& file, dtype type, std::optional<std::vector<std::uint64_t>> shape)
      : file_(file), type_(type), shape_(std::move(shape)) {}
  void begin(std::uint64_t count) override {
    const std::string preamble = npy_preamble(npy_descr_of(type_), shape_ ? *shape_ : std::vector{count});
    file_.write(std::as_bytes(std::span(preamble)));
  }
  void write(std::span<const std::byte> items) override { file_.write(items); }
  void finish() override {}

 private:
  output_file& file_;
  dtype type_;
  std::optional<std::vector<std::uint64_t>> shape_;
};

// The conditions that every .npy must meet here. Errors begin with the name of the file.
template <class TypeOf, class RequireShape>
std::unique_ptr<source> open_checked(input_file file, TypeOf&& type_of, RequireShape&& require_shape) {
  npy_header header;
  dtype type{};
  std::uint64_t count = 0;
  try {
    header = read_npy_header(file);
    if (header.structured)
      throw failure(fmt::format("items are structured ({}): save one field", header.descr.substr(0, 60)));
    require_shape(header);  // before the type: some types are refused only of a pipe
    type = type_of(header.descr);
    count = count_in(header);
  } catch (const failure& problem) {
    throw failure(fmt::format("{}: {}", file.name(), problem.what()));
  }
  return std::make_unique<npy_source>(std::move(file), type, count);
}

dtype numbers_of(std::string_view descr, std::optional<dtype> expected) {
  const auto type = dtype_of_npy_descr(descr);
  if (!type) throw failure(unsupported_type(descr));
  if (expected && *expected != *type)
    throw failure(
        fmt::format("--dtype {} contradicts the file, whose items are {}", name_of(*expected), name_of(*type)));
  return *type;
}

}  // namespace

std::unique_ptr<source> open_npy(input_file file, std::optional<dtype> expected) {
  return open_checked(
      std::move(file), [&](std::string_view descr) { return numbers_of(descr, expected); }, require_column);
}

std::unique_ptr<source> open_npy_flags(input_file file) {
  const auto flags_of = [&](std::string_view descr) {
    if (descr.size() != 3 || (descr.substr(1) != "u1" && descr.substr(1) != "b1"))
      throw failure(fmt::format("flags of type '{}': u1 or b1 are read", descr));
    return dtype::u8;
  };
  return open_checked(std::move(file), flags_of, require_column);
}

std::unique_ptr<sink> make_npy_sink(output_file& file, dtype type) {
  return std::make_unique<npy_sink>(file, type, std::nullopt);
}

std::unique_ptr<sink> make_npy_sink(output_file& file, dtype type, const std::vector<std::uint64_t>& shape) {
  return std::make_unique<npy_sink>(file, type, shape);
}

}  // namespace ballot::app
