// A confined program that tries one thing. It exits with 0 if that succeeded, and with the errno value
// otherwise. "deny" before the thing first gives up starting programs, "sleep" everything that could wake a
// stopped process, "rights" changing permissions of files. See the table at the end.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "sandbox/seccomp.h"

namespace {

using Words = std::vector<std::string>;

int error_unless(bool success) { return success ? 0 : errno; }

int read_file(const Words& words) {
  const int file = ::open(words.at(0).c_str(), O_RDONLY);
  char byte = 0;
  return error_unless(file >= 0 && ::read(file, &byte, 1) >= 0);
}

int write_file(const Words& words) {
  const int file = ::open(words.at(0).c_str(), O_WRONLY | O_APPEND);
  return error_unless(file >= 0 && ::write(file, "x", 1) == 1);
}

// Without writing: it might succeed although it should not.
int open_to_write(const Words& words) { return error_unless(::open(words.at(0).c_str(), O_WRONLY) >= 0); }

int create_file(const Words& words) {
  const int file = ::open(words.at(0).c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  return error_unless(file >= 0 && ::write(file, "x", 1) == 1);
}

int look_at(const Words& words) {
  struct stat status {};
  return error_unless(::stat(words.at(0).c_str(), &status) == 0);
}

// Prints the number of entries of a folder.
int count_entries(const Words& words) {
  DIR* folder = ::opendir(words.at(0).c_str());
  if (folder == nullptr) return errno;
  int count = 0;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") ++count;
  }
  std::printf("%d\n", count);
  std::fflush(stdout);
  return 0;
}

int fill_file(const Words& words) {
  const int file = ::open(words.at(0).c_str(), O_WRONLY | O_CREAT, 0600);
  if (file < 0) return errno;
  const std::vector<char> block(65536, 'x');
  for (long long left = std::atoll(words.at(1).c_str()); left > 0;
       left -= static_cast<long long>(block.size())) {
    if (::write(file, block.data(), block.size()) != static_cast<ssize_t>(block.size())) return errno;
  }
  return 0;
}

int connect_tcp(const Words& words) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(words.at(0).c_str())));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return error_unless(socket >= 0 &&
                      ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
}

int connect_abstract(const Words& words) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, words.at(0).data(), words.at(0).size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + words.at(0).size());
  return error_unless(socket >= 0 &&
                      ::connect(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0);
}

int make_socket(const Words& words) {
  return error_unless(::socket(std::atoi(words.at(0).c_str()), SOCK_DGRAM, 0) >= 0);
}

int send_signal(const Words& words) {
  return error_unless(::kill(std::atoi(words.at(0).c_str()), std::atoi(words.at(1).c_str())) == 0);
}

int attach(const Words& words) {
  return error_unless(::ptrace(PTRACE_SEIZE, std::atoi(words.at(0).c_str()), nullptr, nullptr) == 0);
}

int peek(const Words& words) {
  char byte = 0;
  const iovec local{&byte, 1};
  const iovec remote{reinterpret_cast<void*>(std::strtoull(words.at(1).c_str(), nullptr, 16)), 1};
  return error_unless(::process_vm_readv(std::atoi(words.at(0).c_str()), &local, 1, &remote, 1, 0) == 1);
}

int call(const Words& words) {
  std::array<long, 6> arguments{};
  for (std::size_t i = 1; i < words.size(); ++i)
    arguments.at(i - 1) = std::strtol(words[i].c_str(), nullptr, 0);
  return error_unless(::syscall(std::atol(words.at(0).c_str()), arguments[0], arguments[1], arguments[2],
                                arguments[3], arguments[4], arguments[5]) != -1);
}

int start_process(const Words&) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  return error_unless(child > 0 && ::waitpid(child, nullptr, 0) == child);
}

int start_process_without_copy(const Words&) {
  const pid_t child = ::vfork();
  if (child == 0) ::_exit(0);
  return error_unless(child > 0 && ::waitpid(child, nullptr, 0) == child);
}

int execute(const Words& words) {
  ::execl(words.at(0).c_str(), words.at(0).c_str(), "exit", "0", nullptr);
  return errno;
}

int attempt(Words words);

// "fork-and THING" does it in a child.
int start_and_attempt(const Words& words) {
  const pid_t child = ::fork();
  if (child < 0) return errno;
  if (child == 0) ::_exit(attempt(words));
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : EFAULT;
}

void* rest(void*) {
  for (;;) ::pause();
}

int start_threads(const Words& words) {
  for (int i = std::atoi(words.at(0).c_str()); i > 0; --i) {
    pthread_t thread{};
    if (const int error = ::pthread_create(&thread, nullptr, rest, nullptr); error != 0) return error;
  }
  return 0;
}

// What a thread that existed before the denial can still do.
int deny_behind_a_thread(const Words&) {
  int result = -1;
  int ends[2];
  if (::pipe(ends) != 0) return errno;
  std::thread worker([&] {
    char byte = 0;
    if (::read(ends[0], &byte, 1) == 1) result = start_process({});
  });
  const int error = kgrade::deny_new_programs();
  if (::write(ends[1], "x", 1) != 1) return errno;
  worker.join();
  return error != 0 ? error : result;
}

