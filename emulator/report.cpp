// SPDX-License-Identifier: Apache-2.0
// Error reports: the thread, its source location, and what the other threads wait for.
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <tuple>
#include <utility>

#include "device_memory.hpp"
#include "state.hpp"
#include "text.hpp"

namespace ballot::emulator {

namespace {

// "scan.cuh:41 < compact.cuh:77": the line, and those that it was inlined into. Asks addr2line,
// once for each address.
std::string line_of_code(std::uint32_t offset) {
  static std::mutex mutex;
  static std::map<std::uint32_t, std::string> clock;
  const std::lock_guard lock(mutex);
  std::string& answer = clock[offset];
  if (!answer.empty()) return answer;
  char program[512];
  const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  if (n > 0) {
    program[n] = 0;
    if (FILE* pipe = popen(text("addr2line -s -i -e '%s' 0x%x 2>/dev/null", program, offset - 1).c_str(), "r")) {
      char line[512];
      for (int k = 0; k < 4 && std::fgets(line, sizeof line, pipe); k++) {
        line[std::strcspn(line, "\n(")] = 0;
        std::string_view place(line);
        while (!place.empty() && place.back() == ' ') place.remove_suffix(1);
        answer += (k ? " < " : "") + std::string(place);
      }
      pclose(pipe);
    }
  }
  if (answer.empty() || answer[0] == '?') answer = text("code at +0x%x (no addr2line, or no line tables)", offset);
  return answer;
}

}  // namespace

// Addresses for addr2line are relative to it.
const std::uintptr_t load_bias = [] {
  std::uintptr_t bias = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        *static_cast<std::uintptr_t*>(out) = info->dlpi_addr;
        return 1;  // the first one is the program
      },
      &bias);
  return bias;
}();

std::string where(const char* file, int line) {
  const char* slash = file ? std::strrchr(file, '/') : nullptr;
  return text("%s:%d", slash ? slash + 1 : file ? file : "?", line);
}

std::string where(std::uint32_t site) {
  if (!(site & 0x80000000u)) return line_of_code(site);
  const machine::site& s = current_machine->sites[site & 0x7fffffffu];
  return where(s.file, s.line);
}

std::string who(const thread_state& t) {
  const block_state& b = *t.block;
  return text("block (%u,%u,%u) thread (%u,%u,%u) [warp %u lane %u]", b.index.x, b.index.y, b.index.z, t.index.x,
              t.index.y, t.index.z, t.rank / 32, t.lane);
}

std::string stack_overflow(const thread_state& t) {
  return "stack overflow by " + who(t) + ": its local arrays are too large (BALLOT_STACK sets the bytes)";
}

std::string what_at(const void* p) {
  for (const auto& b : current_machine->slots)
    if (p >= b->arena && p < b->arena + shared_limit + device_memory::alignment)
      return text("byte %td of the %zu bytes of shared memory", static_cast<const char*>(p) - b->shared,
                  current_machine->grid.shared_bytes);
  return device_memory::describe(p);
}

error error_of(const machine& m) {
  return {m.kind, std::string(name(m.kind)) + ": " + m.report + "\n    under " + m.rules.describe()};
}

void fail(error_kind kind, std::string what) {
  machine& m = *current_machine;
  m.failed = true;
  m.kind = kind;
  m.report = std::move(what);
  thread_state* me = std::exchange(self, nullptr);
  if (!me) throw error_of(m);  // the host itself chooses the first thread
  switch_context(me->at, m.host);
  std::abort();
}

std::string waiting_report() {
  struct group {
    std::uint32_t block;
    thread_status status;
    std::string place;
    auto operator<=>(const group&) const = default;
  };
  std::map<group, std::pair<std::uint32_t, std::string>> groups;
  for (const auto& b : current_machine->slots) {
    if (!b->busy) continue;
    for (std::uint32_t i = 0; i < b->threads; i++) {
      const thread_state& t = *b->thread[i];
      if (t.status == thread_status::exited) {
        groups[{b->rank, t.status, ""}].first++;
        continue;
      }
      const bool ready = t.warp->ready >> t.lane & 1;
      auto& [threads, first] = groups[{b->rank, ready ? thread_status::ready : t.status,
                                       t.file ? where(t.file, t.line) : std::string("its start")}];
      if (threads++ != 0) continue;
      first = text("first: thread %u", t.rank);
      if (t.status == thread_status::in_collective)
        first += text(", mask %08x, lanes of its warp gone %08x", t.warp->calls[t.lane].mask, t.warp->exited);
      if (t.status == thread_status::polling && t.polled)
        first += ", finds " + text("%llu in ", static_cast<unsigned long long>(t.polled_value.low)) + what_at(t.polled);
    }
  }
  constexpr const char* words[] = {"idle",
                                   "ready",
                                   "wait at a block barrier",
                                   "wait at a named barrier",
                                   "wait at the cluster's barrier",
                                   "wait in a warp collective",
                                   "poll",
                                   "gone"};
  std::string s;
  int lines = 0;
  for (const auto& [g, v] : groups) {
    if (++lines > 24) return s + "\n    ...";
    s += text("\n    block %u: %u threads %s", g.block, v.first, words[int(g.status)]);
    if (g.status != thread_status::exited) s += " at " + g.place + " (" + v.second + ")";
  }
  return s;
}

}  // namespace ballot::emulator
