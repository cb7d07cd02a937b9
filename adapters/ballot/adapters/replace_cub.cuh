// SPDX-License-Identifier: Apache-2.0
// For sources that say cub:: and are not to be changed: from here on `cub` is ballot's adapter.
//
//     nvcc -include ballot/adapters/replace_cub.cuh their_file.cu
//
// It includes all of CUB first, so that no header of CUB is read after the word has its new meaning.
#pragma once

#include <cub/cub.cuh>

#include <ballot/adapters/cub.cuh>

namespace ballot_adapters_cub = ::ballot::adapters::cub;
#define cub ballot_adapters_cub
