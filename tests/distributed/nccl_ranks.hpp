// SPDX-License-Identifier: Apache-2.0
// GPUs as ranks: all of this machine in one process, a thread each; or one of several processes, as
// the environment says.
//
//     BALLOT_RANK=1 BALLOT_RANKS=2 BALLOT_NCCL_ID=/tmp/id   rank 1 of 2 in this process; rank 0 writes NCCL's id there
//     BALLOT_MAILBOXES=1                                    ranks tell each other counts and sums through mailboxes
#pragma once

#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include <ballot/distributed/nccl.cuh>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ballot::test {

using rank = distributed::nccl_communicator;
inline constexpr std::chrono::seconds patience{60};  // a rank whose test has failed does not hang the others for ever

inline int number_in_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}
inline int devices() {
  int n = 0;
  simt::check(cudaGetDeviceCount(&n), "cudaGetDeviceCount");
  return n;
}
inline int processes() { return number_in_environment("BALLOT_RANKS", 1); }

inline std::vector<int> rank_counts() {
  if (processes() > 1) return {processes()};
  return devices() == 1 ? std::vector<int>{1} : std::vector<int>{1, devices()};
}

inline bool wants_mailboxes() { return number_in_environment("BALLOT_MAILBOXES", 0) != 0; }
inline void share_mailboxes_if_wanted(rank& comm) {
  if (wants_mailboxes() && !comm.share_mailboxes()) throw std::runtime_error("ranks do not reach each other's memory");
}

inline void require_nccl(ncclResult_t result) {
  if (result != ncclSuccess) throw std::runtime_error(std::string("NCCL: ") + ncclGetErrorString(result));
}

// This process among several: made once.
inline rank& process_rank() {
  static const std::unique_ptr<rank> comm = [] {
    const int mine = number_in_environment("BALLOT_RANK", 0);
    const std::string file = std::getenv("BALLOT_NCCL_ID");
    simt::check(cudaSetDevice(mine % devices()), "cudaSetDevice");
    ncclUniqueId id;
    if (mine == 0) {
      require_nccl(ncclGetUniqueId(&id));
      std::ofstream(file + ".part", std::ios::binary).write(reinterpret_cast<const char*>(&id), sizeof id);
      std::rename((file + ".part").c_str(), file.c_str());  // whole, or not there
    } else {
      std::ifstream in;
      while (in.open(file, std::ios::binary), !in) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      in.read(reinterpret_cast<char*>(&id), sizeof id);
    }
    ncclComm_t nccl;
    require_nccl(ncclCommInitRank(&nccl, processes(), id, mine));
    auto made = std::make_unique<rank>(nccl, patience);
    share_mailboxes_if_wanted(*made);
    return made;
  }();
  return *comm;
}

// So many ranks of this process, made once for each number.
inline std::vector<std::unique_ptr<rank>>& thread_ranks(int number) {
  static std::map<int, std::vector<std::unique_ptr<rank>>> known;
  std::vector<std::unique_ptr<rank>>& ranks = known[number];
  if (ranks.empty()) {
    std::vector<ncclComm_t> nccl(static_cast<std::size_t>(number));
    require_nccl(ncclCommInitAll(nccl.data(), number, nullptr));
    for (int r = 0; r < number; ++r) {
      simt::check(cudaSetDevice(r), "cudaSetDevice");
      distributed::share_default_pool();
      ranks.push_back(std::make_unique<rank>(nccl[static_cast<std::size_t>(r)], patience));
    }
    simt::check(cudaSetDevice(0), "cudaSetDevice");
    std::vector<std::thread> threads;
    for (int r = 0; r < number; ++r)
      threads.emplace_back([&, r] {
        simt::check(cudaSetDevice(r), "cudaSetDevice");
        share_mailboxes_if_wanted(*ranks[static_cast<std::size_t>(r)]);
      });
    for (std::thread& t : threads) t.join();
  }
  return ranks;
}

template <class Body>
void on_ranks(int number, Body&& body, std::uint64_t /*seed*/ = 1) {
  if (processes() > 1) {
    body(process_rank());
    return;
  }
  auto& ranks = thread_ranks(number);
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(number));
  std::vector<std::thread> threads;
  for (int r = 0; r < number; ++r)
    threads.emplace_back([&, r] {
      try {
        simt::check(cudaSetDevice(r), "cudaSetDevice");
        body(*ranks[static_cast<std::size_t>(r)]);
        simt::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      } catch (...) {
        errors[static_cast<std::size_t>(r)] = std::current_exception();
      }
    });
  for (std::thread& t : threads) t.join();
  for (const std::exception_ptr& e : errors)
    if (e) std::rethrow_exception(e);
}
template <class Body>
void on_ranks_under_some_schedules(int number, unsigned, Body&& body) {
  on_ranks(number, body);
}

// As directly_and_captured; ranks of one process capture at once, each in its own thread.
template <class Before, class Call, class Check>
void directly_and_captured_on_ranks(Before&& before, Call&& call, Check&& check) {
  before();
  call();
  simt::synchronize(test_stream());
  check();
  captured(cudaStreamCaptureModeThreadLocal, before, call, check);
}

}  // namespace ballot::test
