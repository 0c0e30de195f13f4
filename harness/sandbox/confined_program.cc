#include "sandbox/confined_program.h"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "sandbox/filters.h"
#include "sandbox/give_up.h"
#include "sandbox/landlock.h"
#include "sandbox/new_root.h"
#include "sandbox/privileges.h"

namespace kgrade {
namespace {

constexpr int first_closed_descriptor = 4;

std::filesystem::path find_in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return std::filesystem::absolute(name);
  const char* variable = std::getenv("PATH");
  const std::string folders = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    std::filesystem::path candidate = std::filesystem::path(folders.substr(begin, end - begin)) / name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    begin = end + 1;
  }
  return {};
}

// Before Linux 5.14 RLIMIT_NPROC counted all processes of the user, on the whole machine.
bool counts_processes_by_user_namespace() {
  utsname system{};
  int major = 0;
  int minor = 0;
  if (::uname(&system) != 0 || std::sscanf(system.release, "%d.%d", &major, &minor) != 2) return false;
  return major > 5 || (major == 5 && minor >= 14);
}

void limit_processes(const LaunchPlan& plan) {
  const SandboxPolicy& policy = plan.options.policy;
  if (policy.processes == 0 || plan.counts_processes || !plan.options.layers.user) return;
  if (!counts_processes_by_user_namespace()) return;
  const rlim_t most = policy.processes + 1;  // process 1 is ours
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_NPROC, &limit);
}

// Signals are confined by a PID namespace or by Landlock; what is left is to allow the process itself only. A
// program that starts others would take its number along to them, so there Landlock has to do.
pid_t only_target_of_signals(const LaunchOptions& options) {
  if (options.layers.confines()) return 0;
  const bool landlock_does =
      options.layers.landlock && landlock_version() >= landlock_version_confining_signals;
  return options.policy.starts_programs && landlock_does ? 0 : ::getpid();
}

}  // namespace

LaunchPlan make_launch_plan(const LaunchOptions& options) {
  LaunchPlan plan;
  plan.options = options;
  if (!options.command.empty()) plan.program = find_in_path(options.command.front());
  std::error_code ignored;
  plan.working_directory = std::filesystem::current_path(ignored).string();
  if (plan.working_directory.empty()) plan.working_directory = "/";
  // Below bubblewrap the mounts have been made.
  const bool makes_mounts = options.layers.confines() && options.supervisor < 0;
  if (makes_mounts) plan.mounts = make_mount_plan(options.policy, plan.program);
  return plan;
}

void confine(const LaunchPlan& plan) {
  const LaunchOptions& options = plan.options;
  if (options.layers.namespaces) enter_new_root(plan.mounts, plan.working_directory, options.remount_each);
  ::setsid();
  limit_processes(plan);
  close_descriptors(first_closed_descriptor);
  drop_privileges();
  if (options.layers.landlock) restrict_files(options.policy, plan.program, options.layers.confines());
  if (!options.layers.seccomp) return;
  if (const int error = restrict_system_calls(only_target_of_signals(options)); error != 0) {
    give_up("cannot install the filter of system calls", error);
  }
}

void execute(const LaunchPlan& plan) {
  std::vector<char*> arguments;
  for (const std::string& argument : plan.options.command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  if (plan.program.empty()) give_up("cannot find " + plan.options.command.front(), 0, exit_not_found);
  ::execv(plan.program.c_str(), arguments.data());
  give_up("cannot execute " + plan.program.string(), errno,
          errno == ENOENT ? exit_not_found : exit_not_executable);
}

}  // namespace kgrade
