// SPDX-License-Identifier: Apache-2.0
// Whether all processes of a launch have one command line. If they had different ones, parts of
// different results would get into one file, or one process would wait for a call that another one
// does not make.
#pragma once

#include <ballot/core/namespace.hpp>

#include "processes/process_group.hpp"

#include <functional>

namespace ballot::app {

// Collective, and the first thing that the processes of a group do. Throws usage_error if this one
// has other arguments than process 0, and says which is the first. The name of the program does not
// count.
void require_same_arguments(const process_group& group);

// For a process that does not understand its arguments. The others may understand theirs, and wait
// for it: so it still meets them. say() prints what is wrong. It is called on process 0, and on a
// process that has other arguments than process 0. Returns the exit code.
int refuse_by_processes(const std::function<void()>& say);

}  // namespace ballot::app
