// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: the CUB adapter's selections by flags of any width, by a predicate on flags, and
// of runs by an equality, beside CUB's own or a serial reference.
#include <ballot/adapters/cub.cuh>

#include "support/cub_call.hpp"
#include "support/runtime_calls.hpp"

#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

using ballot::test::by_cub;
using ballot::test::guarded;
using ballot::test::lengths_beside_cub;
using ballot::test::same;

namespace adapters_cub_flags {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
namespace calls = ballot::adapters::calls;
namespace ours = ballot::adapters::cub;
namespace theirs = ::cub;

cudaStream_t stream() { return ballot::test::test_stream(); }

struct is_two {
  template <class Flag>
  __host__ __device__ bool operator()(const Flag& flag) const {
    return flag == 2;
  }
};
struct same_tens {
  __host__ __device__ bool operator()(u32 a, u32 b) const { return a / 10 == b / 10; }
};
struct large {
  u32 numbers[33];
};

// Whether a call is ballot's, and not by chance CUB's.
template <class... A>
constexpr bool flagged = requires {
  calls::DeviceSelect::Flagged(std::declval<void*>(), std::declval<std::size_t&>(), std::declval<A>()...);
};
template <class... A>
constexpr bool flagged_if = requires {
  calls::DeviceSelect::FlaggedIf(std::declval<void*>(), std::declval<std::size_t&>(), std::declval<A>()...);
};
template <class... A>
constexpr bool unique = requires {
  calls::DeviceSelect::Unique(std::declval<void*>(), std::declval<std::size_t&>(), std::declval<A>()...);
};
template <class... A>
constexpr bool partition_flagged = requires {
  calls::DevicePartition::Flagged(std::declval<void*>(), std::declval<std::size_t&>(), std::declval<A>()...);
};
using computed_flags = thrust::transform_iterator<is_two, thrust::counting_iterator<u32>>;
static_assert(flagged<const u32*, const int*, u32*, int*, std::size_t, cudaStream_t>);
static_assert(flagged<const u32*, const double*, u32*, int*, std::size_t, cudaStream_t>);
static_assert(flagged<const u32*, computed_flags, u32*, int*, std::size_t, cudaStream_t>);
static_assert(flagged<u32*, const int*, int*, std::size_t, cudaStream_t>);
static_assert(flagged<thrust::counting_iterator<u32>, const int*, u32*, int*, int>);
static_assert(partition_flagged<const u32*, const int*, u32*, int*, std::size_t, cudaStream_t>);
static_assert(flagged_if<const u32*, const u8*, u32*, int*, std::size_t, is_two, cudaStream_t>);
static_assert(flagged_if<u32*, const int*, int*, std::size_t, is_two, cudaStream_t>);
static_assert(unique<const u32*, u32*, int*, std::size_t, same_tens, cudaStream_t>);
static_assert(unique<u32*, int*, std::size_t, cudaStream_t>);
static_assert(unique<u32*, int*, std::size_t, same_tens>);
// Too large; flags that are no numbers; a function pointer; an output of another type.
static_assert(!flagged<const large*, const int*, large*, int*, int>);
static_assert(!flagged<const u32*, const large*, u32*, int*, int>);
static_assert(!flagged_if<const u32*, const u8*, u32*, int*, int, bool (*)(u8)>);
static_assert(!flagged<const u32*, const int*, u64*, int*, int>);
static_assert(!unique<const u32*, u32*, int*, int, bool (*)(u32, u32)>);

#define BOTH(CALL, OURS, THEIRS)                                    \
  by_cub([&](void* t, std::size_t& s) { return ours::CALL OURS; }); \
  by_cub([&](void* t, std::size_t& s) { return theirs::CALL THEIRS; })

template <class T>
struct selected {
  guarded<T> a, b;
  guarded<int> ca{1}, cb{1};
  explicit selected(std::size_t n) : a(n), b(n) {}
  explicit selected(const std::vector<T>& items) : a(items), b(items) {}  // in place

