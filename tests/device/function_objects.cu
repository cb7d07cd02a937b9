// SPDX-License-Identifier: Apache-2.0
// Operators that return another type than that of the sums, and operators whose operator() is not
// const. They are used in scans and reductions of the device, of a block and of a warp.
#include <ballot/block/reduce.cuh>
#include <ballot/block/scan.cuh>
#include <ballot/blockwise_scan.cuh>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>
#include <ballot/warp/scan_items.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"
#include "support/segments.hpp"

using namespace ballot;

namespace device_function_objects {

using byte = std::uint8_t;

// As std::plus<>, which nvcc takes with an option alone: two bytes give an int.
struct promoting_plus {
  template <class T>
  BALLOT_HOST_DEVICE auto operator()(T a, T b) const {
    return a + b;
  }
};

// A sum and a bit, as a double: whole numbers stay whole only if each result is made one again.
struct plus_and_a_bit {
  template <class T>
  BALLOT_HOST_DEVICE double operator()(T a, T b) const {
    return static_cast<double>(a) + static_cast<double>(b) + 0.25;
  }
};

// Not const, and says so by what it changes.
struct counting_plus {
  unsigned calls = 0;
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T& a, const T& b) {
    calls += 1;
    return plus{}(a, b);
  }
};

struct both_at_once {
  int calls = 0;
  BALLOT_HOST_DEVICE int operator()(byte a, byte b) {
    ++calls;
    return a + b;
  }
};

const std::size_t lengths[] = {1, 31, 33, 700, 20000};

// Sums of these fit an unsigned. A double that does not is undefined as one, and differs between
// CPU and GPU.
template <class T>
std::vector<T> items_below_1000(std::size_t n) {
  auto items = test::small_items<T>(n);
  for (T& item : items) item = static_cast<T>(item % 1000);
  return items;
}

template <class T, class Item, class Op>
void check_scans(Op op) {
  for (const std::size_t n : lengths) {
    CAPTURE(n);
    const auto items = items_below_1000<Item>(n);
    std::vector<T> sums(n), before(n);
    T sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      before[i] = plus{}(T{3}, sum);
      sums[i] = sum = plus{}(sum, static_cast<T>(items[i]));
    }
    test::for_some_schedules(static_cast<unsigned>(n), [&] {
      const test::guarded<Item> in(items);
      test::guarded<T> out(n), total(1), result(1);
      const test::exact_scratch scratch(std::max(scan_scratch_bytes<T>(n), reduce_scratch_bytes<T>(n)));
      for (const bool reproducible : {false, true}) {
        inclusive_scan(scratch.where(), in, op, out, {.total = total.data(), .reproducible = reproducible});
        CHECK(out.read() == sums);
        CHECK(total.read()[0] == sum);
        exclusive_scan(scratch.where(), in, T{3}, op, out, {.reproducible = reproducible});
        CHECK(out.read() == before);
      }
      reduce(scratch.where(), in, T{3}, op, result.data());
      CHECK(result.read()[0] == plus{}(T{3}, sum));
    });
  }
}

template <class T, class Op>
void check_segments(Op op) {
  for (const std::size_t n : lengths) {
    CAPTURE(n);
    const auto items = items_below_1000<T>(n);
    for (const std::uint64_t every : {std::uint64_t{3}, std::uint64_t{100}, std::uint64_t{5000}}) {
      CAPTURE(every);
      std::vector<bool> heads(n);
      for (std::size_t i = 0; i < n; ++i) heads[i] = i % every == 0;
      const auto sums = test::serial_segmented_inclusive(items, heads);
      const auto before = test::serial_segmented_exclusive(items, heads, T{3});
      test::for_some_schedules(static_cast<unsigned>(n), [&] {
        const test::guarded<T> in(items);
        const test::guarded<byte> flags(std::vector<byte>(heads.begin(), heads.end()));
        test::guarded<T> out(n);
        const exec gpu = allocating(test::test_stream());
        segmented_inclusive_scan(gpu, in, byte_flags{flags}, op, out);
        CHECK(out.read() == sums);
        segmented_exclusive_scan(gpu, in, byte_flags{flags}, T{3}, op, out);
        CHECK(out.read() == before);
        blockwise_inclusive_scan(gpu, in, op, out, every);
        CHECK(out.read() == sums);
        blockwise_exclusive_scan(gpu, in, T{3}, op, out, every);
        CHECK(out.read() == before);
      });
    }
  }
}