// Like the CUDA driver, on a thread that is not the first one.
int name_thread(const Words&) {
  int result = -1;
  std::thread([&result] {
    const std::string path = "/proc/self/task/" + std::to_string(::syscall(SYS_gettid)) + "/comm";
    const int file = ::open(path.c_str(), O_WRONLY | O_TRUNC);
    result = error_unless(file >= 0 && ::write(file, "name", 4) == 4);
  }).join();
  return result;
}

int use_memory(const Words& words) {
  const auto bytes = std::strtoull(words.at(0).c_str(), nullptr, 10);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return errno;
  std::memset(memory, 1, bytes);
  return 0;
}

int show_status(const Words&) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return errno;
  for (char line[256]; std::fgets(line, sizeof line, file) != nullptr;) std::fputs(line, stdout);
  std::fflush(stdout);
  return 0;
}

int show_user(const Words&) {
  std::printf("%d %d\n", static_cast<int>(::geteuid()), static_cast<int>(::getegid()));
  std::fflush(stdout);
  return 0;
}

int show_place(const Words&) {
  char folder[4096];
  if (::getcwd(folder, sizeof folder) == nullptr) return errno;
  const char* variable = std::getenv("KEPT_VARIABLE");
  std::printf("%s %s\n", folder, variable != nullptr ? variable : "");
  std::fflush(stdout);
  return 0;
}

int show_descriptors(const Words&) {
  for (int fd = 0; fd < 1024; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) std::printf("%d ", fd);
  }
  std::fflush(stdout);
  return 0;
}

int load_descriptor(const Words&) {
  return ::dlopen("/proc/self/fd/3", RTLD_NOW | RTLD_LOCAL) != nullptr ? 0 : ENOEXEC;
}

// A descendant that does all it can to be missed. It has descriptor 3, and writes a byte to it when it is
// running.
void leave_descendant() {
  if (::fork() != 0) return;
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  ::prctl(PR_SET_PDEATHSIG, 0);
  for (int number = 1; number < 32; ++number) ::signal(number, SIG_IGN);
  if (::write(3, "x", 1) != 1) ::_exit(1);
  for (;;) ::pause();
}

int leave_and_stay(const Words&) {
  leave_descendant();
  for (;;) ::pause();
}

int leave_and_go(const Words&) {
  leave_descendant();
  char byte = 0;  // the test says when
  return error_unless(::read(0, &byte, 1) >= 0);
}

int end_by_signal(const Words& words) {
  ::raise(std::atoi(words.at(0).c_str()));
  return 0;
}

int exit_code(const Words& words) { return std::atoi(words.at(0).c_str()); }

int kill_own_group(const Words&) { return error_unless(::kill(0, SIGKILL) == 0); }

int follow_link(const Words& words) {
  char target[4096];
  const ssize_t count = ::readlink(words.at(0).c_str(), target, sizeof target);
  if (count < 0) return errno;
  std::printf("%.*s\n", static_cast<int>(count), target);
  std::fflush(stdout);
  return 0;
}

int attempt(Words words) {
  if (!words.empty() && words.front() == "deny") {
    if (const int error = kgrade::deny_new_programs(); error != 0) return error;
    words.erase(words.begin());
  }
  if (!words.empty() && words.front() == "sleep") {
    if (const int error = kgrade::deny_waking(); error != 0) return error;
    words.erase(words.begin());
  }
  if (!words.empty() && words.front() == "rights") {
    if (const int error = kgrade::deny_changing_rights(); error != 0) return error;
    words.erase(words.begin());
  }
  if (!words.empty() && words.front() == "accept") {
    if (const int error = kgrade::allow_only_accepting(); error != 0) return error;
    words.erase(words.begin());
  }
  static const std::map<std::string, std::function<int(const Words&)>> things = {
      {"read", read_file},
      {"write", write_file},
      {"open-to-write", open_to_write},
      {"create", create_file},
      {"stat", look_at},
      {"count", count_entries},
      {"fill", fill_file},
      {"connect-tcp", connect_tcp},
      {"connect-abstract", connect_abstract},
      {"socket", make_socket},
      {"kill", send_signal},
      {"ptrace", attach},
      {"peek", peek},
      {"call", call},
      {"fork", start_process},
      {"vfork", start_process_without_copy},
      {"exec", execute},
      {"fork-and", start_and_attempt},
      {"threads", start_threads},
      {"deny-behind-a-thread", deny_behind_a_thread},
      {"name-thread", name_thread},
      {"memory", use_memory},
      {"status", show_status},
      {"user", show_user},
      {"place", show_place},
      {"descriptors", show_descriptors},
      {"load-descriptor", load_descriptor},
      {"leave-and-stay", leave_and_stay},
      {"leave-and-go", leave_and_go},
      {"signal", end_by_signal},
      {"exit", exit_code},
      {"kill-own-group", kill_own_group},
      {"link", follow_link},
  };
  const auto found = words.empty() ? things.end() : things.find(words.front());
  if (found == things.end()) return EINVAL;
  return found->second(Words(words.begin() + 1, words.end()));
}

}  // namespace

int main(int argc, char** argv) { ::_exit(attempt({argv + 1, argv + argc})); }
