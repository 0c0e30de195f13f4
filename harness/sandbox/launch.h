// Leads from the launcher's options to the confined program: a plan is made outside, and then the process
// gives up everything that the policy does not allow.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sandbox/launch_options.h"
#include "sandbox/mounts.h"

namespace kgrade {

// The layer of namespaces: for processes, mounts, network and IPC, and if the kernel has such namespaces,
// also for users, host names and control groups.
//
// A confined program is supervised through three generations of processes: the launcher outside, process 1
// of a new PID namespace, and the confined program below it. When the launcher dies, even by SIGKILL,
// process 1 dies too. The kernel then kills everything in its namespace, including processes that left their
// session or ignore signals. Process 1 outlives the program until it has reported the wait status. The
// launcher returns when the whole namespace is gone.

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

// The plan that is made before any namespace is entered.
struct LaunchPlan {
  LaunchOptions options;
  std::filesystem::path program;  // the path for the command's first word; empty if there is none
  std::string working_directory;
  MountPlan mounts;
  bool counts_processes = false;  // a control group limits the number of processes
};

LaunchPlan make_launch_plan(const LaunchOptions& options);

// Confines the calling process. Enters the new root if the process has its own namespaces. Then applies
// privileges, Landlock and filters, and closes the descriptors above 3. Fails the launch on failure.
void confine(const LaunchPlan& plan);

[[noreturn]] void execute(const LaunchPlan& plan);

// The body of the confined process. Never returns.
using Program = std::function<void(const LaunchPlan&)>;

// Runs the program in the way that the options ask for: this process acts as process 1 below a supervisor, or
// starts a supervised child with namespaces, or becomes the program itself. `launcher` is the path of this
// program, which bubblewrap runs.
[[noreturn]] void launch(const LaunchOptions& options, const std::string& launcher,
                         const Program& program = execute);

// Builds the command line for bubblewrap (https://github.com/containers/bubblewrap). bubblewrap can make
// namespaces on machines where the kernel does not allow this to kgrade, because bubblewrap is installed
// setuid or has an AppArmor profile.
//
// The command of bwrap that makes the plan's mounts and runs this launcher (`launcher`) as process 1 in them.
// The launcher then applies the other layers. `channel` is its end of the supervisor's channel.
std::vector<std::string> bubblewrap_command(const LaunchPlan& plan, const std::string& launcher, int channel);

}  // namespace kgrade
