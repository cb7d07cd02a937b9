// SPDX-License-Identifier: Apache-2.0
// With which CUB and Thrust a source is compiled. Sources that call them are compiled twice into one binary: with the
// toolkit's (`toolkit`), and where there is a newer release (BALLOT_BENCH_CCCL in CMake) with that one (`newest`), then
// without ballot's contenders. Each has what it registers in a namespace of its own.
#pragma once

#if !defined(BALLOT_BENCH_PEER)
#  define BALLOT_BENCH_PEER toolkit
#  define BALLOT_BENCH_IS_TOOLKIT 1
#else
#  define BALLOT_BENCH_IS_TOOLKIT 0
#endif
