// emu.cpp - SIMT emulator: fibers, scheduler, warp and block collectives, atomics, memory checks.
// One OS thread runs one grid; every choice comes from policy.seed, so a run repeats exactly.
#include <ballot/core/namespace.hpp>
#include <ballot/emulator.hpp>
#include <ballot/simt/host/machine.hpp>

#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#ifdef BALLOT_FIBER_UCONTEXT
#  include <ucontext.h>
#endif

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

thread_local constinit uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace ballot::emulator {
using simt::scope;
using mo = simt::order;
struct fiber;

__thread fiber* self;

// ---------------------------------------------------------------- fiber switch
#if defined(BALLOT_FIBER_BOOST) || defined(BALLOT_FIBER_UCONTEXT)
// measured alternatives, see README
#elif defined(__x86_64__)
extern "C" void ballot_emulator_switch(void** save, void* load);
asm(R"(
.pushsection .text
.globl ballot_emulator_switch
.type ballot_emulator_switch,@function
ballot_emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp,(%rdi)
  movq %rsi,%rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size ballot_emulator_switch,.-ballot_emulator_switch
.popsection
)");
static void* make_context(char* top, void (*entry)()) {
  void** sp = reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t(15));
  *--sp = nullptr;
  *--sp = reinterpret_cast<void*>(entry);
  for (int i = 0; i < 6; i++) *--sp = nullptr;
  return sp;
}
#elif defined(__aarch64__)
extern "C" void ballot_emulator_switch(void** save, void* load);
asm(R"(
.pushsection .text
.globl ballot_emulator_switch
.type ballot_emulator_switch,%function
ballot_emulator_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x2, sp
  str x2, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.popsection
)");
static void* make_context(char* top, void (*entry)()) {  // not run here: no aarch64 machine at hand
  auto p = (reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t(15)) - 160;
  std::memset(reinterpret_cast<void*>(p), 0, 160);
  reinterpret_cast<void**>(p)[11] = reinterpret_cast<void*>(entry);  // x30
  return reinterpret_cast<void*>(p);
}
#else
#  error "port ballot_emulator_switch, or define BALLOT_FIBER_UCONTEXT"
#endif

// ---------------------------------------------------------------- small things
const char* name(error_kind k) {
  static const char* const n[] = {"deadlock", "barrier divergence", "collective misuse", "data race", "uninitialized read",
                                  "out of bounds", "misaligned access", "bad launch", "bad shared memory use", "watchdog", "kernel exception"};
  return n[int(k)];
}
static std::string fmt(const char* f, ...) {
  char b[1024];
  va_list a;
  va_start(a, f);
  vsnprintf(b, sizeof b, f, a);
  va_end(a);
  return b;
}
static const char* base(const char* f) {
  const char* s = f ? std::strrchr(f, '/') : nullptr;
  return s ? s + 1 : f ? f : "?";
}
static const char* const pick_names[] = {"depth_first", "fifo", "random", "straggler", "priority"};
static const char* const order_names[] = {"linear", "reverse", "shuffled"};
std::string policy::describe() const {
  std::string s = fmt("policy{%s seed=%llu resident=%u threads=%u order=%s atomic=%u plain=%u", pick_names[int(scheduler)],
                      (unsigned long long)seed, max_resident, max_threads, order_names[int(order)], preempt_atomic, preempt_plain);
  if (clocks) s += " clocks";
  if (weak_memory) s += " weak";
  if (!strict_barrier) s += " lax_barrier";
  if (!strict_shuffle) s += " lax_shuffle";
  if (votes_order_memory) s += " votes_order";
  if (!check_initialized) s += " no_init";
  if (max_steps != policy{}.max_steps) s += fmt(" steps=%llu", (unsigned long long)max_steps);
  return s + "}";
}
std::optional<policy> parse_policy(std::string_view text) {
  auto from = text.find("policy{");
  if (from == text.npos) return {};
  text.remove_prefix(from + 7);
  auto to = text.find('}');
  if (to == text.npos) return {};
  text = text.substr(0, to);
  policy p;
  while (!text.empty()) {
    auto n = std::min(text.find(' '), text.size());
    std::string item(text.substr(0, n));
    text.remove_prefix(std::min(n + 1, text.size()));
    if (item.empty()) continue;
    auto eq = item.find('=');
    if (eq == item.npos) {
      bool known = true;
      if (item == "clocks") p.clocks = true;
      else if (item == "weak") p.weak_memory = true;
      else if (item == "lax_barrier") p.strict_barrier = false;
      else if (item == "lax_shuffle") p.strict_shuffle = false;
      else if (item == "votes_order") p.votes_order_memory = true;
      else if (item == "no_init") p.check_initialized = false;
      else {
        known = false;
        for (int i = 0; i < 5; i++)
          if (item == pick_names[i]) { p.scheduler = pick(i); known = true; }
      }
      if (!known) return {};
      continue;
    }
    std::string key = item.substr(0, eq), value = item.substr(eq + 1);
    if (key == "order") {
      int i = 0;
      while (i < 3 && value != order_names[i]) i++;
      if (i == 3) return {};
      p.order = block_order(i);
      continue;
    }
    char* end;
    if (value.empty() || value[0] < '0' || value[0] > '9') return {};
    u64 number = std::strtoull(value.c_str(), &end, 10);
    if (*end) return {};
    if (key == "seed") p.seed = number;
    else if (key == "resident") p.max_resident = unsigned(number);
    else if (key == "threads") p.max_threads = unsigned(number);
    else if (key == "atomic") p.preempt_atomic = unsigned(number);
    else if (key == "plain") p.preempt_plain = unsigned(number);
    else if (key == "steps") p.max_steps = number;
    else return {};
  }
  return p;
}
static thread_local policy tl_policy;
policy& current_policy() { return tl_policy; }
static thread_local statistics tl_stats;
const statistics& last_stats() { return tl_stats; }
static bool g_instrumented = false;
bool instrumented() { return g_instrumented; }

