#include "sandbox/mount_plan.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>

#include "sandbox/give_up.h"

namespace kgrade {
namespace {

constexpr std::uint64_t device_folder_bytes = std::uint64_t{1} << 20;

// /proc of the outside tells about all processes there; what is not of a process may be shown.
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
    add_writable();
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
    // A fresh /proc shows the same.
    if (is_within(found->path, "/proc") && (policy_.proc || is_about_processes(found->path))) return true;
    plan_.steps.push_back({kind, found->path, found->is_directory});
    for (SymbolicLink& link : found->links) plan_.links.push_back(std::move(link));
    return true;
  }

  void add_writable() {
    for (const auto& path : policy_.writable) {
      if (!add(MountKind::read_write, path)) give_up("cannot reach " + path.string());
    }
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

  // Whether a mount would change nothing, given the nearest one above it.
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
    std::vector<std::size_t> above;  // of `kept`: the chain of mounts that the current path lies below
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

}  // namespace

std::vector<std::string> machine_parts_of_proc(const std::filesystem::path& proc) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(proc)) {
    const std::string name = entry.path().filename();
    struct stat status {};
    if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) continue;
    if (::lstat(entry.path().c_str(), &status) != 0 || S_ISLNK(status.st_mode)) continue;
    constexpr mode_t writable = S_IWUSR | S_IWGRP | S_IWOTH;
    // A folder that is closed may hold files that are not.
    if (S_ISDIR(status.st_mode) || (status.st_mode & writable) != 0) names.push_back(name);
  }
  return names;
}

MountPlan make_mount_plan(const SandboxPolicy& policy, const std::filesystem::path& program) {
  return Planner(policy).plan(program);
}

}  // namespace kgrade
