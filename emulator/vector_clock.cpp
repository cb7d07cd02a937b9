// SPDX-License-Identifier: Apache-2.0
#include "vector_clock.hpp"

#include <algorithm>
#include <memory>

namespace ballot::emulator {

namespace {

// Both lists are sorted by key.
template <class List>
auto find(const List& list, std::uint32_t key) -> decltype(list[0].second) {
  const auto it =
      std::lower_bound(list.begin(), list.end(), key, [](const auto& a, std::uint32_t k) { return a.first < k; });
  return it != list.end() && it->first == key ? it->second : 0;
}

// Whether `a` has all that `b` has.
template <class List>
bool contains(const List& a, const List& b) {
  if (a.size() < b.size()) return false;
  auto i = a.begin();
  for (const auto& entry : b) {
    while (i != a.end() && i->first < entry.first) ++i;
    if (i == a.end() || i->first != entry.first || i->second < entry.second) return false;
  }
  return true;
}
bool contains(const vector_clock_entries& a, const vector_clock_entries& b) {
  return contains(a.blocks, b.blocks) && contains(a.threads, b.threads);
}

// Takes what is in either list, in order.
template <class List, class Take>
void merge(const List& a, const List& b, Take take) {
  auto i = a.begin(), j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (i->first < j->first) take(*i++);
    else if (j->first < i->first) take(*j++);
    else {
      take({i->first, std::max(i->second, j->second)});
      ++i, ++j;
    }
  }
  for (; i != a.end(); ++i) take(*i);
  for (; j != b.end(); ++j) take(*j);
}

constexpr std::size_t largest_spare = 4096;  // entries; and so many spares
constexpr std::size_t most_spares = 4096;
thread_local constinit bool spares_are_gone = false;  // the thread ends, and clocks may go after its spares
struct spare_entries {
  std::vector<std::unique_ptr<vector_clock_entries>> list;
  ~spare_entries() { spares_are_gone = true; }
};
thread_local spare_entries spares;

}  // namespace

vector_clock_entries* new_entries() {
  if (spares_are_gone || spares.list.empty()) return new vector_clock_entries;
  vector_clock_entries* entries = spares.list.back().release();
  spares.list.pop_back();
  return entries;
}

void recycle(vector_clock_entries* entries) {
  if (spares_are_gone || entries->blocks.capacity() + entries->threads.capacity() > largest_spare ||
      spares.list.size() >= most_spares) {
    delete entries;
    return;
  }
  entries->blocks.clear();
  entries->threads.clear();
  spares.list.emplace_back(entries);
}

void fence_log::list::clear() {
  last_.clear();
  entries_.resize(1);
}

void fence_log::list::add(std::uint32_t key, timestamp time, std::uint32_t fence) {
  if (key >= last_.size()) last_.resize(std::size_t(key) + 1);
  entries_.push_back({time, fence, last_[key]});
  last_[key] = std::uint32_t(entries_.size() - 1);
}

timestamp fence_log::list::newest_of(std::uint32_t fences, std::uint32_t key) const {
  if (key >= last_.size()) return 0;
  const entry* e = &entries_[last_[key]];
  while (e->fence >= fences && e->time != 0) e = &entries_[e->before];
  return e->time;
}

void fence_log::clear() {
  fences_ = 0;
  blocks_.clear();
  threads_.clear();
}

void fence_log::append(const vector_clock& released, std::uint32_t block_threads) {
  for (const auto& [block, epoch] : released->blocks)
    if (epoch > blocks_.newest(block)) blocks_.add(block, epoch, fences_);
  for (const auto& [thread, time] : released->threads)
    if (time > threads_.newest(thread) && epoch_of(time) >= blocks_.newest(thread / block_threads))
      threads_.add(thread, time, fences_);
  fences_++;
}

bool fence_log::covers(std::uint32_t fences, std::uint32_t block, std::uint32_t thread, timestamp t) const {
  return (blocks_.newest(block) > epoch_of(t) && blocks_.newest_of(fences, block) > epoch_of(t)) ||
         (threads_.newest(thread) >= t && threads_.newest_of(fences, thread) >= t);
}

bool vector_clock::covers(std::uint32_t block, std::uint32_t thread, timestamp t) const {
  return body_ && (find(body_->blocks, block) > epoch_of(t) || find(body_->threads, thread) >= t);
}

vector_clock join(const vector_clock& a, const vector_clock& b, std::uint32_t block_threads, std::uint64_t& joins) {
  if (!b || a.same_as(b)) return a;
  if (!a) return b;
  joins++;
  if (contains(*a.operator->(), *b.operator->())) return a;
  if (contains(*b.operator->(), *a.operator->())) return b;
  auto* body = new_entries();
  vector_clock r(body);
  auto& blocks = body->blocks;
  auto& threads = body->threads;
  blocks.reserve(a->blocks.size() + b->blocks.size());
  merge(a->blocks, b->blocks, [&](const std::pair<std::uint32_t, std::uint32_t>& x) { blocks.push_back(x); });
  threads.reserve(a->threads.size() + b->threads.size());
  auto block = blocks.begin();
  merge(a->threads, b->threads, [&](const std::pair<std::uint32_t, timestamp>& x) {
    const std::uint32_t of = x.first / block_threads;
    while (block != blocks.end() && block->first < of) ++block;
    // threads that the epochs of their blocks cover need no entry
    if (block == blocks.end() || block->first != of || epoch_of(x.second) >= block->second) threads.push_back(x);
  });
  return r;
}

}  // namespace ballot::emulator
