// SPDX-License-Identifier: Apache-2.0
// Selections, runs and buckets. The signatures and what they mean are in ballot/_selections.py.
#include "work.hpp"

#include <string>

namespace ballot_python {
namespace {

// Several columns, a tuple of the caller's, or one.
struct columns {
  bool are_several;
  std::vector<std::string> names;
  std::vector<input> inputs;
};
columns columns_of(PyObject* items, const char* name) {
  columns found{PyTuple_Check(items) != 0, {}, {}};
  if (!found.are_several) {
    found.inputs.push_back({name, items});
    return found;
  }
  const Py_ssize_t n = PyTuple_Size(items);
  if (n == 0 || n > 16) raise_value(std::string(name) + " is a tuple of " + std::to_string(n) + " arrays: 1 to 16");
  for (Py_ssize_t i = 0; i < n; ++i) found.names.push_back(name + ("[" + std::to_string(i) + "]"));
  for (Py_ssize_t i = 0; i < n; ++i)
    found.inputs.push_back({found.names[static_cast<std::size_t>(i)].c_str(), PyTuple_GetItem(items, i)});
  return found;
}
// New arrays beside the columns, and both as the library has them.
struct column_arrays {
  std::vector<array> outs;
  std::vector<ballot_array> in, out;
  std::vector<ballot_type> types;
};
column_arrays column_arrays_of(work& w, const columns& c, std::size_t first, const array& other,
                               const char* other_name) {
  column_arrays all;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const array& from = w[first + i];
    require_one_dimension(from, c.inputs[i].name);
    require_same_length(other, other_name, from, c.inputs[i].name);
    all.outs.push_back(w.like(from));
    all.in.push_back(from.c);
    all.out.push_back(all.outs.back().c);
    all.types.push_back(from.c.type);
  }
  return all;
}

// (mask, index)
PyObject* nonzero(PyObject* const* a) {
  const library& b = libballot();
  const ballot_type index = index_type(a[1]);
  work w{{"mask", a[0]}};
  const array& mask = w[0];
  require_one_dimension(mask, "mask");
  const ballot_selector select = by_mask(mask, "mask");
  const array out = w.like(mask, index), count = w.count();
  const bool is_long = mask.c.length > std::uint64_t{1} << 32;
  const ballot_array items =
      ballot_input(nullptr, mask.c.length, is_long ? BALLOT_POSITIONS_U64 : BALLOT_POSITIONS_U32);
  w.run(scratch_bytes(b.compact_indices_scratch_bytes, index, mask.c.length),
        [&](ballot_exec e) { return b.compact_indices(e, items, select, out.c, count.c); });
  return w.counted(count, out);
}

// (mask)
PyObject* count_nonzero(PyObject* const* a) {
  const library& b = libballot();
  work w{{"mask", a[0]}};
  const ballot_selector select = by_mask(w[0], "mask");
  const array count = w.of_shape(ref::owned(PyTuple_New(0)), BALLOT_I64);
  const ballot_array items = ballot_input(
      nullptr, w[0].c.length, w[0].c.length > std::uint64_t{1} << 32 ? BALLOT_POSITIONS_U64 : BALLOT_POSITIONS_U32);
  w.run(0, [&](ballot_exec e) { return b.count_if(e, items, select, count.c); });
  return w.give(count);
}

// (items, mask)
PyObject* compact(PyObject* const* a) {
  const library& b = libballot();
  columns c = columns_of(a[0], "items");
  std::vector<input> inputs = c.inputs;
  inputs.push_back({"mask", a[1]});
  work w(inputs);
  const array& mask = w[c.inputs.size()];
  require_one_dimension(mask, "mask");
  const ballot_selector select = by_mask(mask, "mask");
  const column_arrays all = column_arrays_of(w, c, 0, mask, "mask");
  const array count = w.count();
  const auto n = static_cast<std::int32_t>(all.in.size());
  w.run(scratch_bytes(b.compact_scratch_bytes, n, all.types.data(), mask.c.length),
        [&](ballot_exec e) { return b.compact(e, n, all.in.data(), select, all.out.data(), count.c); });
  return c.are_several ? w.counted(count, all.outs) : w.counted(count, all.outs[0]);
}

// (items, mask)
PyObject* split(PyObject* const* a) {
  const library& b = libballot();
  work w{{"items", a[0]}, {"mask", a[1]}};
  const array &items = w[0], &mask = w[1];
  require_one_dimension(items, "items");
  require_one_dimension(mask, "mask");
  require_same_length(mask, "mask", items, "items");
  const ballot_selector select = by_mask(mask, "mask");
  const array out = w.like(items), count = w.count();
  w.run(scratch_bytes(b.split_scratch_bytes, 1, &items.c.type, items.c.length),
        [&](ballot_exec e) { return b.split(e, 1, &items.c, select, &out.c, count.c); });
  return w.give(out, count);
}

// (items)
PyObject* unique(PyObject* const* a) {
  const library& b = libballot();
  work w{{"items", a[0]}};
  const array& items = w[0];
  require_one_dimension(items, "items");
  const array out = w.like(items), count = w.count();
  w.run(scratch_bytes(b.runs_scratch_bytes, items.c.type, BALLOT_NONE, items.c.length),
        [&](ballot_exec e) { return b.unique(e, items.c, out.c, count.c); });
  return w.counted(count, out);
}

// (keys, values)
PyObject* unique_by_key(PyObject* const* a) {
  const library& b = libballot();
  columns c = columns_of(a[1], "values");
  std::vector<input> inputs{{"keys", a[0]}};
  inputs.insert(inputs.end(), c.inputs.begin(), c.inputs.end());
  work w(inputs);
  const array& keys = w[0];
  require_one_dimension(keys, "keys");
  column_arrays all = column_arrays_of(w, c, 1, keys, "keys");
  const array keys_out = w.like(keys), count = w.count();
  const auto n = static_cast<std::int32_t>(all.in.size());
  w.run(scratch_bytes(b.unique_by_key_scratch_bytes, keys.c.type, keys.c.length), [&](ballot_exec e) {
    return b.unique_by_key(e, keys.c, n, all.in.data(), keys_out.c, all.out.data(), count.c);
  });
  all.outs.insert(all.outs.begin(), keys_out);
  return w.counted(count, all.outs);
}

// (items)
PyObject* run_length_encode(PyObject* const* a) {
  const library& b = libballot();
  work w{{"items", a[0]}};
  const array& items = w[0];
  require_one_dimension(items, "items");
  const array values = w.like(items), lengths = w.like(items, BALLOT_I64), count = w.count();
  w.run(scratch_bytes(b.runs_scratch_bytes, items.c.type, BALLOT_I64, items.c.length),
        [&](ballot_exec e) { return b.run_length_encode(e, items.c, values.c, lengths.c, count.c); });
  return w.counted(count, std::vector<array>{values, lengths});
}

// (numbers, buckets, items)
PyObject* multisplit(PyObject* const* a) {
  const library& b = libballot();
  const std::uint64_t buckets = natural(a[1], "buckets");
  if (buckets == 0 || buckets > 256) raise_value("buckets is " + std::to_string(buckets) + ": 1 to 256");
  columns c = columns_of(a[2], "items");
  std::vector<input> inputs{{"numbers", a[0]}};
  inputs.insert(inputs.end(), c.inputs.begin(), c.inputs.end());
  work w(inputs);
  const array& numbers = w[0];
  require_one_dimension(numbers, "numbers");
  const column_arrays all = column_arrays_of(w, c, 1, numbers, "numbers");
  const array offsets = w.of_length(buckets + 1, BALLOT_I64);
  const auto n = static_cast<std::int32_t>(all.in.size());
  const auto k = static_cast<std::uint32_t>(buckets);
  w.run(scratch_bytes(b.multisplit_scratch_bytes, k, numbers.c.length),
        [&](ballot_exec e) { return b.multisplit(e, numbers.c, k, n, all.in.data(), all.out.data(), offsets.c); });
  return c.are_several ? w.give_all(all.outs, offsets) : w.give(all.outs[0], offsets);
}

}  // namespace

PyMethodDef selection_functions[] = {method<2, nonzero>("nonzero"),
                                     method<1, count_nonzero>("count_nonzero"),
                                     method<2, compact>("compact"),
                                     method<2, split>("split"),
                                     method<1, unique>("unique"),
                                     method<2, unique_by_key>("unique_by_key"),
                                     method<1, run_length_encode>("run_length_encode"),
                                     method<3, multisplit>("multisplit"),
                                     {nullptr, nullptr, 0, nullptr}};

}  // namespace ballot_python
