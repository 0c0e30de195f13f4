// Ends the launcher on failure. The launcher never runs a program in a sandbox that it could not set up as
// requested.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace kgrade {

inline constexpr int exit_launcher_failed = 125;
inline constexpr int exit_not_executable = 126;
inline constexpr int exit_not_found = 127;

// Writes "kgrade-sandbox: WHAT: REASON" to standard error (without the reason if `error` is 0) and ends the
// process. The process may be a fork, so the clean-up of exit(3) is left to its parent.
[[noreturn]] inline void fail_launch(const std::string& what, int error = errno,
                                     int code = exit_launcher_failed) {
  std::string text = "kgrade-sandbox: " + what;
  if (error != 0) text += std::string(": ") + std::strerror(error);
  text += '\n';
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(code);
}

}  // namespace kgrade
