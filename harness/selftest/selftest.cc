#include "selftest/selftest.h"

#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "base/temporary_directory.h"
#include "contest/referee.h"
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
  Run(const SelftestOptions& options, const Machinery& machinery)
      : options_(options),
        machinery_(machinery),
        start_(machinery.clock->now()),
        stages_(*machinery.clock),
        problem_(selftest_problem()) {}

  SelftestOutcome run() {
    Failure failure = guarded();
    if (record_.comparisons.empty()) return {std::nullopt, std::move(failure)};
    conclude(record_);
    record_.stages = stages_.stages();
    record_.total_seconds = machinery_.clock->now() - start_;
    return {std::move(record_), std::move(failure)};
  }

 private:
  Failure guarded() {
    try {
      return compare_kernels();
    } catch (const std::exception& thrown) {
      return failure_of(thrown);
    }
  }

  Failure compare_kernels() {
    if (auto failure = prepare()) return failure;
    describe();
    if (auto failure = build()) return failure;
    if (auto failure = load()) return failure;
    Referee referee(*device_, problem_, *oracle_, *first_, record_.seed);
    referee.set_candidate(std::move(second_), library_);
    const Answer loaded = referee.load_candidate(load_patience, load_patience);
    if (!loaded.ok()) return worker_failure(loaded);
    return run_series(referee);
  }

  Failure prepare() {
    if (options_.require_sandbox && !is_confined(machinery_)) return lack_of_sandbox();
    options_.progress("starting");
    auto toolchain = machinery_.make_toolchain();
    if (!toolchain) return GradeFailure{exit_machine, toolchain.errors()};
    toolchain_ = std::move(*toolchain);
    const auto timer = stages_.time("device");
    auto device = machinery_.open_device();
    if (!device) return GradeFailure{exit_machine, device.errors()};
    device_ = std::move(*device);
    device_->confine_workers(machinery_.sandbox);
    telemetry_ = machinery_.open_telemetry ? machinery_.open_telemetry(device_->info())
                                           : no_telemetry("there is none");
    for (std::unique_ptr<ContestantRunner>* const runner : {&oracle_, &first_, &second_}) {
      auto taken = ContestantRunner::start(*device_, problem_);
      if (!taken) return GradeFailure{exit_machine, taken.errors()};
      *runner = std::move(*taken);
    }
    return std::nullopt;
  }

  void describe() {
    record_.tool = tool_info();
    record_.started_at = utc_now();
    record_.host = host_info();
    record_.device = device_->info();
    record_.sandbox.confined = is_confined(machinery_);
    if (machinery_.sandbox) record_.sandbox.layers = machinery_.sandbox->layers();
    record_.toolchain = toolchain_->describe();
    record_.seed = options_.seed ? *options_.seed : random_seed();
    record_.effort = options_.effort;
    record_.goal = goal_for(options_.effort);
    if (options_.budget_seconds) record_.goal.budget_seconds = *options_.budget_seconds;
    record_.fresh_processes = options_.fresh;
  }

  // One binary for all three: they differ in their amount of work.
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
    const auto built = toolchain_->build(problem_, request);
    if (!built) return GradeFailure{exit_machine, built.errors()};
    library_ = built->library;
    if (built->status == BuildStatus::built) return std::nullopt;
    return GradeFailure{
        exit_internal,
        {{"the kernels of the self-test do not build: " + built->message + "\n" + built->log, "", {}}}};
  }

  Failure load() {
    for (ContestantRunner* const runner : {oracle_.get(), first_.get()}) {
      Answer answer = runner->await_ready(load_patience);
      if (answer.ok()) answer = runner->load(library_, load_patience);
      if (!answer.ok()) return worker_failure(answer);
    }
    return std::nullopt;
  }

  static GradeFailure worker_failure(const Answer& answer) {
    return {exit_machine, {{"a worker cannot use the device: " + answer.detail, remedy_for_workers, {}}}};
  }

  SeriesOptions series_options() const {
    const bool speed = device_->info().measures_speed;
    const std::size_t kernels = options_.kernels.size();
    const std::size_t usual = kernels * (speed ? usual_per_kernel : usual_without_speed);
    SeriesOptions series;
    series.kernels = options_.kernels;
    series.comparisons = options_.comparisons.value_or(usual);
    series.slowdowns = options_.slowdowns.value_or(speed ? 2 * usual : usual);
    series.fresh = options_.fresh;
    series.most_seconds = options_.most_seconds;
    series.free_bytes = device_->free_bytes();
    series.progress = options_.progress;
    return series;
  }

  Failure run_series(Referee& referee) {
    const SeriesOptions options = series_options();
    TelemetrySampler sampler(*telemetry_, *machinery_.clock);
    TelemetryWatch watch(sampler);
    const bool watched = telemetry_->absent().empty();
    ComparisonSeries series(referee, problem_, options, stages_, record_,
                            {watched ? &watch : nullptr, &sampler});
    const auto error = series.run();
    record_.telemetry = sampler.summary();
    referee.take_back();
    if (error) return GradeFailure{exit_machine, {*error}};
    return std::nullopt;
  }

  const SelftestOptions& options_;
  const Machinery& machinery_;
  double start_;
  StageClock stages_;
  TemporaryDirectory directory_;
  Problem problem_;
  std::unique_ptr<Toolchain> toolchain_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Telemetry> telemetry_;
  std::unique_ptr<ContestantRunner> oracle_;
  std::unique_ptr<ContestantRunner> first_;
  std::unique_ptr<ContestantRunner> second_;
  std::filesystem::path library_;
  SelftestRecord record_;
};

}  // namespace

SelftestOutcome run_selftest(const SelftestOptions& options, const Machinery& machinery) {
  return Run(options, machinery).run();
}

}  // namespace kgrade::selftest
