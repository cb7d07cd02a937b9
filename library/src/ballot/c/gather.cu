// SPDX-License-Identifier: Apache-2.0
// An item is moved in units of the largest power of two, up to 16 bytes, that divides its size and
// its addresses. A thread moves a unit. Neighbouring threads move the units of one item, so its
// bytes are read and written together.
#include <ballot/c/gather.hpp>
#include <ballot/c/units.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot_c {
namespace {

using ballot::detail::elementwise_launch;
using ballot::detail::elementwise_threads;
using ballot::detail::transform_tile;

// Index: of positions; void: items keep their places.
template <class Unit, class Index>
struct gather_arguments {
  const Unit* in;
  Unit* out;
  u64 room;
  unsigned units;  // of an item
  const Index* order;
  length n, skipped;
};

template <class Unit, class Index>
__global__ void __launch_bounds__(elementwise_threads) gather_units_kernel(gather_arguments<Unit, Index> a) {
  const u64 n = a.n.get(), skipped = a.skipped.get();
  const u64 left = skipped < n ? n - skipped : 0, items = left < a.room ? left : a.room;
  transform_tile(
      items * a.units,
      [&](u64 i) {
        const u64 item = i / a.units;
        return a.in[static_cast<u64>(a.order[skipped + item]) * a.units + (i - item * a.units)];
      },
      [&](u64 i, Unit unit) { a.out[i] = unit; });
}

template <class Unit>
__global__ void __launch_bounds__(elementwise_threads)
    copy_units_kernel(const Unit* in, Unit* out, unsigned units, length n) {
  transform_tile(
      n.get() * units, [&](u64 i) { return in[i]; }, [&](u64 i, Unit unit) { out[i] = unit; });
}

template <class W>
__global__ void __launch_bounds__(elementwise_threads) widen_kernel(const u32* in, W* out, length n) {
  transform_tile(
      n.get(), [&](u64 i) { return in[i]; }, [&](u64 i, u32 position) { out[i] = position; });
}

template <class W>
__global__ void __launch_bounds__(elementwise_threads)
    pack_values_kernel(const u8* values, unsigned item_bytes, W* words, length n) {
  transform_tile(
      n.get(),
      [&](u64 i) {
        W word = 0;
        for (unsigned b = 0; b < item_bytes; ++b)
          word = static_cast<W>(word | static_cast<W>(values[i * item_bytes + b]) << (8 * b));
        return word;
      },
      [&](u64 i, W word) { words[i] = word; });
}

template <class W>
__global__ void __launch_bounds__(elementwise_threads)
    unpack_values_kernel(const W* words, u8* values, unsigned item_bytes, length n) {
  transform_tile(
      n.get(), [&](u64 i) { return words[i]; },
      [&](u64 i, W word) {
        for (unsigned b = 0; b < item_bytes; ++b) values[i * item_bytes + b] = static_cast<u8>(word >> (8 * b));
      });
}

// A position that no item has counts as 0: a merge of keys that are not in order leaves some
// unwritten.
template <class Unit, class Index>
__global__ void __launch_bounds__(elementwise_threads)
    gather_units_of_two_kernel(gather_arguments<Unit, Index> a, length others, const Unit* second, u64 first_items) {
  const u64 positions = first_items + others.capacity;
  transform_tile((a.n.get() + others.get()) * a.units,
                 [&](u64 i) {
                   const u64 item = i / a.units, position = a.order[item], unit = i - item * a.units;
                   const u64 from = position < positions ? position : 0;
                   return from < first_items ? a.in[from * a.units + unit]
                                             : second[(from - first_items) * a.units + unit];
                 },
                 [&](u64 i, Unit unit) { a.out[i] = unit; });
}

__global__ void __launch_bounds__(elementwise_threads)
    narrow_positions_kernel(const u64* positions, u32* out, length n) {
  transform_tile(
      n.get(), [&](u64 i) { return positions[i]; }, [&](u64 i, u64 position) { out[i] = static_cast<u32>(position); });
}

template <class Index>
__global__ void __launch_bounds__(elementwise_threads) positions_from_kernel(u64 from, Index* out, length n) {
  transform_tile(
      n.get(), [&](u64 i) { return static_cast<Index>(from + i); }, [&](u64 i, Index index) { out[i] = index; });
}

}  // namespace

