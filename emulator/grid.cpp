// SPDX-License-Identifier: Apache-2.0
// Runs a grid: checks the launch, sets up the machine, runs it to its end or its first error.
#include <signal.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#if defined(__x86_64__) || defined(__aarch64__)
#  include <ucontext.h>
#endif

#include "device_memory.hpp"
#include "state.hpp"
#include "text.hpp"

namespace ballot::emulator {

namespace {

thread_local statistics last;

// The shadow cells of all buffers belong to one grid at a time: its threads' numbers are in them, and
// it clears them when it begins.
std::mutex cells_mutex;

// ---- faults. An access far outside a buffer meets a page that is not mapped. Undefined behaviour
// of the language meets a trap, if the sources are compiled with -fsanitize=undefined
// -fsanitize-undefined-trap-on-error ----

constexpr int faults[] = {SIGSEGV, SIGILL, SIGTRAP};
std::mutex fault_mutex;
int fault_users = 0;
struct sigaction before[std::size(faults)];

std::uint32_t fault_site([[maybe_unused]] void* c) {
#if defined(__x86_64__)
  const auto pc = static_cast<ucontext_t*>(c)->uc_mcontext.gregs[REG_RIP];
  return site_of_code(reinterpret_cast<const void*>(pc + 1));  // a return address would be after the access
#elif defined(__aarch64__)
  return site_of_code(reinterpret_cast<const void*>(static_cast<ucontext_t*>(c)->uc_mcontext.pc + 4));
#else
  return site_of(self->file, self->line);
#endif
}

void on_fault(int signal, siginfo_t* info, void* c) {
  if (self) self->in_emulator = 1;
  if (self && signal != SIGSEGV)
    fail(error_kind::kernel_exception,
         "a shift, an overflow, an index or the like that the language leaves undefined, by " + who(*self) + ", at " +
             where(fault_site(c)));
  if (self && device_memory::holds(info->si_addr))
    fail(error_kind::out_of_bounds,
         "access at " + what_at(info->si_addr) + " by " + who(*self) + ", at " + where(fault_site(c)));
  if (self && device_memory::is_beside(info->si_addr))
    fail(error_kind::out_of_bounds, "access to an address far outside of all buffers (has an index wrapped?) by " +
                                        who(*self) + ", at " + where(fault_site(c)));
  if (const auto* a = static_cast<const char*>(info->si_addr);
      self && a < self->memory.low && self->memory.low - a < 1 << 20)
    fail(error_kind::out_of_bounds, stack_overflow(*self));
  // not ours: it happens again, for whoever was there before
  sigaction(signal, &before[std::ranges::find(faults, signal) - faults], nullptr);
}

// The handler is there while grids run, and no longer: test frameworks have their own.
class fault_handler {
 public:
  fault_handler() {
    stack_t alternative{};
    alternative.ss_sp = stack_;
    alternative.ss_size = sizeof stack_;
    sigaltstack(&alternative, &stack_before_);
    const std::lock_guard lock(fault_mutex);
    if (fault_users++ != 0) return;
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags =
        SA_SIGINFO | SA_ONSTACK | SA_NODEFER;  // fail() leaves the handler by switching, never by returning
    for (std::size_t i = 0; i < std::size(faults); i++) sigaction(faults[i], &action, &before[i]);
  }
  ~fault_handler() {
    {
      const std::lock_guard lock(fault_mutex);
      if (--fault_users == 0)
        for (std::size_t i = 0; i < std::size(faults); i++) sigaction(faults[i], &before[i], nullptr);
    }
    stack_before_.ss_flags &= ~SS_ONSTACK;
    sigaltstack(&stack_before_, nullptr);
  }
  fault_handler(const fault_handler&) = delete;
  fault_handler& operator=(const fault_handler&) = delete;

