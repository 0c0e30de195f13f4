// The workers of a candidate that is checked: a new process for every pass. On the CPU the worker
// writes its findings into a book that we lend. On a GPU the worker runs below a tool, which writes a report.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/temporary_directory.h"
#include "contest/contestant_runner.h"
#include "contest/python_host.h"
#include "contest/toolkit.h"
#include "device/finding_book.h"
#include "device/thread_order.h"

namespace kgrade {

// One way to run a case: an order of threads on the CPU, or a tool of compute-sanitizer on a GPU.
struct CheckPass {
  std::string name;  // "reverse", "memcheck"
  ThreadOrder order = ThreadOrder::forward;
};

// What a pass leaves: entries of the worker's FindingBook (device/finding_book.h), or the tool's report.
struct Evidence {
  std::vector<FindingEntry> entries;
  std::uint32_t dropped = 0;  // places that did not fit into the book
  std::string tool_report;
  std::vector<LaunchCounts> counts;  // of the latest call, if they were asked for
  // The extensions that were built for the worker of a candidate in Python, by number
  // (device/finding_book.h).
  std::vector<std::filesystem::path> extensions;
};

class PassWorkers {
 public:
  // The candidate that is checked, and what a candidate in Python needs besides its library.
  struct Candidate {
    std::filesystem::path library;
    const PythonHost* host = nullptr;  // null: not in Python
    ExtensionBuilder builder = {};
    // The passes of each case, in order. The interpreter of the next pass is started early.
    std::vector<CheckPass> passes = {};
    bool counts_accesses = false;  // on the CPU
    // On the CPU: the second call of a pass shows what the findings of the first can do, and the worker of a
    // pass stays for the next case.
    bool provokes = false;
  };

  // With a `tool`, which must outlive this object, each pass looks for one kind of fault. Without a tool
  // (null), each pass is an order of threads, and `seed` shuffles them.
  PassWorkers(Device& device, const Problem& problem, const WorkerTool* tool, std::uint64_t seed,
              Candidate candidate);

  // Starts the worker of the pass in place of `runner`, and loads the candidate. Keeps `runner` if it is of
  // this pass. An Error is the machine's fault, a fault in the answer is the candidate's.
  Result<Answer> enter(const CheckPass& pass, const std::shared_ptr<ComputedInputs>& computed,
                       std::unique_ptr<ContestantRunner>& runner);
  // Reads what the pass left. Ends `runner`, unless it stays for the next case.
  Evidence leave(std::unique_ptr<ContestantRunner>& runner);

  // Call these before and after each call of the candidate.
  Patience before_call(Patience patience);
  void after_call(CallReport& report) const;

  LeaseTerms terms() const;
  bool has_tool() const { return tool_ != nullptr; }

 private:
  Result<std::unique_ptr<WorkerProcess>> start_below_tool(const CheckPass& pass);
  Result<std::unique_ptr<WorkerProcess>> start_python_worker(const CheckPass& pass);
  Result<std::unique_ptr<WorkerProcess>> worker_for(const CheckPass& pass);
  Result<Answer> watch(WorkerProcess& worker);
  void write_empty_book();
  SandboxPolicy policy_of_tool(const std::vector<std::string>& worker) const;
  BuiltExtension build(const std::string& extension);
  bool is_python() const { return candidate_.host != nullptr; }

  Device& device_;
  const Problem& problem_;
  const WorkerTool* tool_;
  std::uint64_t order_seed_;
  Candidate candidate_;
  std::map<std::string, BuiltExtension> built_;    // by request of the candidate's workers
  std::vector<std::filesystem::path> extensions_;  // of the present worker, in order
  // The worker of the next pass. It starts while another pass runs, because importing the frameworks takes
  // seconds.
  struct EarlyWorker {
    std::string pass;
    std::unique_ptr<WorkerProcess> worker;
  };
  EarlyWorker early_;
  std::unique_ptr<TemporaryDirectory> folder_;  // for the tool's socket and report
  std::string pass_;                            // the present pass
  bool is_loaded_ = false;                      // the present worker has the candidate
  std::unique_ptr<SharedBuffer> book_;
  int calls_in_pass_ = 0;
};

}  // namespace kgrade
