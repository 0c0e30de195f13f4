#include "profile/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "check/check.h"
#include "check/check_candidate.h"
#include "check/source_of_findings.h"
#include "contest/contest.h"
#include "grade/run_setup.h"
#include "measure/roofline.h"
#include "profile/activity.h"
#include "profile/advice.h"
#include "profile/ncu_report.h"
#include "profile/profiler.h"

namespace kgrade {
namespace {

void add_ratio(KernelProfile& kernel, const char* fact, double factor, std::uint64_t part,
               std::uint64_t whole) {
  if (whole > 0) kernel.facts[fact] = factor * static_cast<double>(part) / static_cast<double>(whole);
}

void add_global(KernelProfile& kernel, const char* sectors, const char* bytes, const GlobalCounts& counts) {
  add_ratio(kernel, sectors, 1, counts.sectors, counts.requests);
  add_ratio(kernel, bytes, 1, counts.bytes, counts.sectors);
}

KernelProfile profile_of(const LaunchCounts& counts) {
  KernelProfile kernel;
  kernel.name = counts.kernel;
  kernel.launches = static_cast<int>(counts.times);
  std::copy(std::begin(counts.grid), std::end(counts.grid), kernel.grid.begin());
  std::copy(std::begin(counts.block), std::end(counts.block), kernel.block.begin());
  add_global(kernel, "load_sectors_per_request", "load_bytes_per_sector", counts.loads);
  add_global(kernel, "store_sectors_per_request", "store_bytes_per_sector", counts.stores);
  kernel.facts["shared_conflicts"] = static_cast<double>(counts.shared_conflicts);
  add_ratio(kernel, "shared_conflict_pct", 100, counts.shared_conflicts, counts.shared_passes);
  add_ratio(kernel, "partial_request_pct", 100, counts.partial_requests, counts.requests);
  kernel.facts["accesses"] = static_cast<double>(counts.global_accesses + counts.shared_accesses);
  kernel.facts["atomics"] = static_cast<double>(counts.global_atomics + counts.shared_atomics);
  kernel.facts["barriers"] = static_cast<double>(counts.barriers);
  return kernel;
}

// Facts of the launches that the emulated device counted (device/emulated/checker/access_counts.h). They are
// exact for the case that ran, and say nothing about time. `places` may be null. Then no fact has a place in
// the source.
std::vector<KernelProfile> profiles_of(const std::vector<LaunchCounts>& counts, PlaceFinder* places,
                                       QuotedSource& source) {
  std::vector<std::uint64_t> pcs;
  for (const LaunchCounts& one : counts) {
    for (const CountedPlace& place : one.places()) pcs.push_back(place.pc);
  }
  std::vector<std::optional<SourcePlace>> found(pcs.size());
  if (places != nullptr && !pcs.empty()) found = places->find(pcs);
  std::vector<KernelProfile> kernels;
  auto next = found.begin();
  for (const LaunchCounts& one : counts) {
    kernels.push_back(profile_of(one));
    const std::uint64_t of_loads = one.loads.excess();
    const std::uint64_t of_stores = one.stores.excess();
    const auto add = [&](const char* what, const CountedPlace& place, std::uint64_t all) {
      const auto at = *next++;
      if (at && place.excess > 0 && all > 0)
        kernels.back().worst.push_back(
            {what, source.place(*at), static_cast<double>(place.excess) / static_cast<double>(all)});
    };
    add("loads", one.worst_load, of_loads);
    add("stores", one.worst_store, of_stores);
    add("shared", one.worst_shared, one.shared_conflicts);
  }
  return kernels;
}

// The largest measured case, or the largest of all cases if none is measured.
std::vector<PlannedCase> only_largest(std::vector<PlannedCase> cases) {
  std::erase_if(cases, [](const PlannedCase& planned) { return !planned.skipped.empty(); });
  const auto rank = [](const PlannedCase& planned) {
    return std::pair(planned.is_measured(), planned.bound.tensor_bytes());
  };
  const auto largest = std::max_element(cases.begin(), cases.end(),
                                        [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  if (largest == cases.end()) return {};
  return {*largest};
}

// The name that the worker of a Python candidate gives the candidate's file: write_source() of
// kgrade_python/contestant.py.
std::string name_in_worker(const std::filesystem::path& source) {
  std::string stem = source.stem().string();
  std::replace_if(
      stem.begin(), stem.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return fmt::format("/tmp/submission/submission_{}.py", stem);
}

// The results of both passes for one candidate.
struct Seen {
  std::vector<KernelProfile> kernels;
  std::string source;
  std::vector<std::filesystem::path> extensions;
  std::vector<std::string> notes;
  std::optional<Error> lacks;
};

class ProfileRun {
 public:
  ProfileRun(const Problem& problem, const ProfileOptions& options, std::shared_ptr<Bench> bench)
      : problem_(problem),
        options_(options),
        machinery_(bench->machinery()),
        setup_(problem, options, std::move(bench), true) {}

  ProfileResult run() {
    return setup_.carry_out(record_, [this] { return profile_candidates(); });
  }

 private:
  bool on_gpu() const { return machinery_.measures_speed; }

  Failure profile_candidates() {
    if (auto failure = setup_.read([this] { return choose(); })) return failure;
    if (on_gpu()) profiler_ = Profiler::find();
    if (const auto found = Addr2line::find_program()) addr2line_ = *found;
    if (auto failure = setup_.start({Role::oracle})) return failure;
    begin_record();
    if (auto failure = setup_.load_trusted()) return failure;
    Contest contest(setup_.device(), problem_, setup_.trusted_runner(0), nullptr, record_.seed);
    return setup_.each_group(1, [&](std::vector<RunSetup::Built>& group) {
      auto candidate = profile_one(contest, group.front().source, *group.front().build);
      if (!candidate) return Failure(candidate.errors());
      record_.candidates.push_back(std::move(*candidate));
      return Failure();
    });
  }

  Result<std::vector<PlannedCase>> choose() const {
    const bool modules = setup_.all_are_modules();
    auto chosen = on_gpu() ? choose_cases(problem_, options_, true, false, modules)
                           : select_small_cases(problem_, options_, modules);
    if (!chosen) return chosen.errors();
    auto one = only_largest(std::move(chosen->cases));
    if (one.empty())
      return Error{
          fmt::format("problem '{}' has no case that is small enough for the emulated device", problem_.slug),
          "name one: --case NAME --force",
          {}};
    return one;
  }

  void begin_record() {
    setup_.describe(record_);
    record_.device.thread_order.clear();  // the order of threads changes no count
    const Case& bound = setup_.cases().front().bound;
    record_.case_name = bound.name;
    record_.tensor_bytes = bound.tensor_bytes();
    record_.flops = bound.flops;
    if (!on_gpu()) {
      record_.profiler = "emulated device";
      return;
    }
    record_.ceilings = load_or_measure(setup_.device(), machinery_.ceilings).ceilings;
    record_.profiler = profiler_->ncu().empty() ? "CUPTI" : "ncu";
    record_.profiler_version = profiler_->ncu_version();
    if (profiler_->ncu().empty())
      record_.lacks = machine_error("Nsight Compute is not installed: times and resources alone",
                                    "apt install nsight-compute, or put the folder of ncu into PATH");
  }

  std::vector<CheckPass> passes() const {
    if (!on_gpu()) return {{std::string(to_string(ThreadOrder::forward)), ThreadOrder::forward}};
    std::vector<CheckPass> passes;
    for (const std::string& name : profiler_->passes()) passes.push_back({name});
    return passes;
  }

  Result<ProfiledCandidate> profile_one(Contest& contest, const CandidateSource& source, Build& build) {
    const BuildOutcome& built = *build.finish();
    host_ = source.is_python() && setup_.python() != nullptr ? setup_.python_host() : PythonHost{};
    contest.set_checked(std::make_unique<PassWorkers>(
                            setup_.device(), problem_, profiler_ ? &*profiler_ : nullptr, record_.seed,
                            PassWorkers::Candidate{built.library, source.is_python() ? &host_ : nullptr,
                                                   build.extension_builder(), passes(), !on_gpu()}),
                        {built.is_module, built.returns_outputs});
    OwnSources own{std::filesystem::absolute(source.path), source.path.string(), build.directory()};
    if (source.is_python()) own.foreign = options_.layout.python;
    if (profiler_)
      profiler_->set_source(source.path.filename().string(),
                            source.submission ? source.submission->text : "");
    const double seconds = options_.time_limit_seconds.value_or(default_profile_limit(on_gpu()));
    const Patience limit(std::lround(seconds * 1000));
    CheckSession session{contest,   problem_, record_.seed,    passes(),
                         !on_gpu(), limit,    setup_.stages(), setup_.progress_of(source),
                         true};
    Seen seen;
    std::string pass = session.passes.front().name;
    const EvidenceReader read = [&](const Evidence& evidence, const Case&, int) {
      see(evidence, pass, source, built, own, seen);
      pass = counters_pass;
      return std::vector<Finding>();
    };
    CheckedCandidate blank;
    blank.path = source.path.string();
    blank.sha256 = source.sha256;
    blank.lines = source.lines();
    auto checked = check_candidate(session, built, setup_.cases(), read, std::move(blank));
    if (!checked) return checked.errors();
    return conclude(std::move(*checked), std::move(seen), source, built);
  }

  void see(const Evidence& evidence, const std::string& pass, const CandidateSource& source,
           const BuildOutcome& built, const OwnSources& own, Seen& seen) {
    seen.extensions = evidence.extensions;
    if (!on_gpu()) return see_counts(evidence, source, built, own, seen);
    if (pass == activity_pass) {
      Activity activity = parse_activity(evidence.tool_report);
      seen.kernels = combined(std::move(activity.launches));
      if (!seen.kernels.empty()) seen.source = "activity";
      if (!activity.problem.empty()) seen.notes.push_back(printable_line(activity.problem));
      return limit_counters(seen);
    }
    see_counters(split_report(evidence.tool_report), own, seen);
  }

  void see_counts(const Evidence& evidence, const CandidateSource& source, const BuildOutcome& built,
                  const OwnSources& own, Seen& seen) {
    std::unique_ptr<PlaceFinder> places;
    if (!addr2line_.empty() && source.is_python())
      places = std::make_unique<ExtensionPlaces>(addr2line_, evidence.extensions, own, machinery_.sandbox);
    else if (!addr2line_.empty())
      places = std::make_unique<Addr2line>(addr2line_, built.library, own, machinery_.sandbox);
    seen.kernels = profiles_of(evidence.counts, places.get(), quoted_);
    seen.source = "emulated_device";
    if (std::any_of(evidence.counts.begin(), evidence.counts.end(),
                    [](const LaunchCounts& counts) { return counts.incomplete != 0; }))
      seen.notes.emplace_back(
          "a block made more requests between two barriers than are put together: the "
          "ratios are of those before");
  }

  // Limits the pass `counters`, with the results of the pass `activity`.
  void limit_counters(Seen& seen) {
    double call_us = 0;
    for (const KernelProfile& kernel : seen.kernels) call_us += kernel.fact("duration_us").value_or(0);
    profiler_->count_instructions(call_us <= longest_call_with_instructions_us);
    if (profiler_->ncu().empty() || profiler_->counts_instructions()) return;
    seen.notes.push_back(fmt::format(
        "the call takes {:.0f} ms: its instructions are not counted, since that makes kernels slower by "
        "far; a smaller case (--case NAME) shows them",
        call_us / 1000));
  }

  // The times of the pass `activity` are kept, in which kernels run as in any call. Under Nsight Compute each
  // kernel runs alone.
  void see_counters(NcuPages pages, const OwnSources& own, Seen& seen) {
    NcuReport report = parse_raw_page(pages.raw);
    if (report.launches.empty()) {
      seen.lacks = complaint_of(pages.log);
      if (!seen.lacks)
        seen.lacks = machine_error("Nsight Compute counted nothing", "`kgrade doctor` tries it");
      return;
    }
    if (report.nulls > 0) seen.notes.push_back(fmt::format("{} counters were NaN", report.nulls));
    if (report.launches.size() == most_counted_launches)
      seen.notes.push_back(
          fmt::format("the first {} launches of the call are counted", most_counted_launches));
    add_places(replace_all(std::move(pages.source), name_in_worker(own.source), own.source.string()), own,
               quoted_, report.launches);
    std::vector<KernelProfile> kernels = combined(std::move(report.launches));
    take_activity(seen.kernels, kernels);
    seen.kernels = std::move(kernels);
    seen.source = "nsight_compute";
  }

  ProfiledCandidate conclude(CheckedCandidate checked, Seen seen, const CandidateSource& source,
                             const BuildOutcome& built) {
    ProfiledCandidate candidate;
    candidate.path = std::move(checked.path);
    candidate.sha256 = std::move(checked.sha256);
    candidate.lines = checked.lines;
    candidate.status = checked.status;
    candidate.message = std::move(checked.message);
    candidate.compiler_log = std::move(checked.compiler_log);
    if (!checked.findings.empty()) candidate.message = checked.findings.front().message;
    if (candidate.status != CheckStatus::clean) return candidate;
    candidate.kernels = std::move(seen.kernels);
    candidate.source = std::move(seen.source);
    candidate.notes = std::move(seen.notes);
    if (on_gpu()) {
      std::vector<std::filesystem::path> binaries = seen.extensions;
      if (!source.is_python()) binaries = {built.library};
      const OwnShare share =
          mark_own(candidate.kernels, OwnKernels(binaries, source.submission ? source.submission->text : ""));
      candidate.own_kernel_time_share = share.time_share;
      candidate.other_kernels = share.others;
    }
    add_shares(candidate.kernels, record_.ceilings);
    const ProfiledProblem about{problem_.dtype != Dtype::float32 || problem_.precision == "tf32" ||
                                problem_.precision == "bf16"};
    for (KernelProfile& kernel : candidate.kernels) kernel.advice = advice_on(kernel, about);
    if (candidate.kernels.empty()) candidate.notes.emplace_back("no kernel of the call was seen");
    if (seen.lacks && !record_.lacks) record_.lacks = std::move(seen.lacks);
    return candidate;
  }

  const Problem& problem_;
  const ProfileOptions& options_;
  const Machinery& machinery_;
  RunSetup setup_;
  std::optional<Profiler> profiler_;  // set on a GPU
  std::filesystem::path addr2line_;   // empty: not installed
  PythonHost host_;                   // for candidates in Python
  QuotedSource quoted_;
  ProfileRecord record_;
};

}  // namespace

ProfileResult profile(const Problem& problem, const ProfileOptions& options, std::shared_ptr<Bench> bench) {
  ProfileOptions in_order = options;
  in_order.shuffled = false;
  return ProfileRun(problem, in_order, std::move(bench)).run();
}

}  // namespace kgrade
