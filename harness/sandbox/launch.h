// From the launcher's options to the confined program: what is planned outside, and the last steps before the
// program, in which the process gives up everything that the policy does not allow.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "sandbox/launch_options.h"
#include "sandbox/mounts.h"

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
// Landlock and filters. What is left open above descriptor 3 is closed. Fails the launch when it cannot.
void confine(const LaunchPlan& plan);

[[noreturn]] void execute(const LaunchPlan& plan);

// What the confined process does; never returns.
using Program = std::function<void(const LaunchPlan&)>;

// All of it: process 1 below a supervisor, a supervised child with namespaces, or this process itself.
// `launcher` is our own path, for bubblewrap to run.
[[noreturn]] void launch(const LaunchOptions& options, const std::string& launcher,
                         const Program& program = execute);

}  // namespace kgrade
