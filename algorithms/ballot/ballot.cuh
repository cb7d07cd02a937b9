// Everything. Including only what is used compiles faster.
#pragma once

#include <ballot/batched_scan.cuh>
#include <ballot/compact.cuh>
#include <ballot/device/bit_ranks.cuh>
#include <ballot/device/blockwise_scan.cuh>
#include <ballot/device/scan.cuh>
#include <ballot/device/segmented_scan.cuh>
#include <ballot/sort.cuh>
#include <ballot/split.cuh>