struct rng {
  u64 s;
  u64 next() {
    u64 z = (s += 0x9e3779b97f4a7c15ull);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  u32 below(u32 n) { return u32((next() >> 32) * n >> 32); }
};

// ---------------------------------------------------------------- device memory
// One reserved address range holds the device buffers and the blocks' shared memory, so that one
// subtraction tells a kernel's data from everything else. Per 4 bytes: a state byte (low nibble:
// byte written, high nibble: byte addressable) and four shadow cells for the race detector.
struct cell {
  u32 gid, epoch;
  u32 sub : 24, mask : 4, write : 1, atomic : 1, valid : 1, pad : 1;
  u32 pc;
};
static constexpr std::size_t heap_bytes = std::size_t(16) << 30;
static char* heap_lo;
static u8* heap_state;
static cell* heap_shadow;
static std::mutex heap_mutex;
static std::size_t heap_used = 0;
static std::map<char*, std::size_t> heap_live;                        // start -> bytes asked
static std::multimap<std::size_t, char*> heap_free;                   // span -> page start
static std::set<char*> heap_arenas;                                   // blocks' shared memory
static const std::size_t page = 4096;

static void* reserve(std::size_t n, int prot) {
  void* p = mmap(nullptr, n, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) { perror("emulator: mmap"); std::abort(); }
  return p;
}
static void heap_init() {
  if (heap_lo) return;
  heap_lo = static_cast<char*>(reserve(heap_bytes, PROT_NONE));
  heap_state = static_cast<u8*>(reserve(heap_bytes / 4, PROT_READ | PROT_WRITE));
}
static void shadow_init() {
  if (!heap_shadow) heap_shadow = static_cast<cell*>(reserve(heap_bytes / 4 * 4 * sizeof(cell), PROT_READ | PROT_WRITE));
}
static bool in_heap(const void* p) { return std::size_t(static_cast<const char*>(p) - heap_lo) < heap_bytes; }
static std::size_t granule(const void* p) { return std::size_t(static_cast<const char*>(p) - heap_lo) >> 2; }
static void set_state(const void* p, std::size_t n, bool addressable, bool written) {
  auto* c = static_cast<const char*>(p);
  u8 v = u8((addressable ? 0xf0 : 0) | (written ? 0x0f : 0));
  auto one = [&](const char* b) {
    u8 bit = u8(0x11u << (reinterpret_cast<std::uintptr_t>(b) & 3));
    u8& g = heap_state[granule(b)];
    g = u8((g & ~bit) | (v & bit));
  };
  for (; n != 0 && (reinterpret_cast<std::uintptr_t>(c) & 3) != 0; n--) one(c++);
  std::memset(heap_state + granule(c), v, n / 4);
  c += n / 4 * 4;
  for (n %= 4; n != 0; n--) one(c++);
}
static void shadow_clear(const void* p, std::size_t n) {
  if (!heap_shadow || !n) return;
  char* a = reinterpret_cast<char*>(heap_shadow + granule(p) * 4);
  char* b = reinterpret_cast<char*>(heap_shadow + (granule(static_cast<const char*>(p) + n - 1) + 1) * 4);
  if (b - a < 1 << 20) { std::memset(a, 0, std::size_t(b - a)); return; }
  char* pa = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(a) + page - 1) & ~(page - 1));
  char* pb = reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(b) & ~(page - 1));
  std::memset(a, 0, std::size_t(pa - a));
  std::memset(pb, 0, std::size_t(b - pb));
  madvise(pa, std::size_t(pb - pa), MADV_DONTNEED);
}
// The end of the buffer stands at an unmapped page: an overrun faults even without instrumentation.
void* device_allocate(std::size_t n) {
  std::lock_guard<std::mutex> l(heap_mutex);
  heap_init();
  std::size_t body = (std::max<std::size_t>(n, 1) + 255) & ~std::size_t(255);
  std::size_t span = ((body + page - 1) & ~(page - 1)) + 16 * page;
  char* start;
  auto it = heap_free.lower_bound(span);
  if (it != heap_free.end() && it->first == span) {
    start = it->second;
    heap_free.erase(it);
  } else {
    if (heap_used + span > heap_bytes) throw std::bad_alloc();
    start = heap_lo + heap_used;
    heap_used += span;
  }
  std::size_t rw = span - 16 * page;
  mprotect(start + 8 * page, rw, PROT_READ | PROT_WRITE);
  char* p = start + 8 * page + (rw - body);
  std::memset(p, 0xcb, body);
  set_state(p, body, false, false);
  set_state(p, n, true, false);
  heap_live[p] = n;
  return p;
}
void device_release(void* v) {
  if (!v) return;
  std::lock_guard<std::mutex> l(heap_mutex);
  char* p = static_cast<char*>(v);
  auto it = heap_live.find(p);
  if (it == heap_live.end()) return;
  std::size_t body = (std::max<std::size_t>(it->second, 1) + 255) & ~std::size_t(255);
  set_state(p, body, false, false);
  std::size_t rw = (body + page - 1) & ~(page - 1);
  char* start = p - (rw - body) - 8 * page;
  madvise(start + 8 * page, rw, MADV_DONTNEED);
  mprotect(start + 8 * page, rw, PROT_NONE);
  heap_free.emplace(rw + 16 * page, start);
  heap_live.erase(it);
}
// Plain build: writes into the rounding after a buffer's end show after the launch.
static std::string damaged_padding() {
  std::lock_guard<std::mutex> l(heap_mutex);
  for (auto& [p, n] : heap_live)
    for (std::size_t i = n, e = (std::max<std::size_t>(n, 1) + 255) & ~std::size_t(255); i < e; i++)
      if (u8(p[i]) != 0xcb) {
        std::string s = fmt("byte %zu was written past the end of a %zu byte buffer", i, n);
        while (i < e) p[i++] = char(0xcb);
        return s;
      }
  return {};
}

// ---------------------------------------------------------------- happens-before knowledge
// What a thread knows of others: whole blocks up to a barrier epoch, single threads up to a clock.
struct know {
  u32 refs = 0;
  std::vector<std::pair<u32, u32>> blocks;  // block -> all accesses of epochs below this
  std::vector<std::pair<u32, u64>> threads;  // gid -> clock (epoch << 32 | sub), inclusive
};
struct kp {
  know* p = nullptr;
  kp() = default;
  explicit kp(know* k) : p(k) { if (p) p->refs++; }
  kp(const kp& o) : kp(o.p) {}
  kp(kp&& o) noexcept : p(o.p) { o.p = nullptr; }
  kp& operator=(kp o) noexcept { std::swap(p, o.p); return *this; }
  ~kp() { if (p && --p->refs == 0) delete p; }
  explicit operator bool() const { return p != nullptr; }
};
template <class V>
static typename V::value_type::second_type lookup(const V& v, u32 key) {
  auto it = std::lower_bound(v.begin(), v.end(), key, [](const auto& a, u32 k) { return a.first < k; });
  return it != v.end() && it->first == key ? it->second : 0;
}
template <class V>
static void merge_max(const V& a, const V& b, V& r) {
  r.reserve(a.size() + b.size());
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].first < b[j].first)) r.push_back(a[i++]);
    else if (i == a.size() || b[j].first < a[i].first) r.push_back(b[j++]);
    else { r.emplace_back(a[i].first, std::max(a[i].second, b[j].second)); i++; j++; }
  }
}
static kp join(const kp& a, const kp& b, u32 block_threads) {
  if (!b || a.p == b.p) return a;
  if (!a) return b;
  tl_stats.joins++;
  auto* r = new know;
  kp res(r);
  merge_max(a.p->blocks, b.p->blocks, r->blocks);
  merge_max(a.p->threads, b.p->threads, r->threads);
  if (r->blocks == a.p->blocks && r->threads == a.p->threads) return a;
  if (r->blocks == b.p->blocks && r->threads == b.p->threads) return b;
  r->threads.erase(std::remove_if(r->threads.begin(), r->threads.end(),
                                  [&](auto& t) { return u32(t.second >> 32) < lookup(r->blocks, t.first / block_threads); }),
                   r->threads.end());
  return res;
}

struct message {
  word val;
  u32 gid;
  u64 clk;  // 0: value from before the launch
  kp rel;
  scope sc;
};
struct location {
  std::vector<message> hist;
  u64 first = 0;                                        // index of hist[0] in modification order
  std::unordered_map<u32, std::pair<u64, u64>> readers;  // gid -> newest index read, its clock
};

// ---------------------------------------------------------------- machine state
enum class st : u8 { idle, ready, barrier, named, collective, parked, done };

struct slot;
struct warp_state {
  u32 ready;             // lanes that can run; the warp stands in the ring while this is not 0
  u32 waiting;           // lanes in a collective
  u32 at_barrier;        // lanes at the block barrier
  u32 exited;            // lanes gone, or never there
  u32 priority;
  slot* blk;
  fiber** lanes;
  word val[32], res[32];
  u32 mask[32], arg[32];
  const char* file[32];
  int line[32];
  warp_op op[32];
};
struct fiber {
  void* sp;
  slot* blk;
  warp_state* warp;
  uint3 tid;
  u32 lane, lin;
  st state;
  u8 last_stale;
  u16 stale_run;
  u32 repeats;
  void* last_addr;
  word last_val;
  u64 last_g;
  const char* file;
  int line;
  char* stack_lo;
  char* stack_top;
  // clocks
  u32 gid, sub;
  u32 wvc[32];
  kp k, relf, acqp;
  kp seen;  // by sc fences: values that must not be missed any more, though nothing orders plain accesses
  scope relf_scope;
#ifdef BALLOT_FIBER_UCONTEXT
  ucontext_t uc;
#endif
};
struct named_bar {
  u32 arrived = 0, expected = 0;
  std::vector<fiber*> waiting;
  kp k;
};
struct slot {
  u32 index, lin, epoch, threads, exited, arrived;
  bool busy;
  uint3 bid;
  int bar_acc, bar_res;
  block_op bar_op;
  const char* bar_file;
  int bar_line;
  char* smem;
  std::vector<fiber*> f;
  std::vector<warp_state> warps;
  named_bar bars[16];
  std::unordered_map<u64, location> locs;  // shared memory atomics
};

struct site { const char* file; int line; };
static constexpr std::size_t shared_max = 232448;  // 227 KiB, as on sm_90

