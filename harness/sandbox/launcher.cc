// kgrade-sandbox: stands between fork and a confined program. See sandbox/sandbox.h for who calls it, and
// supervision.h for what becomes of it.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "sandbox/bubblewrap.h"
#include "sandbox/confined_program.h"
#include "sandbox/control_group.h"
#include "sandbox/give_up.h"
#include "sandbox/layer_probe.h"
#include "sandbox/privileges.h"
#include "sandbox/supervision.h"

namespace kgrade {
namespace {

constexpr const char* usage =
    "usage: kgrade-sandbox --layers LIST [--ro PATH] [--rw PATH] [--hide PATH] [--dev PATH] [--tmp BYTES]\n"
    "                      [--no-proc] [--processes N] [--memory BYTES] [--programs] -- COMMAND...\n"
    "       kgrade-sandbox --probe [--without LIST]\n"
    "       kgrade-sandbox --clean-up\n"
    "Runs a command confined, by the layers named: namespaces, user, uts, cgroup-namespace, landlock,\n"
    "seccomp, cgroup, bubblewrap. --probe tells which of them work here, --clean-up removes the control\n"
    "groups that killed launchers have left. kgrade calls it; exit codes 125 to 127 mean that the command\n"
    "was not run, 124 that the kernel ended it for want of memory.\n";

std::string own_path() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "kgrade-sandbox" : path.string();
}

// One that cannot be made, though it could be when the layers were tried, is a limit that a record would list
// and nothing would keep.
ControlGroup make_group(const LaunchOptions& options) {
  const bool has_limits = options.policy.memory_bytes != 0 || options.policy.processes != 0;
  if (!options.layers.control_group || !has_limits) return {};
  ControlGroup group = ControlGroup::make(options.policy);
  if (!group.exists()) give_up("cannot make a control group", errno);
  return group;
}

// The child waits for a message to begin; if the connection breaks, it never begins.
void take_in(ControlGroup& group, pid_t child, const SupervisorLine& line) {
  if (!group.exists() || group.take_in(child)) return;
  const int error = errno;
  ::close(line.inside);
  ::close(line.outside);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  group.remove();
  give_up("cannot move a process into its control group", error);
}

[[noreturn]] void launch_supervised(LaunchPlan plan) {
  const LaunchOptions& options = plan.options;
  const SupervisorLine line = open_supervisor_line();
  ControlGroup group = make_group(options);
  plan.counts_processes = group.exists();
  const pid_t child = options.layers.bubblewrap
                          ? start_command(bubblewrap_command(plan, own_path(), line.inside), line)
                          : start_in_namespaces(options.layers, line, [&plan] {
                              confine(plan);
                              execute(plan);
                            });
  if (child < 0) give_up("cannot start a process in new namespaces");
  take_in(group, child, line);
  const int status = supervise(child, line);
  const bool out_of_memory = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && group.ran_out_of_memory();
  group.remove();
  if (out_of_memory) ::_exit(exit_out_of_memory);
  end_like(status);
}

[[noreturn]] void launch(const LaunchOptions& options) {
  const LaunchPlan plan = make_launch_plan(options);
  const auto run = [&plan] {
    confine(plan);
    execute(plan);
  };
  if (options.supervisor >= 0) be_process_one(options.supervisor, run);
  if (options.layers.confines()) launch_supervised(plan);
  run();
  ::_exit(exit_launcher_failed);
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 1 && arguments.front() == "--help") {
    std::fputs(usage, stdout);
    return 0;
  }
  if (arguments.size() == 1 && arguments.front() == "--clean-up") {
    ControlGroup::remove_abandoned();
    return 0;
  }
  std::string problem;
  const LaunchOptions options = parse_arguments(arguments, problem);
  if (!problem.empty()) {
    std::fprintf(stderr, "kgrade-sandbox: %s\n%s", problem.c_str(), usage);
    return exit_launcher_failed;
  }
  if (options.probe) {
    std::fputs(to_text(probe_layers(options.without, own_path())).c_str(), stdout);
    return 0;
  }
  constexpr int first_not_handed_through = 4;
  close_descriptors(first_not_handed_through, options.supervisor);
  // Of a parent that ignores its children's ends.
  ::signal(SIGCHLD, SIG_DFL);
  launch(options);
}

}  // namespace
}  // namespace kgrade

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  // Process 1 can be looked at from inside, and what is hidden should not be named there.
  for (int i = 1; i < argc; ++i) std::memset(argv[i], 0, std::strlen(argv[i]));
  return kgrade::run(arguments);
}
