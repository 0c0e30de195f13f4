#include "check/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "base/text.h"
#include "check/emulated_findings.h"
#include "check/extension_places.h"
#include "check/sanitizer_findings.h"
#include "contest/check_referee.h"
#include "draw/draws.h"
#include "draw/seed.h"
#include "grade/module_cases.h"
#include "grade/run_setup.h"
#include "grade/time_estimate.h"
#include "problem/module_file.h"
#include "verify/checks.h"
#include "verify/judgement.h"
#include "verify/wrong_output.h"

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

CheckStatus status_of(BuildStatus status) {
  switch (status) {
    case BuildStatus::signature_mismatch:
      return CheckStatus::signature_mismatch;
    case BuildStatus::unsupported:
      return CheckStatus::unsupported;
    case BuildStatus::built:
    case BuildStatus::compile_error:
      break;
  }
  return CheckStatus::compile_error;
}

CheckedCase blank_record(const PlannedCase& planned) {
  CheckedCase record;
  record.name = planned.bound.name;
  record.role = planned.bound.role;
  record.tensor_bytes = planned.bound.tensor_bytes();
  record.flops = planned.bound.flops;
  record.message = planned.skipped;
  record.run = planned.skipped.empty();
  return record;
}

bool is_about_the_answer(const std::string& kind) {
  return kind == to_string(Verdict::wrong_answer) || kind == to_string(Verdict::low_precision);
}

// Whether the verdict means that a candidate cannot be checked. Only Python candidates get it when they are
// loaded or called; others get it when they are built.
bool is_refusal(Verdict verdict) {
  return verdict == Verdict::unsupported || verdict == Verdict::signature_mismatch ||
         verdict == Verdict::compile_error;
}

// Whether the fault is Python's, whose message says what was done.
bool is_of_python(Fault fault) {
  switch (fault) {
    case Fault::raised:
    case Fault::unsupported:
    case Fault::mismatched:
    case Fault::no_answer:
    case Fault::not_built:
      return true;
    default:
      return false;
  }
}

class CandidateCheck {
 public:
  CandidateCheck(CheckSession& session, const EvidenceReader& read, CheckedCandidate record)
      : session_(session), read_(read), record_(std::move(record)) {}

  Result<CheckedCandidate> run(const BuildOutcome& built, const std::vector<PlannedCase>& cases) {
    record_.compile_seconds = built.seconds;
    record_.compiler_log = built.log;
    if (built.status != BuildStatus::built) {
      record_.status = status_of(built.status);
      record_.message = built.message;
      return record_;
    }
    if (!built.is_module) return run_built(cases);
    weights_ = 1;
    const ModuleCases stated = stated_cases(session_.problem, cases);
    if (stated.unsupported.empty()) return run_built(stated.cases);
    record_.status = CheckStatus::unsupported;
    record_.message = stated.unsupported;
    return record_;
  }

 private:
  Result<CheckedCandidate> run_built(const std::vector<PlannedCase>& cases) {
    for (const PlannedCase& planned : cases) {
      record_.cases.push_back(blank_record(planned));
      if (!planned.skipped.empty()) continue;
      if (!ended_by_.empty()) {
        record_.cases.back().run = false;
        record_.cases.back().message = fmt::format("not run: the candidate {} before", ended_by_);
        continue;
      }
      if (auto errors = run_case(planned.bound, record_.cases.back()); !errors.empty()) return errors;
      if (refused_) return refused();
    }
    conclude();
    return record_;
  }

  // The record of a candidate in Python that turns out, when it runs, not to be checkable.
  CheckedCandidate refused() {
    record_.status = refused_->verdict == Verdict::unsupported          ? CheckStatus::unsupported
                     : refused_->verdict == Verdict::signature_mismatch ? CheckStatus::signature_mismatch
                                                                        : CheckStatus::compile_error;
    record_.message = refused_->message;
    record_.cases.clear();
    return record_;
  }

  Draw with_weights(Draw draw) const {
    draw.weights = weights_;
    return draw;
  }

