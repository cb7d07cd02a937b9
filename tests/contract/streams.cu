// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: calls on several streams at once, each with scratch of its own, from one host
// thread and from one a stream. Nothing waits until all has been launched. And the null stream
// while another stream captures.
#include <ballot/batched_scan.cuh>
#include <ballot/compact.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_sort.cuh>
#include <ballot/sort.cuh>
#include <ballot/split.cuh>
#include <ballot/unique.cuh>

#include "support/largest.hpp"
#include "support/patterns.hpp"
#include "support/runtime_calls.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

using namespace ballot;

namespace contract_streams {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct is_odd {
  __host__ __device__ bool operator()(u32 x) const { return x % 2 != 0; }
};
struct bucket_of {
  __host__ __device__ u32 operator()(u32 x) const { return x / 8 % 7; }
};

class own_stream {
 public:
  own_stream() { simt::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
  ~own_stream() { cudaStreamDestroy(stream_); }
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

// The first items, which alone have been written.
template <class T>
std::vector<T> leading(cudaStream_t stream, const device_array<T>& from, std::size_t count) {
  std::vector<T> found(count);
  simt::copy_bytes(stream, found.data(), from.data(), count * sizeof(T));
  simt::synchronize(stream);
  return found;
}

// Sort, scan, compact: each reads what the one before it wrote.
struct worker {
  own_stream stream;
  std::vector<u32> keys;
  device_array<u32> in, sorted, sums, kept;
  device_value<u64> count;
  device_buffer scratch;

  worker(std::size_t n, unsigned seed)
      : keys(test::random_items<u32>(n, seed)),
        in(n, stream),
        sorted(n, stream),
        sums(n, stream),
        kept(n, stream),
        count(stream),
        scratch(std::max({sort_scratch_bytes<u32>(n), scan_scratch_bytes<u32>(n), compact_scratch_bytes<u32>(n)}),
                stream) {
    in.write(keys);
  }

  void launch() {
    const exec gpu(stream, scratch);
    sort(gpu, in, sorted);
    inclusive_scan(gpu, sorted, sums);
    compact(gpu, sums, is_odd{}, kept, count);
  }
  void check() const {
    std::vector<u32> want = keys;
    std::sort(want.begin(), want.end());
    std::inclusive_scan(want.begin(), want.end(), want.begin());
    std::erase_if(want, [](u32 x) { return x % 2 == 0; });
    REQUIRE(count.read(stream) == want.size());
    CHECK(leading(stream, kept, want.size()) == want);
  }
};

// One call of each other family of kernels. First a split into one output, whose blocks wait for
// later ones. Then the odd and even items by buckets, each bucket sorted, runs in it, sums of rows,
// one sum.
struct worker_of_families {
  static constexpr u32 buckets = 7;
  static constexpr u64 row = 500;
  own_stream stream;
  u64 n;
  std::vector<u32> keys;
  device_array<u32> in, both, grouped, sorted, heads, values, sums;
  device_array<u64> offsets, lengths;
  device_value<u64> odd, head_count, run_count, total;
  device_buffer scratch;

  worker_of_families(std::size_t items, unsigned seed)
      : n(items),
        keys(test::random_items<u32>(n, seed)),
        in(n, stream),
        both(n, stream),
        grouped(n, stream),
        sorted(n, stream),
        heads(n, stream),
        values(n, stream),
        sums(n / row * row, stream),
        offsets(buckets + 1, stream),
        lengths(n, stream),
        odd(stream),
        head_count(stream),
        run_count(stream),
        total(stream),
        scratch(std::max({split_scratch_bytes<u32>(n), multisplit_scratch_bytes<u32>(n, buckets),
                          segmented_sort_scratch_bytes<u32>(n), unique_scratch_bytes<u32>(n),
                          run_length_encode_scratch_bytes<u32, u64>(n), batched_scan_scratch_bytes<u32>(n / row, row),
                          reduce_scratch_bytes<u64>(n)}),
                stream) {
    for (u32& key : keys) key &= 0xffff;  // so that there are runs
    in.write(keys);
  }

  void launch() {
    const exec gpu(stream, scratch);
    split(gpu, in, is_odd{}, both, odd);
    multisplit(gpu, both, bucket_of{}, buckets, grouped, offsets);
    segmented_sort(gpu, grouped, offsets, sorted);
    unique(gpu, sorted, heads, head_count);
    run_length_encode(gpu, sorted, values, lengths, run_count);
    batched_scan(gpu, sorted, sums, {.rows = n / row, .length = row}, scan_directions::forward);
    sum(gpu, sums, total);
  }
  void check() const {
    std::vector<u32> want = keys;
    const auto even = std::stable_partition(want.begin(), want.end(), is_odd{});
    CHECK(odd.read(stream) == static_cast<u64>(even - want.begin()));
    CHECK(both.read() == want);

    std::stable_sort(want.begin(), want.end(), [](u32 x, u32 y) { return bucket_of{}(x) < bucket_of{}(y); });
    CHECK(grouped.read() == want);
    std::vector<u64> begins(buckets + 1);
    for (const u32 x : want) ++begins[bucket_of{}(x) + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    CHECK(offsets.read() == begins);

    for (u32 b = 0; b < buckets; ++b)
      std::sort(want.begin() + static_cast<std::ptrdiff_t>(begins[b]),
                want.begin() + static_cast<std::ptrdiff_t>(begins[b + 1]));
    CHECK(sorted.read() == want);

    std::vector<u32> first;
    std::vector<u64> runs;
    for (const u32 x : want) {
      if (first.empty() || first.back() != x) first.push_back(x), runs.push_back(0);
      ++runs.back();
    }
    REQUIRE(head_count.read(stream) == first.size());
    REQUIRE(run_count.read(stream) == first.size());
    CHECK(leading(stream, heads, first.size()) == first);
    CHECK(leading(stream, values, first.size()) == first);
    CHECK(leading(stream, lengths, first.size()) == runs);

    want.resize(sums.size());
    for (u64 i = 0; i < want.size(); ++i) want[i] += i % row == 0 ? 0 : want[i - 1];
    CHECK(sums.read() == want);
    CHECK(total.read(stream) == std::accumulate(want.begin(), want.end(), u64{0}));
  }
};

// Fewer where a tool looks at every access.
const int rounds = test::at_most_largest_power(24) < 24 ? 2 : 20;

template <class Worker, std::size_t workers_at_once>
test::runtime_calls launch_from_one_thread(Worker (&workers)[workers_at_once]) {
  const test::runtime_calls done = test::runtime_calls_of([&] {
    for (int round = 0; round < rounds; ++round)
      for (Worker& w : workers) w.launch();
  });
  CHECK(done.waits == 0);
  CHECK(done.allocations == 0);
  return done;
}
template <class Worker, std::size_t workers_at_once>
void launch_from_a_thread_each(Worker (&workers)[workers_at_once]) {
  std::vector<std::thread> threads;
  for (Worker& w : workers)
    threads.emplace_back([&w] {
      for (int round = 0; round < rounds; ++round) w.launch();
    });
  for (std::thread& t : threads) t.join();
}

TEST_CASE("several streams at once") {
  worker workers[] = {{1'000'003, 1}, {150'000, 2}, {300'017, 3}, {2'500'000, 4}};
  SUBCASE("from one host thread") {
    const test::runtime_calls done = launch_from_one_thread(workers);
    // Beside them: the local sort, the histogram of leading bits for the largest number of buckets,
    // and the first launch of each scan and compaction.
    CHECK(done.launches == rounds * (4 * (5 + 2 + 2) + 4 + 1));
  }
  SUBCASE("from a host thread a stream") { launch_from_a_thread_each(workers); }
  for (const worker& w : workers) w.check();
}

TEST_CASE("several streams at once: a split, buckets, segments, runs, rows, a sum") {
  worker_of_families workers[] = {{1'000'003, 1}, {70'000, 2}, {300'017, 3}, {2'500'000, 4}, {5'000, 5}};
  SUBCASE("from one host thread") { launch_from_one_thread(workers); }
  SUBCASE("from a host thread a stream") { launch_from_a_thread_each(workers); }
  for (const worker_of_families& w : workers) {
    CAPTURE(w.n);
    w.check();
  }
}

// The null stream waits for every stream that was not made non-blocking, so CUDA allows nothing on
// it while one of those captures.
TEST_CASE("a call on the null stream is an error while another stream captures") {
  cudaStream_t blocking = nullptr;
  simt::check(cudaStreamCreate(&blocking), "cudaStreamCreate");
  {
    const std::size_t n = 5000;
    const std::vector<u32> items = test::random_items<u32>(n, 7);
    device_array<u32> in(n, blocking), out(n, blocking);
    device_value<u64> count(blocking);
    const device_buffer scratch(std::max(scan_scratch_bytes<u32>(n), compact_scratch_bytes<u32>(n)), blocking);
    in.write(items), out.write(items), count.write(blocking, 7);
    const exec null_stream(nullptr, scratch);

    const auto refused = [&](auto&& call, unsigned launches_tried) {
      simt::check(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
      const test::runtime_calls done = test::runtime_calls_of([&] { CHECK_THROWS_AS(call(), cuda_error); });
      CHECK(done.launches == launches_tried);
      // CUDA has invalidated the capture, or has not: either way it is over now.
      cudaGraph_t graph = nullptr;
      (void)cudaStreamEndCapture(blocking, &graph);
      if (graph != nullptr) (void)cudaGraphDestroy(graph);
      (void)cudaGetLastError();
    };
    refused([&] { compact(null_stream, in, is_odd{}, out, count); }, 1);  // the first of two kernels
    refused([&] { inclusive_scan(null_stream, in, out); }, 1);            // likewise

    // Nothing was done, and both streams can be used again.
    CHECK(count.read(blocking) == 7);
    CHECK(out.read() == items);
    compact(exec(blocking, scratch), in, is_odd{}, out, count);
    const auto odd = std::ranges::count_if(items, [](u32 x) { return x % 2 != 0; });
    CHECK(count.read(blocking) == static_cast<u64>(odd));
    count.write(blocking, 7);
    compact(null_stream, in, is_odd{}, out, count);
    CHECK(count.read(nullptr) == static_cast<u64>(odd));
  }
  simt::check(cudaStreamSynchronize(blocking), "cudaStreamSynchronize");
  simt::check(cudaStreamDestroy(blocking), "cudaStreamDestroy");
}

}  // namespace contract_streams
