// Everything: device scans, compact, split, sorts. Including only what is used compiles faster.
#pragma once

#include <ballot/compact.cuh>
#include <ballot/device/scan.cuh>
#include <ballot/segmented_sort.cuh>
#include <ballot/sort.cuh>
#include <ballot/sort_by.cuh>
#include <ballot/sort_ping_pong.cuh>
#include <ballot/split.cuh>
