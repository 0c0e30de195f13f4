#include "sandbox/namespaces.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>

#include "sandbox/fail_launch.h"

namespace kgrade {
namespace {

void write_line(const char* path, const std::string& text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || ::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    fail_launch(std::string("cannot write ") + path);
  }
  ::close(file);
}

// Maps one user and one group to themselves, and no others.
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

}  // namespace kgrade
