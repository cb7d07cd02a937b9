// SPDX-License-Identifier: Apache-2.0
// A view of each kind, of u32, with the items that a loop computes for it.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/views.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ballot::test {

struct thrice_and_one {
  __host__ __device__ std::uint32_t operator()(std::uint32_t x) const { return 3 * x + 1; }
};
struct mixed {
  __host__ __device__ std::uint32_t operator()(std::uint32_t x, std::uint64_t y) const {
    return x ^ static_cast<std::uint32_t>(y >> 7);
  }
};
// Not callable as const: each call is made on a fresh copy.
struct shifts_itself {
  std::uint32_t by = 5;
  __host__ __device__ std::uint32_t operator()(std::uint8_t x) { return x * 7u + by++; }
};
struct triple {
  float x, y, z;
};
struct sum_of_triple {
  __host__ __device__ std::uint32_t operator()(const triple& t) const {
    return static_cast<std::uint32_t>(t.x + 2 * t.y + 3 * t.z);
  }
};
struct by_17 {
  std::uint64_t n;
  __host__ __device__ std::uint64_t operator()(std::uint32_t i) const { return std::uint64_t{i} * 17 % n; }
};

// A caller's own view.
struct squares {
  using value_type = std::uint32_t;
  std::uint64_t items;
  std::uint64_t size() const { return items; }
  __device__ std::uint32_t operator[](std::uint64_t i) const { return static_cast<std::uint32_t>(i * i); }
};

// A random-access iterator whose items are no memory; its operator[] takes a signed distance, and
// gives a proxy.
struct proxy {
  std::uint32_t value;
  __host__ __device__ operator std::uint32_t() const { return value; }
};
struct counting {
  using value_type = std::uint32_t;
  std::uint32_t first;
  __host__ __device__ proxy operator[](std::ptrdiff_t i) const { return {first + static_cast<std::uint32_t>(i)}; }
};

inline constexpr std::uint64_t u64_of_views = 0x123456789abcdef;

// use(name, view, items) for each. `shift`: items by which the arrays are misaligned.
template <class Use>
void for_each_view(std::size_t n, std::size_t shift, Use use) {
  using u32 = std::uint32_t;
  const auto host = random_items<u32>(n, 1);
  const auto host_64 = random_items<std::uint64_t>(n, 2);
  const auto host_8 = random_items<std::uint8_t>(n, 3);
  std::vector<triple> host_triples(n);
  std::vector<u32> host_indices(n), items(n);
  for (std::size_t i = 0; i < n; ++i) {
    host_triples[i] = {static_cast<float>(i % 1000), static_cast<float>(host_8[i]), 7};
    host_indices[i] = static_cast<u32>(host_64[i] % n);
  }
  const guarded<u32> a(host, shift), indices(host_indices, 2 * shift);
  const guarded<std::uint64_t> b(host_64);
  const guarded<std::uint8_t> c(host_8, 3 * shift);
  const guarded<triple> triples(host_triples, shift);
  const auto check = [&](const char* name, const auto& view, auto item) {
    REQUIRE(view.size() == n);
    for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<u32>(item(i));
    use(std::string(name), view, items);
  };
  check("transformed", transformed{a, thrice_and_one{}}, [&](std::size_t i) { return 3 * host[i] + 1; });
  check("of two", transformed{a, b, mixed{}}, [&](std::size_t i) { return mixed{}(host[i], host_64[i]); });
  check("of bytes", transformed{c, shifts_itself{}}, [&](std::size_t i) { return host_8[i] * 7u + 5; });
  check("of triples", transformed{triples, sum_of_triple{}},
        [&](std::size_t i) { return sum_of_triple{}(host_triples[i]); });
  check("gathered", gathered{a, indices}, [&](std::size_t i) { return host[host_indices[i]]; });
  check("reversed", reversed{a}, [&](std::size_t i) { return host[n - 1 - i]; });
  check("nested",
        transformed{gathered{reversed{a}, transformed{positions(n), by_17{n}}}, constant{u64_of_views, n}, mixed{}},
        [&](std::size_t i) { return mixed{}(host[n - 1 - i * 17 % n], u64_of_views); });
  check("own", squares{n}, [](std::size_t i) { return i * i; });
  check("iterator", view{counting{40}, n}, [](std::size_t i) { return 40 + i; });
  if (n != 0) {
    const std::size_t few = (n + 2) / 3;
    items.resize(few);
    for (std::size_t i = 0; i < few; ++i) items[i] = host[3 * i];
    const auto every_third = strided{a, 3};
    REQUIRE(every_third.size() == few);
    use(std::string("strided"), every_third, items);
  }
}

}  // namespace ballot::test
