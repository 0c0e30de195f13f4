// A control group of one run (cgroups(7)), version 2 where a part of the tree is delegated to us, or version
// 1 for root: the one means that counts the memory and the processes of a whole run.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "sandbox/policy.h"

namespace kgrade {

class ControlGroup {
 public:
  // Limits as the policy says. A group that cannot be made is none, and limits nothing.
  static ControlGroup make(const SandboxPolicy& policy);

  ControlGroup() = default;
  ControlGroup(ControlGroup&& other) noexcept : folders_(std::move(other.folders_)) {
    other.folders_.clear();
  }
  ControlGroup& operator=(ControlGroup&&) = delete;
  ~ControlGroup() { remove(); }

  // The groups of launchers that were killed: they could not remove them.
  static void remove_abandoned();

  bool exists() const { return !folders_.empty(); }
  // "version 2" or "version 1".
  const char* version() const { return folders_.size() > 1 ? "version 1" : "version 2"; }
  // False, with the reason in errno, where we may not move processes here.
  bool take_in(pid_t process) const;
  // Whether the kernel has killed one of its processes because all together had reached the limit of memory.
  bool ran_out_of_memory() const;
  // Once all of its processes have been reaped.
  void remove();

 private:
  bool make_version_2(const SandboxPolicy& policy);
  bool make_version_1(const SandboxPolicy& policy);

  std::vector<std::filesystem::path> folders_;
};

}  // namespace kgrade
