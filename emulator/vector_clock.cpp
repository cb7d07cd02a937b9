// SPDX-License-Identifier: Apache-2.0
#include "vector_clock.hpp"

#include <algorithm>

namespace ballot::emulator {

namespace {

// Both lists are sorted by key.
template <class List>
auto find(const List& list, std::uint32_t key) -> decltype(list[0].second) {
  const auto it =
      std::lower_bound(list.begin(), list.end(), key, [](const auto& a, std::uint32_t k) { return a.first < k; });
  return it != list.end() && it->first == key ? it->second : 0;
}

template <class List>
List merge(const List& a, const List& b) {
  List r;
  r.reserve(a.size() + b.size());
  auto i = a.begin(), j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (i->first < j->first) r.push_back(*i++);
    else if (j->first < i->first) r.push_back(*j++);
    else {
      r.emplace_back(i->first, std::max(i->second, j->second));
      ++i, ++j;
    }
  }
  r.insert(r.end(), i, a.end());
  r.insert(r.end(), j, b.end());
  return r;
}

}  // namespace

bool vector_clock::covers(std::uint32_t block, std::uint32_t thread, timestamp t) const {
  return body_ && (find(body_->blocks, block) > epoch_of(t) || find(body_->threads, thread) >= t);
}

vector_clock join(const vector_clock& a, const vector_clock& b, std::uint32_t block_threads, std::uint64_t& joins) {
  if (!b || a.same_as(b)) return a;
  if (!a) return b;
  joins++;
  auto* body = new vector_clock_entries;
  vector_clock r(body);
  body->blocks = merge(a->blocks, b->blocks);
  body->threads = merge(a->threads, b->threads);
  if (body->blocks == a->blocks && body->threads == a->threads) return a;
  if (body->blocks == b->blocks && body->threads == b->threads) return b;
  // threads that the epochs of their blocks cover need no entry
  std::erase_if(body->threads,
                [&](const auto& t) { return epoch_of(t.second) < find(body->blocks, t.first / block_threads); });
  return r;
}

}  // namespace ballot::emulator
