#include "grade/grade.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "base/text.h"
#include "contest/referee.h"
#include "data/seed.h"
#include "grade/candidate_run.h"
#include "grade/contestants.h"
#include "grade/preparation.h"

namespace kgrade {
namespace {

using Failure = std::optional<GradeFailure>;

// The trusted two: built and seated once for all candidates.
struct Trusted {
  const char* name;
  std::unique_ptr<Build> build;
  std::unique_ptr<Seat> seat;
};

// A reference that does not build is its author's to mend, and so is one that does not fit its problem.
Failure load_trusted(Trusted& trusted, const std::string& source, StageClock& stages) {
  const Result<BuildOutcome>& built = trusted.build->finish();
  if (!built) return GradeFailure{exit_machine, built.errors()};
  if (built->status != BuildStatus::built) {
    return GradeFailure{exit_usage,
                        {{fmt::format("the {} does not build: {}", trusted.name, built->message),
                          "the reference must define the function that `kgrade show` prints",
                          {source, 0, 0}}}};
  }
  const auto timer = stages.time("load");
  const Answer loaded = trusted.seat->load(built->library, load_patience);
  if (loaded.ok()) return std::nullopt;
  return GradeFailure{
      exit_internal,
      {{fmt::format("the {} does not load: {}", trusted.name, loaded.detail), "", {source, 0, 0}}}};
}

class GradeRun {
 public:
  GradeRun(const Problem& problem, const GradeOptions& options, const Machinery& machinery)
      : problem_(problem), options_(options), machinery_(machinery) {}

  GradeOutcome run() {
    const double start = machinery_.clock->now();
    if (auto failure = prepare()) return {std::nullopt, failure};
    begin_record();
    if (auto failure = run_candidates()) return {std::nullopt, failure};
    record_.stages = stages_.stages();
    record_.total_seconds = machinery_.clock->now() - start;
    return {record_, std::nullopt};
  }

 private:
  Failure prepare() {
    auto candidates = read_candidates(options_.candidates);
    if (!candidates) return GradeFailure{exit_usage, candidates.errors()};
    candidates_ = std::move(*candidates);
    if (const Errors missing = missing_for_grading(problem_); !missing.empty())
      return GradeFailure{exit_usage, missing};
    auto cases = select_cases(problem_, options_.cases, machinery_.measures_speed);
    if (!cases) return GradeFailure{exit_usage, cases.errors()};
    cases_ = std::move(*cases);
    reference_source_ = options_.layout.reference_source(problem_);
    if (!std::filesystem::exists(reference_source_)) {
      return GradeFailure{exit_usage,
                          {{fmt::format("problem '{}' has no reference", problem_.slug),
                            "write it: the oracle is built from it",
                            {reference_source_.string(), 0, 0}}}};
    }
    return start_machinery();
  }

  // Compilers run on threads of their own while this one creates the device's context.
  Failure start_machinery() {
    options_.progress("compiling");
    auto toolchain = machinery_.make_toolchain();
    if (!toolchain) return GradeFailure{exit_machine, toolchain.errors()};
    toolchain_ = std::move(*toolchain);
    oracle_.build = std::make_unique<Build>(*toolchain_, problem_, Role::oracle, reference_source_,
                                            options_.layout, stages_);
    reference_.build = std::make_unique<Build>(*toolchain_, problem_, Role::reference, reference_source_,
                                               options_.layout, stages_);
    start_build(0);
    auto device = open();
    if (!device) return GradeFailure{exit_machine, device.errors()};
    device_ = std::move(*device);
    const Errors memory = check_memory(cases_, problem_, *device_);
    if (!memory.empty()) return GradeFailure{exit_usage, memory};
    return seat_trusted();
  }

  Result<std::unique_ptr<Device>> open() {
    const auto timer = stages_.time("device");
    return machinery_.open_device();
  }

  void start_build(std::size_t candidate) {
    if (candidate >= candidates_.size()) return;
    next_build_ = std::make_unique<Build>(*toolchain_, problem_, Role::candidate, candidates_[candidate].path,
                                          options_.layout, stages_);
  }

