// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: the CUB adapter's selections beside CUB's own, with equal results, whichever of
// both is underneath; and calls that are CUB's. Others: cub_sorts.cu, cub_scans.cu,
// cub_segments.cu.
#include <ballot/adapters/cub.cuh>

#include "support/cub_call.hpp"

#include <thrust/iterator/discard_iterator.h>

using ballot::test::by_cub;
using ballot::test::guarded;
using ballot::test::lengths_beside_cub;
using ballot::test::same;

namespace adapters_cub {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
namespace ours = ballot::adapters::cub;
namespace theirs = ::cub;

cudaStream_t stream() { return ballot::test::test_stream(); }

struct is_small {
  __host__ __device__ bool operator()(u32 x) const { return x < 300; }
};
struct same_tens {
  __host__ __device__ bool operator()(u32 a, u32 b) const { return a / 10 == b / 10; }
};

namespace program {
namespace cub = ballot::adapters::cub;  // in a namespace or function: ::cub exists already

cudaError_t select_hits(void* temporary, std::size_t& bytes, const u32* in, u32* out, int* count, int n,
                        cudaStream_t stream) {
  return cub::DeviceSelect::If(temporary, bytes, in, out, count, n, is_small{}, stream);
}
}  // namespace program

TEST_CASE("adapters: DeviceSelect, DeviceRunLengthEncode") {
  for (const std::size_t n : lengths_beside_cub) {
    CAPTURE(n);
    const guarded<u32> in(ballot::test::random_below<u32>(n, 1000)), runs(ballot::test::random_below<u32>(n, 3));
    const guarded<u8> flags(ballot::test::random_below<u8>(n, 2));
    guarded<u32> a(n), b(n), x(n), y(n);
    const guarded<int> ca(1), cb(1);
    const auto check = [&](const guarded<u32>& p, const guarded<u32>& q) {
      REQUIRE(same(ca, cb));
      CHECK(same(p, q, static_cast<std::size_t>(ca.read()[0])));
    };
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSelect::If(t, s, in.data(), a.data(), ca.data(), n, is_small{}, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceSelect::If(t, s, in.data(), b.data(), cb.data(), n, is_small{}, stream());
    });
    check(a, b);
    by_cub([&](void* t, std::size_t& s) {
      return program::select_hits(t, s, in.data(), a.data(), ca.data(), static_cast<int>(n), stream());
    });
    check(a, b);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSelect::Flagged(t, s, in.data(), flags.data(), a.data(), ca.data(), n, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceSelect::Flagged(t, s, in.data(), flags.data(), b.data(), cb.data(), n, stream());
    });
    check(a, b);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSelect::Unique(t, s, runs.data(), a.data(), ca.data(), n, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceSelect::Unique(t, s, runs.data(), b.data(), cb.data(), n, stream());
    });
    check(a, b);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSelect::UniqueByKey(t, s, in.data(), runs.data(), a.data(), x.data(), ca.data(), n,
                                             same_tens{}, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceSelect::UniqueByKey(t, s, in.data(), runs.data(), b.data(), y.data(), cb.data(), n,
                                               same_tens{}, stream());
    });
    check(a, b);
    check(x, y);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceRunLengthEncode::Encode(t, s, runs.data(), a.data(), x.data(), ca.data(), n, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceRunLengthEncode::Encode(t, s, runs.data(), b.data(), y.data(), cb.data(), n, stream());
    });
    check(a, b);
    check(x, y);
    // In place.
    guarded<u32> data(ballot::test::random_below<u32>(n, 1000)), copy(ballot::test::random_below<u32>(n, 1000));
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSelect::If(t, s, data.data(), ca.data(), n, is_small{}, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceSelect::If(t, s, copy.data(), cb.data(), n, is_small{}, stream());
    });
    check(data, copy);
    // Items that are their own flags.
    const guarded<u8> own(ballot::test::random_below<u8>(n, 3)), beside(ballot::test::random_below<u8>(n, 3));
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSelect::Flagged(t, s, own.data(), own.data(), ca.data(), n, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceSelect::Flagged(t, s, beside.data(), beside.data(), cb.data(), n, stream());
    });
    REQUIRE(same(ca, cb));
    CHECK(same(own, beside, static_cast<std::size_t>(ca.read()[0])));
    // As Thrust's unique_by_key calls it.
    const guarded<u32> keys(in.read()), keys_beside(in.read()), values(runs.read()), values_beside(runs.read());
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSelect::UniqueByKey(t, s, keys.data(), values.data(), keys.data(), values.data(), ca.data(), n,
                                             same_tens{}, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceSelect::UniqueByKey(t, s, keys_beside.data(), values_beside.data(), keys_beside.data(),
                                               values_beside.data(), cb.data(), n, same_tens{}, stream());
    });
    check(keys, keys_beside);
    check(values, values_beside);
  }
}

