// How the launcher fails: it never enters a sandbox that it cannot set up as asked.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace kgrade {

inline constexpr int exit_launcher_failed = 125;
inline constexpr int exit_not_executable = 126;
inline constexpr int exit_not_found = 127;

// Writes "kgrade-sandbox: WHAT: REASON" to standard error (without the reason when `error` is 0) and ends the
// process, without the clean-up of exit(3), which belongs to the process that it was forked from.
[[noreturn]] inline void fail_launch(const std::string& what, int error = errno,
                                     int code = exit_launcher_failed) {
  std::string text = "kgrade-sandbox: " + what;
  if (error != 0) text += std::string(": ") + std::strerror(error);
  text += '\n';
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(code);
}

}  // namespace kgrade
