// Builds the command line for bubblewrap (https://github.com/containers/bubblewrap). bubblewrap makes the
// namespaces if the kernel allows it to but not us, because it is installed setuid or has an AppArmor
// profile.
#pragma once

#include <string>
#include <vector>

#include "sandbox/launch.h"

namespace kgrade {

// The command with which bwrap makes the plan's mounts and runs this launcher (`launcher`) in them as process
// 1. The launcher then applies the other layers. `channel` is its end of the supervisor's channel.
std::vector<std::string> bubblewrap_command(const LaunchPlan& plan, const std::string& launcher, int channel);

}  // namespace kgrade
