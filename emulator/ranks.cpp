// SPDX-License-Identifier: Apache-2.0
#include <ballot/ranks.hpp>

#include <ballot/simt/host/machine.hpp>

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <new>

#include "random.hpp"

namespace ballot::emulator {

namespace {

using piece = rank_communicator::piece;

enum class call_kind { none, all_gather, all_reduce, exchange, copies };
const char* name(call_kind kind) {
  switch (kind) {
    case call_kind::all_gather:
      return "all_gather";
    case call_kind::all_reduce:
      return "all_reduce";
    case call_kind::exchange:
      return "exchange";
    case call_kind::copies:
      return "copies";
    default:
      return "no call";
  }
}

// A request of a rank to the others.
struct request {
  call_kind kind = call_kind::none;
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t bytes = 0;  // of one rank
  std::vector<piece> sends, receives;
};

enum class rank_state { ready, waiting, returned, failed };

constexpr std::size_t stack_bytes = std::size_t{4} << 20;  // address space: untouched pages cost nothing

struct rank_stack {
  void* memory;
  rank_stack()
      : memory(mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (memory == MAP_FAILED) throw std::bad_alloc();
    mprotect(memory, 4096, PROT_NONE);
  }
  ~rank_stack() { munmap(memory, stack_bytes); }
  rank_stack(const rank_stack&) = delete;
  rank_stack& operator=(const rank_stack&) = delete;
};

bool overlap(const piece& a, const piece& b) {
  const auto *x = static_cast<const char*>(a.data), *y = static_cast<const char*>(b.data);
  return a.bytes != 0 && b.bytes != 0 && x < y + b.bytes && y < x + a.bytes;
}

}  // namespace

// Exceptions never cross from one stack to another, and no stack is left while an exception is
// being handled. The reason is that the C++ runtime keeps account of both for the thread, not for
// the stack.
class ranks_world {
 public:
  explicit ranks_world(const ranks_policy& policy) : policy_(policy) { random_.seed(policy.seed); }

  void run(const std::function<void(rank_communicator&)>& body);
  // Called on a rank's stack: comes back when all ranks have made the call and it is done. Throws
  // where that cannot be.
  void call(int rank, request what) {
    members_[std::size_t(rank)].asks = std::move(what);
    leave(rank, rank_state::waiting);
    if (!mistake_.empty()) throw ranks_error(mistake_);
  }
  // Lets others go first.
  void pause(int rank) { leave(rank, rank_state::ready); }
  const ranks_policy& policy() const { return policy_; }
  std::vector<rank_communicator*> communicators;

 private:
  struct member {
    ucontext_t at;
    std::unique_ptr<rank_stack> stack;
    std::unique_ptr<rank_communicator> comm;
    rank_state state = rank_state::ready;
    request asks;
    std::exception_ptr error;
  };

  void leave(int rank, rank_state state) {
    members_[std::size_t(rank)].state = state;
    swapcontext(&members_[std::size_t(rank)].at, &home_);
  }
  static void start(unsigned high, unsigned low) {
    auto* world = reinterpret_cast<ranks_world*>(std::uintptr_t(high) << 32 | low);
    world->run_member(world->running_);
  }
  void run_member(int rank) {
    member& m = members_[std::size_t(rank)];
    bool failed = false;
    try {
      (*body_)(*m.comm);
    } catch (...) {
      m.error = std::current_exception();
      failed = true;
    }
    leave(rank, failed ? rank_state::failed : rank_state::returned);
  }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; i--) std::swap(items[i - 1], items[random_.below(std::uint32_t(i))]);
  }
  std::vector<int> in_state(rank_state state) const {
    std::vector<int> found;
    for (std::size_t r = 0; r < members_.size(); r++)
      if (members_[r].state == state) found.push_back(int(r));
    return found;
  }
  void let_go_on() {
    for (member& m : members_)
      if (m.state == rank_state::waiting) m.state = rank_state::ready;
  }

  // Nobody can go on but by the call that they wait in. Says what is wrong with it, or carries it
  // out.
  std::string complete();
  std::string mismatch() const;
  std::string carry_out_exchange();
  std::string carry_out_copies();
  void gather(std::size_t bytes);
  void add_up(std::size_t bytes);

  ranks_policy policy_;
  random_generator random_;
  std::vector<member> members_;
  const std::function<void(rank_communicator&)>* body_ = nullptr;
  ucontext_t home_{};
  int running_ = 0;
  std::string mistake_;
};

std::string ranks_world::mismatch() const {
  const request& first = members_[0].asks;
  for (std::size_t r = 1; r < members_.size(); r++) {
    const request& other = members_[r].asks;
    if (other.kind != first.kind)
      return "rank 0 is in " + std::string(name(first.kind)) + ", rank " + std::to_string(r) + " in " +
             name(other.kind);
    if (other.bytes != first.bytes)
      return std::string(name(first.kind)) + " of " + std::to_string(first.bytes) + " bytes by rank 0, of " +
             std::to_string(other.bytes) + " bytes by rank " + std::to_string(r);
  }
  return {};
}

