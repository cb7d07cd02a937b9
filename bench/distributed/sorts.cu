// SPDX-License-Identifier: Apache-2.0
// Sorts over several GPUs, and by one of them.
#include "machine.cuh"

#include <ballot/distributed/sort.cuh>

#include <mutex>

namespace ballot_bench_distributed {
namespace {

// The results that the ranks find together.
template <class K>
struct findings {
  std::mutex mutex;
  unsigned long long before = 0, after = 0;
  std::size_t looked = 0;
  std::vector<std::pair<K, K>> ends;  // the first and the last key of each rank
};

// The call on all keys of this rank. V: unsigned for pairs, void for keys alone.
template <class K, class V>
struct sort_of {
  static constexpr bool pairs = !std::is_void_v<V>;
  using value = std::conditional_t<pairs, V, std::uint32_t>;
  static constexpr std::size_t item_bytes = sizeof(K) + (pairs ? sizeof(value) : 0);

  static std::size_t scratch_bytes(int ranks, std::uint64_t mine) {
    if (ranks == 1)
      return pairs ? ballot::sort_pairs_scratch_bytes<K, value>(mine) : ballot::sort_scratch_bytes<K>(mine);
    return pairs ? ballot::distributed::sort_pairs_scratch_bytes<K, value>(ranks, mine, mine)
                 : ballot::distributed::sort_scratch_bytes<K>(ranks, mine, mine);
  }

  memory keys, out, values, values_out, scratch, found;
  std::size_t bytes;
  std::uint64_t mine;

  sort_of(int ranks, std::uint64_t n)
      : keys(n * sizeof(K)),
        out(n * sizeof(K)),
        values(pairs ? n * sizeof(value) : 0),
        values_out(pairs ? n * sizeof(value) : 0),
        scratch(scratch_bytes(ranks, n)),
        found(16),
        bytes(scratch_bytes(ranks, n)),
        mine(n) {}

  void call(noting_communicator& comm, cudaStream_t s, int pieces) const {
    const std::span<const K> in(keys.as<K>(), mine);
    const std::span<K> sorted(out.as<K>(), mine);
    const ballot::exec gpu(s, std::span(scratch.as<std::byte>(), bytes));
    if constexpr (pairs) {
      const std::span<const value> of(values.as<value>(), mine);
      const std::span<value> moved(values_out.as<value>(), mine);
      if (comm.size() == 1) ballot::sort_pairs(gpu, in, of, sorted, moved);
      else ballot::distributed::sort_pairs(comm, gpu, in, of, sorted, moved, {.pieces = pieces});
    } else {
      if (comm.size() == 1) ballot::sort(gpu, in, sorted);
      else ballot::distributed::sort(comm, gpu, in, sorted, {.pieces = pieces});
    }
  }
  // A sum over the items that does not depend on their order; ends the program where `order` is
  // asked for and missing.
  unsigned long long sum_of(const memory& k, const memory& v, cudaStream_t s, bool order, const char* name) const {
    unsigned long long f[2];
    must(cudaMemsetAsync(found.at, 0, sizeof f, s), "cudaMemsetAsync");
    look_kernel<<<2048, 256, 0, s>>>(k.as<K>(), pairs ? v.as<value>() : nullptr, mine, order,
                                     found.as<unsigned long long>());
    must(cudaGetLastError(), "look_kernel");
    must(cudaMemcpyAsync(f, found.at, sizeof f, cudaMemcpyDeviceToHost, s), "cudaMemcpyAsync");
    must(cudaStreamSynchronize(s), "cudaStreamSynchronize");
    if (f[0] != 0) die(std::string(name) + ": the result is not in order");
    return f[1];
  }
  K key(std::uint64_t i) const {
    K k;
    must(cudaMemcpy(&k, out.as<K>() + i, sizeof k, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return k;
  }
};

template <class K, class V>
machine::timing time_sort(machine& m, const char* name, key_law law, std::uint64_t n) {
  using sort = sort_of<K, V>;
  findings<K> found;
  found.ends.resize(static_cast<std::size_t>(m.ranks()));
  return m.time([&](int r, cudaStream_t s) -> machine::prepared {
    const block mine = block_of(n, r, m.ranks());
    const auto of = std::make_shared<sort>(m.ranks(), mine.size);
    if (m.ranks() > 1) m.share(r, std::span(of->scratch.template as<std::byte>(), of->bytes));
    fill_kernel<<<2048, 256, 0, s>>>(of->keys.template as<K>(), mine.size, mine.begin, law);
    must(cudaGetLastError(), "fill_kernel");
    if (sort::pairs)
      fill_kernel<<<2048, 256, 0, s>>>(of->values.template as<typename sort::value>(), mine.size, mine.begin + 12345);
    must(cudaGetLastError(), "fill_kernel");
    {
      const auto sum = of->sum_of(of->keys, of->values, s, false, name);
      const std::lock_guard lock(found.mutex);
      found.before += sum;
    }
    return {[=, pieces = m.asked().pieces](noting_communicator& comm) { of->call(comm, s, pieces); },
            [=, &found] {
              const auto sum = of->sum_of(of->out, of->values_out, s, true, name);
              const std::pair<K, K> ends{of->key(0), of->key(mine.size - 1)};
              const std::lock_guard lock(found.mutex);
              found.after += sum;
              found.ends[static_cast<std::size_t>(r)] = ends;
              if (++found.looked < found.ends.size()) return;
              if (found.after != found.before) die(std::string(name) + ": items are lost");
              for (std::size_t i = 1; i < found.ends.size(); ++i)
                if (found.ends[i].first < found.ends[i - 1].second)
                  die(std::string(name) + ": a rank has keys of the one after it");
            }};
  });
}

template <class K, class V>
void bench_sort(machine& m, const char* name) {
  if (!m.wants(name)) return;
  using sort = sort_of<K, V>;
  const auto bytes = [&](std::uint64_t mine) {
    return 2 * mine * sort::item_bytes + sort::scratch_bytes(m.ranks(), mine);
  };
  for (const amount& of : m.amounts(name, bytes))
    for (key_law law : m.asked().keys) {
      const machine::timing t = time_sort<K, V>(m, name, law, of.items);
      m.found().add(name, law, of, m.ranks(), sort::item_bytes, t.ms, t.sent, t.phases);
    }
}

}  // namespace

void bench_sorts(machine& m) {
  bench_sort<std::uint32_t, void>(m, "sort.u32");
  bench_sort<std::uint64_t, void>(m, "sort.u64");
  bench_sort<std::uint32_t, std::uint32_t>(m, "sort_pairs.u32.u32");
}

}  // namespace ballot_bench_distributed
