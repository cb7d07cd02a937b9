// On the GPU alone: calls on several streams at once, each with scratch of its own, from one host thread and from one a
// stream. Nothing waits until all has been launched. And the null stream while another stream captures.
#include <ballot/compact.cuh>
#include <ballot/device/scan.cuh>
#include <ballot/sort.cuh>

#include "support/patterns.hpp"
#include "support/runtime_calls.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

using namespace ballot;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct is_odd {
  __device__ bool operator()(u32 x) const { return x % 2 != 0; }
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
    std::vector<u32> found(want.size());
    simt::copy_bytes(stream, found.data(), kept.data(), found.size() * sizeof(u32));
    simt::synchronize(stream);
    CHECK(found == want);
  }
};

constexpr int rounds = 20;

TEST_CASE("several streams at once") {
  worker workers[] = {{1'000'003, 1}, {40'000, 2}, {300'017, 3}, {2'500'000, 4}};
  SUBCASE("from one host thread") {
    const test::runtime_calls done = test::runtime_calls_of([&] {
      for (int round = 0; round < rounds; ++round)
        for (worker& w : workers) w.launch();
    });
    CHECK(done.waits == 0);
    CHECK(done.allocations == 0);
    // The finish of a sort by a prefix, and the histogram of prefixes for the one with most keys.
    CHECK(done.launches == rounds * (4 * (5 + 1 + 1) + 4 + 1));
  }
  SUBCASE("from a host thread a stream") {
    std::vector<std::thread> threads;
    for (worker& w : workers)
      threads.emplace_back([&w] {
        for (int round = 0; round < rounds; ++round) w.launch();
      });
    for (std::thread& t : threads) t.join();
  }
  for (const worker& w : workers) w.check();
}

// The null stream waits for every stream that was not made non-blocking, so CUDA allows nothing on it while one of those
// captures.
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

    const auto refused = [&](auto&& call) {
      simt::check(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
      const test::runtime_calls done = test::runtime_calls_of([&] { CHECK_THROWS_AS(call(), cuda_error); });
      CHECK(done.launches == 0);  // the fill ahead has been refused
      // CUDA has invalidated the capture, or has not: either way it is over now.
      cudaGraph_t graph = nullptr;
      (void)cudaStreamEndCapture(blocking, &graph);
      if (graph != nullptr) (void)cudaGraphDestroy(graph);
      (void)cudaGetLastError();
    };
    refused([&] { compact(null_stream, in, is_odd{}, out, count); });
    refused([&] { inclusive_scan(null_stream, in, out); });

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

}  // namespace
