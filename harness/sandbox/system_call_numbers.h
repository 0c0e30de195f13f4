// Numbers of system calls that the headers of older distributions lack. From 424 on, numbers are equal on all
// architectures (include/uapi/asm-generic/unistd.h of Linux).
#pragma once

#include <sys/syscall.h>

#define KGRADE_CALL(name, number) inline constexpr unsigned call_##name = number

namespace kgrade {

KGRADE_CALL(pidfd_send_signal, 424);
KGRADE_CALL(io_uring_setup, 425);
KGRADE_CALL(io_uring_enter, 426);
KGRADE_CALL(io_uring_register, 427);
KGRADE_CALL(open_tree, 428);
KGRADE_CALL(move_mount, 429);
KGRADE_CALL(fsopen, 430);
KGRADE_CALL(fsconfig, 431);
KGRADE_CALL(fsmount, 432);
KGRADE_CALL(fspick, 433);
KGRADE_CALL(clone3, 435);
KGRADE_CALL(close_range, 436);
KGRADE_CALL(pidfd_getfd, 438);
KGRADE_CALL(process_madvise, 440);
KGRADE_CALL(mount_setattr, 442);
KGRADE_CALL(quotactl_fd, 443);
KGRADE_CALL(landlock_create_ruleset, 444);
KGRADE_CALL(landlock_add_rule, 445);
KGRADE_CALL(landlock_restrict_self, 446);
KGRADE_CALL(process_mrelease, 448);
KGRADE_CALL(fchmodat2, 452);
KGRADE_CALL(setxattrat, 463);
KGRADE_CALL(open_tree_attr, 467);
// The number of file_setattr, the newest call for which the filters were checked. Newer calls may be harmful.
KGRADE_CALL(newest_known, 469);

}  // namespace kgrade

#undef KGRADE_CALL
