// The last steps before a program: everything that it will not be able to do is given up here.
#pragma once

#include <filesystem>
#include <string>

#include "sandbox/launch_options.h"
#include "sandbox/mount_plan.h"

namespace kgrade {

// What is worked out before any namespace is entered.
struct LaunchPlan {
  LaunchOptions options;
  std::filesystem::path
      program;  // what the command's first word stands for; empty when there is no such thing
  std::string working_directory;
  MountPlan mounts;
  bool counts_processes = false;  // a control group does it
};

LaunchPlan make_launch_plan(const LaunchOptions& options);

// In the process that is to be confined: the new root when there are namespaces of our own, then privileges,
// Landlock and filters. What is left open above descriptor 3 is closed. Gives up on failure.
void confine(const LaunchPlan& plan);

[[noreturn]] void execute(const LaunchPlan& plan);

}  // namespace kgrade
