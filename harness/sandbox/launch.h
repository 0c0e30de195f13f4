// Leads from the launcher's options to the confined program: a plan is made outside, and then the process
// gives up everything that the policy does not allow.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "sandbox/launch_options.h"
#include "sandbox/mounts.h"

namespace kgrade {

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

}  // namespace kgrade
