#include "selftest/selftest.h"

#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "base/temporary_directory.h"
#include "contest/contest.h"
#include "draw/seed.h"
#include "grade/contestants.h"
#include "measure/block_run.h"
#include "selftest/comparison_series.h"

namespace kgrade::selftest {
namespace {

// On a device that does not measure speed one comparison of each kind is enough.
constexpr std::size_t usual_without_speed = 1;
constexpr const char* remedy_for_workers = "run `kgrade doctor`; another program may hold the GPU";

class Run {
 public:
  Run(const SelftestOptions& options, Bench& bench)
      : options_(options), bench_(bench), stages_(bench.clock()), problem_(selftest_problem()) {}

  SelftestOutcome run() {
    Failure failure;
    try {
      failure = compare_kernels();
    } catch (const std::exception& thrown) {
      failure = errors_of(thrown);
    }
    if (record_.comparisons.empty()) return {std::nullopt, std::move(failure)};
    conclude(record_);
    record_.stages = stages_.stages();
    record_.total_seconds = bench_.clock().now() - bench_.began();
    return {std::move(record_), std::move(failure)};
  }

 private:
  Failure compare_kernels() {
    if (auto failure = prepare()) return failure;
    describe();
    if (auto failure = build()) return failure;
    if (auto failure = load()) return failure;
    Contest contest(bench_.device(), problem_, *oracle_, first_.get(), record_.seed);
    contest.set_candidate(std::move(second_), library_);
    const Answer loaded = contest.load_candidate(load_patience, load_patience);
    if (!loaded.ok()) return worker_failure(loaded);
    return run_series(contest);
  }

  Failure prepare() {
    options_.progress("starting");
    if (auto failure = bench_.open_toolchain(options_.require_sandbox)) return failure;
    if (auto failure = bench_.open_device(stages_)) return failure;
    for (std::unique_ptr<ContestantRunner>* const runner : {&oracle_, &first_, &second_}) {
      auto taken = ContestantRunner::start(bench_.device(), problem_);
      if (!taken) return taken.errors();
      *runner = std::move(*taken);
    }
    return std::nullopt;
  }

  void describe() {
    record_.tool = tool_info();
    record_.started_at = utc_now();
    record_.host = host_info();
    record_.device = bench_.device().info();
    record_.sandbox.confined = is_confined(bench_.machinery());
    if (const auto& sandbox = bench_.machinery().sandbox) record_.sandbox.layers = sandbox->layers();
    record_.toolchain = bench_.toolchain().describe();
    record_.seed = options_.seed ? *options_.seed : random_seed();
    record_.effort = options_.effort;
    record_.goal = goal_for(options_.effort);
    if (options_.budget_seconds) record_.goal.budget_seconds = *options_.budget_seconds;
    record_.fresh_processes = options_.fresh;
  }

  // One binary serves for all three contestants. They differ in their amount of work.
  Failure build() {
    const auto timer = stages_.time("compile");
    options_.progress("compiling");
    BuildRequest request;
    request.source = directory_.path() / "kgrade-selftest.cu";
    request.shown_as = "kgrade-selftest.cu";
    request.output_directory = directory_.path() / "built";
    std::filesystem::create_directory(request.output_directory);
    request.readable = {request.source};
    std::ofstream(request.source) << kernels_text();
    const auto built = bench_.toolchain().build(problem_, request);
    if (!built) return blamed_on(Blame::machine, built.errors());
    library_ = built->library;
    if (built->status == BuildStatus::built) return std::nullopt;
    // The kernels are our own, so they need no control build.
    if (built->machine_fault) return Errors{*built->machine_fault};
    return Errors{{"the kernels of the self-test do not build: " + built->message + "\n" + built->log,
                   "",
                   {},
                   Blame::ours}};
  }

  Failure load() {
    for (ContestantRunner* const runner : {oracle_.get(), first_.get()}) {
      Answer answer = runner->await_ready(load_patience);
      if (answer.ok()) answer = runner->load(library_, load_patience);
      if (!answer.ok()) return worker_failure(answer);
    }
    return std::nullopt;
  }

  static Errors worker_failure(const Answer& answer) {
    return {machine_error("a worker cannot use the device: " + answer.detail, remedy_for_workers)};
  }

  SeriesOptions series_options() const {
    const bool speed = bench_.device().info().measures_speed;
    const std::size_t kernels = options_.kernels.size();
    const std::size_t usual = kernels * (speed ? usual_per_kernel : usual_without_speed);
    SeriesOptions series;
    series.kernels = options_.kernels;
    series.comparisons = options_.comparisons.value_or(usual);
    series.slowdowns = options_.slowdowns.value_or(speed ? 2 * usual : usual);
    series.fresh = options_.fresh;
    series.most_seconds = options_.most_seconds;
    series.free_bytes = bench_.device().free_bytes();
    series.progress = options_.progress;
    return series;
  }

  Failure run_series(Contest& contest) {
    const SeriesOptions options = series_options();
    TelemetrySampler sampler(bench_.telemetry(), bench_.clock());
    TelemetryWatch watch(sampler);
    const bool watched = bench_.telemetry().absent().empty();
    ComparisonSeries series(contest, problem_, options, stages_, record_,
                            {watched ? &watch : nullptr, &sampler});
    const auto error = series.run();
    record_.telemetry = sampler.summary();
    contest.take_back();
    // The problem is our own, and nobody is its author.
    return error ? Failure(blamed_on(Blame::machine, {*error})) : std::nullopt;
  }

  const SelftestOptions& options_;
  Bench& bench_;
  StageClock stages_;
  TemporaryDirectory directory_;
  Problem problem_;
  std::unique_ptr<ContestantRunner> oracle_;
  std::unique_ptr<ContestantRunner> first_;
  std::unique_ptr<ContestantRunner> second_;
  std::filesystem::path library_;
  SelftestRecord record_;
};

}  // namespace

SelftestOutcome run_selftest(const SelftestOptions& options, Bench& bench) {
  return Run(options, bench).run();
}

}  // namespace kgrade::selftest
