// Gives up the privileges that a process has beyond its user's.
#pragma once

namespace kgrade {

// Drops all capabilities. None comes back by an exec, and no program gains any from its file. Cutting the
// bounding set itself takes a capability. Without that capability, no_new_privs makes the set harmless. Fails
// the launch on failure.
void drop_privileges();

// Closes every descriptor from `first` on, except `kept`.
void close_descriptors(int first, int kept = -1);

}  // namespace kgrade
