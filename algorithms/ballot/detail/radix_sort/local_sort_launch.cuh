// Sorts by a prefix on the host: by which one, and the launches of its histogram and of the finish.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/leading_bits_histogram_kernel.cuh>
#include <ballot/detail/radix_sort/local_sort_kernel.cuh>

#include <type_traits>

namespace ballot::detail {

// The bits of a prefix of which n items have about Finish::aim each, Finish being a radix_finish_tuning; up to one more
// than it allows. Never less for more items.
template <class U, class V, class Finish>
constexpr int radix_prefix_bits(std::uint64_t n) {
  using wide = radix_finish_word<U, V, typename Finish::wide>;
  using narrow = radix_finish_word<U, V, typename Finish::narrow>;
  int bits = n <= Finish::wide_items ? wide::least_prefix_bits : narrow::least_prefix_bits;
  if (bits < Finish::least_prefix_bits) bits = Finish::least_prefix_bits;
  while (bits <= Finish::most_prefix_bits && n > Finish::aim << bits) ++bits;
  return bits;
}

// Room for the starts of prefixes and what is behind them. Never less for more items. Finish void: there is none.
template <class U, class V, class Finish>
constexpr std::uint64_t radix_prefix_words(std::uint64_t n) {
  if constexpr (std::is_void_v<Finish>) {
    return 0;
  } else {
    const int bits = radix_prefix_bits<U, V, Finish>(n);
    if (n < Finish::least_items) return 0;
    return (std::uint64_t{1} << (bits < Finish::most_prefix_bits ? bits : Finish::most_prefix_bits)) + 1;
  }
}

// The prefix by which n whole keys are sorted if they are spread; of 0 bits: by all digits, since they are too few, too
// many, or a block may not have the shared memory. shared_limit: what it may have, 0: asked for.
template <class U, class V, class Finish>
radix_prefix choose_radix_prefix(std::uint64_t n, std::size_t shared_limit) {
  if constexpr (std::is_void_v<Finish>) {
    return {0};
  } else {
    static_assert(Finish::wide::items == Finish::narrow::items);
    const radix_prefix prefix{radix_prefix_bits<U, V, Finish>(n)};
    if (n < Finish::least_items || prefix.bits > Finish::most_prefix_bits) return {0};
    if (shared_limit == 0) shared_limit = simt::shared_bytes_limit();
    const std::size_t histogram = radix_prefix_histogram_storage<typename Finish::histogram>::bytes(prefix);
    const std::size_t finish = n <= Finish::wide_items ? sizeof(radix_finish_storage<U, V, typename Finish::wide>)
                                                       : sizeof(radix_finish_storage<U, V, typename Finish::narrow>);
    return larger(histogram, finish) <= shared_limit ? prefix : radix_prefix{0};
  }
}

template <class U, class Shape>
void launch_radix_prefix_histogram(stream_t stream, radix_prefix_histogram_arguments<U> a) {
  const std::uint64_t blocks = smaller(ceil_div(a.n.capacity, Shape::items), Shape::blocks);
  a.whole_vectors = block::whole_vectors_at<U, Shape::width>(a.keys);
  simt::launch(radix_prefix_histogram_kernel<U, Shape>,
               simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(Shape::threads),
                                   radix_prefix_histogram_storage<Shape>::bytes(a.prefix), stream},
               a);
}

template <class U, class V, class Shape>
void launch_radix_finish_in_shape(stream_t stream, std::uint64_t most_blocks, const radix_finish_arguments<U, V>& a) {
  const std::uint64_t blocks = smaller(std::uint64_t{1} << a.prefix.bits, most_blocks);
  simt::launch(radix_finish_kernel<U, V, Shape>,
               simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(Shape::threads),
                                   sizeof(radix_finish_storage<U, V, Shape>), stream},
               a);
}
// Of a sort of n items, for a prefix that was chosen for them.
template <class U, class V, class Finish>
void launch_radix_finish(stream_t stream, std::uint64_t n, const radix_finish_arguments<U, V>& a) {
  if (n <= Finish::wide_items) launch_radix_finish_in_shape<U, V, typename Finish::wide>(stream, Finish::blocks, a);
  else launch_radix_finish_in_shape<U, V, typename Finish::narrow>(stream, Finish::blocks, a);
}

// All this as a value: the host's side of a sort is compiled once, whatever finishes it.
template <class U, class V>
struct radix_finisher {
  radix_prefix (*choose_prefix)(std::uint64_t n, std::size_t shared_limit);
  std::uint64_t (*prefix_words)(std::uint64_t n);
  // Called where a prefix was chosen:
  std::uint32_t most_of_prefix = 0;
  int least_open_bits = 0;  // behind the prefix, where keys have fewer bits than there is room for
  void (*launch_histogram)(stream_t, radix_prefix_histogram_arguments<U>) = nullptr;
  void (*launch_finish)(stream_t, std::uint64_t n, const radix_finish_arguments<U, V>&) = nullptr;
};
template <class U, class V, class Finish>
radix_finisher<U, V> make_radix_finisher() {
  radix_finisher<U, V> made{choose_radix_prefix<U, V, Finish>, radix_prefix_words<U, V, Finish>};
  if constexpr (!std::is_void_v<Finish>) {
    made.most_of_prefix = Finish::narrow::items;
    made.least_open_bits = Finish::narrow::bin_bits;
    made.launch_histogram = launch_radix_prefix_histogram<U, typename Finish::histogram>;
    made.launch_finish = launch_radix_finish<U, V, Finish>;
  }
  return made;
}

}  // namespace ballot::detail
