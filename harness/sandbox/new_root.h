// Carries a mount plan out with mount(2) and pivot_root(2).
#pragma once

#include <string>

#include "sandbox/mount_plan.h"

namespace kgrade {

// The calling process is in a mount namespace of its own, with CAP_SYS_ADMIN over it. Afterwards nothing of
// the old root can be reached by a path, for any process of the namespace. Gives up on failure.
// `remount_each`: see LaunchOptions.
void enter_new_root(const MountPlan& plan, const std::string& working_directory, bool remount_each);

}  // namespace kgrade
