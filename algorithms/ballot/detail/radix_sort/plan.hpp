// What each launch of a radix sort does, decided on the device by a histogram, without the host knowing.
//
// A sort launches a kernel a digit, but not every launch has something to do: a digit that all keys share orders
// nothing, and keys that are in order already need no pass at all. Such a launch is trivial. Every launch gets a role:
//
//     launch       0      1        2      3            keys of 24 random bits, the second digit constant
//     role         pass   nothing  pass   pass
//     reads        input           spare  output       sources and destinations follow from the roles alone
//     writes       output          output ...          (here: 3 steps, so output, spare, output)
//
// A step is a launch that does something. The first step reads the caller's input, the last one writes the output, and
// between them the steps alternate between output and spare buffer. Where the number of steps has to be even or odd (in
// place: even; in two buffers of the caller: whatever the host was told) or at least one (something has to bring the
// items to the output), trivial launches become plain copies ("moves").
//
// Many keys may need no more than two passes, whatever their width: by their leading bits, a prefix, after which a block
// a prefix orders what agrees in it (local_sort_kernel.cuh). Then the last launches make the passes by the prefix:
//
//     launch       0      1        2          3          finish
//     role         -      -        pass       pass       in place
//     digit                        bits 16-23 bits 24-31 bits 0-15
//
// Where the steps would be one too few, the finish is a step of its own, from the spare buffer to the output. Plain C++:
// the kernels and the tests use it.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot::detail {

inline constexpr int radix_bits = 8;
inline constexpr int radix_digits = 1 << radix_bits;
inline constexpr int max_radix_passes = 16;                      // keys of 16 bytes
inline constexpr int max_radix_launches = max_radix_passes + 1;  // and one that only moves

// The digits that the passes of one sort look at: pass p takes `radix_bits` bits from low + p * radix_bits, less in the
// last.
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

// What the host demands of the number of steps. launches - passes of the launches are trivial always.
struct radix_step_rule {
  int launches;
  int least;   // steps
  int parity;  // steps modulo 2; any_parity: as it comes
  static constexpr int any_parity = -1;

  // Steps where there have to be so many for other reasons.
  BALLOT_HOST_DEVICE constexpr int at_least(int steps) const {
    const int enough = steps < least ? least : steps;
    return enough + (parity != any_parity && enough % 2 != parity ? 1 : 0);
  }
};

// What one launch does: a word, so that a block reads it in one load.
struct launch_action {
  enum bit : std::uint32_t {
    pass = 1,  // partition by the digit
    copy = 2,
    first_step = 4,  // from the caller's input
    last_step = 8,
    to_output = 16,         // else to the spare buffer
    first_pass = 32,        // encodes the keys
    last_pass = 64,         // decodes them
    odd_pass = 128,         // the passes before it are odd in number: which of two arrays of tile states it uses
    unstable = 256,         // keys of the same digit may change places
    by_leading_bits = 512,  // the pass looks at bits of the prefix instead of its digit
    local_sort = 1024,      // order the keys of each prefix, in the output
    from_spare = 2048,      // ... where the spare buffer has them
  };
  std::uint32_t bits;  // and above them the common digit

  BALLOT_HOST_DEVICE constexpr bool has(bit b) const { return (bits & b) != 0; }

  // A digit that many keys of the pass have, or radix_digits.
  static constexpr int frequent_digit_shift = 16;
  BALLOT_HOST_DEVICE constexpr unsigned frequent_digit() const { return bits >> frequent_digit_shift; }
};

// The steps of a sort by all digits, from the set of trivial launches (bit l: launch l); those behind rule.launches do not
// count. Enough launches are trivial for the moves that the rule takes: the host sees to that. The last of them move.
// may_be_unstable: the first pass may take its keys in any order; it does where no digit is common, since there its atomics do
// not queue up.
class all_digits_plan {
 public:
  BALLOT_HOST_DEVICE constexpr all_digits_plan(std::uint32_t trivial, const radix_step_rule& rule, bool may_be_unstable)
      : trivial_(trivial & ((1u << rule.launches) - 1u)),
        passes_(rule.launches - __builtin_popcount(trivial_)),
        steps_(rule.at_least(passes_)),
        may_be_unstable_(may_be_unstable) {}

  // What a launch does; frequent_digit: that of its pass, if it is one.
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

// The leading bits of keys by which their last passes partition them before a finish: so many in all, the last 8 of them
// by the last pass, the others, if there are any, by the pass before.
struct leading_bits {
  int bits;     // 0: no finish; up to 16
  int top = 0;  // the bits that keys have: the prefix is the uppermost of them, and any above are zero

  BALLOT_HOST_DEVICE constexpr int passes() const { return (bits + radix_bits - 1) / radix_bits; }
  BALLOT_HOST_DEVICE constexpr int bits_of(int pass) const {
    return pass + 1 == passes() ? (bits < radix_bits ? bits : radix_bits) : bits - radix_bits;
  }
};

// The steps where the last `leading_passes` of `passes` partition by a prefix and a finish follows. may_be_unstable as above.
class leading_bits_plan {
 public:
  BALLOT_HOST_DEVICE constexpr leading_bits_plan(int passes, int leading_passes, const radix_step_rule& rule,
                                                 bool may_be_unstable)
      : passes_(passes),
        leading_passes_(leading_passes),
        local_sort_is_step_(rule.at_least(leading_passes) > leading_passes),
        may_be_unstable_(may_be_unstable) {}

  // What a launch does; frequent_digit: that of its pass, if it is one.
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
