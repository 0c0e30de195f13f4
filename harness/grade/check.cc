#include "grade/check.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>

#include "base/text.h"
#include "contest/check_referee.h"
#include "data/seed.h"
#include "grade/book_findings.h"
#include "grade/check_run.h"
#include "grade/contestants.h"
#include "grade/preparation.h"
#include "grade/sanitizer_findings.h"
#include "grade/small_cases.h"

namespace kgrade {
namespace {

using Failure = std::optional<GradeFailure>;

constexpr std::array<ThreadOrder, 3> all_orders = {ThreadOrder::forward, ThreadOrder::reverse,
                                                   ThreadOrder::shuffled};

std::vector<CheckPass> passes_of(const std::vector<ThreadOrder>& chosen, bool on_gpu) {
  std::vector<CheckPass> passes;
  if (on_gpu) {
    for (const std::string_view tool : sanitizer_tools) passes.push_back({std::string(tool)});
    return passes;
  }
  std::vector<ThreadOrder> orders = chosen;
  if (orders.empty()) orders.assign(all_orders.begin(), all_orders.end());
  for (const ThreadOrder order : orders) passes.push_back({std::string(to_string(order)), order});
  return passes;
}

class CheckRun {
 public:
  CheckRun(const Problem& problem, const CheckOptions& options, const Machinery& machinery)
      : problem_(problem), options_(options), machinery_(machinery) {}

  CheckResult run() {
    const double start = machinery_.clock->now();
    if (auto failure = prepare()) return {std::nullopt, failure};
    begin_record();
    if (auto failure = load_oracle()) return {std::nullopt, failure};
    if (auto failure = check_candidates()) return {std::nullopt, failure};
    record_.stages = stages_.stages();
    record_.total_seconds = machinery_.clock->now() - start;
    return {record_, std::nullopt};
  }

 private:
  Failure prepare() {
    auto candidates = read_candidates(options_.candidates);
    if (!candidates) return GradeFailure{exit_usage, candidates.errors()};
    candidates_ = std::move(*candidates);
    if (const Errors missing = missing_for_grading(problem_); !missing.empty()) {
      return GradeFailure{exit_usage, missing};
    }
    auto cases = select_small_cases(problem_, options_.cases);
    if (!cases) return GradeFailure{exit_usage, cases.errors()};
    cases_ = std::move(*cases);
    reference_source_ = options_.layout.reference_source(problem_);
    if (!std::filesystem::exists(reference_source_)) {
      return GradeFailure{exit_usage,
                          {{fmt::format("problem '{}' has no reference", problem_.slug),
                            "write it: the oracle is built from it",
                            {reference_source_.string(), 0, 0}}}};
    }
    if (auto failure = find_tools()) return failure;
    return start_machinery();
  }

  // Compilers run on threads of their own while this one opens the device.
  Failure start_machinery() {
    options_.progress("compiling");
    auto toolchain = machinery_.make_toolchain();
    if (!toolchain) return GradeFailure{exit_machine, toolchain.errors()};
    toolchain_ = std::move(*toolchain);
    oracle_build_ = std::make_unique<Build>(*toolchain_, problem_, Role::oracle, reference_source_,
                                            options_.layout, stages_);
    start_build(0);
    auto device = open();
    if (!device) return GradeFailure{exit_machine, device.errors()};
    device_ = std::move(*device);
    const Errors memory = check_memory(cases_, problem_, *device_);
    if (!memory.empty()) return GradeFailure{exit_usage, memory};
    auto seat = Seat::take(*device_, problem_);
    if (!seat) return GradeFailure{exit_machine, seat.errors()};
    oracle_ = std::move(*seat);
    return std::nullopt;
  }

  Result<std::unique_ptr<Device>> open() {
    const auto timer = stages_.time("device");
    return machinery_.open_device();
  }

  // Known before the device is opened.
  bool on_gpu() const { return machinery_.measures_speed; }

  Failure find_tools() {
    const auto addr2line = Addr2line::find_program();
    if (addr2line) {
      addr2line_ = *addr2line;
    } else {
      record_.notes.push_back(addr2line.error().message + "; " + addr2line.error().remedy);
    }
    if (!on_gpu()) return std::nullopt;
    auto sanitizer = Sanitizer::find();
    if (!sanitizer) return GradeFailure{exit_machine, sanitizer.errors()};
    sanitizer_ = std::move(*sanitizer);
    return std::nullopt;
  }

  void start_build(std::size_t candidate) {
    if (candidate >= candidates_.size()) return;
    next_build_ = std::make_unique<Build>(*toolchain_, problem_, Role::candidate, candidates_[candidate].path,
                                          options_.layout, stages_, true);
  }

