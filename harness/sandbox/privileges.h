// Giving up what a process could do beyond its user.
#pragma once

namespace kgrade {

// No capability is left, none comes back by an exec, and no program gains any from its file. Where the
// bounding set cannot be cut (that takes a capability itself) no_new_privs keeps it from mattering. Fails the
// launch when it cannot.
void drop_privileges();

// Closes every descriptor from `first` on but `kept`.
void close_descriptors(int first, int kept = -1);

}  // namespace kgrade
