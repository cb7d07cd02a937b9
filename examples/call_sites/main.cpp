// SPDX-License-Identifier: Apache-2.0
// Runs each step in each way, compares the results with a serial program, and prints lines of code,
// waits and time a step.
//
//   call_sites [ITEMS [STEPS]]      exits with 77 where there is no GPU
#include "steps.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

namespace call_sites {
namespace {

void checked(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

template <class T>
class device_vector {
 public:
  explicit device_vector(std::size_t n) : size_(n) {
    checked(cudaMalloc(reinterpret_cast<void**>(&data_), n * sizeof(T)));
  }
  explicit device_vector(const std::vector<T>& host) : device_vector(host.size()) { write(host); }
  device_vector(const device_vector&) = delete;
  device_vector& operator=(const device_vector&) = delete;
  ~device_vector() { (void)cudaFree(data_); }
  void write(const std::vector<T>& host) {
    checked(cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  T* data() const { return data_; }
  std::vector<T> first(std::size_t n) const {
    std::vector<T> host(n);
    checked(cudaMemcpy(host.data(), data_, n * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
  std::vector<T> all() const { return first(size_); }
  void clear() { checked(cudaMemset(data_, 0xa5, size_ * sizeof(T))); }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

int mistakes = 0;
void check(bool right, const char* what) {
  if (right) return;
  ++mistakes;
  std::printf("    WRONG: %s\n", what);
}

// One way of a step: once for the results, then `steps` times for the clock.
template <class Arrays, class Step, class Check>
void run(const char* way, const Arrays& arrays, std::size_t scratch_bytes, const Step& step, const Check& right,
         int steps, cudaStream_t stream) {
  device_vector<char> memory(std::max<std::size_t>(scratch_bytes, 1));
  const scratch temporary{memory.data(), scratch_bytes};
  const cost once = step(arrays, temporary, stream);
  checked(cudaStreamSynchronize(stream));
  right();
  cudaEvent_t begin, end;
  checked(cudaEventCreate(&begin));
  checked(cudaEventCreate(&end));
  checked(cudaEventRecord(begin, stream));
  for (int i = 0; i < steps; ++i) step(arrays, temporary, stream);
  checked(cudaEventRecord(end, stream));
  checked(cudaEventSynchronize(end));
  float ms = 0;
  checked(cudaEventElapsedTime(&ms, begin, end));
  checked(cudaEventDestroy(begin));
  checked(cudaEventDestroy(end));
  std::printf("  %-8s %3d lines, %d waits a step, %9.1f us a step, %zu bytes of scratch\n", way, once.lines, once.waits,
              1000.0 * ms / steps, scratch_bytes);
}

template <class Arrays, class Clear, class Check>
void all_ways(const char* name, const Arrays& arrays, const Clear& clear, const Check& right, int steps,
              cudaStream_t stream) {
  std::printf("%s\n", name);
  const auto one = [&](const char* way, std::size_t bytes, auto step) {
    clear();
    checked(cudaDeviceSynchronize());  // the default stream has set up what this stream is to read
    run(way, arrays, bytes, step, right, steps, stream);
  };
  one("adapter", adapter::scratch_bytes(arrays),
      [](const Arrays& a, const scratch& t, cudaStream_t s) { return adapter::step(a, t, s); });
  one("direct", direct::scratch_bytes(arrays),
      [](const Arrays& a, const scratch& t, cudaStream_t s) { return direct::step(a, t, s); });
  one("library", library::scratch_bytes(arrays),
      [](const Arrays& a, const scratch& t, cudaStream_t s) { return library::step(a, t, s); });
}

// begins[b]: how many sorted buckets are below b.
std::vector<u32> begins_of(const std::vector<u32>& sorted, std::size_t buckets) {
  std::vector<u32> begins(buckets + 1);
  for (std::size_t b = 0; b <= buckets; ++b)
    begins[b] = static_cast<u32>(std::lower_bound(sorted.begin(), sorted.end(), b) - sorted.begin());
  return begins;
}
// A stable order by keys.
template <class K>
std::vector<u32> order_of(const std::vector<K>& keys) {
  std::vector<u32> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return keys[a] < keys[b]; });
  return order;
}
template <class T>
std::vector<T> taken(const std::vector<T>& from, const std::vector<u32>& order) {
  std::vector<T> to;
  for (const u32 i : order) to.push_back(from[i]);
  return to;
}

void splatting(std::size_t n, int steps, cudaStream_t stream) {
  constexpr int tile_bits = 10;
  std::mt19937 random(1);
  std::vector<u32> touched(n), ids, tiles;
  std::vector<u64> keys;
  for (u32 i = 0; i < n; ++i) {
    touched[i] = static_cast<u32>(random() % 5);
    for (u32 k = 0; k < touched[i]; ++k) keys.push_back(key_of_pair(i, k, tile_bits)), ids.push_back(i);
  }
  const auto order = order_of(keys);
  const auto sorted = taken(keys, order);
  for (const u64 key : sorted) tiles.push_back(static_cast<u32>(key >> 32));
  const device_vector<u32> in(touched), offsets(n), id(4 * n), sorted_ids(4 * n), pairs(1);
  const device_vector<u64> key(4 * n);
  device_vector<u64> sorted_keys(4 * n);
  const device_vector<u32> begins((std::size_t{1} << tile_bits) + 1);
  const splats s{n,
                 4 * n,
                 tile_bits,
                 in.data(),
                 offsets.data(),
                 key.data(),
                 sorted_keys.data(),
                 id.data(),
                 sorted_ids.data(),
                 pairs.data(),
                 begins.data()};
  all_ways(
      "splatting: pairs of tile and splat, by tile and depth", s, [&] { sorted_keys.clear(); },
      [&] {
        check(pairs.first(1)[0] == keys.size(), "the number of pairs");
        check(sorted_keys.first(keys.size()) == sorted, "keys");
        check(sorted_ids.first(keys.size()) == taken(ids, order), "splats");
        check(begins.all() == begins_of(tiles, std::size_t{1} << tile_bits), "where tiles begin");
      },
      steps, stream);
}

void broad_phase(std::size_t n, int steps, cudaStream_t stream) {
  constexpr int body_bits = 14;
  constexpr std::size_t bodies = std::size_t{1} << body_bits;
  std::mt19937 random(2);
  std::vector<u32> first(n), second(n), kept_first, kept_second;
  std::vector<u8> flags(n);
  for (std::size_t i = 0; i < n; ++i) {
    first[i] = static_cast<u32>(random() % bodies), second[i] = static_cast<u32>(random() % bodies);
    flags[i] = random() % 3 == 0;
    if (flags[i] != 0) kept_first.push_back(first[i]), kept_second.push_back(second[i]);
  }
  const auto order = order_of(kept_first);
  const device_vector<u32> a(first), b(second), ka(n), kb(n), sb(n), count(1), begins(bodies + 1);
  device_vector<u32> sa(n);
  const device_vector<u8> touch(flags);
  const contacts c{n,         bodies,    body_bits, a.data(),  b.data(),     touch.data(),
                   ka.data(), kb.data(), sa.data(), sb.data(), count.data(), begins.data()};
  all_ways(
      "DEM: pairs that may touch, by body", c, [&] { sa.clear(); },
      [&] {
        check(count.first(1)[0] == order.size(), "the number of contacts");
        check(sa.first(order.size()) == taken(kept_first, order), "first bodies");
        check(sb.first(order.size()) == taken(kept_second, order), "second bodies");
        check(begins.all() == begins_of(taken(kept_first, order), bodies), "where bodies begin");
      },
      steps, stream);
}

void in_domain(std::size_t n, int steps, cudaStream_t stream) {
  std::mt19937 random(3);
  std::vector<float> position(n), speed(n), kept_position, kept_speed;
  std::vector<u32> id(n), kept_id;
  std::vector<u8> flags(n);
  float fastest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    position[i] = static_cast<float>(random() % 1000), speed[i] = static_cast<float>(random() % 5000);
    id[i] = static_cast<u32>(i), flags[i] = random() % 8 != 0;
    if (flags[i] == 0) continue;
    kept_position.push_back(position[i]), kept_speed.push_back(speed[i]), kept_id.push_back(id[i]);
    fastest = std::max(fastest, speed[i]);
  }
  const device_vector<float> x(position), v(speed), xo(n), max(1);
  device_vector<float> vo(n);
  const device_vector<u32> ids(id), ido(n), count(1);
  const device_vector<u8> inside(flags);
  const particles p{n,         inside.data(), x.data(),   v.data(),     ids.data(),
                    xo.data(), vo.data(),     ido.data(), count.data(), max.data()};
  all_ways(
      "particles: those in the domain, and the largest speed", p, [&] { vo.clear(); },
      [&] {
        check(count.first(1)[0] == kept_id.size(), "the number of particles");
        check(xo.first(kept_id.size()) == kept_position, "positions");
        check(vo.first(kept_id.size()) == kept_speed, "speeds");
        check(ido.first(kept_id.size()) == kept_id, "ids");
        check(max.first(1)[0] == fastest, "the largest speed");
      },
      steps, stream);
}

void hash_grid(std::size_t n, int steps, cudaStream_t stream) {
  constexpr int cell_bits = 16;
  constexpr std::size_t cells = std::size_t{1} << cell_bits;
  std::mt19937 random(4);
  std::vector<u32> cell(n), id(n);
  std::vector<float> position(n);
  for (std::size_t i = 0; i < n; ++i) {
    cell[i] = static_cast<u32>(random() % cells), id[i] = static_cast<u32>(i);
    position[i] = static_cast<float>(random() % 100'000);
  }
  const auto order = order_of(cell);
  const device_vector<u32> c(cell), ids(id), sorted_ids(n), begins(cells + 1);
  device_vector<u32> sorted(n);
  const device_vector<float> x(position), sorted_x(n);
  const grid g{n,        cells,           cell_bits,    c.data(), sorted.data(), ids.data(), sorted_ids.data(),
               x.data(), sorted_x.data(), begins.data()};
  all_ways(
      "hash grid: particles by cell", g, [&] { sorted.clear(); },
      [&] {
        check(sorted.all() == taken(cell, order), "cells");
        check(sorted_ids.all() == order, "particles");
        check(sorted_x.all() == taken(position, order), "positions");
        check(begins.all() == begins_of(taken(cell, order), cells), "where cells begin");
      },
      steps, stream);
}

}  // namespace
}  // namespace call_sites

int main(int arguments, char** argument) {
  const std::size_t n = arguments > 1 ? std::strtoull(argument[1], nullptr, 10) : 200'000;
  const int steps = arguments > 2 ? std::atoi(argument[2]) : 20;
  cudaStream_t stream = nullptr;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) {
    std::fprintf(stderr, "not run: no usable GPU\n");
    return 77;
  }
  try {
    using namespace call_sites;
    splatting(n, steps, stream);
    broad_phase(n, steps, stream);
    in_domain(n, steps, stream);
    hash_grid(n, steps, stream);
    std::printf("%zu items, %d mistakes\n", n, mistakes);
    return mistakes != 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
