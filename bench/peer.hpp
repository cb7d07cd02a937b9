// SPDX-License-Identifier: Apache-2.0
// Says with which CUB and Thrust a source is compiled. Sources that call them are compiled with the
// toolkit's (`toolkit`). If there is a newer release (BALLOT_BENCH_CCCL in CMake), they are
// compiled with it, too, into the same binary (`newest`, without ballot's contenders). Each has its
// operations in a namespace of its own.
#pragma once

#if !defined(BALLOT_BENCH_PEER)
#  define BALLOT_BENCH_PEER toolkit
#  define BALLOT_BENCH_IS_TOOLKIT 1
#else
#  define BALLOT_BENCH_IS_TOOLKIT 0
#endif
