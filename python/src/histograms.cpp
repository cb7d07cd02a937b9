// SPDX-License-Identifier: Apache-2.0
// Histograms. The signatures and what they mean are in ballot/_searches.py.
#include "work.hpp"

#include <string>

namespace ballot_python {
namespace {

// A number of Python as an item of a type: ballot._native.packed.
ref packed(PyObject* number, ballot_type type) {
  const ref module = ref::owned(PyImport_ImportModule("ballot._native"));
  return call(attribute(module.get(), "packed").get(), text(name_of(type)).get(), number);
}

// (items, bins, lower, upper): bins of one width
PyObject* histogram_even(PyObject* const* a) {
  const library& b = libballot();
  const std::uint64_t bins = natural(a[1], "bins");
  if (bins == 0) raise_value("bins is 0: at least 1");
  work w{{"items", a[0]}};
  const array& items = w[0];
  const ref lower = packed(a[2], items.c.type), upper = packed(a[3], items.c.type);
  const array counts = w.of_length(bins, BALLOT_I64);
  const ballot_bins even = ballot_even_bins(PyBytes_AsString(lower.get()), PyBytes_AsString(upper.get()));
  w.run(0, [&](ballot_exec e) { return b.histogram(e, items.c, even, counts.c, ballot_nothing()); });
  return w.give(counts);
}

// (items, levels)
PyObject* histogram_levels(PyObject* const* a) {
  const library& b = libballot();
  work w{{"items", a[0]}, {"bins", a[1]}};
  const array &items = w[0], &levels = w[1];
  require_one_dimension(levels, "bins");
  if (levels.c.length < 2)
    raise_value("bins has " + std::to_string(levels.c.length) + " levels: one more than bins, at least 2");
  require_same_type(levels, "bins", items, "items");
  const array counts = w.of_length(levels.c.length - 1, BALLOT_I64);
  w.run(0, [&](ballot_exec e) {
    return b.histogram(e, items.c, ballot_level_bins(levels.c), counts.c, ballot_nothing());
  });
  return w.give(counts);
}

// (numbers, bins)
PyObject* bincount(PyObject* const* a) {
  const library& b = libballot();
  const std::uint64_t bins = natural(a[1], "bins");
  if (bins == 0) raise_value("bins is 0: at least 1");
  work w{{"numbers", a[0]}};
  const array& numbers = w[0];
  int bits = 0;  // of numbers that are not negative
  switch (numbers.c.type) {
    case BALLOT_I8:
      bits = 7;
      break;
    case BALLOT_U8:
      bits = numbers.is_bool ? 1 : 8;
      break;
    case BALLOT_I16:
      bits = 15;
      break;
    case BALLOT_U16:
      bits = 16;
      break;
    case BALLOT_I32:
      bits = 31;
      break;
    case BALLOT_U32:
      bits = 32;
      break;
    case BALLOT_I64:
    case BALLOT_U64:
      bits = 63;
      break;
    default:
      raise_type(std::string("numbers has items of type ") + name_of(numbers.c.type) + ": integers are needed");
  }
  const std::uint64_t most = std::uint64_t{1} << bits;
  if (bins > most)
    raise_value("bins is " + std::to_string(bins) + ", " + (numbers.is_bool ? "bool" : name_of(numbers.c.type)) +
                " has " + std::to_string(most) + " numbers from 0 on");
  // All numbers of the type: the end is one that it does not have. So the bin is the number itself,
  // as a digit.
  const bool is_whole = bins == most && !numbers.is_bool;
  const bool is_digit = is_whole && (numbers.c.type == BALLOT_U8 || numbers.c.type == BALLOT_U16);
  if (is_whole && !is_digit)
    raise_value("bins is " + std::to_string(bins) + ": at most " + std::to_string(most - 1) + " of " +
                name_of(numbers.c.type));
  const array counts = w.of_length(bins, BALLOT_I64);
  if (is_digit) {
    w.run(0, [&](ballot_exec e) {
      return b.histogram(e, numbers.c, ballot_digit_bins(0, bits), counts.c, ballot_nothing());
    });
    return w.give(counts);
  }
  const ref lower = packed(integer_object(0).get(), numbers.c.type);
  const ref upper = packed(ref::owned(PyLong_FromUnsignedLongLong(bins)).get(), numbers.c.type);
  const ballot_bins even = ballot_even_bins(PyBytes_AsString(lower.get()), PyBytes_AsString(upper.get()));
  w.run(0, [&](ballot_exec e) { return b.histogram(e, numbers.c, even, counts.c, ballot_nothing()); });
  return w.give(counts);
}

}  // namespace

PyMethodDef histogram_functions[] = {method<4, histogram_even>("histogram_even"),
                                     method<2, histogram_levels>("histogram_levels"),
                                     method<2, bincount>("bincount"),
                                     {nullptr, nullptr, 0, nullptr}};

}  // namespace ballot_python
