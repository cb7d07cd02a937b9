// SPDX-License-Identifier: Apache-2.0
// The plan of a radix sort: the work of each launch. The device makes it, from a histogram; the
// host does not know it.
//
// The host launches one kernel for each digit, but not every launch has work. A digit needs no pass
// if all keys share it, or if the digits above determine it (determined_digits.cuh). Keys that are
// in order need no pass at all. A launch without work is trivial. Every launch gets an action:
//
//     launch     0      1        2      3         keys of 24 random bits; all keys share digit 1
//     action     pass   nothing  pass   pass
//     reads      input           output spare     the actions alone decide sources and destinations
//     writes     output          spare  output    (here: 3 steps)
//
// A step is a launch that does something. The first step reads the caller's input, the last one
// writes the output. Between them the steps alternate between output and spare buffer. Some sorts
// restrict the number of steps, and then trivial launches become plain copies:
//
// - in place: the number must be even
// - between two buffers of the caller's: even or odd, as the buffers demand
// - if items must be brought to the output: at least one
//
// Many keys need only two passes, whatever their width: passes by their leading bits. After them,
// all keys with the same leading bits (a bucket) are next to each other, and one block sorts each
// bucket (local_sort_kernel.cuh). The last launches make the passes by the leading bits:
//
//     launch       0      1        2          3          local sort
//     action       -      -        pass       pass       in place
//     bits                         16-23      24-31      0-15
//
// All keys may share their first bits, such as the sign of integers that are not negative. Then the
// leading bits begin after these.
//
// If this is one step too few, the local sort is a step of its own, from the spare buffer to the
// output.
//
// Long keys whose leading bits are not spread take passes by their leading digits. They take as
// many as leave buckets that a block can hold. Then a local sort by tiles follows
// (tile_sort_kernel.cuh). It is always a step of its own:
//
//     launch     0      1        2      3      4      5       6       7       tile sort
//     action     -      -        -      -      -      pass    pass    pass    spare to output
//     bits                                            40-47   48-55   56-63   0-39
//
// A sample says how many digits to take (leading_digits.cuh), and it may be wrong. Then the last
// launch makes the passes by all digits, its rounds: from the output through the spare buffer to
// the output. Of very many keys, only large buckets make them (large_buckets_kernel.cuh).
//
// This is plain C++, because the kernels and the tests use it.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot::detail {

inline constexpr int radix_bits = 8;
inline constexpr int radix_digits = 1 << radix_bits;
inline constexpr int max_radix_passes = 16;                      // keys of 16 bytes
inline constexpr int max_radix_launches = max_radix_passes + 1;  // and one that only copies

// The digits of the bit range [low, high): pass p takes `radix_bits` bits from low + p * radix_bits
// on; the last pass takes what remains.
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

// The host's rule for the number of steps. launches - passes of the launches are always
// trivial.
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

// The action of one launch. It is one word, so that a block reads it by one load. 0: nothing.
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
    tile_sort = 4096,       // sort the keys of each bucket, by tiles
    // In the local sort's launch: nearly all keys are equal; place these, and the others.
    majority_sort = 1u << 31,
  };
  // The bits above these depend on the action.
  //   pass by leading bits   how many first bits all keys share, and the frequent digit
  //   local sort             those bits
  //   sort by tiles          the number of leading digits
  std::uint32_t bits;

  BALLOT_HOST_DEVICE constexpr bool has(bit b) const { return (bits & b) != 0; }

  // A digit that many keys of the pass have; radix_digits if there is none.
  static constexpr int frequent_digit_shift = 16;
  BALLOT_HOST_DEVICE constexpr unsigned frequent_digit() const { return bits >> frequent_digit_shift; }
  // How many bits in front of the leading ones all keys share; for the local sort also which bits.
  static constexpr int common_bits_shift = 13, most_common_bits = 7, common_bits_value_shift = 16;
  BALLOT_HOST_DEVICE constexpr int common_bits() const {
    return static_cast<int>(bits >> common_bits_shift & most_common_bits);
  }
  BALLOT_HOST_DEVICE constexpr std::uint32_t common_bits_value() const { return bits >> common_bits_value_shift; }
  // For a sort by tiles: the leading digits by which the passes have partitioned, together with
  // those that all keys share.
  BALLOT_HOST_DEVICE constexpr int leading_digits() const { return static_cast<int>(bits >> frequent_digit_shift); }
};

// The actions of a sort by all digits.
//
// trivial: the set of trivial launches (bit l: launch l). Bits from rule.launches on do not count.
// The host launches enough trivial launches for the copies that the rule demands. The last of them
// copy.
//
// may_be_unstable: the first pass need not be stable. Then it is ranked without order if no digit
// is frequent, since few atomics collide in that case.
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

// The leading bits by which the last passes partition before a local sort. The last pass takes the
// upper 8 of them. The pass before takes the others, if there are any.
struct leading_bits {
  int count;         // up to 16; 0: no local sort
  int key_bits = 0;  // width of the keys: the leading bits are the uppermost of these; bits above are zero

