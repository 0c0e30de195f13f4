// kgrade-front: the process of `kgrade serve` that parses HTTP. kgrade-sandbox starts it, with the listening
// socket as descriptor 0 and the socket to the service as descriptor 3. It gives up all further rights before
// it accepts the first client.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "sandbox/fail_launch.h"
#include "sandbox/landlock.h"
#include "sandbox/seccomp.h"
#include "serve/http_front.h"

namespace kgrade {
namespace {

constexpr int listening_descriptor = 0;
constexpr int link_descriptor = 3;

bool is_socket(int descriptor) {
  int type = 0;
  socklen_t size = sizeof type;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

int run() {
  if (!is_socket(listening_descriptor) || !is_socket(link_descriptor)) {
    std::fputs("kgrade-front: `kgrade serve` starts this program, with its sockets\n", stderr);
    return 2;
  }
  constexpr int first_closed = 4;
  close_descriptors(first_closed);
  // Each client needs a descriptor.
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  HttpFront front{UniqueFd(link_descriptor), HttpLimits{}};
  // Layers of protection that the kernel lacks are left out, as in the sandbox. `kgrade doctor` shows them.
  drop_privileges();
  SandboxPolicy nothing;
  nothing.proc = false;
  if (landlock_version() > 0) restrict_files(nothing, "", false);
  const int error = allow_only_accepting();
  if (error != 0 && error != ENOSYS && error != EINVAL)
    fail_launch("the front cannot filter its calls", error);
  front.announce();
  front.accept_at(UniqueFd(listening_descriptor));
  front.run();
  // The service is gone, so there is nothing to clean up.
  ::_exit(0);
}

}  // namespace
}  // namespace kgrade

int main() { return kgrade::run(); }