void gather(ballot::stream_t stream, const gather_request& r, const char* function) {
  const u64 items = ballot::detail::smaller(r.n.capacity, r.room);
  if (items == 0) return;
  with_unit(r.in, r.out, r.item_bytes, [&]<class Unit>(unsigned units) {
    with_index(r.is_wide, [&]<class Index>() {
      ballot::simt::launch(
          gather_units_kernel<Unit, Index>, elementwise_launch(stream, units_of(items, units, function), function),
          gather_arguments<Unit, Index>{static_cast<const Unit*>(r.in), static_cast<Unit*>(r.out), r.room, units,
                                        static_cast<const Index*>(r.order), r.n, r.skipped});
    });
  });
}

void copy_items(ballot::stream_t stream, const void* in, void* out, unsigned item_bytes, const length& n,
                const char* function) {
  if (n.capacity == 0 || in == out) return;
  if (n.count == nullptr) return ballot::simt::copy_bytes(stream, out, in, n.capacity * item_bytes);
  with_unit(in, out, item_bytes, [&]<class Unit>(unsigned units) {
    ballot::simt::launch(copy_units_kernel<Unit>,
                         elementwise_launch(stream, units_of(n.capacity, units, function), function),
                         static_cast<const Unit*>(in), static_cast<Unit*>(out), units, n);
  });
}

void pack_values(ballot::stream_t stream, const void* values, unsigned item_bytes, void* words, unsigned word_bytes,
                 const length& n, const char* function) {
  with_index(word_bytes == 8, [&]<class W>() {
    ballot::simt::launch(pack_values_kernel<W>, elementwise_launch(stream, n.capacity, function),
                         static_cast<const u8*>(values), item_bytes, static_cast<W*>(words), n);
  });
}
void unpack_values(ballot::stream_t stream, const void* words, unsigned word_bytes, void* values, unsigned item_bytes,
                   const length& n, const char* function) {
  with_index(word_bytes == 8, [&]<class W>() {
    ballot::simt::launch(unpack_values_kernel<W>, elementwise_launch(stream, n.capacity, function),
                         static_cast<const W*>(words), static_cast<u8*>(values), item_bytes, n);
  });
}

void widen_positions(ballot::stream_t stream, const u32* in, u64* out, const length& n, const char* function) {
  ballot::simt::launch(widen_kernel<u64>, elementwise_launch(stream, n.capacity, function), in, out, n);
}

void write_positions(ballot::stream_t stream, void* out, bool is_wide, const length& n, const char* function) {
  if (n.capacity == 0) return;
  with_index(is_wide,
             [&]<class Index>() { ballot::detail::launch_positions(stream, static_cast<Index*>(out), n, function); });
}

void narrow_positions(ballot::stream_t stream, const u64* positions, u32* out, const length& n, const char* function) {
  if (n.capacity == 0) return;
  ballot::simt::launch(narrow_positions_kernel, elementwise_launch(stream, n.capacity, function), positions, out, n);
}

void gather_of_two(ballot::stream_t stream, const void* first, u64 first_items, const void* second,
                   const gather_request& r, const length& others, const char* function) {
  const u64 items = r.n.capacity + others.capacity;
  if (items == 0) return;
  const auto both =
      reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(first) | reinterpret_cast<std::uintptr_t>(second));
  with_unit(both, r.out, r.item_bytes, [&]<class Unit>(unsigned units) {
    with_index(r.is_wide, [&]<class Index>() {
      ballot::simt::launch(
          gather_units_of_two_kernel<Unit, Index>,
          elementwise_launch(stream, units_of(items, units, function), function),
          gather_arguments<Unit, Index>{static_cast<const Unit*>(first), static_cast<Unit*>(r.out), r.room, units,
                                        static_cast<const Index*>(r.order), r.n, r.skipped},
          others, static_cast<const Unit*>(second), first_items);
    });
  });
}

void write_positions_from(ballot::stream_t stream, u64 from, void* out, bool is_wide, const length& n,
                          const char* function) {
  if (n.capacity == 0) return;
  with_index(is_wide, [&]<class Index>() {
    ballot::simt::launch(positions_from_kernel<Index>, elementwise_launch(stream, n.capacity, function), from,
                         static_cast<Index*>(out), n);
  });
}

}  // namespace ballot_c
