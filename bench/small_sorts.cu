// SPDX-License-Identifier: Apache-2.0
// Sorts of few items: ballot, CUB, one block in several shapes, and many blocks. Says up to how
// many items one block is the faster way (single_block_shape in single_block_sort_launch.cuh), and
// in which shape. A program of its own:
//
//     nvcc -std=c++20 -O3 --extended-lambda -arch=native -Iprimitives -Ialgorithms
//     bench/small_sorts.cu -o small_sorts
//
// Microseconds a sort, the median of runs. call: calls one after the other, with the host's share.
// graph: calls captured in one graph, the device's time alone. -: more items than the shape takes.
#include <ballot/core/namespace.hpp>

#include <ballot/device/memory.cuh>
#include <ballot/sort.cuh>

#include <cub/cub.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace ballot;
using detail::no_value;
using std::uint32_t;
using std::uint64_t;

constexpr int calls = 50, runs = 21;

cudaStream_t stream;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

// Microseconds of one of `calls` calls that `all` makes.
double median_of(const std::function<void()>& all) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<double> times;
  for (int run = -2; run < runs; ++run) {
    check(cudaEventRecord(begin, stream), "cudaEventRecord");
    all();
    check(cudaEventRecord(end, stream), "cudaEventRecord");
    check(cudaEventSynchronize(end), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    if (run >= 0) times.push_back(1000.0 * milliseconds / calls);
  }
  check(cudaEventDestroy(begin), "cudaEventDestroy");
  check(cudaEventDestroy(end), "cudaEventDestroy");
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  return times[runs / 2];
}
double call_time(const std::function<void()>& call) {
  return median_of([&] {
    for (int i = 0; i < calls; ++i) call();
  });
}
double graph_time(const std::function<void()>& call) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  for (int i = 0; i < calls; ++i) call();
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  const double time = median_of([&] { check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch"); });
  check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
  check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  return time;
}

enum class kind { random, one_digit, sorted };
constexpr const char* name_of_kind[] = {"random", "8 bits", "sorted"};

template <class U>
std::vector<U> make_keys(kind of, uint64_t n) {
  std::mt19937_64 random(n);
  std::vector<U> keys(n);
  for (U& key : keys) key = static_cast<U>(of == kind::one_digit ? random() % 256 << 8 : random());
  if (of == kind::sorted) std::sort(keys.begin(), keys.end());
  return keys;
}

template <class T>
std::vector<T> read(const device_array<T>& from, uint64_t n) {
  std::vector<T> items(n);
  check(cudaMemcpyAsync(items.data(), from.data(), n * sizeof(T), cudaMemcpyDefault, stream), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return items;
}

// V no_value: keys alone. Positions: an argsort with keys; CUB reads the positions.
template <class U, class V, bool Positions = false>
class comparison {
 public:
  comparison(const char* name, kind of, uint64_t n)
      : name_(name),
        of_(of),
        n_(n),
        keys_(n, stream),
        out_(n, stream),
        want_(n, stream),
        values_(n, stream),
        values_out_(n, stream),
        values_want_(n, stream),
        scratch_(detail::radix_scratch_bytes<U, V>(n, detail::sort_mode::out_of_place), stream),
        temp_(std::size_t{1} << 22, stream) {
    const std::vector<U> keys = make_keys<U>(of, n);
    check(cudaMemcpyAsync(keys_.data(), keys.data(), n * sizeof(U), cudaMemcpyDefault, stream), "cudaMemcpyAsync");
    std::vector<word> positions(n);
    for (uint64_t i = 0; i < n; ++i) positions[i] = static_cast<word>(i);
    check(cudaMemcpyAsync(values_.data(), positions.data(), n * sizeof(word), cudaMemcpyDefault, stream), "a copy");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  void print() {
    const auto cub_sort = [&] {
      std::size_t bytes = temp_.size();
      if constexpr (has_values) {
        check(cub::DeviceRadixSort::SortPairs(temp_.data(), bytes, keys_.data(), want_.data(), values_.data(),
                                              values_want_.data(), static_cast<int>(n_), 0, 8 * sizeof(U), stream),
              "SortPairs");
      } else {
        check(cub::DeviceRadixSort::SortKeys(temp_.data(), bytes, keys_.data(), want_.data(), static_cast<int>(n_), 0,
                                             8 * sizeof(U), stream),
              "SortKeys");
      }
    };
    const auto ballot_sort = [&] {
      const exec where(stream, std::span<std::byte>(scratch_.data(), scratch_.size()));
      const auto in = std::span<const U>(keys_.data(), n_);
      const auto out = std::span<U>(out_.data(), n_);
      if constexpr (!has_values) sort(where, in, out);
      else if constexpr (Positions) argsort(where, in, out, std::span<V>(values_out_.data(), n_));
      else sort_pairs(where, in, std::span<const V>(values_.data(), n_), out, std::span<V>(values_out_.data(), n_));
    };
    cub_sort();
    std::printf("%-10s %-7s %6llu", name_, name_of_kind[static_cast<int>(of_)], static_cast<unsigned long long>(n_));
    const double cub_call = call_time(cub_sort), cub_graph = graph_time(cub_sort);
    print_checked(call_time, ballot_sort);
    std::printf(" %7.2f", cub_call);
    print_checked(graph_time, ballot_sort);
    std::printf(" %7.2f |", cub_graph);
    one_block<256, 8>();
    one_block<256, 16>();
    one_block<512, 4>();
    one_block<512, 8>();
    one_block<512, 16>();
    using many = detail::smallest_radix_shape<U, V>;
    print_checked(graph_time, [&] {
      detail::launch_radix_sort_in_shape<U, V, many, void, detail::local_sort_of<U, V>>(
          stream, scratch_.data(), operands(), key_codec<U>{}, {0, 8 * sizeof(U)});
    });
    std::printf("\n");
    std::fflush(stdout);
  }

 private:
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  using word = std::conditional_t<has_values, V, uint32_t>;

  detail::sort_operands<U, V> operands() {
    if constexpr (has_values)
      return {{keys_.data(), {n_, nullptr}}, out_.data(), Positions ? nullptr : values_.data(), values_out_.data()};
    else return {{keys_.data(), {n_, nullptr}}, out_.data(), nullptr, nullptr};
  }

  template <int Threads, int Items>
  void one_block() {
    using shape = detail::single_block_sort_shape<Threads, Items>;
    if constexpr (sizeof(detail::single_block_sort_storage<U, V, shape>) <= simt::least_shared_bytes_limit) {
      if (n_ <= shape::items) {
        return print_checked(graph_time, [&] {
          const auto of = operands();
          detail::launch_single_block_sort<U, V, shape>(
              stream, {of.keys, of.keys_out, of.values, of.values_out, key_codec<U>{},
                       detail::plan_digits({0, 8 * sizeof(U)}, 8 * sizeof(U), "small_sorts")});
        });
      }
    }
    std::printf(" %7s", "-");
  }

  void print_checked(double (*time_of)(const std::function<void()>&), const std::function<void()>& call) {
    check(cudaMemsetAsync(out_.data(), 0x5a, n_ * sizeof(U), stream), "cudaMemsetAsync");
    check(cudaMemsetAsync(values_out_.data(), 0x5a, n_ * sizeof(word), stream), "cudaMemsetAsync");
    call();
    bool right = read(out_, n_) == read(want_, n_);
    if constexpr (has_values) right = right && read(values_out_, n_) == read(values_want_, n_);
    if (!right) {
      std::printf(" WRONG\n");
      std::exit(1);
    }
    std::printf(" %7.2f", time_of(call));
  }

  const char* name_;
  kind of_;
  uint64_t n_;
  device_array<U> keys_, out_, want_;
  device_array<word> values_, values_out_, values_want_;
  device_array<std::byte> scratch_, temp_;
};

template <class U, class V, bool Positions = false>
void compare(const char* name) {
  for (const uint64_t n : {100, 500, 1000, 2000, 4000, 4096, 8000, 16000})
    comparison<U, V, Positions>(name, kind::random, n).print();
  comparison<U, V, Positions>(name, kind::one_digit, 1000).print();
  comparison<U, V, Positions>(name, kind::sorted, 1000).print();
}

}  // namespace

int main() {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  std::printf("%s, CUB %d.%d.%d, microseconds a sort\n\n", device.name, CUB_VERSION / 100000, CUB_VERSION / 100 % 1000,
              CUB_VERSION % 100);
  std::printf("%-25s %15s %15s | %s\n", "", "call", "graph", "graph: one block of threads x items; many blocks");
  std::printf("%-10s %-7s %6s %7s %7s %7s %7s | %7s %7s %7s %7s %7s %7s\n", "", "keys", "n", "ballot", "CUB", "ballot",
              "CUB", "256x8", "256x16", "512x4", "512x8", "512x16", "many");
  compare<uint32_t, no_value>("u32");
  compare<uint64_t, no_value>("u64");
  compare<uint32_t, uint32_t>("u32 + u32");
  compare<uint64_t, uint64_t>("u64 + u64");
  compare<uint32_t, uint32_t, true>("argsort");
}
