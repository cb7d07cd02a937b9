// SPDX-License-Identifier: Apache-2.0
// Segmented and block-wise scans into output views against loops that restart: converting ones with
// and without a function, discarded and appended ones; every kind of segments, tiles of both
// shapes, alignment, views as inputs.
#include <ballot/blockwise_scan.cuh>
#include <ballot/outputs.cuh>
#include <ballot/segmented_scan.cuh>
#include <ballot/views.cuh>

#include "support/operators.hpp"
#include "support/output_items.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"
#include "support/segments.hpp"

using namespace ballot;
using test::check_items;
using test::grows;
using test::guarded;
using test::mapped;
using test::refused;

namespace device_outputs_of_segmented_scans {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr auto as_float = [](u32 x) { return static_cast<float>(x); };
constexpr auto grown = [](u32 x) { return u64{x} << 8 | 3; };

struct thrice {
  __host__ __device__ u32 operator()(u32 x) const { return 3 * x; }
};

// Every output view of the scan's sums `want`. scan(out): the call, twice on the stream.
template <class Scan>
void check_outputs(const std::vector<u32>& want, const Scan& scan) {
  const std::size_t n = want.size();
  const guarded<u32> offset(std::vector<u32>{17});
  for (const std::size_t shift : {0, 1}) {
    CAPTURE(shift);
    guarded<float> floats(n, shift);
    test::directly_and_captured([&] { floats.fill_dirt(); }, [&] { scan(converting<u32>(floats)); },
                                [&] { check_items(floats, mapped<float>(want, as_float)); });
    guarded<std::uint8_t> bytes(n + 3, shift);  // more room than sums
    scan(converting<u32>(bytes));
    check_items(bytes, mapped<std::uint8_t>(want, [](u32 x) { return x; }));
  }
  guarded<u64> wide(n), wide_at(n), behind(n + 10);  // the last sums do not fit
  scan(converting<u32>(wide));
  check_items(wide, mapped<u64>(want, [](u32 x) { return x; }));
  scan(converting<u32>(wide_at, grows{}));
  check_items(wide_at, mapped<u64>(want, grown));
  scan(converting<u32>(appended{behind, offset.data()}));
  auto that_fit = mapped<u64>(want, [](u32 x) { return x; });
  that_fit.resize(n < 7 ? 0 : n - 7);
  check_items(behind, that_fit, 17);
  scan(discarded<u32>(n));
}

TEST_CASE("segmented scans into output views, by flags and by offsets, in both directions") {
  using large = detail::segmented_scan_shape<u32>;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{9'001}}) {
    CAPTURE(n);
    const auto items = test::small_items<u32>(n);
    std::vector<bool> heads(n);
    std::vector<u32> begins;
    for (std::size_t i = 0; i < n; ++i) {
      heads[i] = i == 0 || i % 777 == 500 || i % 40 == 39;
      if (heads[i]) begins.push_back(static_cast<u32>(i));
    }
    const auto inclusive = test::serial_segmented_inclusive(items, heads),
               exclusive = test::serial_segmented_exclusive(items, heads, u32{5});
    std::vector<u32> from_five(n), backward(n);
    for (std::size_t i = 0; i < n; ++i) from_five[i] = exclusive[i] + items[i];
    for (std::size_t i = n, rest = 0; i-- > 0; rest = heads[i] ? 0 : rest)
      backward[i] = static_cast<u32>(rest += items[i]);
    test::for_some_schedules([&] {
      const guarded<u32> in(items), offsets(begins);
      const guarded<std::uint8_t> bytes(test::as_bytes(heads));
      const guarded<u32> bits(test::as_bits(heads));
      const test::unaligned_scratch scratch(segmented_scan_by_offsets_scratch_bytes<u32>(n));
      const exec gpu = scratch.where();
      check_outputs(inclusive, [&](const auto& out) { segmented_inclusive_scan(gpu, in, byte_flags{bytes}, out); });
      check_outputs(exclusive, [&](const auto& out) { segmented_exclusive_scan(gpu, in, bit_flags{bits}, 5, out); });
      check_outputs(from_five,
                    [&](const auto& out) { segmented_inclusive_scan(gpu, in, segment_offsets{offsets}, 5, out); });
      check_outputs(backward,
                    [&](const auto& out) { segmented_inclusive_scan_backward(gpu, in, byte_flags{bytes}, out); });
      check_outputs(mapped<u32>(inclusive, thrice{}), [&](const auto& out) {
        segmented_inclusive_scan(gpu, transformed{in, thrice{}}, bit_flags{bits}, plus{}, out);
      });
      // The shape for many items, and bits set by offsets.
      guarded<float> floats(n);
      for (const u32 few : {1u, detail::few_tiles}) {
        floats.fill_dirt();
        detail::segmented_scan<device::scan_kind::inclusive, u32, false, large>(
            gpu, detail::as_input(in), byte_flags{bytes}, detail::as_output(converting<u32>(floats)), 0u, plus{},
            "test", few);
        check_items(floats, mapped<float>(inclusive, as_float));
      }
      floats.fill_dirt();
      detail::segmented_scan<device::scan_kind::inclusive, u32>(gpu, detail::as_input(in), segment_offsets{offsets},
                                                                detail::as_output(converting<u32>(floats)), 0u, plus{},
                                                                "test", u64{0});
      check_items(floats, mapped<float>(inclusive, as_float));
      scratch.check_guards();
    });
  }
}

struct first_part {
  __host__ __device__ u32 operator()(const test::affine<std::uint16_t>& f) const {
    return u32{f.scale} << 16 | f.offset;
  }
};
// Kept from what is not there; not commutative.
TEST_CASE("segmented and block-wise scans into output views by an operator that does not commute") {
  using T = test::affine<std::uint16_t>;
  const std::size_t n = 3 * detail::blockwise_scan_shape<T>::items + 77;
  const auto items = test::random_items<T>(n, 5);
  for (const std::size_t period : {std::size_t{64}, std::size_t{1000}, std::size_t{3000}, std::size_t{100'000}}) {
    CAPTURE(period);
    std::vector<bool> heads(n);
    for (std::size_t i = 0; i < n; i += period) heads[i] = true;
    const auto want = mapped<u32>(test::serial_segmented_inclusive(items, heads, test::compose{}), first_part{});
    test::for_some_schedules([&] {
      const guarded<T> in(items);
      const guarded<std::uint8_t> bytes(test::as_bytes(heads));
      guarded<u32> out(n), of_blocks(n + 1);
      const exec gpu = allocating(test::test_stream());
      segmented_inclusive_scan(gpu, in, byte_flags{bytes}, test::compose{}, converting<T>(out, first_part{}));
      check_items(out, want);
      blockwise_inclusive_scan(gpu, in, test::compose{}, converting<T>(of_blocks, first_part{}), period);
      check_items(of_blocks, want);
    });
  }
}

TEST_CASE("block-wise scans into output views") {
  // Within warps, across warps, and as segmented scans.
  for (const u64 block_items : {u64{64}, u64{100}, u64{1000}, u64{1024}, u64{5000}})
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{998}, std::size_t{8'192}, std::size_t{9'001}}) {
      CAPTURE(block_items);
      CAPTURE(n);
      const auto items = test::small_items<u32>(n);
      std::vector<bool> heads(n);
      for (std::size_t i = 0; i < n; i += block_items) heads[i] = true;
      const auto inclusive = test::serial_segmented_inclusive(items, heads),
                 exclusive = test::serial_segmented_exclusive(items, heads, u32{5});
      test::for_some_schedules([&] {
        const guarded<u32> in(items);
        const test::unaligned_scratch scratch(blockwise_scan_scratch_bytes<u32>(n, block_items));
        const exec gpu = scratch.where();
        check_outputs(inclusive, [&](const auto& out) { blockwise_inclusive_scan(gpu, in, out, block_items); });
        check_outputs(exclusive, [&](const auto& out) { blockwise_exclusive_scan(gpu, in, 5, out, block_items); });
        check_outputs(mapped<u32>(inclusive, thrice{}), [&](const auto& out) {
          blockwise_inclusive_scan(gpu, transformed{in, thrice{}}, out, block_items);
        });
        scratch.check_guards();
      });
    }
}

TEST_CASE("segmented and block-wise scans refuse output views without room, or over what they read") {
  const std::size_t n = 3000;
  // Flags and offsets at the begin of memory that an output of n sums would take.
  guarded<u32> in(n), out(n), offset(1), memory_of_heads(n), memory_of_begins(n);
  const std::span<const std::uint8_t> heads(reinterpret_cast<const std::uint8_t*>(memory_of_heads.data()), n);
  const std::span<const u32> begins(memory_of_begins.data(), 2);
  const auto each = [&](const char* why, const auto& to) {
    refused("by flags", why, [&](const exec& gpu) { segmented_inclusive_scan(gpu, in, byte_flags{heads}, to); });
    refused("by offsets", why,
            [&](const exec& gpu) { segmented_inclusive_scan(gpu, in, segment_offsets{begins}, to); });
    refused("by blocks", why, [&](const exec& gpu) { blockwise_inclusive_scan(gpu, in, to, 100); });
    refused("of a view", why, [&](const exec& gpu) {
      segmented_inclusive_scan(gpu, transformed{in, thrice{}}, byte_flags{heads}, to);
    });
  };
  each("`out` has room for 2999 items, `in` has 3000", discarded<u32>(n - 1));
  each("`out` has room for 2999 items, `in` has 3000", converting<u32>(std::span(out.data(), n - 1)));
  each("`out` is null", converting<u32>(std::span<float>(static_cast<float*>(nullptr), n)));
  each("overlaps input `in`", converting<u32>(in, thrice{}));  // no view may be the input
  each("overlaps input `in`", converting<u32>(std::span(reinterpret_cast<float*>(in.data()), n)));
  each("overlaps input `out.offset`", appended{out, out.data() + 5});
  refused("over the flags", "overlaps input `segments`", [&](const exec& gpu) {
    segmented_inclusive_scan(gpu, in, byte_flags{heads}, appended{memory_of_heads, offset.data()});
  });
  refused("over the offsets", "overlaps input `segments`", [&](const exec& gpu) {
    segmented_inclusive_scan(gpu, in, segment_offsets{begins}, appended{memory_of_begins, offset.data()});
  });
  const guarded<u32> scratch(n);
  const exec gpu(test::test_stream(), scratch.data(), n * sizeof(u32));
  refused("over the scratch", "overlaps input `scratch`", [&](const exec&) {
    segmented_inclusive_scan(gpu, in, segment_offsets{begins}, appended{scratch, offset.data()});
  });
  refused("an offset in the scratch", "overlaps input `out.offset`", [&](const exec&) {
    segmented_inclusive_scan(gpu, in, segment_offsets{begins}, appended{out, scratch.data() + 3});
  });
}

}  // namespace device_outputs_of_segmented_scans
