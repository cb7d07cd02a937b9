// SPDX-License-Identifier: Apache-2.0
// Sorts. The signatures and what they mean are in ballot/_sorts.py.
#include "work.hpp"

namespace ballot_python {
namespace {

// (keys, descending, nans, bits, zeros)
PyObject* sort(PyObject* const* a) {
  const library& b = libballot();
  const ballot_sort_options options = sort_options(a[1], a[2], a[3], a[4]);
  work w{{"keys", a[0]}};
  const array& keys = w[0];
  const array out = w.like(keys);
  if (keys.c.length == 0) return w.give(out);
  if (keys.dimensions > 1) {
    w.run(scratch_bytes(b.batched_sort_scratch_bytes, keys.c.type, BALLOT_NONE, keys.c.length, keys.row),
          [&](ballot_exec e) { return b.batched_sort(e, keys.c, keys.row, out.c, &options); });
  } else {
    w.run(scratch_bytes(b.sort_scratch_bytes, keys.c.type, keys.c.length),
          [&](ballot_exec e) { return b.sort(e, keys.c, out.c, &options); });
  }
  return w.give(out);
}

// (keys, descending, nans, bits, zeros, index, return_keys)
PyObject* argsort(PyObject* const* a) {
  const library& b = libballot();
  const ballot_sort_options options = sort_options(a[1], a[2], a[3], a[4]);
  const ballot_type index = index_type(a[5]);
  const bool returns_keys = is_true(a[6]);
  work w{{"keys", a[0]}};
  const array& keys = w[0];
  const array order = w.like(keys, index), sorted = returns_keys ? w.like(keys) : array{};
  if (keys.c.length > 0 && keys.dimensions > 1) {
    w.run(scratch_bytes(b.batched_sort_scratch_bytes, keys.c.type, index, keys.c.length, keys.row),
          [&](ballot_exec e) { return b.batched_argsort(e, keys.c, keys.row, sorted.c, order.c, &options); });
  } else if (keys.c.length > 0) {
    w.run(scratch_bytes(b.argsort_scratch_bytes, keys.c.type, index, keys.c.length),
          [&](ballot_exec e) { return b.argsort(e, keys.c, sorted.c, order.c, &options); });
  }
  return returns_keys ? w.give(sorted, order) : w.give(order);
}

// (keys, values, descending, nans, bits, zeros)
PyObject* sort_by_key(PyObject* const* a) {
  const library& b = libballot();
  const ballot_sort_options options = sort_options(a[2], a[3], a[4], a[5]);
  work w{{"keys", a[0]}, {"values", a[1]}};
  const array &keys = w[0], &values = w[1];
  require_one_dimension(keys, "keys");
  require_one_dimension(values, "values");
  require_same_length(values, "values", keys, "keys");
  const array keys_out = w.like(keys), values_out = w.like(values);
  w.run(scratch_bytes(b.sort_pairs_scratch_bytes, keys.c.type, values.c.type, keys.c.length),
        [&](ballot_exec e) { return b.sort_pairs(e, keys.c, values.c, keys_out.c, values_out.c, &options); });
  return w.give(keys_out, values_out);
}

// (keys, offsets, descending, nans, bits, zeros)
PyObject* segmented_sort(PyObject* const* a) {
  const library& b = libballot();
  const ballot_sort_options options = sort_options(a[2], a[3], a[4], a[5]);
  work w{{"keys", a[0]}, {"offsets", a[1]}};
  const array &keys = w[0], &offsets = w[1];
  require_one_dimension(keys, "keys");
  require_count(offsets, "offsets");
  const array out = w.like(keys);
  w.run(scratch_bytes(b.segmented_sort_scratch_bytes, keys.c.type, BALLOT_NONE, keys.c.length),
        [&](ballot_exec e) { return b.segmented_sort(e, keys.c, offsets.c, out.c, &options); });
  return w.give(out);
}

// (keys, offsets, descending, nans, bits, zeros, index)
PyObject* segmented_argsort(PyObject* const* a) {
  const library& b = libballot();
  const ballot_sort_options options = sort_options(a[2], a[3], a[4], a[5]);
  const ballot_type index = index_type(a[6]);
  work w{{"keys", a[0]}, {"offsets", a[1]}};
  const array &keys = w[0], &offsets = w[1];
  require_one_dimension(keys, "keys");
  require_count(offsets, "offsets");
  const array out = w.like(keys), order = w.like(keys, index);
  w.run(scratch_bytes(b.segmented_sort_scratch_bytes, keys.c.type, index, keys.c.length),
        [&](ballot_exec e) { return b.segmented_argsort(e, keys.c, offsets.c, out.c, order.c, &options); });
  return w.give(out, order);
}

// (keys, values, offsets, descending, nans, bits, zeros)
PyObject* segmented_sort_by_key(PyObject* const* a) {
  const library& b = libballot();
  const ballot_sort_options options = sort_options(a[3], a[4], a[5], a[6]);
  work w{{"keys", a[0]}, {"values", a[1]}, {"offsets", a[2]}};
  const array &keys = w[0], &values = w[1], &offsets = w[2];
  require_one_dimension(keys, "keys");
  require_one_dimension(values, "values");
  require_same_length(values, "values", keys, "keys");
  require_count(offsets, "offsets");
  const array keys_out = w.like(keys), values_out = w.like(values);
  w.run(scratch_bytes(b.segmented_sort_scratch_bytes, keys.c.type, values.c.type, keys.c.length), [&](ballot_exec e) {
    return b.segmented_sort_pairs(e, keys.c, values.c, offsets.c, keys_out.c, values_out.c, &options);
  });
  return w.give(keys_out, values_out);
}

}  // namespace

PyMethodDef sort_functions[] = {method<5, sort>("sort"),
                                method<7, argsort>("argsort"),
                                method<6, sort_by_key>("sort_by_key"),
                                method<6, segmented_sort>("segmented_sort"),
                                method<7, segmented_argsort>("segmented_argsort"),
                                method<7, segmented_sort_by_key>("segmented_sort_by_key"),
                                {nullptr, nullptr, 0, nullptr}};

}  // namespace ballot_python
