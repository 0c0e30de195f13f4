// libkgrade-zygote.so: the functions with which a Python interpreter becomes a zygote (sandbox/zygote.h).
// Only harness/python/kgrade_python/forking.py loads this library.
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/child_setup.h"
#include "sandbox/fail_launch.h"
#include "sandbox/launch.h"
#include "sandbox/zygote_protocol.h"

namespace kgrade {
namespace {

constexpr int socket_descriptor = 3;

// The requested fork. The interpreter has one thread, which calls these functions in sequence.
struct PendingFork {
  ZygoteRequest request;
  std::array<int, most_descriptors_of_fork> descriptors{};
  std::size_t count = 0;
  pid_t parent = 0;

  bool is_whole() const {
    return count == 2 + std::size_t{request.has_input} + request.has_output + request.has_kept;
  }
  int text() const { return descriptors[0]; }
  int gate() const { return descriptors[1]; }
  void hand_over(SpawnRequest& to) const {
    std::size_t next = 2;
    if (request.has_input != 0) to.stdin_fd = descriptors[next++];
    if (request.has_output != 0) to.output_fd = descriptors[next++];
    if (request.has_kept != 0) to.kept_fd = descriptors[next];
  }

  void forget() {
    for (std::size_t i = 0; i < count; ++i) ::close(descriptors[i]);
    *this = PendingFork();
  }
};

PendingFork pending;

void take_descriptors(msghdr& message) {
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return;
  pending.count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  ::memcpy(pending.descriptors.data(), CMSG_DATA(header), pending.count * sizeof(int));
}

// The names in a folder of /proc, without dots. Empty if there is no such folder.
std::vector<std::string> names_in(const char* folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder), [](DIR* one) { return ::closedir(one); });
  while (const dirent* entry = open ? ::readdir(open.get()) : nullptr) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  return names;
}

// True if a device file of a GPU is open. A CUDA context holds such files, and does not survive a fork.
bool has_opened_a_gpu() {
  for (const std::string& name : names_in("/proc/self/fd")) {
    char target[256] = {};
    if (::readlink(("/proc/self/fd/" + name).c_str(), target, sizeof target - 1) < 0) continue;
    if (std::string(target).starts_with("/dev/nvidia")) return true;
  }
  return false;
}

// True if there is memory that one fork could write and another could read.
bool has_shared_memory() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    // "BEGIN-END rw-s ..."
    const std::size_t gap = line.find(' ');
    if (gap != line.npos && gap + 4 < line.size() && line[gap + 2] == 'w' && line[gap + 4] == 's')
      return true;
  }
  return false;
}

// Tries whether this process may make namespaces, because an AppArmor profile may allow them only to the
// launcher's program.
bool may_make_namespaces() {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr int kinds = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC;
    const bool made = ::unshare(CLONE_NEWUSER | kinds) == 0 || ::unshare(kinds) == 0;
    ::_exit(made && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 ? 0 : 1);
  }
  int status = -1;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0;
}

std::string whole_text(int file) {
  struct stat status {};
  std::string text;
  if (::fstat(file, &status) == 0) text.resize(static_cast<std::size_t>(status.st_size));
  const ssize_t count = ::pread(file, text.data(), text.size(), 0);
  return count == static_cast<ssize_t>(text.size()) ? text : "";
}

std::vector<const char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  return pointers;
}

// putenv(3) keeps the pointers, so the copies are never freed.
void replace_environment(const std::vector<std::string>& variables) {
  ::clearenv();
  for (const std::string& variable : variables) ::putenv(::strdup(variable.c_str()));
}

}  // namespace
}  // namespace kgrade

extern "C" {

// The function that the confined process calls with the launcher's command and the environment. Never
// returns.
using KgradeProgram = void (*)(int words, const char* const* command, int variables,
                               const char* const* environment);

// Returns the reason why this process cannot be a zygote. Empty if it can be one.
const char* kgrade_zygote_lacks() {
  const std::size_t threads = kgrade::names_in("/proc/self/task").size();
  if (threads == 0) return "it cannot count its threads";
  if (threads > 1) return "its imports have started threads";
  if (kgrade::has_opened_a_gpu()) return "its imports have opened a GPU";
  if (kgrade::has_shared_memory()) return "its imports share memory with what it forks";
  return kgrade::may_make_namespaces() ? "" : "it may not make namespaces";
}

// Waits for a request and returns its ZygoteAsk, or 0 at the end.
int kgrade_zygote_next() {
  using kgrade::pending;
  pending.forget();
  iovec part{&pending.request, sizeof pending.request};
  alignas(cmsghdr) char control[CMSG_SPACE(kgrade::most_descriptors_of_fork * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t size = 0;
  do {
    size = ::recvmsg(kgrade::socket_descriptor, &message, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size >= 0) kgrade::take_descriptors(message);
  pending.parent = ::getppid();
  const bool is_sound = size == static_cast<ssize_t>(sizeof pending.request);
  return is_sound ? static_cast<int>(pending.request.ask) : 0;
}

// False if kgrade is gone.
int kgrade_zygote_answer(int result, const char* reason) {
  kgrade::ZygoteReply reply;
  reply.result = result;
  ::strncpy(reply.reason, reason, sizeof reply.reason - 1);
  return ::send(kgrade::socket_descriptor, &reply, sizeof reply, MSG_NOSIGNAL) ==
                 static_cast<ssize_t>(sizeof reply)
             ? 1
             : 0;
}

// Like fork(2), but the new process is a child of kgrade. The new process runs none of the handlers of
// fork(3), because the confined process is made by a later fork(3).
int kgrade_zygote_fork() {
  if (!kgrade::pending.is_whole()) return -1;
  return static_cast<int>(::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

// Call this in the forked child. Never returns.
void kgrade_zygote_launch(KgradeProgram program) {
  using namespace kgrade;
  char go = 0;
  if (::read(pending.gate(), &go, 1) != 1) ::_exit(exit_launcher_failed);
  auto request = read_spawn_request(whole_text(pending.text()));
  if (!request) fail_launch("what is to be started cannot be read", 0);
  pending.hand_over(*request);
  set_up_child(*request, pending.parent);
  ::signal(SIGCHLD, SIG_DFL);
  replace_environment(request->environment);
  std::string problem;
  const std::vector<std::string>& words = request->command;
  const LaunchOptions options = parse_arguments({words.begin() + 1, words.end()}, problem);
  if (!problem.empty()) fail_launch(problem, 0);
  launch(options, words.front(), [&](const LaunchPlan& plan) {
    const auto command = pointers_to(plan.options.command);
    const auto environment = pointers_to(request->environment);
    program(static_cast<int>(command.size()), command.data(), static_cast<int>(environment.size()),
            environment.data());
  });
}
}
