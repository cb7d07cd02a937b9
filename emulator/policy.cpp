// SPDX-License-Identifier: Apache-2.0
// Policies in words and back: what an error prints, parse_policy reads.
#include <ballot/emulator.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

namespace ballot::emulator {

namespace {

constexpr const char* pick_names[] = {"depth_first", "fifo", "random", "straggler", "priority"};
constexpr const char* order_names[] = {"linear", "reverse", "shuffled"};

struct number_field {
  const char* key;
  std::uint64_t (*get)(const policy&);
  void (*set)(policy&, std::uint64_t);
};
constexpr number_field numbers[] = {
    {"seed", [](const policy& p) -> std::uint64_t { return p.seed; }, [](policy& p, std::uint64_t v) { p.seed = v; }},
    {"resident", [](const policy& p) -> std::uint64_t { return p.max_resident; },
     [](policy& p, std::uint64_t v) { p.max_resident = unsigned(v); }},
    {"threads", [](const policy& p) -> std::uint64_t { return p.max_threads; },
     [](policy& p, std::uint64_t v) { p.max_threads = unsigned(v); }},
    {"atomic", [](const policy& p) -> std::uint64_t { return p.preempt_atomic; },
     [](policy& p, std::uint64_t v) { p.preempt_atomic = unsigned(v); }},
    {"plain", [](const policy& p) -> std::uint64_t { return p.preempt_plain; },
     [](policy& p, std::uint64_t v) { p.preempt_plain = unsigned(v); }},
    {"steps", [](const policy& p) -> std::uint64_t { return p.max_steps; },
     [](policy& p, std::uint64_t v) { p.max_steps = v; }},
    {"shared", [](const policy& p) -> std::uint64_t { return p.shared_bytes; },
     [](policy& p, std::uint64_t v) { p.shared_bytes = std::size_t(v); }},
    {"architecture", [](const policy& p) -> std::uint64_t { return p.architecture; },
     [](policy& p, std::uint64_t v) { p.architecture = unsigned(v); }},
    {"multiprocessors", [](const policy& p) -> std::uint64_t { return p.multiprocessors; },
     [](policy& p, std::uint64_t v) { p.multiprocessors = unsigned(v); }},
};

// Printed only where they are not the default.
constexpr std::string_view rare_keys[] = {"steps", "shared", "architecture", "multiprocessors"};

struct flag_field {
  const char* word;
  bool policy::*field;
  bool value;  // that the word stands for; the other is the default and goes without saying
};
constexpr flag_field flags[] = {
    {"clocks", &policy::clocks, true},
    {"weak", &policy::weak_memory, true},
    {"lax_barrier", &policy::strict_barrier, false},
    {"lax_shuffle", &policy::strict_shuffle, false},
    {"votes_order", &policy::votes_order_memory, true},
    {"no_init", &policy::check_initialized, false},
};

template <class E, std::size_t N>
bool find_name(std::string_view word, const char* const (&names)[N], E& e) {
  for (std::size_t i = 0; i < N; i++)
    if (word == names[i]) {
      e = E(i);
      return true;
    }
  return false;
}

bool parse_item(std::string_view item, policy& p) {
  const auto equals = item.find('=');
  if (equals == item.npos) {
    for (const flag_field& f : flags)
      if (item == f.word) {
        p.*f.field = f.value;
        return true;
      }
    return find_name(item, pick_names, p.scheduler);
  }
  const std::string_view key = item.substr(0, equals), value = item.substr(equals + 1);
  if (key == "order") return find_name(value, order_names, p.order);
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (problem != std::errc() || end != value.data() + value.size()) return false;
  for (const number_field& f : numbers)
    if (key == f.key) {
      f.set(p, number);
      return true;
    }
  return false;
}

thread_local policy current;

}  // namespace

std::string policy::describe() const {
  static const policy defaults;
  std::string s = std::string("policy{") + pick_names[int(scheduler)] + " order=" + order_names[int(order)];
  for (const number_field& f : numbers) {
    const bool rare = std::ranges::find(rare_keys, f.key) != std::end(rare_keys);
    if (!rare || f.get(*this) != f.get(defaults)) s += std::string(" ") + f.key + "=" + std::to_string(f.get(*this));
  }
  for (const flag_field& f : flags)
    if (this->*f.field == f.value) s += std::string(" ") + f.word;
  return s + "}";
}

std::optional<policy> parse_policy(std::string_view text) {
  constexpr std::string_view head = "policy{";
  const auto from = text.find(head);
  if (from == text.npos) return {};
  text.remove_prefix(from + head.size());
  const auto to = text.find('}');
  if (to == text.npos) return {};
  text = text.substr(0, to);
  policy p;
  while (!text.empty()) {
    const auto n = text.find(' ');
    const std::string_view item = text.substr(0, n);
    if (!item.empty() && !parse_item(item, p)) return {};
    text.remove_prefix(n == text.npos ? text.size() : n + 1);
  }
  return p;
}

policy& current_policy() { return current; }

const char* name(error_kind kind) {
  constexpr const char* names[] = {"deadlock",          "barrier divergence", "collective misuse",
                                   "data race",         "uninitialized read", "out of bounds",
                                   "misaligned access", "bad launch",         "bad shared memory use",
                                   "watchdog",          "kernel exception"};
  static_assert(std::size(names) == std::size_t(error_kind::kernel_exception) + 1);
  return names[int(kind)];
}

}  // namespace ballot::emulator