template <class T, class Op>
__global__ void in_warp_and_block(const T* in, unsigned count, Op op, T* sums) {
  using scan = block::scan<T, 96>;
  using reduction = block::reduction<T, 96>;
  struct storage {
    typename scan::storage for_scan;
    typename reduction::storage for_reduction;
  };
  auto& shared = simt::shared_storage<storage>();
  const unsigned i = simt::thread_rank();
  const T item = i < count ? in[i] : T{};
  T total;
  const T sum = scan::inclusive(shared.for_scan, item, total, op, block::first_items{count});
  const T all = reduction::of(shared.for_reduction, item, op, block::first_items{count});
  T pair[2] = {item, item};
  const T twice = warp::inclusive_scan_items(pair, op), once = warp::reduce(item, op);
  if (i < count) {
    sums[i] = sum;
    sums[count + i] = plus{}(total, all);
    sums[2 * count + i] = plus{}(twice, once);
  }
}

template <class T, class Op>
void check_in_kernels(Op op) {
  const unsigned count = 80;
  const auto items = items_below_1000<T>(count);
  std::vector<T> want(3 * count);
  T sum = 0, of_warp = 0;
  for (unsigned i = 0; i < count; ++i) want[i] = sum = plus{}(sum, items[i]);
  for (unsigned i = 0; i < count; ++i) {
    if (i % 32 == 0) {
      of_warp = 0;
      for (unsigned j = i; j < i + 32 && j < count; ++j) of_warp = plus{}(of_warp, items[j]);
    }
    want[count + i] = plus{}(sum, sum);
    want[2 * count + i] = plus{}(of_warp, plus{}(of_warp, of_warp));
  }
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    test::guarded<T> sums(3 * count);
    simt::launch(in_warp_and_block<T, Op>, simt::launch_config{dim3(1), dim3(96), 2 * 1024, test::test_stream()},
                 in.data(), count, op, sums.data());
    CHECK(sums.read() == want);
  });
}

TEST_CASE("an operator that gives another type: its results are made sums again") {
  check_scans<byte, byte>(promoting_plus{});
  check_scans<std::uint32_t, byte>(promoting_plus{});
  check_scans<byte, std::uint32_t>(promoting_plus{});
  check_scans<std::int16_t, std::int16_t>(promoting_plus{});
  check_scans<unsigned, unsigned>(plus_and_a_bit{});
  check_segments<byte>(promoting_plus{});
  check_segments<unsigned>(plus_and_a_bit{});
  check_in_kernels<byte>(promoting_plus{});
  check_in_kernels<unsigned>(plus_and_a_bit{});
}

TEST_CASE("an operator whose operator() is not const") {
  check_scans<int, int>(counting_plus{});
  check_scans<byte, byte>(both_at_once{});
  check_segments<int>(counting_plus{});
  check_segments<byte>(both_at_once{});
  check_in_kernels<int>(counting_plus{});
#if BALLOT_EMULATED  // nvcc takes lambdas with an option alone
  check_scans<unsigned, unsigned>([calls = 0](unsigned a, unsigned b) mutable {
    ++calls;
    return a + b;
  });
#endif
}

static_assert(is_commutative<detail::operator_on<int, plus>, int>);
static_assert(!is_commutative<detail::operator_on<int, counting_plus>, int>);

}  // namespace device_function_objects
