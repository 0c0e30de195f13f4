// Landlock (Linux 5.13 and later): a process gives up rights to files, TCP ports, signals and abstract
// sockets, for itself and all its descendants. It needs no privilege and no namespace.
#pragma once

#include <filesystem>

#include "sandbox/policy.h"

namespace kgrade {

// The version of the kernel's Landlock interface. 0 if Landlock is missing or switched off.
int landlock_version();

// From this version on, signals reach only descendants of the confined program.
inline constexpr int landlock_version_confining_signals = 6;

// Confines the calling thread to the policy. The thread already has no_new_privs. It may execute `program`,
// too. With `own_root`, the file system is that of a mount plan, with its own /tmp, /dev/shm and /proc.
// Without it, /tmp and /dev/shm are closed, and in /proc only /proc/self and facts about the machine are
// readable. Fails the launch on failure.
void restrict_files(const SandboxPolicy& policy, const std::filesystem::path& program, bool own_root);

}  // namespace kgrade