struct machine {
  policy pol;
  rng r{1};
  grid_description g{};
  statistics s{};
  u32 block_threads = 0;
  u64 blocks = 0, next_block = 0, blocks_done = 0;
  u64 change = 1;  // counts memory changes and other events a poller could wait for
  u64 wake_seen = 0;
  void* host_sp = nullptr;
  bool failed = false;
  error_kind err_kind{};
  std::string err;
  std::vector<u32> order;
  // ring of the warps that have a ready lane
  std::vector<warp_state*> ring;
  u32 head = 0, count = 0, ring_mask = 0;
  std::vector<fiber*> parked;
  std::vector<slot*> slots, free_slots;
  std::vector<fiber*> pool;
  bool pool_dirty = false;
  u32 resident = 1;
  slot* victim_block = nullptr;
  warp_state* victim_warp = nullptr;
  u64 victim_until = 0;
  std::unordered_map<u64, location> locs;
  kp sc;  // what sc fences have published
  std::vector<site> sites;
  std::map<std::pair<const char*, int>, u32> site_ids;
  bool randomish = false;
#ifdef BALLOT_FIBER_UCONTEXT
  ucontext_t host_uc;
#endif
  bool front = false;  // depth first: newly ready warps go to the head
  void make_ready(warp_state* w, u32 lanes) {
    if (!w->ready && lanes) {
      if (front) head = (head - 1) & ring_mask, ring[head] = w;
      else ring[(head + count) & ring_mask] = w;
      count++;
    }
    w->ready |= lanes;
  }
  void make_ready(fiber* f) { make_ready(f->warp, 1u << f->lane); }
};
static __thread machine* M;

#if defined(BALLOT_FIBER_UCONTEXT)
static void raw_switch(fiber* from, fiber* to) {
  swapcontext(from ? &from->uc : &M->host_uc, to ? &to->uc : &M->host_uc);
}
static void init_context(fiber* f, void (*entry)()) {
  getcontext(&f->uc);
  f->uc.uc_stack.ss_sp = f->stack_lo;
  f->uc.uc_stack.ss_size = std::size_t(f->stack_top - f->stack_lo);
  f->uc.uc_link = nullptr;
  makecontext(&f->uc, entry, 0);
}
#else
static inline void raw_switch(fiber* from, fiber* to) {
  ballot_emulator_switch(from ? &from->sp : &M->host_sp, to ? to->sp : M->host_sp);
}
static void init_context(fiber* f, void (*entry)()) { f->sp = make_context(f->stack_top, entry); }
#endif

static std::string who(const fiber* f) {
  return fmt("block (%u,%u,%u) thread (%u,%u,%u) [warp %u lane %u]", f->blk->bid.x, f->blk->bid.y, f->blk->bid.z, f->tid.x,
             f->tid.y, f->tid.z, f->lin / 32, f->lane);
}
[[noreturn]] static void fail(error_kind k, const std::string& msg) {
  if (!self) throw error(k, msg);
  M->failed = true;
  M->err_kind = k;
  M->err = msg;
  fiber* me = self;
  self = nullptr;
  raw_switch(me, nullptr);
  std::abort();
}
void trap(const char* f, int l) { fail(error_kind::kernel_exception, fmt("trap() at %s:%d by %s", base(f), l, who(self).c_str())); }

// What every live thread waits for, grouped.
static std::string waiting_report() {
  struct key { u32 block; st s; const char* file; int line; bool operator<(const key& o) const { return std::tie(block, s, file, line) < std::tie(o.block, o.s, o.file, o.line); } };
  std::map<key, std::pair<u32, std::string>> g;
  for (slot* b : M->slots) {
    if (!b->busy) continue;
    for (u32 t = 0; t < b->threads; t++) {
      fiber* f = b->f[t];
      if (f->state == st::done) { g[{b->lin, st::done, "", 0}].first++; continue; }
      auto& e = g[{b->lin, f->warp->ready >> f->lane & 1 ? st::ready : f->state, f->file ? f->file : "start", f->line}];
      if (!e.first++) {
        e.second = fmt("first: thread %u", f->lin);
        if (f->state == st::collective) e.second += fmt(", mask %08x, lanes of its warp exited %08x", f->warp->mask[f->lane], f->warp->exited);
        if (f->state == st::parked && f->last_addr) e.second += fmt(", polls %p == %llu", f->last_addr, (unsigned long long)f->last_val.low);
      }
    }
  }
  static const char* const n[] = {"idle", "ready", "wait at block barrier", "wait at named barrier", "wait in warp collective", "poll", "exited"};
  std::string s;
  int lines = 0;
  for (auto& [k, v] : g) {
    if (++lines > 24) { s += "\n    ..."; break; }
    s += fmt("\n    block %u: %u threads %s", k.block, v.first, n[int(k.s)]);
    if (k.s != st::done) s += fmt(" at %s:%d (%s)", base(k.file), k.line, v.second.c_str());
  }
  return s;
}
[[noreturn]] static void deadlock() {
  fail(error_kind::deadlock, fmt("no thread can go on; %llu of %llu blocks started, %llu done", (unsigned long long)M->next_block,
                                 (unsigned long long)M->blocks, (unsigned long long)M->blocks_done) + waiting_report());
}

// ---------------------------------------------------------------- blocks and the scheduler
static void start_block(slot* b) {
  u32 lin = M->order.empty() ? u32(M->next_block) : M->order[M->next_block];
  M->next_block++;
  b->busy = true;
  b->lin = lin;
  b->bid = {lin % M->g.grid.x, lin / M->g.grid.x % M->g.grid.y, lin / (M->g.grid.x * M->g.grid.y)};
  b->epoch = 1;
  b->exited = b->arrived = 0;
  for (auto& nb : b->bars) { nb.arrived = 0; nb.waiting.clear(); nb.k = kp(); }
  b->locs.clear();
  if (M->g.shared_bytes) {
    std::memset(b->smem, 0xd1 + int(M->r.next() & 0xf), M->g.shared_bytes);
    set_state(b->smem, M->g.shared_bytes, true, false);
    if (M->pol.clocks) shadow_clear(b->smem, M->g.shared_bytes);
  }
  u32 n = M->block_threads;
  for (u32 w = 0; w * 32 < n; w++) {
    warp_state& x = b->warps[w];
    x.ready = x.waiting = x.at_barrier = 0;
    x.exited = n - w * 32 >= 32 ? 0 : ~0u << (n - w * 32);
    x.priority = u32(M->r.next()) | 0x80000000u;
    x.blk = b;
    x.lanes = b->f.data() + w * 32;
  }
  for (u32 t = 0; t < n; t++) {
    fiber* f = b->f[t];
    f->blk = b;
    f->warp = &b->warps[t / 32];
    f->tid = {t % M->g.block.x, t / M->g.block.x % M->g.block.y, t / (M->g.block.x * M->g.block.y)};
    f->lane = t % 32;
    f->lin = t;
    f->last_stale = 0;
    f->stale_run = 0;
    f->repeats = 0;
    f->last_addr = nullptr;
    f->last_g = 0;
    f->file = nullptr;
    f->line = 0;
    if (M->pol.clocks) {
      f->gid = lin * n + t;
      f->sub = 1;
      std::memset(f->wvc, 0, sizeof f->wvc);
      f->k = f->relf = f->acqp = f->seen = kp();
    }
    f->state = st::ready;
  }
  for (u32 w = 0; w * 32 < n; w++) M->make_ready(&b->warps[w], ~b->warps[w].exited);
  M->s.threads += n;
  M->change++;
}

