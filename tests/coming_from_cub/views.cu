// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: fancy iterators of Thrust and libcu++ beside the views that
// docs/coming-from-cub.md names, and as views, with equal results.
#include <ballot/compact.cuh>
#include <ballot/count_if.cuh>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>
#include <ballot/unique.cuh>
#include <ballot/views.cuh>

#include "support/cub_call.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#include <cuda/std/functional>

using namespace ballot;
using test::by_cub;
using test::guarded;
using test::same;

namespace coming_from_cub_views {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 100'003;

struct product_of {
  __host__ __device__ u64 operator()(u32 x, u32 y) const { return u64{x} * y; }
};
struct square {
  __host__ __device__ u64 operator()(u32 x) const { return u64{x} * x; }
};
struct is_odd {
  __host__ __device__ bool operator()(u64 x) const { return x % 2 != 0; }
};
struct sum_of_pair {
  template <class Pair>
  __host__ __device__ u64 operator()(const Pair& pair) const {
    return u64{thrust::get<0>(pair)} + 3 * thrust::get<1>(pair);
  }
};
using added = ::cuda::std::plus<>;

struct data {
  guarded<u32> in{test::random_below<u32>(n, 1'000'000)}, second{test::random_below<u32>(n, 1000, 2)},
      indices{test::random_below<u32>(n, n, 3)};
  guarded<u64> theirs{n}, ours{n};
  device_value<u64> their_count{test::test_stream()}, our_count{test::test_stream()};
  cudaStream_t stream = test::test_stream();
  exec gpu = allocating(stream);

  // DeviceSelect::If of an iterator beside compact of a view.
  template <class Iterator, class View>
  void compare_compact(const Iterator& iterator, const View& of) {
    by_cub([&](void* temporary, std::size_t& bytes) {
      return cub::DeviceSelect::If(temporary, bytes, iterator, theirs.data(), their_count.address(),
                                   static_cast<int>(of.size()), is_odd{}, stream);
    });
    ours.fill_dirt();
    compact(gpu, transformed{of, widened{}}, is_odd{}, ours, our_count);
    CHECK(our_count.read(stream) == their_count.read(stream));
    CHECK(same(ours, theirs, our_count.read(stream)));
  }
  struct widened {
    template <class T>
    __host__ __device__ u64 operator()(const T& x) const {
      return static_cast<u64>(x);
    }
  };
};

TEST_CASE("iterators, and as views") {
  data d;
  const auto squares = thrust::make_transform_iterator(d.in.data(), square{});
  d.compare_compact(squares, transformed{d.in, square{}});
  d.compare_compact(squares, view{squares, n});
  const thrust::counting_iterator<u32> from_5(5);
  d.compare_compact(from_5, view{from_5, n});
  const auto permuted = thrust::make_permutation_iterator(d.in.data(), d.indices.data());
  d.compare_compact(permuted, gathered{d.in, d.indices});
  d.compare_compact(permuted, view{permuted, n});
  const auto backward = thrust::make_reverse_iterator(d.in.data() + n);
  d.compare_compact(backward, reversed{d.in});
  d.compare_compact(backward, view{backward, n});
  const thrust::constant_iterator<u32> seven(7);
  d.compare_compact(seven, constant{u32{7}, n});
  d.compare_compact(seven, view{seven, n});
  const auto pairs = thrust::make_zip_iterator(d.in.data(), d.second.data());
  const auto of_pairs = thrust::make_transform_iterator(pairs, sum_of_pair{});
  d.compare_compact(of_pairs, view{of_pairs, n});
  d.compare_compact(of_pairs, transformed{view{pairs, n}, sum_of_pair{}});
  const auto nested = thrust::make_transform_iterator(permuted, square{});
  d.compare_compact(nested, transformed{gathered{d.in, d.indices}, square{}});
  d.compare_compact(nested, view{nested, n});
  const thrust::device_vector<u32> vector(test::random_below<u32>(n, 1000, 5));
  d.compare_compact(vector.begin(), view{vector.begin(), n});
  d.compare_compact(vector.begin(), strided{vector, 1});
}

TEST_CASE("TransformReduce, inner_product, transform scans") {
  data d;
  const transformed squares{d.in, square{}};
  const guarded<u64> their_sum(1), our_sum(1);

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceReduce::TransformReduce(temporary, bytes, d.in.data(), their_sum.data(), n, added{}, square{},
                                              u64{0}, d.stream);
  });
  sum(d.gpu, squares, our_sum.data());
  CHECK(same(our_sum, their_sum));
  CHECK(our_sum.read()[0] ==
        thrust::transform_reduce(test::on_stream(), d.in.begin(), d.in.end(), square{}, u64{0}, added{}));

  const product_of product;
  sum(d.gpu, transformed{d.in, d.second, product}, our_sum.data());
  CHECK(our_sum.read()[0] ==
        thrust::inner_product(test::on_stream(), d.in.begin(), d.in.end(), d.second.begin(), u64{0}, added{}, product));

  thrust::transform_inclusive_scan(test::on_stream(), d.in.begin(), d.in.end(), d.theirs.begin(), square{}, added{});
  inclusive_scan(d.gpu, squares, d.ours);
  CHECK(same(d.ours, d.theirs));
  thrust::transform_exclusive_scan(test::on_stream(), d.in.begin(), d.in.end(), d.theirs.begin(), square{}, u64{5},
                                   added{});
  exclusive_scan(d.gpu, squares, u64{5}, d.ours);
  CHECK(same(d.ours, d.theirs));
  inclusive_scan(d.gpu, view{thrust::make_transform_iterator(d.in.data(), square{}), n}, d.ours);
  thrust::transform_inclusive_scan(test::on_stream(), d.in.begin(), d.in.end(), d.theirs.begin(), square{}, added{});
  CHECK(same(d.ours, d.theirs));
}

TEST_CASE("count_if, unique_copy and arg_min of iterators") {
  data d;
  const auto squares = thrust::make_transform_iterator(d.second.data(), square{});
  count_if(d.gpu, transformed{d.second, square{}}, is_odd{}, d.our_count);
  CHECK(d.our_count.read(d.stream) ==
        static_cast<u64>(thrust::count_if(test::on_stream(), squares, squares + n, is_odd{})));
  const u64* const end = thrust::unique_copy(test::on_stream(), squares, squares + n, d.theirs.data());
  unique(d.gpu, view{squares, n}, d.ours, d.our_count);
  CHECK(d.our_count.read(d.stream) == static_cast<u64>(end - d.theirs.data()));
  CHECK(same(d.ours, d.theirs, d.our_count.read(d.stream)));
  const device_value<indexed<u64>> least(d.stream);
  arg_min(d.gpu, view{squares, n}, least);
  CHECK(least.read(d.stream).index ==
        static_cast<u64>(thrust::min_element(test::on_stream(), squares, squares + n) - squares));
}

}  // namespace coming_from_cub_views
