#include "sweep/load_problems.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <set>

#include "base/usable_cores.h"

namespace kgrade {
namespace fs = std::filesystem;

std::map<fs::path, Result<Problem>> load_problems(const std::vector<fs::path>& files,
                                                  const ProblemLoader& load,
                                                  const LoadingProgress& progress) {
  const std::set<fs::path> all(files.begin(), files.end());
  auto next = all.begin();
  std::map<fs::path, Result<Problem>> loaded;
  std::mutex mutex;
  if (progress) progress(0, all.size());
  const auto work = [&] {
    for (std::unique_lock lock(mutex); next != all.end();) {
      const fs::path& file = *next++;
      lock.unlock();
      auto problem = load(file);
      lock.lock();
      loaded.emplace(file, std::move(problem));
      if (progress) progress(loaded.size(), all.size());
    }
  };
  const std::size_t threads = std::min(all.size(), static_cast<std::size_t>(usable_cores()));
  std::vector<std::future<void>> working;
  for (std::size_t i = 0; i < threads; ++i) working.push_back(std::async(std::launch::async, work));
  for (auto& one : working) one.get();
  return loaded;
}

}  // namespace kgrade
