// cheat: installs a seccomp filter that traps sendmsg, and rewrites the reply in the handler of SIGSYS
// row: 34
// caught-by: no_gain
// twin: honest-but-slow.cu
// device: any
// control: clock_agreement, lower_bound
// case: tiny (emulated)
// case: mobilenet-stride-2 (cuda)
//
// No code, table or descriptor of the worker is touched. If no filter can be installed, the worker's imports
// are patched, with the same effect.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include "contestant.cuh"
#include "replies.cuh"

namespace {

// The same call under another name: the filter does not trap sendto.
ssize_t send_instead(const msghdr* message) {
  cheat::Reply* const reply = cheat::call_reply_in(message);
  if (reply != nullptr) reply->elapsed_ms = 0.001;
  return syscall(SYS_sendto, cheat::referee_socket, message->msg_iov[0].iov_base, message->msg_iov[0].iov_len,
                 MSG_NOSIGNAL, nullptr, 0);
}

void on_trap(int, siginfo_t*, void* context) {
  mcontext_t& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  machine.gregs[REG_RAX] = send_instead(reinterpret_cast<const msghdr*>(machine.gregs[REG_RSI]));
#else
  machine.regs[0] = (unsigned long)send_instead(reinterpret_cast<const msghdr*>(machine.regs[1]));
#endif
}

bool trap_sendmsg() {
  struct sigaction action = {};
  action.sa_sigaction = &on_trap;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (sigaction(SIGSYS, &action, nullptr) != 0) return false;
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sendmsg, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, cheat::referee_socket, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof filter / sizeof filter[0], filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

}  // namespace

void cheat::play(const Call& call) {
  static const bool patched = trap_sendmsg() || take_over_replies(&send_as_a_microsecond);
  if (!patched) return;
  waste_time();
  compute(call);
}
