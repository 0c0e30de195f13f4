#include "grade/grade.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "base/text.h"
#include "contest/contest.h"
#include "grade/baseline_bench.h"
#include "grade/candidate_run.h"
#include "grade/candidate_runners.h"
#include "grade/case_calls.h"
#include "grade/case_choice.h"
#include "grade/heat.h"
#include "grade/run_setup.h"
#include "grade/time_estimate.h"
#include "measure/block_run.h"
#include "measure/roofline.h"
#include "measure/speedup.h"
#include "problem/module_file.h"
#include "verify/checks.h"

namespace kgrade {
namespace {

// Calls of oracle, reference and candidate together, if speed is not measured: 10 on a test case, 16 with
// families of inputs, 12 on a bench case.
constexpr double calls_of_a_case = 16;

class GradeRun {
 public:
  GradeRun(const Problem& problem, const GradeOptions& options, std::shared_ptr<Bench> bench)
      : problem_(problem),
        options_(options),
        machinery_(bench->machinery()),
        setup_(problem, options, std::move(bench), false, options.looks_soon),
        sessions_(problem, options, setup_, record_) {}

  GradeOutcome run() {
    return setup_.carry_out(record_, [this] {
      Failure failure = grade_candidates();
      put_in_given_order();
      return failure;
    });
  }

 private:
  Failure grade_candidates() {
    if (auto failure = prepare()) return failure;
    setup_.device().set_cache_state(options_.warm ? CacheState::warm : CacheState::cold);
    setup_.device().set_clears_outputs(options_.clears_outputs);
    begin_record();
    const std::string absent = setup_.bench().telemetry().absent();
    if (setup_.device().info().measures_speed && !absent.empty())
      record_.notes.push_back("no telemetry: " + absent);
    if (auto failure = setup_.load_trusted()) return failure;
    prepare_measuring();
    Contest contest(setup_.device(), problem_, setup_.trusted_runner(0), &setup_.trusted_runner(1),
                    record_.seed);
    contest.count_time(options_.candidate_time);
    if (auto failure = try_model(contest)) return failure;
    if (auto failure = foresee(contest)) return failure;
    if (auto failure = time_reference(contest)) return failure;
    return setup_.each_group(
        most_together_, [&](std::vector<RunSetup::Built>& group) { return grade_group(contest, group); });
  }

  void put_in_given_order() {
    std::map<std::size_t, CandidateRecord> by_number;
    for (std::size_t i = 0; i < record_.candidates.size(); ++i)
      by_number[graded_.at(i)] = std::move(record_.candidates[i]);
    record_.candidates.clear();
    for (auto& [number, candidate] : by_number) record_.candidates.push_back(std::move(candidate));
  }

  Failure prepare() {
    const auto select = [this]() -> Result<std::vector<PlannedCase>> {
      auto chosen =
          choose_cases(problem_, options_, machinery_.measures_speed, true, setup_.all_are_modules());
      if (!chosen) return chosen.errors();
      record_.hidden_seed = chosen->hidden_seed;
      return std::move(chosen->cases);
    };
    if (auto failure = setup_.read(select)) return failure;
    if (auto failure = setup_.start({Role::oracle, Role::reference})) return failure;
    start_baselines();
    most_together_ = most_together();
    runners_.emplace(setup_, problem_, most_together_);
    heats_.emplace(problem_, options_, setup_, *runners_, sessions_);
    return runners_->start();
  }

  // Starts baselines only if cases are compared with them: a vendor's library is slow to load.
  void start_baselines() {
    const bool on_gpu = setup_.device().info().measures_speed;
    record_.no_baselines = why_none_are_compared();
    if (!record_.no_baselines.empty()) return;
    std::vector<std::string> left_out;
    std::vector<BaselineSource> sources = baselines_of(problem_, options_.layout, on_gpu);
    std::vector<BaselineSource> modules =
        pytorch_baselines(problem_, options_.layout, options_.baselines, on_gpu);
    std::optional<PythonHost> host;
    if (!modules.empty()) {
      if (auto lacks = setup_.require_python(); !lacks.empty()) {
        left_out.push_back(fmt::format("PyTorch's baselines: {}", in_one_line(lacks.front())));
        modules.clear();
      } else {
        host = host_of_baselines();
      }
    }
    // A problem may have baselines of one kind only.
    const std::string no_vendor = why_no_baselines(problem_, options_.layout, on_gpu);
    const std::string no_modules =
        why_no_pytorch_baselines(problem_, options_.layout, options_.baselines, on_gpu);
    const bool none_at_all = modules.empty() && no_modules.empty() && left_out.empty();
    if (!no_vendor.empty() && (none_at_all || has_baseline_source(problem_, options_.layout)))
      left_out.insert(left_out.begin(), no_vendor);
    if (!no_modules.empty() && no_modules != no_vendor) left_out.push_back(no_modules);
    left_out_baselines_ = fmt::format("{}", fmt::join(left_out, "; "));
    record_.no_baselines = left_out_baselines_;
    sources.insert(sources.end(), modules.begin(), modules.end());
    if (sources.empty()) return;
    baselines_ = BaselineBench(std::move(sources));
    baselines_.start(setup_.toolchain(), setup_.device(), problem_, options_.layout, setup_.stages(), host);
    // This holds until a candidate is compared.
    record_.no_baselines = "no candidate got as far as to be compared";
  }

