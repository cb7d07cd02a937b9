// SPDX-License-Identifier: Apache-2.0
// Sort, scan and compaction over the GPUs of this machine, by NCCL, on 1, 2, 4, ... of them: prints
// JSON.
//
//   ballot_bench_distributed [--gpus 1,2,4,8] [--each 28] [--all 30] [--keys uniform,zipf,equal]
//                            [--runs 7] [--only sort.u32] [--pieces 0] [--share 0] [--cudax 0]
//
//   --gpus   numbers of ranks; default: the powers of two up to the number of GPUs, and that number
//   --each   log2 of the items that each GPU has (weak scaling), or "none"
//   --all    log2 of the items that all have together (strong scaling), or "none"
//   --share  1: ranks write into each other's memory; 0: all by NCCL
//   --cudax  1: CCCL's experimental sort alone, where a clone of CCCL was named (README.md)
//
// One process, a thread a GPU. Answers are checked before anything is timed. A time is from a
// common start of all threads to the last one's end, on the host's clock, waits included; the
// median of the runs. Phases are of rank 0, on its stream. bench/scaling_report.py makes the
// tables, with the model of docs/scaling.md beside the times.
#include "distributed/machine.cuh"

#include <cstring>

namespace {

using namespace ballot_bench_distributed;

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  if (list == "none") return parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}
int number_of(const std::string& text, int low, int high) {
  char* end = nullptr;
  const long n = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || n < low || n > high)
    die("'" + text + "' is no number of " + std::to_string(low) + " to " + std::to_string(high));
  return static_cast<int>(n);
}
std::vector<int> numbers_of(const std::string& list, int low, int high) {
  std::vector<int> numbers;
  for (const std::string& part : parts_of(list)) numbers.push_back(number_of(part, low, high));
  return numbers;
}
key_law law_of(const std::string& name) {
  for (key_law law : {key_law::uniform, key_law::zipf, key_law::equal})
    if (name == name_of(law)) return law;
  die("--keys knows uniform, zipf and equal, not '" + name + "'");
}

#ifdef BALLOT_BENCH_CUDAX
constexpr bool has_cudax = true;
#else
constexpr bool has_cudax = false;
#endif

}  // namespace

int main(int argc, char** argv) {
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);  // ranks of one process must not load kernels while others wait for them
  int gpus = 0;
  must(cudaGetDeviceCount(&gpus), "cudaGetDeviceCount");
  options o;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) die(name + " wants a value");
    const std::string value = argv[i + 1];
    if (name == "--gpus") o.gpus = numbers_of(value, 1, gpus);
    else if (name == "--each") o.each = numbers_of(value, 10, 33);
    else if (name == "--all") o.all = numbers_of(value, 10, 36);
    else if (name == "--keys") {
      o.keys.clear();
      for (const std::string& law : parts_of(value)) o.keys.push_back(law_of(law));
    } else if (name == "--runs") o.runs = number_of(value, 1, 1000);
    else if (name == "--pieces") o.pieces = number_of(value, 0, nccl_communicator::exchanges);
    else if (name == "--share") o.share = number_of(value, 0, 1) != 0;
    else if (name == "--cudax") o.cudax = number_of(value, 0, has_cudax ? 1 : 0) != 0;
    else if (name == "--only") o.only = value;
    else die("unknown option " + name);
  }
  if (o.gpus.empty()) {
    for (int n = 1; n < gpus; n *= 2) o.gpus.push_back(n);
    o.gpus.push_back(gpus);
  }
  results found(o.share ? "memory" : "nccl");
  for (int ranks : o.gpus) {
    machine m(o, ranks, found);
#ifdef BALLOT_BENCH_CUDAX
    if (o.cudax) {
      bench_cudax_sorts(m);
      continue;
    }
#endif
    bench_sorts(m);
    bench_selections(m);
  }
  found.end();
}
