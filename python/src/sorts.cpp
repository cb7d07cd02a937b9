// SPDX-License-Identifier: Apache-2.0
// Sorts. The signatures and what they mean are in ballot/_sorts.py.
#include "work.hpp"

#include <string>

namespace ballot_python {
namespace {

// Rows along the last axis as segments of one length.
array row_offsets(work& w) { return w.arange(w[0].c.length, w[0].row); }

// The order of each row. The sort writes positions in the whole array, of 4 bytes if there are no more; the framework
// subtracts the row's begin, and thereby widens them to 8 bytes, if the caller wants these.
PyObject* argsort_rows(work& w, const ballot_sort_options& options, ballot_type index, bool returns_keys) {
  const library& b = libballot();
  const array &keys = w[0], sorted = w.like(keys), offsets = row_offsets(w);
  const bool is_long = keys.c.length > std::uint64_t{1} << 31, wants_long = index == BALLOT_I64 || index == BALLOT_U64;
  const ballot_type type = is_long ? BALLOT_I64 : BALLOT_I32;
  if (is_long && !wants_long)
    raise_value("index: " + std::to_string(keys.c.length) + " items need positions of 8 bytes");
  array order = w.like(keys, type);
  w.run(scratch_bytes(b.segmented_sort_scratch_bytes, keys.c.type, type, keys.c.length),
        [&](ballot_exec e) { return b.segmented_argsort(e, keys.c, offsets.c, sorted.c, order.c, &options); });
  w.subtract_from_rows(order, offsets, !wants_long || is_long);
  if (index == BALLOT_U32 || index == BALLOT_U64) w.view_as(order, index);
  return returns_keys ? w.give(sorted, order) : w.give(order);
}

// (keys, descending, nans, bits)
PyObject* sort(PyObject* const* a) {
  const library& b = libballot();
  const ballot_sort_options options = sort_options(a[1], a[2], a[3]);
  work w{{"keys", a[0]}};
  const array& keys = w[0];
  const array out = w.like(keys);
  if (keys.c.length == 0) return w.give(out);
  if (keys.dimensions > 1) {
    const array offsets = row_offsets(w);
    w.run(scratch_bytes(b.segmented_sort_scratch_bytes, keys.c.type, BALLOT_NONE, keys.c.length),
          [&](ballot_exec e) { return b.segmented_sort(e, keys.c, offsets.c, out.c, &options); });
  } else {
    w.run(scratch_bytes(b.sort_scratch_bytes, keys.c.type, keys.c.length),
          [&](ballot_exec e) { return b.sort(e, keys.c, out.c, &options); });
  }
  return w.give(out);
}

// (keys, descending, nans, bits, index, return_keys)
PyObject* argsort(PyObject* const* a) {
  const library& b = libballot();
  const ballot_sort_options options = sort_options(a[1], a[2], a[3]);
  const ballot_type index = index_type(a[4]);
  const bool returns_keys = is_true(a[5]);
  work w{{"keys", a[0]}};
  const array& keys = w[0];
  if (keys.dimensions > 1 && keys.c.length > 0) return argsort_rows(w, options, index, returns_keys);
  const array order = w.like(keys, index), sorted = returns_keys ? w.like(keys) : array{};
  if (keys.c.length > 0) {
    w.run(scratch_bytes(b.argsort_scratch_bytes, keys.c.type, index, keys.c.length),
          [&](ballot_exec e) { return b.argsort(e, keys.c, sorted.c, order.c, &options); });
  }
  return returns_keys ? w.give(sorted, order) : w.give(order);
}

// (keys, values, descending, nans, bits)
PyObject* sort_by_key(PyObject* const* a) {
  const library& b = libballot();
  const ballot_sort_options options = sort_options(a[2], a[3], a[4]);
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

// (keys, offsets, descending, nans, bits)
PyObject* segmented_sort(PyObject* const* a) {
  const library& b = libballot();
  const ballot_sort_options options = sort_options(a[2], a[3], a[4]);
  work w{{"keys", a[0]}, {"offsets", a[1]}};
  const array &keys = w[0], &offsets = w[1];
  require_one_dimension(keys, "keys");
  require_count(offsets, "offsets");
  const array out = w.like(keys);
  w.run(scratch_bytes(b.segmented_sort_scratch_bytes, keys.c.type, BALLOT_NONE, keys.c.length),
        [&](ballot_exec e) { return b.segmented_sort(e, keys.c, offsets.c, out.c, &options); });
  return w.give(out);
}

// (keys, offsets, descending, nans, bits, index)
PyObject* segmented_argsort(PyObject* const* a) {
  const library& b = libballot();
  const ballot_sort_options options = sort_options(a[2], a[3], a[4]);
  const ballot_type index = index_type(a[5]);
  work w{{"keys", a[0]}, {"offsets", a[1]}};
  const array &keys = w[0], &offsets = w[1];
  require_one_dimension(keys, "keys");
  require_count(offsets, "offsets");
  const array out = w.like(keys), order = w.like(keys, index);
  w.run(scratch_bytes(b.segmented_sort_scratch_bytes, keys.c.type, index, keys.c.length),
        [&](ballot_exec e) { return b.segmented_argsort(e, keys.c, offsets.c, out.c, order.c, &options); });
  return w.give(out, order);
}

// (keys, values, offsets, descending, nans, bits)
PyObject* segmented_sort_by_key(PyObject* const* a) {
  const library& b = libballot();
  const ballot_sort_options options = sort_options(a[3], a[4], a[5]);
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

PyMethodDef sort_functions[] = {method<4, sort>("sort"),
                                method<6, argsort>("argsort"),
                                method<5, sort_by_key>("sort_by_key"),
                                method<5, segmented_sort>("segmented_sort"),
                                method<6, segmented_argsort>("segmented_argsort"),
                                method<6, segmented_sort_by_key>("segmented_sort_by_key"),
                                {nullptr, nullptr, 0, nullptr}};

}  // namespace ballot_python
