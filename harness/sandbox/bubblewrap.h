// Builds the command line for bubblewrap (https://github.com/containers/bubblewrap). bubblewrap can make
// namespaces on machines where the kernel does not allow this to kgrade, because bubblewrap is installed
// setuid or has an AppArmor profile.
#pragma once

#include <string>
#include <vector>

#include "sandbox/launch.h"

namespace kgrade {

// The command of bwrap that makes the plan's mounts and runs this launcher (`launcher`) as process 1 in them.
// The launcher then applies the other layers. `channel` is its end of the supervisor's channel.
std::vector<std::string> bubblewrap_command(const LaunchPlan& plan, const std::string& launcher, int channel);

}  // namespace kgrade