  Errors run_case(const Case& bound, CheckedCase& record) {
    const Draw draw = with_weights({session_.seed, 0});
    evidence_.clear();
    session_.progress(fmt::format("{}: oracle", bound.name));
    if (auto errors = learn_scales(bound); !errors.empty()) return errors;
    if (const auto report = call_oracle(bound, draw); !report) return report.errors();
    scales_.add(session_.arena.sample_expected());
    session_.arena.compare_by(scales_.magnitudes());
    for (const CheckPass& pass : session_.passes) {
      if (!ended_by_.empty() || refused_) break;
      session_.progress(fmt::format("{}: {}", bound.name, pass.name));
      if (auto errors = run_pass(bound, pass, draw, record); !errors.empty()) return errors;
    }
    note_unexplained(record);
    return {};
  }

  // Learns from at least one other draw, which gives the distance to the answer to other inputs.
  Errors learn_scales(const Case& bound) {
    scales_ = {};
    DrawSequence draws(session_.seed, 1);
    const Precision required = precision_from(session_.problem.precision);
    std::vector<Samples> calls;
    for (int call = std::max(1, ExpectedScales::draws_of(bound, required)); call > 0; --call) {
      const auto report = call_oracle(bound, with_weights(draws.fresh()));
      if (!report) return report.errors();
      calls.push_back(session_.arena.sample_expected());
    }
    scales_.learn_from(calls);
    return {};
  }

  Result<CallReport> call_oracle(const Case& bound, const Draw& draw) {
    const auto timer = session_.stages.time("oracle");
    auto report = session_.arena.call_oracle(bound, draw);
    if (!report) return report.errors();
    if (const auto failure = review_call(*report)) {
      return trusted_failure("oracle", session_.problem, bound, *failure);
    }
    return report;
  }

  Errors run_pass(const Case& bound, const CheckPass& pass, const Draw& draw, CheckedCase& record) {
    const double start = session_.stages.now();
    const auto timer = session_.stages.time(pass.name);
    PassRecord row;
    row.pass = pass.name;
    auto evidence = evidence_of(pass, bound, draw, row);
    // A signal from outside may not be the candidate's fault, so the pass is repeated once.
    if (evidence && seen_ && seen_->killed) evidence = evidence_of(pass, bound, draw, row);
    if (!evidence) return evidence.errors();
    if (seen_ && is_refusal(seen_->verdict)) refused_ = seen_;
    note(read_(*evidence, bound, row.calls), bound, row);
    record_.dropped += evidence->dropped;
    row.seconds = session_.stages.now() - start;
    record.passes.push_back(std::move(row));
    return {};
  }

  Result<Evidence> evidence_of(const CheckPass& pass, const Case& bound, const Draw& draw, PassRecord& row) {
    seen_.reset();
    row.calls = 0;
    auto entered = session_.arena.enter(pass, bound);
    if (!entered) return entered.errors();
    int attempted = 0;
    if (!entered->ok()) {
      see_failed_start(*entered);
    } else {
      while (attempted < calls_in_a_pass && call_goes_on(bound, draw, row)) ++attempted;
    }
    return session_.arena.leave();
  }

  void see_failed_start(const Answer& answer) {
    CallReport report;
    report.fault = answer.fault;
    report.detail = answer.detail;
    if (!is_of_python(answer.fault)) report.detail.insert(0, "while loading: ");
    seen_ = review_call(report);
    note_exception(report);
  }

  // Ends the check after a Python exception: other passes would only raise the same exception.
  void note_exception(const CallReport& report) {
    if (report.fault == Fault::raised) ended_by_ = "raised an exception";
  }

  // False if there can be no further call.
  bool call_goes_on(const Case& bound, const Draw& draw, PassRecord& row) {
    const CallReport report = session_.arena.call(draw, session_.time_limit);
    if (report.fault == Fault::none) row.calls += 1;
    if (const auto failure = review_call(report)) {
      see(*failure);
      if (failure->verdict == Verdict::time_limit) ended_by_ = "ran into the time limit";
      note_exception(report);
      return report.fault == Fault::none && !is_crash(report);
    }
    failed_launch_ = report.failed_launch;
    const std::vector<OutputErrors> outputs = session_.arena.compare();
    for (std::size_t i = 0; i < outputs.size(); ++i) judge_output(bound, outputs[i], i, draw);
    return true;
  }

