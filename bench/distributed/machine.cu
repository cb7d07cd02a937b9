// SPDX-License-Identifier: Apache-2.0
#include "machine.cuh"

namespace ballot_bench_distributed {

void results::add(const std::string& name, key_law keys, const amount& of, int ranks, std::size_t item_bytes, double ms,
                  std::uint64_t sent, const std::string& phases) {
  const bool weak = of.scaling[0] == 'w';
  if (ranks == 1) of_one_gpu_[{name, keys, of.items}] = ms;
  const auto one = of_one_gpu_.find({name, keys, weak ? of.items / unsigned(ranks) : of.items});
  std::printf(
      "%s  {\"name\": \"%s\", \"keys\": \"%s\", \"scaling\": \"%s\", \"items\": %llu, \"ranks\": %d, "
      "\"item_bytes\": %zu, \"ms\": %.3f, ",
      first_ ? "[\n" : ",\n", name.c_str(), name_of(keys), of.scaling, static_cast<unsigned long long>(of.items), ranks,
      item_bytes, ms);
  if (one == of_one_gpu_.end()) std::printf("\"one_gpu_ms\": null, ");
  else
    std::printf("\"one_gpu_ms\": %.3f, \"efficiency\": %.3f, ", one->second,
                one->second / ms / (weak ? 1.0 : double(ranks)));
  std::printf("\"Gitems_per_s\": %.1f, \"sent_bytes\": %llu, \"exchange\": \"%s\", \"phases_ms\": %s}",
              double(of.items) / ms / 1e6, static_cast<unsigned long long>(sent), exchange_.c_str(), phases.c_str());
  std::fflush(stdout);
  first_ = false;
}

void results::end() const { std::printf("%s\n", first_ ? "[]" : "\n]"); }

machine::machine(const options& asked, int ranks, results& found)
    : options_(asked), ranks_(ranks), found_(found), everyone_(ranks), nccl_(static_cast<std::size_t>(ranks)) {
  if (ncclCommInitAll(nccl_.data(), ranks_, nullptr) != ncclSuccess) die("ncclCommInitAll failed");
  for (int r = 0; r < ranks_; ++r) {
    must(cudaSetDevice(r), "cudaSetDevice");
    comms_.push_back(std::make_unique<nccl_communicator>(nccl_[static_cast<std::size_t>(r)], std::chrono::seconds(60)));
    cudaStream_t s;
    must(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    streams_.push_back(s);
  }
}

machine::~machine() {
  for (int r = 0; r < ranks_; ++r) {
    (void)cudaSetDevice(r);
    (void)cudaStreamDestroy(streams_[static_cast<std::size_t>(r)]);
    comms_[static_cast<std::size_t>(r)].reset();
  }
  for (ncclComm_t comm : nccl_) (void)ncclCommDestroy(comm);
}

std::vector<amount> machine::amounts(const std::string& name,
                                     const std::function<std::size_t(std::uint64_t mine)>& bytes) {
  std::vector<amount> asked, fitting;
  for (int log2 : options_.each) asked.push_back({"weak", (std::uint64_t{1} << log2) * unsigned(ranks_)});
  for (int log2 : options_.all) asked.push_back({"strong", std::uint64_t{1} << log2});
  std::size_t free = 0, total = 0;
  must(cudaSetDevice(0), "cudaSetDevice");
  must(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  for (const amount& a : asked) {
    const std::size_t needed = bytes(block_of(a.items, ranks_ - 1, ranks_).size);
    if (needed + (std::size_t{1} << 30) <= free) fitting.push_back(a);
    else
      std::fprintf(stderr, "%s: %llu items on %d GPUs are left out: a GPU would need %zu MB, and has %zu\n",
                   name.c_str(), static_cast<unsigned long long>(a.items), ranks_, needed >> 20, free >> 20);
  }
  return fitting;
}

machine::timing machine::time(const std::function<prepared(int rank, cudaStream_t)>& prepare) {
  std::vector<std::vector<double>> took(static_cast<std::size_t>(ranks_));
  std::vector<std::uint64_t> sent(static_cast<std::size_t>(ranks_));
  std::vector<std::thread> threads;
  timing t{};
  for (int r = 0; r < ranks_; ++r)
    threads.emplace_back([&, r] {
      try {
        must(cudaSetDevice(r), "cudaSetDevice");
        const cudaStream_t s = streams_[static_cast<std::size_t>(r)];
        noting_communicator comm(*comms_[static_cast<std::size_t>(r)]);
        if (ranks_ > 1 && !has_mailboxes_) share_mailboxes(r);
        const prepared of = prepare(r, s);
        for (int run = -2; run < options_.runs; ++run) {
          of.before();
          must(cudaStreamSynchronize(s), "cudaStreamSynchronize");
          everyone_.arrive_and_wait();
          const auto begin = std::chrono::steady_clock::now();
          comm.begin(s);
          of.call(comm);
          comm.note(s, "end");
          must(cudaStreamSynchronize(s), "cudaStreamSynchronize");
          const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
          if (run == -2) of.check();
          if (run >= 0) took[static_cast<std::size_t>(r)].push_back(ms.count());
        }
        sent[static_cast<std::size_t>(r)] = comm.sent();
        if (r == 0) t.phases = ranks_ == 1 ? "[]" : comm.phases();
        everyone_.arrive_and_wait();  // buffers go when nobody sends from them any more
      } catch (const std::exception& e) {
        die(e.what());
      }
    });
  for (std::thread& thread : threads) thread.join();
  has_mailboxes_ = true;
  std::vector<double> longest;
  for (int run = 0; run < options_.runs; ++run) {
    double ms = 0;
    for (const auto& of_rank : took) ms = std::max(ms, of_rank[static_cast<std::size_t>(run)]);
    longest.push_back(ms);
  }
  std::sort(longest.begin(), longest.end());
  t.ms = longest[longest.size() / 2];
  t.sent = *std::max_element(sent.begin(), sent.end());
  return t;
}

}  // namespace ballot_bench_distributed
