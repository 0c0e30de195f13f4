// From options to contestants that can be called: what is looked at before anything is started, which is
// candidates, cases and memory, and what `grade` and `check` do alike before their first candidate, between
// candidates and in the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compile/layout.h"
#include "compile/python_candidate.h"
#include "device/device.h"
#include "grade/bench.h"
#include "grade/candidate_run.h"
#include "grade/case_choice.h"
#include "grade/contestants.h"
#include "grade/run.h"
#include "record/record.h"

namespace kgrade {

struct CandidateSource {
  std::filesystem::path path;
  std::string sha256;                   // of a file too large to be read: of its beginning and its size
  std::string fault = {};               // why no compiler gets it, which is its verdict; usually empty
  std::optional<LineRange> lines = {};  // of a document, those that are graded
  bool is_python = false;
  bool is_module = false;    // as far as its text tells
  bool uses_triton = false;  // likewise
};

// Reads and hashes the candidates, with the headers that each may include. A candidate with too large a file
// has a fault. Errors: none given, missing, a folder, unreadable, a path that no compiler takes.
Result<std::vector<CandidateSource>> read_candidates(const std::vector<std::filesystem::path>& paths,
                                                     const Layout& layout);

// An error's place, message and remedy.
std::string in_one_line(const Error& error);

// True when the files are still those that were read: what is compiled must have the record's hash.
bool is_unchanged(const CandidateSource& source, const Layout& layout);

// An Error for each case whose tensors do not fit into the device's free memory three times over: oracle,
// reference and candidate each hold all of them. Where the oracle is a Model in Python, it holds them in
// float64 too.
Errors check_memory(const std::vector<PlannedCase>& cases, const Problem& problem, const Device& device);

// The SHA-256 of a reference and of the operators beside it: the file and ops/*.cuh in order of name, one
// after the other.
std::string hash_of_reference(const std::filesystem::path& source);

// In which order so many candidates are graded: the numbers below `count`, any order as likely as any other
// and the same for the same seed on every machine: a device that warms up or slows down in the course of a
// run favours no place in the command line.
std::vector<std::size_t> grading_order(std::size_t count, std::uint64_t seed);

// Owns the trusted contestants of a run and the builds of its candidates.
class RunSetup {
 public:
  using CaseSelection = std::function<Result<std::vector<PlannedCase>>()>;
  // One candidate by its number in the given order, with a build that has come to an end.
  struct Built {
    std::size_t number;
    const CandidateSource& source;
    std::unique_ptr<Build> build;
  };
  using Visit = std::function<Failure(std::vector<Built>& group)>;

  // Keeps references to the first two. `checked`: candidates are built for checked runs.
  RunSetup(const Problem& problem, const RunOptions& options, std::shared_ptr<Bench> bench, bool checked);

  // Candidates, cases and the reference's place, with nothing started yet.
  Failure read(const CaseSelection& select);
  // Compilers run on threads of their own while this one opens the device and starts a worker for each of the
  // trusted, the oracle first.
  Failure start(std::initializer_list<Role> trusted);
  // Fills in what the records of all commands hold, once the run has started.
  void describe(RunRecord& record) const;
  // Fills in the times of the run so far.
  void take_times(RunRecord& record);
  Failure load_trusted();
  // All of them, up to so many at a time, the next one being compiled meanwhile; ends at the first failure.
  Failure each_group(std::size_t most, const Visit& visit);

  // Carries out the run, which fills the record, and closes the record. An exception becomes a failure.
  template <class RecordType>
  RunOutcome<RecordType> carry_out(RecordType& record, const std::function<Failure()>& run) {
    Failure failure = guard(run);
    if (record.candidates.empty()) return {std::nullopt, std::move(failure)};
    close(record);
    return {std::move(record), std::move(failure)};
  }

  const std::vector<CandidateSource>& candidates() const { return candidates_; }
  const std::vector<PlannedCase>& cases() const { return cases_; }
  StageClock& stages() { return stages_; }
  Bench& bench() { return *bench_; }
  Device& device() { return bench_->device(); }
  const Toolchain& toolchain() const { return bench_->toolchain(); }
  // For candidates in Python; null where there is none.
  const PythonTools* python() const { return has_python_ ? bench_->python() : nullptr; }
  // Finds it for what is not a candidate. Errors: there is none.
  Errors require_python();
  // Of workers that need one: where python() is not null.
  PythonHost python_host() const;
  // In the order in which they were started.
  ContestantRunner& trusted_runner(std::size_t index) { return trusted_.at(index).runner(); }
  bool all_are_modules() const;
  bool any_uses_triton() const;
  // Reports what is done with one candidate.
  std::function<void(const std::string&)> progress_of(const CandidateSource& source) const;

 private:
  static Failure guard(const std::function<Failure()>& run);
  std::unique_ptr<Build> start_build(std::size_t place);
  Failure take_built(std::vector<Built>& group);
  void start_builds_before(std::size_t place);
  Failure check_unchanged(const CandidateSource& source) const;
  void close(RunRecord& record);

  const Problem& problem_;
  const RunOptions& options_;
  std::shared_ptr<Bench> bench_;
  bool checked_;
  std::uint64_t seed_;
  StageClock stages_;
  std::vector<CandidateSource> candidates_;
  std::vector<std::size_t> order_;  // in which they are taken
  std::vector<PlannedCase> cases_;
  std::filesystem::path reference_source_;
  Failure find_python();
  bool is_left_out(const CandidateSource& source) const;

  bool has_python_ = false;  // this run has looked for it: the bench may have it from another
  Failure no_python_;        // why candidates in Python are left out, beside others that are not
  std::optional<PythonHost> model_host_;
  std::vector<TrustedContestant> trusted_;
  std::size_t next_ = 0;                        // place of the next candidate
  std::deque<std::unique_ptr<Build>> started_;  // from there on
};

}  // namespace kgrade