void ranks_world::gather(std::size_t bytes) {
  if (bytes == 0) return;
  std::vector<std::pair<int, int>> deliveries;
  for (std::size_t to = 0; to < members_.size(); to++)
    for (std::size_t from = 0; from < members_.size(); from++) deliveries.emplace_back(int(from), int(to));
  shuffle(deliveries);
  for (const auto& [from, to] : deliveries)
    device_copy(static_cast<char*>(members_[std::size_t(to)].asks.to) + std::size_t(from) * bytes,
                members_[std::size_t(from)].asks.from, bytes);
}

void ranks_world::add_up(std::size_t bytes) {
  const std::size_t n = bytes / sizeof(std::uint64_t);
  if (n == 0) return;
  std::vector<std::uint64_t> sums(n), terms(n);
  for (const member& m : members_) {
    device_copy(terms.data(), m.asks.from, bytes);
    for (std::size_t i = 0; i < n; i++) sums[i] += terms[i];
  }
  for (const member& m : members_) device_copy(m.asks.to, sums.data(), bytes);
}

std::string ranks_world::carry_out_exchange() {
  const auto text = [](std::size_t bytes) { return std::to_string(bytes) + " bytes"; };
  struct delivery {
    int from, to;
    const piece *sent, *received;
  };
  std::vector<delivery> all;
  for (int from = 0; from < policy_.ranks; from++) {
    const request& sender = members_[std::size_t(from)].asks;
    for (const auto* list : {&sender.sends, &sender.receives})
      for (const piece& p : *list)
        if (p.peer < 0 || p.peer >= policy_.ranks || p.bytes > policy_.most_message_bytes)
          return "rank " + std::to_string(from) + " has a message of " + text(p.bytes) + " with rank " +
                 std::to_string(p.peer);
    for (std::size_t i = 0; i < sender.receives.size(); i++) {
      for (const piece& p : sender.sends)
        if (overlap(sender.receives[i], p))
          return "rank " + std::to_string(from) + " receives into memory that it sends";
      for (std::size_t j = 0; j < i; j++)
        if (overlap(sender.receives[i], sender.receives[j]))
          return "rank " + std::to_string(from) + " receives two messages in one place";
    }
    for (int to = 0; to < policy_.ranks; to++) {
      const request& receiver = members_[std::size_t(to)].asks;
      std::vector<const piece*> sent, received;
      for (const piece& p : sender.sends)
        if (p.peer == to) sent.push_back(&p);
      for (const piece& p : receiver.receives)
        if (p.peer == from) received.push_back(&p);
      const std::string who = "rank " + std::to_string(from) + " to rank " + std::to_string(to);
      if (sent.size() != received.size())
        return who + ": " + std::to_string(sent.size()) + " messages sent, " + std::to_string(received.size()) +
               " received";
      for (std::size_t i = 0; i < sent.size(); i++) {
        if (sent[i]->bytes != received[i]->bytes)
          return who + ": " + text(sent[i]->bytes) + " sent, " + text(received[i]->bytes) + " received";
        all.push_back({from, to, sent[i], received[i]});
      }
    }
  }
  shuffle(all);
  for (const delivery& d : all) {
    device_copy(d.received->data, d.sent->data, d.sent->bytes);
    rank_communicator& receiver = *members_[std::size_t(d.to)].comm;
    receiver.messages_++;
    receiver.bytes_ += d.sent->bytes;
  }
  return {};
}

std::string ranks_world::carry_out_copies() {
  std::vector<std::pair<int, const piece*>> all;
  for (int from = 0; from < policy_.ranks; from++)
    for (const piece& p : members_[std::size_t(from)].asks.sends) {
      if (!policy_.shares_memory || p.peer < 0 || p.peer >= policy_.ranks)
        return "rank " + std::to_string(from) + " copies to rank " + std::to_string(p.peer);
      const piece target{p.peer, reinterpret_cast<void*>(p.to), p.bytes};
      for (const auto& [other, earlier] : all)
        if (overlap(target, {earlier->peer, reinterpret_cast<void*>(earlier->to), earlier->bytes}))
          return "ranks " + std::to_string(other) + " and " + std::to_string(from) + " copy to one place";
      all.emplace_back(from, &p);
    }
  shuffle(all);
  for (const auto& [from, p] : all) {
    device_copy(reinterpret_cast<void*>(p->to), p->data, p->bytes);
    rank_communicator& receiver = *members_[std::size_t(p->peer)].comm;
    receiver.messages_++;
    receiver.bytes_ += p->bytes;
  }
  return {};
}

std::string ranks_world::complete() {
  const std::vector<int> waiting = in_state(rank_state::waiting), failed = in_state(rank_state::failed),
                         returned = in_state(rank_state::returned);
  const auto in_vain = [&](int absent, const char* why) {
    return "rank " + std::to_string(waiting.front()) + " waits in " +
           name(members_[std::size_t(waiting.front())].asks.kind) + " for rank " + std::to_string(absent) + ", which " +
           why;
  };
  if (!failed.empty()) return in_vain(failed.front(), "has failed");
  if (!returned.empty()) return in_vain(returned.front(), "has returned");
  if (std::string wrong = mismatch(); !wrong.empty()) return wrong;
  const request& first = members_[0].asks;
  if (first.kind == call_kind::all_gather) gather(first.bytes);
  else if (first.kind == call_kind::all_reduce) add_up(first.bytes);
  else return first.kind == call_kind::copies ? carry_out_copies() : carry_out_exchange();
  return {};
}

