// SPDX-License-Identifier: Apache-2.0
// Masks that tests of warp operations go through: all lanes, a prefix, every other, the two ends,
// one.
#pragma once

namespace ballot_test_masks {
inline constexpr unsigned all[] = {0xffffffffu, 0x000fffffu, 0xaaaaaaaau, 0x80000001u, 0x00000080u};
}
