// Checks a candidate in a new worker process for every pass; the oracle's worker stays. On the emulated
// device the worker writes its findings into a book that we lend. On a GPU the worker runs below a tool of
// compute-sanitizer, which writes a report.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/temporary_directory.h"
#include "contest/arena.h"
#include "contest/contestant_runner.h"
#include "contest/python_host.h"
#include "contest/toolkit.h"
#include "contest/worker_tool.h"

namespace kgrade {

// compute-sanitizer of the CUDA Toolkit: a pass runs one of its tools.
class Sanitizer : public WorkerTool {
 public:
  // An Error says what to install.
  static Result<Sanitizer> find();

  const std::string& version() const { return version_; }  // "2025.3.1.0"

  std::vector<std::string> command(const std::string& pass, const std::filesystem::path& folder,
                                   const std::vector<std::string>& worker) const override;
  std::vector<std::filesystem::path> needs() const override { return needs_of_tool(program_); }
  std::string report(const std::string& pass, const std::filesystem::path& folder,
                     const Confine& confined) const override;

 private:
  Sanitizer(std::filesystem::path program, std::string version)
      : program_(std::move(program)), version_(std::move(version)) {}

  std::filesystem::path program_;
  std::string version_;
};

inline constexpr std::array<std::string_view, 4> sanitizer_tools = {"memcheck", "racecheck", "initcheck",
                                                                    "synccheck"};

class CheckReferee : public CheckArena {
 public:
  // With a `tool`, which must outlive the referee, each pass looks for one kind of fault. Without a tool
  // (null), each pass is an order of threads.
  CheckReferee(Device& device, const Problem& problem, ContestantRunner& oracle, const WorkerTool* tool,
               std::uint64_t seed);

  // The candidate that is checked, and what a candidate in Python needs besides its library.
  struct Candidate {
    std::filesystem::path library;
    const PythonHost* host = nullptr;  // null: not in Python
    ExtensionBuilder builder = {};
    bool returns_outputs = false;  // and does not write to the lent outputs
    std::vector<CheckPass> passes =
        {};                        // of each case, in order: the next pass's interpreter is started early
    bool counts_accesses = false;  // on the emulated device
    // On the emulated device: the second call of a pass shows what the findings of the first can do
    // (emulated/checker/checker.h), and the worker of a pass stays for the next case.
    bool provokes = false;
  };
  void set_candidate(Candidate candidate);

  Result<CallReport> call_oracle(const Case& bound, const Draw& draw) override;
  std::vector<std::vector<double>> sample_expected() override;
  void compare_by(std::vector<Magnitudes> magnitudes) override;
  Result<Answer> enter(const CheckPass& pass, const Case& bound) override;
  CallReport call(const Draw& draw, Patience patience) override;
  std::vector<OutputErrors> compare() override;
  std::optional<OutputValues> examine(std::size_t output, const Draw& draw, Patience patience) override;
  Evidence leave() override;

 private:
  Result<std::unique_ptr<WorkerProcess>> start_worker(const CheckPass& pass);
  Result<std::unique_ptr<WorkerProcess>> start_below_tool(const CheckPass& pass);
  Result<std::unique_ptr<WorkerProcess>> start_python_worker(const CheckPass& pass);
  Result<std::unique_ptr<WorkerProcess>> worker_for(const CheckPass& pass);
  Result<Answer> watch();
  void write_empty_book();
  // Starts the worker of a pass and loads the candidate.
  Result<Answer> begin(const CheckPass& pass);
  // The worker of the next pass. It starts while another pass runs, because importing the frameworks takes
  // seconds.
  struct EarlyWorker {
    std::string pass;
    std::unique_ptr<WorkerProcess> worker;
  };
  void start_early(const CheckPass& now);
  std::string report_of_tool();
  SandboxPolicy policy_of_tool(const std::vector<std::string>& worker) const;
  BuiltExtension build(const std::string& extension);
  bool is_python() const { return candidate_.host != nullptr; }

  Device& device_;
  const Problem& problem_;
  ContestantRunner& oracle_;
  std::shared_ptr<ComputedInputs> computed_;
  const WorkerTool* tool_;
  std::uint64_t order_seed_;
  Candidate candidate_;
  std::map<std::string, BuiltExtension> built_;    // by request of the candidate's workers
  std::vector<std::filesystem::path> extensions_;  // of the present worker, in order
  EarlyWorker early_;
  std::unique_ptr<TemporaryDirectory> folder_;  // for the tool's socket and report
  std::string pass_;                            // the present pass
  bool is_loaded_ = false;                      // the present worker has the candidate
  std::unique_ptr<SharedBuffer> book_;
  std::unique_ptr<ContestantRunner> runner_;
  std::uint64_t poison_key_;
  std::uint32_t calls_ = 0;
  int calls_in_pass_ = 0;
};

}  // namespace kgrade
