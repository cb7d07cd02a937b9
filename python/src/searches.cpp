// SPDX-License-Identifier: Apache-2.0
// The k largest, histograms, sorted arrays, gathers. The signatures and what they mean are in
// ballot/_searches.py.
#include "work.hpp"

#include <cstring>
#include <string>

namespace ballot_python {
namespace {

// (keys, k, largest, nans, sorted, index)
PyObject* topk(PyObject* const* a) {
  const library& b = libballot();
  const std::uint64_t k = natural(a[1], "k");
  ballot_top_k_options options{};
  options.size = sizeof options;
  options.smallest = is_true(a[2]) ? 0 : 1;
  options.nans = nans_of(a[3]);
  options.by_position = is_true(a[4]) ? 0 : 1;
  const ballot_type index = index_type(a[5]);
  work w{{"keys", a[0]}};
  const array& keys = w[0];
  if (keys.dimensions == 0) raise_value("keys has 0 dimensions, one is needed");
  if (k > keys.row)
    raise_value("k is " + std::to_string(k) + ", the last axis of keys has " + std::to_string(keys.row) + " items");
  const ref rows_shape = ref::owned(PySequence_GetSlice(keys.shape.get(), 0, keys.dimensions - 1));
  const ref last = ref::owned(PyTuple_Pack(1, ref::owned(PyLong_FromUnsignedLongLong(k)).get()));
  const ref shape = ref::owned(PySequence_Concat(rows_shape.get(), last.get()));
  const array out = w.of_shape(shape, keys.c.type, keys.is_bool), order = w.of_shape(shape, index);
  if (out.c.length == 0) return w.give(out, order);
  if (keys.dimensions == 1) {
    w.run(scratch_bytes(b.top_k_scratch_bytes, keys.c.type, keys.c.length, k),
          [&](ballot_exec e) { return b.top_k_indices(e, keys.c, k, out.c, order.c, ballot_nothing(), &options); });
  } else {
    const ballot_rows rows = ballot_rows_at(keys.c.length / keys.row, keys.row, 0);
    w.run(scratch_bytes(b.batched_top_k_scratch_bytes, keys.c.type, rows.rows, k), [&](ballot_exec e) {
      return b.batched_top_k_indices(e, keys.c, rows, k, out.c, order.c, ballot_nothing(), &options);
    });
  }
  return w.give(out, order);
}

// Whether values are searched for in order: in arrays that no cache has room for, where neighbours
// then read the same lines. H100, 2026-11-24, of 10^8 f32: 10^6 values 275 -> 200 us, 10^7 2.43 ->
// 1.3 ms with positions of 8 bytes.
bool pays_in_order(const array& sorted, const array& values) {
  constexpr std::uint64_t least_bytes = std::uint64_t{1} << 27, least_values = std::uint64_t{1} << 19,
                          most = std::uint64_t{1} << 31;
  return sorted.c.length * bytes_of(sorted.c.type) >= least_bytes && sorted.c.length < most &&
         values.c.length >= least_values && values.c.length < most;
}

// The values in order, their positions, and where each belongs: positions of 4 bytes, which are
// widened at the end.
PyObject* search_in_order(work& w, bool is_right, const ballot_order_options& options, ballot_type index) {
  const library& b = libballot();
  const array &sorted = w[0], &values = w[1];
  const bool is_widened = index == BALLOT_I64 && w.converts();
  const ballot_type found_type = is_widened ? BALLOT_I32 : index;
  const std::uint64_t n = values.c.length;
  const auto room = [](std::uint64_t bytes) { return (bytes + 255) / 256 * 256; };
  const std::uint64_t key_bytes = room(n * bytes_of(values.c.type)), order_bytes = room(n * 4),
                      found_bytes = room(n * bytes_of(found_type));
  const std::size_t of_sort = scratch_bytes(b.argsort_scratch_bytes, values.c.type, BALLOT_U32, n);
  const array out = w.like(values, found_type);
  ballot_sort_options order_by{};
  order_by.size = sizeof order_by;
  order_by.direction = options.direction;
  order_by.nans = options.nans;
  w.run(key_bytes + order_bytes + found_bytes + of_sort, [&](ballot_exec e) {
    auto* at = static_cast<unsigned char*>(e.scratch);
    const ballot_array keys = ballot_output(at, n, values.c.type);
    const ballot_array order = ballot_output(at + key_bytes, n, BALLOT_U32);
    const ballot_array found = ballot_output(at + key_bytes + order_bytes, n, found_type);
    e.scratch = at + key_bytes + order_bytes + found_bytes;
    e.scratch_bytes = of_sort;
    ballot_status status = b.argsort(e, values.c, keys, order, &order_by);
    if (status == BALLOT_OK)
      status = is_right ? b.upper_bound(e, sorted.c, keys, found, &options)
                        : b.lower_bound(e, sorted.c, keys, found, &options);
    return status == BALLOT_OK ? b.scatter(e, found, order, out.c, ballot_nothing()) : status;
  });
  return w.give(is_widened ? w.converted(out, index) : out);
}

// (sorted, values, whether right, descending, nans, index)
PyObject* searchsorted(PyObject* const* a) {
  const library& b = libballot();
  const bool is_right = is_true(a[2]);
  const ballot_order_options options = order_options(a[3], a[4]);
  const ballot_type index = index_type(a[5]);
  work w{{"sorted", a[0]}, {"values", a[1]}};
  const array &sorted = w[0], &values = w[1];
  require_one_dimension(sorted, "sorted");
  require_same_type(values, "values", sorted, "sorted");
  if (pays_in_order(sorted, values)) return search_in_order(w, is_right, options, index);
  const array out = w.like(values, index);
  w.run(0, [&](ballot_exec e) {
    return is_right ? b.upper_bound(e, sorted.c, values.c, out.c, &options)
                    : b.lower_bound(e, sorted.c, values.c, out.c, &options);
  });
  return w.give(out);
}

// (keys, descending, nans)
PyObject* is_sorted(PyObject* const* a) {
  const library& b = libballot();
  const ballot_order_options options = order_options(a[1], a[2]);
  work w{{"keys", a[0]}};
  require_one_dimension(w[0], "keys");
  const array out = w.of_shape(ref::owned(PyTuple_New(0)), BALLOT_I64);
  w.run(scratch_bytes(b.is_sorted_scratch_bytes),
        [&](ballot_exec e) { return b.is_sorted(e, w[0].c, out.c, &options); });
  return w.give(out);
}

// (first, second, descending, nans)
PyObject* merge(PyObject* const* a) {
  const library& b = libballot();
  const ballot_order_options options = order_options(a[2], a[3]);
  work w{{"first", a[0]}, {"second", a[1]}};
  const array &first = w[0], &second = w[1];
  require_one_dimension(first, "first");
  require_one_dimension(second, "second");
  require_same_type(second, "second", first, "first");
  const std::uint64_t n = first.c.length + second.c.length;
  const array out = w.of_length(n, first.c.type, first.is_bool);
  w.run(scratch_bytes(b.merge_scratch_bytes, first.c.type, BALLOT_NONE, n),
        [&](ballot_exec e) { return b.merge(e, first.c, second.c, out.c, &options); });
  return w.give(out);
}

// (first, first_values, second, second_values, descending, nans)
PyObject* merge_by_key(PyObject* const* a) {
  const library& b = libballot();
  const ballot_order_options options = order_options(a[4], a[5]);
  work w{{"first", a[0]}, {"first_values", a[1]}, {"second", a[2]}, {"second_values", a[3]}};
  const char* const names[] = {"first", "first_values", "second", "second_values"};
  for (std::size_t i = 0; i < 4; ++i) require_one_dimension(w[i], names[i]);
  require_same_type(w[2], names[2], w[0], names[0]);
  require_same_type(w[3], names[3], w[1], names[1]);
  require_same_length(w[1], names[1], w[0], names[0]);
  require_same_length(w[3], names[3], w[2], names[2]);
  const std::uint64_t n = w[0].c.length + w[2].c.length;
  const array keys = w.of_length(n, w[0].c.type, w[0].is_bool), values = w.of_length(n, w[1].c.type, w[1].is_bool);
  w.run(scratch_bytes(b.merge_scratch_bytes, w[0].c.type, w[1].c.type, n),
        [&](ballot_exec e) { return b.merge_pairs(e, w[0].c, w[1].c, w[2].c, w[3].c, keys.c, values.c, &options); });
  return w.give(keys, values);
}

// (items, indices): rows of items along the first axis.
PyObject* take(PyObject* const* a) {
  const library& b = libballot();
  work w{{"items", a[0]}, {"indices", a[1]}};
  const array &items = w[0], &indices = w[1];
  if (items.dimensions == 0) raise_value("items has 0 dimensions, one is needed");
  require_index(indices, "indices");
  const ref further = ref::owned(PySequence_GetSlice(items.shape.get(), 1, items.dimensions));
  const array out =
      w.of_shape(ref::owned(PySequence_Concat(indices.shape.get(), further.get())), items.c.type, items.is_bool);
  if (out.c.length == 0) return w.give(out);
  ballot_array from = items.c, to = out.c;
  const auto rows = static_cast<std::uint64_t>(integer(PyTuple_GetItem(items.shape.get(), 0)));
  if (items.dimensions > 1) {
    const std::uint64_t bytes = items.c.length / (rows == 0 ? 1 : rows) * bytes_of(items.c.type);
    if (bytes > 16777215) raise_value("the rows of items have " + std::to_string(bytes) + " bytes: at most 16777215");
    from.type = to.type = static_cast<ballot_type>(BALLOT_BYTES(bytes));
    from.length = rows;
    to.length = indices.c.length;
  }
  if (rows == 0) raise_value("items has no items: none can be taken");
  w.run(0, [&](ballot_exec e) { return b.gather(e, from, indices.c, to, ballot_nothing()); });
  return w.give(out);
}

}  // namespace

PyMethodDef search_functions[] = {
    method<6, topk>("topk"),       method<6, searchsorted>("searchsorted"), method<3, is_sorted>("is_sorted"),
    method<4, merge>("merge"),     method<6, merge_by_key>("merge_by_key"), method<2, take>("take"),
    {nullptr, nullptr, 0, nullptr}};

}  // namespace ballot_python
