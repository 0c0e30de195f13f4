#include "grade/grade.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/text.h"
#include "contest/referee.h"
#include "data/seed.h"
#include "grade/candidate_run.h"
#include "grade/contestants.h"
#include "measure/statistics.h"

namespace kgrade {
namespace {

constexpr int exit_usage = 2;
constexpr int exit_machine = 3;
constexpr int exit_internal = 70;

std::vector<std::string> case_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const CaseSpec& spec : problem.cases) names.push_back(spec.name);
  return names;
}

Result<std::vector<PlannedCase>> select_cases(const Problem& problem, const GradeOptions& options,
                                              bool emulated) {
  std::vector<PlannedCase> selected;
  Errors errors;
  const auto wanted = [&](const CaseSpec& spec) {
    return options.cases.empty() || std::count(options.cases.begin(), options.cases.end(), spec.name) > 0;
  };
  for (const std::string& name : options.cases) {
    if (problem.find_case(name) != nullptr) continue;
    const auto near = nearest(name, case_names(problem));
    errors.push_back({fmt::format("problem '{}' has no case '{}'", problem.slug, name),
                      near ? fmt::format("did you mean '{}'?", *near)
                           : fmt::format("its cases are: {}", fmt::join(case_names(problem), ", ")),
                      {}});
  }
  for (const CaseSpec& spec : problem.cases) {
    if (!wanted(spec)) continue;
    auto bound = resolve_case(problem, spec);
    if (!bound) {
      errors.insert(errors.end(), bound.errors().begin(), bound.errors().end());
      continue;
    }
    const bool too_slow = emulated && spec.role == CaseRole::bench && options.cases.empty();
    selected.push_back(
        {std::move(*bound),
         too_slow ? fmt::format("sized for a GPU; --case {} runs it all the same", spec.name) : ""});
  }
  if (!errors.empty()) return errors;
  return selected;
}

// Oracle, reference and candidate each hold all tensors of a case.
Errors check_memory(const std::vector<PlannedCase>& cases, const Problem& problem, const Device& device) {
  Errors errors;
  const std::uint64_t free = device.free_bytes();
  for (const PlannedCase& selected : cases) {
    const std::uint64_t needed = 3 * Lease::bytes_needed(selected.bound, sizeof(float));
    if (!selected.skipped.empty() || needed <= free) continue;
    errors.push_back(
        {fmt::format("case '{}' needs {} for oracle, reference and candidate, {} has {} free",
                     selected.bound.name, format_bytes(needed), device.info().name, format_bytes(free)),
         "choose smaller cases with --case", problem.find_case(selected.bound.name)->location});
  }
  return errors;
}

Errors check_candidates(const GradeOptions& options) {
  Errors errors;
  if (options.candidates.empty()) errors.push_back({"no candidate given", "name one or more .cu files", {}});
  for (const auto& path : options.candidates) {
    const auto content = read_text_file(path);
    if (!content) {
      errors.push_back(content.error());
      errors.back().message = "candidate: " + errors.back().message;
      if (errors.back().remedy.empty()) errors.back().remedy = "check the path; solutions/ has examples";
    } else if (path.string().find_first_of("\"\\\n") != std::string::npos) {
      errors.push_back({"a candidate's path may not hold quotes, backslashes or line breaks",
                        "rename it",
                        {path.string(), 0, 0}});
    }
  }
  return errors;
}

std::string hash_of(const std::filesystem::path& path) {
  const auto content = read_text_file(path);
  return content ? sha256_hex(*content) : "";
}

// The trusted two: built and seated once for all candidates.
struct Trusted {
  std::unique_ptr<Build> build;
  std::unique_ptr<Seat> seat;
};

Errors load_trusted(Trusted& trusted, const char* name, StageClock& stages) {
  const Result<BuildOutcome>& built = trusted.build->finish();
  if (!built) return built.errors();
  if (built->status != BuildStatus::built) {
    return {{fmt::format("the {} does not build: {}", name, built->message), built->log, {}}};
  }
  const auto timer = stages.time("load");
  const Answer loaded = trusted.seat->load(built->library, load_patience);
  if (!loaded.ok()) return {{fmt::format("the {} does not load: {}", name, loaded.detail), "", {}}};
  return {};
}

class GradeRun {
 public:
  GradeRun(const Problem& problem, const GradeOptions& options) : problem_(problem), options_(options) {
    choice_ = resolve_choice(options.device);
  }

