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
// a prefix orders what agrees in it (radix_finish_kernel.cuh). Then the last launches make the passes by the prefix:
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
inline constexpr int radix_passes_at_most = 16;                          // keys of 16 bytes
inline constexpr int radix_launches_at_most = radix_passes_at_most + 1;  // and one that only moves

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
};

// What one launch does: a word, so that a block reads it in one load.
struct radix_role {
  enum bit : std::uint32_t {
    pass = 1,        // partition by the digit
    move = 2,        // copy
    first_step = 4,  // from the caller's input
    last_step = 8,
    to_output = 16,     // else to the spare buffer
    first_pass = 32,    // encodes the keys
    last_pass = 64,     // decodes them
    odd_pass = 128,     // the passes before it are odd in number: which of two arrays of tile states it uses
    any_order = 256,    // keys of the same digit may change places
    by_prefix = 512,    // the pass looks at bits of the prefix instead of its digit
    finish = 1024,      // order the keys of each prefix, in the output
    from_spare = 2048,  // ... where the spare buffer has them
  };
  std::uint32_t bits;  // and above them the common digit

  BALLOT_HOST_DEVICE constexpr bool has(bit b) const { return (bits & b) != 0; }

  // A digit that many keys of the pass have, or radix_digits.
  static constexpr int common_digit_shift = 16;
  BALLOT_HOST_DEVICE constexpr unsigned common_digit() const { return bits >> common_digit_shift; }
};

// roles[launch], from the set of trivial launches (bit l: launch l) and the common digit of each pass. Enough launches are
// trivial for the moves that the rule takes: the host sees to that. any_order: the first pass may take its keys in any
// order; it does where no digit is common, since there its atomics do not queue up.
BALLOT_HOST_DEVICE constexpr void plan_radix_steps(std::uint32_t trivial, const radix_step_rule& rule,
                                                   const std::uint32_t* common_digits, bool any_order,
                                                   radix_role* roles) {
  int passes = 0;
  BALLOT_ROLLED
  for (int l = 0; l < rule.launches; ++l) passes += (trivial >> l & 1u) == 0;
  int steps = passes;
  while (steps < rule.least || (rule.parity != radix_step_rule::any_parity && steps % 2 != rule.parity)) ++steps;
  int trivial_left = rule.launches - passes;  // the last ones of them move
  int step = 0, pass = 0;
  BALLOT_ROLLED
  for (int l = 0; l < rule.launches; ++l) {
    std::uint32_t bits = 0;
    if ((trivial >> l & 1u) != 0) {
      if (trivial_left-- <= steps - passes) bits = radix_role::move;
    } else {
      bits = radix_role::pass | (pass == 0 ? radix_role::first_pass : 0u) |
             (pass == passes - 1 ? radix_role::last_pass : 0u) | (pass % 2 != 0 ? radix_role::odd_pass : 0u) |
             (any_order && pass == 0 && common_digits[l] == radix_digits ? radix_role::any_order : 0u) |
             common_digits[l] << radix_role::common_digit_shift;
      ++pass;
    }
    if (bits != 0) {
      bits |= (step == 0 ? radix_role::first_step : 0u) | (step == steps - 1 ? radix_role::last_step : 0u) |
              ((steps - 1 - step) % 2 == 0 ? radix_role::to_output : 0u);
      ++step;
    }
    roles[l].bits = bits;
  }
}

// The leading bits of keys by which their last passes partition them before a finish: so many in all, the last 8 of them
// by the last pass, the others, if there are any, by the pass before.
struct radix_prefix {
  int bits;  // 0: no finish; up to 16

  BALLOT_HOST_DEVICE constexpr int passes() const { return (bits + radix_bits - 1) / radix_bits; }
  BALLOT_HOST_DEVICE constexpr int bits_of(int pass) const {
    return pass + 1 == passes() ? (bits < radix_bits ? bits : radix_bits) : bits - radix_bits;
  }
};

// roles[launch] and the finish's, where the last `prefix_passes` of `passes` partition by a prefix and a finish follows.
// common_digits[pass of the prefix] and any_order as above.
BALLOT_HOST_DEVICE constexpr void plan_radix_finish(int passes, int prefix_passes, const radix_step_rule& rule,
                                                    bool any_order, const std::uint32_t* common_digits,
                                                    radix_role* roles, radix_role* finish) {
  const bool one_more =
      prefix_passes < rule.least || (rule.parity != radix_step_rule::any_parity && prefix_passes % 2 != rule.parity);
  BALLOT_ROLLED
  for (int l = 0; l < rule.launches; ++l) {
    const int pass = l - (passes - prefix_passes);
    std::uint32_t bits = 0;
    if (pass >= 0 && l < passes) {
      const bool to_output = ((prefix_passes - 1 - pass) % 2 == 0) != one_more;
      bits = radix_role::pass | radix_role::by_prefix | (pass % 2 != 0 ? radix_role::odd_pass : 0u) |
             (to_output ? radix_role::to_output : 0u) | common_digits[pass] << radix_role::common_digit_shift;
      if (pass == 0)
        bits |= radix_role::first_step | radix_role::first_pass |
                (any_order && common_digits[0] == radix_digits ? radix_role::any_order : 0u);
    }
    roles[l].bits = bits;
  }
  finish->bits = radix_role::finish | (one_more ? radix_role::from_spare : 0u);
}

}  // namespace ballot::detail
