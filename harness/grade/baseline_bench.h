// The baselines of a problem in one run. They are built and started beside the reference, tried alone on the
// measured cases, and then compared with the candidates. A baseline that fails is left out: the record says
// why, and nothing else fails. Baselines in PyTorch share one worker, because importing PyTorch takes seconds
// and each process of it takes half a gigabyte of the GPU's memory.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "contest/contest.h"
#include "grade/candidate_run.h"
#include "grade/contestants.h"
#include "grade/session.h"
#include "measure/baselines.h"
#include "verify/judgement.h"

namespace kgrade {

class CaseBaselines {
 public:
  // `process` counts the processes in which the case is measured. Notes go into `record`. Keeps references.
  CaseBaselines(Session& session, const Case& bound, int process, CaseRecord& record)
      : session_(session), case_(bound), process_(process), record_(record) {}

  // Chooses all accepted baselines that start and were not left out: the fastest of this class first, then
  // the others in their order.
  void choose(Precision precision);

  const std::vector<BaselineChoice>& chosen() const { return chosen_; }
  // The class for which the baselines were chosen.
  Precision precision() const { return precision_; }
  // Whether the first chosen baseline is of that class. It is the baseline that counts.
  bool first_counts() const { return !chosen_.empty() && chosen_.front().precision == precision_; }
  bool any_left_out() const { return !left_out_.empty(); }

  // Makes a chosen baseline Role::baseline of the contest. False if it cannot be started.
  bool activate(std::size_t number);
  // Leaves out all chosen baselines but the first `left`. `lack` says what they have no room for.
  void make_room(std::size_t left, const Error& lack);
  // Leaves a chosen baseline out until the next choice, and ends its process. Other baselines may have shared
  // the process: they are called in a new one.
  void drop_failed(std::size_t number, const Error& error);

 private:
  std::vector<BaselineChoice> choices() const;
  void leave_out(const BaselineChoice& baseline, const std::string& why);

  Session& session_;
  const Case& case_;
  int process_;
  CaseRecord& record_;
  std::vector<BaselineChoice> chosen_;
  std::set<std::string> left_out_;
  Precision precision_ = Precision::none;
};

class BaselineBench {
 public:
  // Without sources it is empty and does nothing.
  explicit BaselineBench(std::vector<BaselineSource> sources);

  bool is_empty() const { return entries_.empty(); }
  // Starts compilers and workers; try_out() waits for them. `python` is for baselines in PyTorch, if there
  // are any.
  void start(const Toolchain& toolchain, Device& device, const Problem& problem, const Layout& layout,
             StageClock& stages, const std::optional<PythonHost>& python = std::nullopt);
  // Calls each baseline on each measured case. An Error means that the oracle failed.
  Errors try_out(Session& session, Contest& contest, const std::vector<PlannedCase>& cases);

  std::vector<BaselineRecord> records() const;
  // The baselines whose outputs are right in this case.
  std::vector<BaselineChoice> choices(const std::string& case_name) const;
  // Makes this baseline Role::baseline, in a new process for every number `process`. False if it cannot be
  // started.
  bool activate(const std::string& name, int process, Contest& contest);
  // Ends the baseline's process. activate() starts a new one.
  void retire(const std::string& name);

 private:
  // A worker and its build.
  struct Worker {
    std::unique_ptr<Build> build;
    std::unique_ptr<ContestantRunner> runner;
    std::string problem;  // why it cannot be used; empty: it can
    int process = 0;
  };

  struct Entry {
    BaselineSource source;
    BaselineRecord record;
    Worker* worker = nullptr;

    bool takes_part() const { return record.problem.empty(); }
  };

  Worker& worker_for(const Entry& entry, const Toolchain& toolchain, Device& device, const Problem& problem,
                     const Layout& layout, StageClock& stages);
  void load(Worker& worker);
  // Starts a new process if the worker's has ended. False if that fails.
  static bool revive(Worker& worker);
  // Makes the entry Role::baseline. False if its worker does not answer.
  bool select(Entry& entry, Contest& contest);
  bool lend(Worker& worker, Contest& contest, const Case& bound);
  void keep_room(const std::vector<std::pair<Worker*, std::uint64_t>>& free_before);
  void leave_out(const Worker& worker, const std::string& why);
  Errors try_case(Session& session, Contest& contest, const Case& bound);
  // The case and the draw on which all baselines are called, and the scales by which their outputs are
  // judged.
  struct Round {
    const Case& bound;
    const Draw& draw;
    const ExpectedScales& scales;
  };
  void call(Entry& entry, Session& session, Contest& contest, const Round& round, BaselineCase& result);

  std::optional<PythonHost> python_;
  Device* device_ = nullptr;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Entry> entries_;
};

}  // namespace kgrade
