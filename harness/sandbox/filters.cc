#include "sandbox/filters.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <initializer_list>

#include "sandbox/filter_program.h"
#include "sandbox/system_call_numbers.h"

namespace kgrade {
namespace {

constexpr unsigned denied_calls[] = {
    // Looking into other processes.
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    call_pidfd_getfd,
    SYS_kcmp,
    call_process_madvise,
    call_process_mrelease,
    // Large parts of the kernel that a contestant has no need of.
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
    // Another view of the file system or of the machine.
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
    // The kernel itself, and its clocks.
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
  // First, since the driver of a GPU lives on it: each instruction before it costs every call.
  constexpr std::uint32_t terminal_input[] = {TIOCSTI, TIOCLINUX};
  program.deny_values(SYS_ioctl, 1, terminal_input, 2);
  for (const unsigned call : denied_calls) program.deny(call, EPERM);
  constexpr std::uint32_t local_only[] = {AF_UNIX};
  program.allow_values(SYS_socket, 0, local_only, 1);
  // The last value only asks.
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
  // 0 means the caller itself here.
  for (const unsigned call : {SYS_prlimit64, SYS_move_pages, SYS_migrate_pages}) {
    program.allow_values(call, 0, itself, 2);
  }
}

}  // namespace

int restrict_system_calls(pid_t only_target) {
  FilterProgram program;
  program.deny_above(call_newest_known);
  deny_reaching_out(program);
  if (only_target != 0) confine_signals(program, only_target);
  program.allow_rest();
  return program.install(0);
}

int deny_waking() {
  FilterProgram program;
  // The signal stands in memory, where no filter can see it: none may be chosen.
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
  // A filter of the contestant's own could answer in the place of the kernel.
  program.deny(SYS_seccomp, EPERM);
  constexpr std::uint32_t set_filter[] = {PR_SET_SECCOMP};
  program.deny_values(SYS_prctl, 0, set_filter, 1);
  program.allow_rest();
  return program.install(SECCOMP_FILTER_FLAG_TSYNC);
}

}  // namespace kgrade
