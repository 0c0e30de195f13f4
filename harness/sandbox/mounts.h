// The file system of a confined program: a list of mounts, worked out in the old root and carried out in a
// new one, by mount(2) and pivot_root(2) here or by bubblewrap.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/policy.h"

namespace kgrade {

// A link that leads to a mounted path: in the new root it has to be made again.
struct SymbolicLink {
  std::filesystem::path path;  // free of links itself
  std::string target;          // as it is written there
};

struct ResolvedPath {
  std::filesystem::path path;  // absolute and free of links
  bool is_directory = false;
  std::vector<SymbolicLink> links;  // in the order in which they were followed
};

// Nothing when there is no such file or none that we can reach, or when the path is not absolute.
std::optional<ResolvedPath> resolve(const std::filesystem::path& path);

// Whether `path` is `folder` or lies below it; both absolute and without dots.
bool is_within(const std::filesystem::path& path, const std::filesystem::path& folder);

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

// The calling process is in a mount namespace of its own, with CAP_SYS_ADMIN over it. Afterwards nothing of
// the old root can be reached by a path, for any process of the namespace. Fails the launch when it cannot.
// `remount_each`: see LaunchOptions.
void enter_new_root(const MountPlan& plan, const std::string& working_directory, bool remount_each);

}  // namespace kgrade
