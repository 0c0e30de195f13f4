#include "sandbox/control_group.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "base/own_control_group.h"

namespace kgrade {
namespace {

const std::string name_prefix = "kgrade-";

// Process 1 and a process of bubblewrap count too, besides those of the confined program.
constexpr unsigned processes_of_ours = 2;

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool write_text(const std::filesystem::path& path, const std::string& text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  ::close(file);
  errno = error;
  return written;
}

bool has_word(const std::string& text, const std::string& word) {
  std::istringstream words(text);
  for (std::string one; words >> one;) {
    if (one == word) return true;
  }
  return false;
}

// After the processes of a group are reaped, the kernel takes a moment to empty it.
constexpr int patience_ms = 200;

void remove_folder(const std::filesystem::path& folder, int patience) {
  for (int i = 0; ::rmdir(folder.c_str()) != 0 && errno == EBUSY && i < patience; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// The prefix of groups that launchers in this PID namespace make: "kgrade-4026531836-". Containers may share
// control groups, but processes of other PID namespaces cannot be seen from here, and their ids may equal ids
// here.
std::string prefix_of_namespace() {
  struct stat of = {};
  if (::stat("/proc/self/ns/pid", &of) != 0) return name_prefix;
  return name_prefix + std::to_string(of.st_ino) + "-";
}

// Removes the groups of launchers that were killed and so could not remove them.
void remove_stale(const std::filesystem::path& folder, int patience) {
  const std::string prefix = prefix_of_namespace();
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(prefix)) continue;
    pid_t owner = 0;
    const char* digits = name.c_str() + prefix.size();
    const auto parsed = std::from_chars(digits, name.c_str() + name.size(), owner);
    if (parsed.ptr != name.c_str() + name.size() || parsed.ptr == digits) continue;
    if (::kill(owner, 0) != 0 && errno == ESRCH) remove_folder(entry.path(), patience);
  }
}

// The folders in which a group of version 2 may be made. A group with processes cannot have groups with
// controllers below it. So the new group becomes a sibling of this process's group or of one of that group's
// parents.
std::vector<std::filesystem::path> parents_in_version_2() {
  const auto own = own_control_group("");
  const auto top = control_groups("");
  std::vector<std::filesystem::path> parents;
  if (!own || !top) return parents;
  constexpr std::size_t most_parents = 3;
  for (std::filesystem::path parent = *own; parents.size() < most_parents; parent = parent.parent_path()) {
    parents.push_back(parent);
    if (parent == *top) break;
  }
  return parents;
}

std::optional<std::filesystem::path> make_folder(const std::filesystem::path& parent) {
  remove_stale(parent, 0);
  std::filesystem::path folder = parent / (prefix_of_namespace() + std::to_string(::getpid()));
  // An earlier launcher with our process id may have left a group.
  if (::mkdir(folder.c_str(), 0755) != 0 &&
      (errno != EEXIST || ::rmdir(folder.c_str()) != 0 || ::mkdir(folder.c_str(), 0755) != 0))
    return std::nullopt;
  return folder;
}

std::string process_limit(const SandboxPolicy& policy) {
  return std::to_string(policy.processes + processes_of_ours);
}

}  // namespace

ControlGroup ControlGroup::make(const SandboxPolicy& policy) {
  ControlGroup group;
  if (group.make_version_2(policy)) return group;
  group.remove();
  if (group.make_version_1(policy)) return group;
  group.remove();
  return group;
}

void ControlGroup::remove_abandoned() {
  std::vector<std::filesystem::path> parents = parents_in_version_2();
  for (const char* controller : {"memory", "pids"}) {
    if (const auto own = own_control_group(controller)) parents.push_back(*own);
  }
  for (const auto& parent : parents) remove_stale(parent, patience_ms);
}

bool ControlGroup::make_version_2(const SandboxPolicy& policy) {
  for (const std::filesystem::path& parent : parents_in_version_2()) {
    const std::string passed_on = read_text(parent / "cgroup.subtree_control");
    if (has_word(passed_on, "memory") && has_word(passed_on, "pids")) {
      if (auto folder = make_folder(parent)) {
        folders_.push_back(*folder);
        if (policy.memory_bytes != 0) write_text(*folder / "memory.swap.max", "0");
        return (policy.memory_bytes == 0 ||
                write_text(*folder / "memory.max", std::to_string(policy.memory_bytes))) &&
               (policy.processes == 0 || write_text(*folder / "pids.max", process_limit(policy)));
      }
    }
  }
  return false;
}

bool ControlGroup::make_version_1(const SandboxPolicy& policy) {
  for (const char* controller : {"memory", "pids"}) {
    const auto own = own_control_group(controller);
    const auto folder = own ? make_folder(*own) : std::nullopt;
    if (!folder) return false;
    folders_.push_back(*folder);
  }
  const std::string bytes = std::to_string(policy.memory_bytes);
  // The second file is missing if swap is not accounted.
  if (policy.memory_bytes != 0) {
    if (!write_text(folders_[0] / "memory.limit_in_bytes", bytes)) return false;
    write_text(folders_[0] / "memory.memsw.limit_in_bytes", bytes);
  }
  return policy.processes == 0 || write_text(folders_[1] / "pids.max", process_limit(policy));
}

bool ControlGroup::take_in(pid_t process) const {
  for (const auto& folder : folders_) {
    if (!write_text(folder / "cgroup.procs", std::to_string(process))) return false;
  }
  return true;
}

bool ControlGroup::ran_out_of_memory() const {
  if (!exists()) return false;
  const bool is_version_1 = folders_.size() > 1;
  std::istringstream lines(read_text(folders_[0] / (is_version_1 ? "memory.oom_control" : "memory.events")));
  std::string name;
  for (std::uint64_t count = 0; lines >> name >> count;) {
    if (name == "oom_kill") return count > 0;
  }
  return false;
}

void ControlGroup::remove() {
  for (const auto& folder : folders_) remove_folder(folder, patience_ms);
  folders_.clear();
}

}  // namespace kgrade