static fiber* next_fiber_slow();
static inline fiber* next_fiber() {
  machine& m = *M;
  if (!m.front || m.count == 0 || ++m.s.switches > m.pol.max_steps) return next_fiber_slow();
  warp_state* w = m.ring[m.head];
  u32 l = u32(__builtin_ctz(w->ready));
  w->ready &= w->ready - 1;
  if (!w->ready) {
    m.head = (m.head + 1) & m.ring_mask;
    m.count--;
  }
  return w->lanes[l];
}
[[gnu::noinline]] static fiber* next_fiber_slow() {
  machine& m = *M;
  for (;;) {
    if (!m.parked.empty() && m.wake_seen != m.change && (m.count == 0 || (m.randomish && m.r.below(8) == 0))) {
      for (fiber* f : m.parked) m.make_ready(f);
      m.parked.clear();
    }
    if (!m.free_slots.empty() && m.next_block < m.blocks && (m.count == 0 || !m.randomish || m.r.below(8) == 0)) {
      slot* b = m.free_slots.back();
      m.free_slots.pop_back();
      start_block(b);
    }
    if (m.count == 0) {
      if (m.blocks_done == m.blocks) return nullptr;
      if (!m.parked.empty() && m.wake_seen != m.change) continue;
      deadlock();
    }
    if (++m.s.switches > m.pol.max_steps) fail(error_kind::watchdog, "too many scheduler steps" + waiting_report());
    // the warp
    u32 i = 0;  // place in the ring, from its head
    auto at = [&](u32 k) -> warp_state*& { return m.ring[(m.head + k) & m.ring_mask]; };
    switch (m.pol.scheduler) {
      case pick::depth_first: case pick::fifo: break;
      case pick::random: i = m.r.below(m.count); break;
      case pick::straggler:
        i = m.r.below(m.count);
        if (m.s.switches >= m.victim_until) {
          slot* b = m.slots[m.r.below(m.resident)];
          m.victim_block = b;  // half the time a whole block lags, half the time one of its warps
          m.victim_warp = m.r.below(2) ? &b->warps[m.r.below(u32(b->warps.size()))] : nullptr;
          m.victim_until = m.s.switches + (u64(32) << m.r.below(9));
        }
        for (u32 k = 0; k < m.count && (m.victim_warp ? at(i) == m.victim_warp : at(i)->blk == m.victim_block); k++) i = i + 1 == m.count ? 0 : i + 1;
        break;
      case pick::priority:
        for (u32 k = 1; k < m.count; k++)
          if (at(k)->priority > at(i)->priority) i = k;
        if (m.r.below(512) == 0) at(i)->priority = u32(m.r.next()) >> 1;  // now and then the leading warp falls behind all that have not
        break;
    }
    if (i) std::swap(at(i), at(0));
    warp_state* w = at(0);
    // the lane
    u32 l = u32(__builtin_ctz(w->ready));
    if (m.randomish) {
      u32 r = u32(m.r.next()) & 31;
      l = (u32(__builtin_ctz(w->ready >> r | w->ready << ((32 - r) & 31))) + r) & 31;
    }
    w->ready &= ~(1u << l);
    if (!w->ready) {
      m.head = (m.head + 1) & m.ring_mask;
      m.count--;
    } else if (m.pol.scheduler == pick::fifo) {  // to the end of the ring
      m.head = (m.head + 1) & m.ring_mask;
      at(m.count - 1) = w;
    }
    return w->lanes[l];
  }
}
static void reschedule() {
  fiber* me = self;
  fiber* n = next_fiber();
  if (n == me) {  // its block slot may have been handed to a new block
    threadIdx = me->tid;
    blockIdx = me->blk->bid;
    return;
  }
  self = n;
  if (n) {
    threadIdx = n->tid;
    blockIdx = n->blk->bid;
  }
  raw_switch(me, n);
}
static void yield_now() {
  M->front = false;  // to the back of the ring, if its warp is not in it already
  M->make_ready(self);
  M->front = M->pol.scheduler == pick::depth_first;
  reschedule();
}
static inline void maybe_preempt(u32 one_in) {
  if (one_in && M->r.below(one_in) == 0) yield_now();
}

static void complete_barrier(slot* b);
static bool try_complete_collective(slot* b, warp_state* w, u32 lane);

static void thread_exit() {
  fiber* f = self;
  slot* b = f->blk;
  f->state = st::done;
  if (std::memcmp(f->stack_lo, "SIMTCANARY", 10) != 0) fail(error_kind::out_of_bounds, "fiber stack overflow by " + who(f));
  b->exited++;
  warp_state* w = f->warp;
  w->exited |= 1u << f->lane;
  if (b->arrived) {
    if (M->pol.strict_barrier)
      fail(error_kind::barrier_divergence, fmt("%s exits while %u threads of its block wait at %s:%d", who(f).c_str(), b->arrived,
                                               base(b->bar_file), b->bar_line));
    if (b->arrived + b->exited == b->threads) complete_barrier(b);
  }
  for (u32 rest = w->waiting; rest;) {  // a collective may have waited for this lane only
    u32 l = u32(__builtin_ctz(rest));
    rest &= rest - 1;
    if ((w->waiting >> l & 1) && try_complete_collective(b, w, l)) rest &= w->waiting;
  }
  if (b->exited == b->threads) {
    b->busy = false;
    M->blocks_done++;
    M->change++;
    M->free_slots.push_back(b);
  }
  reschedule();
}
static void fiber_main() {
  for (;;) {
    try {
      M->g.run_thread(M->g.context);
    } catch (const std::exception& e) {
      fail(error_kind::kernel_exception, who(self) + ": " + e.what());
    }
    thread_exit();
  }
}

// ---------------------------------------------------------------- checks on plain and atomic accesses
static u32 site_id(const char* f, int l) {
  auto [it, fresh] = M->site_ids.try_emplace({f, l}, u32(M->sites.size()));
  if (fresh) M->sites.push_back({f, l});
  return it->second | 0x80000000u;
}
extern "C" char __executable_start;
static std::string where(u32 pc) {
  if (pc & 0x80000000u) { auto& s = M->sites[pc & 0x7fffffffu]; return fmt("%s:%d", base(s.file), s.line); }
  char exe[512];
  ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
  if (n <= 0) return fmt("pc +0x%x", pc);
  exe[n] = 0;
  std::string out;
  if (FILE* p = popen(fmt("addr2line -s -i -e '%s' 0x%x 2>/dev/null", exe, pc - 1).c_str(), "r")) {
    char line[512];
    int k = 0;
    while (fgets(line, sizeof line, p) && k < 4) {
      line[std::strcspn(line, "\n(")] = 0;
      out += (k++ ? " < " : "") + std::string(line);
    }
    pclose(p);
  }
  return out.empty() ? fmt("pc +0x%x", pc) : out;
}
static std::string describe_address(const void* p) {
  for (slot* b : M->slots)
    if (p >= b->smem && p < b->smem + shared_max) return fmt("shared memory +%zu of slot %u", std::size_t(static_cast<const char*>(p) - b->smem), b->index);
  std::lock_guard<std::mutex> l(heap_mutex);
  auto it = heap_live.upper_bound(static_cast<char*>(const_cast<void*>(p)));
  if (it == heap_live.begin()) return fmt("%p", p);
  --it;
  return fmt("byte %zu of a %zu byte buffer", std::size_t(static_cast<const char*>(p) - it->first), it->second);
}
static bool known(const kp& k, u32 block, const cell& c) {
  return k && (lookup(k.p->blocks, block) > c.epoch || lookup(k.p->threads, c.gid) >= (u64(c.epoch) << 32 | c.sub));
}
static bool ordered_before(const cell& c, fiber* me) {
  if (c.gid == me->gid) return true;
  u32 n = M->block_threads, b = c.gid / n;
  if (b == me->blk->lin) {
    if (c.epoch < me->blk->epoch) return true;
    u32 t = c.gid - b * n;
    if (t / 32 == me->lin / 32 && c.sub <= me->wvc[t % 32]) return true;
  }
  return known(me->k, b, c);
}
static bool clk_before(u32 gid, u64 clk, fiber* me) {
  if (clk == 0) return true;
  cell c{};
  c.gid = gid;
  c.epoch = u32(clk >> 32);
  c.sub = u32(clk) & 0xffffffu;
  return ordered_before(c, me) || known(me->seen, gid / M->block_threads, c);
}
static void check_access(void* p, u32 size, bool write, bool atomic, u32 pc) {
  fiber* me = self;
  u8 need_all = 0xf;
  auto a = static_cast<char*>(p);
  for (u32 done = 0; done < size;) {
    u32 off = u32(reinterpret_cast<std::uintptr_t>(a + done) & 3), n = std::min(4 - off, size - done);
    u8 mask = u8((need_all >> (4 - n)) << off);
    std::size_t gr = granule(a + done);
    u8& stt = heap_state[gr];
    if ((stt >> 4 & mask) != mask)
      fail(error_kind::out_of_bounds, fmt("%s of %u bytes at %s by %s, at %s", write ? "write" : "read", size, describe_address(p).c_str(), who(me).c_str(), where(pc).c_str()));
    if (write && !(atomic)) stt = u8(stt | mask);
    else if (atomic && write) stt = u8(stt | mask);
    else if (M->pol.check_initialized && (stt & mask) != mask)
      fail(error_kind::uninitialized_read, fmt("read of %u bytes at %s by %s, at %s", size, describe_address(p).c_str(), who(me).c_str(), where(pc).c_str()));
    if (M->pol.clocks) {
      cell* c = heap_shadow + gr * 4;
      int put = -1;
      bool same = false;
      for (int i = 0; i < 4; i++) {
        if (!c[i].valid) { if (put < 0) put = i; continue; }
        if (c[i].gid == me->gid && c[i].mask == mask && c[i].write == write && c[i].atomic == atomic) {
          put = i;
          if (c[i].epoch == me->blk->epoch && c[i].sub == (me->sub & 0xffffffu)) same = true;
          continue;
        }
        if ((c[i].mask & mask) && (write || c[i].write) && !(atomic && c[i].atomic) && !ordered_before(c[i], me)) {
          u32 g = c[i].gid;
          fail(error_kind::data_race, fmt("%s: %s%s by %s at %s is not ordered after %s%s by block %u thread %u at %s", describe_address(a + done).c_str(), atomic ? "atomic " : "",
                                          write ? "write" : "read", who(me).c_str(), where(pc).c_str(), c[i].atomic ? "atomic " : "", c[i].write ? "write" : "read",
                                          g / M->block_threads, g % M->block_threads, where(c[i].pc).c_str()));
        }
      }
      if (!same) {
        if (put < 0)
          for (int i = 0; i < 4; i++)
            if ((write || !c[i].write) && ordered_before(c[i], me)) { put = i; break; }
        if (put < 0) put = int(M->r.below(4));
        c[put] = cell{me->gid, me->blk->epoch, me->sub & 0xffffffu, mask, write, atomic, 1, 0, pc};
      }
    }
    done += n;
  }
}

