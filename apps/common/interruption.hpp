// What has to be tidied up when the run is interrupted from outside.
#pragma once

#include <ballot/core/namespace.hpp>
#include <string>

namespace ballot::app {

// Signals that end the program first remove the file registered last, and then end it as they would have done. A signal
// that was ignored when the program started (nohup) stays ignored. A file that would grow beyond a limit becomes a
// write error.
void handle_interruptions();

// Empty: nothing to remove any more. There is one such file at a time.
void remove_when_interrupted(const std::string& path);

}  // namespace ballot::app
