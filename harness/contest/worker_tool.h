// A tool of the CUDA Toolkit that looks at a candidate's worker on a GPU: the worker runs below it, in a
// process of its own for each pass, and the tool leaves a report.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kgrade {

class WorkerTool {
 public:
  virtual ~WorkerTool() = default;

  // The command that runs `worker` in this pass. All files that it writes are in `folder`. A tool may add
  // words to the worker's own.
  virtual std::vector<std::string> command(const std::string& pass, const std::filesystem::path& folder,
                                           const std::vector<std::string>& worker) const = 0;

  // The paths that the tool reads, for its sandbox.
  virtual std::vector<std::filesystem::path> needs() const = 0;

  // Whether the tool starts threads in the worker. Then nobody can say how many threads the contestant
  // leaves.
  virtual bool starts_threads() const { return false; }

  // Once the worker has ended: what the pass has left in the folder. `confined` gives the command that runs
  // another program of the tool in the sandbox.
  using Confine = std::function<std::vector<std::string>(const std::vector<std::string>&)>;
  virtual std::string report(const std::string& pass, const std::filesystem::path& folder,
                             const Confine& confined) const = 0;

 protected:
  WorkerTool() = default;
  WorkerTool(const WorkerTool&) = default;
  WorkerTool(WorkerTool&&) = default;
  WorkerTool& operator=(const WorkerTool&) = default;
  WorkerTool& operator=(WorkerTool&&) = default;
};

}  // namespace kgrade
