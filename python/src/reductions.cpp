// SPDX-License-Identifier: Apache-2.0
// Reductions. The signatures and what they mean are in ballot/_reductions.py.
#include "work.hpp"

#include <string>

namespace ballot_python {
namespace {

// (items, op, dtype's name or None, whether along rows)
PyObject* reduce(PyObject* const* a) {
  const library& b = libballot();
  const ballot_operator op = operator_of(a[1]);
  const bool along_rows = is_true(a[3]);
  work w{{"items", a[0]}};
  const array& items = w[0];
  const named_type sums = w.sums(items, "items", op, a[2]);
  const void* initial = initial_of(sums, op);
  if (!along_rows) {
    const array out = w.of_shape(ref::owned(PyTuple_New(0)), sums.type, sums.is_bool);
    w.run(scratch_bytes(b.reduce_scratch_bytes, sums.type, items.c.length),
          [&](ballot_exec e) { return b.reduce(e, items.c, initial, op, out.c); });
    return w.give(out);
  }
  if (items.dimensions == 0) raise_value("items has no dimension to reduce along");
  const array out =
      w.of_shape(ref::owned(PySequence_GetSlice(items.shape.get(), 0, items.dimensions - 1)), sums.type, sums.is_bool);
  if (out.c.length == 0) return w.give(out);
  if (items.row == 0) raise_value("the rows of items have no items");
  const std::size_t bytes =
      scratch_bytes(b.segmented_reduce_scratch_bytes, sums.type, BALLOT_SEGMENT_ROWS, items.c.length);
  w.run(bytes, [&](ballot_exec e) {
    return b.segmented_reduce(e, items.c, ballot_segments_of(items.row), initial, op, out.c, ballot_nothing());
  });
  return w.give(out);
}

// (items, whether the largest)
PyObject* arg_extreme(PyObject* const* a) {
  const library& b = libballot();
  const bool is_largest = is_true(a[1]);
  work w{{"items", a[0]}};
  const array& items = w[0];
  if (items.c.length == 0) raise_value("items has no items: there is no first one");
  array out = w.of_length(2, BALLOT_I64);  // the position, and the value in the second half
  w.run(scratch_bytes(b.arg_scratch_bytes, items.c.type, items.c.length), [&](ballot_exec e) {
    return is_largest ? b.arg_max(e, items.c, out.c.data) : b.arg_min(e, items.c, out.c.data);
  });
  w.keep_first(out);
  return w.give(out);
}

// (items, segments, whether they are heads, op, dtype's name or None)
PyObject* segmented_reduce(PyObject* const* a) {
  const library& b = libballot();
  const bool by_heads = is_true(a[2]);
  const ballot_operator op = operator_of(a[3]);
  work w{{"items", a[0]}, {by_heads ? "heads" : "offsets", a[1]}};
  const array &items = w[0], &segments = w[1];
  require_one_dimension(items, "items");
  require_one_dimension(segments, by_heads ? "heads" : "offsets");
  if (by_heads) require_same_length(segments, "heads", items, "items");
  const ballot_segments where = segments_of(segments, by_heads);
  if (!by_heads && segments.c.length == 0) raise_value("offsets has no items: one more than segments is needed");
  const named_type sums = w.sums(items, "items", op, a[4]);
  const array out = by_heads ? w.like(items, sums) : w.of_length(segments.c.length - 1, sums.type, sums.is_bool);
  const array count = by_heads ? w.count() : array{};
  w.run(scratch_bytes(b.segmented_reduce_scratch_bytes, sums.type, where.kind, items.c.length), [&](ballot_exec e) {
    return b.segmented_reduce(e, items.c, where, initial_of(sums, op), op, out.c,
                              by_heads ? count.c : ballot_nothing());
  });
  return by_heads ? w.counted(count, out) : w.give(out);
}

// (keys, values, op, dtype's name or None)
PyObject* reduce_by_key(PyObject* const* a) {
  const library& b = libballot();
  const ballot_operator op = operator_of(a[2]);
  work w{{"keys", a[0]}, {"values", a[1]}};
  const array &keys = w[0], &values = w[1];
  require_one_dimension(keys, "keys");
  require_one_dimension(values, "values");
  require_same_length(values, "values", keys, "keys");
  const named_type sums = w.sums(values, "values", op, a[3]);
  const array keys_out = w.like(keys), out = w.like(keys, sums), count = w.count();
  w.run(scratch_bytes(b.reduce_by_key_scratch_bytes, keys.c.type, sums.type, keys.c.length),
        [&](ballot_exec e) { return b.reduce_by_key(e, keys.c, values.c, op, keys_out.c, out.c, count.c); });
  return w.counted(count, std::vector<array>{keys_out, out});
}

}  // namespace

PyMethodDef reduction_functions[] = {method<4, reduce>("reduce"),
                                     method<2, arg_extreme>("arg_extreme"),
                                     method<5, segmented_reduce>("segmented_reduce"),
                                     method<4, reduce_by_key>("reduce_by_key"),
                                     {nullptr, nullptr, 0, nullptr}};

}  // namespace ballot_python
