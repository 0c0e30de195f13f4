// From options to contestants that can be called. Checks candidates, cases and memory before anything is
// started. Also does what `grade` and `check` have in common before their first candidate, between candidates
// and at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compile/candidate_source.h"
#include "compile/python_candidate.h"
#include "device/device.h"
#include "grade/bench.h"
#include "grade/candidate_run.h"
#include "grade/case_choice.h"
#include "grade/contestants.h"
#include "grade/run.h"
#include "record/record.h"

namespace kgrade {

// An Error for each case that has no room in the device's free memory. The oracle's tensors must fit beside
// those of one other contestant. If the oracle is a Model in Python, it needs room for copies in float64 too.
Errors check_memory(const std::vector<PlannedCase>& cases, const Problem& problem, const Device& device);

// The SHA-256 of a reference and of the operators beside it: of the file and of ops/*.cuh, in order of name.
std::string hash_of_reference(const std::filesystem::path& source);

// The order in which `count` candidates are graded. All orders are equally likely, and a seed gives the same
// order on every machine. So a device that warms up or slows down during a run favours no place on the
// command line.
std::vector<std::size_t> grading_order(std::size_t count, std::uint64_t seed);

// Owns the trusted contestants of a run and the builds of its candidates.
class RunSetup {
 public:
  using CaseSelection = std::function<Result<std::vector<PlannedCase>>()>;
  // One candidate, by its number in the given order, with a finished build.
  struct Built {
    std::size_t number;
    const CandidateSource& source;
    std::unique_ptr<Build> build;
  };
  using Visit = std::function<Failure(std::vector<Built>& group)>;

  // Keeps references to the first two. `checked`: candidates are built for checked runs. `also_checked`: they
  // are built for both, at the same time, on a device that does not measure speed.
  RunSetup(const Problem& problem, const RunOptions& options, std::shared_ptr<Bench> bench, bool checked,
           bool also_checked = false);

  // Reads cases and the reference's place, and starts nothing.
  Failure read(const CaseSelection& select);
  // Starts compilers on their own threads, while this thread opens the device and starts a worker for each
  // trusted contestant, the oracle first.
  Failure start(std::initializer_list<Role> trusted);
  // Fills in what the records of all commands hold, once the run has started.
  void describe(RunRecord& record) const;
  // Fills in the times of the run so far.
  void take_times(RunRecord& record);
  Failure load_trusted();
  // Visits all candidates in groups of up to `most`, while the next ones are compiled. Ends at the first
  // failure.
  Failure each_group(std::size_t most, const Visit& visit);

  // Carries out the run, which fills the record, then closes the record. An exception becomes a failure.
  template <class RecordType>
  RunOutcome<RecordType> carry_out(RecordType& record, const std::function<Failure()>& run) {
    Failure failure = guard(run);
    if (record.candidates.empty()) return {std::nullopt, std::move(failure)};
    close(record);
    return {std::move(record), std::move(failure)};
  }

  // A further build of a candidate, for a checked run. It begins now, unless it was begun ahead.
  std::unique_ptr<Build> build_checked(const CandidateSource& candidate);

  const std::vector<CandidateSource>& candidates() const { return options_.candidates; }
  const std::vector<PlannedCase>& cases() const { return cases_; }
  void skip(std::size_t number, std::string why) { cases_.at(number).skipped = std::move(why); }
  StageClock& stages() { return stages_; }
  Bench& bench() { return *bench_; }
  Device& device() { return bench_->device(); }
  const Toolchain& toolchain() const { return bench_->toolchain(); }
  // For candidates in Python; null if there is none.
  const PythonTools* python() const { return has_python_ ? bench_->python() : nullptr; }
  // Finds a Python for something other than a candidate. Errors: there is none.
  Errors require_python();
  // The interpreter for workers in Python. Requires that python() is not null.
  PythonHost python_host() const;
  // The trusted contestants in the order in which they were started.
  ContestantRunner& trusted_runner(std::size_t index) { return trusted_.at(index).runner(); }
  // Whether the record is to name the matrix units of candidates, and this machine has no cuobjdump for it.
  bool lacks_cuobjdump() const { return names_matrix_units_ && disassembler_ == nullptr; }
  bool all_are_modules() const;
  bool any_uses_triton() const;
  // Reports what is done with one candidate.
  std::function<void(const std::string&)> progress_of(const CandidateSource& source) const;

 private:
  static Failure guard(const std::function<Failure()>& run);
  std::unique_ptr<Build> make_build(const CandidateSource& candidate, bool checked);
  Failure take_built(std::vector<Built>& group);
  void start_builds_before(std::size_t place);
  void close(RunRecord& record);

  const Problem& problem_;
  const RunOptions& options_;
  std::shared_ptr<Bench> bench_;
  bool checked_;
  bool also_checked_;
  std::uint64_t seed_;
  StageClock stages_;
  std::vector<std::size_t> order_;  // in which they are taken
  std::vector<PlannedCase> cases_;
  std::filesystem::path reference_source_;
  Failure find_python();
  void find_disassembler();
  bool is_left_out(const CandidateSource& source) const;

  bool has_python_ = false;  // this run has looked for it; the bench may have it from another run
  Failure no_python_;        // why candidates in Python are left out while others are graded
  bool names_matrix_units_ = false;
  std::shared_ptr<const Disassembler> disassembler_;  // null: records do not name matrix units
  std::optional<PythonHost> model_host_;
  std::vector<TrustedContestant> trusted_;
  std::size_t next_ = 0;                        // place of the next candidate
  std::deque<std::unique_ptr<Build>> started_;  // from next_ on
  std::map<const CandidateSource*, std::unique_ptr<Build>> checked_ahead_;
};

}  // namespace kgrade
