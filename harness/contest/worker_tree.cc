#include "contest/worker_tree.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/process_table.h"

namespace kgrade {

// Below a sandbox the worker is the only child of an only child. Its contestant, which could start
// children, is not loaded yet.
void WorkerTree::find_below(pid_t started) {
  worker_ = started;
  const std::vector<ProcessEntry> table = process_table();
  launchers_.clear();
  for (bool deeper = true; deeper;) {
    const auto child = std::find_if(table.begin(), table.end(),
                                    [&](const ProcessEntry& entry) { return entry.parent == worker_; });
    deeper = child != table.end();
    if (!deeper) break;
    launchers_.push_back(worker_);
    worker_ = child->pid;
  }
}

// A process that the worker has started is its child. If its own parent has ended, it is a child of a
// launcher.
std::vector<pid_t> WorkerTree::started_by_contestant() const {
  std::vector<pid_t> parents = launchers_;
  parents.push_back(worker_);
  std::vector<pid_t> found;
  for (std::size_t i = 0; worker_ > 0 && i < parents.size(); ++i) {
    for (const pid_t child : children_of(parents[i])) {
      if (child == worker_ || std::find(launchers_.begin(), launchers_.end(), child) != launchers_.end())
        continue;
      parents.push_back(child);
      const auto entry = process_entry(child);
      if (entry && entry->state != 'Z') found.push_back(child);
    }
  }
  return found;
}

void WorkerTree::end_started() const {
  // The next round finds processes that are started meanwhile.
  constexpr int most_rounds = 100;
  for (int round = 0; round < most_rounds; ++round) {
    const std::vector<pid_t> others = started_by_contestant();
    if (others.empty()) return;
    for (const pid_t process : others) ::kill(process, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

unsigned int WorkerTree::threads() const {
  if (worker_ < 0) return 0;
  const std::string folder = fmt::format("/proc/{}/task", worker_);
  // A folder has two links for itself, and one more for each folder in it. proc(5) does the same.
  struct stat status {};
  if (::stat(folder.c_str(), &status) == 0 && status.st_nlink > 2)
    return static_cast<unsigned int>(status.st_nlink) - 2;
  std::error_code error;
  unsigned int count = 0;
  for (std::filesystem::directory_iterator task(folder, error), end; !error && task != end;
       task.increment(error)) {
    ++count;
  }
  return count;
}

}  // namespace kgrade