  void judge_output(const Case& bound, const OutputErrors& output, std::size_t index, const Draw& draw) {
    const Judgement judgement =
        judge(output, index, session_.problem, bound, scales_, precision_from(session_.problem.precision));
    if (judgement.verdict == Verdict::accepted || seen_) return;
    see({judgement.verdict, check_behind(judgement.verdict),
         with_failed_launch(failed_launch_, describe_output(output, judgement, index, draw))});
  }

  std::string describe_output(const OutputErrors& output, const Judgement& judgement, std::size_t index,
                              const Draw& draw) {
    const std::string worst = coordinates_of_worst(output);
    std::optional<OutputValues> values;
    if (judgement.verdict == Verdict::wrong_answer && output.compare != Comparison::Kind::quantised)
      values = session_.arena.examine(index, draw, session_.time_limit);
    const WrongOutput wrong = values ? wrong_output(*values, judgement.element_limit) : WrongOutput{};
    // The number of wrong elements is unknown, or they are so near that floats do not show it.
    if (wrong.wrong == 0) {
      return fmt::format("`{}` has an error of {:.1e}, the worst at {}", output.tensor,
                         judgement.relative_error, worst);
    }
    const std::string how = kgrade::describe(wrong);
    return fmt::format("{} of {} elements of `{}`, the worst at {}{}{}", wrong.wrong, wrong.elements,
                       output.tensor, worst, how.empty() ? "" : "; ", how);
  }

  // The first failure becomes the pass's verdict.
  void see(const CallFinding& failure) {
    if (!seen_) seen_ = failure;
  }

  void note(const std::vector<Finding>& evidence, const Case& bound, PassRecord& row) {
    for (const Finding& finding : evidence) list_.add(finding, bound.name, row.pass);
    evidence_.insert(evidence_.end(), evidence.begin(), evidence.end());
    row.findings = evidence.size();
    if (!seen_) return;
    row.verdict = seen_->verdict;
    row.message = seen_->message;
  }

  // Called after all passes of a case, because the findings of one tool explain failures under another.
  void note_unexplained(CheckedCase& record) {
    for (PassRecord& row : record.passes) {
      if (row.verdict == Verdict::accepted || explains(evidence_, row.verdict)) continue;
      list_.add(finding_of(row), record.name, row.pass);
      row.findings += 1;
    }
  }

  // A finding, without a place, for what the referee saw.
  Finding finding_of(const PassRecord& row) const {
    Finding finding;
    finding.kind = to_string(row.verdict);
    finding.message = row.message;
    finding.remedy = remedy_for(row.verdict);
    if (row.verdict == Verdict::runtime_error && !session_.passes_are_orders) {
      finding.remedy =
          "host code that dereferences a device pointer ends so; --device emulated finds its line";
    }
    return finding;
  }

  void conclude() {
    record_.findings = list_.findings();
    for (Finding& finding : record_.findings) {
      if (is_about_the_answer(finding.kind)) finding.message = answer_text(finding);
    }
    if (!record_.findings.empty()) record_.status = CheckStatus::findings;
  }

  std::string answer_text(const Finding& finding) const {
    const std::string passes = fmt::format("{}", fmt::join(finding.passes, " and "));
    std::string where = session_.passes_are_orders ? fmt::format("in {} order", passes) : "under " + passes;
    if (finding.passes.size() == session_.passes.size()) where = "in every run";
    return fmt::format("the answer is wrong {}: {}", where, finding.message);
  }