TEST_CASE("adapters: an output with room for the selected items alone, right before the count") {
  const std::size_t n = 10'000, hits = 3000;
  std::vector<u32> items(n, 500);
  for (std::size_t i = 0; i < hits; ++i) items[i] = static_cast<u32>(i % 300);
  const guarded<u32> in(items);
  guarded<u32> room(hits + 1), expected(n);
  u32* const count = room.data() + hits;
  const guarded<u32> their_count(1);
  by_cub([&](void* t, std::size_t& s) {
    return ours::DeviceSelect::If(t, s, in.data(), room.data(), count, n, is_small{}, stream());
  });
  by_cub([&](void* t, std::size_t& s) {
    return theirs::DeviceSelect::If(t, s, in.data(), expected.data(), their_count.data(), n, is_small{}, stream());
  });
  CHECK(room.read()[hits] == hits);
  CHECK(same(room, expected, hits));
}

TEST_CASE(
    "adapters: calls that ballot does not have are CUB's: runs of more than one item, an output that is an iterator") {
  const std::size_t n = 50'000;
  const guarded<u32> in(ballot::test::random_below<u32>(n, 2));
  guarded<u32> a(n), b(n);
  const guarded<int> la(n), lb(n), ca(1), cb(1);
  by_cub([&](void* t, std::size_t& s) {
    return ours::DeviceRunLengthEncode::NonTrivialRuns(t, s, in.data(), a.data(), la.data(), ca.data(),
                                                       static_cast<int>(n), stream());
  });
  by_cub([&](void* t, std::size_t& s) {
    return theirs::DeviceRunLengthEncode::NonTrivialRuns(t, s, in.data(), b.data(), lb.data(), cb.data(),
                                                         static_cast<int>(n), stream());
  });
  REQUIRE(same(ca, cb));
  CHECK(same(a, b, static_cast<std::size_t>(ca.read()[0])));
  const thrust::discard_iterator<> nowhere;
  by_cub([&](void* t, std::size_t& s) {
    return ours::DeviceSelect::If(t, s, in.data(), nowhere, ca.data(), n, is_small{}, stream());
  });
  CHECK(ca.read()[0] == static_cast<int>(n));
}

}  // namespace adapters_cub

// Where the word is replaced, Thrust's algorithms stay Thrust's, even if their headers come later.
#include <ballot/adapters/replace_cub.cuh>

#include <thrust/unique.h>

namespace adapters_cub {

static_assert(std::same_as<::cub::DeviceSelect, ours::DeviceSelect>);

TEST_CASE("adapters: replace_cub leaves thrust::unique_by_key to Thrust") {
  const std::size_t n = 5003;
  const guarded<u32> keys(ballot::test::random_below<u32>(n, 3)), values(ballot::test::random_below<u32>(n, 1000));
  const std::vector<u32> before = keys.read();
  std::size_t runs = 0;
  for (std::size_t i = 0; i < n; ++i) runs += i == 0 || before[i] != before[i - 1];
  const auto ends = thrust::unique_by_key(thrust::cuda::par.on(stream()), keys.data(), keys.data() + n, values.data());
  CHECK(ends.first == keys.data() + runs);
  CHECK(ends.second == values.data() + runs);
}

}  // namespace adapters_cub
#undef cub
