// The layer of namespaces: processes, mounts, network and IPC, and if the kernel has them also users, host
// names and control groups.
#pragma once

#include "sandbox/supervision.h"

namespace kgrade {

// Starts a child in new namespaces according to `layers`. The child becomes process 1 and then runs
// `confined`. Returns -1 with errno set if the kernel refuses.
pid_t start_in_namespaces(const LaunchLayers& layers, const SupervisorChannel& channel,
                          const Confined& confined);

}  // namespace kgrade