  std::string why_none_are_compared() const {
    if (options_.baselines == WantedBaselines::none) return "--no-baselines";
    if (std::none_of(setup_.cases().begin(), setup_.cases().end(), std::mem_fn(&PlannedCase::is_measured)))
      return "no case is measured";
    const bool in_a_hurry = options_.effort == Effort::quick && options_.baselines == WantedBaselines::usual;
    return in_a_hurry ? "--quick compares with the reference only" : "";
  }

  // A build of torch.compile takes ten seconds or more, so it is kept for the same problem, PyTorch and GPU.
  // A KernelBench file may write anything into this folder, but no other file reads the folder.
  PythonHost host_of_baselines() {
    PythonHost host = setup_.python_host();
    const std::filesystem::path all = user_cache_folder("compiled");
    if (options_.baselines != WantedBaselines::compiled || all.empty()) return host;
    host.cache = all / sha256_hex(fmt::format("{}\n{}\n{}", problem_.content_sha256,
                                              setup_.python()->interpreter.torch_version,
                                              device_model(setup_.device().info())));
    std::error_code failure;
    std::filesystem::create_directories(host.cache, failure);
    if (failure) host.cache.clear();
    return host;
  }

  // If times do not measure speed, cases may take hours.
  Failure foresee(Contest& contest) {
    if (machinery_.measures_speed) return std::nullopt;
    return foresee_time(problem_, options_, setup_.cases(), calls_of_a_case, contest, *machinery_.clock);
  }

  // Calls the oracle and the reference on all cases. A case may not fit the Model, or the Model may be too
  // far off float64 in it, which must not look like a candidate's fault. Such a case of a Python file is
  // skipped, unless nothing would be left. A file in KernelBench's form has one case, which is known to fit.
  Failure try_model(Contest& contest) {
    const std::vector<PlannedCase>& cases = setup_.cases();
    if (!problem_.has_model() || cases.size() < 2) return std::nullopt;
    Session session = sessions_.of_trusted(contest);
    const bool measures = std::ranges::any_of(cases, &PlannedCase::is_measured);
    std::optional<Error> first;
    std::size_t left = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (!cases[i].skipped.empty()) continue;
      auto trouble = try_case(session, cases[i].bound);
      contest.take_back();
      if (!trouble) left += !measures || cases[i].is_measured() ? 1 : 0;
      if (!trouble) continue;
      if (trouble->blame == Blame::machine || !is_module_file(problem_.path)) return Errors{*trouble};
      setup_.skip(i, trouble->message);
      record_.notes.push_back("left out: " + trouble->message);
      if (!first) first = std::move(trouble);
    }
    return first && left == 0 ? Failure(Errors{*first}) : std::nullopt;
  }

  static CaseCalls::Trouble try_case(Session& session, const Case& bound) {
    CaseCalls calls(session, bound);
    if (auto trouble = calls.lend_buffers({Role::oracle, Role::reference}, 1)) return trouble;
    if (auto trouble = calls.draw_fresh()) return trouble;
    const auto sample = calls.call_trusted(Role::reference, Purpose::warm_up);
    return sample ? std::nullopt : CaseCalls::Trouble(sample.error());
  }

  // Runs while the baselines are being compiled.
  Failure time_reference(Contest& contest) {
    if (baselines_.is_empty()) return std::nullopt;
    Session session = sessions_.of_trusted(contest);
    auto alone = time_reference_alone(session, setup_.cases());
    if (!alone) return alone.errors();
    sessions_.known().reference_alone = std::move(*alone);
    return std::nullopt;
  }

  // Runs with no candidate on the device: it could disturb a search for the fastest algorithm.
  Errors try_baselines(Contest& contest) {
    Session session = sessions_.of_trusted(contest);
    baselines_are_tried_ = true;
    record_.no_baselines = left_out_baselines_;
    const Errors errors = baselines_.try_out(session, contest, setup_.cases());
    record_.baselines = baselines_.records();
    for (const BaselineRecord& baseline : record_.baselines) {
      if (!baseline.problem.empty())
        record_.notes.push_back(fmt::format("baseline {} is left out: {}", baseline.name, baseline.problem));
    }
    return errors;
  }