void ranks_world::run(const std::function<void(rank_communicator&)>& body) {
  body_ = &body;
  members_.resize(std::size_t(policy_.ranks));
  for (int r = 0; r < policy_.ranks; r++) {
    member& m = members_[std::size_t(r)];
    m.comm = std::make_unique<rank_communicator>(*this, r, policy_.ranks);
    m.stack = std::make_unique<rank_stack>();
    getcontext(&m.at);
    m.at.uc_stack.ss_sp = m.stack->memory;
    m.at.uc_stack.ss_size = stack_bytes;
    m.at.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&m.at, reinterpret_cast<void (*)()>(start), 2, unsigned(self >> 32), unsigned(self));
  }
  for (;;) {
    const std::vector<int> ready = in_state(rank_state::ready);
    if (!ready.empty()) {
      running_ = ready[random_.below(std::uint32_t(ready.size()))];
      swapcontext(&home_, &members_[std::size_t(running_)].at);
      continue;
    }
    if (in_state(rank_state::waiting).empty()) break;
    if (mistake_.empty()) {
      try {
        mistake_ = complete();
      } catch (const std::exception& e) {  // memory that is not there
        mistake_ = e.what();
      }
    }
    let_go_on();
  }
  // A rank's own error says more than that of those who waited for it.
  std::exception_ptr told;
  for (const member& m : members_) {
    if (!m.error) continue;
    if (!told) told = m.error;
    try {
      std::rethrow_exception(m.error);
    } catch (const ranks_error&) {
      continue;
    } catch (...) {
      told = m.error;
      break;
    }
  }
  if (told) std::rethrow_exception(told);
}

rank_communicator::rank_communicator(ranks_world& world, int rank, int size)
    : world_(world),
      rank_(rank),
      size_(size),
      records_(static_cast<std::byte*>(device_allocate(std::size_t(size + 1) * 64))),
      host_(std::size_t(size) * 2112 + 2048) {}
rank_communicator::~rank_communicator() { device_release(records_); }

std::size_t rank_communicator::most_message_bytes() const { return world_.policy().most_message_bytes; }

void rank_communicator::all_gather(stream_t, const void* from, void* to, std::size_t bytes) {
  world_.call(rank_, {call_kind::all_gather, from, to, bytes, {}, {}});
}
void rank_communicator::all_reduce(stream_t, const std::uint64_t* terms, std::uint64_t* sums, std::size_t n) {
  world_.call(rank_, {call_kind::all_reduce, terms, sums, n * sizeof(std::uint64_t), {}, {}});
}
void rank_communicator::start_pieces(std::vector<piece> sends, std::vector<piece> receives, bool copies) {
  if (int(under_way_.size()) >= most_exchanges()) throw ranks_error("more exchanges are under way than there may be");
  random_generator chance;
  chance.seed(world_.policy().seed * 1000 + exchanges_++);
  const bool early = chance.one_in(2);
  const call_kind kind = copies ? call_kind::copies : call_kind::exchange;
  if (early) world_.call(rank_, {kind, nullptr, nullptr, 0, sends, receives});
  under_way_.push_back({std::move(sends), std::move(receives), copies, early});
}
std::uint64_t rank_communicator::shared_offset(const void* address) const {
  return world_.policy().shares_memory ? reinterpret_cast<std::uintptr_t>(address) : ~std::uint64_t{0};
}
void rank_communicator::finish_exchange(stream_t) {
  if (under_way_.empty()) throw ranks_error("no exchange is under way");
  exchange next = std::move(under_way_.front());
  under_way_.erase(under_way_.begin());
  const call_kind kind = next.copies ? call_kind::copies : call_kind::exchange;
  if (!next.arrived) world_.call(rank_, {kind, nullptr, nullptr, 0, std::move(next.sends), std::move(next.receives)});
}

// The bytes that are read back are there after the wait, and not before.
void rank_communicator::read_back(stream_t, const void* from, std::size_t bytes) {
  if (bytes > host_.size()) throw ranks_error("read_back of more than the host's memory of the communicator holds");
  arrived_.resize(bytes);
  device_copy(arrived_.data(), from, bytes);
  std::fill(host_.begin(), host_.end(), std::byte{0xcb});
}
const std::byte* rank_communicator::wait() {
  world_.pause(rank_);
  std::copy(arrived_.begin(), arrived_.end(), host_.begin());
  return host_.data();
}

void run_ranks(const ranks_policy& policy, const std::function<void(rank_communicator&)>& body) {
  ranks_world world(policy);
  world.run(body);
}

}  // namespace ballot::emulator
