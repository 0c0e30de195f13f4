#include "sandbox/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

std::uint64_t file_rights_of(int version) {
  return all_of_version_1 | (version >= 2 ? refer : 0) | (version >= 3 ? cut_short : 0) |
         (version >= 5 ? ioctl_device : 0);
}

class Ruleset {
 public:
  explicit Ruleset(int version) : handled_(file_rights_of(version)) {
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

// Allows files in which libraries look up facts about the machine. These files say nothing about other
// processes.
void allow_machine_facts(const Ruleset& rules) {
  for (const char* path :
       {"/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/version", "/proc/devices", "/proc/modules",
        "/proc/filesystems", "/proc/driver", "/proc/sys/vm", "/proc/sys/kernel/osrelease"}) {
    rules.allow(path, read_file | read_directory);
  }
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
    allow_machine_facts(rules);
  }
  // Rights are given for the parent folder, because the folders of threads come and go.
  if (policy.proc && policy.names_threads)
    rules.allow("/proc/self/task", read_file | read_directory | name_thread);
  rules.enforce();
}

}  // namespace kgrade
