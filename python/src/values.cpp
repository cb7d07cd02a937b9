// SPDX-License-Identifier: Apache-2.0
// The checks of arguments that calls share.
#include "work.hpp"

#include <algorithm>
#include <string>

namespace ballot_python {

const char* name_of_items(const array& a) { return a.is_bool ? "bool" : name_of(a.c.type); }

void require_one_dimension(const array& a, const char* name) {
  if (a.dimensions != 1)
    raise_value(std::string(name) + " has " + std::to_string(a.dimensions) + " dimensions, one is needed");
}
void require_same_length(const array& a, const char* name, const array& other, const char* other_name) {
  if (a.c.length != other.c.length)
    raise_value(std::string(name) + " has " + std::to_string(a.c.length) + " items, " + other_name + " has " +
                std::to_string(other.c.length));
}

void require_same_type(const array& a, const char* name, const array& other, const char* other_name) {
  if (a.c.type != other.c.type || a.is_bool != other.is_bool)
    raise_type(std::string(name) + " has items of type " + name_of_items(a) + ", " + other_name + " of type " +
               name_of_items(other));
}

void require_index(const array& a, const char* name) {
  switch (a.c.type) {
    case BALLOT_I32:
    case BALLOT_U32:
    case BALLOT_I64:
    case BALLOT_U64:
      return;
    default:
      raise_type(std::string(name) + " has items of type " + name_of_items(a) +
                 ": int32, uint32, int64 or uint64 is needed");
  }
}

void require_count(const array& a, const char* name) {
  require_one_dimension(a, name);
  require_index(a, name);
}

ballot_selector by_mask(const array& mask, const char* name) {
  if (bytes_of(mask.c.type) != 1)
    raise_type(std::string(name) + " has items of " + std::to_string(bytes_of(mask.c.type)) +
               " bytes: bool or uint8 is needed");
  return ballot_by_bytes(mask.c);
}
ballot_segments segments_of(const array& a, bool by_heads) {
  if (by_heads) return ballot_segments_by(BALLOT_HEAD_BYTES, by_mask(a, "heads").array);
  require_count(a, "offsets");
  return ballot_segments_by(BALLOT_SEGMENT_OFFSETS, a.c);
}

int choice(PyObject* given, const char* name, std::initializer_list<const char*> names) {
  if (PyUnicode_Check(given)) {
    int i = 0;
    for (const char* candidate : names) {
      if (PyUnicode_CompareWithASCIIString(given, candidate) == 0) return i;
      ++i;
    }
  }
  std::string all;
  for (const char* candidate : names) all += (all.empty() ? "" : ", ") + std::string(candidate);
  raise_value(std::string(name) + " is " + repr(given) + ": " + all);
}
ballot_type index_type(PyObject* given) {
  constexpr ballot_type types[] = {BALLOT_I64, BALLOT_I32, BALLOT_U32, BALLOT_U64};
  return types[choice(given, "index", {"int64", "int32", "uint32", "uint64"})];
}
constexpr const char* operator_names[] = {"plus", "minimum", "maximum", "bit_and", "bit_or", "bit_xor"};
ballot_operator operator_of(PyObject* given) {
  return choice(given, "op", {"plus", "minimum", "maximum", "bit_and", "bit_or", "bit_xor"});
}

namespace {

// Of items of that type by plus, beside the type itself: ballot.h has the list.
std::vector<ballot_type> longer_sums(ballot_type items) {
  switch (items) {
    case BALLOT_U8:
      return {BALLOT_I32, BALLOT_U32, BALLOT_I64, BALLOT_U64};
    case BALLOT_I8:
    case BALLOT_I16:
    case BALLOT_U16:
    case BALLOT_I32:
    case BALLOT_U32:
      return {BALLOT_I64, BALLOT_U64};
    case BALLOT_F16:
    case BALLOT_BF16:
      return {BALLOT_F32};
    case BALLOT_F32:
      return {BALLOT_F64};
    default:
      return {};
  }
}

}  // namespace

named_type sum_type(const array& items, const char* name, ballot_operator op, PyObject* dtype) {
  const bool is_plus = op == BALLOT_PLUS;
  if (dtype == Py_None) {
    if (!is_plus) return {items.c.type, items.is_bool};
    if (items.is_bool) return {BALLOT_I64, false};
    switch (items.c.type) {
      case BALLOT_I8:
      case BALLOT_I16:
      case BALLOT_I32:
        return {BALLOT_I64, false};
      case BALLOT_U8:
      case BALLOT_U16:
      case BALLOT_U32:
        return {BALLOT_U64, false};
      default:
        return {items.c.type, false};
    }
  }
  const named_type wanted = type_named(dtype, "dtype");
  const std::vector<ballot_type> longer = is_plus ? longer_sums(items.c.type) : std::vector<ballot_type>{};
  const bool is_right = wanted.is_bool ? items.is_bool && !is_plus
                                       : wanted.type == items.c.type ||
                                             std::find(longer.begin(), longer.end(), wanted.type) != longer.end();
  if (!is_right) {
    std::string has = is_plus && items.is_bool ? "uint8" : name_of_items(items);
    for (const ballot_type type : longer) has += std::string(", ") + name_of(type);
    raise_type(std::string("dtype is ") + (wanted.is_bool ? "bool" : name_of(wanted.type)) + ": " + name +
               " has items of type " + name_of_items(items) + ", by " + operator_names[op] + " it may be " + has);
  }
  return wanted;
}

const void* initial_of(const named_type& sums, ballot_operator op) {
  static constexpr std::uint8_t set = 1;
  return sums.is_bool && (op == BALLOT_MINIMUM || op == BALLOT_BIT_AND) ? &set : nullptr;
}

std::int32_t nans_of(PyObject* given) { return choice(given, "nans", {"last", "first", "by_bits"}); }
ballot_order_options order_options(PyObject* descending, PyObject* nans) {
  ballot_order_options options{};
  options.size = sizeof options;
  options.direction = is_true(descending) ? BALLOT_DESCENDING : BALLOT_ASCENDING;
  options.nans = nans_of(nans);
  return options;
}
ballot_sort_options sort_options(PyObject* descending, PyObject* nans, PyObject* bits, PyObject* zeros) {
  ballot_sort_options options{};
  options.size = sizeof options;
  options.direction = is_true(descending) ? BALLOT_DESCENDING : BALLOT_ASCENDING;
  options.nans = nans_of(nans);
  options.zeros = choice(zeros, "zeros", {"apart", "equal"});
  if (bits != Py_None) {
    const ref pair = ref::owned(PySequence_Tuple(bits));
    if (PyTuple_Size(pair.get()) != 2) raise_value("bits is " + repr(bits) + ": (low, high) is needed");
    const std::int64_t low = integer(PyTuple_GetItem(pair.get(), 0)), high = integer(PyTuple_GetItem(pair.get(), 1));
    if (low == high) raise_value("bits " + repr(pair.get()) + " are none: nothing would be sorted by them");
    if (low < 0 || high < low || high > 128) raise_value("bits " + repr(pair.get()) + " are no range of bits");
    options.low_bit = static_cast<std::int32_t>(low);
    options.high_bit = static_cast<std::int32_t>(high);
  }
  return options;
}

std::uint64_t natural(PyObject* given, const char* name) {
  const ref index = ref::owned(PyNumber_Index(given));
  const std::int64_t value = integer(index.get());
  if (value < 0) raise_value(std::string(name) + " is " + std::to_string(value) + ", less than 0");
  return static_cast<std::uint64_t>(value);
}

}  // namespace ballot_python
