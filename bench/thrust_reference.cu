// SPDX-License-Identifier: Apache-2.0
// The demo's yardstick: Thrust doing the same work as the `ballot` command, on the same file, timed
// the same way.
//
//   ballot_thrust_reference sort FILE --dtype u32
//       {"n": 16777216, "seconds_sort": 0.0017, "seconds_sort_first": 0.0031}
//   ballot_thrust_reference compact FILE --dtype u32 --below V
//       {"n": 16777216, "n_out": 8387671, "seconds_compact": 0.0003, "seconds_compact_first":
//       0.0012}
//
// FILE holds raw keys. Times are of the work on the device alone: events around the call, keys
// there before and after. The first call, which is what a command that runs once can be compared
// with, is told apart from the median of `--runs` further ones. Temporary memory is kept from call
// to call, so that Thrust's allocations are in the first time only.
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(code));
}
#define CHECK(call) check(call, #call)

// Thrust asks for the same sizes in the warm-up and in every run, so blocks are kept by size.
class kept_memory {
 public:
  using value_type = char;
  char* allocate(std::ptrdiff_t bytes) {
    auto kept = free_.find(bytes);
    if (kept != free_.end()) {
      char* block = kept->second;
      free_.erase(kept);
      return sizes_[block] = bytes, block;
    }
    char* block = nullptr;
    CHECK(cudaMalloc(&block, bytes));
    return sizes_[block] = bytes, block;
  }
  void deallocate(char* block, std::size_t) { free_.emplace(sizes_[block], block); }

 private:
  std::multimap<std::ptrdiff_t, char*> free_;
  std::map<char*, std::ptrdiff_t> sizes_;
};

struct timing {
  double first, median;
};

template <class Prepare, class Work>
timing time_of(int runs, Prepare prepare, Work work) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<double> seconds;
  for (int run = 0; run <= runs; ++run) {
    prepare();
    CHECK(cudaEventRecord(begin));
    work();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    seconds.push_back(milliseconds / 1000.0);
  }
  const double first = seconds.front();
  seconds.erase(seconds.begin());
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return {first, *middle};
}

template <class T>
struct below {
  T limit;
  __host__ __device__ bool operator()(T value) const { return value < limit; }
};

template <class T>
std::vector<T> read_raw(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<T> keys(static_cast<std::size_t>(file.tellg()) / sizeof(T));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(keys.data()), static_cast<std::streamsize>(keys.size() * sizeof(T))))
    throw std::runtime_error("cannot read " + path);
  return keys;
}

struct options {
  std::string command, file, dtype = "u32", limit = "2147483648";
  int runs = 9;
};

template <class T>
void run(const options& o, T limit) {
  const std::vector<T> keys = read_raw<T>(o.file);
  const std::size_t n = keys.size();
  T *original = nullptr, *work = nullptr;
  CHECK(cudaMalloc(&original, std::max<std::size_t>(n, 1) * sizeof(T)));
  CHECK(cudaMalloc(&work, std::max<std::size_t>(n, 1) * sizeof(T)));
  CHECK(cudaMemcpy(original, keys.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  kept_memory memory;
  const auto policy = thrust::cuda::par(memory);

  if (o.command == "sort") {
    // in place, so every run starts from a fresh copy, which is not timed
    const timing seconds = time_of(
        o.runs, [&] { CHECK(cudaMemcpy(work, original, n * sizeof(T), cudaMemcpyDeviceToDevice)); },
        [&] { thrust::sort(policy, work, work + n); });
    std::printf("{\"n\": %zu, \"seconds_sort\": %.9g, \"seconds_sort_first\": %.9g}\n", n, seconds.median,
                seconds.first);
  } else {
    std::ptrdiff_t kept = 0;
    const timing seconds = time_of(
        o.runs, [] {}, [&] { kept = thrust::copy_if(policy, original, original + n, work, below<T>{limit}) - work; });
    std::printf("{\"n\": %zu, \"n_out\": %td, \"seconds_compact\": %.9g, \"seconds_compact_first\": %.9g}\n", n, kept,
                seconds.median, seconds.first);
  }
}

options parse(int argc, char** argv) {
  options o;
  std::vector<std::string> plain;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("--") && i + 1 == argc) throw std::invalid_argument(word + " needs a value");
    if (word == "--dtype") o.dtype = argv[++i];
    else if (word == "--below") o.limit = argv[++i];
    else if (word == "--runs") o.runs = std::max(1, std::atoi(argv[++i]));
    else plain.push_back(word);
  }
  if (plain.size() != 2 || (plain[0] != "sort" && plain[0] != "compact"))
    throw std::invalid_argument("usage: sort|compact FILE [--dtype u32|i32|f32|u64|i64|f64] [--below V] [--runs N]");
  o.command = plain[0];
  o.file = plain[1];
  return o;
}

}  // namespace

int main(int argc, char** argv) try {
  const options o = parse(argc, argv);
  if (o.dtype == "u32") run<std::uint32_t>(o, static_cast<std::uint32_t>(std::stoull(o.limit)));
  else if (o.dtype == "i32") run<std::int32_t>(o, static_cast<std::int32_t>(std::stoll(o.limit)));
  else if (o.dtype == "f32") run<float>(o, std::stof(o.limit));
  else if (o.dtype == "u64") run<std::uint64_t>(o, std::stoull(o.limit));
  else if (o.dtype == "i64") run<std::int64_t>(o, std::stoll(o.limit));
  else if (o.dtype == "f64") run<double>(o, std::stod(o.limit));
  else throw std::invalid_argument("unknown dtype " + o.dtype);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "ballot_thrust_reference: %s\n", error.what());
  return 1;
}
