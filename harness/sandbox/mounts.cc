#include "sandbox/mounts.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "sandbox/fail_launch.h"
#include "sandbox/system_call_numbers.h"

namespace kgrade {
namespace {

constexpr std::uint64_t device_folder_bytes = std::uint64_t{1} << 20;

// The host's /proc describes all processes of the host. Only parts of /proc that do not belong to a process
// may be shown.
bool is_about_processes(const std::filesystem::path& path) {
  if (!is_within(path, "/proc")) return false;
  const auto part = std::next(path.begin(), 2);
  return part == path.end() || std::isdigit(static_cast<unsigned char>(part->native().front())) != 0;
}

class Planner {
 public:
  explicit Planner(const SandboxPolicy& policy) : policy_(policy) {}

  MountPlan plan(const std::filesystem::path& program) {
    add_all(MountKind::read_only, policy_.readable);
    add(MountKind::read_only, program);
    add_own();
    for (const auto& path : policy_.writable) {
      if (!add(MountKind::read_write, path)) fail_launch("cannot reach " + path.string());
    }
    add_all(MountKind::device, {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"});
    add_all(MountKind::device, policy_.devices);
    add_all(MountKind::hidden, policy_.hidden);
    std::stable_sort(plan_.steps.begin(), plan_.steps.end(), [](const MountStep& a, const MountStep& b) {
      return a.path == b.path ? a.kind < b.kind : a.path < b.path;
    });
    drop_redundant();
    return std::move(plan_);
  }

 private:
  void add_all(MountKind kind, const std::vector<std::filesystem::path>& paths) {
    for (const auto& path : paths) add(kind, path);
  }

  bool add(MountKind kind, const std::filesystem::path& path) {
    auto found = resolve(path);
    if (!found) return false;
    // The path need not be mounted, because a fresh /proc has it too.
    if (is_within(found->path, "/proc") && (policy_.proc || is_about_processes(found->path))) return true;
    plan_.steps.push_back({kind, found->path, found->is_directory});
    for (SymbolicLink& link : found->links) plan_.links.push_back(std::move(link));
    return true;
  }

  void add_own() {
    plan_.steps.push_back({MountKind::temporary, "/tmp", true, policy_.temporary_bytes});
    plan_.steps.push_back({MountKind::device_folder, "/dev", true, device_folder_bytes});
    plan_.steps.push_back({MountKind::temporary, "/dev/shm", true, policy_.temporary_bytes});
    plan_.names_threads = policy_.names_threads;
    if (!policy_.proc) return;
    const bool shared = policy_.names_threads && policy_.starts_programs;
    plan_.steps.push_back({shared ? MountKind::shared_proc : MountKind::proc, "/proc"});
    plan_.links.push_back({"/dev/fd", "/proc/self/fd"});
    plan_.links.push_back({"/dev/stdin", "/proc/self/fd/0"});
    plan_.links.push_back({"/dev/stdout", "/proc/self/fd/1"});
    plan_.links.push_back({"/dev/stderr", "/proc/self/fd/2"});
  }

  // True if a mount would change nothing. `above` is the nearest mount above it.
  static bool is_redundant(const MountStep& step, const MountStep* above) {
    switch (step.kind) {
      case MountKind::read_only:
      case MountKind::read_write:
        return above != nullptr && above->kind == step.kind;
      case MountKind::hidden:
        return above == nullptr ||
               (above->kind != MountKind::read_only && above->kind != MountKind::read_write);
      default:
        return above != nullptr && above->kind == step.kind && above->path == step.path;
    }
  }

  void drop_redundant() {
    std::vector<MountStep> kept;
    std::vector<std::size_t> above;  // of `kept`: the chain of mounts above the current path
    for (MountStep& step : plan_.steps) {
      while (!above.empty() && !is_within(step.path, kept[above.back()].path)) above.pop_back();
      if (is_redundant(step, above.empty() ? nullptr : &kept[above.back()])) continue;
      above.push_back(kept.size());
      kept.push_back(std::move(step));
    }
    plan_.steps = std::move(kept);
  }

  const SandboxPolicy& policy_;
  MountPlan plan_;
};

// Flags of a mount and of all mounts below it.
struct MountAttributes {
  bool read_only = false;
  bool no_devices = true;
  bool no_programs = false;
};

// struct mount_attr and MOUNT_ATTR_* of linux/mount.h. Older headers lack them.
struct AttributeRequest {
  std::uint64_t set = 0;
  std::uint64_t clear = 0;
  std::uint64_t propagation = 0;
  std::uint64_t user_namespace = 0;
};

bool set_recursively(const std::string& path, const MountAttributes& attributes) {
  constexpr std::uint64_t read_only = 1;
  constexpr std::uint64_t no_set_user_id = 2;
  constexpr std::uint64_t no_devices = 4;
  constexpr std::uint64_t no_programs = 8;
  constexpr unsigned recursive = 0x8000;
  AttributeRequest request;
  request.set = no_set_user_id | (attributes.read_only ? read_only : 0) |
                (attributes.no_devices ? no_devices : 0) | (attributes.no_programs ? no_programs : 0);
  return ::syscall(call_mount_setattr, AT_FDCWD, path.c_str(), recursive, &request, sizeof request) == 0;
}

// Undoes the escapes of proc(5): blanks and backslashes are written as three octal digits.
std::string unescape(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      result += static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::vector<std::string> mounts_within(const std::string& folder, const std::string& proc) {
  std::vector<std::string> mounts;
  std::ifstream file(proc + "/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string skipped;
    std::string point;
    fields >> skipped >> skipped >> skipped >> skipped >> point;
    point = unescape(point);
    if (is_within(point, folder)) mounts.push_back(point);
  }
  return mounts;
}

unsigned long present_flags(const std::string& mount_point) {
  struct statvfs status {};
  if (::statvfs(mount_point.c_str(), &status) != 0) return 0;
  unsigned long flags = 0;
  for (const auto& [present, flag] : {std::pair<unsigned long, unsigned long>{ST_RDONLY, MS_RDONLY},
                                      {ST_NOSUID, MS_NOSUID},
                                      {ST_NODEV, MS_NODEV},
                                      {ST_NOEXEC, MS_NOEXEC},
                                      {ST_NOATIME, MS_NOATIME},
                                      {ST_NODIRATIME, MS_NODIRATIME},
                                      {ST_RELATIME, MS_RELATIME}}) {
    if ((status.f_flag & present) != 0) flags |= flag;
  }
  return flags;
}

// Adds these flags and nosuid. Never removes a flag, because the kernel refuses to remove flags of mounts
// from another user namespace. `proc` is the path of the host's /proc. Fails the launch on failure.
// `remount_each`: do not use mount_setattr(2), which kernels before 5.12 lack.
void add_mount_attributes(const std::string& path, const MountAttributes& attributes, const std::string& proc,
                          bool remount_each) {
  if (!remount_each && set_recursively(path, attributes)) return;
  const unsigned long added = MS_NOSUID | (attributes.read_only ? MS_RDONLY : 0) |
                              (attributes.no_devices ? MS_NODEV : 0) |
                              (attributes.no_programs ? MS_NOEXEC : 0);
  const std::vector<std::string> mounts = mounts_within(path, proc);
  if (mounts.empty()) fail_launch("cannot find the mounts below " + path, 0);
  for (const std::string& mount_point : mounts) {
    const unsigned long flags = MS_REMOUNT | MS_BIND | added | present_flags(mount_point);
    // EACCES is no failure: if this process may not enter a folder, the confined program cannot enter it
    // either, and cannot reach the mounts below it.
    if (::mount(nullptr, mount_point.c_str(), nullptr, flags, nullptr) != 0 && errno != EACCES) {
      fail_launch("cannot remount " + mount_point);
    }
  }
}

const std::string old_root = "/old";
const std::string new_root = "/new";

void mount_or_fail(const std::string& source, const std::string& target, const char* type,
                   unsigned long flags, const std::string& data = "") {
  if (::mount(source.c_str(), target.c_str(), type, flags, data.empty() ? nullptr : data.c_str()) != 0) {
    fail_launch("cannot mount " +
                (is_within(target, new_root) ? target.substr(new_root.size()) + "/" : target));
  }
}

// Builds the new root on top of an existing folder. The folder's contents stay visible below `old_root`.
void enter_staging_folder() {
  mount_or_fail("none", "/", nullptr, MS_REC | MS_PRIVATE);
  const char* staging = "/tmp";
  for (const char* candidate : {"/tmp", "/var", "/usr", "/dev"}) {
    struct stat status {};
    staging = candidate;
    if (::stat(candidate, &status) == 0 && S_ISDIR(status.st_mode)) break;
  }
  mount_or_fail("tmpfs", staging, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=64k");
  if (::chdir(staging) != 0 || ::mkdir("old", 0755) != 0 || ::mkdir("new", 0755) != 0 ||
      ::syscall(SYS_pivot_root, ".", "old") != 0 || ::chdir("/") != 0) {
    fail_launch("cannot leave the root folder");
  }
}

class RootBuilder {
 public:
  RootBuilder(const MountPlan& plan, bool remount_each) : plan_(plan), remount_each_(remount_each) {}

  void build() {
    mount_or_fail("tmpfs", new_root, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m");
    for (const MountStep& step : plan_.steps) perform(step);
    for (const SymbolicLink& link : plan_.links) make_link(link);
    // Begin with the innermost mount, because no mount point can be made in a read-only folder.
    for (auto step = plan_.steps.rbegin(); step != plan_.steps.rend(); ++step) {
      if (step->is_directory && (step->kind == MountKind::hidden || step->kind == MountKind::device_folder)) {
        close_folder(new_root + step->path.string());
      }
    }
    if (plan_.steps.empty() || plan_.steps.front().path != "/") close_folder(new_root);
  }

 private:
  void perform(const MountStep& step) {
    const std::string target = new_root + step.path.string();
    make_place(step);
    switch (step.kind) {
      case MountKind::read_only:
        return bind(step, {.read_only = true});
      case MountKind::read_write:
        return bind(step, {});
      case MountKind::device:
        return bind(step, {.no_devices = false, .no_programs = true});
      case MountKind::temporary:
        return mount_tmpfs(target, "1777", step.bytes);
      case MountKind::device_folder:
        return mount_tmpfs(target, "0755", step.bytes);
      case MountKind::hidden:
        return hide(step);
      case MountKind::proc:
        return mount_proc(target);
      case MountKind::shared_proc:
        mount_or_fail("proc", target, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC);
        for (const std::string& name : machine_parts_of_proc(target)) {
          const std::string part = target + "/" + name;
          mount_or_fail(part, part, nullptr, MS_BIND);
          add_mount_attributes(part, {.read_only = true, .no_programs = true}, old_root + "/proc",
                               remount_each_);
        }
    }
  }

  void bind(const MountStep& step, const MountAttributes& attributes) {
    const std::string target = new_root + step.path.string();
    mount_or_fail(old_root + step.path.string(), target, nullptr, MS_BIND | MS_REC);
    add_mount_attributes(target, attributes, old_root + "/proc", remount_each_);
  }

  static void mount_tmpfs(const std::string& target, const std::string& mode, std::uint64_t bytes) {
    // The number of files is limited, because inodes take memory too.
    const std::uint64_t files = bytes / 4096 + 64;
    mount_or_fail("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV,
                  "mode=" + mode + ",size=" + std::to_string(std::max<std::uint64_t>(bytes, 4096)) +
                      ",nr_inodes=" + std::to_string(files));
  }

  void hide(const MountStep& step) {
    const std::string target = new_root + step.path.string();
    if (step.is_directory) return mount_tmpfs(target, "0755", 65536);
    mount_or_fail(old_root + "/dev/null", target, nullptr, MS_BIND);
    add_mount_attributes(target, {.read_only = true, .no_programs = true}, old_root + "/proc", remount_each_);
  }

  void mount_proc(const std::string& target) const {
    constexpr unsigned long attributes = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    if (!plan_.names_threads) return mount_or_fail("proc", target, "proc", attributes | MS_RDONLY);
    // This process will run the confined program, and an exec keeps its id. So /proc/self/task stays the
    // program's own folder. A separate mount of this folder stays writable when the mount around it becomes
    // read-only. /proc/sys belongs to the superuser, whose user id the confined program may have.
    mount_or_fail("proc", target, "proc", attributes);
    const std::string tasks = target + "/self/task";
    mount_or_fail(tasks, tasks, nullptr, MS_BIND);
    mount_or_fail("proc", target, nullptr, attributes | MS_REMOUNT | MS_BIND | MS_RDONLY);
  }

  static void make_folders(const std::filesystem::path& path) {
    std::filesystem::path made = new_root;
    for (const auto& part : path.relative_path()) {
      made /= part;
      if (::mkdir(made.c_str(), 0755) != 0 && errno != EEXIST)
        fail_launch("cannot make the folder " + made.string());
    }
  }

  // Makes the mount point. Does nothing if it lies in a mounted folder, where it already exists.
  static void make_place(const MountStep& step) {
    const std::string target = new_root + step.path.string();
    struct stat status {};
    if (::lstat(target.c_str(), &status) == 0) return;
    if (step.is_directory) return make_folders(step.path);
    make_folders(step.path.parent_path());
    const int file = ::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    if (file < 0) fail_launch("cannot make the file " + step.path.string());
    ::close(file);
  }

  static void make_link(const SymbolicLink& link) {
    const std::string path = new_root + link.path.string();
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0) return;
    make_folders(link.path.parent_path());
    if (::symlink(link.target.c_str(), path.c_str()) != 0)
      fail_launch("cannot make the link " + link.path.string());
  }

  static void close_folder(const std::string& path) {
    constexpr unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV;
    if (::mount(nullptr, path.c_str(), nullptr, flags, nullptr) != 0)
      fail_launch("cannot make " + path + " read-only");
  }

  const MountPlan& plan_;
  bool remount_each_;
};

}  // namespace

std::optional<ResolvedPath> resolve(const std::filesystem::path& path) {
  constexpr std::size_t most_links = 40;  // as many as the kernel follows
  if (!path.is_absolute()) return std::nullopt;
  ResolvedPath result{"/", true, {}};
  std::deque<std::filesystem::path> ahead(path.begin(), path.end());
  while (!ahead.empty()) {
    const std::filesystem::path part = ahead.front();
    ahead.pop_front();
    if (part.empty() || part == "." || part == "/") continue;
    if (part == "..") {
      result.path = result.path.parent_path();
      continue;
    }
    const std::filesystem::path next = result.path / part;
    struct stat status {};
    if (::lstat(next.c_str(), &status) != 0) return std::nullopt;
    if (!S_ISLNK(status.st_mode)) {
      result.path = next;
      result.is_directory = S_ISDIR(status.st_mode);
      continue;
    }
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(next, error);
    if (error || result.links.size() == most_links) return std::nullopt;
    result.links.push_back({next, target.string()});
    if (target.is_absolute()) result.path = "/";
    result.is_directory = true;
    ahead.insert(ahead.begin(), target.begin(), target.end());
  }
  return result;
}

std::vector<std::string> machine_parts_of_proc(const std::filesystem::path& proc) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(proc)) {
    const std::string name = entry.path().filename();
    struct stat status {};
    if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) continue;
    if (::lstat(entry.path().c_str(), &status) != 0 || S_ISLNK(status.st_mode)) continue;
    constexpr mode_t writable = S_IWUSR | S_IWGRP | S_IWOTH;
    // Folders are listed even if they are not writable, because files in them may be writable.
    if (S_ISDIR(status.st_mode) || (status.st_mode & writable) != 0) names.push_back(name);
  }
  return names;
}

MountPlan make_mount_plan(const SandboxPolicy& policy, const std::filesystem::path& program) {
  return Planner(policy).plan(program);
}

void enter_new_root(const MountPlan& plan, const std::string& working_directory, bool remount_each) {
  const mode_t mask = ::umask(0);
  enter_staging_folder();
  RootBuilder(plan, remount_each).build();
  ::umask(mask);
  // pivot_root(2), "pivot_root(".", ".")": the old root is mounted on top of the new one and then unmounted.
  if (::chdir(new_root.c_str()) != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0 ||
      ::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0) {
    fail_launch("cannot enter the new root folder");
  }
  if (::chdir(working_directory.c_str()) != 0 && ::chdir("/") != 0) fail_launch("cannot change the folder");
}

}  // namespace kgrade
