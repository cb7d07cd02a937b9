// SPDX-License-Identifier: Apache-2.0
// Shared by the three ways: the kernels of the domain, and the one function that waits.
#include "steps.h"

#include <stdexcept>

namespace call_sites {
namespace {

void checked(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

constexpr unsigned threads = 256;
unsigned blocks(std::size_t n) { return static_cast<unsigned>((n + threads - 1) / threads); }

__global__ void emit_kernel(splats s) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= s.n) return;
  const u32 begin = s.offsets[i], count = s.tiles_touched[i];
  for (u32 k = 0; k < count && begin + k < s.most_pairs; ++k) {
    s.keys[begin + k] = key_of_pair(static_cast<u32>(i), k, s.tile_bits);
    s.ids[begin + k] = static_cast<u32>(i);
  }
  if (i + 1 == s.n) *s.pairs = begin + count < s.most_pairs ? begin + count : static_cast<u32>(s.most_pairs);
}

// begins[b]: the first key that is not below b.
template <class K>
__global__ void begins_kernel(const K* keys, int shift, const u32* count, u32* begins, std::size_t buckets) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x, n = *count;
  if (i > n) return;
  const std::size_t from = i == 0 ? 0 : static_cast<std::size_t>(keys[i - 1] >> shift) + 1;
  const std::size_t to = i == n ? buckets : static_cast<std::size_t>(keys[i] >> shift);
  for (std::size_t b = from; b <= to && b <= buckets; ++b) begins[b] = static_cast<u32>(i);
}

__global__ void gather_kernel(const float* in, const u32* order, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i < n) out[i] = in[order[i]];
}

}  // namespace

void emit_pairs(const splats& s, cudaStream_t stream) {
  if (s.n == 0) return checked(cudaMemsetAsync(s.pairs, 0, sizeof(u32), stream));
  emit_kernel<<<blocks(s.n), threads, 0, stream>>>(s);
  checked(cudaGetLastError());
}
void find_begins(const u64* keys, int shift, const u32* count, std::size_t most, u32* begins, std::size_t buckets,
                 cudaStream_t stream) {
  begins_kernel<<<blocks(most + 1), threads, 0, stream>>>(keys, shift, count, begins, buckets);
  checked(cudaGetLastError());
}
void find_begins(const u32* keys, const u32* count, std::size_t most, u32* begins, std::size_t buckets,
                 cudaStream_t stream) {
  begins_kernel<<<blocks(most + 1), threads, 0, stream>>>(keys, 0, count, begins, buckets);
  checked(cudaGetLastError());
}
void gather_items(const float* in, const u32* order, float* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  gather_kernel<<<blocks(n), threads, 0, stream>>>(in, order, out, n);
  checked(cudaGetLastError());
}
u32 read(const u32* on_device, cudaStream_t stream) {
  u32 value = 0;
  checked(cudaMemcpyAsync(&value, on_device, sizeof(u32), cudaMemcpyDeviceToHost, stream));
  checked(cudaStreamSynchronize(stream));
  return value;
}

}  // namespace call_sites
