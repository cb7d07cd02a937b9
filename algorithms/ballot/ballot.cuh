// Everything: device scans and reductions, compact, split, sort. Including only what is used compiles faster.
#pragma once

#include <ballot/compact.cuh>
#include <ballot/device/reduce.cuh>
#include <ballot/device/scan.cuh>
#include <ballot/sort.cuh>
#include <ballot/split.cuh>
