// The baselines of a problem in one run. They are built and started beside the reference, tried by themselves
// on the cases whose speed is measured, and then compared with the candidates. A baseline that fails takes no
// part: the record says why, and nothing else fails.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "contest/referee.h"
#include "grade/candidate_run.h"
#include "grade/contestants.h"
#include "grade/session.h"
#include "measure/baselines.h"
#include "verify/judgement.h"

namespace kgrade {

class BaselineBench {
 public:
  // With no sources it is empty, and does nothing.
  explicit BaselineBench(std::vector<BaselineSource> sources);

  bool is_empty() const { return entries_.empty(); }
  // Starts compilers and workers; try_out() waits for them.
  void start(const Toolchain& toolchain, Device& device, const Problem& problem, const Layout& layout,
             StageClock& stages);
  // Calls each baseline on each case that is measured. An Error means that the oracle failed.
  Errors try_out(Session& session, Referee& referee, const std::vector<PlannedCase>& cases);

  std::vector<BaselineRecord> records() const;
  // The baselines whose outputs are right in this case.
  std::vector<BaselineChoice> choices(const std::string& case_name) const;
  // From now on this one is Role::baseline, in a process of its own for every number. False if it cannot be
  // started.
  bool activate(const std::string& name, int process, Referee& referee);

 private:
  struct Entry {
    BaselineSource source;
    BaselineRecord record;
    std::unique_ptr<Build> build;
    std::unique_ptr<ContestantRunner> runner;
    int process = 0;

    bool takes_part() const { return record.problem.empty(); }
  };

  void load(Entry& entry);
  Errors try_case(Session& session, Referee& referee, const Case& bound);
  void call(Entry& entry, Session& session, Referee& referee, const Draw& draw, const UsualNorms& norms,
            BaselineCase& result);

  std::vector<Entry> entries_;
};

}  // namespace kgrade
