// SPDX-License-Identifier: Apache-2.0
// The plan of a sort by leading digits: its launches, and its rounds, go through the buffers as
// they should.
#include <ballot/sort.cuh>

#include "support/doctest.hpp"

#include <bit>

using namespace ballot;

namespace algorithms_radix_leading_digits_plan {

using detail::launch_action;

// Follows the passes of a plan, and its rounds, through the buffers.
TEST_CASE("the plan of a sort by leading digits, for every set of trivial launches") {
  using rule = detail::radix_step_rule;
  enum class place { input, output, spare };
  int paid = 0;
  for (const int passes : {4, 5, 8})
    for (std::uint32_t trivial = 0; trivial < 1u << passes; ++trivial)
      for (int leading = 0; leading <= passes - 2; ++leading)
        for (const rule& r : {rule{passes, 1, rule::any_parity}, rule{passes + passes % 2, 2, 0},
                              rule{passes + (passes + 1) % 2, 1, 1}}) {
          const detail::leading_digits_plan plan(trivial, passes, leading, r, true);
          if (!plan.pays()) continue;
          ++paid;
          const int digits = plan.tile_sort().leading_digits();
          bool ok = digits >= leading && plan.tile_sort().has(launch_action::tile_sort);
          place at = place::input;
          int steps = 0;
          const auto follow = [&](launch_action a, bool is_first) {
            const place from = is_first ? at : a.has(launch_action::to_output) ? place::spare : place::output;
            const place to = a.has(launch_action::to_output) ? place::output : place::spare;
            ok &= from == at && to != at && a.has(launch_action::first_step) == is_first &&
                  a.has(launch_action::first_pass) == is_first && a.has(launch_action::odd_pass) == (steps % 2 != 0);
            at = to;
            ++steps;
          };
          for (int l = 0; l < r.launches; ++l) {
            const launch_action a = plan.action(l, detail::radix_digits);
            ok &= a.has(launch_action::pass) == (l >= passes - digits && l < passes && (trivial >> l & 1u) == 0);
            if (a.bits == 0) continue;
            ok &= a.has(launch_action::unstable) == (steps == 0) && !a.has(launch_action::last_pass);
            follow(a, steps == 0);
          }
          ok &=
              at == place::spare && steps + 3 <= passes - std::popcount(trivial) && r.at_least(steps + 1) == steps + 1;
          // Again, from the output.
          at = place::output;
          int digit = -1, rounds = 0;
          for (int i = 0; i <= passes; ++i) {
            const launch_action a = plan.round(i, 7);
            const int of_round = detail::leading_digits_plan::digit_of_round(i);
            if (i > 0) ok &= a.has(launch_action::pass) == ((trivial >> of_round & 1u) == 0);
            if (a.bits == 0) continue;
            ok &= of_round >= digit && a.frequent_digit() == 7 && !a.has(launch_action::unstable);
            digit = of_round;
            follow(a, rounds == 0);
            ++rounds;
            bool is_last = true;
            for (int j = i + 1; j <= passes; ++j) is_last &= plan.round(j, 7).bits == 0;
            ok &= a.has(launch_action::last_pass) == is_last && a.has(launch_action::last_step) == is_last;
          }
          ok &= at == place::output && rounds % 2 == 0;
          CAPTURE(passes);
          CAPTURE(trivial);
          CAPTURE(leading);
          if (!ok) CHECK(ok);
        }
  CHECK(paid > 100);
}

// In place, a local sort that follows an even number of passes would end in the spare buffer.
TEST_CASE("where the number of passes has the wrong parity, one more digit is leading") {
  using rule = detail::radix_step_rule;
  for (const int leading : {2, 3}) {
    const detail::leading_digits_plan in_place(0, 8, leading, rule{8, 0, 0}, true);
    CHECK(in_place.pays());
    CHECK(in_place.tile_sort().leading_digits() == 3);
  }
  // A digit that all keys share is no pass: of the leading ones, and as the one that is added.
  const detail::leading_digits_plan shared_digit(1u << 7, 8, 3, rule{8, 0, 0}, true);
  CHECK(shared_digit.pays());
  CHECK(shared_digit.tile_sort().leading_digits() == 4);
  const detail::leading_digits_plan further_digit(1u << 5, 8, 2, rule{8, 0, 0}, true);
  CHECK(further_digit.pays());
  CHECK(further_digit.tile_sort().leading_digits() == 4);
}

}  // namespace algorithms_radix_leading_digits_plan
