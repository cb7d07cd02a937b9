// SPDX-License-Identifier: Apache-2.0
// Entry points of gather and scatter. Items of 1, 2, 4, 8 and 16 bytes at aligned addresses move by
// the headers' kernel, others in units (units.hpp).
#include <ballot/c/calls.hpp>
#include <ballot/c/columns.hpp>
#include <ballot/c/selector.cuh>
#include <ballot/c/units.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/clear_counts.cuh>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/gather/kernels.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot_c {
namespace {

using ballot::detail::elementwise_launch;
using ballot::detail::elementwise_threads;

struct move_lengths {
  length n, places;  // of the indices, of the range that they point into
  u64 largest;
};

// A thread moves a unit; the first of an item counts it if it is left out.
template <bool Scatters, class Unit, class Index>
__global__ void __launch_bounds__(elementwise_threads)
    move_units_kernel(const Unit* in, const Index* indices, Unit* out, unsigned units, move_lengths lengths,
                      ballot::device_count outside) {
  const u64 n = lengths.n.get(), places = lengths.places.get();
  unsigned left_out = 0;
  ballot::detail::transform_tile(
      n * units, [&](u64 i) { return static_cast<u64>(indices[i / units]); },
      [&](u64 i, u64 index) {
        const u64 item = i / units, unit = i - item * units;
        if (index >= places || index > lengths.largest) {
          left_out += unit == 0;
          return;
        }
        const u64 from = Scatters ? item : index, to = Scatters ? index : item;
        out[to * units + unit] = in[from * units + unit];
      });
  ballot::detail::count_outside(outside, left_out);
}

// A call whose arguments are checked.
struct move_request {
  const char* function;
  ballot::stream_t stream;
  const void *in, *indices;
  void* out;
  unsigned item_bytes;
  move_lengths lengths;
  u64 capacity;
  ballot::device_count outside;
};
template <bool Scatters, class U, class Index>
void move_words(const move_request& r) {
  using namespace ballot::detail;
  const auto launch = [&]<unsigned Items>(std::integral_constant<unsigned, Items>) {
    ballot::simt::launch_config config{dim3(tile_count(r.capacity, gather_threads * Items, r.function)),
                                       dim3(gather_threads), 0, r.stream};
    config.overlaps_previous_launch = true;
    ballot::simt::launch(move_kernel<Scatters, Items, U, const U*, const Index*>, config, static_cast<const U*>(r.in),
                         static_cast<const Index*>(r.indices), static_cast<U*>(r.out), r.lengths.n, r.lengths.places,
                         r.lengths.largest, r.outside);
  };
  if (r.capacity <= few_moves) launch(std::integral_constant<unsigned, items_of_few>{});
  else launch(std::integral_constant<unsigned, items_of_many>{});
}
template <bool Scatters, class Unit, class Index>
void move_units(const move_request& r, unsigned units) {
  ballot::simt::launch(move_units_kernel<Scatters, Unit, Index>,
                       elementwise_launch(r.stream, units_of(r.capacity, units, r.function), r.function),
                       static_cast<const Unit*>(r.in), static_cast<const Index*>(r.indices), static_cast<Unit*>(r.out),
                       units, r.lengths, r.outside);
}
template <bool Scatters, class Index>
void move_items(const move_request& r) {
  if (are_words(r.in, r.out, r.item_bytes))
    return with_word(r.item_bytes, [&]<class U>() { move_words<Scatters, U, Index>(r); });
  with_unit(r.in, r.out, r.item_bytes, [&]<class U>(unsigned units) { move_units<Scatters, U, Index>(r, units); });
}

void move(const ballot_exec& where, const char* function, bool scatters, const ballot_array& in,
          const ballot_array& indices, const ballot_array& out, const ballot_array& outside_array) {
  const type_info type = require_array(function, "in", in, accepts::anything_to_move, true);
  if (type.is_positions) fail(function, "`in` are positions, which are in no memory");
  require_array(function, "out", out, accepts::anything_to_move);
  require_same_type(function, "in", in.type, "out", out.type);
  const type_info index = require_array(function, "indices", indices, accepts::counts, true);
  const u64 n = indices.length;
  if (scatters) ballot::detail::require_same_length(function, "in", in.length, "indices", n);
  else ballot::detail::require_same_length(function, "indices", n, "out", out.length);
  if (scatters && in.count != nullptr && indices.count != nullptr)
    fail(function, "`in` and `indices` are both counted: one may be");
  ballot::device_count outside;
  argument_list written, read;
  written.add("out", out);
  if (outside_array.type != BALLOT_NONE) {
    outside = count_of(function, "outside", outside_array);
    ballot::detail::require_count(function, "outside", outside, n);
    written.add(argument_of("outside", outside));
  }
  read.add("in", in);
  read.add("indices", indices);
  read.add(argument_of("in.length", length_of(in)));
  read.add(argument_of("indices.length", length_of(indices)));
  require_memory_of(function, where, 0, written, read);
  const ballot::stream_t stream = exec_of(function, where).stream();
  if (outside.address() != nullptr) ballot::detail::clear_counts(stream, outside);
  if (n == 0) return;
  const ballot::detail::count_type of_index{index.bytes == 8, index.is_signed};
  move_lengths lengths{length_of(indices), length_of(in), of_index.largest()};
  if (scatters) {
    if (indices.count == nullptr) lengths.n = length_of(in);
    lengths.places = length{out.length};
  }
  const move_request request{function, stream, in.data, indices.data, out.data, type.bytes, lengths, n, outside};
  with_index(index.bytes == 8, [&]<class Index>() {
    if (scatters) move_items<true, Index>(request);
    else move_items<false, Index>(request);
  });
}

}  // namespace
}  // namespace ballot_c

using namespace ballot_c;

extern "C" {

ballot_status ballot_gather(ballot_exec where, ballot_array in, ballot_array indices, ballot_array out,
                            ballot_array outside) {
  return guarded([&] { move(where, "gather", false, in, indices, out, outside); });
}
ballot_status ballot_scatter(ballot_exec where, ballot_array in, ballot_array indices, ballot_array out,
                             ballot_array outside) {
  return guarded([&] { move(where, "scatter", true, in, indices, out, outside); });
}

}  // extern "C"
