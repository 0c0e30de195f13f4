// What kgrade and its launcher say to each other: the command line (a policy, the layers that work, and the
// command), and the report of a probe. Both ends use this file, so that they cannot disagree.
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

// What the launcher finds out about this machine.
struct ProbeReport {
  LaunchLayers layers;             // that work here
  std::string bubblewrap_program;  // its path; empty when it is not used
  std::vector<SandboxLayer> findings;
};

// One line each, fields divided by tabs: "layers TEXT", "bubblewrap PATH", "layer NAME 0|1 DETAIL REMEDY".
std::string to_text(const ProbeReport& report);

// The reverse. Lines of another form are left out.
ProbeReport parse_probe_report(const std::string& text);

}  // namespace kgrade
