#include "soundness/calibrate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "check/check.h"
#include "grade/preparation.h"
#include "problem/families.h"
#include "record/record.h"
#include "soundness/host_memory.h"
#include "soundness/order_trials.h"
#include "soundness/soundness.h"
#include "soundness/threshold_lines.h"

namespace kgrade {
namespace {

// Errors of few elements spread; those of many do not.
constexpr std::uint32_t draws_of_small_cases = 4;

bool same(const Thresholds& a, const Thresholds& b) {
  return a.fp32 == b.fp32 && a.tf32 == b.tf32 && a.bf16 == b.bf16;
}

class CalibrationRun {
 public:
  CalibrationRun(const Problem& problem, const CalibrateOptions& options, const Machinery& machinery)
      : problem_(problem), options_(options), workshop_(options, machinery) {}

  CalibrationOutcome run() {
    CalibrationOutcome outcome;
    outcome.failure = measure();
    if (!outcome.failure) outcome.failure = settle();
    if (!calibration_.cases.empty()) outcome.calibration = std::move(calibration_);
    return outcome;
  }

 private:
  Failure measure() {
    if (const Errors missing = missing_for_grading(problem_); !missing.empty())
      return GradeFailure{exit_usage, missing};
    if (const auto cases = select_cases(problem_, options_.cases, true); !cases)
      return GradeFailure{exit_usage, cases.errors()};
    if (auto failure = workshop_.open()) return failure;
    for (const std::string& dtype : problem_.dtypes) {
      if (auto failure = measure_type(*with_dtype(problem_, dtype))) return failure;
    }
    return std::nullopt;
  }

  Failure measure_type(const Problem& problem) {
    options_.progress("compiling");
    ProblemBuilds builds(workshop_, problem, false);
    if (auto failure = builds.load()) return failure;
    OrderTrials trials(problem);
    bool measured = false;
    const auto cases = select_cases(problem, options_.cases, true);
    for (const PlannedCase& planned : *cases) {
      if (auto failure = measure_case(builds.stand(), trials, planned.bound)) return failure;
      measured = measured || calibration_.cases.back().skipped.empty();
    }
    calibration_.orders.insert(trials.reordered().begin(), trials.reordered().end());
    if (measured) return std::nullopt;
    return fail("no case is small enough to be measured here", "name one with --case");
  }

  Failure measure_case(Stand& stand, OrderTrials& trials, const Case& bound) {
    CalibratedCase result{bound.name, bound.dtype, {}, ""};
    const bool emulated = workshop_.device().info().kind == "emulated";
    if (options_.cases.empty()) result.skipped = why_passed_over(bound, soundness_limits(true, emulated));
    if (result.skipped.empty())
      result.skipped = why_beyond_host(bound, copies_of_calibrate, options_.host_bytes);
    if (result.skipped.empty()) {
      options_.progress(fmt::format("{} in {}", bound.name, to_string(bound.dtype)));
      if (const auto error = stand.sit(bound)) {
        result.skipped = error->message;
      } else {
        const bool small = why_passed_over(bound, soundness_limits(false, emulated)).empty();
        const auto errors = errors_of(stand, trials, bound, small);
        if (!errors)
          return fail(fmt::format("case '{}': {}", bound.name, errors.error().message),
                      errors.error().remedy);
        result.errors = *errors;
        calibration_.orders_tried = calibration_.orders_tried || small;
      }
    }
    calibration_.cases.push_back(std::move(result));
    return std::nullopt;
  }

  Result<ClassErrors> errors_of(Stand& stand, OrderTrials& trials, const Case& bound, bool small) {
    const auto fp32 = trials.measure(stand, bound, {options_.seed, 0}, small);
    if (!fp32) return fp32.errors();
    if (bound.dtype != Dtype::float32) {
      double& largest = calibration_.fp32_errors[bound.dtype];
      largest = std::max(largest, *fp32);
      return ClassErrors{*fp32, 0, 0, 0};
    }
    const auto classes = measure_classes(stand, options_.seed, small ? draws_of_small_cases : 1, *fp32);
    if (!classes) return classes.errors();
    statistics_.add(*classes);
    return classes->largest();
  }

