#include "base/child_setup.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace kgrade {
namespace {

constexpr int kept_descriptor = 3;

// Changes the limit on the number of open files.
template <class Change>
void change_descriptor_limit(Change change) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  change(limit);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void set_limit(int resource, std::uint64_t value) {
  if (value == 0) return;
  const rlimit limit{value, value};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

}  // namespace

void set_up_child(const SpawnRequest& request, pid_t parent) {
  // A group alone is not enough. Because of the session, descendants of this child can never join our group.
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  // Copy to numbers above the targets first, so that no dup2 overwrites a source.
  const int null_fd = ::fcntl(::open("/dev/null", O_RDWR), F_DUPFD, 16);
  const int in = request.stdin_fd >= 0 ? ::fcntl(request.stdin_fd, F_DUPFD, 16) : null_fd;
  const int out = request.output_fd >= 0 ? ::fcntl(request.output_fd, F_DUPFD, 16) : null_fd;
  const int err = request.error_fd >= 0 ? ::fcntl(request.error_fd, F_DUPFD, 16) : out;
  const int kept = request.kept_fd >= 0 ? ::fcntl(request.kept_fd, F_DUPFD, 16) : -1;
  ::dup2(in, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  unsigned int first_closed = kept_descriptor;
  if (kept >= 0) {
    ::dup2(kept, kept_descriptor);
    first_closed = kept_descriptor + 1;
  }
  if (::close_range(first_closed, ~0U, 0) != 0) ::_exit(127);
  if (!request.working_directory.empty() && ::chdir(request.working_directory.c_str()) != 0) ::_exit(127);
  restore_usual_descriptor_limit();
  set_limit(RLIMIT_CPU, static_cast<std::uint64_t>(request.limits.cpu.count()));
  set_limit(RLIMIT_AS, request.limits.address_space_bytes);
  set_limit(RLIMIT_FSIZE, request.limits.file_size_bytes);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
}

void raise_descriptor_limit() {
  change_descriptor_limit([](rlimit& limit) {
    constexpr rlim_t enough = 1 << 20;
    limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, enough));
  });
}

void restore_usual_descriptor_limit() {
  change_descriptor_limit([](rlimit& limit) {
    constexpr rlim_t usual = 1024;
    limit.rlim_cur = std::min(limit.rlim_cur, usual);
  });
}

void limit_descriptors(unsigned int most) {
  change_descriptor_limit([most](rlimit& limit) {
    limit.rlim_max = std::min<rlim_t>(limit.rlim_max, most);
    limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  });
}

}  // namespace kgrade
