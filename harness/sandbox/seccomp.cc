#include "sandbox/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "sandbox/system_call_numbers.h"

namespace kgrade {
namespace {

#if defined(__x86_64__) && defined(__LP64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t architecture = 0;  // unsupported: nobody has checked its numbers of calls
#endif

// The low half of an argument. Both architectures are little-endian.
constexpr std::uint32_t argument_offset(unsigned index) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t));
}

// Before Linux 4.14, a filter could only end the thread.
#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS SECCOMP_RET_KILL
#endif

// A small assembler of seccomp filters: classic BPF over `struct seccomp_data`.
//
// The number of the system call stays in the accumulator until the checks for one call begin. The checks for
// one call always end in a verdict, so the number never has to be loaded again.
class FilterProgram {
 public:
  // Begins with a check of the architecture. Calls of another architecture (i386 on x86-64) end the process,
  // since the same numbers mean other calls there. Calls of x32 fail as non-existent.
  FilterProgram() {
    append(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    append(BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0);
    append(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    append(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
#ifdef __x86_64__
    constexpr std::uint32_t x32 = 0x40000000;
    append(BPF_JMP | BPF_JGE | BPF_K, x32, 0, 1);
    deny_here(ENOSYS);
#endif
  }

  // Calls with this number fail with `error`.
  void deny(unsigned call, int error) {
    append(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    deny_here(error);
  }
  // Calls with a number above `call` fail with ENOSYS.
  void deny_above(unsigned call) {
    append(BPF_JMP | BPF_JGT | BPF_K, call, 0, 1);
    deny_here(ENOSYS);
  }
  // Allows calls with this number.
  void allow(unsigned call) {
    append(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    allow_rest();
  }
  // The last instruction: allows or denies all calls that were not named before.
  void allow_rest() { append(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }
  void deny_rest(int error) { deny_here(error); }

  // Check the low 32 bits of argument `index` of one call. All arguments checked here have 32 bits, or have
  // their whole meaning in the low 32. The first function denies these values and allows all others. The
  // second allows these values and denies all others.
  void deny_values(unsigned call, unsigned index, const std::uint32_t* values, unsigned count) {
    begin_block(call, index, count + 2);
    for (unsigned i = 0; i < count; ++i) append(BPF_JMP | BPF_JEQ | BPF_K, values[i], count - i, 0);
    allow_rest();
    deny_here(EPERM);
  }
  void allow_values(unsigned call, unsigned index, const std::uint32_t* values, unsigned count) {
    begin_block(call, index, count + 2);
    for (unsigned i = 0; i < count; ++i) append(BPF_JMP | BPF_JEQ | BPF_K, values[i], count - i, 0);
    deny_here(EPERM);
    allow_rest();
  }
  // The first function denies the call if any of these bits is set. The second denies it if none of them is
  // set.
  void deny_any_bit(unsigned call, unsigned index, std::uint32_t bits) {
    begin_block(call, index, 3);
    append(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
    allow_rest();
    deny_here(EPERM);
  }
  void demand_bit(unsigned call, unsigned index, std::uint32_t bits) {
    begin_block(call, index, 3);
    append(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
    deny_here(EPERM);
    allow_rest();
  }

  // Sets no_new_privs and calls seccomp(2) with SECCOMP_SET_MODE_FILTER. Returns 0 or an errno value.
  int install(unsigned flags) {
    if (architecture == 0) return ENOSYS;
    if (size_ > capacity) return E2BIG;
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    const sock_fprog program{static_cast<unsigned short>(size_), instructions_};
    const long result = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    if (result < 0) return errno;
    // With SECCOMP_FILTER_FLAG_TSYNC, a positive result is the id of a thread that has its own filter and
    // cannot be synchronized.
    return result > 0 ? EBUSY : 0;
  }

 private:
  static constexpr std::size_t capacity = 512;

  void append(unsigned code, std::uint32_t operand, unsigned if_true = 0, unsigned if_false = 0) {
    // A program that is too long must not be cut off silently: install() checks the size.
    if (size_ < capacity) {
      instructions_[size_] = {static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(if_true),
                              static_cast<std::uint8_t>(if_false), operand};
    }
    ++size_;
  }
  void begin_block(unsigned call, unsigned index, unsigned length) {
    append(BPF_JMP | BPF_JEQ | BPF_K, call, 0, length + 1);
    append(BPF_LD | BPF_W | BPF_ABS, argument_offset(index));
  }
  void deny_here(int error) {
    append(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(error) & SECCOMP_RET_DATA));
  }

  sock_filter instructions_[capacity];
  std::size_t size_ = 0;
};

constexpr unsigned denied_calls[] = {
    // Access to other processes.
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    call_pidfd_getfd,
    SYS_kcmp,
    call_process_madvise,
    call_process_mrelease,
    // Large parts of the kernel that a contestant does not need.
    call_io_uring_setup,
    call_io_uring_enter,
    call_io_uring_register,
    SYS_perf_event_open,
    SYS_bpf,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_fanotify_init,
    // Other views of the file system or the machine.
    SYS_mount,
    SYS_umount2,
    call_open_tree,
    call_open_tree_attr,
    call_move_mount,
    call_fsopen,
    call_fsconfig,
    call_fsmount,
    call_fspick,
    call_mount_setattr,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    SYS_quotactl,
    call_quotactl_fd,
    SYS_acct,
    SYS_swapon,
    SYS_swapoff,
    // The kernel itself and its clocks.
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_reboot,
    SYS_syslog,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
#ifdef __x86_64__
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
    SYS_uselib,
    SYS_ustat,
    SYS_sysfs,
    SYS_create_module,
    SYS__sysctl,
#endif
};

void deny_reaching_out(FilterProgram& program) {
  // ioctl comes first, since GPU drivers call it most: each instruction before it slows every call.
  constexpr std::uint32_t terminal_input[] = {TIOCSTI, TIOCLINUX};
  program.deny_values(SYS_ioctl, 1, terminal_input, 2);
  for (const unsigned call : denied_calls) program.deny(call, EPERM);
  constexpr std::uint32_t local_only[] = {AF_UNIX};
  program.allow_values(SYS_socket, 0, local_only, 1);
  // The last value only queries the personality.
  constexpr std::uint32_t personalities[] = {0, READ_IMPLIES_EXEC, 0xffffffff};
  program.allow_values(SYS_personality, 0, personalities, 3);
  program.deny_any_bit(SYS_clone, 0,
                       CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                           CLONE_NEWPID | CLONE_NEWNET);
  program.deny(call_clone3, ENOSYS);
}

void confine_signals(FilterProgram& program, pid_t target) {
  const std::uint32_t itself[] = {static_cast<std::uint32_t>(target), 0};
  for (const unsigned call : {SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo}) {
    program.allow_values(call, 0, itself, 1);
  }
  program.deny(call_pidfd_send_signal, EPERM);
  // In these calls, 0 means the caller itself.
  for (const unsigned call : {SYS_prlimit64, SYS_move_pages, SYS_migrate_pages}) {
    program.allow_values(call, 0, itself, 2);
  }
}

// The calls that a loop over open sockets makes, most frequent first, and the calls by which the C library
// manages memory and ends the process.
constexpr unsigned calls_of_accepting[] = {
    SYS_recvmsg,
    SYS_recvfrom,
    SYS_sendmsg,
    SYS_sendto,
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
#ifdef SYS_epoll_wait
    SYS_epoll_wait,
#endif
    SYS_epoll_pwait,
    SYS_epoll_ctl,
    SYS_timerfd_settime,
    SYS_accept4,
    SYS_close,
    SYS_shutdown,
    SYS_getsockopt,
    SYS_setsockopt,
    SYS_getsockname,
    SYS_getpeername,
#ifdef SYS_poll
    SYS_poll,
#endif
    SYS_ppoll,
    SYS_futex,
    SYS_clock_gettime,
    SYS_gettimeofday,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_sched_yield,
    SYS_brk,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_getrandom,
    SYS_getpid,
    SYS_gettid,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_restart_syscall,
    SYS_sigaltstack,
    SYS_exit,
    SYS_exit_group,
};

}  // namespace

int restrict_system_calls(pid_t only_target) {
  FilterProgram program;
  program.deny_above(call_newest_known);
  deny_reaching_out(program);
  if (only_target != 0) confine_signals(program, only_target);
  program.allow_rest();
  return program.install(0);
}

int allow_only_accepting() {
  FilterProgram program;
  for (const unsigned call : calls_of_accepting) program.allow(call);
  constexpr std::uint32_t non_blocking[] = {FIONBIO};
  program.allow_values(SYS_ioctl, 1, non_blocking, 1);
  constexpr std::uint32_t flags[] = {F_GETFD, F_SETFD, F_GETFL, F_SETFL};
  program.allow_values(SYS_fcntl, 1, flags, 4);
  program.deny_any_bit(SYS_mmap, 2, PROT_EXEC);
  program.deny_any_bit(SYS_mprotect, 2, PROT_EXEC);
  // abort(3) signals the process itself.
  const std::uint32_t itself[] = {static_cast<std::uint32_t>(::getpid())};
  program.allow_values(SYS_tgkill, 0, itself, 1);
  program.deny_rest(EPERM);
  return program.install(SECCOMP_FILTER_FLAG_TSYNC);
}

int deny_waking() {
  FilterProgram program;
  // These calls are denied, because they take the signal from memory, where no filter can see it.
  program.deny(SYS_timer_create, EPERM);
  program.deny(SYS_mq_notify, EPERM);
  constexpr std::uint32_t choose_signal[] = {F_SETSIG};
  program.deny_values(SYS_fcntl, 1, choose_signal, 1);
  constexpr std::uint32_t go_on[] = {SIGCONT};
  for (const unsigned call :
       {unsigned{SYS_kill}, unsigned{SYS_tkill}, unsigned{SYS_rt_sigqueueinfo}, call_pidfd_send_signal})
    program.deny_values(call, 1, go_on, 1);
  for (const unsigned call : {unsigned{SYS_tgkill}, unsigned{SYS_rt_tgsigqueueinfo}})
    program.deny_values(call, 2, go_on, 1);
  constexpr std::uint32_t at_death[] = {PR_SET_PDEATHSIG};
  program.deny_values(SYS_prctl, 0, at_death, 1);
  program.allow_rest();
  return program.install(SECCOMP_FILTER_FLAG_TSYNC);
}

int deny_changing_rights() {
  FilterProgram program;
#ifdef SYS_chmod
  program.deny(SYS_chmod, EPERM);
#endif
  // Access control lists are extended attributes.
  for (const unsigned call :
       {unsigned{SYS_fchmod}, unsigned{SYS_fchmodat}, call_fchmodat2, unsigned{SYS_setxattr},
        unsigned{SYS_lsetxattr}, unsigned{SYS_fsetxattr}, call_setxattrat})
    program.deny(call, EPERM);
  program.allow_rest();
  return program.install(SECCOMP_FILTER_FLAG_TSYNC);
}

int deny_new_programs() {
  FilterProgram program;
  program.deny(SYS_execve, EPERM);
  program.deny(SYS_execveat, EPERM);
#ifdef SYS_fork
  program.deny(SYS_fork, EPERM);
  program.deny(SYS_vfork, EPERM);
#endif
  program.deny(call_clone3, ENOSYS);
  program.demand_bit(SYS_clone, 0, CLONE_THREAD);
  // A filter that a contestant installs could answer calls instead of the kernel.
  program.deny(SYS_seccomp, EPERM);
  constexpr std::uint32_t set_filter[] = {PR_SET_SECCOMP};
  program.deny_values(SYS_prctl, 0, set_filter, 1);
  program.allow_rest();
  return program.install(SECCOMP_FILTER_FLAG_TSYNC);
}

}  // namespace kgrade
