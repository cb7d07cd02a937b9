// SPDX-License-Identifier: Apache-2.0
// Scans whose tile states take 128 bits: ordered_loads_test.py reads their machine code. It is not
// run.
#include <ballot/scan.cuh>

int main() {
  const std::size_t n = 1000;
  ballot::device_array<unsigned long long> in(n, nullptr), out(n, nullptr);
  const ballot::exec gpu = ballot::allocating(nullptr);
  ballot::inclusive_scan(gpu, in, out);
  ballot::exclusive_scan(gpu, in, out);
}
