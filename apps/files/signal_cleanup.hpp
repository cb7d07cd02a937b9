// SPDX-License-Identifier: Apache-2.0
// Removes files when a signal ends the program.
#pragma once

#include <ballot/core/namespace.hpp>
#include <cstddef>
#include <string>

namespace ballot::app {

// Makes signals that end the program remove the registered files first. Signals that were ignored
// at the start (nohup) stay ignored. Exceeding the file size limit becomes a write error.
void install_signal_handlers();

// Registers a file, up to four at a time. Returns its number for keep_on_signal(), which
// unregisters it.
std::size_t remove_on_signal(const std::string& path);
void keep_on_signal(std::size_t registered);

}  // namespace ballot::app