 private:
  inline static thread_local char stack_[64 << 10];
  stack_t stack_before_{};
};

// ---- setting up ----

void check_launch(const grid_description& g, const policy& rules) {
  auto refuse = [](const std::string& why) {
    throw error(error_kind::bad_launch, std::string(name(error_kind::bad_launch)) + ": " + why);
  };
  if (self) fail(error_kind::bad_launch, "a launch inside a kernel");
  const dim3 &b = g.block, &n = g.grid;
  const std::uint64_t threads = std::uint64_t(b.x) * b.y * b.z, blocks = std::uint64_t(n.x) * n.y * n.z;
  if (b.x > 1024 || b.y > 1024 || b.z > 64 || threads == 0 || threads > 1024)
    refuse(text("a block of %u x %u x %u threads", b.x, b.y, b.z));
  if (n.x > 0x7fffffffu || n.y > 65535 || n.z > 65535 || blocks == 0)
    refuse(text("a grid of %u x %u x %u blocks", n.x, n.y, n.z));
  if (blocks > 0x7fffffffu || (rules.clocks && blocks * threads > 0xffffffffu))
    refuse(text("%llu blocks of %llu threads are more than the emulator counts",
                static_cast<unsigned long long>(blocks), static_cast<unsigned long long>(threads)));
  if (g.is_cluster && (blocks > simt::most_cluster_blocks || rules.architecture < 900))
    refuse(text("a cluster of %llu blocks on a GPU of sm_%u", static_cast<unsigned long long>(blocks),
                rules.architecture / 10));
  if (g.shared_bytes > shared_bytes_limit()) refuse(text("%zu bytes of shared memory", g.shared_bytes));
}

void order_blocks(machine& m) {
  m.order.clear();
  if (m.rules.order == block_order::linear) return;
  m.order.resize(m.blocks);
  for (std::uint64_t i = 0; i < m.blocks; i++)
    m.order[i] = std::uint32_t(m.rules.order == block_order::reverse ? m.blocks - 1 - i : i);
  if (m.rules.order == block_order::shuffled)
    for (std::uint64_t i = m.blocks; i > 1; i--) std::swap(m.order[i - 1], m.order[m.chance.below(std::uint32_t(i))]);
}

void grow_pool(machine& m, std::size_t threads) {
  if (m.pool.size() >= threads) return;
  std::vector<stack> stacks;
  m.stacks.add(std::max<std::size_t>(threads - m.pool.size(), 256), stacks);
  for (const stack& s : stacks) {
    m.pool.push_back(std::make_unique<thread_state>());
    m.pool.back()->memory = s;
    start_context(m.pool.back()->at, s, thread_main);
  }
}

void prepare_slots(machine& m) {
  const std::uint32_t threads = m.block_threads;
  while (m.slots.size() < m.resident) {
    auto b = std::make_unique<block_state>();
    b->slot = std::uint32_t(m.slots.size());
    b->arena = static_cast<char*>(device_memory::allocate(shared_limit, device_memory::purpose::shared_memory));
    device_memory::set_state(b->arena, shared_limit, false, false);
    b->shared = b->arena + shared_limit;
    m.slots.push_back(std::move(b));
  }
  // The launch's shared memory stands at the end of its arena, so that an overrun soon faults, in
  // every build.
  constexpr std::size_t unit = 128;
  const std::size_t bytes = (m.grid.shared_bytes + unit - 1) / unit * unit;
  for (const auto& b : m.slots) {
    b->busy = false;
    if (b->slot >= m.resident) continue;
    // The memory that the last launch could reach is closed; a block opens its part when it starts.
    char* const end = b->arena + shared_limit;
    device_memory::set_state(b->shared, std::size_t(end - b->shared), false, false);
    b->shared = end - bytes;
    b->threads = threads;
    b->thread.resize(threads);
    for (std::uint32_t i = 0; i < threads; i++) b->thread[i] = m.pool[std::size_t(b->slot) * threads + i].get();
    b->warps.resize((threads + 31) / 32);
  }
}

void prepare(machine& m, const grid_description& g, const policy& rules) {
  m.rules = rules;
  m.chance.seed(rules.seed);
  m.grid = g;
  m.stats = {};
  m.block_threads = g.block.x * g.block.y * g.block.z;
  m.blocks = std::uint64_t(g.grid.x) * g.grid.y * g.grid.z;
  m.next_block = m.blocks_done = 0;
  m.memory_version = 1;
  m.version_woken = 0;
  m.busy_polls = m.idle_rounds = 0;
  m.idle_version = 0;
  m.failed = false;
  m.report.clear();
  m.head = m.count = 0;
  m.pollers.clear();
  m.free_slots.clear();
  m.global_locations.clear();
  m.fences.clear();
  m.straggler_until = 0;
  m.front = rules.scheduler == scheduler_kind::depth_first;
  m.by_chance = rules.scheduler != scheduler_kind::depth_first && rules.scheduler != scheduler_kind::fifo;
  m.resident = std::uint32_t(std::min<std::uint64_t>(
      {std::max(1u, rules.max_resident), std::max(1u, rules.max_threads / m.block_threads), m.blocks}));
  if (g.is_cluster) m.resident = std::uint32_t(m.blocks);
  m.cluster = {};
  order_blocks(m);
  if (rules.clocks) {
    device_memory::reserve_shadow();
    device_memory::clear_all_shadow();
  }
  grow_pool(m, std::size_t(m.resident) * m.block_threads);
  prepare_slots(m);
  std::uint32_t capacity = 64;
  while (capacity < m.resident * ((m.block_threads + 31) / 32) + 1) capacity *= 2;
  if (m.ring.size() < capacity) m.ring.resize(capacity);
  m.ring_mask = std::uint32_t(m.ring.size() - 1);
}

}  // namespace

const statistics& last_stats() { return last; }

std::size_t shared_bytes_limit() {
  const std::size_t asked = current_policy().shared_bytes;
  return asked == 0 ? shared_limit : std::min(asked, shared_limit);
}

int device_architecture() { return static_cast<int>(current_policy().architecture); }
unsigned multiprocessors() { return current_policy().multiprocessors; }

void run_grid(const grid_description& g) {
  const policy& rules = current_policy();
  check_launch(g, rules);
  throw_pending_host_error();
  counted_calls.launches++;
  static thread_local machine mine;
  machine& m = mine;
  current_machine = &m;
  const auto one_grid = rules.clocks ? std::unique_lock(cells_mutex) : std::unique_lock<std::mutex>();
  prepare(m, g, rules);
  {
    const fault_handler handler;
    blockDim = {g.block.x, g.block.y, g.block.z};
    gridDim = {g.grid.x, g.grid.y, g.grid.z};
    for (std::uint32_t i = 0; i < m.resident; i++) start_block(*m.slots[i]);
    for (std::uint32_t i = m.resident; i < m.slots.size(); i++) m.slots[i]->busy = false;
    thread_state* first = next_thread();
    enter(first);
    switch_context(m.host, first->at);
    self = nullptr;
  }
  last = m.stats;
  const std::string damage = device_memory::damaged_pattern();
  if (!m.failed && !damage.empty()) {
    m.failed = true;
    m.kind = error_kind::out_of_bounds;
    m.report = damage;
  } else if (m.failed) {
    for (const auto& t : m.pool) {  // what they ran is abandoned
      mark_end(t->memory);
      start_context(t->at, t->memory, thread_main);
    }
  }
  if (m.failed) throw error_of(m);
}

}  // namespace ballot::emulator
