#include "soundness/calibrate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "grade/preparation.h"
#include "grade/small_cases.h"
#include "report/record.h"
#include "soundness/soundness.h"
#include "soundness/threshold_lines.h"
#include "spec/families.h"

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
    if (problem_.dtype != Dtype::float32)
      return fail("thresholds are measured for float32, which is not the problem's first dtype",
                  "list it first in `dtypes`");
    const auto cases = select_cases(problem_, options_.cases, true);
    if (!cases) return GradeFailure{exit_usage, cases.errors()};
    if (auto failure = workshop_.open()) return failure;
    options_.progress("compiling");
    ProblemBuilds builds(workshop_, problem_, false);
    if (auto failure = builds.load()) return failure;
    for (const PlannedCase& planned : *cases) {
      if (auto failure = measure_case(builds.stand(), planned.bound)) return failure;
    }
    if (statistics_.count() > 0) return std::nullopt;
    return fail("no case is small enough to be measured here", "name one with --case");
  }

  Failure measure_case(Stand& stand, const Case& bound) {
    CalibratedCase result{bound.name, {}, ""};
    const bool emulated = workshop_.device().info().kind == "emulated";
    if (options_.cases.empty()) result.skipped = why_passed_over(bound, soundness_limits(true, emulated));
    if (result.skipped.empty()) {
      options_.progress(bound.name);
      if (const auto error = stand.sit(bound)) {
        result.skipped = error->message;
      } else {
        const bool small = why_passed_over(bound, soundness_limits(false, emulated)).empty();
        const auto errors = measure_classes(stand, options_.seed, small ? draws_of_small_cases : 1);
        if (!errors)
          return fail(fmt::format("case '{}': {}", bound.name, errors.error().message),
                      errors.error().remedy);
        result.errors = errors->largest();
        statistics_.add(*errors);
      }
    }
    calibration_.cases.push_back(std::move(result));
    return std::nullopt;
  }

  Failure settle() {
    calibration_.errors = statistics_.largest();
    if (const auto overlap = why_not_separate(statistics_.root_mean_square()))
      return fail(overlap->message + "; nothing is written", overlap->remedy);
    calibration_.thresholds = with_two_digits(thresholds_for(calibration_.errors));
    calibration_.how = fmt::format("{} on {}, errors {}", utc_now().substr(0, 10),
                                   printable(workshop_.device().info().name), to_string(calibration_.errors));
    return options_.write ? write() : std::nullopt;
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
    const auto read_back = parse_problem(*text, problem_.path, &families);
    if (!read_back || !same(read_back->thresholds, calibration_.thresholds)) {
      return fail("the thresholds stand where they cannot be replaced",
                  fmt::format("write `thresholds: {{fp32: {:.1e}, tf32: {:.1e}, bf16: {:.1e}}}` yourself",
                              calibration_.thresholds.fp32, calibration_.thresholds.tf32,
                              calibration_.thresholds.bf16));
    }
    const auto written = write_file_atomically(problem_.path, *text);
    if (!written) return GradeFailure{exit_usage, written.errors()};
    return std::nullopt;
  }

  Failure fail(std::string message, std::string remedy) const {
    return GradeFailure{exit_usage,
                        {{std::move(message), std::move(remedy), {problem_.path.string(), 0, 0}}}};
  }

  const Problem& problem_;
  const CalibrateOptions& options_;
  Workshop workshop_;
  Calibration calibration_;
  ClassStatistics statistics_;
};

}  // namespace

CalibrationOutcome calibrate(const Problem& problem, const CalibrateOptions& options,
                             const Machinery& machinery) {
  return CalibrationRun(problem, options, machinery).run();
}

}  // namespace kgrade
