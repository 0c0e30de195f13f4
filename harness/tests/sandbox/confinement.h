// Shared by the tests of the sandbox: sandboxes with some layers missing, a policy for the program of
// attempts, and a run of it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "sandbox/sandbox.h"
#include "sandbox/zygote.h"

namespace kgrade {

using Words = std::vector<std::string>;

// One combination of layers, given by the missing ones.
struct Mode {
  std::string name;
  Words without;
  Words needs;  // layers without which it makes no sense
  // As if the kernel had no mount_setattr(2).
  bool older_kernel = false;
  // As for root if user namespaces are switched off.
  bool no_user_namespace = false;
  // Forked by a zygote: its program executes the one that is to be confined.
  bool forked = false;
};

inline const Mode all_layers{"all_layers", {"bubblewrap"}, {"namespaces", "landlock", "seccomp"}};
inline const Mode only_namespaces{
    "only_namespaces", {"bubblewrap", "landlock", "seccomp", "cgroup"}, {"namespaces"}};
inline const Mode on_older_kernel{"on_older_kernel", {"bubblewrap"}, {"namespaces"}, true};
inline const Mode without_user_namespace{
    "without_user_namespace", {"bubblewrap"}, {"namespaces"}, false, true};
inline const Mode forked{"forked", {"bubblewrap"}, {"namespaces", "landlock", "seccomp"}, false, false, true};
inline const Mode only_bubblewrap{
    "only_bubblewrap", {"namespaces", "landlock", "seccomp", "cgroup"}, {"namespaces"}};
inline const Mode with_bubblewrap{"with_bubblewrap", {"namespaces"}, {"namespaces"}};
inline const Mode only_landlock{
    "only_landlock", {"namespaces", "bubblewrap", "seccomp", "cgroup"}, {"landlock"}};
inline const Mode only_seccomp{
    "only_seccomp", {"namespaces", "bubblewrap", "landlock", "cgroup"}, {"seccomp"}};
inline const Mode no_namespaces{"no_namespaces", {"namespaces", "bubblewrap"}, {"landlock", "seccomp"}};
inline const Mode only_privileges{
    "only_privileges", {"namespaces", "bubblewrap", "landlock", "seccomp", "cgroup"}, {"no_new_privileges"}};

// Probed once for each mode.
const Sandbox& sandbox_of(const Mode& mode);

// Why this machine cannot test the mode; empty if it can.
std::string missing_for(const Mode& mode);

inline void PrintTo(const Mode& mode, std::ostream* out) { *out << mode.name; }

inline std::string name_of_mode(const testing::TestParamInfo<Mode>& info) { return info.param.name; }

// Only the C library's files and the program of attempts may be read.
SandboxPolicy narrow_policy();

// The command that runs the program of attempts with `words`.
Words attempt_command(const Words& words);

class Confined {
 public:
  explicit Confined(const Mode& mode) : mode_(mode), sandbox_(sandbox_of(mode)) {}

  // Runs `command` under the policy.
  Words wrap(const Words& command) const;

  ProcessOutcome run(const Words& words) const { return run_command(attempt_command(words)); }
  ProcessOutcome run_command(const Words& command) const;
  // Starts what wrap() has returned.
  Result<ChildProcess> spawn(const SpawnRequest& request) const;
  // The errno value of an attempt; 0 when it succeeded.
  int attempt(const Words& words) const;

  SandboxPolicy policy = narrow_policy();
  std::filesystem::path working_directory = "/";
  const Sandbox& sandbox() const { return sandbox_; }

 private:
  // What hides something is not.
  bool is_forked() const { return mode_.forked && policy.hidden.empty(); }

  Mode mode_;
  const Sandbox& sandbox_;
};

// The same attempt without any sandbox.
int plain_attempt(const Words& words);

#define SKIP_UNLESS_POSSIBLE(mode) \
  if (const std::string missing = missing_for(mode); !missing.empty()) GTEST_SKIP() << missing

// A zygote for the tests of the sandbox, whose programs are Python files beside this one.
// `behaviour`: how it fails (test_zygote.py); empty: it does not.
ZygoteSetup setup_of_test_zygote(const std::string& behaviour = "");

// The one of this process, for the mode `forked`.
Zygote& test_zygote();

// The command of one of its programs.
std::vector<std::string> command_of_program(const std::string& name, const std::vector<std::string>& words);

}  // namespace kgrade
