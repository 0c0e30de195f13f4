// Landlock (Linux 5.13 and later): rights to files, TCP ports, signals and abstract sockets that a process
// gives up for itself and all that it starts. Needs no privilege and no namespace.
#pragma once

#include <filesystem>

#include "sandbox/policy.h"

namespace kgrade {

// The version of the kernel's Landlock interface; 0 where it is missing or switched off.
int landlock_version();

// From version 6 on signals reach only what descends from the confined program.
inline constexpr int landlock_version_confining_signals = 6;

// Confines the calling thread, which has no_new_privs, to the policy; `program` may be executed besides. With
// `own_root` the file system is that of a mount plan, so that /tmp, /dev/shm and /proc are its own; otherwise
// the first two are closed and of /proc only /proc/self and what tells about the machine is open. Fails the
// launch failure.
void restrict_files(const SandboxPolicy& policy, const std::filesystem::path& program, bool own_root);

}  // namespace kgrade
