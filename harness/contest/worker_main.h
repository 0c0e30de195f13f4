// The worker's program: one process for one contestant. It holds the contestant, the buffers lent for the
// current case and one socket (descriptor 3), and does what the referee asks until the socket closes.
//
// A program that calls run_worker() defines dlclose() for all that it loads, and closes nothing there: the
// record lists the libraries that a contestant opens by what is mapped into its process after a case
// (contest/mapped_libraries.h), and one that it closed within a call would be missing.
#pragma once

#include <cstdint>

#include "contest/protocol.h"
#include "device/worker_device.h"

namespace kgrade {

constexpr int connection_descriptor = 3;

// Returns the process's exit code: 0 when the referee has gone, 1 when the device cannot be used. The
// contestant is loaded in a process that can no longer start others, unless it `may_start_programs` (tools
// do, within it).
int run_worker(WorkerDevice& device, int socket = connection_descriptor, bool may_start_programs = false);

// Answers the request that is being served with memory_limit or stack_overflow, and ends the process. Safe in
// a signal handler, on any thread and on any stack.
[[noreturn]] void end_worker(ReplyStatus status, std::uint64_t limit_bytes);

}  // namespace kgrade
