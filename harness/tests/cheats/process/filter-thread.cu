// cheat: puts a second socket and a thread that rewrites times between worker and referee
// row: 34
// caught-by: idle
// device: any
// control: host_threads
// case: tiny
//
// The thread starts within the first call and stays. Its lies about times are too small for any clock; the
// thread itself is what reveals it.
#include <poll.h>

#include <thread>

#include "contestant.cuh"
#include "replies.cuh"

namespace {

struct Message {
  unsigned char bytes[8192];
  unsigned char control[256];
  iovec part{bytes, sizeof bytes};
  msghdr header{};
};

// Passes one message from one socket to the other, with its descriptors; false at the end.
bool pass_on(int from, int to) {
  Message message;
  message.header.msg_iov = &message.part;
  message.header.msg_iovlen = 1;
  message.header.msg_control = message.control;
  message.header.msg_controllen = sizeof message.control;
  const ssize_t size = recvmsg(from, &message.header, MSG_CMSG_CLOEXEC);
  if (size <= 0) return false;
  message.part.iov_len = static_cast<size_t>(size);
  if (cheat::Reply* const reply = cheat::call_reply_in(&message.header)) reply->elapsed_ms /= 2;
  const bool sent = sendmsg(to, &message.header, MSG_NOSIGNAL) == size;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message.header); part != nullptr;
       part = CMSG_NXTHDR(&message.header, part)) {
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(part), sizeof descriptor);
    close(descriptor);
  }
  return sent;
}

void filter(int referee, int worker) {
  pollfd sources[2] = {{referee, POLLIN, 0}, {worker, POLLIN, 0}};
  bool open = true;
  while (open && poll(sources, 2, -1) > 0) {
    if (sources[0].revents != 0) open = pass_on(referee, worker);
    if (open && sources[1].revents != 0) open = pass_on(worker, referee);
  }
  _exit(0);
}

bool put_between() {
  int ends[2];
  const int referee = dup(cheat::referee_socket);
  if (referee < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  std::thread(&filter, referee, ends[0]).detach();
  return dup2(ends[1], cheat::referee_socket) == cheat::referee_socket;
}

}  // namespace

void cheat::play(const Call& call) {
  static const bool between = put_between();
  if (between) compute(call);
}