// called by the compiler's -fsanitize=thread instrumentation; libtsan itself is not linked
static inline void plain(void* p, u32 size, bool write, void* ra) {
  if (!in_heap(p) || !self) return;
  if (++M->s.plain > M->pol.max_steps) fail(error_kind::watchdog, "too many plain accesses, last at " + where(u32(static_cast<char*>(ra) - &__executable_start)) + " by " + who(self));
  check_access(p, size, write, false, u32(static_cast<char*>(ra) - &__executable_start) & 0x7fffffffu);
  maybe_preempt(M->pol.preempt_plain);
}

// ---------------------------------------------------------------- wide accesses
static void check_wide(const void* p, u32 size, bool write, const char* file, int line) {
  self->file = file;
  self->line = line;
  if (!in_heap(p)) fail(error_kind::out_of_bounds, fmt("wide access at %s:%d on %p, which is no device memory, by %s", base(file), line, p, who(self).c_str()));
  if (reinterpret_cast<std::uintptr_t>(p) & (size - 1))
    fail(error_kind::misaligned, fmt("wide access of %u bytes at %s:%d on %s by %s", size, base(file), line, describe_address(p).c_str(), who(self).c_str()));
  if (g_instrumented) {
    check_access(const_cast<void*>(p), size, write, false, site_id(file, line));
    maybe_preempt(M->pol.preempt_plain);
  }
}
void wide_load(void* value, const void* p, unsigned size, const char* file, int line) {
  check_wide(p, size, false, file, line);
  std::memcpy(value, p, size);
}
void wide_store(void* p, const void* value, unsigned size, const char* file, int line) {
  check_wide(p, size, true, file, line);
  std::memcpy(p, value, size);
}
static void check_host(const void* p, std::size_t n, const char* what) {
  if (!heap_lo || !in_heap(p)) return;
  std::lock_guard<std::mutex> l(heap_mutex);
  auto it = heap_live.upper_bound(static_cast<char*>(const_cast<void*>(p)));
  if (it == heap_live.begin() || (--it, std::size_t(static_cast<const char*>(p) - it->first) + n > it->second))
    throw error(error_kind::out_of_bounds, fmt("%s of %zu bytes at %p, outside its buffer", what, n, p));
}
void device_fill(void* p, int byte, std::size_t n) {
  if (n == 0) return;
  check_host(p, n, "fill_bytes");
  if (!heap_lo || !in_heap(p)) throw error(error_kind::out_of_bounds, "fill_bytes of host memory");
  std::memset(p, byte, n);
  set_state(p, n, true, true);
}
void device_copy(void* d, const void* s, std::size_t n) {
  if (n == 0) return;
  check_host(d, n, "copy_bytes to");
  check_host(s, n, "copy_bytes from");
  std::memmove(d, s, n);
  if (heap_lo && in_heap(d)) set_state(d, n, true, true);
}
void settle() {}

// ---------------------------------------------------------------- clocks on synchronization
static kp snapshot(fiber* f) {
  auto* r = new know;
  kp res(r);
  u32 n = M->block_threads;
  know own;
  own.blocks.emplace_back(f->blk->lin, f->blk->epoch);
  u32 w0 = f->blk->lin * n + f->lin / 32 * 32;
  for (u32 l = 0; l < 32; l++) {
    u32 sub = l == f->lane ? f->sub : f->wvc[l];
    if (sub) own.threads.emplace_back(w0 + l, u64(f->blk->epoch) << 32 | sub);
  }
  if (f->k) {
    merge_max(f->k.p->blocks, own.blocks, r->blocks);
    merge_max(f->k.p->threads, own.threads, r->threads);
  } else {
    *r = own;
    r->refs = 1;
  }
  return res;
}
static void warp_sync_clocks(slot* b, u32 w, u32 need) {
  u32 nv[32] = {};
  kp k;
  for (u32 rest = need; rest; rest &= rest - 1) {
    fiber* f = b->f[w * 32 + u32(__builtin_ctz(rest))];
    for (int i = 0; i < 32; i++) nv[i] = std::max(nv[i], f->wvc[i]);
    k = join(k, f->k, M->block_threads);
  }
  for (u32 rest = need; rest; rest &= rest - 1) { u32 l = u32(__builtin_ctz(rest)); nv[l] = b->f[w * 32 + l]->sub; }
  for (u32 rest = need; rest; rest &= rest - 1) {
    fiber* f = b->f[w * 32 + u32(__builtin_ctz(rest))];
    std::memcpy(f->wvc, nv, sizeof nv);
    f->sub++;
    f->k = k;
  }
}

// ---------------------------------------------------------------- block barriers
static void complete_barrier(slot* b) {
  M->s.barriers++;
  M->change++;
  b->arrived = 0;
  b->bar_res = b->bar_acc;
  if (M->pol.clocks) {
    kp k;
    for (u32 t = 0; t < b->threads; t++) k = join(k, b->f[t]->k, M->block_threads);
    b->epoch++;
    for (u32 t = 0; t < b->threads; t++) {
      fiber* f = b->f[t];
      f->k = k;
      f->sub = 1;
      std::memset(f->wvc, 0, sizeof f->wvc);
    }
  }
  for (std::size_t i = b->warps.size(); i-- > 0;) {
    warp_state& w = b->warps[M->front ? i : b->warps.size() - 1 - i];
    u32 l = w.at_barrier;
    w.at_barrier = 0;
    M->make_ready(&w, l);
  }
}
int block_barrier(block_op op, bool pred, const char* file, int line) {
  fiber* f = self;
  slot* b = f->blk;
  if (b->arrived == 0) {
    b->bar_file = file;
    b->bar_line = line;
    b->bar_op = op;
    b->bar_acc = op == block_op::all ? 1 : 0;
  } else if (M->pol.strict_barrier && (b->bar_line != line || b->bar_op != op || std::strcmp(b->bar_file, file) != 0)) {
    fail(error_kind::barrier_divergence, fmt("%s reaches the barrier at %s:%d while %u threads of its block wait at %s:%d", who(f).c_str(), base(file), line,
                                             b->arrived, base(b->bar_file), b->bar_line));
  }
  if (b->exited && M->pol.strict_barrier)
    fail(error_kind::barrier_divergence, fmt("%s reaches the barrier at %s:%d after %u threads of its block have exited", who(f).c_str(), base(file), line, b->exited));
  if (op == block_op::count) b->bar_acc += pred != 0;
  else if (op == block_op::all) b->bar_acc &= pred != 0;
  else if (op == block_op::any) b->bar_acc |= pred != 0;
  b->arrived++;
  f->warp->at_barrier |= 1u << f->lane;
  f->state = st::barrier;
  f->file = file;
  f->line = line;
  if (b->arrived + b->exited == b->threads) complete_barrier(b);  // this fiber becomes ready with the others
  reschedule();
  return b->bar_res;
}
void named_barrier(unsigned id, unsigned threads, bool wait, const char* file, int line) {
  fiber* f = self;
  slot* b = f->blk;
  if (id == 0 || id > 15 || threads == 0 || threads % 32 || threads > b->threads)
    fail(error_kind::barrier_divergence, fmt("named barrier %u for %u threads at %s:%d: id 1..15, count a multiple of 32 within the block", id, threads, base(file), line));
  auto& nb = b->bars[id];
  if (nb.arrived == 0) nb.expected = threads;
  else if (nb.expected != threads)
    fail(error_kind::barrier_divergence, fmt("named barrier %u: %s at %s:%d gives %u threads, others gave %u", id, who(f).c_str(), base(file), line, threads, nb.expected));
  nb.arrived++;
  if (M->pol.clocks) { nb.k = join(nb.k, snapshot(f), M->block_threads); f->sub++; }
  if (wait) { nb.waiting.push_back(f); f->state = st::named; f->file = file; f->line = line; }
  if (nb.arrived == nb.expected) {
    M->change++;
    auto ws = std::move(nb.waiting);
    nb.waiting.clear();
    nb.arrived = 0;
    for (fiber* w : ws) {
      if (M->pol.clocks) w->k = join(w->k, nb.k, M->block_threads);
      M->make_ready(w);
    }
    nb.k = kp();
  }
  if (wait) reschedule();
}

