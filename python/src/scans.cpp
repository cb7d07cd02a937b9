// SPDX-License-Identifier: Apache-2.0
// Scans and reductions. The signatures and what they mean are in ballot/_scans.py.
#include "work.hpp"

namespace ballot_python {
namespace {

// (items, op, dtype's name or None, exclusive, reverse, reproducible)
PyObject* cumsum(PyObject* const* a) {
  const library& b = libballot();
  const ballot_operator op = operator_of(a[1]);
  const bool is_exclusive = is_true(a[3]), is_reverse = is_true(a[4]), is_reproducible = is_true(a[5]);
  work w{{"items", a[0]}};
  const array& items = w[0];
  if (items.dimensions > 1 && (op != BALLOT_PLUS || is_exclusive || is_reproducible))
    raise_value("along rows there are inclusive sums by plus alone");
  const named_type sums = w.sums(items, "items", op, a[2]);
  const ballot_type type = sums.type;
  const array out = w.like(items, sums);
  if (items.dimensions > 1) {
    if (items.c.length == 0) return w.give(out);
    const array source = type == items.c.type ? items : w.converted(items, type);
    const ballot_batch batch{items.c.length / items.row, items.row, 0, 0};
    w.run(scratch_bytes(b.batched_scan_scratch_bytes, type, 0, batch.rows, batch.length), [&](ballot_exec e) {
      return b.batched_scan(e, source.c, out.c, batch, is_reverse ? BALLOT_ROWS_BACKWARD : BALLOT_ROWS_FORWARD,
                            BALLOT_ACCUMULATE_ITEMS);
    });
    return w.give(out);
  }
  const ballot_scan_options options{sizeof(ballot_scan_options), nullptr, is_reverse ? BALLOT_BACKWARD : BALLOT_FORWARD,
                                    is_reproducible ? 1 : 0};
  w.run(scratch_bytes(b.scan_scratch_bytes, type, items.c.length), [&](ballot_exec e) {
    return is_exclusive ? b.exclusive_scan(e, items.c, initial_of(sums, op), op, out.c, &options)
                        : b.inclusive_scan(e, items.c, op, out.c, &options);
  });
  return w.give(out);
}

// (items, segments, whether they are heads, op, exclusive, reverse)
PyObject* segmented_cumsum(PyObject* const* a) {
  const library& b = libballot();
  const bool by_heads = is_true(a[2]), is_exclusive = is_true(a[4]);
  const std::int32_t order = is_true(a[5]) ? BALLOT_BACKWARD : BALLOT_FORWARD;
  const ballot_operator op = operator_of(a[3]);
  work w{{"items", a[0]}, {by_heads ? "heads" : "offsets", a[1]}};
  const array &items = w[0], &segments = w[1];
  require_one_dimension(items, "items");
  if (by_heads) {
    require_one_dimension(segments, "heads");
    require_same_length(segments, "heads", items, "items");
  }
  const ballot_segments where = segments_of(segments, by_heads);
  // In the items' type, as the library has them. How many of bool are set is no bool.
  const bool is_count = items.is_bool && op == BALLOT_PLUS;
  const named_type sums = is_count ? w.sums(items, "items", op, Py_None) : named_type{items.c.type, items.is_bool};
  const array source = is_count ? w.converted(items, sums.type) : items;
  const array out = w.like(items, sums);
  w.run(scratch_bytes(b.segmented_scan_scratch_bytes, sums.type, where.kind, items.c.length), [&](ballot_exec e) {
    return is_exclusive ? b.segmented_exclusive_scan(e, source.c, where, initial_of(sums, op), op, out.c, order)
                        : b.segmented_inclusive_scan(e, source.c, where, op, out.c, order);
  });
  return w.give(out);
}

}  // namespace

PyMethodDef scan_functions[] = {
    method<6, cumsum>("cumsum"), method<6, segmented_cumsum>("segmented_cumsum"), {nullptr, nullptr, 0, nullptr}};

}  // namespace ballot_python
