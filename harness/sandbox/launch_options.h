// What kgrade tells its launcher: a policy, the layers that were found to work, and the command. Written by
// Sandbox::wrap, read by the launcher; both from here, so that they cannot disagree.
#pragma once

#include <string>
#include <vector>

#include "sandbox/policy.h"

namespace kgrade {

// The launcher does nothing that is not asked for here, and fails when it cannot do what is.
struct LaunchLayers {
  bool namespaces = false;  // PID, mount, network and IPC namespaces, made by the launcher
  bool user = false;        // with a user namespace, and these two:
  bool uts = false;
  bool cgroup_namespace = false;
  bool bubblewrap = false;        // namespaces made by bwrap instead
  bool bubblewrap_sizes = false;  // which knows --size
  bool landlock = false;
  bool seccomp = false;
  bool control_group = false;

  // Whether the confined program has a file system and processes of its own.
  bool confines() const { return namespaces || bubblewrap; }
  bool operator==(const LaunchLayers&) const = default;
};

std::string to_text(const LaunchLayers& layers);

struct LaunchOptions {
  SandboxPolicy policy;
  LaunchLayers layers;
  std::vector<std::string> command;
  std::string bubblewrap_program = "bwrap";
  bool probe = false;                // tell what this machine allows, instead of running a command
  std::vector<std::string> without;  // layers that the probe leaves out
  int supervisor = -1;               // we are process 1 below bubblewrap; the socket to the one outside
  bool remount_each = false;         // do without mount_setattr(2), as kernels before 5.12 must
};

// The arguments behind the program's name.
std::vector<std::string> to_arguments(const LaunchOptions& options);

// The reverse. On a wrong argument `problem` says which and the rest is not read.
LaunchOptions parse_arguments(const std::vector<std::string>& arguments, std::string& problem);

}  // namespace kgrade
