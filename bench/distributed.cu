// SPDX-License-Identifier: Apache-2.0
// Sort, scan and compaction over all GPUs of this machine, by NCCL, against one of them with as many items: prints
// JSON.
//
//   ballot_bench_distributed [--log2 29] [--runs 7] [--only sort.u32] [--pieces 0] [--share 0]
//
// One process, a thread a GPU. Answers are checked before anything is timed. A time is from a common start of all
// threads to the last one's end, on the host's clock, waits included; the median of the runs. Phases are of rank 0, on
// its stream.
#include "distributed/machine.cuh"

int main(int argc, char** argv) {
  using namespace ballot_bench_distributed;
  options o;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--log2") o.log2 = std::atoi(argv[i + 1]);
    else if (name == "--runs") o.runs = std::max(1, std::atoi(argv[i + 1]));
    else if (name == "--pieces") o.pieces = std::atoi(argv[i + 1]);
    else if (name == "--share") o.share = std::atoi(argv[i + 1]) != 0;
    else if (name == "--only") o.only = argv[i + 1];
    else die("unknown option " + name);
  }
  machine m(o);
  bench_sorts(m);
  bench_selections(m);
  m.end();
}
