// The messages between kgrade and its launcher: the command line (a policy, the layers that work, and the
// command), and the report of a probe. Both ends use this file, so they cannot disagree.
#pragma once

#include <string>
#include <vector>

#include "sandbox/policy.h"

namespace kgrade {

// The layers to set up. The launcher sets up nothing else, and fails if it cannot set up a layer.
struct LaunchLayers {
  bool namespaces = false;  // PID, mount, network and IPC namespaces, made by the launcher
  bool user = false;        // with a user namespace; the next two need it
  bool uts = false;
  bool cgroup_namespace = false;
  bool bubblewrap = false;        // namespaces made by bwrap instead
  bool bubblewrap_sizes = false;  // this bwrap knows --size
  bool landlock = false;
  bool seccomp = false;
  bool control_group = false;

  // True if the confined program has its own file system and processes.
  bool confines() const { return namespaces || bubblewrap; }
  bool operator==(const LaunchLayers&) const = default;
};

std::string to_text(const LaunchLayers& layers);

struct LaunchOptions {
  SandboxPolicy policy;
  LaunchLayers layers;
  std::vector<std::string> command;
  std::string bubblewrap_program = "bwrap";
  bool probe = false;                // report what this machine allows, instead of running a command
  std::vector<std::string> without;  // layers that the probe leaves out
  int supervisor = -1;               // process 1 below bubblewrap: its socket to the launcher outside
  bool remount_each = false;         // do not use mount_setattr(2), which kernels before 5.12 lack
};

// The arguments after the program's name.
std::vector<std::string> to_arguments(const LaunchOptions& options);

// The inverse of to_arguments(). If an argument is wrong, `problem` names it, and the rest is not read.
LaunchOptions parse_arguments(const std::vector<std::string>& arguments, std::string& problem);

// What the launcher found out about this machine.
struct ProbeReport {
  LaunchLayers layers;             // the layers that work on this machine
  std::string bubblewrap_program;  // its path; empty if it is not used
  std::vector<SandboxLayer> findings;
};

// One line per item, with fields divided by tabs: "layers TEXT", "bubblewrap PATH", "layer NAME 0|1 DETAIL
// REMEDY".
std::string to_text(const ProbeReport& report);

// The inverse of to_text(). Lines of other forms are ignored.
ProbeReport parse_probe_report(const std::string& text);

}  // namespace kgrade