// ---------------------------------------------------------------- warp collectives
static const char* op_name(warp_op o) {
  static const char* const n[] = {"sync_warp", "ballot", "any", "all", "shuffle", "shuffle_up", "shuffle_down", "shuffle_xor", "match_any", "match_all", "reduce_add", "reduce_min", "reduce_max", "reduce_min", "reduce_max", "reduce_and", "reduce_or", "reduce_xor"};
  return n[int(o)];
}
#define BALLOT_LANES(l, need) for (u32 r_ = (need), l; r_ && ((l = u32(__builtin_ctz(r_))), true); r_ &= r_ - 1)

static void compute_collective(slot* b, warp_state* w, u32 need, warp_op op) {
  switch (op) {
    case warp_op::sync: break;
    case warp_op::ballot: case warp_op::any: case warp_op::all: {
      u32 bits = 0;
      BALLOT_LANES(l, need) bits |= u32(w->val[l].low) << l;
      u32 r = op == warp_op::ballot ? bits : op == warp_op::any ? bits != 0 : bits == need;
      BALLOT_LANES(l, need) w->res[l] = {r, 0};
      break;
    }
    case warp_op::shuffle: case warp_op::shuffle_up: case warp_op::shuffle_down: case warp_op::shuffle_xor:
      BALLOT_LANES(l, need) {
        u32 a = w->arg[l], src;
        if (op == warp_op::shuffle) src = a & 31;
        else if (a > 31) fail(error_kind::collective_misuse, fmt("%s at %s:%d: a distance of %u", op_name(op), base(w->file[l]), w->line[l], a));
        else if (op == warp_op::shuffle_up) src = l < a ? l : l - a;
        else if (op == warp_op::shuffle_down) src = l + a > 31 ? l : l + a;
        else src = l ^ a;
        if (need >> src & 1) w->res[l] = w->val[src];
        else {
          if (M->pol.strict_shuffle)
            fail(error_kind::collective_misuse, fmt("%s at %s:%d: block %u warp %u lane %u reads lane %u, which takes no part (mask %08x)", op_name(op), base(w->file[l]), w->line[l],
                                                    b->lin, u32(w - b->warps.data()), l, src, w->mask[l]));
          w->res[l] = {M->r.next(), M->r.next()};
        }
      }
      break;
    case warp_op::match_any: {
      for (u32 rest = need; rest;) {
        u32 l0 = u32(__builtin_ctz(rest)), m = 0;
        BALLOT_LANES(l, rest) m |= u32(w->val[l] == w->val[l0]) << l;
        BALLOT_LANES(l, m) w->res[l] = {m, 0};
        rest &= ~m;
      }
      break;
    }
    case warp_op::match_all: {
      u32 l0 = u32(__builtin_ctz(need));
      bool all = true;
      BALLOT_LANES(l, need) all &= w->val[l] == w->val[l0];
      BALLOT_LANES(l, need) w->res[l] = {all ? need : 0, 0};
      break;
    }
    default: {
      u32 acc = u32(w->val[__builtin_ctz(need)].low);
      BALLOT_LANES(l, need & (need - 1)) {
        u32 v = u32(w->val[l].low);
        switch (op) {
          case warp_op::add: acc += v; break;
          case warp_op::min_u: acc = std::min(acc, v); break;
          case warp_op::max_u: acc = std::max(acc, v); break;
          case warp_op::min_s: acc = u32(std::min(int(acc), int(v))); break;
          case warp_op::max_s: acc = u32(std::max(int(acc), int(v))); break;
          case warp_op::and_: acc &= v; break;
          case warp_op::or_: acc |= v; break;
          default: acc ^= v; break;
        }
      }
      BALLOT_LANES(l, need) w->res[l] = {acc, 0};
    }
  }
}
// Completes the collective that `lane` waits in, if all lanes of its mask are there.
static bool try_complete_collective(slot* b, warp_state* w, u32 lane) {
  u32 mask = w->mask[lane], need = mask & ~w->exited;
  if (need & ~w->waiting) return false;
  BALLOT_LANES(l, need) {
    if (w->mask[l] == mask && w->op[l] == w->op[lane] && w->line[l] == w->line[lane] && (w->file[l] == w->file[lane] || !std::strcmp(w->file[l], w->file[lane]))) continue;
    if (!(w->mask[l] >> lane & 1)) return false;  // that lane may still come here after its own collective
    fail(error_kind::collective_misuse, fmt("block %u warp %u: lane %u is in %s(mask %08x) at %s:%d while lane %u is in %s(mask %08x) at %s:%d", b->lin, u32(w - b->warps.data()), lane,
                                            op_name(w->op[lane]), mask, base(w->file[lane]), w->line[lane], l, op_name(w->op[l]), w->mask[l], base(w->file[l]), w->line[l]));
  }
  M->s.collectives++;
  compute_collective(b, w, need, w->op[lane]);
  w->waiting &= ~need;
  u32 wi = u32(w - b->warps.data());
  if (M->pol.clocks && (w->op[lane] == warp_op::sync || M->pol.votes_order_memory)) warp_sync_clocks(b, wi, need);
  M->make_ready(w, need & ~(w == self->warp ? 1u << self->lane : 0u));
  return true;
}
word warp_collective(warp_op op, unsigned mask, const word& value, unsigned arg, const char* file, int line) {
  fiber* f = self;
  warp_state* w = f->warp;
  u32 l = f->lane;
  if (!(mask >> l & 1))
    fail(error_kind::collective_misuse, fmt("%s at %s:%d: %s is not in its own mask %08x", op_name(op), base(file), line, who(f).c_str(), mask));
  w->val[l] = value;
  w->mask[l] = mask;
  w->arg[l] = arg;
  w->file[l] = file;
  w->line[l] = line;
  w->op[l] = op;
  w->waiting |= 1u << l;
  f->file = file;
  f->line = line;
  if (try_complete_collective(f->blk, w, l)) {
    if (M->randomish && M->r.below(2)) yield_now();
    else f->state = st::ready;
  } else {
    f->state = st::collective;
    reschedule();
  }
  return w->res[l];
}
unsigned active_mask() {
  fiber* f = self;
  u32 live = ~f->warp->exited & ~f->warp->waiting;
  if (M->randomish) live &= u32(M->r.next());  // any subset with the caller is a legal answer
  return live | 1u << f->lane;
}
unsigned lane() { return self->lane; }

// ---------------------------------------------------------------- shared memory
void* dynamic_shared(std::size_t bytes, const char* file, int line) {
  if (bytes > M->g.shared_bytes)
    fail(error_kind::bad_shared, fmt("shared_storage of %zu bytes at %s:%d, launched with %zu", bytes, base(file), line, M->g.shared_bytes));
  return self->blk->smem;
}