  void check() const {
    REQUIRE(same(ca, cb));
    CHECK(same(a, b, static_cast<std::size_t>(ca.read()[0])));
  }
};

template <class Flag>
void check_flags() {
  for (const std::size_t n : lengths_beside_cub) {
    CAPTURE(n);
    const std::vector<u32> items = ballot::test::random_below<u32>(n, 1000);
    const guarded<u32> in(items);
    const guarded<Flag> flags(ballot::test::random_below<Flag>(n, 3, 7));
    const selected<u32> to(n), within(items), to_if(n), within_if(items), halves(n);
    BOTH(DeviceSelect::Flagged, (t, s, in.data(), flags.data(), to.a.data(), to.ca.data(), n, stream()),
         (t, s, in.data(), flags.data(), to.b.data(), to.cb.data(), n, stream()));
    to.check();
    BOTH(DeviceSelect::Flagged, (t, s, within.a.data(), flags.data(), within.ca.data(), n, stream()),
         (t, s, within.b.data(), flags.data(), within.cb.data(), n, stream()));
    within.check();
    BOTH(DeviceSelect::FlaggedIf,
         (t, s, in.data(), flags.data(), to_if.a.data(), to_if.ca.data(), n, is_two{}, stream()),
         (t, s, in.data(), flags.data(), to_if.b.data(), to_if.cb.data(), n, is_two{}, stream()));
    to_if.check();
    BOTH(DeviceSelect::FlaggedIf, (t, s, within_if.a.data(), flags.data(), within_if.ca.data(), n, is_two{}, stream()),
         (t, s, within_if.b.data(), flags.data(), within_if.cb.data(), n, is_two{}, stream()));
    within_if.check();
    BOTH(DevicePartition::Flagged, (t, s, in.data(), flags.data(), halves.a.data(), halves.ca.data(), n, stream()),
         (t, s, in.data(), flags.data(), halves.b.data(), halves.cb.data(), n, stream()));
    halves.check();
    CHECK(same(halves.a, halves.b));
  }
}
TEST_CASE("adapters: selections and partitions by flags of other widths than a byte, and by a predicate on them") {
  check_flags<int>();
  check_flags<double>();
  check_flags<u8>();
}

TEST_CASE("adapters: flags of floats: -0 is not set, a NaN and a denormal are") {
  const std::size_t n = 1000;
  const float cases[] = {-0.0f, 0.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::denorm_min(),
                         0.25f};
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = cases[i * 7 % 5];
  const guarded<float> flags(values);
  const guarded<u32> in(ballot::test::random_below<u32>(n, 1000));
  const selected<u32> to(n);
  BOTH(DeviceSelect::Flagged, (t, s, in.data(), flags.data(), to.a.data(), to.ca.data(), n, stream()),
       (t, s, in.data(), flags.data(), to.b.data(), to.cb.data(), n, stream()));
  to.check();
}

struct record {
  u32 a, b, c;
  friend bool operator==(const record&, const record&) = default;
};
template <class T>
void check_items(const std::vector<T>& items) {
  const std::size_t n = items.size();
  const guarded<T> in(items);
  const guarded<u64> flags(ballot::test::random_below<u64>(n, 3, 7));
  const selected<T> to(n), halves(n);
  BOTH(DeviceSelect::FlaggedIf, (t, s, in.data(), flags.data(), to.a.data(), to.ca.data(), n, is_two{}, stream()),
       (t, s, in.data(), flags.data(), to.b.data(), to.cb.data(), n, is_two{}, stream()));
  to.check();
  BOTH(DevicePartition::Flagged, (t, s, in.data(), flags.data(), halves.a.data(), halves.ca.data(), n, stream()),
       (t, s, in.data(), flags.data(), halves.b.data(), halves.cb.data(), n, stream()));
  CHECK(same(halves.ca, halves.cb));
  CHECK(same(halves.a, halves.b));
}
TEST_CASE("adapters: flags of eight bytes beside items of one and of twelve") {
  const std::size_t n = 100'003;
  check_items(ballot::test::random_below<u8>(n, 256));
  std::vector<record> records(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto number = static_cast<u32>(i);
    records[i] = {number, number * 3, ~number};
  }
  check_items(records);
}

TEST_CASE("adapters: items that are their own flags, and flags that are computed") {
  const std::size_t n = 100'003;
  const std::vector<u32> items = ballot::test::random_below<u32>(n, 3);
  const guarded<u32> in(items);
  const selected<u32> within(items), to(n), of_computed(n);
  BOTH(DeviceSelect::Flagged, (t, s, within.a.data(), within.a.data(), within.ca.data(), n, stream()),
       (t, s, in.data(), in.data(), within.b.data(), within.cb.data(), n, stream()));
  within.check();
  BOTH(DeviceSelect::FlaggedIf, (t, s, in.data(), in.data(), to.a.data(), to.ca.data(), n, is_two{}, stream()),
       (t, s, in.data(), in.data(), to.b.data(), to.cb.data(), n, is_two{}, stream()));
  to.check();
  const computed_flags twos(thrust::counting_iterator<u32>(0), is_two{});
  BOTH(DeviceSelect::Flagged, (t, s, in.data(), twos, of_computed.a.data(), of_computed.ca.data(), n, stream()),
       (t, s, in.data(), twos, of_computed.b.data(), of_computed.cb.data(), n, stream()));
  CHECK(of_computed.ca.read()[0] == 1);
  of_computed.check();
  // Flags and items of a vector.
  const thrust::device_vector<int> flags(ballot::test::random_below<int>(n, 2));
  const thrust::device_vector<u32> vector(items);
  BOTH(DeviceSelect::Flagged, (t, s, vector.begin(), flags.begin(), to.a.data(), to.ca.data(), n, stream()),
       (t, s, vector.begin(), flags.begin(), to.b.data(), to.cb.data(), n, stream()));
  to.check();
}

// The first item of each run, on the host.
template <class Same>
std::vector<u32> heads_of(const std::vector<u32>& items, const Same& same) {
  std::vector<u32> heads;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (i == 0 || !same(items[i - 1], items[i])) heads.push_back(items[i]);
  return heads;
}
TEST_CASE("adapters: DeviceSelect::Unique by an equality, and in place") {
  for (const std::size_t n : lengths_beside_cub) {
    CAPTURE(n);
    const std::vector<u32> items = ballot::test::random_below<u32>(n, 30);
    const guarded<u32> in(items);
    const auto by_tens = heads_of(items, same_tens{}), by_value = heads_of(items, std::equal_to<u32>{});
    const guarded<int> count(1);
    const auto check = [&](const guarded<u32>& out, const std::vector<u32>& heads) {
      REQUIRE(count.read()[0] == static_cast<int>(heads.size()));
      const std::vector<u32> found = out.read();
      CHECK(std::equal(heads.begin(), heads.end(), found.begin()));
    };
    guarded<u32> out(n), within(items), within_by_tens(items);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSelect::Unique(t, s, in.data(), out.data(), count.data(), n, same_tens{}, stream());
    });
    check(out, by_tens);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSelect::Unique(t, s, within.data(), count.data(), n, stream());
    });
    check(within, by_value);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSelect::Unique(t, s, within_by_tens.data(), count.data(), n, same_tens{}, stream());
    });
    check(within_by_tens, by_tens);
  }
}

TEST_CASE("adapters: a selection in place by flags that is refused has launched nothing") {
  const std::size_t n = 1000;
  const guarded<u32> data(ballot::test::random_below<u32>(n, 100));
  const guarded<int> flags(ballot::test::random_below<int>(n, 2)), count(1);
  std::size_t bytes = 0;
  CHECK(ours::DeviceSelect::Flagged(nullptr, bytes, data.data(), flags.data(), count.data(), n, stream()) ==
        cudaSuccess);
  const ballot::device_buffer temporary(bytes, stream());
  const auto refused = [&](u32* items, const int* by, int* to) {
    cudaError_t error = cudaSuccess;
    const auto work = ballot::test::runtime_calls_of(
        [&] { error = ours::DeviceSelect::Flagged(temporary.data(), bytes, items, by, to, n, stream()); });
    CHECK(error == cudaErrorInvalidValue);
    CHECK(work.launches == 0);
  };
  refused(nullptr, flags.data(), count.data());
  refused(data.data(), nullptr, count.data());
  refused(data.data(), flags.data(), nullptr);
  refused(data.data(), flags.data(), reinterpret_cast<int*>(data.data() + 7));
}

}  // namespace adapters_cub_flags
