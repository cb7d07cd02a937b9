// What has to be tidied up when the run is interrupted from outside.
#pragma once

#include <ballot/core/namespace.hpp>
#include <cstddef>
#include <string>

namespace ballot::app {

// Signals that end the program first remove the files that are registered, and then end it as they would have done. A
// signal that was ignored when the program started (nohup) stays ignored. A file that would grow beyond a limit becomes
// a write error.
void install_signal_handlers();

// Up to four files at a time. Returns what takes the file off the list again.
std::size_t remove_on_signal(const std::string& path);
void keep_on_signal(std::size_t registered);

}  // namespace ballot::app
