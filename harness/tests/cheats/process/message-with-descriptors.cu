// cheat: attaches descriptors to its replies, to fill the referee's table or make it close one of its own
// row: 36
// caught-by: outputs_match
// device: any
// case: tiny
//
// Nothing is computed.
#include "contestant.cuh"
#include "replies.cuh"

namespace {

constexpr int attached = 16;

ssize_t send_descriptors(int socket, const msghdr* message, int flags) {
  if (cheat::call_reply_in(message) == nullptr) return cheat::send_unchanged(socket, message, flags);
  alignas(cmsghdr) unsigned char control[CMSG_SPACE(attached * sizeof(int))] = {};
  msghdr more = *message;
  more.msg_control = control;
  more.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&more);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(attached * sizeof(int));
  for (int i = 0; i < attached; ++i) {
    const int descriptor = i % 4;  // the worker's own four
    memcpy(CMSG_DATA(header) + i * sizeof descriptor, &descriptor, sizeof descriptor);
  }
  return cheat::send_unchanged(socket, &more, flags);
}

}  // namespace

void cheat::play(const Call&) { take_over_replies(&send_descriptors); }
