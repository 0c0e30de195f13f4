// The worker's program: one process for one contestant. It holds the contestant, the buffers lent for the
// current case and one socket (descriptor 3), and does what the referee asks until the socket closes.
#pragma once

#include "device/worker_device.h"

namespace kgrade {

// Returns the process's exit code: 0 when the referee has gone, 1 when the device cannot be used.
int run_worker(WorkerDevice& device);

}  // namespace kgrade