  CheckSession& session_;
  const EvidenceReader& read_;
  CheckedCandidate record_;
  FindingList list_;
  ExpectedScales scales_;            // of the current case
  std::string ended_by_;             // why no further pass runs, as it would end the same way; usually empty
  std::vector<Finding> evidence_;    // of all passes of this case
  std::optional<CallFinding> seen_;  // by the referee in this pass
  std::optional<CallFinding> refused_;
  int failed_launch_ = 0;      // of the latest call: CallReport::failed_launch
  std::uint32_t weights_ = 0;  // see Draw
};

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
    CheckReferee referee(setup_.device(), problem_, setup_.trusted_runner(0), sanitizer_, record_.seed);
    if (auto failure = foresee(referee)) return failure;
    return setup_.each_group(1, [&](std::vector<RunSetup::Built>& group) {
      const CandidateSource& source = group.front().source;
      Build& build = *group.front().build;
      const BuildOutcome& built = *build.finish();
      referee.set_candidate(
          {built.library, host_of(source), build.extension_builder(), built.returns_outputs, passes_});
      auto record = check_one(referee, source, build);
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

  Failure foresee(CheckReferee& referee) {
    if (on_gpu()) return std::nullopt;
    const double calls = calls_in_a_pass * static_cast<double>(passes_.size()) * checked_call_of_oracle;
    return foresee_time(problem_, options_, setup_.cases(), calls, [&](const Case& bound) -> Result<double> {
      const double start = machinery_.clock->now();
      const auto report = referee.call_oracle(bound, {record_.seed, 0});
      if (!report) return report.errors();
      if (const auto finding = review_call(*report)) return Error{finding->message, "", {}};
      return machinery_.clock->now() - start;
    });
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
      record_.checker = fmt::format("compute-sanitizer {} on {}", sanitizer_->version, record_.device.name);
    }
    record_.time_limit_seconds = options_.time_limit_seconds.value_or(default_check_limit(on_gpu()));
    passes_ = passes_of(options_.orders, on_gpu());
    for (const CheckPass& pass : passes_) record_.passes.push_back(pass.name);
  }

  const PythonHost* host_of(const CandidateSource& source) {
    if (!source.is_python || setup_.python() == nullptr) return nullptr;
    host_ = setup_.python_host();
    return &host_;
  }

  Result<CheckedCandidate> check_one(CheckReferee& referee, const CandidateSource& source, Build& build) {
    CheckSession session{referee,   problem_,     record_.seed,    passes_,
                         !on_gpu(), time_limit(), setup_.stages(), setup_.progress_of(source)};
    const BuildOutcome& built = *build.finish();
    OwnSources own{std::filesystem::absolute(source.path), source.path.string(), build.directory()};
    if (source.is_python) own.foreign = options_.layout.python;
    std::unique_ptr<PlaceFinder> places;
    if (!addr2line_.empty() && !source.is_python)
      places = std::make_unique<Addr2line>(addr2line_, built.library, own, machinery_.sandbox);
    QuotedSource quoted;
    const EvidenceReader read = [&](const Evidence& evidence, const Case& bound, int calls) {
      const auto timer = setup_.stages().time("places");
      if (!addr2line_.empty() && source.is_python)
        places = std::make_unique<ExtensionPlaces>(addr2line_, evidence.extensions, own, machinery_.sandbox);
      if (!sanitizer_) return findings_of(evidence.entries, problem_, places.get(), quoted);
      return findings_of_report(evidence.tool_report, bound, calls, own, places.get(), quoted);
    };
    CheckedCandidate record;
    record.path = source.path.string();
    record.sha256 = source.sha256;
    record.lines = source.lines;
    if (source.is_python && on_gpu()) {
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

Result<CheckedCandidate> check_candidate(CheckSession& session, const BuildOutcome& built,
                                         const std::vector<PlannedCase>& cases, const EvidenceReader& read,
                                         CheckedCandidate record) {
  return CandidateCheck(session, read, std::move(record)).run(built, cases);
}

CheckResult check(const Problem& problem, const CheckOptions& options, std::shared_ptr<Bench> bench) {
  return CheckRun(problem, options, std::move(bench)).run();
}

}  // namespace kgrade
