#include "check/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "base/text.h"
#include "check/check_candidate.h"
#include "check/emulated_findings.h"
#include "check/sanitizer_findings.h"
#include "check/source_of_findings.h"
#include "contest/contest.h"
#include "draw/seed.h"
#include "grade/run_setup.h"
#include "grade/time_estimate.h"
#include "problem/module_file.h"
#include "verify/checks.h"

namespace kgrade {
namespace {

// Empty if the case is small enough.
std::string why_too_large(const Problem& problem, const Case& bound) {
  // A file in KernelBench's form has only this case.
  if (bound.role == CaseRole::bench && !is_module_file(problem.path)) return "sized for a GPU's speed";
  if (bound.flops && *bound.flops > most_checked_flops) {
    return fmt::format("{} operations, checked runs take up to {}", *bound.flops, most_checked_flops);
  }
  if (bound.tensor_bytes() > most_checked_bytes) {
    return fmt::format("{} of tensors, checked runs take up to {}",
                       format_bytes(static_cast<std::uint64_t>(bound.tensor_bytes())),
                       format_bytes(static_cast<std::uint64_t>(most_checked_bytes)));
  }
  return "";
}

// How many times longer a checked call takes than a call of the oracle.
constexpr double checked_call_of_oracle = 20;

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
  CheckRun(const Problem& problem, const CheckOptions& options, std::shared_ptr<Bench> bench)
      : problem_(problem),
        options_(options),
        machinery_(bench->machinery()),
        setup_(problem, options, std::move(bench), true) {}

  CheckResult run() {
    return setup_.carry_out(record_, [this] { return check_candidates(); });
  }

 private:
  Failure check_candidates() {
    if (auto failure = prepare()) return failure;
    begin_record();
    if (auto failure = setup_.load_trusted()) return failure;
    Contest contest(setup_.device(), problem_, setup_.trusted_runner(0), nullptr, record_.seed);
    if (auto failure = foresee(contest)) return failure;
    return setup_.each_group(1, [&](std::vector<RunSetup::Built>& group) {
      const CandidateSource& source = group.front().source;
      Build& build = *group.front().build;
      const BuildOutcome& built = *build.finish();
      contest.set_checked(
          std::make_unique<PassWorkers>(
              setup_.device(), problem_, sanitizer_ ? &*sanitizer_ : nullptr, record_.seed,
              PassWorkers::Candidate{built.library, host_of(source), build.extension_builder(), passes_}),
          {built.is_module, built.returns_outputs});
      auto record = check_one(contest, source, build);
      if (!record) return Failure(record.errors());
      record_.candidates.push_back(std::move(*record));
      return Failure();
    });
  }

  Failure prepare() {
    const auto select = [this]() -> Result<std::vector<PlannedCase>> {
      auto chosen = select_small_cases(problem_, options_, setup_.all_are_modules());
      if (!chosen) return chosen.errors();
      record_.hidden_seed = chosen->hidden_seed;
      return std::move(chosen->cases);
    };
    if (auto failure = setup_.read(select)) return failure;
    if (auto failure = find_tools()) return failure;
    return setup_.start({Role::oracle});
  }

  Failure foresee(Contest& contest) {
    if (on_gpu()) return std::nullopt;
    const double calls = calls_in_a_pass * static_cast<double>(passes_.size()) * checked_call_of_oracle;
    return foresee_time(problem_, options_, setup_.cases(), calls, contest, *machinery_.clock);
  }

  // This is known before the device is opened.
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
    if (!sanitizer) return sanitizer.errors();
    sanitizer_ = std::move(*sanitizer);
    return std::nullopt;
  }

  void begin_record() {
    setup_.describe(record_);
    record_.device.thread_order.clear();  // each pass has its own
    record_.checker = "emulated device";
    if (sanitizer_) {
      record_.checker = fmt::format("compute-sanitizer {} on {}", sanitizer_->version(), record_.device.name);
    }
    record_.time_limit_seconds = options_.time_limit_seconds.value_or(default_check_limit(on_gpu()));
    passes_ = passes_of(options_.orders, on_gpu());
    for (const CheckPass& pass : passes_) record_.passes.push_back(pass.name);
  }

  const PythonHost* host_of(const CandidateSource& source) {
    if (!source.is_python() || setup_.python() == nullptr) return nullptr;
    host_ = setup_.python_host();
    return &host_;
  }

  Result<CheckedCandidate> check_one(Contest& contest, const CandidateSource& source, Build& build) {
    CheckSession session{contest,   problem_,     record_.seed,    passes_,
                         !on_gpu(), time_limit(), setup_.stages(), setup_.progress_of(source)};
    const BuildOutcome& built = *build.finish();
    SourceOfFindings places(addr2line_, source, build.directory(), built.library, options_.layout,
                            machinery_.sandbox);
    const EvidenceReader read = [&](const Evidence& evidence, const Case& bound, int calls) {
      const auto timer = setup_.stages().time("places");
      PlaceFinder* const finder = places.finder(evidence);
      if (!sanitizer_) return findings_of(evidence.entries, problem_, finder, places.quoted());
      return findings_of_report(evidence.tool_report, bound, calls, places.own(), finder, places.quoted());
    };
    CheckedCandidate record;
    record.path = source.path.string();
    record.sha256 = source.sha256;
    record.lines = source.lines();
    if (source.is_python() && on_gpu()) {
      record.status = CheckStatus::unsupported;
      record.message = "compute-sanitizer is not run around a Python interpreter; add --device emulated";
      return record;
    }
    return check_candidate(session, built, setup_.cases(), read, std::move(record));
  }

  Patience time_limit() const { return Patience(std::lround(record_.time_limit_seconds * 1000)); }

  const Problem& problem_;
  const CheckOptions& options_;
  const Machinery& machinery_;
  RunSetup setup_;
  std::vector<CheckPass> passes_;
  std::filesystem::path addr2line_;  // empty: not installed
  std::optional<Sanitizer> sanitizer_;
  PythonHost host_;  // for candidates in Python
  CheckRecord record_;
};

}  // namespace

Result<ChosenCases> select_small_cases(const Problem& problem, const RunOptions& options, bool for_modules) {
  auto chosen = choose_cases(problem, options, true, false, for_modules);
  if (!chosen || !options.cases.empty()) return chosen;
  for (PlannedCase& planned : chosen->cases) {
    planned.skipped = why_too_large(problem, planned.bound);
    if (planned.skipped.empty()) continue;
    planned.skipped += fmt::format("; --case {} ", planned.bound.name);
    if (planned.bound.role == CaseRole::hidden)
      planned.skipped += fmt::format("--hidden-seed {} ", *chosen->hidden_seed);
    planned.skipped += "--force runs it all the same";
  }
  return chosen;
}

CheckResult check(const Problem& problem, const CheckOptions& options, std::shared_ptr<Bench> bench) {
  return CheckRun(problem, options, std::move(bench)).run();
}

}  // namespace kgrade
