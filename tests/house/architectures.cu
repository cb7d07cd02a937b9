// The smallest program that has a scan, a compaction and a sort: architectures_test.py compiles it for several GPUs at
// once. It is not run.
#include <ballot/compact.cuh>
#include <ballot/device/scan.cuh>
#include <ballot/sort.cuh>

namespace {
struct is_odd {
  __device__ bool operator()(unsigned x) const { return x % 2 != 0; }
};
}  // namespace

int main() {
  const std::size_t n = 1000;
  ballot::device_array<unsigned> in(n, nullptr), out(n, nullptr);
  ballot::device_value<std::uint64_t> count(nullptr);
  const ballot::exec gpu = ballot::allocating(nullptr);
  ballot::inclusive_scan(gpu, in, out);
  ballot::compact(gpu, in, is_odd{}, out, count);
  ballot::sort(gpu, in, out);
}
