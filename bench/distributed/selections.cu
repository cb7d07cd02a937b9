// SPDX-License-Identifier: Apache-2.0
// Scans and compactions over several GPUs, and by one of them.
#include "machine.cuh"

#include <ballot/compact.cuh>
#include <ballot/distributed/compact.cuh>
#include <ballot/distributed/scan.cuh>
#include <ballot/scan.cuh>

#include <iterator>
#include <map>
#include <mutex>

namespace ballot_bench_distributed {
namespace {

using u32 = std::uint32_t;

struct is_odd {
  __device__ bool operator()(const u32& v) const { return (v & 1u) != 0; }
};

// Input, output, scratch and some numbers of a rank.
struct buffers {
  memory in, out, scratch, numbers;
  std::size_t bytes;
  std::uint64_t mine;
  buffers(std::uint64_t n, std::size_t scratch_bytes)
      : in(4 * n), out(4 * n), scratch(scratch_bytes), numbers(64), bytes(scratch_bytes), mine(n) {}
  std::span<const u32> input() const { return {in.as<u32>(), mine}; }
  std::span<u32> output() const { return {out.as<u32>(), mine}; }
  ballot::exec gpu(cudaStream_t s) const { return ballot::exec(s, std::span(scratch.as<std::byte>(), bytes)); }
  template <class T>
  T read(const void* from) const {
    T value{};
    must(cudaMemcpy(&value, from, sizeof value, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return value;
  }
};

// Adds up items, each times its number; they have numbers from `first` + 1 on. So it tells the
// items and their order.
__global__ void numbered_sum_kernel(const u32* items, std::uint64_t n, std::uint64_t first, unsigned long long* sum) {
  unsigned long long mine = 0;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    mine += items[i] * (first + i + 1);
  atomicAdd(sum, mine);
}

// The first items of the sequence, computed once, each from the one before.
struct first_items {
  u32 sum = 0;
  std::uint64_t odd = 0, numbered_sum_of_odd = 0;
};
first_items sums_of_first(std::uint64_t n) {
  static std::mutex mutex;
  static std::map<std::uint64_t, first_items> known{{0, {}}};
  const std::lock_guard lock(mutex);
  const auto before = std::prev(known.upper_bound(n));
  first_items found = before->second;
  for (std::uint64_t i = before->first; i < n; ++i) {
    const auto item = static_cast<u32>(mixed(i));
    found.sum += item;
    if ((item & 1u) != 0) found.numbered_sum_of_odd += item * ++found.odd;
  }
  return known[n] = found;
}

// carry_apart: the sums of each rank alone, and the carry apart from them.
void bench_scan(machine& m, const char* name, bool carry_apart) {
  if (!m.wants(name)) return;
  const auto scratch = [](std::uint64_t mine) { return ballot::distributed::scan_scratch_bytes<u32>(mine); };
  for (const amount& of : m.amounts(name, [&](std::uint64_t mine) { return 8 * mine + scratch(mine); })) {
    const machine::timing t = m.time([&](int r, cudaStream_t s) -> machine::prepared {
      const block mine = block_of(of.items, r, m.ranks());
      const auto b = std::make_shared<buffers>(mine.size, scratch(mine.size));
      fill_kernel<<<2048, 256, 0, s>>>(b->in.as<u32>(), mine.size, mine.begin);
      must(cudaGetLastError(), "fill_kernel");
      u32* const carry = carry_apart ? b->numbers.as<u32>() : nullptr;
      return {[=](noting_communicator& comm) {
                if (comm.size() == 1) ballot::inclusive_scan(b->gpu(s), b->input(), b->output());
                else ballot::distributed::inclusive_scan(comm, b->gpu(s), b->input(), b->output(), {.carry = carry});
              },
              [=, ranks = m.ranks()] {
                const u32 last = b->read<u32>(b->output().data() + mine.size - 1);
                const u32 before = carry != nullptr && ranks > 1 ? b->read<u32>(carry) : 0;
                if (last + before != sums_of_first(mine.begin + mine.size).sum)
                  die(std::string(name) + ": a rank's last sum is wrong");
              }};
    });
    m.found().add(name, key_law::uniform, of, m.ranks(), 8, t.ms, t.sent, t.phases);
  }
}

void bench_compact(machine& m) {
  const char* const name = "compact.u32";
  if (!m.wants(name)) return;
  const auto scratch = [](std::uint64_t mine) { return ballot::compact_scratch_bytes<u32>(mine); };
  for (const amount& of : m.amounts(name, [&](std::uint64_t mine) { return 8 * mine + scratch(mine); })) {
    const machine::timing t = m.time([&](int r, cudaStream_t s) -> machine::prepared {
      const block mine = block_of(of.items, r, m.ranks());
      const auto b = std::make_shared<buffers>(mine.size, scratch(mine.size));
      fill_kernel<<<2048, 256, 0, s>>>(b->in.as<u32>(), mine.size, mine.begin);
      must(cudaGetLastError(), "fill_kernel");
      auto* const counts = b->numbers.as<std::uint64_t>();
      return {[=](noting_communicator& comm) {
                if (comm.size() == 1) ballot::compact(b->gpu(s), b->input(), is_odd{}, b->output(), counts);
                else
                  ballot::distributed::compact(comm, b->gpu(s), b->input(), is_odd{}, b->output(), counts,
                                               {.offset = counts + 1, .total = counts + 2});
              },
              [=, ranks = m.ranks()] {
                const first_items earlier = sums_of_first(mine.begin), all = sums_of_first(mine.begin + mine.size);
                const std::uint64_t before = earlier.odd, odd = all.odd - before;
                if (b->read<std::uint64_t>(counts) != odd) die("compact.u32: a wrong count");
                if (ranks > 1 && b->read<std::uint64_t>(counts + 1) != before) die("compact.u32: a wrong offset");
                auto* const sum = b->numbers.as<unsigned long long>() + 4;
                must(cudaMemsetAsync(sum, 0, sizeof *sum, s), "cudaMemsetAsync");
                numbered_sum_kernel<<<2048, 256, 0, s>>>(b->output().data(), odd, before, sum);
                must(cudaGetLastError(), "numbered_sum_kernel");
                must(cudaStreamSynchronize(s), "cudaStreamSynchronize");
                if (b->read<std::uint64_t>(sum) != all.numbered_sum_of_odd - earlier.numbered_sum_of_odd)
                  die("compact.u32: wrong items");
              }};
    });
    m.found().add(name, key_law::uniform, of, m.ranks(), 6, t.ms, t.sent, t.phases);
  }
}

}  // namespace

void bench_selections(machine& m) {
  bench_scan(m, "scan.u32", false);
  bench_scan(m, "scan_carry.u32", true);
  bench_compact(m);
}

}  // namespace ballot_bench_distributed
