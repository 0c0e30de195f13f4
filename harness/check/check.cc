#include "check/check.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>

#include "check/book_findings.h"
#include "check/check_run.h"
#include "check/sanitizer_findings.h"
#include "check/small_cases.h"
#include "contest/check_referee.h"
#include "draw/seed.h"
#include "grade/run_setup.h"

namespace kgrade {
namespace {

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
      : problem_(problem),
        options_(options),
        machinery_(machinery),
        setup_(problem, options, machinery, true) {}

  CheckResult run() {
    return setup_.carry_out(record_, [this] { return check_candidates(); });
  }

 private:
  Failure check_candidates() {
    if (auto failure = prepare()) return failure;
    begin_record();
    if (auto failure = setup_.load_trusted()) return failure;
    CheckReferee referee(setup_.device(), problem_, setup_.trusted_runner(0), sanitizer_,
                         order_seed(record_.seed));
    return setup_.each_candidate([&](std::size_t, const CandidateSource& source, Build& build) {
      referee.set_candidate(build.finish()->library);
      auto record = check_one(referee, source, build);
      if (!record) return Failure(GradeFailure{exit_internal, record.errors()});
      record_.candidates.push_back(std::move(*record));
      return Failure();
    });
  }

  Failure prepare() {
    const auto select = [this] { return select_small_cases(problem_, options_.cases); };
    if (auto failure = setup_.read(select)) return failure;
    if (auto failure = find_tools()) return failure;
    return setup_.start({Role::oracle});
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

  Result<CheckedCandidate> check_one(CheckReferee& referee, const CandidateSource& source, Build& build) {
    CheckSession session{referee,   problem_,     record_.seed,    passes_,
                         !on_gpu(), time_limit(), setup_.stages(), setup_.progress_of(source)};
    const BuildOutcome& built = *build.finish();
    const OwnSources own{std::filesystem::absolute(source.path), source.path.string(), build.directory()};
    std::unique_ptr<PlaceFinder> places;
    if (!addr2line_.empty())
      places = std::make_unique<Addr2line>(addr2line_, built.library, own, machinery_.sandbox);
    QuotedSource quoted;
    const EvidenceReader read = [&](const Evidence& evidence, const Case& bound, int calls) {
      const auto timer = setup_.stages().time("places");
      if (!sanitizer_) return findings_of(evidence.entries, problem_, places.get(), quoted);
      return findings_of_report(evidence.tool_report, bound, calls, own, places.get(), quoted);
    };
    CheckedCandidate record;
    record.path = source.path.string();
    record.sha256 = source.sha256;
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
  CheckRecord record_;
};

}  // namespace

CheckResult check(const Problem& problem, const CheckOptions& options, const Machinery& machinery) {
  return CheckRun(problem, options, machinery).run();
}

}  // namespace kgrade