  Failure settle() {
    std::vector<std::string> errors;
    if (statistics_.count() > 0) {
      if (auto failure = settle_float32()) return failure;
      errors.push_back(to_string(calibration_.errors));
    }
    for (const auto& [dtype, error] : calibration_.fp32_errors) {
      if (auto failure = settle_narrow(dtype, error)) return failure;
      errors.push_back(fmt::format("in {} {:.1e}", to_string(dtype), error));
    }
    calibration_.how = fmt::format("{} on {}, errors {}", utc_now().substr(0, 10),
                                   printable(workshop_.device().info().name), fmt::join(errors, ", "));
    return options_.write ? write() : std::nullopt;
  }

  Failure settle_float32() {
    calibration_.errors = statistics_.largest();
    if (const auto overlap = why_not_separate(statistics_.root_mean_square()))
      return fail(overlap->message + "; nothing is written", overlap->remedy);
    calibration_.thresholds[Dtype::float32] = with_two_digits(thresholds_for(calibration_.errors));
    return std::nullopt;
  }

  Failure settle_narrow(Dtype dtype, double error) {
    const Problem typed = *with_dtype(problem_, to_string(dtype));
    Thresholds thresholds = typed.thresholds;
    thresholds.fp32 = std::max(default_thresholds(dtype).fp32, least_separation * error);
    if (!(thresholds.fp32 < thresholds.tf32)) {
      return fail(
          fmt::format("in {} the error of sums in single precision is {:.1e}, and four times that is no less "
                      "than the threshold of tf32, {:.1e}; nothing is written",
                      to_string(dtype), error, thresholds.tf32),
          "avoid sums that cancel and divisions by small values, or leave the type out of `dtypes`");
    }
    calibration_.thresholds[dtype] = with_two_digits(thresholds);
    return std::nullopt;
  }

  Failure write() {
    const auto content = read_text_file(problem_.path);
    if (!content) return GradeFailure{exit_usage, content.errors()};
    const FamilyFolder families(families_beside(problem_.path.parent_path()));
    const auto now = parse_problem(*content, problem_.path, &families);
    if (!now || now->content_sha256 != problem_.content_sha256)
      return fail("the file, or its family's, has changed since it was read", "calibrate it again");
    const auto text = with_thresholds(*content, calibration_.thresholds, calibration_.how);
    if (!text) return fail(text.error().message, text.error().remedy);
    if (!gives_back_thresholds(parse_problem(*text, problem_.path, &families))) {
      return fail("the thresholds stand where they cannot be replaced",
                  fmt::format("write `thresholds: {}` yourself", thresholds_text(calibration_.thresholds)));
    }
    const auto written = write_file_atomically(problem_.path, *text);
    if (!written) return GradeFailure{exit_usage, written.errors()};
    return std::nullopt;
  }

  bool gives_back_thresholds(const Result<Problem>& read_back) const {
    return read_back &&
           std::all_of(calibration_.thresholds.begin(), calibration_.thresholds.end(),
                       [&](const auto& measured) {
                         return same(read_back->dtype_thresholds.at(measured.first), measured.second);
                       });
  }

  Failure fail(std::string message, std::string remedy) const {
    return GradeFailure{exit_usage,
                        {{std::move(message), std::move(remedy), {problem_.path.string(), 0, 0}}}};
  }

  const Problem& problem_;
  const CalibrateOptions& options_;
  Workshop workshop_;
  Calibration calibration_;
  ClassStatistics statistics_;  // in float32
};

}  // namespace

CalibrationOutcome calibrate(const Problem& problem, const CalibrateOptions& options,
                             const Machinery& machinery) {
  return CalibrationRun(problem, options, machinery).run();
}

}  // namespace kgrade
