// SPDX-License-Identifier: Apache-2.0
// The kernels of a radix sort's passes on the host, in the shapes of the tuning table.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/local_sort_launch.cuh>
#include <ballot/detail/radix_sort/rounds_kernel.cuh>
#include <ballot/detail/radix_sort/tuning.cuh>
#include <ballot/device/memory.cuh>

#include <type_traits>

namespace ballot::detail {

template <class U, class Shape>
void launch_radix_histogram_in_shape(stream_t stream, radix_histogram_arguments<U> a) {
  const std::uint64_t tiles = ceil_div(a.n.capacity, Shape::items);
  // A block counts in 32 bits: none may take 2^32 keys.
  const std::uint64_t blocks =
      larger(smaller(tiles, Shape::blocks::most()), ceil_div(a.n.capacity, std::uint64_t{1} << 31));
  a.vector_aligned = block::is_vector_aligned<U, Shape::width>(a.keys);
  simt::launch(radix_histogram_kernel<U, Shape>,
               simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(Shape::threads),
                                   sizeof(radix_histogram_storage<U, Shape>), stream, a.overlaps},
               a);
}
// In the given shape, or in one for the number of keys.
template <class U, class Shape = void>
void launch_radix_histogram(stream_t stream, const radix_histogram_arguments<U>& a) {
  if constexpr (!std::is_void_v<Shape>) {
    launch_radix_histogram_in_shape<U, Shape>(stream, a);
  } else if (a.n.capacity > small_radix_items &&
             sizeof(radix_histogram_storage<U, large_radix_histogram<U>>) <= simt::shared_bytes_limit()) {
    launch_radix_histogram_in_shape<U, large_radix_histogram<U>>(stream, a);
  } else {
    launch_radix_histogram_in_shape<U, small_radix_histogram<U>>(stream, a);
  }
}

// The passes of a sort in one shape, as a value. So the host's side of a sort is compiled once, not
// once per shape.
template <class U, class V>
struct radix_pass_launch {
  void (*kernel)(radix_pass_arguments<U, V>);
  unsigned threads;
  unsigned items;  // of a tile
  std::size_t shared_bytes;
  void (*rounds_kernel)(radix_pass_arguments<U, V>) = nullptr;  // null: no sorts by leading digits
  unsigned rounds_threads = 0;
  std::size_t rounds_shared_bytes = 0;
};
template <class U, class V, class Shape, bool InRounds = radix_passes_in_rounds<U>>
radix_pass_launch<U, V> make_radix_pass() {
  radix_pass_launch<U, V> made{radix_pass_kernel<U, V, Shape>, Shape::threads, Shape::items,
                               sizeof(radix_pass_storage<U, V, Shape>)};
  if constexpr (InRounds) {
    made.rounds_kernel = radix_rounds_kernel<U, V, Shape>;
    made.rounds_threads = rounds_shape<Shape>::threads;
    made.rounds_shared_bytes = sizeof(radix_pass_storage<U, V, rounds_shape<Shape>>);
  }
  return made;
}
// Whether a sort of some number of items up to this one may be by leading digits. The kernel of the
// rounds is only compiled for the shapes of such sorts, because that takes as long as the kernel of
// a pass.
template <class U, class V>
constexpr bool may_make_rounds(std::uint64_t items) {
  if constexpr (!radix_passes_in_rounds<U> || std::is_void_v<local_sort_of<U, V>>) return false;
  else return items >= local_sort_of<U, V>::least_items_by_leading_digits;
}
// In the shape of Row, or of the last one before End that the GPU is new enough for.
template <class U, class V, class Tunings, int Row, int End>
radix_pass_launch<U, V> radix_pass_of_gpu(int architecture) {
  if constexpr (Row + 1 < End)
    if (architecture >= Tunings::rows[Row + 1].architecture)
      return radix_pass_of_gpu<U, V, Tunings, Row + 1, End>(architecture);
  return make_radix_pass<U, V, radix_shape_of_row<Row, Tunings>, may_make_rounds<U, V>(Tunings::rows[Row].items)>();
}
// In the shape of the tuning row for n items on the current GPU, which is asked for where it
// matters.
template <class U, class V, class Tunings = radix_tunings, int Row = radix_row_of<U, V, Tunings>>
radix_pass_launch<U, V> radix_pass_for(std::uint64_t n) {
  constexpr int next = next_row<Tunings>(Row);
  if constexpr (Tunings::rows[Row].items != any_number)
    if (n > Tunings::rows[Row].items) return radix_pass_for<U, V, Tunings, next>(n);
  return radix_pass_of_gpu<U, V, Tunings, Row, next>(next == Row + 1 ? 0 : simt::device_architecture());
}

// The kernels of a sort, in the shapes chosen for it.
template <class U, class V>
struct radix_launches {
  radix_pass_launch<U, V> pass;
  void (*launch_histogram)(stream_t, const radix_histogram_arguments<U>&);
  leading_bits_launches<U, V> by_leading_bits;
};

}  // namespace ballot::detail
