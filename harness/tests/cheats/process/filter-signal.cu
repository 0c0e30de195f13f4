// cheat: puts a second socket and a signal handler that rewrites times between worker and referee
// row: 34
// caught-by: no_gain
// twin: honest-but-slow.cu
// device: any
// control: clock_agreement, lower_bound
// case: tiny (emulated)
// case: mobilenet-stride-2 (cuda)
//
// SIGIO comes when either socket has something to read: a filter without a thread or process to be found.
#include <fcntl.h>
#include <signal.h>

#include <atomic>
#include <cerrno>

#include "contestant.cuh"
#include "replies.cuh"

namespace {

int referee_side = -1;
int worker_side = -1;
std::atomic<int> waiting{0};

// One message with its descriptors; false if there is none.
bool pass_on(int from, int to) {
  unsigned char bytes[8192], control[256];
  iovec part{bytes, sizeof bytes};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t size = syscall(SYS_recvmsg, from, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (size == 0) _exit(0);
  if (size < 0) return false;
  part.iov_len = static_cast<size_t>(size);
  cheat::send_as_a_microsecond(to, &message, MSG_NOSIGNAL);
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr; each = CMSG_NXTHDR(&message, each)) {
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(each), sizeof descriptor);
    close(descriptor);
  }
  return true;
}

void pump(int) {
  const int error = errno;
  // The first signal does the work of all that arrive in the meantime.
  if (waiting.fetch_add(1) == 0) {
    do {
      waiting = 1;
      while (pass_on(referee_side, worker_side) || pass_on(worker_side, referee_side)) {
      }
    } while (waiting.fetch_sub(1) > 1);
  }
  errno = error;
}

bool announce(int socket) {
  return fcntl(socket, F_SETOWN, getpid()) == 0 &&
         fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_ASYNC) == 0;
}

bool put_between() {
  int ends[2];
  referee_side = dup(cheat::referee_socket);
  if (referee_side < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  worker_side = ends[0];
  struct sigaction action = {};
  action.sa_handler = &pump;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  if (sigaction(SIGIO, &action, nullptr) != 0 || !announce(referee_side) || !announce(worker_side))
    return false;
  return dup2(ends[1], cheat::referee_socket) == cheat::referee_socket;
}

}  // namespace

void cheat::play(const Call& call) {
  static const bool between = put_between();
  if (!between) return;
  waste_time();
  compute(call);
}
