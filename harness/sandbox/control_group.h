// A control group for one run (cgroups(7)). It has version 2 if a part of the tree is delegated to this user,
// or version 1 for root. Nothing else can limit the memory and the processes of a whole run.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

#include "sandbox/policy.h"

namespace kgrade {

class ControlGroup {
 public:
  // Makes a group with the limits of the policy. If none can be made, exists() is false and nothing is
  // limited.
  static ControlGroup make(const SandboxPolicy& policy);

  ControlGroup() = default;
  ControlGroup(ControlGroup&& other) noexcept : folders_(std::move(other.folders_)) {
    other.folders_.clear();
  }
  ControlGroup& operator=(ControlGroup&&) = delete;
  ~ControlGroup() { remove(); }

  // Removes the groups of launchers that were killed before they could remove them.
  static void remove_abandoned();

  bool exists() const { return !folders_.empty(); }
  // "version 2" or "version 1".
  const char* version() const { return folders_.size() > 1 ? "version 1" : "version 2"; }
  // Moves a process into the group. False, with errno set, if that is not permitted.
  bool take_in(pid_t process) const;
  // True if the kernel killed a process of the group because the whole group had reached its memory limit.
  bool ran_out_of_memory() const;
  // Call when all processes of the group have been reaped.
  void remove();

 private:
  bool make_version_2(const SandboxPolicy& policy);
  bool make_version_1(const SandboxPolicy& policy);

  std::vector<std::filesystem::path> folders_;
};

}  // namespace kgrade
