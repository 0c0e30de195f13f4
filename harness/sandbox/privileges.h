// Gives up the privileges that a process has beyond its user's.
#pragma once

namespace kgrade {

// Drops all capabilities. No exec restores a capability, and no program gains one from its file. Reducing the
// bounding set needs a capability itself. Without that capability, no_new_privs makes the bounding set
// harmless. Fails the launch on failure.
void drop_privileges();

// Closes every descriptor from `first` on, except `kept`.
void close_descriptors(int first, int kept = -1);

}  // namespace kgrade
