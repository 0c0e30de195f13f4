// How the launcher fails: a sandbox that cannot be set up as asked for is not entered.
#pragma once

#include <cerrno>
#include <string>

namespace kgrade {

inline constexpr int exit_launcher_failed = 125;
inline constexpr int exit_not_executable = 126;
inline constexpr int exit_not_found = 127;

// Says "kgrade-sandbox: WHAT: REASON" on standard error (without the reason when `error` is 0) and ends the
// process, without the clean-up of exit(3), which belongs to the process that it was forked from.
[[noreturn]] void give_up(const std::string& what, int error = errno, int code = exit_launcher_failed);

}  // namespace kgrade
