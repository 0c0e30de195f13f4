// kgrade-sandbox: its command line, and its probe of what this machine allows. sandbox/sandbox.h runs this
// program. launch.h runs the confined program.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "sandbox/control_group.h"
#include "sandbox/fail_launch.h"
#include "sandbox/landlock.h"
#include "sandbox/launch.h"
#include "sandbox/seccomp.h"

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
    "was not run, 124 that the kernel ended it because memory ran out.\n";

struct Attempt {
  int status = 0;    // of waitpid(2)
  std::string said;  // one line from standard error
  bool success() const { return status == 0; }
};

std::string read_all(int fd) {
  std::string text;
  char buffer[512];
  for (ssize_t count = 0; (count = ::read(fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

// The text as one line that fits into a table.
std::string one_line(std::string text) {
  const std::string prefix = "kgrade-sandbox: ";
  if (text.starts_with(prefix)) text.erase(0, prefix.size());
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

// Runs `work` in a child. The child ends afterwards.
Attempt attempt(const std::function<void()>& work) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {-1, "cannot open a pipe"};
  const pid_t child = ::fork();
  if (child < 0) return {-1, "cannot fork"};
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::dup2(::open("/dev/null", O_RDWR | O_CLOEXEC), STDOUT_FILENO);
    work();
    ::_exit(exit_launcher_failed);
  }
  ::close(ends[1]);
  Attempt result;
  result.said = one_line(read_all(ends[0]));
  ::close(ends[0]);
  ::waitpid(child, &result.status, 0);
  return result;
}

std::string first_word(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

bool is_there(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// True if the root folder is not a mount. That is so below chroot(2), unless chroot's folder is itself a
// mount. In a container, the root folder is a mount. Below chroot(2), no user namespace can be made: see
// EPERM in unshare(2).
bool is_in_plain_chroot() {
  std::ifstream mounts("/proc/self/mountinfo");
  bool has_any = false;
  for (std::string line; std::getline(mounts, line);) {
    has_any = true;
    std::istringstream words(line);
    std::string word;
    for (int i = 0; i < 5; ++i) words >> word;  // the fifth is where it is mounted (proc(5))
    if (word == "/") return false;
  }
  return has_any;
}

std::string how_to_allow_namespaces(const std::string& problem) {
  // The kernel refuses a new mount of /proc that would show more than the old one.
  if (problem.find("/proc/") != std::string::npos) {
    return "run in a container that hides no part of /proc (docker run --security-opt "
           "systempaths=unconfined)";
  }
  if (is_in_plain_chroot())
    return "run it outside this chroot, or in a container: the kernel refuses user namespaces below a plain "
           "chroot(2)";
  if (first_word("/proc/sys/user/max_user_namespaces") == "0") {
    return "allow user namespaces (sysctl user.max_user_namespaces=10000), or install bubblewrap";
  }
  if (first_word("/proc/sys/kernel/unprivileged_userns_clone") == "0") {
    return "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1), or install "
           "bubblewrap";
  }
  if (first_word("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1") {
    return "let AppArmor allow user namespaces (sysctl kernel.apparmor_restrict_unprivileged_userns=0, or a "
           "profile with 'userns' for kgrade and kgrade-sandbox), or install bubblewrap";
  }
  return "allow unprivileged user namespaces (in a container: a seccomp profile that permits unshare and "
         "mount, or "
         "--privileged), or install bubblewrap";
}

// Tries each means of confinement in a child, with the code that later confines the program.
class Prober {
 public:
  Prober(const std::vector<std::string>& without, std::string launcher)
      : without_(without), launcher_(std::move(launcher)) {}

  ProbeReport probe() {
    probe_privileges();
    probe_namespaces();
    probe_landlock();
    probe_seccomp();
    probe_control_group();
    return std::move(report_);
  }

 private:
  bool leaves_out(const char* name) const {
    return std::find(without_.begin(), without_.end(), name) != without_.end();
  }

  void add(const char* name, bool active, std::string detail, std::string remedy) {
    report_.findings.push_back({name, active, std::move(detail), active ? "" : std::move(remedy)});
  }

  void probe_privileges() {
    const char* name = "no_new_privileges";
    if (leaves_out(name)) return add(name, false, "left out", "");
    const Attempt tried = attempt([] {
      drop_privileges();
      ::_exit(0);
    });
    add(name, tried.success(), tried.success() ? "no capabilities, no set-user-ID programs" : tried.said,
        "a kernel of 3.5 or later");
  }

  static Attempt try_namespaces(const LaunchLayers& layers) {
    return attempt([&layers] {
      LaunchOptions options;
      options.layers = layers;
      const LaunchPlan plan = make_launch_plan(options);
      const SupervisorChannel channel = open_supervisor_channel();
      const pid_t child = start_in_namespaces(layers, channel, [&plan] {
        confine(plan);
        constexpr pid_t below_process_one = 2;
        ::_exit(::getpid() == below_process_one && !is_there("/etc") ? 0 : exit_launcher_failed);
      });
      if (child < 0) fail_launch("the kernel refuses namespaces");
      end_like(supervise(child, channel));
    });
  }

  void probe_namespaces() {
    std::string problem = "left out";
    if (!leaves_out("namespaces") && accept_namespaces(problem)) return;
    if (!leaves_out("bubblewrap") && accept_bubblewrap(problem)) return;
    add("namespaces", false, problem, how_to_allow_namespaces(problem));
  }

  bool accept_namespaces(std::string& problem) {
    problem.clear();
    for (const bool user : {true, false}) {
      if (!user && ::geteuid() != 0) break;
      LaunchLayers layers;
      layers.namespaces = true;
      layers.user = user;
      // The machine may lack these two. The other namespaces are essential for a sandbox.
      layers.uts = is_there("/proc/self/ns/uts");
      layers.cgroup_namespace = is_there("/proc/self/ns/cgroup");
      const Attempt tried = try_namespaces(layers);
      if (tried.success()) {
        accept(layers, "");
        return true;
      }
      if (problem.empty()) problem = tried.said;
    }
    return false;
  }

  bool accept_bubblewrap(std::string& problem) {
    std::string program;
    for (const char* path : {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"}) {
      if (program.empty() && ::access(path, X_OK) == 0) program = path;
    }
    if (program.empty()) return false;
    LaunchOptions options;
    options.bubblewrap_program = program;
    options.layers.bubblewrap = true;
    options.layers.bubblewrap_sizes = knows_sizes(program);
    // Run the launcher itself, because it may be linked statically and then needs none of the machine's
    // libraries. Other programs may need them.
    options.command = {launcher_, "--help"};
    options.policy.readable = {"/usr", "/lib", "/lib64", "/etc/ld.so.cache"};
    const Attempt tried = attempt([&] {
      const LaunchPlan plan = make_launch_plan(options);
      const SupervisorChannel channel = open_supervisor_channel();
      const pid_t child = start_command(bubblewrap_command(plan, launcher_, channel.inside), channel);
      end_like(supervise(child, channel));
    });
    if (!tried.success()) {
      problem += (problem.empty() ? "" : "; ") + tried.said;
      return false;
    }
    report_.bubblewrap_program = program;
    accept(options.layers, "by bubblewrap: ");
    return true;
  }

  static bool knows_sizes(const std::string& program) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::dup2(ends[1], STDERR_FILENO);
      ::execl(program.c_str(), program.c_str(), "--help", nullptr);
      ::_exit(exit_not_found);
    }
    ::close(ends[1]);
    const std::string help = read_all(ends[0]);
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return help.find("--size ") != std::string::npos;
  }

  void accept(const LaunchLayers& layers, const std::string& by) {
    report_.layers = layers;
    std::string kinds = by;
    if (layers.user || layers.bubblewrap) kinds += "user, ";
    kinds += "PID, mount, network, IPC";
    if (layers.uts || layers.bubblewrap) kinds += ", UTS";
    if (layers.cgroup_namespace) kinds += ", cgroup";
    add("namespaces", true, kinds, "");
  }

  void probe_landlock() {
    const char* name = "landlock";
    if (leaves_out(name)) return add(name, false, "left out", "");
    const int version = landlock_version();
    const std::string remedy =
        "a kernel of 5.13 or later with landlock in its list of security modules (lsm=)";
    if (version == 0) return add(name, false, "the kernel has none", remedy);
    const Attempt tried = attempt([] {
      drop_privileges();
      restrict_files({}, "", false);
      ::_exit(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) < 0 && errno == EACCES ? 0
                                                                                     : exit_launcher_failed);
    });
    report_.layers.landlock = tried.success();
    add(name, tried.success(), tried.success() ? "ABI " + std::to_string(version) : tried.said, remedy);
  }

  void probe_seccomp() {
    const char* name = "seccomp";
    if (leaves_out(name)) return add(name, false, "left out", "");
    const Attempt tried = attempt([] {
      if (const int error = restrict_system_calls(0); error != 0) fail_launch("filters are refused", error);
      const bool denied = ::syscall(SYS_unshare, 0) < 0 && errno == EPERM;
      ::_exit(denied && deny_new_programs() == 0 ? 0 : exit_launcher_failed);
    });
    report_.layers.seccomp = tried.success();
    add(name, tried.success(), tried.success() ? "filters of system calls" : tried.said,
        "a kernel with CONFIG_SECCOMP_FILTER, on x86-64 or AArch64");
  }

  // Making a group and moving a process into it need two different permissions.
  static bool can_take_in(const ControlGroup& group) {
    const pid_t child = ::fork();
    if (child < 0) return false;
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) ::pause();
    }
    const bool taken = group.take_in(child);
    ::kill(child, SIGKILL);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return taken;
  }

  void probe_control_group() {
    const char* name = "cgroup";
    if (leaves_out(name)) return add(name, false, "left out", "");
    // Without a supervisor, nothing would remove the group after the program has ended.
    if (!report_.layers.confines())
      return add(name, false, "not tried: it works only together with namespaces", "see namespaces");
    SandboxPolicy policy;
    policy.memory_bytes = std::uint64_t{1} << 30;
    policy.processes = 16;
    const ControlGroup group = ControlGroup::make(policy);
    const bool works = group.exists() && can_take_in(group);
    report_.layers.control_group = works;
    add(name, works,
        works            ? std::string("memory and pids, ") + group.version()
        : group.exists() ? "no process may be moved into a group of ours"
                         : "no tree that we may write to",
        "run below a delegated control group with memory and pids (systemd-run --user --scope -p "
        "Delegate=yes)");
  }

  const std::vector<std::string>& without_;
  std::string launcher_;
  ProbeReport report_;
};

std::string own_path() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "kgrade-sandbox" : path.string();
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
    std::fputs(to_text(Prober(options.without, own_path()).probe()).c_str(), stdout);
    return 0;
  }
  constexpr int first_not_handed_through = 4;
  close_descriptors(first_not_handed_through, options.supervisor);
  // Programs inherit an ignored SIGCHLD from their parents.
  ::signal(SIGCHLD, SIG_DFL);
  launch(options, own_path());
}

}  // namespace
}  // namespace kgrade

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  // The confined program can read the command line of process 1, so hidden paths must not appear there.
  for (int i = 1; i < argc; ++i) std::memset(argv[i], 0, std::strlen(argv[i]));
  return kgrade::run(arguments);
}
