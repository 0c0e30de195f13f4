// Three generations: the launcher outside, process 1 of a new PID namespace, and the confined program below
// it.
//
// When the launcher dies, by SIGKILL too, so does process 1, and the kernel then kills everything in its
// namespace: what the confined program detached from its session, and what ignores signals. Process 1
// outlives the program for as long as it takes to tell its wait status, and the launcher returns when all of
// the namespace is gone.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "sandbox/launch_options.h"

namespace kgrade {

// The confined program from its fork on; never returns.
using Confined = std::function<void()>;

// The channel between launcher and process 1: one byte to begin, the wait status back. It ends when either
// dies.
struct SupervisorChannel {
  int outside = -1;
  int inside = -1;
};
SupervisorChannel open_supervisor_channel();

// A child that runs `command`, which is expected to make namespaces and call be_process_one() in them. The
// end of the channel inside stays open there under its number.
pid_t start_command(const std::vector<std::string>& command, const SupervisorChannel& channel);

// Is process 1: waits for the beginning, starts `confined`, reaps everything, and ends when it ends.
[[noreturn]] void be_process_one(int channel, const Confined& confined);

// Lets the child begin and waits for the end of all. The wait status of the confined program, or of the child
// when it failed before.
int supervise(pid_t child, const SupervisorChannel& channel);

// Ends this process as a program did: with its exit code, or by the same signal.
[[noreturn]] void end_like(int wait_status);

}  // namespace kgrade
