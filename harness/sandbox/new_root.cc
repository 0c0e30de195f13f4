#include "sandbox/new_root.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/give_up.h"
#include "sandbox/mount_attributes.h"

namespace kgrade {
namespace {

const std::string old_root = "/old";
const std::string new_root = "/new";

void mount_or_give_up(const std::string& source, const std::string& target, const char* type,
                      unsigned long flags, const std::string& data = "") {
  if (::mount(source.c_str(), target.c_str(), type, flags, data.empty() ? nullptr : data.c_str()) != 0) {
    give_up("cannot mount " + (is_within(target, new_root) ? target.substr(new_root.size()) + "/" : target));
  }
}

// A folder to build in: any that is there, since what it holds is seen again below `old_root`.
void enter_workshop() {
  mount_or_give_up("none", "/", nullptr, MS_REC | MS_PRIVATE);
  const char* workshop = "/tmp";
  for (const char* candidate : {"/tmp", "/var", "/usr", "/dev"}) {
    struct stat status {};
    workshop = candidate;
    if (::stat(candidate, &status) == 0 && S_ISDIR(status.st_mode)) break;
  }
  mount_or_give_up("tmpfs", workshop, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=64k");
  if (::chdir(workshop) != 0 || ::mkdir("old", 0755) != 0 || ::mkdir("new", 0755) != 0 ||
      ::syscall(SYS_pivot_root, ".", "old") != 0 || ::chdir("/") != 0) {
    give_up("cannot leave the root folder");
  }
}

class RootBuilder {
 public:
  RootBuilder(const MountPlan& plan, bool remount_each) : plan_(plan), remount_each_(remount_each) {}

  void build() {
    mount_or_give_up("tmpfs", new_root, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m");
    for (const MountStep& step : plan_.steps) perform(step);
    for (const SymbolicLink& link : plan_.links) make_link(link);
    // From the innermost out: a read-only folder takes no mount points.
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
        return mount_shared_proc(target);
    }
  }

  void bind(const MountStep& step, const MountAttributes& attributes) {
    const std::string target = new_root + step.path.string();
    mount_or_give_up(old_root + step.path.string(), target, nullptr, MS_BIND | MS_REC);
    add_mount_attributes(target, attributes, old_root + "/proc", remount_each_);
  }

  static void mount_tmpfs(const std::string& target, const std::string& mode, std::uint64_t bytes) {
    // An inode takes memory, too.
    const std::uint64_t files = bytes / 4096 + 64;
    mount_or_give_up("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV,
                     "mode=" + mode + ",size=" + std::to_string(std::max<std::uint64_t>(bytes, 4096)) +
                         ",nr_inodes=" + std::to_string(files));
  }

  void hide(const MountStep& step) {
    const std::string target = new_root + step.path.string();
    if (step.is_directory) return mount_tmpfs(target, "0755", 65536);
    mount_or_give_up(old_root + "/dev/null", target, nullptr, MS_BIND);
    add_mount_attributes(target, {.read_only = true, .no_programs = true}, old_root + "/proc", remount_each_);
  }

  void mount_proc(const std::string& target) const {
    constexpr unsigned long attributes = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    if (!plan_.names_threads) return mount_or_give_up("proc", target, "proc", attributes | MS_RDONLY);
    // This is the process that will be confined, and an exec keeps its number, so that the folder remains its
    // own. A mount of its own there stays writable when the one around it no longer is. What is in /proc/sys
    // belongs to the superuser, who the confined program may be by number.
    mount_or_give_up("proc", target, "proc", attributes);
    const std::string tasks = target + "/self/task";
    mount_or_give_up(tasks, tasks, nullptr, MS_BIND);
    mount_or_give_up("proc", target, nullptr, attributes | MS_REMOUNT | MS_BIND | MS_RDONLY);
  }

  void mount_shared_proc(const std::string& target) const {
    mount_or_give_up("proc", target, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC);
    for (const std::string& name : machine_parts_of_proc(target)) {
      const std::string part = target + "/" + name;
      mount_or_give_up(part, part, nullptr, MS_BIND);
      add_mount_attributes(part, {.read_only = true, .no_programs = true}, old_root + "/proc", remount_each_);
    }
  }

  static void make_folders(const std::filesystem::path& path) {
    std::filesystem::path made = new_root;
    for (const auto& part : path.relative_path()) {
      made /= part;
      if (::mkdir(made.c_str(), 0755) != 0 && errno != EEXIST)
        give_up("cannot make the folder " + made.string());
    }
  }

  // What a mount goes onto; below a folder that is bound it is there already.
  static void make_place(const MountStep& step) {
    const std::string target = new_root + step.path.string();
    struct stat status {};
    if (::lstat(target.c_str(), &status) == 0) return;
    if (step.is_directory) return make_folders(step.path);
    make_folders(step.path.parent_path());
    const int file = ::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    if (file < 0) give_up("cannot make the file " + step.path.string());
    ::close(file);
  }

  static void make_link(const SymbolicLink& link) {
    const std::string path = new_root + link.path.string();
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0) return;
    make_folders(link.path.parent_path());
    if (::symlink(link.target.c_str(), path.c_str()) != 0)
      give_up("cannot make the link " + link.path.string());
  }

  static void close_folder(const std::string& path) {
    constexpr unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV;
    if (::mount(nullptr, path.c_str(), nullptr, flags, nullptr) != 0)
      give_up("cannot make " + path + " read-only");
  }

  const MountPlan& plan_;
  bool remount_each_;
};

}  // namespace

void enter_new_root(const MountPlan& plan, const std::string& working_directory, bool remount_each) {
  const mode_t mask = ::umask(0);
  enter_workshop();
  RootBuilder(plan, remount_each).build();
  ::umask(mask);
  // pivot_root(2), "pivot_root(".", ".")": the old root comes to lie on the new one and is taken off.
  if (::chdir(new_root.c_str()) != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0 ||
      ::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0) {
    give_up("cannot enter the new root folder");
  }
  if (::chdir(working_directory.c_str()) != 0 && ::chdir("/") != 0) give_up("cannot change the folder");
}

}  // namespace kgrade
