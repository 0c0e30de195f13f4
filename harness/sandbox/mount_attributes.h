// Flags of a mount and of all that is mounted below it.
#pragma once

#include <string>

namespace kgrade {

struct MountAttributes {
  bool read_only = false;
  bool no_devices = true;
  bool no_programs = false;
};

// Adds these flags and nosuid; never takes one away, which would be refused for a mount that came from
// another user namespace. `proc` is where the /proc of the outside is found. Gives up on failure.
// `remount_each`: as on kernels before 5.12, which have no mount_setattr(2).
void add_mount_attributes(const std::string& path, const MountAttributes& attributes, const std::string& proc,
                          bool remount_each);

}  // namespace kgrade
