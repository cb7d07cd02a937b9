// SPDX-License-Identifier: Apache-2.0
// What each launch of a radix sort does. The device decides it, by a histogram; the host does not know.
//
// The host launches one kernel for each digit, but not every launch has work. A digit that all keys share needs no pass,
// and keys that are in order need none at all. Such a launch is trivial. Every launch gets an action:
//
//     launch       0      1        2      3            keys of 24 random bits; digit 1 is the same in all keys
//     action       pass   nothing  pass   pass
//     reads        input           output spare        the actions alone decide sources and destinations
//     writes       output          spare  output       (here: 3 steps)
//
// A step is a launch that does something. The first step reads the caller's input, the last one writes the output;
// between them the steps alternate between output and spare buffer. Some sorts need an even number of steps (in place),
// an even or an odd one (two buffers of the caller's), or at least one (to bring the items to the output). There
// trivial launches become plain copies.
//
// Many keys need only two passes, whatever their width: by their leading bits. After them, all keys with the same
// leading bits (a bucket) lie side by side, and one block sorts each bucket (local_sort_kernel.cuh). The last launches
// make the passes by the leading bits:
//
//     launch       0      1        2          3          local sort
//     action       -      -        pass       pass       in place
//     bits                         16-23      24-31      0-15
//
// Where this would be one step too few, the local sort is a step of its own, from the spare buffer to the output. Plain
// C++: the kernels and the tests use it.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot::detail {

inline constexpr int radix_bits = 8;
inline constexpr int radix_digits = 1 << radix_bits;
inline constexpr int max_radix_passes = 16;                      // keys of 16 bytes
inline constexpr int max_radix_launches = max_radix_passes + 1;  // and one that only copies

// The digits of the bit range [low, high): pass p takes `radix_bits` bits from low + p * radix_bits on; the last pass
// takes what remains.
struct radix_digit_plan {
  int low;
  int high;

  BALLOT_HOST_DEVICE constexpr int passes() const { return (high - low + radix_bits - 1) / radix_bits; }
  BALLOT_HOST_DEVICE constexpr int shift(int pass) const { return low + pass * radix_bits; }
  BALLOT_HOST_DEVICE constexpr unsigned mask(int pass) const {
    const int bits = high - shift(pass);
    return bits >= radix_bits ? radix_digits - 1u : (1u << bits) - 1u;
  }
};

// The host's demands on the number of steps. launches - passes of the launches are always trivial.
struct radix_step_rule {
  int launches;
  int min_steps;
  int parity;  // steps modulo 2, or any_parity
  static constexpr int any_parity = -1;

  // The number of steps that satisfies the rule, and is at least `steps`.
  BALLOT_HOST_DEVICE constexpr int at_least(int steps) const {
    const int enough = steps < min_steps ? min_steps : steps;
    return enough + (parity != any_parity && enough % 2 != parity ? 1 : 0);
  }
};

// What one launch does. It is one word, so that a block reads it by one load. 0: nothing.
struct launch_action {
  enum bit : std::uint32_t {
    pass = 1,  // partition by the digit
    copy = 2,
    first_step = 4,  // read the caller's input
    last_step = 8,
    to_output = 16,         // else to the spare buffer
    first_pass = 32,        // encode the keys
    last_pass = 64,         // decode them
    odd_pass = 128,         // an odd number of passes come before: says which of two arrays of tile states to use
    unstable = 256,         // keys of the same digit may change places
    by_leading_bits = 512,  // partition by leading bits instead of the launch's own digit
    local_sort = 1024,      // sort the keys of each bucket, in the output
    from_spare = 2048,      // ... and read them from the spare buffer
  };
  std::uint32_t bits;  // and above them the frequent digit

  BALLOT_HOST_DEVICE constexpr bool has(bit b) const { return (bits & b) != 0; }

  // A digit that many keys of the pass have, or radix_digits: none.
  static constexpr int frequent_digit_shift = 16;
  BALLOT_HOST_DEVICE constexpr unsigned frequent_digit() const { return bits >> frequent_digit_shift; }
};

