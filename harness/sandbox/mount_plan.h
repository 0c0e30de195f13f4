// The file system of a confined program as a list of mounts, worked out in the old root and carried out in
// the new one, by mount(2) or by bubblewrap.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sandbox/policy.h"
#include "sandbox/resolved_path.h"

namespace kgrade {

// Of two on the same path the later one lies on top.
enum class MountKind {
  read_only,
  temporary,      // a writable tmpfs
  device_folder,  // a tmpfs for /dev, read-only once it is filled
  proc,           // a fresh one, read-only but for /proc/self/task where the policy says so
  shared_proc,    // a fresh one, read-only but for what is about processes
  read_write,
  device,
  hidden,  // nothing to be seen: an empty tmpfs, or /dev/null on a file
};

struct MountStep {
  MountKind kind;
  std::filesystem::path path;  // the same in the old root and in the new one; absolute, free of links
  bool is_directory = true;
  std::uint64_t bytes = 0;  // of a tmpfs
};

struct MountPlan {
  std::vector<MountStep> steps;  // folders before what lies in them
  std::vector<SymbolicLink> links;
  bool names_threads = false;  // of the policy
};

// The parts of a mounted /proc that tell about the machine, not about processes, and that a superuser without
// any capability could write to, such as sysctls; names within `proc`.
std::vector<std::string> machine_parts_of_proc(const std::filesystem::path& proc);

// `program` is what will be executed; it may be read even if the policy does not say so.
MountPlan make_mount_plan(const SandboxPolicy& policy, const std::filesystem::path& program);

}  // namespace kgrade
