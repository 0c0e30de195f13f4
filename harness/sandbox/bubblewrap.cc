#include "sandbox/bubblewrap.h"

#include <algorithm>
#include <set>

namespace kgrade {
namespace {

class CommandLine {
 public:
  explicit CommandLine(const LaunchPlan& plan) : plan_(plan) {}

  std::vector<std::string> build(const std::string& launcher, int channel) {
    words_ = {plan_.options.bubblewrap_program,
              "--unshare-user-try",
              "--unshare-pid",
              "--unshare-net",
              "--unshare-ipc",
              "--unshare-uts",
              "--unshare-cgroup-try",
              "--die-with-parent",
              "--as-pid-1",
              "--cap-drop",
              "ALL"};
    for (const MountStep& step : plan_.mounts.steps) add(step);
    add({"--ro-bind", launcher, launcher});
    for (const SymbolicLink& link : plan_.mounts.links) add_link(link);
    for (const MountStep& step : plan_.mounts.steps) {
      if (step.kind == MountKind::device_folder || (step.kind == MountKind::hidden && step.is_directory)) {
        add({"--remount-ro", step.path.string()});
      }
    }
    if (!binds_root()) add({"--remount-ro", "/"});
    add({"--chdir", can_enter(plan_.working_directory) ? plan_.working_directory : "/", "--", launcher});
    LaunchOptions inner = plan_.options;
    inner.supervisor = channel;
    const std::vector<std::string> arguments = to_arguments(inner);
    words_.insert(words_.end(), arguments.begin(), arguments.end());
    return std::move(words_);
  }

 private:
  void add(std::vector<std::string> words) {
    for (std::string& word : words) words_.push_back(std::move(word));
  }

  void add(const MountStep& step) {
    const std::string path = step.path.string();
    switch (step.kind) {
      case MountKind::read_only:
        return add({"--ro-bind", path, path});
      case MountKind::read_write:
        return add({"--bind", path, path});
      case MountKind::device:
        return add({"--dev-bind", path, path});
      case MountKind::temporary:
      case MountKind::device_folder:
        if (plan_.options.layers.bubblewrap_sizes) {
          add({"--perms", step.kind == MountKind::temporary ? "1777" : "0755", "--size",
               std::to_string(std::max<std::uint64_t>(step.bytes, 4096))});
        }
        return add({"--tmpfs", path});
      case MountKind::hidden:
        return add(step.is_directory ? std::vector<std::string>{"--tmpfs", path}
                                     : std::vector<std::string>{"--ro-bind", "/dev/null", path});
      case MountKind::proc:
      case MountKind::shared_proc:
        return add_proc(path);
    }
  }

  // bwrap makes the parts of /proc read-only that its user may write to by their file modes. For root this is
  // not enough.
  void add_proc(const std::string& path) {
    add({"--proc", path});
    for (const std::string& name : machine_parts_of_proc("/proc")) {
      const std::string part = path + "/" + name;
      add({"--ro-bind", part, part});
    }
  }

  // Does nothing if the link lies in a mounted folder, where it already exists.
  void add_link(const SymbolicLink& link) {
    const MountStep* above = nullptr;
    for (const MountStep& step : plan_.mounts.steps) {
      if (is_within(link.path, step.path)) above = &step;
    }
    const bool is_there =
        above != nullptr && (above->kind == MountKind::read_only || above->kind == MountKind::read_write);
    if (is_there || !made_.insert(link.path).second) return;
    add({"--symlink", link.target, link.path.string()});
  }

  bool binds_root() const { return !plan_.mounts.steps.empty() && plan_.mounts.steps.front().path == "/"; }

  bool can_enter(const std::filesystem::path& folder) const {
    const auto found = resolve(folder);
    if (!found || !found->is_directory) return false;
    const MountStep* above = nullptr;
    for (const MountStep& step : plan_.mounts.steps) {
      if (is_within(found->path, step.path)) above = &step;
    }
    return above != nullptr && (above->path == found->path || above->kind == MountKind::read_only ||
                                above->kind == MountKind::read_write);
  }

  const LaunchPlan& plan_;
  std::vector<std::string> words_;
  std::set<std::filesystem::path> made_;
};

}  // namespace

std::vector<std::string> bubblewrap_command(const LaunchPlan& plan, const std::string& launcher,
                                            int channel) {
  return CommandLine(plan).build(launcher, channel);
}

}  // namespace kgrade
