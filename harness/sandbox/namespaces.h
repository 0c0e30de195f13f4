// The layer of namespaces: for processes, mounts, network and IPC, and if the kernel has such namespaces,
// also for users, host names and control groups.
//
// A confined program is supervised through three generations of processes: the launcher outside, process 1
// of a new PID namespace, and the confined program below it. When the launcher dies, even by SIGKILL,
// process 1 dies too. The kernel then kills everything in its namespace, including processes that left their
// session or ignore signals. Process 1 outlives the program until it has reported the wait status. The
// launcher returns when the whole namespace is gone.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "sandbox/launch_options.h"

namespace kgrade {

// Runs the confined program after the fork. Never returns.
using Confined = std::function<void()>;

// The channel between launcher and process 1. The launcher sends one byte to begin, and process 1 returns the
// wait status. The channel ends when either process dies.
struct SupervisorChannel {
  int outside = -1;
  int inside = -1;
};
SupervisorChannel open_supervisor_channel();

// Starts a child that runs `command`. The command should make namespaces and call be_process_one() in them.
// In the child, the inside end of the channel stays open under its number.
pid_t start_command(const std::vector<std::string>& command, const SupervisorChannel& channel);

// Acts as process 1: waits for the begin byte, starts `confined`, reaps all processes, and ends when
// `confined` ends.
[[noreturn]] void be_process_one(int channel, const Confined& confined);

// Lets the child begin and waits for the end of all processes. Returns the wait status of the confined
// program, or that of the child if the child failed earlier.
int supervise(pid_t child, const SupervisorChannel& channel);

// Ends this process in the way that a program ended: with its exit code, or by its signal.
[[noreturn]] void end_like(int wait_status);

// Starts a child in new namespaces according to `layers`. The child becomes process 1 and then runs
// `confined`. Returns -1 with errno set if the kernel refuses.
pid_t start_in_namespaces(const LaunchLayers& layers, const SupervisorChannel& channel,
                          const Confined& confined);

}  // namespace kgrade
