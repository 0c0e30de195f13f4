#include "sandbox/launch.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "sandbox/bubblewrap.h"
#include "sandbox/control_group.h"
#include "sandbox/fail_launch.h"
#include "sandbox/landlock.h"
#include "sandbox/namespaces.h"
#include "sandbox/privileges.h"
#include "sandbox/seccomp.h"

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

// Before Linux 5.14, RLIMIT_NPROC counted all processes of the user on the whole machine.
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
  const rlim_t most = policy.processes + 1;  // one more for process 1
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_NPROC, &limit);
}

// The only process that may be signalled; 0 means that no filter is needed. A PID namespace confines signals.
// Without a PID namespace, the process may signal only itself. The filter would also bind child programs, so
// a program that starts other programs relies on Landlock instead, if possible.
pid_t only_target_of_signals(const LaunchOptions& options) {
  if (options.layers.confines()) return 0;
  const bool landlock_does =
      options.layers.landlock && landlock_version() >= landlock_version_confining_signals;
  return options.policy.starts_programs && landlock_does ? 0 : ::getpid();
}

// Fails the launch if no group can be made, although one could be made during the probe. If the launch went
// on, the record would list a limit that nothing enforces.
ControlGroup make_group(const LaunchOptions& options) {
  const bool has_limits = options.policy.memory_bytes != 0 || options.policy.processes != 0;
  if (!options.layers.control_group || !has_limits) return {};
  ControlGroup group = ControlGroup::make(options.policy);
  if (!group.exists()) fail_launch("cannot make a control group", errno);
  return group;
}

// The child waits for a message before it begins. If the connection breaks, the child never begins.
void take_in(ControlGroup& group, pid_t child, const SupervisorChannel& channel) {
  if (!group.exists() || group.take_in(child)) return;
  const int error = errno;
  ::close(channel.inside);
  ::close(channel.outside);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  group.remove();
  fail_launch("cannot move a process into its control group", error);
}

[[noreturn]] void launch_supervised(LaunchPlan plan, const std::string& launcher, const Program& program) {
  const LaunchOptions& options = plan.options;
  const SupervisorChannel channel = open_supervisor_channel();
  ControlGroup group = make_group(options);
  plan.counts_processes = group.exists();
  const pid_t child = options.layers.bubblewrap
                          ? start_command(bubblewrap_command(plan, launcher, channel.inside), channel)
                          : start_in_namespaces(options.layers, channel, [&plan, &program] {
                              confine(plan);
                              program(plan);
                            });
  if (child < 0) fail_launch("cannot start a process in new namespaces");
  take_in(group, child, channel);
  const int status = supervise(child, channel);
  const bool out_of_memory = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && group.ran_out_of_memory();
  group.remove();
  if (out_of_memory) ::_exit(exit_out_of_memory);
  end_like(status);
}

}  // namespace

LaunchPlan make_launch_plan(const LaunchOptions& options) {
  LaunchPlan plan;
  plan.options = options;
  if (!options.command.empty()) plan.program = find_in_path(options.command.front());
  std::error_code ignored;
  plan.working_directory = std::filesystem::current_path(ignored).string();
  if (plan.working_directory.empty()) plan.working_directory = "/";
  // Bubblewrap has already made the mounts if this is process 1 below it.
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
    fail_launch("cannot install the filter of system calls", error);
  }
}

void execute(const LaunchPlan& plan) {
  std::vector<char*> arguments;
  for (const std::string& argument : plan.options.command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  if (plan.program.empty()) fail_launch("cannot find " + plan.options.command.front(), 0, exit_not_found);
  ::execv(plan.program.c_str(), arguments.data());
  fail_launch("cannot execute " + plan.program.string(), errno,
              errno == ENOENT ? exit_not_found : exit_not_executable);
}

void launch(const LaunchOptions& options, const std::string& launcher, const Program& program) {
  const LaunchPlan plan = make_launch_plan(options);
  const auto run = [&plan, &program] {
    confine(plan);
    program(plan);
  };
  if (options.supervisor >= 0) be_process_one(options.supervisor, run);
  if (options.layers.confines()) launch_supervised(plan, launcher, program);
  run();
  ::_exit(exit_launcher_failed);
}

}  // namespace kgrade