  void begin_record() {
    record_.tool = tool_info();
    record_.started_at = utc_now();
    record_.host = host_info();
    record_.device = device_->info();
    record_.device.thread_order.clear();  // each pass has its own
    record_.problem_slug = problem_.slug;
    record_.problem_title = problem_.title;
    record_.problem_sha256 = problem_.content_sha256;
    record_.reference = {"reference/" + problem_.slug + ".cu", hash_of_reference(reference_source_)};
    record_.toolchain = toolchain_->describe();
    record_.checker = "emulated device";
    if (sanitizer_) {
      record_.checker = fmt::format("compute-sanitizer {} on {}", sanitizer_->version, device_->info().name);
    }
    record_.seed = options_.seed ? *options_.seed : random_seed();
    record_.time_limit_seconds = options_.time_limit_seconds.value_or(default_check_limit(on_gpu()));
    passes_ = passes_of(options_.orders, on_gpu());
    for (const CheckPass& pass : passes_) record_.passes.push_back(pass.name);
  }

  Failure load_oracle() {
    const auto oracle_failure = [&](int code, const std::string& what, const std::string& remedy) {
      return GradeFailure{code, {{"the oracle " + what, remedy, {reference_source_.string(), 0, 0}}}};
    };
    const Result<BuildOutcome>& built = oracle_build_->finish();
    if (!built) return GradeFailure{exit_machine, built.errors()};
    if (built->status != BuildStatus::built) {
      return oracle_failure(exit_usage, "does not build: " + built->message,
                            "the reference must define the function that `kgrade show` prints");
    }
    const auto timer = stages_.time("load");
    const Answer ready = oracle_->await_ready(load_patience);
    if (!ready.ok()) {
      return GradeFailure{exit_machine,
                          {{"a worker cannot use the device: " + ready.detail,
                            "run `kgrade doctor`; another program may hold the GPU",
                            {}}}};
    }
    const Answer loaded = oracle_->load(built->library, load_patience);
    if (loaded.ok()) return std::nullopt;
    return oracle_failure(exit_internal, "does not load: " + loaded.detail, "");
  }

  Failure check_candidates() {
    CheckReferee referee(*device_, problem_, *oracle_, sanitizer_, order_seed(record_.seed));
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const std::unique_ptr<Build> build = std::move(next_build_);
      const Result<BuildOutcome>& built = build->finish();
      if (!built) return GradeFailure{exit_machine, built.errors()};
      start_build(i + 1);  // compiles while this one runs
      referee.set_candidate(built->library);
      auto record = check_one(referee, candidates_[i], *built, build->directory());
      if (!record) return GradeFailure{exit_internal, record.errors()};
      record_.candidates.push_back(std::move(*record));
    }
    return std::nullopt;
  }

  Result<CheckedCandidate> check_one(CheckReferee& referee, const CandidateSource& source,
                                     const BuildOutcome& built, const std::filesystem::path& directory) {
    CheckSession session{referee, problem_, record_.seed, passes_, !on_gpu(), time_limit(), stages_, {}};
    session.progress = [this, name = source.path.filename().string()](const std::string& what) {
      options_.progress(name + ": " + what);
    };
    const OwnSources own{std::filesystem::absolute(source.path), source.path.string(), directory};
    std::unique_ptr<PlaceFinder> places;
    if (!addr2line_.empty()) places = std::make_unique<Addr2line>(addr2line_, built.library, own);
    QuotedSource quoted;
    const EvidenceReader read = [&](const Evidence& evidence, const Case& bound, int calls) {
      const auto timer = stages_.time("places");
      if (!sanitizer_) return findings_of(evidence.entries, problem_, places.get(), quoted);
      return findings_of_report(evidence.tool_report, bound, calls, own, places.get(), quoted);
    };
    CheckedCandidate record;
    record.path = source.path.string();
    record.sha256 = source.sha256;
    return check_candidate(session, built, cases_, read, std::move(record));
  }

  Patience time_limit() const { return Patience(std::lround(record_.time_limit_seconds * 1000)); }

  const Problem& problem_;
  const CheckOptions& options_;
  const Machinery& machinery_;
  StageClock stages_{*machinery_.clock};
  std::vector<CandidateSource> candidates_;
  std::vector<PlannedCase> cases_;
  std::vector<CheckPass> passes_;
  std::filesystem::path reference_source_;
  std::filesystem::path addr2line_;  // empty: not installed
  std::optional<Sanitizer> sanitizer_;
  std::unique_ptr<Toolchain> toolchain_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Build> oracle_build_;
  std::unique_ptr<Build> next_build_;
  std::unique_ptr<Seat> oracle_;
  CheckRecord record_;
};

}  // namespace

CheckResult check(const Problem& problem, const CheckOptions& options, const Machinery& machinery) {
  return CheckRun(problem, options, machinery).run();
}

}  // namespace kgrade
