// Confines child processes: chooses, once per process, what this machine allows, and wraps a command so that
// it runs under a policy. The work is done by a launcher, a program of its own beside kgrade
// (`kgrade-sandbox`), between fork and the confined program.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/policy.h"

namespace kgrade {

// One means of the kernel, or bubblewrap.
struct SandboxLayer {
  std::string name;  // "no_new_privileges", "namespaces", "landlock", "seccomp", "cgroup"
  bool active = false;
  std::string detail;  // "user, PID, mount, network, IPC, UTS", "ABI 7"
  std::string remedy;  // of an inactive one: what it would need
};

class Sandbox {
 public:
  // Tries what the machine allows. `launcher` is the path of kgrade-sandbox. Never fails: with no layer at
  // all wrap() returns its command as it is. `without` names layers that are taken as missing, "bubblewrap"
  // too: what then happens can be seen on a machine that has them all.
  static Sandbox probe(const std::filesystem::path& launcher, const std::vector<std::string>& without = {});

  // As probe(), with clean_up() when its last user has gone.
  static std::shared_ptr<const Sandbox> shared(const std::filesystem::path& launcher);

  // Removes the control groups of launchers that were killed, which is how contestants end. The next launch
  // would, too.
  void clean_up() const;

  const std::vector<SandboxLayer>& layers() const { return layers_; }
  bool is_active(std::string_view layer) const;
  // True when file system, network and processes of a confined program are its own: with namespaces, made by
  // us or by bubblewrap.
  bool confines() const;

  // The command that runs `command` under `policy`. The working directory is kept where the policy shows it,
  // and is
  // "/" otherwise. Descriptors 0, 1, 2 and 3 are handed through, and the environment is; the exit status is
  // the program's own (a signal that ends the program ends the launcher too). exit_out_of_memory: see there;
  // 125: the sandbox could not be set up, or its launcher failed; 126 and 127: the program cannot be executed
  // or is not there; standard error says why. Killing the launcher kills everything inside, when confines().
  std::vector<std::string> wrap(const SandboxPolicy& policy, const std::vector<std::string>& command) const;

 private:
  std::filesystem::path launcher_;
  std::vector<SandboxLayer> layers_;
  std::string launch_layers_;  // of these, as they are passed to the launcher
  std::string bubblewrap_;     // its path; empty when it is not used
};

}  // namespace kgrade