// ---------------------------------------------------------------- atomics
static word read_mem(void* p, u32 size) {
  word v;
  std::memcpy(&v, p, size);
  return v;
}
static word apply(atomic_op op, const word& old, const word& operand, const word& cmp, u32 size) {
  u64 o = old.low, v = operand.low, r;
  auto smaller = [&] { return size == 4 ? std::int32_t(o) < std::int32_t(v) : std::int64_t(o) < std::int64_t(v); };
  switch (op) {
    case atomic_op::load: return old;
    case atomic_op::store: case atomic_op::exchange: return operand;
    case atomic_op::cas: return old == cmp ? operand : old;
    case atomic_op::add: r = o + v; break;
    case atomic_op::min_u: r = std::min(o, v); break;
    case atomic_op::max_u: r = std::max(o, v); break;
    case atomic_op::min_s: r = smaller() ? o : v; break;
    case atomic_op::max_s: r = smaller() ? v : o; break;
    case atomic_op::and_: r = o & v; break;
    case atomic_op::or_: r = o | v; break;
    case atomic_op::xor_: r = o ^ v; break;
    case atomic_op::add_float: return pack(unpack<float>(old) + unpack<float>(operand));
    default: return pack(unpack<double>(old) + unpack<double>(operand));
  }
  return {size == 4 ? u64(u32(r)) : r, 0};
}
static bool acquires(mo o) { return o == mo::acquire || o == mo::acq_rel; }
static bool releases(mo o) { return o == mo::release || o == mo::acq_rel; }

static location& locate(void* p) {
  slot* b = self->blk;
  auto a = reinterpret_cast<std::uintptr_t>(p);
  return p >= b->smem && p < b->smem + shared_max ? b->locs[a] : M->locs[a];
}
static bool scopes_meet(const message& m, scope s, fiber* me) {
  return m.gid / M->block_threads == me->blk->lin || (m.sc == scope::device && s == scope::device);
}
static void take(fiber* me, const message& m, mo o, scope s) {
  if (!m.rel || !scopes_meet(m, s, me)) return;
  if (acquires(o)) me->k = join(me->k, m.rel, M->block_threads);
  else me->acqp = join(me->acqp, m.rel, M->block_threads);
}
// The clocked version: keeps the values a location has had since the last one that everybody is
// ordered after, and lets a load take any that happens-before and coherence allow.
static word clocked(atomic_op op, void* p, u32 size, const word& v, const word& cmp, mo o, scope sc, const word& old) {
  fiber* me = self;
  location& L = locate(p);
  if (L.hist.empty() || L.hist.back().val != old) {
    L.hist.assign(1, message{old, 0, 0, kp(), scope::device});
    L.readers.clear();
    L.first = 0;
  }
  std::size_t n = L.hist.size(), at = n - 1;
  u64 clk = u64(me->blk->epoch) << 32 | me->sub;
  if (op == atomic_op::load) {
    me->last_stale = 0;
    if (M->pol.weak_memory && n > 1 && me->stale_run < 8 && M->r.below(2)) {
      std::size_t floor = n - 1;
      while (floor > 0 && !clk_before(L.hist[floor].gid, L.hist[floor].clk, me)) floor--;
      for (auto& [gid, rd] : L.readers)
        if (rd.first >= L.first && rd.first - L.first > floor && (gid == me->gid || clk_before(gid, rd.second, me))) floor = std::size_t(rd.first - L.first);
      at = floor + M->r.below(u32(n - floor));
    }
    if (at != n - 1) { me->last_stale = 1; me->stale_run++; M->s.stale_loads++; }
    else me->stale_run = 0;
    if (M->pol.weak_memory) L.readers[me->gid] = {L.first + at, clk};
    take(me, L.hist[at], o, sc);
    return L.hist[at].val;
  }
  word nv = apply(op, old, v, cmp, size);
  bool rmw = op != atomic_op::store;
  if (rmw) take(me, L.hist.back(), o, sc);
  message m{nv, me->gid, clk, kp(), sc};
  if (releases(o)) { m.rel = snapshot(me); me->sub++; }
  else if (me->relf) { m.rel = me->relf; m.sc = me->relf_scope; }
  if (rmw) m.rel = join(L.hist.back().rel, m.rel, M->block_threads);
  if (!M->pol.weak_memory) L.hist.clear();
  L.hist.push_back(std::move(m));
  if (L.hist.size() > 8) { L.hist.erase(L.hist.begin()); L.first++; }
  std::memcpy(p, &nv, size);
  if (nv != old) M->change++;
  return old;
}
word atomic_access(atomic_op op, void* p, unsigned size, const word& v, const word& cmp, mo o, scope sc, const char* file, int line) {
  fiber* me = self;
  M->s.atomics++;
  me->file = file;
  me->line = line;
  if (!in_heap(p)) fail(error_kind::out_of_bounds, fmt("atomic at %s:%d on %p, which is no device memory, by %s", base(file), line, p, who(me).c_str()));
  if (reinterpret_cast<std::uintptr_t>(p) & (size - 1))
    fail(error_kind::misaligned, fmt("atomic of %u bytes at %s:%d on %p by %s", size, base(file), line, p, who(me).c_str()));
  maybe_preempt(M->pol.preempt_atomic);
  if (g_instrumented || M->pol.clocks) check_access(p, size, op != atomic_op::load, true, site_id(file, line));
  word old = read_mem(p, size), res;
  if (M->pol.clocks) res = clocked(op, p, size, v, cmp, o, sc, old);
  else {
    res = old;
    if (op != atomic_op::load) {
      word nv = apply(op, old, v, cmp, size);
      if (nv != old) { std::memcpy(p, &nv, size); M->change++; }
    }
  }
  // the same thread asking the same word again and again, with nothing changed anywhere, is polling
  if (me->last_addr == p && me->last_val == res && me->last_g == M->change && !me->last_stale) {
    if (++me->repeats >= 64) { me->repeats = 0; spin(file, line); }
  } else {
    me->last_addr = p;
    me->last_val = res;
    me->repeats = 0;
  }
  me->last_g = M->change;
  return res;
}
void fence(scope s, const char*, int) {
  fiber* me = self;
  if (M->pol.clocks) {
    me->k = join(me->k, me->acqp, M->block_threads);
    me->acqp = kp();
    me->relf = snapshot(me);
    me->relf_scope = s;
    me->sub++;
    if (s == scope::device && M->pol.weak_memory) {
      me->seen = join(me->seen, M->sc, M->block_threads);
      M->sc = join(M->sc, join(me->relf, me->seen, M->block_threads), M->block_threads);
    }
  }
  maybe_preempt(M->pol.preempt_atomic);
}
void spin(const char* file, int line) {
  fiber* me = self;
  M->s.parks++;
  me->file = file;
  me->line = line;
  if (me->last_g != M->change || me->last_stale) { yield_now(); return; }
  if (M->wake_seen != M->change) {  // the others that parked before the last change get another look first
    for (fiber* f : M->parked) M->make_ready(f);
    M->parked.clear();
    M->wake_seen = M->change;
  }
  me->state = st::parked;
  M->parked.push_back(me);
  reschedule();
}

