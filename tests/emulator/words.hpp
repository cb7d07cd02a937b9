// SPDX-License-Identifier: Apache-2.0
// Random words, and what became of a run in emulation.
#pragma once

#include <ballot/core/namespace.hpp>

#include <simt/items.hpp>

#include <ballot/emulator.hpp>

#include <optional>
#include <random>
#include <string>
#include <vector>

namespace ballot::test {

inline std::vector<unsigned> random_words(std::size_t n, unsigned seed, unsigned below) {
  std::mt19937 r(seed);
  std::vector<unsigned> v(n);
  for (unsigned& x : v) x = unsigned(r()) % below;
  return v;
}

/// The error that `f` ends in under the policy, if any.
template <class F>
std::optional<emulator::error> error_of(const emulator::policy& p, F&& f) {
  const emulator::scoped_policy scope(p);
  try {
    f();
    simt::synchronize(nullptr);
  } catch (const emulator::error& e) {
    return e;
  }
  return {};
}
template <class F>
std::optional<emulator::error_kind> kind_of(const emulator::policy& p, F&& f) {
  const auto e = error_of(p, f);
  return e ? std::optional(e->kind()) : std::nullopt;
}

}  // namespace ballot::test

namespace doctest {
template <>
struct StringMaker<std::optional<ballot::emulator::error_kind>> {
  static String convert(const std::optional<ballot::emulator::error_kind>& k) {
    return k ? ballot::emulator::name(*k) : "no error";
  }
};
}  // namespace doctest
