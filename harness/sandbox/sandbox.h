// Confines child processes: chooses, once per process, what this machine allows, and wraps a command so that
// it runs under a policy. The work is done by a launcher, a program of its own beside kgrade
// (`kgrade-sandbox`), between fork and the confined program.
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
  // Tries what the machine allows. `launcher` is the path of kgrade-sandbox. Never fails: with no layer at
  // all wrap() returns its command as it is. `without` names layers that are taken as missing, "bubblewrap"
  // too: what then happens can be seen on a machine that has them all.
  static Sandbox probe(const std::filesystem::path& launcher, const std::vector<std::string>& without = {});

  // As probe(), with clean_up() when its last user has gone.
  static std::shared_ptr<const Sandbox> shared(const std::filesystem::path& launcher);

  // Removes the control groups of launchers that were killed, which is how contestants end. The next launch
  // would, too.
  void clean_up() const;

  const std::vector<SandboxLayer>& layers() const { return machine_.findings; }
  bool is_active(std::string_view layer) const;
  // True when file system, network and processes of a confined program are its own: with namespaces, made by
  // us or by bubblewrap.
  bool confines() const;
  // The same, with namespaces made by us.
  bool makes_namespaces() const { return machine_.layers.namespaces; }
  const std::filesystem::path& launcher() const { return launcher_; }

  // The command that runs `command` under `policy`. The working directory is kept where the policy shows it,
  // and is "/" otherwise. The environment and descriptors 0 to 3 are passed on. The exit status is the
  // program's own (a signal that ends the program ends the launcher too), or one of the launcher's:
  // exit_out_of_memory (sandbox/policy.h); 125: the sandbox could not be set up, or its launcher failed; 126
  // and 127: the program cannot be executed or is not there; standard error says why. Killing the launcher
  // kills everything inside, when confines().
  std::vector<std::string> wrap(const SandboxPolicy& policy, const std::vector<std::string>& command) const;

 private:
  std::filesystem::path launcher_;
  ProbeReport machine_;
};

}  // namespace kgrade