// The actions of a sort by all digits.
//
// trivial: the set of trivial launches (bit l: launch l); bits from rule.launches on do not count. The host launches
// enough trivial launches for the copies that the rule demands; the last of them copy. may_be_unstable: the first pass
// need not be stable. It is ranked without order if no digit is frequent, since then few atomics collide.
class all_digits_plan {
 public:
  BALLOT_HOST_DEVICE constexpr all_digits_plan(std::uint32_t trivial, const radix_step_rule& rule, bool may_be_unstable)
      : trivial_(trivial & ((1u << rule.launches) - 1u)),
        passes_(rule.launches - __builtin_popcount(trivial_)),
        steps_(rule.at_least(passes_)),
        may_be_unstable_(may_be_unstable) {}

  // frequent_digit: that of the launch's pass, if it has one.
  BALLOT_HOST_DEVICE constexpr launch_action action(int launch, std::uint32_t frequent_digit) const {
    const int copies = steps_ - passes_, trivial_left = __builtin_popcount(trivial_ >> launch);
    const bool is_pass = (trivial_ >> launch & 1u) == 0;
    if (!is_pass && trivial_left > copies) return {0};
    const int pass = launch - __builtin_popcount(trivial_ & ((1u << launch) - 1u));
    const int step = pass + (trivial_left < copies ? copies - trivial_left : 0);
    const std::uint32_t of_pass =
        launch_action::pass | (pass == 0 ? launch_action::first_pass : 0u) |
        (pass == passes_ - 1 ? launch_action::last_pass : 0u) | (pass % 2 != 0 ? launch_action::odd_pass : 0u) |
        (may_be_unstable_ && pass == 0 && frequent_digit == radix_digits ? launch_action::unstable : 0u) |
        frequent_digit << launch_action::frequent_digit_shift;
    return {(is_pass ? of_pass : launch_action::copy) | (step == 0 ? launch_action::first_step : 0u) |
            (step == steps_ - 1 ? launch_action::last_step : 0u) |
            ((steps_ - 1 - step) % 2 == 0 ? launch_action::to_output : 0u)};
  }

 private:
  std::uint32_t trivial_;
  int passes_, steps_;
  bool may_be_unstable_;
};

// The leading bits by which the last passes partition before a local sort. The last pass takes the upper 8 of them; the
// pass before takes the others, if there are any.
struct leading_bits {
  int count;         // up to 16; 0: no local sort
  int key_bits = 0;  // width of the keys: the leading bits are the uppermost of these; bits above are zero

  BALLOT_HOST_DEVICE constexpr int passes() const { return (count + radix_bits - 1) / radix_bits; }
  BALLOT_HOST_DEVICE constexpr int bits_of(int pass) const {
    return pass + 1 == passes() ? (count < radix_bits ? count : radix_bits) : count - radix_bits;
  }
};

// The actions where the last `leading_passes` of `passes` partition by leading bits, and a local sort follows.
// may_be_unstable as above.
class leading_bits_plan {
 public:
  BALLOT_HOST_DEVICE constexpr leading_bits_plan(int passes, int leading_passes, const radix_step_rule& rule,
                                                 bool may_be_unstable)
      : passes_(passes),
        leading_passes_(leading_passes),
        local_sort_is_step_(rule.at_least(leading_passes) > leading_passes),
        may_be_unstable_(may_be_unstable) {}

  // frequent_digit: that of the launch's pass, if it has one.
  BALLOT_HOST_DEVICE constexpr launch_action action(int launch, std::uint32_t frequent_digit) const {
    const int pass = launch - (passes_ - leading_passes_);
    if (pass < 0 || launch >= passes_) return {0};
    const bool to_output = ((leading_passes_ - 1 - pass) % 2 == 0) != local_sort_is_step_;
    return {launch_action::pass | launch_action::by_leading_bits |
            (pass == 0 ? launch_action::first_step | launch_action::first_pass : 0u) |
            (pass % 2 != 0 ? launch_action::odd_pass : 0u) | (to_output ? launch_action::to_output : 0u) |
            (may_be_unstable_ && pass == 0 && frequent_digit == radix_digits ? launch_action::unstable : 0u) |
            frequent_digit << launch_action::frequent_digit_shift};
  }
  BALLOT_HOST_DEVICE constexpr launch_action local_sort() const {
    return {launch_action::local_sort | (local_sort_is_step_ ? launch_action::from_spare : 0u)};
  }

 private:
  int passes_, leading_passes_;
  bool local_sort_is_step_, may_be_unstable_;
};

}  // namespace ballot::detail