  void begin_record() {
    setup_.describe(record_);
    record_.required_precision = precision_from(problem_.precision);
    record_.thresholds = problem_.thresholds;
    record_.effort = options_.effort;
    record_.clears_outputs = options_.clears_outputs;
    note_useless_options();
    if (setup_.lacks_cuobjdump())
      record_.notes.push_back(fmt::format(
          "records do not name matrix units, because there is no cuobjdump: {}", cuobjdump_remedy));
  }

  // Without this note, users would believe that these options had an effect.
  void note_useless_options() {
    if (setup_.device().info().measures_speed) return;
    std::vector<std::string> useless;
    if (options_.effort == Effort::quick) useless.emplace_back("--quick");
    if (options_.effort == Effort::ranked) useless.emplace_back("--ranked");
    if (options_.warm) useless.emplace_back("--warm");
    if (options_.launches) useless.emplace_back("--launches");
    if (useless.empty()) return;
    record_.notes.push_back(
        fmt::format("{}: of no use on a device that does not measure speed", fmt::join(useless, ", ")));
  }

  // Heats are only for quick grades: baselines, further processes and turns need one candidate alone. Without
  // namespaces a candidate could reach into another's process.
  std::size_t most_together() {
    const bool is_usual = setup_.device().info().measures_speed && options_.effort == Effort::quick;
    const std::size_t most = options_.heat.value_or(is_usual ? most_in_heat : 1);
    if (!is_confined(machinery_)) return 1;
    if (!baselines_.is_empty() || options_.effort != Effort::quick || problem_.has_model()) return 1;
    if (!setup_.device().gates_calls()) return most;
    return room_for_heat(setup_.cases(), setup_.device().free_bytes(), most);
  }

  Failure grade_group(Contest& contest, std::vector<RunSetup::Built>& group) {
    begin(group.front().number);
    auto played = heats_->play(group);
    if (!played) return played.errors();
    for (RunSetup::Built& one : group) {
      if (one.number != group.front().number) begin(one.number);
      const auto found = played->find(one.number);
      if (found != played->end() && found->second && found->second->is_final) {
        if (auto failure = keep(one, std::move(found->second->record))) return failure;
      } else if (auto failure = grade_candidate(contest, one, Heats::notes_on(found, *played))) {
        return failure;
      }
    }
    const bool last = record_.candidates.size() == setup_.candidates().size();
    return last || !runners_->is_empty() ? std::nullopt : runners_->start();
  }

  void begin(std::size_t number) {
    options_.on_start(number);
    if (options_.candidate_time != nullptr) options_.candidate_time->count_for(number);
  }

  // `notes` is not empty if the candidate was in a heat: they say why it is graded again, on contents that it
  // has not seen.
  Failure grade_candidate(Contest& contest, RunSetup::Built& one, std::vector<std::string> notes) {
    const int attempt = notes.empty() ? 0 : 1;
    auto record = run_one(contest, one.source, *one.build, sessions_.seed_of(one.number, attempt));
    if (!record) return record.errors();
    if (record->verdict == Verdict::unstable || candidate_was_killed_) {
      // Another program may have disturbed or killed it, or the kernel when memory ran out: grade it once
      // more.
      notes.push_back(fmt::format("graded twice, the first time {}: {}",
                                  candidate_was_killed_ ? "killed" : "unstable", record->message));
      if (auto failure = runners_->start()) return failure;
      if (options_.candidate_time != nullptr) options_.candidate_time->begin_again();
      record = run_one(contest, one.source, *one.build, sessions_.seed_of(one.number, attempt + 1));
      if (!record) return record.errors();
    }
    record->notes.insert(record->notes.end(), notes.begin(), notes.end());
    return keep(one, std::move(*record));
  }

  Failure keep(const RunSetup::Built& one, CandidateRecord record) {
    const std::size_t number = one.number;
    judge_class(setup_.candidates().at(number), record);
    const bool looks_again = options_.second_look && !machinery_.measures_speed;
    if (looks_again && record.verdict == Verdict::accepted) {
      if (auto failure = options_.second_look(setup_, problem_, options_, one.source, record)) return failure;
    }
    graded_.push_back(number);
    runners_->settle(number);
    record_.candidates.push_back(std::move(record));
    if (options_.on_verdict) options_.on_verdict(number, record_of_last());
    return std::nullopt;
  }

  // The user who asks for a grade chooses the class in which a candidate is judged and compared.
  void judge_class(const CandidateSource& source, CandidateRecord& record) const {
    keep_to_class(
        record, precision_from(source.reference_class.empty() ? problem_.precision : source.reference_class));
    if (source.overruled_class.empty()) return;
    const std::string why = fmt::format(
        "it declares {0}, which counts only if {0} is asked for: precision={0} in a request, --precision {0}",
        source.overruled_class);
    if (record.verdict == Verdict::low_precision) record.message += "; " + why;
    if (record.verdict == Verdict::wrong_answer) record.notes.push_back(why);
  }

