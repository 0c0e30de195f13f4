#include "sandbox/privileges.h"

#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "sandbox/fail_launch.h"
#include "sandbox/system_call_numbers.h"

namespace kgrade {
namespace {

void cut_bounding_set() {
  for (unsigned long capability = 0;; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0) continue;
    if (errno == EINVAL || errno == EPERM) return;
    fail_launch("cannot cut the bounding set of capabilities");
  }
}

void lock_secure_bits() {
  constexpr unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                 SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                 SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  if (::prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) != 0 && errno != EPERM)
    fail_launch("cannot lock the secure bits");
}

void close_range_slowly(int first, int last) {
  for (int fd = first; fd <= last; ++fd) ::close(fd);
}

void close_range(int first, int last) {
  if (first > last) return;
  if (::syscall(call_close_range, first, last, 0) == 0) return;
  rlimit limit{};
  constexpr rlim_t most = 1 << 20;
  ::getrlimit(RLIMIT_NOFILE, &limit);
  close_range_slowly(first, std::min(last, static_cast<int>(std::min(limit.rlim_max, most))));
}

}  // namespace

void drop_privileges() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail_launch("cannot set no_new_privs");
  lock_secure_bits();
  cut_bounding_set();
  // This call fails on Linux before 4.3. That is harmless, because there are no ambient capabilities.
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3]{};
  if (::syscall(SYS_capset, &header, none) != 0) fail_launch("cannot drop the capabilities");
}

void close_descriptors(int first, int kept) {
  constexpr int last = 0x7fffffff;
  if (kept < first) return close_range(first, last);
  close_range(first, kept - 1);
  close_range(kept + 1, last);
}

}  // namespace kgrade
