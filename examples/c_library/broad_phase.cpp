// SPDX-License-Identifier: Apache-2.0
// C++17: the end of a collision code's broad phase. Pairs that are near enough are kept, with their
// distances; the nearest comes first. How many there are stays on the device until the end.
#include <cuda_runtime_api.h>
#include <ballot.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

void checked(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// Memory of the device, as a code of this kind has it anyway.
template <class T>
class device_vector {
 public:
  explicit device_vector(std::size_t n) : size_(n) {
    checked(cudaMalloc(reinterpret_cast<void**>(&data_), n * sizeof(T)));
  }
  explicit device_vector(const std::vector<T>& host) : device_vector(host.size()) {
    checked(cudaMemcpy(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  device_vector(const device_vector&) = delete;
  device_vector& operator=(const device_vector&) = delete;
  ~device_vector() { (void)cudaFree(data_); }
  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::vector<T> read() const {
    std::vector<T> host(size_);
    checked(cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

struct pair {
  std::uint32_t a, b;
};

int broad_phase(cudaStream_t stream) {
  const std::size_t n = 200'000;
  std::mt19937 random(1);
  std::vector<float> host_distances(n);
  std::vector<pair> host_pairs(n);
  for (std::size_t i = 0; i < n; ++i) {
    host_distances[i] = static_cast<float>(random() % 100'000) / 1000.0f;
    host_pairs[i] = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(random())};
  }
  const device_vector<float> distances(host_distances), near(n), sorted(n);
  const device_vector<pair> pairs(host_pairs), near_pairs(n), sorted_pairs(n);
  const device_vector<std::uint32_t> count(1);
  const device_vector<char> scratch(
      std::max(libballot::compact_scratch_bytes<float, pair>(n), libballot::sort_pairs_scratch_bytes<float, pair>(n)));

  checked(cudaDeviceSynchronize());  // such a stream does not wait for the default one, which copies
  const libballot::exec gpu(stream, scratch.data(), scratch.size());
  const float reach = 2.5f;
  const ballot_array in[] = {libballot::as_array(distances), libballot::as_array(pairs)};
  const ballot_array out[] = {libballot::as_array(near), libballot::as_array(near_pairs)};
  libballot::checked(ballot_compact(gpu, 2, in, libballot::less(reach).get(), out, libballot::value(count.data())));
  libballot::sort_pairs(gpu, libballot::counted(near, count.data()), near_pairs, sorted, sorted_pairs);
  checked(cudaStreamSynchronize(stream));

  const std::uint32_t kept = count.read()[0];
  const auto found = sorted.read();
  const auto found_pairs = sorted_pairs.read();
  std::size_t expected = 0, wrong = 0;
  for (const float d : host_distances) expected += d < reach;
  for (std::size_t i = 0; i < kept; ++i)
    wrong += (i != 0 && found[i - 1] > found[i]) || host_distances[found_pairs[i].a] != found[i];
  std::printf("%u of %zu pairs are near, %zu mistakes\n", kept, n, wrong);
  return wrong != 0 || kept != expected;
}

}  // namespace

int main() {
  cudaStream_t stream = nullptr;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) {
    std::fprintf(stderr, "not run: no usable GPU\n");
    return 77;
  }
  try {
    libballot::check_version();
    return broad_phase(stream);
  } catch (const libballot::error& error) {
    std::fprintf(stderr, "%s: %s\n", ballot_status_name(error.status()), error.what());
    return error.status() == BALLOT_NO_DEVICE ? 77 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