  Record record_of_last() {
    std::vector<CandidateRecord> all = std::move(record_.candidates);
    record_.candidates = {all.back()};
    Record one = record_;
    record_.candidates = std::move(all);
    setup_.take_times(one);
    const std::vector<StageTime> stages = one.stages;
    const double total = one.total_seconds;
    one.stages = times_since(reported_stages_, one.stages);
    one.total_seconds -= reported_seconds_;
    reported_stages_ = stages;
    reported_seconds_ = total;
    return one;
  }

  // Prepares the device once per run: its ceilings, and its telemetry.
  void prepare_measuring() {
    if (!setup_.device().info().measures_speed) return;
    const auto timer = setup_.stages().time("ceilings");
    CachedCeilings known = load_or_measure(setup_.device(), machinery_.ceilings);
    record_.ceilings = known.ceilings;
    for (const Error& warning : known.warnings) record_.notes.push_back(warning.message);
    if (auto note = borrowed_offset_note(setup_.device().info())) record_.notes.push_back(std::move(*note));
  }

  Result<CandidateRecord> run_one(Contest& contest, const CandidateSource& source, Build& build,
                                  std::uint64_t seed) {
    TelemetryReader reader = sessions_.read_telemetry();
    auto record = run_watched(contest, source, build, seed, reader);
    if (record) take_telemetry(reader.sampler, *record);
    return record;
  }

  void take_telemetry(const TelemetrySampler& sampler, CandidateRecord& record) const {
    record.telemetry = sampler.summary();
    const std::vector<ArmReadings> arms = sampler.arms();
    const auto readings = [&arms](Role role) {
      const auto arm = static_cast<std::size_t>(role);
      return arm < arms.size() ? arms[arm] : ArmReadings{};
    };
    const ArmPowerCap candidate{"the candidate", readings(Role::candidate)};
    for (const ArmPowerCap& other : {ArmPowerCap{"the reference", readings(Role::reference)},
                                     ArmPowerCap{"the baseline", readings(Role::baseline)}}) {
      if (auto warning = power_cap_warning(candidate, other)) record.notes.push_back(*warning);
    }
  }

  Result<CandidateRecord> run_watched(Contest& contest, const CandidateSource& source, Build& build,
                                      std::uint64_t seed, TelemetryReader& reader) {
    const BuildOutcome& built = *build.finish();
    auto runner = runners_->next(source, build);
    if (!runner) return runner.errors();
    contest.set_candidate(std::move(*runner), built.library,
                          {built.is_module || problem_.has_model(), built.returns_outputs});
    Session session = sessions_.of_candidate(contest, built, seed, setup_.progress_of(source), reader);
    RunBaselines baselines(*this, contest);
    session.baselines = &baselines;
    session.matrix_units = build.matrix_units();
    auto result = run_candidate(session, built, setup_.cases(), sessions_.blank_record(source, built, seed));
    candidate_was_killed_ = session.candidate_was_killed;
    return result;
  }

  // The run's baselines, for the session of one candidate.
  class RunBaselines : public Baselines {
   public:
    RunBaselines(GradeRun& run, Contest& contest) : run_(run), contest_(contest) {}

    bool are_known() const override { return run_.baselines_.is_empty() || run_.baselines_are_tried_; }
    Errors find() override { return run_.try_baselines(contest_); }
    std::vector<BaselineChoice> choices(const std::string& case_name) const override {
      return run_.baselines_.choices(case_name);
    }
    bool activate(const std::string& name, int process) override {
      return run_.baselines_.activate(name, process, contest_);
    }
    void retire(const std::string& name) override { run_.baselines_.retire(name); }

   private:
    GradeRun& run_;
    Contest& contest_;
  };

  const Problem& problem_;
  const GradeOptions& options_;
  const Machinery& machinery_;
  RunSetup setup_;
  Record record_;
  RunSessions sessions_;
  std::optional<CandidateRunners> runners_;
  std::optional<Heats> heats_;
  BaselineBench baselines_{{}};
  std::string left_out_baselines_;  // names and reasons, for the record
  bool baselines_are_tried_ = false;
  bool candidate_was_killed_ = false;  // the last one
  std::vector<std::size_t> graded_;    // numbers of the record's candidates
  std::size_t most_together_ = 1;
  std::vector<StageTime> reported_stages_;  // in the records of previous candidates
  double reported_seconds_ = 0;
};

}  // namespace

GradeOutcome grade(const Problem& problem, const GradeOptions& options, std::shared_ptr<Bench> bench) {
  const auto run = std::make_shared<GradeRun>(problem, options, std::move(bench));
  GradeOutcome outcome = run->run();
  outcome.machine = run;
  return outcome;
}

}  // namespace kgrade
