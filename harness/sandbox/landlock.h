// Landlock (Linux 5.13 and later): a process gives up rights to files, TCP ports, signals and abstract
// sockets, for itself and all its descendants. It needs no privilege and no namespace.
#pragma once

#include <filesystem>

#include "sandbox/policy.h"

namespace kgrade {

// The version of the kernel's Landlock interface, or 0 if Landlock is missing or switched off.
int landlock_version();

// From this version on, a confined program can send signals only to itself and its descendants.
inline constexpr int landlock_version_confining_signals = 6;

// Confines the calling thread to the policy. The thread may execute `program`, too. The thread already has
// no_new_privs. With `own_root`, the file system is that of a mount plan, which has its own /tmp, /dev/shm
// and /proc. Without `own_root`, /tmp and /dev/shm are closed, and in /proc only /proc/self and facts about
// the machine are readable. An error ends the launch: see fail_launch().
void restrict_files(const SandboxPolicy& policy, const std::filesystem::path& program, bool own_root);

}  // namespace kgrade