// ---------------------------------------------------------------- running a grid
static void on_fault(int sig, siginfo_t* si, void*) {
  if (self && in_heap(si->si_addr))
    fail(error_kind::out_of_bounds, fmt("access at %s by %s (last seen at %s:%d)", describe_address(si->si_addr).c_str(), who(self).c_str(), base(self->file), self->line));
  signal(sig, SIG_DFL);
}
static void install_fault_handler() {
  static bool done = false;
  if (done) return;
  done = true;
  static char alt[64 << 10];
  stack_t ss{};
  ss.ss_sp = alt;
  ss.ss_size = sizeof alt;
  sigaltstack(&ss, nullptr);
  struct sigaction sa {};
  sa.sa_sigaction = on_fault;
  sa.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGSEGV, &sa, nullptr);
}
static std::size_t stack_bytes() {
  static const std::size_t n = [] { const char* e = getenv("BALLOT_STACK"); return e ? std::size_t(atol(e)) : std::size_t(32 << 10); }();
  return n;
}
static void grow_pool(std::size_t n) {
  if (M->pool.size() >= n) return;
  std::size_t add = std::max<std::size_t>(n - M->pool.size(), 256), ss = stack_bytes();
  std::size_t big = std::size_t(2) << 20, bytes = (add * ss + big - 1) & ~(big - 1);
  char* p = static_cast<char*>(reserve(bytes + big, PROT_READ | PROT_WRITE));
  p = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(p) + big - 1) & ~(big - 1));
  if (!getenv("BALLOT_NOHUGE")) madvise(p, bytes, MADV_HUGEPAGE);
  auto* fs = new fiber[add]();
  for (std::size_t i = 0; i < add; i++) {
    fiber* f = fs + i;
    f->stack_lo = p + i * ss;
    f->stack_top = p + (i + 1) * ss - (i % 32) * 128;  // spread the hot frames over the cache sets
    std::memcpy(f->stack_lo, "SIMTCANARY", 10);
    init_context(f, fiber_main);
    M->pool.push_back(f);
  }
}
void run_grid(const grid_description& g) {
  if (self) fail(error_kind::bad_launch, "launch inside a kernel");
  static thread_local std::unique_ptr<machine> mine;
  if (!mine) mine = std::make_unique<machine>();
  M = mine.get();
  machine& m = *M;
  { std::lock_guard<std::mutex> l(heap_mutex); heap_init(); }
  install_fault_handler();
  u64 threads = u64(g.block.x) * g.block.y * g.block.z, blocks = u64(g.grid.x) * g.grid.y * g.grid.z;
  if (threads == 0 || threads > 1024 || blocks == 0 || blocks > 0x7fffffff || g.block.z > 64) throw error(error_kind::bad_launch, fmt("grid of %llu blocks of %llu threads", (unsigned long long)blocks, (unsigned long long)threads));
  if (g.shared_bytes > shared_max) throw error(error_kind::bad_launch, fmt("%zu bytes of shared memory", g.shared_bytes));
  m.pol = tl_policy;
  m.r.s = m.pol.seed * 0x2545f4914f6cdd1dull + 77;
  m.g = g;
  m.s = tl_stats = statistics{};
  m.block_threads = u32(threads);
  m.blocks = blocks;
  m.next_block = m.blocks_done = 0;
  m.change = 1;
  m.failed = false;
  m.head = m.count = 0;
  m.parked.clear();
  m.free_slots.clear();
  m.locs.clear();
  m.sc = kp();
  m.victim_until = 0;
  m.front = m.pol.scheduler == pick::depth_first;
  m.randomish = m.pol.scheduler != pick::depth_first && m.pol.scheduler != pick::fifo;
  m.order.clear();
  if (m.pol.order != block_order::linear) {
    m.order.resize(blocks);
    for (u64 i = 0; i < blocks; i++) m.order[i] = u32(m.pol.order == block_order::reverse ? blocks - 1 - i : i);
    if (m.pol.order == block_order::shuffled)
      for (u64 i = blocks; i > 1; i--) std::swap(m.order[i - 1], m.order[m.r.below(u32(i))]);
  }
  if (m.pol.clocks) {
    shadow_init();
    std::lock_guard<std::mutex> l(heap_mutex);
    for (auto& [p, n] : heap_live)
      if (!heap_arenas.count(p)) shadow_clear(p, n);
  }
  u32 resident = u32(std::min<u64>({std::max(1u, m.pol.max_resident), std::max<u64>(1, m.pol.max_threads / threads), blocks}));
  m.resident = resident;
  grow_pool(std::size_t(resident) * threads);
  u32 cap = 64;
  while (cap < resident * ((threads + 31) / 32) + 1) cap *= 2;
  if (m.ring.size() < cap) m.ring.resize(cap);
  m.ring_mask = u32(m.ring.size() - 1);
  while (m.slots.size() < resident) {
    auto* b = new slot();
    b->index = u32(m.slots.size());
    b->smem = static_cast<char*>(device_allocate(shared_max));
    heap_arenas.insert(b->smem);
    m.slots.push_back(b);
  }
  for (u32 i = 0; i < m.slots.size(); i++) {
    slot* b = m.slots[i];
    b->busy = false;
    if (i >= resident) continue;
    b->threads = u32(threads);
    b->f.assign(m.pool.begin() + std::ptrdiff_t(i * threads), m.pool.begin() + std::ptrdiff_t((i + 1) * threads));
    b->warps.resize((threads + 31) / 32);
    set_state(b->smem, shared_max, false, false);
  }
  for (u32 i = resident; i-- > 0;) m.free_slots.push_back(m.slots[i]);
  blockDim = {g.block.x, g.block.y, g.block.z};
  gridDim = {g.grid.x, g.grid.y, g.grid.z};
  for (u32 i = 0; i < resident; i++) { slot* b = m.free_slots.back(); m.free_slots.pop_back(); start_block(b); }
  fiber* first = next_fiber();
  self = first;
  threadIdx = first->tid;
  blockIdx = first->blk->bid;
  raw_switch(nullptr, first);
  self = nullptr;
  m.s.joins = tl_stats.joins;
  tl_stats = m.s;
  if (std::string d = m.failed ? "" : damaged_padding(); !d.empty())
    throw error(error_kind::out_of_bounds, std::string(name(error_kind::out_of_bounds)) + ": " + d + "\n    under " + m.pol.describe());
  if (m.failed) {
    for (fiber* f : m.pool) init_context(f, fiber_main);  // what they ran is abandoned
    throw error(m.err_kind, std::string(name(m.err_kind)) + ": " + m.err + "\n    under " + m.pol.describe());
  }
}

}  // namespace ballot::emulator

// ---------------------------------------------------------------- -fsanitize=thread entry points
using ballot::emulator::plain;
#define RA __builtin_return_address(0)
extern "C" {
void __tsan_init() { ballot::emulator::g_instrumented = true; }
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
#define RW(n)                                                                   \
  void __tsan_read##n(void* p) { plain(p, n, false, RA); }                      \
  void __tsan_write##n(void* p) { plain(p, n, true, RA); }                      \
  void __tsan_read_write##n(void* p) { plain(p, n, false, RA); plain(p, n, true, RA); } \
  void __tsan_unaligned_read##n(void* p) { plain(p, n, false, RA); }            \
  void __tsan_unaligned_write##n(void* p) { plain(p, n, true, RA); }            \
  void __tsan_volatile_read##n(void* p) { plain(p, n, false, RA); }             \
  void __tsan_volatile_write##n(void* p) { plain(p, n, true, RA); }
RW(1) RW(2) RW(4) RW(8) RW(16)
void __tsan_read_range(void* p, unsigned long n) { plain(p, u32(n), false, RA); }
void __tsan_write_range(void* p, unsigned long n) { plain(p, u32(n), true, RA); }
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void* __tsan_memcpy(void* d, const void* s, unsigned long n) { plain(const_cast<void*>(s), u32(n), false, RA); plain(d, u32(n), true, RA); return std::memcpy(d, s, n); }
void* __tsan_memset(void* d, int v, unsigned long n) { plain(d, u32(n), true, RA); return std::memset(d, v, n); }
void* __tsan_memmove(void* d, const void* s, unsigned long n) { plain(const_cast<void*>(s), u32(n), false, RA); plain(d, u32(n), true, RA); return std::memmove(d, s, n); }
// std::atomic in host code (doctest, shared_ptr): plain pass-through
#define AT(b, T)                                                                                                        \
  T __tsan_atomic##b##_load(const volatile T* p, int) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }                  \
  void __tsan_atomic##b##_store(volatile T* p, T v, int) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); }                  \
  T __tsan_atomic##b##_exchange(volatile T* p, T v, int) { return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); }        \
  T __tsan_atomic##b##_fetch_add(volatile T* p, T v, int) { return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); }        \
  T __tsan_atomic##b##_fetch_sub(volatile T* p, T v, int) { return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST); }        \
  T __tsan_atomic##b##_fetch_or(volatile T* p, T v, int) { return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST); }          \
  T __tsan_atomic##b##_fetch_and(volatile T* p, T v, int) { return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST); }        \
  int __tsan_atomic##b##_compare_exchange_strong(volatile T* p, T* e, T v, int, int) { return __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); } \
  int __tsan_atomic##b##_compare_exchange_weak(volatile T* p, T* e, T v, int, int) { return __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); } \
  T __tsan_atomic##b##_compare_exchange_val(volatile T* p, T e, T v, int, int) { __atomic_compare_exchange_n(p, &e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); return e; }
AT(8, u8) AT(16, u16) AT(32, u32) AT(64, u64)
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}
}
