// The programs of the CUDA Toolkit below which workers run.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kgrade {

// A tool that looks at a candidate's worker on a GPU: the worker runs below it, in a process of its own for
// each pass, and the tool leaves a report.
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

// A program by name: in PATH, or in the usual folders of the toolkit and of its parts.
std::optional<std::filesystem::path> find_tool(const std::string& name);

// "2025.3.1.0", as the program's --version says after the word "Version"; "unknown" if it does not.
std::string version_of_tool(const std::filesystem::path& program);

// What the program reads, for its sandbox: it may be a script that starts a program elsewhere in the toolkit.
std::vector<std::filesystem::path> needs_of_tool(const std::filesystem::path& program);

}  // namespace kgrade
