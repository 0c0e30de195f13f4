// Confines child processes. A Sandbox finds out once per process what this machine allows, and wraps commands
// so that they run under a policy. The work is done by the launcher (`kgrade-sandbox`), a separate program
// that runs between fork and the confined program.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/launch_options.h"

namespace kgrade {

class Sandbox {
 public:
  // Tries what the machine allows. `launcher` is the path of kgrade-sandbox. Never fails: without any layer,
  // wrap() returns its command unchanged. `without` names layers to treat as missing, also "bubblewrap", so
  // that the fallback can be tested on a machine that has all layers.
  static Sandbox probe(const std::filesystem::path& launcher, const std::vector<std::string>& without = {});

  // Like probe(), with a shared result. Calls clean_up() when the last owner of the result releases it.
  static std::shared_ptr<const Sandbox> shared(const std::filesystem::path& launcher);

  // Removes the control groups of launchers that were killed, which happens when kgrade ends a contestant.
  // The next launch would remove them otherwise.
  void clean_up() const;

  const std::vector<SandboxLayer>& layers() const { return machine_.findings; }
  bool is_active(std::string_view layer) const;
  // True if a confined program has its own file system, network and processes, because kgrade or bubblewrap
  // makes namespaces.
  bool confines() const { return is_active("namespaces"); }
  // True if kgrade makes the namespaces itself, without bubblewrap.
  bool makes_namespaces() const { return machine_.layers.namespaces; }
  const std::filesystem::path& launcher() const { return launcher_; }

  // The command that runs `command` under `policy`. The working directory is kept if the policy shows it, and
  // is "/" otherwise. The environment and descriptors 0 to 3 are passed on. The exit status is the program's,
  // and a signal that ends the program also ends the launcher. The launcher has its own exit codes:
  // exit_out_of_memory (sandbox/policy.h); 125 if the sandbox could not be set up or the launcher failed; 126
  // if the program cannot be executed; 127 if it is not there. Standard error says why. If confines() is
  // true, killing the launcher kills everything inside.
  std::vector<std::string> wrap(const SandboxPolicy& policy, const std::vector<std::string>& command) const;

 private:
  std::filesystem::path launcher_;
  ProbeReport machine_;
};

}  // namespace kgrade
