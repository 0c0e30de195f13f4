#include "sandbox/launch.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <set>

#include "base/text.h"
#include "sandbox/control_group.h"
#include "sandbox/fail_launch.h"
#include "sandbox/landlock.h"
#include "sandbox/seccomp.h"

namespace kgrade {
namespace {

void write_line(const char* path, const std::string& text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || ::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    fail_launch(std::string("cannot write ") + path);
  }
  ::close(file);
}

// Moves the descriptor to a number above those of the descriptors that are passed on to the confined program.
int move_up(int fd) {
  constexpr int lowest = 10;
  const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, lowest);
  if (moved < 0) fail_launch("cannot duplicate a descriptor");
  ::close(fd);
  return moved;
}

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

void limit_processes(const LaunchPlan& plan) {
  const SandboxPolicy& policy = plan.options.policy;
  if (policy.processes == 0 || plan.counts_processes || !plan.options.layers.user) return;
  // Before Linux 5.14, RLIMIT_NPROC counted all processes of the user on the whole machine.
  utsname system{};
  int major = 0;
  int minor = 0;
  if (::uname(&system) != 0 || std::sscanf(system.release, "%d.%d", &major, &minor) != 2) return;
  if (major < 5 || (major == 5 && minor < 14)) return;
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
  const bool has_limits = options.policy.memory_bytes != 0 || options.policy.processes != 0;
  const bool needs_group = options.layers.control_group && has_limits;
  ControlGroup group = needs_group ? ControlGroup::make(options.policy) : ControlGroup();
  // The launch fails if no group can be made, although one could be made during the probe. If it went on, the
  // record would list a limit that nothing enforces.
  if (needs_group && !group.exists()) fail_launch("cannot make a control group", errno);
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

class CommandLine {
 public:
  explicit CommandLine(const LaunchPlan& plan) : plan_(plan) {}

  std::vector<std::string> build(const std::string& launcher, int channel) {
    words_ = {plan_.options.bubblewrap_program,
              "--unshare-user-try",
              "--unshare-pid",
              "--unshare-net",
              "--unshare-ipc",
              "--unshare-uts",
              "--unshare-cgroup-try",
              "--die-with-parent",
              "--as-pid-1",
              "--cap-drop",
              "ALL"};
    for (const MountStep& step : plan_.mounts.steps) add(step);
    add({"--ro-bind", launcher, launcher});
    for (const SymbolicLink& link : plan_.mounts.links) add_link(link);
    for (const MountStep& step : plan_.mounts.steps) {
      if (step.kind == MountKind::device_folder || (step.kind == MountKind::hidden && step.is_directory)) {
        add({"--remount-ro", step.path.string()});
      }
    }
    if (!binds_root()) add({"--remount-ro", "/"});
    add({"--chdir", can_enter(plan_.working_directory) ? plan_.working_directory : "/", "--", launcher});
    LaunchOptions inner = plan_.options;
    inner.supervisor = channel;
    const std::vector<std::string> arguments = to_arguments(inner);
    words_.insert(words_.end(), arguments.begin(), arguments.end());
    return std::move(words_);
  }

 private:
  void add(std::vector<std::string> words) {
    for (std::string& word : words) words_.push_back(std::move(word));
  }

  void add(const MountStep& step) {
    const std::string path = step.path.string();
    switch (step.kind) {
      case MountKind::read_only:
        return add({"--ro-bind", path, path});
      case MountKind::read_write:
        return add({"--bind", path, path});
      case MountKind::device:
        return add({"--dev-bind", path, path});
      case MountKind::temporary:
      case MountKind::device_folder:
        if (plan_.options.layers.bubblewrap_sizes) {
          add({"--perms", step.kind == MountKind::temporary ? "1777" : "0755", "--size",
               std::to_string(std::max<std::uint64_t>(step.bytes, 4096))});
        }
        return add({"--tmpfs", path});
      case MountKind::hidden:
        return add(step.is_directory ? std::vector<std::string>{"--tmpfs", path}
                                     : std::vector<std::string>{"--ro-bind", "/dev/null", path});
      case MountKind::proc:
      case MountKind::shared_proc:
        add({"--proc", path});
        // bwrap makes the parts of /proc read-only that its user may write to by their file modes. For root
        // this is not enough.
        for (const std::string& name : machine_parts_of_proc("/proc"))
          add({"--ro-bind", path + "/" + name, path + "/" + name});
    }
  }

  const MountStep* mount_above(const std::filesystem::path& path) const {
    const MountStep* above = nullptr;
    for (const MountStep& step : plan_.mounts.steps) {
      if (is_within(path, step.path)) above = &step;
    }
    return above;
  }

  // Does nothing if the link lies in a mounted folder, where it already exists.
  void add_link(const SymbolicLink& link) {
    const MountStep* const above = mount_above(link.path);
    const bool is_there =
        above != nullptr && (above->kind == MountKind::read_only || above->kind == MountKind::read_write);
    if (is_there || !made_.insert(link.path).second) return;
    add({"--symlink", link.target, link.path.string()});
  }

  bool binds_root() const { return !plan_.mounts.steps.empty() && plan_.mounts.steps.front().path == "/"; }

  bool can_enter(const std::filesystem::path& folder) const {
    const auto found = resolve(folder);
    if (!found || !found->is_directory) return false;
    const MountStep* const above = mount_above(found->path);
    return above != nullptr && (above->path == found->path || above->kind == MountKind::read_only ||
                                above->kind == MountKind::read_write);
  }

  const LaunchPlan& plan_;
  std::vector<std::string> words_;
  std::set<std::filesystem::path> made_;
};

}  // namespace