  BALLOT_HOST_DEVICE constexpr int passes() const { return (count + radix_bits - 1) / radix_bits; }
  BALLOT_HOST_DEVICE constexpr int bits_of(int pass) const {
    return pass + 1 == passes() ? (count < radix_bits ? count : radix_bits) : count - radix_bits;
  }
};

// The actions where the last `leading_passes` of `passes` partition by leading bits, and a local
// sort follows. may_be_unstable as above.
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

// The actions where passes by the leading digits precede a local sort by tiles. trivial,
// may_be_unstable: see all_digits_plan. Trivial launches among the leading ones do nothing.
class leading_digits_plan {
 public:
  // If fewer digits are saved, passes by all digits are as quick: the local sort takes as long as
  // one or two passes, and longer if keys lie in clusters.
  static constexpr int least_saved = 3;
  // Of very many keys the launches without work do not count.
  static constexpr int least_saved_of_very_many = 2;
  // Of few keys: the local sort and the sample take about as long as four passes.
  static constexpr int least_saved_of_few = 5;

  // leading: how many digits of `passes` leave buckets that are small enough. It becomes larger if
  // the rule demands it. saved: so many digits have to be saved.
  BALLOT_HOST_DEVICE constexpr leading_digits_plan(std::uint32_t trivial, int passes, int leading,
                                                   const radix_step_rule& rule, bool may_be_unstable,
                                                   int saved = least_saved)
      : trivial_(trivial), passes_(passes), leading_(leading), may_be_unstable_(may_be_unstable) {
    while (leading_ < passes && rule.at_least(own_passes() + 1) != own_passes() + 1) ++leading_;
    const int all = __builtin_popcount(~trivial & ((1u << passes) - 1u));
    pays_ = leading > 0 && own_passes() > 0 && own_passes() + saved <= all &&
            rule.at_least(own_passes() + 1) == own_passes() + 1;
    rounds_ = all + all % 2;
  }

  BALLOT_HOST_DEVICE constexpr bool pays() const { return pays_; }

  // frequent_digit: that of the launch's pass, if it has one.
  BALLOT_HOST_DEVICE constexpr launch_action action(int launch, std::uint32_t frequent_digit) const {
    if (launch < passes_ - leading_ || launch >= passes_ || (trivial_ >> launch & 1u) != 0) return {0};
    const int pass = own_passes() - __builtin_popcount(~trivial_ & ((1u << passes_) - 1u) & ~0u << launch);
    return {launch_action::pass | (pass == 0 ? launch_action::first_step | launch_action::first_pass : 0u) |
            (pass % 2 != 0 ? launch_action::odd_pass : 0u) |
            ((own_passes() - pass) % 2 == 0 ? launch_action::to_output : 0u) |
            (may_be_unstable_ && pass == 0 && frequent_digit == radix_digits ? launch_action::unstable : 0u) |
            frequent_digit << launch_action::frequent_digit_shift};
  }
  BALLOT_HOST_DEVICE constexpr launch_action tile_sort() const {
    return {launch_action::tile_sort | static_cast<std::uint32_t>(leading_) << launch_action::frequent_digit_shift};
  }

  // The rounds, which follow if a bucket turns out to be too large. Round 1 + d is the pass by
  // digit d. Round 0 is a pass by digit 0, which makes the number of passes even. frequent_digit:
  // that of the round's digit.
  BALLOT_HOST_DEVICE constexpr launch_action round(int r, std::uint32_t frequent_digit) const {
    const int all = __builtin_popcount(~trivial_ & ((1u << passes_) - 1u)), first = all % 2 == 0 ? 1 : 0;
    if (r < first || r > passes_ || (r > 0 && (trivial_ >> (r - 1) & 1u) != 0)) return {0};
    const int pass = r == 0 ? 0 : rounds_ - __builtin_popcount(~trivial_ & ((1u << passes_) - 1u) & ~0u << (r - 1));
    return {launch_action::pass | (pass == 0 ? launch_action::first_step | launch_action::first_pass : 0u) |
            (pass == rounds_ - 1 ? launch_action::last_step | launch_action::last_pass : 0u) |
            ((own_passes() + pass) % 2 != 0 ? launch_action::odd_pass : 0u) |
            (pass % 2 != 0 ? launch_action::to_output : 0u) | frequent_digit << launch_action::frequent_digit_shift};
  }
  BALLOT_HOST_DEVICE static constexpr int digit_of_round(int r) { return r == 0 ? 0 : r - 1; }

 private:
  // The passes by leading digits that are not trivial.
  BALLOT_HOST_DEVICE constexpr int own_passes() const {
    return __builtin_popcount(~trivial_ & ((1u << passes_) - 1u) & ~0u << (passes_ - leading_));
  }

  std::uint32_t trivial_;
  int passes_, leading_, rounds_ = 0;
  bool may_be_unstable_, pays_ = false;
};

inline constexpr int max_radix_rounds = 8 + 1;  // of keys of 8 bytes

}  // namespace ballot::detail
