// The layer of namespaces: processes, mounts, network, IPC, and where the kernel has them users, host names
// and control groups.
#pragma once

#include "sandbox/supervision.h"

namespace kgrade {

// A child in new namespaces, as `layers` says, which becomes process 1 and then runs `confined`. -1, with
// errno set, when the kernel refuses.
pid_t start_in_namespaces(const LaunchLayers& layers, const SupervisorChannel& channel,
                          const Confined& confined);

}  // namespace kgrade