pid_t start_in_namespaces(const LaunchLayers& layers, const SupervisorChannel& channel,
                          const Confined& confined) {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  const unsigned long flags = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC |
                              (layers.user ? CLONE_NEWUSER : 0UL) | (layers.uts ? CLONE_NEWUTS : 0UL) |
                              (layers.cgroup_namespace ? CLONE_NEWCGROUP : 0UL);
  // fork(2) into new namespaces. glibc's wrapper would require a stack.
  const auto child =
      static_cast<pid_t>(::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (child != 0) return child;
  ::close(channel.outside);
  if (layers.user) {
    // One user and one group are mapped to themselves. No other user or group is mapped.
    write_line("/proc/self/setgroups", "deny");
    write_line("/proc/self/uid_map", std::to_string(user) + " " + std::to_string(user) + " 1");
    write_line("/proc/self/gid_map", std::to_string(group) + " " + std::to_string(group) + " 1");
  }
  if (layers.uts) ::syscall(SYS_sethostname, "sandbox", 7);
  be_process_one(channel.inside, confined);
}

SupervisorChannel open_supervisor_channel() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    fail_launch("cannot make a socket pair");
  return {move_up(ends[0]), move_up(ends[1])};
}

pid_t start_command(const std::vector<std::string>& command, const SupervisorChannel& channel) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::close(channel.outside);
  ::setsid();
  // Wait until this process is in its control group, so that all its children are counted. Only peek at the
  // byte, because process 1 reads it.
  char begin = 0;
  if (::recv(channel.inside, &begin, 1, MSG_PEEK) != 1) ::_exit(exit_launcher_failed);
  ::fcntl(channel.inside, F_SETFD, 0);
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  fail_launch("cannot execute " + command.front());
}

void be_process_one(int channel, const Confined& confined) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::fcntl(channel, F_SETFD, FD_CLOEXEC);
  // Signals to this process's group must stay inside, because a process group may span PID namespaces.
  ::setsid();
  char begin = 0;
  // If there is nothing to read, the launcher died before PR_SET_PDEATHSIG was set.
  if (::recv(channel, &begin, 1, 0) != 1) ::_exit(exit_launcher_failed);
  const pid_t child = ::fork();
  if (child < 0) fail_launch("cannot fork");
  if (child == 0) {
    confined();
    ::_exit(exit_launcher_failed);
  }
  ::prctl(PR_SET_DUMPABLE, 0);
  close_descriptors(0, channel);
  drop_privileges();
  // All orphans of the namespace are reaped until `child` ends.
  int status = 0;
  for (pid_t ended = 0; ended != child;) {
    ended = ::waitpid(-1, &status, 0);
    if (ended < 0 && errno != EINTR) fail_launch("cannot wait for the confined program");
  }
  ::send(channel, &status, sizeof status, MSG_NOSIGNAL);
  ::_exit(0);
}

int supervise(pid_t child, const SupervisorChannel& channel) {
  ::close(channel.inside);
  // Close the descriptors: when the program ends, readers of its output and peers of its descriptor 3 must
  // see the end.
  close_descriptors(0, channel.outside);
  constexpr char begin = 1;
  ::send(channel.outside, &begin, 1, MSG_NOSIGNAL);
  int reported = 0;
  ssize_t count = 0;
  do {
    count = ::recv(channel.outside, &reported, sizeof reported, 0);
  } while (count < 0 && errno == EINTR);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (count == sizeof reported) return reported;
  constexpr int failed = exit_launcher_failed << 8;
  return WIFEXITED(status) ? failed : status;
}

void end_like(int wait_status) {
  if (WIFEXITED(wait_status)) ::_exit(WEXITSTATUS(wait_status));
  const int number = WTERMSIG(wait_status);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::prctl(PR_SET_DUMPABLE, 0);
  ::signal(number, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
  ::kill(::getpid(), number);
  ::_exit(128 + number);
}

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

std::vector<std::string> bubblewrap_command(const LaunchPlan& plan, const std::string& launcher,
                                            int channel) {
  return CommandLine(plan).build(launcher, channel);
}

}  // namespace kgrade
