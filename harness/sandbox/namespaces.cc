#include "sandbox/namespaces.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "sandbox/fail_launch.h"
#include "sandbox/privileges.h"

namespace kgrade {
namespace {

void write_line(const char* path, const std::string& text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || ::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    fail_launch(std::string("cannot write ") + path);
  }
  ::close(file);
}

// Maps one user and one group to themselves. No other user or group is mapped.
void map_identity(uid_t user, gid_t group) {
  write_line("/proc/self/setgroups", "deny");
  write_line("/proc/self/uid_map", std::to_string(user) + " " + std::to_string(user) + " 1");
  write_line("/proc/self/gid_map", std::to_string(group) + " " + std::to_string(group) + " 1");
}

unsigned long namespace_flags(const LaunchLayers& layers) {
  return CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | (layers.user ? CLONE_NEWUSER : 0UL) |
         (layers.uts ? CLONE_NEWUTS : 0UL) | (layers.cgroup_namespace ? CLONE_NEWCGROUP : 0UL);
}

// fork(2) into new namespaces. glibc's wrapper would require a stack.
pid_t clone_into(unsigned long flags) {
  return static_cast<pid_t>(::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

}  // namespace

pid_t start_in_namespaces(const LaunchLayers& layers, const SupervisorChannel& channel,
                          const Confined& confined) {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  const pid_t child = clone_into(namespace_flags(layers));
  if (child != 0) return child;
  ::close(channel.outside);
  if (layers.user) map_identity(user, group);
  if (layers.uts) ::syscall(SYS_sethostname, "sandbox", 7);
  be_process_one(channel.inside, confined);
}

namespace {

// Moves the descriptor to a number above those of the descriptors that are passed on to the confined program.
int move_up(int fd) {
  constexpr int lowest = 10;
  const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, lowest);
  if (moved < 0) fail_launch("cannot duplicate a descriptor");
  ::close(fd);
  return moved;
}

// Reaps `child` and all orphans of the namespace, until `child` ends.
int reap_until(pid_t child) {
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) fail_launch("cannot wait for the confined program");
  }
}

}  // namespace

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
  const int status = reap_until(child);
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

}  // namespace kgrade
