// The file system of a confined program, as a list of mounts. The list is made in the old root. The mounts
// are made in a new root, by mount(2) and pivot_root(2) here, or by bubblewrap.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/policy.h"

namespace kgrade {

// A symbolic link to a mounted path. The link has to be made again in the new root.
struct SymbolicLink {
  std::filesystem::path path;  // contains no links itself
  std::string target;          // as written in the link
};

struct ResolvedPath {
  std::filesystem::path path;  // absolute, without links
  bool is_directory = false;
  std::vector<SymbolicLink> links;  // in the order in which they were followed
};

// Nothing if there is no such file, if this process cannot reach the file, or if the path is not absolute.
std::optional<ResolvedPath> resolve(const std::filesystem::path& path);

// The kind of a mount. If two mounts have the same path, the later one covers the earlier one.
enum class MountKind {
  read_only,
  temporary,      // a writable tmpfs
  device_folder,  // a tmpfs for /dev, read-only once it is filled
  proc,           // a fresh /proc, read-only; the policy may except /proc/self/task
  shared_proc,    // a fresh /proc, read-only except the parts about processes
  read_write,
  device,
  hidden,  // an empty tmpfs on a folder, or /dev/null on a file
};

struct MountStep {
  MountKind kind;
  std::filesystem::path path;  // equal in the old root and the new one; absolute, without links
  bool is_directory = true;
  std::uint64_t bytes = 0;  // of a tmpfs
};

struct MountPlan {
  std::vector<MountStep> steps;  // folders before their contents
  std::vector<SymbolicLink> links;
  bool names_threads = false;  // from the policy
};

// The parts of a mounted /proc that describe the machine and that a superuser without capabilities could
// write to, such as sysctls. Parts about processes are left out. The names are relative to `proc`.
std::vector<std::string> machine_parts_of_proc(const std::filesystem::path& proc);

// `program` will be executed. The program's file may be read even if the policy does not list it.
MountPlan make_mount_plan(const SandboxPolicy& policy, const std::filesystem::path& program);

// Carries out the plan. The calling process must be in its own mount namespace with CAP_SYS_ADMIN over it.
// Afterwards no process of the namespace can reach the old root by a path. Fails the launch on failure.
// `remount_each`: see LaunchOptions.
void enter_new_root(const MountPlan& plan, const std::string& working_directory, bool remount_each);

}  // namespace kgrade
