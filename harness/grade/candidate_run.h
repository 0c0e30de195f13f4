// Grades one candidate from its build to its record, and times the reference alone before and after it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compile/toolchain.h"
#include "grade/case_run.h"

namespace kgrade {

struct PlannedCase {
  Case bound;
  std::string skipped;  // why it does not run; empty: it does

  // Whether its speed is measured.
  bool is_measured() const { return skipped.empty() && bound.role == CaseRole::bench; }
};

// Times the reference with no candidate on the device: a candidate that slows the reference down beside it
// would seem fast. Calls the reference alone on each measured case. An Error is not a candidate's fault.
Result<ReferenceAlone> time_reference_alone(Session& session, const std::vector<PlannedCase>& cases);

// The numbers of the cases in the order in which they run: measured cases last.
std::vector<std::size_t> running_order(const std::vector<PlannedCase>& cases);

// Runs one candidate, built, on its cases: alone by run(), or step by step beside others (grade/heat.h).
// Cases run in order, measured cases after all others, so that a wrong candidate need not wait for the
// baselines to be built. A case that kills the worker ends the candidate, and the cases after it are recorded
// as skipped. If baselines must be tried first, they get the device to themselves: the candidate ends, and
// comes back in a new process. Errors are not the candidate's fault (see run_case).
class CandidateRun {
 public:
  // `record` has path and hash. Keeps references.
  CandidateRun(Session& session, const std::vector<PlannedCase>& cases, CandidateRecord record);

  Errors run(const std::filesystem::path& library);

  // Loads and rehearses the candidate.
  Errors enter(const std::filesystem::path& library);
  // Whether the candidate takes part in its cases.
  bool is_in() const { return record_.verdict == Verdict::accepted && session_.contest.candidate_alive(); }
  // The record of a case that is not run, with the reason: it is skipped, it failed in the rehearsal, or the
  // candidate has no process any more.
  std::optional<CaseRecord> unplayed(std::size_t number);
  void take(std::size_t number, CaseRecord result);
  // After the candidate has ended: compares times of the reference before it was loaded and after it was
  // gone.
  void watch_reference(const ReferenceAlone& before, const ReferenceAlone& after);
  // Sets the verdict on a candidate that was not even built.
  void settle(const CallFinding& finding);
  CandidateRecord conclude();

  Session& session() { return session_; }

 private:
  std::optional<Error> clean_up();
  Patience patience_of_loading() const;
  Errors rehearse();
  bool take(const Answer& answer);
  bool uses_allowed_libraries();
  Errors run_cases();
  Result<CaseRecord> run_with_room(const Case& bound);
  bool needs_baselines() const;
  Errors find_baselines();
  Errors make_way_for_baselines();
  Result<Answer> start_anew();
  Errors run_further_processes();
  int processes_wanted() const;
  void take_verdict_of(const CaseRecord& c);

  Session& session_;
  const std::vector<PlannedCase>& cases_;
  CandidateRecord record_;
  std::map<std::string, CallFinding> failed_;  // by case, from the last rehearsal
  std::map<std::size_t, CaseRecord> results_;  // by number: the record has them in the problem's order
};

// Grades one candidate alone, from its build to its record.
Result<CandidateRecord> run_candidate(Session& session, const BuildOutcome& built,
                                      const std::vector<PlannedCase>& cases, CandidateRecord record);

}  // namespace kgrade
