// SPDX-License-Identifier: Apache-2.0
// Scans and compactions over all GPUs against those of one.
#include "machine.cuh"

#include <ballot/compact.cuh>
#include <ballot/distributed/compact.cuh>
#include <ballot/distributed/scan.cuh>
#include <ballot/scan.cuh>

namespace ballot_bench_distributed {
namespace {

struct is_odd_half {
  __device__ bool operator()(const std::uint32_t& v) const { return (v & 1u) != 0; }
};

// with_carry: the sums of each rank alone, and the carry apart from them.
void bench_scan(machine& m, const char* name, bool with_carry) {
  if (!m.wants(name)) return;
  const std::uint64_t n = std::uint64_t{1} << m.asked().log2;
  const auto run = [&](int ranks, std::string* phases) {
    return m.median_ms(
        ranks,
        [&](int r, cudaStream_t s) -> machine::prepared {
          const std::uint64_t begin = n * unsigned(r) / unsigned(ranks),
                              mine = n * unsigned(r + 1) / unsigned(ranks) - begin;
          struct buffers {
            memory in, out, scratch, carry;
            std::size_t scratch_bytes;
          };
          const std::size_t bytes = ballot::distributed::scan_scratch_bytes<std::uint32_t>(mine);
          auto b = std::shared_ptr<buffers>(
              new buffers{memory(4 * mine), memory(4 * mine), memory(bytes), memory(4), bytes});
          fill_kernel<<<2048, 256, 0, s>>>(b->in.as<std::uint32_t>(), mine, begin);
          return {[=](noting_communicator& comm) {
                    const std::span<const std::uint32_t> in(b->in.as<std::uint32_t>(), mine);
                    const std::span<std::uint32_t> out(b->out.as<std::uint32_t>(), mine);
                    const ballot::exec gpu(s, std::span(b->scratch.as<std::byte>(), b->scratch_bytes));
                    std::uint32_t* const carry = with_carry ? b->carry.as<std::uint32_t>() : nullptr;
                    if (ranks == 1) ballot::inclusive_scan(gpu, in, out);
                    else ballot::distributed::inclusive_scan(comm, gpu, in, out, {.carry = carry});
                  },
                  [=] {
                    std::uint32_t last = 0, want = 0, carry = 0;
                    must(cudaMemcpy(&last, b->out.as<std::uint32_t>() + mine - 1, 4, cudaMemcpyDeviceToHost),
                         "cudaMemcpy");
                    if (with_carry && ranks > 1)
                      must(cudaMemcpy(&carry, b->carry.at, 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
                    for (std::uint64_t i = 0; i < begin + mine; ++i) {
                      std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
                      z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
                      z = (z ^ z >> 27) * 0x94d049bb133111ebull;
                      want += static_cast<std::uint32_t>(z ^ z >> 31);
                    }
                    if (last + carry != want) die(std::string(name) + ": a rank's last sum is wrong");
                  }};
        },
        phases);
  };
  const double one = run(1, nullptr);
  std::string phases;
  const double all = m.ranks() == 1 ? one : run(m.ranks(), &phases);
  m.report(name, n, 8, one, all, phases.empty() ? "[]" : phases);
}

void bench_compact(machine& m) {
  if (!m.wants("compact.u32")) return;
  const std::uint64_t n = std::uint64_t{1} << m.asked().log2;
  const auto run = [&](int ranks, std::string* phases) {
    return m.median_ms(
        ranks,
        [&](int r, cudaStream_t s) -> machine::prepared {
          const std::uint64_t begin = n * unsigned(r) / unsigned(ranks),
                              mine = n * unsigned(r + 1) / unsigned(ranks) - begin;
          struct buffers {
            memory in, out, counts, scratch;
            std::size_t scratch_bytes;
          };
          const std::size_t bytes = ballot::compact_scratch_bytes<std::uint32_t>(mine);
          auto b = std::shared_ptr<buffers>(
              new buffers{memory(4 * mine), memory(4 * mine), memory(64), memory(bytes), bytes});
          fill_kernel<<<2048, 256, 0, s>>>(b->in.as<std::uint32_t>(), mine, begin);
          return {[=](noting_communicator& comm) {
                    const std::span<const std::uint32_t> in(b->in.as<std::uint32_t>(), mine);
                    const std::span<std::uint32_t> out(b->out.as<std::uint32_t>(), mine);
                    const ballot::exec gpu(s, std::span(b->scratch.as<std::byte>(), b->scratch_bytes));
                    auto* const counts = b->counts.as<std::uint64_t>();
                    if (ranks == 1) ballot::compact(gpu, in, is_odd_half{}, out, counts);
                    else
                      ballot::distributed::compact(comm, gpu, in, is_odd_half{}, out, counts,
                                                   {.offset = counts + 1, .total = counts + 2});
                  },
                  [=] {
                    std::uint64_t counts[3];
                    must(cudaMemcpy(counts, b->counts.at, sizeof counts, cudaMemcpyDeviceToHost), "cudaMemcpy");
                    if (counts[0] < mine / 2 - mine / 100 || counts[0] > mine / 2 + mine / 100)
                      die("compact.u32: a wrong count");
                    if (ranks > 1 &&
                        (counts[1] + counts[0] > counts[2] || (r == ranks - 1 && counts[1] + counts[0] != counts[2])))
                      die("compact.u32: a wrong place");
                  }};
        },
        phases);
  };
  const double one = run(1, nullptr);
  std::string phases;
  const double all = m.ranks() == 1 ? one : run(m.ranks(), &phases);
  m.report("compact.u32", n, 6, one, all, phases.empty() ? "[]" : phases);
}

}  // namespace

void bench_selections(machine& m) {
  bench_scan(m, "scan.u32", false);
  bench_scan(m, "scan_carry.u32", true);
  bench_compact(m);
}

}  // namespace ballot_bench_distributed
