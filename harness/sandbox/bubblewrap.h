// bubblewrap (https://github.com/containers/bubblewrap) makes the namespaces where the kernel lets it and not
// us: installed setuid, or with an AppArmor profile of its own.
#pragma once

#include <string>
#include <vector>

#include "sandbox/launch.h"

namespace kgrade {

// The command that carries out the plan's mounts by bwrap and runs this launcher (`launcher`) as process 1 in
// them, which goes on with the other layers; `channel` is its end of the supervisor's channel.
std::vector<std::string> bubblewrap_command(const LaunchPlan& plan, const std::string& launcher, int channel);

}  // namespace kgrade
