#include "sandbox/landlock.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "sandbox/fail_launch.h"
#include "sandbox/system_call_numbers.h"

namespace kgrade {
namespace {

// linux/landlock.h as of version 7; the headers of distributions lag behind their kernels.
constexpr std::uint64_t execute_file = 1 << 0;
constexpr std::uint64_t write_file = 1 << 1;
constexpr std::uint64_t read_file = 1 << 2;
constexpr std::uint64_t read_directory = 1 << 3;
constexpr std::uint64_t remove_directory = 1 << 4;
constexpr std::uint64_t remove_file = 1 << 5;
constexpr std::uint64_t make_directory = 1 << 7;
constexpr std::uint64_t make_file = 1 << 8;
constexpr std::uint64_t make_socket = 1 << 9;
constexpr std::uint64_t make_pipe = 1 << 10;
constexpr std::uint64_t make_link = 1 << 12;
constexpr std::uint64_t all_of_version_1 = (1 << 13) - 1;
constexpr std::uint64_t refer = 1 << 13;         // version 2
constexpr std::uint64_t cut_short = 1 << 14;     // version 3
constexpr std::uint64_t ioctl_device = 1 << 15;  // version 5
constexpr std::uint64_t rights_to_files = execute_file | write_file | read_file | cut_short | ioctl_device;
constexpr std::uint64_t all_of_network = 3;  // bind and connect of TCP, version 4
constexpr std::uint64_t all_scopes = 3;      // abstract sockets and signals, version 6

constexpr std::uint64_t read_rights = execute_file | read_file | read_directory;
constexpr std::uint64_t write_rights = read_file | read_directory | write_file | remove_directory |
                                       remove_file | make_directory | make_file | make_socket | make_pipe |
                                       make_link | refer | cut_short;
constexpr std::uint64_t device_rights = read_file | read_directory | write_file | ioctl_device;

// The rights to write to /proc/self/task/ID/comm. CUDA's driver fails without them.
constexpr std::uint64_t name_thread = write_file | cut_short;

constexpr int rule_path_beneath = 1;

struct RulesetRequest {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scopes = 0;
};

struct __attribute__((packed)) PathRule {
  std::uint64_t allowed = 0;
  std::int32_t parent = -1;
};

class Ruleset {
 public:
  explicit Ruleset(int version)
      : handled_(all_of_version_1 | (version >= 2 ? refer : 0) | (version >= 3 ? cut_short : 0) |
                 (version >= 5 ? ioctl_device : 0)) {
    const RulesetRequest request{handled_, version >= 4 ? all_of_network : 0, version >= 6 ? all_scopes : 0};
    // An older kernel refuses a longer structure unless the rest is zero, so it gets only the size that it
    // knows.
    const std::size_t size = version >= 6 ? sizeof request : version >= 4 ? 16 : 8;
    ruleset_ = static_cast<int>(::syscall(call_landlock_create_ruleset, &request, size, 0));
    if (ruleset_ < 0) fail_launch("cannot make a Landlock ruleset");
  }

  // A missing path is ignored.
  void allow(const std::filesystem::path& path, std::uint64_t rights) const {
    const int file = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    if (file < 0) return;
    struct stat status {};
    if (::fstat(file, &status) != 0) fail_launch("cannot look at " + path.string());
    if (!S_ISDIR(status.st_mode)) rights &= rights_to_files;
    const PathRule rule{rights & handled_, file};
    if (::syscall(call_landlock_add_rule, ruleset_, rule_path_beneath, &rule, 0) != 0) {
      fail_launch("cannot add " + path.string() + " to the Landlock rules");
    }
    ::close(file);
  }

  void enforce() const {
    if (::syscall(call_landlock_restrict_self, ruleset_, 0) != 0)
      fail_launch("cannot enforce the Landlock rules");
    ::close(ruleset_);
  }

 private:
  std::uint64_t handled_;
  int ruleset_ = -1;
};

void cut_bounding_set() {
  for (unsigned long capability = 0;; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0) continue;
    if (errno == EINVAL || errno == EPERM) return;
    fail_launch("cannot cut the bounding set of capabilities");
  }
}

void close_range(int first, int last) {
  if (first > last) return;
  if (::syscall(call_close_range, first, last, 0) == 0) return;
  rlimit limit{};
  constexpr rlim_t most = 1 << 20;
  ::getrlimit(RLIMIT_NOFILE, &limit);
  last = std::min(last, static_cast<int>(std::min(limit.rlim_max, most)));
  for (int fd = first; fd <= last; ++fd) ::close(fd);
}

}  // namespace

int landlock_version() {
  constexpr unsigned ask_version = 1;
  const long version = ::syscall(call_landlock_create_ruleset, nullptr, 0, ask_version);
  return version > 0 ? static_cast<int>(version) : 0;
}

void restrict_files(const SandboxPolicy& policy, const std::filesystem::path& program, bool own_root) {
  const Ruleset rules(landlock_version());
  for (const auto& path : policy.readable) rules.allow(path, read_rights);
  for (const auto& path : policy.writable) rules.allow(path, write_rights);
  for (const auto& path : policy.devices) rules.allow(path, device_rights);
  for (const char* path : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}) {
    rules.allow(path, device_rights);
  }
  rules.allow(program, read_rights);
  if (own_root) {
    rules.allow("/", read_directory);
    rules.allow("/tmp", write_rights);
    rules.allow("/dev/shm", write_rights);
    // Landlock allows this in all of /proc. The mounts restrict what may be written.
    const std::uint64_t of_children = policy.names_threads && policy.starts_programs ? name_thread : 0;
    if (policy.proc) rules.allow("/proc", read_file | read_directory | of_children);
  } else if (policy.proc) {
    // Libraries look up facts about the machine in these files, which say nothing about other processes.
    for (const char* path :
         {"/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/version", "/proc/devices", "/proc/modules",
          "/proc/filesystems", "/proc/driver", "/proc/sys/vm", "/proc/sys/kernel/osrelease"}) {
      rules.allow(path, read_file | read_directory);
    }
  }
  // Rights are given for the parent folder, because the folders of threads come and go.
  if (policy.proc && policy.names_threads)
    rules.allow("/proc/self/task", read_file | read_directory | name_thread);
  rules.enforce();
}

void drop_privileges() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail_launch("cannot set no_new_privs");
  constexpr unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                 SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                 SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  if (::prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) != 0 && errno != EPERM)
    fail_launch("cannot lock the secure bits");
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