  Failure seat_trusted() {
    for (Trusted* trusted : {&oracle_, &reference_}) {
      auto seat = Seat::take(*device_, problem_);
      if (!seat) return GradeFailure{exit_machine, seat.errors()};
      trusted->seat = std::move(*seat);
    }
    auto candidate_seat = Seat::take(*device_, problem_);
    if (!candidate_seat) return GradeFailure{exit_machine, candidate_seat.errors()};
    next_seat_ = std::move(*candidate_seat);
    const auto timer = stages_.time("workers");
    const Answer ready = oracle_.seat->await_ready(load_patience);
    if (!ready.ok()) {
      return GradeFailure{exit_machine,
                          {{"a worker cannot use the device: " + ready.detail,
                            "run `kgrade doctor`; another program may hold the GPU",
                            {}}}};
    }
    return std::nullopt;
  }

  void begin_record() {
    record_.tool = tool_info();
    record_.started_at = utc_now();
    record_.host = host_info();
    record_.device = device_->info();
    record_.problem_slug = problem_.slug;
    record_.problem_title = problem_.title;
    record_.problem_sha256 = problem_.content_sha256;
    record_.required_precision = precision_from(problem_.precision);
    record_.thresholds = problem_.thresholds;
    record_.reference = {"reference/" + problem_.slug + ".cu", hash_of_reference(reference_source_)};
    record_.toolchain = toolchain_->describe();
    record_.seed = options_.seed ? *options_.seed : random_seed();
    record_.quick = options_.effort == Effort::quick;
  }

  Failure run_candidates() {
    for (Trusted* trusted : {&oracle_, &reference_}) {
      if (auto failure = load_trusted(*trusted, reference_source_.string(), stages_)) return failure;
    }
    Referee referee(*device_, problem_, *oracle_.seat, *reference_.seat);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const std::unique_ptr<Build> build = std::move(next_build_);
      auto seat = std::move(next_seat_);
      if (seat == nullptr) {
        auto taken = Seat::take(*device_, problem_);
        if (!taken) return GradeFailure{exit_machine, taken.errors()};
        seat = std::move(*taken);
      }
      const Result<BuildOutcome>& built = build->finish();
      if (!built) return GradeFailure{exit_machine, built.errors()};
      if (auto failure = check_unchanged(candidates_[i])) return failure;
      start_build(i + 1);  // compiles while this one runs
      referee.seat_candidate(std::move(seat), built->library);
      auto record = run_one(referee, candidates_[i], *built);
      if (!record) return GradeFailure{exit_internal, record.errors()};
      record_.candidates.push_back(std::move(*record));
    }
    return std::nullopt;
  }

  // The record's hash must be that of what was compiled.
  static Failure check_unchanged(const CandidateSource& source) {
    const auto content = read_text_file(source.path);
    if (content && sha256_hex(*content) == source.sha256) return std::nullopt;
    return GradeFailure{
        exit_usage,
        {{"candidate: changed while it was being graded", "grade it again", {source.path.string(), 0, 0}}}};
  }

  Result<CandidateRecord> run_one(Referee& referee, const CandidateSource& source,
                                  const BuildOutcome& built) {
    Session session{referee, problem_, record_.seed, options_.effort, {}, stages_, {}};
    session.progress = [this, name = source.path.filename().string()](const std::string& what) {
      options_.progress(name + ": " + what);
    };
    if (options_.time_limit_seconds)
      session.time_limit = Patience(std::lround(*options_.time_limit_seconds * 1000));
    CandidateRecord record;
    record.path = source.path.string();
    record.sha256 = source.sha256;
    return run_candidate(session, built, cases_, std::move(record));
  }

  const Problem& problem_;
  const GradeOptions& options_;
  const Machinery& machinery_;
  StageClock stages_{*machinery_.clock};
  std::vector<CandidateSource> candidates_;
  std::vector<PlannedCase> cases_;
  std::filesystem::path reference_source_;
  std::unique_ptr<Toolchain> toolchain_;
  std::unique_ptr<Device> device_;
  Trusted oracle_{"oracle", {}, {}};
  Trusted reference_{"reference", {}, {}};
  std::unique_ptr<Build> next_build_;
  std::unique_ptr<Seat> next_seat_;
  Record record_;
};

}  // namespace

GradeOutcome grade(const Problem& problem, const GradeOptions& options, const Machinery& machinery) {
  return GradeRun(problem, options, machinery).run();
}

}  // namespace kgrade
