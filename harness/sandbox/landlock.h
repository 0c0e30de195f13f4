// A process gives up rights for itself and all its descendants: its privileges, its descriptors, and by
// Landlock (Linux 5.13 and later) rights to files, TCP ports, signals and abstract sockets. Landlock needs no
// privilege and no namespace.
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

// Drops all capabilities. No exec restores a capability, and no program gains one from its file. Reducing the
// bounding set needs a capability itself. Without that capability, no_new_privs makes the bounding set
// harmless. Fails the launch on failure.
void drop_privileges();

// Closes every descriptor from `first` on, except `kept`.
void close_descriptors(int first, int kept = -1);

}  // namespace kgrade
