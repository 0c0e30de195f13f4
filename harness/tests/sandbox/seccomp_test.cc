// Tries each system call that a confined program must not make.
#include "sandbox/seccomp.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>

#include "sandbox/system_call_numbers.h"
#include "tests/sandbox/confinement.h"

namespace kgrade::seccomp_test {

struct Call {
  const char* name;
  long number;
};

constexpr Call denied_calls[] = {
    {"ptrace", SYS_ptrace},
    {"process_vm_readv", SYS_process_vm_readv},
    {"process_vm_writev", SYS_process_vm_writev},
    {"pidfd_getfd", call_pidfd_getfd},
    {"kcmp", SYS_kcmp},
    {"io_uring_setup", call_io_uring_setup},
    {"io_uring_enter", call_io_uring_enter},
    {"io_uring_register", call_io_uring_register},
    {"perf_event_open", SYS_perf_event_open},
    {"bpf", SYS_bpf},
    {"userfaultfd", SYS_userfaultfd},
    {"keyctl", SYS_keyctl},
    {"add_key", SYS_add_key},
    {"request_key", SYS_request_key},
    {"mount", SYS_mount},
    {"umount2", SYS_umount2},
    {"open_tree", call_open_tree},
    {"move_mount", call_move_mount},
    {"fsopen", call_fsopen},
    {"fsconfig", call_fsconfig},
    {"fsmount", call_fsmount},
    {"fspick", call_fspick},
    {"mount_setattr", call_mount_setattr},
    {"pivot_root", SYS_pivot_root},
    {"chroot", SYS_chroot},
    {"unshare", SYS_unshare},
    {"setns", SYS_setns},
    {"name_to_handle_at", SYS_name_to_handle_at},
    {"open_by_handle_at", SYS_open_by_handle_at},
    {"kexec_load", SYS_kexec_load},
    {"init_module", SYS_init_module},
    {"finit_module", SYS_finit_module},
    {"delete_module", SYS_delete_module},
    {"swapon", SYS_swapon},
    {"swapoff", SYS_swapoff},
    {"reboot", SYS_reboot},
    {"settimeofday", SYS_settimeofday},
    {"clock_settime", SYS_clock_settime},
    {"clock_adjtime", SYS_clock_adjtime},
    {"adjtimex", SYS_adjtimex},
    {"acct", SYS_acct},
    {"quotactl", SYS_quotactl},
    {"syslog", SYS_syslog},
};

class Filters : public testing::Test {
 protected:
  void SetUp() override { SKIP_UNLESS_POSSIBLE(only_seccomp); }
  int call(long number, const Words& arguments = {}) const {
    Words words = {"call", std::to_string(number)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return Confined(only_seccomp).attempt(words);
  }
};

TEST_F(Filters, calls_that_reach_out_are_denied) {
  for (const auto& [name, number] : denied_calls) EXPECT_EQ(call(number), EPERM) << name;
}

TEST_F(Filters, sockets_are_local) {
  const Confined confined(only_seccomp);
  EXPECT_EQ(confined.attempt({"socket", std::to_string(AF_UNIX)}), 0);
  for (const int family : {AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK, AF_ALG, AF_BLUETOOTH}) {
    EXPECT_EQ(confined.attempt({"socket", std::to_string(family)}), EPERM) << family;
  }
}

TEST_F(Filters, high_halves_of_arguments_do_not_help) {
  // The kernel looks at 32 bits of these.
  const std::string inet = std::to_string(0x100000000L + AF_INET);
  EXPECT_EQ(call(SYS_socket, {inet, std::to_string(SOCK_STREAM), "0"}), EPERM);
  EXPECT_EQ(call(SYS_ioctl, {"0", std::to_string(0x100000000L + TIOCSTI), "0"}), EPERM);
}

TEST_F(Filters, a_terminal_takes_no_input_from_it) {
  EXPECT_EQ(call(SYS_ioctl, {"0", std::to_string(TIOCSTI), "0"}), EPERM);
  EXPECT_EQ(call(SYS_ioctl, {"-1", std::to_string(TIOCGWINSZ), "0"}), EBADF);
}

TEST_F(Filters, namespaces_are_denied_and_clone3_does_not_exist) {
  for (const long flag : {CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS,
                          CLONE_NEWCGROUP}) {
    EXPECT_EQ(call(SYS_clone, {std::to_string(flag), "0", "0", "0", "0"}), EPERM) << flag;
  }
  EXPECT_EQ(call(call_clone3, {"0", "0"}), ENOSYS);
}

TEST_F(Filters, calls_that_nobody_has_judged_do_not_exist) {
  EXPECT_EQ(call(call_newest_known + 1), ENOSYS);
  EXPECT_EQ(call(100000), ENOSYS);
#ifdef __x86_64__
  EXPECT_EQ(call(0x40000000 + SYS_getpid), ENOSYS);
#endif
}

TEST_F(Filters, the_personality_can_be_asked_for) {
  EXPECT_EQ(call(SYS_personality, {"0xffffffff"}), 0);
  EXPECT_EQ(call(SYS_personality, {std::to_string(ADDR_NO_RANDOMIZE)}), EPERM);
}

TEST_F(Filters, what_a_driver_of_a_gpu_needs_is_left) {
  for (const Call& one :
       {Call{"sched_yield", SYS_sched_yield}, Call{"eventfd2", SYS_eventfd2}, Call{"getpid", SYS_getpid},
        Call{"gettid", SYS_gettid}, Call{"munlockall", SYS_munlockall}}) {
    EXPECT_EQ(call(one.number), 0) << one.name;
  }
}

TEST_F(Filters, who_only_accepts_connections_can_do_nothing_else) {
  const Confined confined(only_seccomp);
  for (const Words& words : {Words{"read", "/etc/passwd"}, Words{"open-to-write", "/dev/null"},
                             Words{"stat", "/"}, Words{"socket", std::to_string(AF_UNIX)}, Words{"fork"},
                             Words{"vfork"}, Words{"exec", "/bin/true"}, Words{"kill", "1", "0"}}) {
    Words all = {"accept"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_EQ(confined.attempt(all), EPERM) << words.front();
  }
  const auto tried = [&confined](long number, const Words& arguments = {}) {
    Words words = {"accept", "call", std::to_string(number)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return confined.attempt(words);
  };
  for (const long number :
       {SYS_openat, SYS_connect, SYS_bind, SYS_listen, SYS_socketpair, SYS_pipe2, SYS_dup3, SYS_clone,
        SYS_prctl, SYS_unlinkat, SYS_memfd_create, SYS_prlimit64, SYS_seccomp})
    EXPECT_EQ(tried(number), EPERM) << number;
  const auto memory = [&tried](int protection) {
    return tried(SYS_mmap, {"0", "4096", std::to_string(protection), "34", "-1", "0"});
  };
  EXPECT_EQ(memory(PROT_READ | PROT_WRITE), 0);
  EXPECT_EQ(memory(PROT_READ | PROT_EXEC), EPERM);
  // What it does is left: the calls fail only for lack of a socket.
  for (const long number : {SYS_accept4, SYS_recvmsg, SYS_sendmsg, SYS_shutdown})
    EXPECT_EQ(tried(number, {"-1", "0", "0", "0"}), EBADF) << number;
}

TEST_F(Filters, limits_of_others_are_out_of_reach) {
  EXPECT_EQ(call(SYS_prlimit64, {std::to_string(::getpid()), "7", "0", "0"}), EPERM);
  EXPECT_EQ(call(SYS_prlimit64, {"0", "7", "0", "0"}), 0);
}

TEST(DenyNewPrograms, needs_no_launcher) {
  EXPECT_EQ(plain_attempt({"fork"}), 0);
  EXPECT_EQ(plain_attempt({"deny", "threads", "4"}), 0);
  EXPECT_EQ(plain_attempt({"deny", "fork"}), EPERM);
  EXPECT_EQ(plain_attempt({"deny", "vfork"}), EPERM);
  EXPECT_EQ(plain_attempt({"deny", "exec", ATTEMPTS_PROGRAM}), EPERM);
  EXPECT_EQ(plain_attempt({"deny", "call", std::to_string(SYS_execveat)}), EPERM);
  EXPECT_EQ(plain_attempt({"deny", "call", std::to_string(call_clone3)}), ENOSYS);
}

TEST(DenyNewPrograms, holds_for_threads_that_were_there_before) {
  EXPECT_EQ(plain_attempt({"deny-behind-a-thread"}), EPERM);
}

TEST(DenyWaking, NothingSendsTheSignalOnWhichAStoppedProcessGoesOn) {
  const auto call_of = [](unsigned number, const std::vector<std::string>& arguments, bool denied) {
    std::vector<std::string> words = {"call", std::to_string(number)};
    if (denied) words.insert(words.begin(), "sleep");
    words.insert(words.end(), arguments.begin(), arguments.end());
    return plain_attempt(words);
  };
  const std::string go_on = std::to_string(SIGCONT), nothing = "0";
  struct Sender {
    unsigned number;
    std::vector<std::string> arguments;
    int otherwise;  // what comes of it without the filter
  };
  for (const Sender& one :
       {Sender{SYS_timer_create, {"1", "0", "0"}, EFAULT},
        Sender{SYS_fcntl, {"0", std::to_string(F_SETSIG), go_on}, 0}, Sender{SYS_kill, {"0", go_on}, 0},
        Sender{SYS_tkill, {"1000000000", go_on}, ESRCH},
        Sender{SYS_tgkill, {"1000000000", "1000000000", go_on}, ESRCH},
        Sender{SYS_prctl, {std::to_string(PR_SET_PDEATHSIG), go_on}, 0}}) {
    EXPECT_EQ(call_of(one.number, one.arguments, false), one.otherwise) << one.number;
    EXPECT_EQ(call_of(one.number, one.arguments, true), EPERM) << one.number;
  }
  EXPECT_EQ(call_of(SYS_kill, {"0", nothing}, true), 0);
  EXPECT_EQ(call_of(SYS_fcntl, {"0", std::to_string(F_GETFD)}, true), 0);
}

TEST(DenyChangingRights, NobodyGivesItselfTheRightToWriteToAFile) {
  const auto call_of = [](unsigned number, const Words& arguments, bool denied) {
    Words words = {"call", std::to_string(number)};
    if (denied) words.insert(words.begin(), "rights");
    words.insert(words.end(), arguments.begin(), arguments.end());
    return plain_attempt(words);
  };
  constexpr unsigned calls[] = {
#ifdef SYS_chmod
      SYS_chmod,
#endif
      SYS_fchmod, SYS_fchmodat, call_fchmodat2, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, call_setxattrat,
  };
  for (const unsigned number : calls) {
    EXPECT_NE(call_of(number, {"-1", "0", "0", "0"}, false), EPERM) << number;
    EXPECT_EQ(call_of(number, {"-1", "0", "0", "0"}, true), EPERM) << number;
  }
  EXPECT_EQ(call_of(SYS_getpid, {}, true), 0);
}

TEST(DenyNewPrograms, no_further_filter_can_be_installed) {
  EXPECT_EQ(plain_attempt({"deny", "call", std::to_string(SYS_seccomp), "1", "0", "0"}), EPERM);
  constexpr long set_seccomp = 22;
  EXPECT_EQ(plain_attempt({"deny", "call", std::to_string(SYS_prctl), std::to_string(set_seccomp), "2"}),
            EPERM);
}

}  // namespace kgrade::seccomp_test
