// SPDX-License-Identifier: Apache-2.0
// Sorts over all GPUs against sorts by one of them.
#include "machine.cuh"

#include <ballot/distributed/sort.cuh>

namespace ballot_bench_distributed {
namespace {

// What the ranks find out together.
struct findings {
  std::mutex mutex;
  unsigned long long before = 0, after = 0;
  int looked = 0;
};

// V: unsigned for pairs, void* for keys alone (a pointer that is null).
template <class K, class V>
void bench_sort(machine& m, const char* name) {
  if (!m.wants(name)) return;
  constexpr bool pairs = std::is_integral_v<V>;
  using value = std::conditional_t<pairs, V, std::uint32_t>;
  const std::uint64_t n = std::uint64_t{1} << m.asked().log2;
  const int pieces = m.asked().pieces;
  const auto run = [&](int ranks, std::string* phases) {
    findings found;
    return m.median_ms(
        ranks,
        [&](int r, cudaStream_t s) -> machine::prepared {
          const std::uint64_t begin = n * unsigned(r) / unsigned(ranks),
                              mine = n * unsigned(r + 1) / unsigned(ranks) - begin;
          struct buffers {
            memory keys, out, values, values_out, scratch, found;
            std::size_t scratch_bytes;
          };
          const std::size_t bytes =
              ranks == 1 ? (pairs ? ballot::sort_pairs_scratch_bytes<K, value>(n) : ballot::sort_scratch_bytes<K>(n))
              : pairs    ? ballot::distributed::sort_pairs_scratch_bytes<K, value>(ranks, mine, mine)
                         : ballot::distributed::sort_scratch_bytes<K>(ranks, mine, mine);
          auto b = std::shared_ptr<buffers>(
              new buffers{memory(mine * sizeof(K)), memory(mine * sizeof(K)), memory(pairs ? mine * sizeof(value) : 0),
                          memory(pairs ? mine * sizeof(value) : 0), memory(bytes), memory(16), bytes});
          if (ranks > 1) m.share(r, std::span(b->scratch.template as<std::byte>(), bytes));
          fill_kernel<<<2048, 256, 0, s>>>(b->keys.template as<K>(), mine, begin);
          if (pairs) fill_kernel<<<2048, 256, 0, s>>>(b->values.template as<value>(), mine, begin + 12345);
          const auto look = [=](const memory& keys, const memory& values, bool order) {
            unsigned long long f[2];
            must(cudaMemsetAsync(b->found.at, 0, sizeof f, s), "cudaMemsetAsync");
            look_kernel<<<2048, 256, 0, s>>>(keys.template as<K>(), pairs ? values.template as<value>() : nullptr, mine,
                                             order, b->found.template as<unsigned long long>());
            must(cudaMemcpyAsync(f, b->found.at, sizeof f, cudaMemcpyDeviceToHost, s), "cudaMemcpyAsync");
            must(cudaStreamSynchronize(s), "cudaStreamSynchronize");
            if (f[0] != 0) die(std::string(name) + ": the result is not in order");
            return f[1];
          };
          {
            const auto sum = look(b->keys, b->values, false);
            const std::lock_guard lock(found.mutex);
            found.before += sum;
          }
          return {[=](noting_communicator& comm) {
                    const std::span<const K> keys(b->keys.template as<K>(), mine);
                    const std::span<K> out(b->out.template as<K>(), mine);
                    const std::span<const value> values(b->values.template as<value>(), pairs ? mine : 0);
                    const std::span<value> values_out(b->values_out.template as<value>(), pairs ? mine : 0);
                    const ballot::exec gpu(s, std::span(b->scratch.template as<std::byte>(), b->scratch_bytes));
                    if constexpr (pairs) {
                      if (ranks == 1) ballot::sort_pairs(gpu, keys, values, out, values_out);
                      else
                        ballot::distributed::sort_pairs(comm, gpu, keys, values, out, values_out, {.pieces = pieces});
                    } else {
                      if (ranks == 1) ballot::sort(gpu, keys, out);
                      else ballot::distributed::sort(comm, gpu, keys, out, {.pieces = pieces});
                    }
                  },
                  [=, &found] {
                    const auto sum = look(b->out, b->values_out, true);
                    K ends[2];
                    must(cudaMemcpy(&ends[0], b->out.template as<K>(), sizeof(K), cudaMemcpyDeviceToHost),
                         "cudaMemcpy");
                    must(cudaMemcpy(&ends[1], b->out.template as<K>() + mine - 1, sizeof(K), cudaMemcpyDeviceToHost),
                         "cudaMemcpy");
                    // Uniform keys: each rank's stretch lies where its number says, to within a thousandth of all.
                    const double of_all = double(static_cast<K>(~K{0})), low = double(ends[0]) / of_all * ranks - r,
                                 high = double(ends[1]) / of_all * ranks - r;
                    if (low < -0.001 || high > 1.001 || high < low)
                      die(std::string(name) + ": a rank has others' keys");
                    const std::lock_guard lock(found.mutex);
                    found.after += sum;
                    if (++found.looked == ranks && found.after != found.before)
                      die(std::string(name) + ": items are lost");
                  }};
        },
        phases);
  };
  const double one = run(1, nullptr);
  std::string phases;
  const double all = m.ranks() == 1 ? one : run(m.ranks(), &phases);
  m.report(name, n, sizeof(K) + (pairs ? sizeof(value) : 0), one, all, phases.empty() ? "[]" : phases);
}

}  // namespace

void bench_sorts(machine& m) {
  bench_sort<std::uint32_t, void*>(m, "sort.u32");
  bench_sort<std::uint64_t, void*>(m, "sort.u64");
  bench_sort<std::uint32_t, std::uint32_t>(m, "sort_pairs.u32.u32");
}

}  // namespace ballot_bench_distributed