  GradeOutcome run() {
    const double start = clock_.now();
    if (auto failure = prepare()) return {std::nullopt, failure};
    begin_record();
    if (auto failure = run_candidates()) return {std::nullopt, failure};
    record_.stages = stages_.stages();
    record_.total_seconds = clock_.now() - start;
    return {record_, std::nullopt};
  }

 private:
  using Failure = std::optional<GradeFailure>;

  bool emulated() const { return choice_.kind == DeviceChoice::Kind::emulated; }

  Failure prepare() {
    Errors errors = check_candidates(options_);
    const Errors missing = missing_for_grading(problem_);
    errors.insert(errors.end(), missing.begin(), missing.end());
    if (!errors.empty()) return GradeFailure{exit_usage, errors};
    auto cases = select_cases(problem_, options_, emulated());
    if (!cases) return GradeFailure{exit_usage, cases.errors()};
    cases_ = std::move(*cases);
    reference_source_ = options_.layout.reference / (problem_.slug + ".cu");
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
    auto toolchain = make_toolchain(choice_, architecture(), options_.layout);
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

  std::string architecture() const {
    if (emulated()) return "";
    const CudaProbe found = probe_cuda();
    const auto ordinal = static_cast<std::size_t>(choice_.ordinal);
    // Whatever is wrong with the choice is said when the device is opened.
    return ordinal < found.devices.size() ? found.devices[ordinal].architecture : "sm_80";
  }

  Result<std::unique_ptr<Device>> open() {
    const auto timer = stages_.time("device");
    return open_device(choice_, options_.layout.workers.string());
  }

  void start_build(std::size_t candidate) {
    if (candidate >= options_.candidates.size()) return;
    next_build_ = std::make_unique<Build>(*toolchain_, problem_, Role::candidate,
                                          options_.candidates[candidate], options_.layout, stages_);
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
    record_.reference = {"reference/" + problem_.slug + ".cu", hash_of(reference_source_)};
    record_.toolchain = toolchain_->describe();
    record_.seed = options_.seed ? *options_.seed : random_seed();
    record_.quick = options_.effort == Effort::quick;
  }

  Failure run_candidates() {
    if (Errors errors = load_trusted(oracle_, "oracle", stages_); !errors.empty())
      return GradeFailure{exit_internal, errors};
    if (Errors errors = load_trusted(reference_, "reference", stages_); !errors.empty())
      return GradeFailure{exit_internal, errors};
    Referee referee(*device_, problem_, *oracle_.seat, *reference_.seat);
    for (std::size_t i = 0; i < options_.candidates.size(); ++i) {
      const std::unique_ptr<Build> build = std::move(next_build_);
      auto seat = std::move(next_seat_);
      if (seat == nullptr) {
        auto taken = Seat::take(*device_, problem_);
        if (!taken) return GradeFailure{exit_machine, taken.errors()};
        seat = std::move(*taken);
      }
      const Result<BuildOutcome>& built = build->finish();
      if (!built) return GradeFailure{exit_machine, built.errors()};
      start_build(i + 1);  // compiles while this one runs
      referee.seat_candidate(std::move(seat), built->library);
      auto record = run_one(referee, options_.candidates[i], *built);
      if (!record) return GradeFailure{exit_internal, record.errors()};
      record_.candidates.push_back(std::move(*record));
    }
    return std::nullopt;
  }

  Result<CandidateRecord> run_one(Referee& referee, const std::filesystem::path& path,
                                  const BuildOutcome& built) {
    const std::string name = path.filename().string();
    Session session{
        referee, problem_, record_.seed, options_.effort, {}, stages_, [this, name](const std::string& what) {
          options_.progress(name + ": " + what);
        }};
    if (options_.time_limit_seconds)
      session.time_limit = Patience(std::lround(*options_.time_limit_seconds * 1000));
    CandidateRecord record;
    record.path = path.string();
    record.sha256 = hash_of(path);
    return run_candidate(session, referee.candidate(), built, cases_, std::move(record));
  }

  const Problem& problem_;
  const GradeOptions& options_;
  DeviceChoice choice_;
  SteadyClock clock_;
  StageClock stages_{clock_};
  std::vector<PlannedCase> cases_;
  std::filesystem::path reference_source_;
  std::unique_ptr<Toolchain> toolchain_;
  std::unique_ptr<Device> device_;
  Trusted oracle_;
  Trusted reference_;
  std::unique_ptr<Build> next_build_;
  std::unique_ptr<Seat> next_seat_;
  Record record_;
};

}  // namespace

GradeOutcome grade(const Problem& problem, const GradeOptions& options) {
  return GradeRun(problem, options).run();
}

}  // namespace kgrade
