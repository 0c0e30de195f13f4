#include "soundness/calibrate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "grade/run_setup.h"
#include "problem/families.h"
#include "record/record.h"
#include "soundness/case_limits.h"
#include "soundness/summation_orders.h"

namespace kgrade {
namespace {

using Lines = std::vector<std::string>;

// Splits a text into lines. Lines keep their ends, so that joining them gives the text back.
Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

bool is_dashes(const std::string& line) {
  const std::size_t last = line.find_last_not_of(" \t\r\n");
  return line.starts_with("---") && last == 2;
}

bool is_blank(const std::string& line) { return line.find_first_not_of(" \t\r\n") == std::string::npos; }

// Whether the line has this key of the outermost map, plain or in quotes.
bool has_key(const std::string& line, const std::string& key) {
  for (const std::string& written : {key, "\"" + key + "\"", "'" + key + "'"}) {
    if (!line.starts_with(written)) continue;
    const std::size_t next = line.find_first_not_of(" \t", written.size());
    if (next != std::string::npos && line[next] == ':') return true;
  }
  return false;
}

// The words before a colon, without comments.
std::vector<std::string> keys_in(const std::string& text) {
  constexpr std::string_view separators = " \t\r\n{},\"'";
  std::vector<std::string> keys;
  std::string word;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '#') {
      i = std::min(text.find('\n', i), text.size() - 1);
    } else if (letter == ':') {
      if (!word.empty()) keys.push_back(std::exchange(word, ""));
    } else if (separators.find(letter) == std::string_view::npos) {
      word += letter;
    } else if (text.find_first_not_of(" \t\"'", i) != text.find(':', i)) {
      word.clear();
    }
  }
  return keys;
}

bool is_calibration(const std::string& line) { return line.starts_with("# calibrated:"); }

class ThresholdEditor {
 public:
  explicit ThresholdEditor(std::string_view content) : lines_(lines_of(content)) {}

  bool find_frontmatter() {
    const auto first = std::find_if(lines_.begin(), lines_.end(), is_dashes);
    if (first == lines_.end()) return false;
    const auto last = std::find_if(first + 1, lines_.end(), is_dashes);
    if (last == lines_.end()) return false;
    begin_ = static_cast<std::size_t>(first - lines_.begin()) + 1;
    end_ = static_cast<std::size_t>(last - lines_.begin());
    return true;
  }

  // The first key in the value of `thresholds` that replace() would lose.
  std::optional<std::string> foreign_key(const MeasuredThresholds& own) const {
    const std::size_t at = find("thresholds");
    if (at == end_) return std::nullopt;
    std::string value = lines_[at].substr(lines_[at].find(':') + 1);
    for (std::size_t i = at + 1; i < behind_value(at); ++i) value += lines_[i];
    for (const std::string& key : keys_in(value)) {
      const auto dtype = dtype_from(key);
      const bool is_own = dtype ? own.contains(*dtype) : key == "fp32" || key == "tf32" || key == "bf16";
      if (!is_own) return key;
    }
    return std::nullopt;
  }

  std::string replace(const std::string& value, const std::string& how) {
    std::size_t at = find("thresholds");
    std::string comment;
    if (at < end_) {
      comment = comment_behind(lines_[at]);
      const std::size_t behind = behind_value(at);
      erase(at, behind);
      if (at < end_ && is_calibration(lines_[at])) erase(at, at + 1);
    } else {
      at = find("precision");
      at = at < end_ ? behind_value(at) : end_;
    }
    const std::string eol = lines_[begin_ - 1].ends_with("\r\n") ? "\r\n" : "\n";
    const auto place = lines_.begin() + static_cast<std::ptrdiff_t>(at);
    lines_.insert(place, {"thresholds: " + value + comment + eol, "# calibrated: " + how + eol});
    std::string text;
    for (const std::string& line : lines_) text += line;
    return text;
  }

 private:
  std::size_t find(const std::string& key) const {
    std::size_t at = begin_;
    while (at < end_ && !has_key(lines_[at], key)) ++at;
    return at;
  }

  // The end of the lines of the key's value, without blank lines after it.
  std::size_t behind_value(std::size_t at) const {
    std::size_t behind = at + 1;
    for (std::size_t i = at + 1; i < end_; ++i) {
      if (is_blank(lines_[i])) continue;
      if (std::string(" \t}").find(lines_[i].front()) == std::string::npos) break;
      behind = i + 1;
    }
    return behind;
  }

  static std::string comment_behind(const std::string& line) {
    const std::size_t hash = line.find(" #");
    if (hash == std::string::npos) return "";
    return " " + line.substr(hash, line.find_last_not_of(" \t\r\n") + 1 - hash);
  }

  void erase(std::size_t from, std::size_t to) {
    lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(from),
                 lines_.begin() + static_cast<std::ptrdiff_t>(to));
    end_ -= to - from;
  }

  Lines lines_;
  std::size_t begin_ = 0;  // first line of the frontmatter, after the dashes
  std::size_t end_ = 0;
};

std::string digits(double value) { return fmt::format("{:.1e}", value); }
double rounded_digits(double value) { return std::strtod(digits(value).c_str(), nullptr); }

// Small cases get several draws, because the errors of few elements vary widely.
constexpr std::uint32_t draws_of_small_cases = 4;

bool same(const Thresholds& a, const Thresholds& b) {
  return a.fp32 == b.fp32 && a.tf32 == b.tf32 && a.bf16 == b.bf16;
}

class CalibrationRun {
 public:
  CalibrationRun(const Problem& problem, const CalibrateOptions& options, Bench& bench)
      : problem_(problem), options_(options), context_(options, bench) {}

  CalibrationOutcome run() {
    CalibrationOutcome outcome;
    if (problem_.compares_exactly()) {
      outcome.nothing_to_do = "every output is compared exactly, and no error has a threshold";
      return outcome;
    }
    outcome.failure = measure();
    if (!outcome.failure) outcome.failure = settle();
    if (!calibration_.cases.empty()) outcome.calibration = std::move(calibration_);
    return outcome;
  }

 private:
  Failure measure() {
    if (const Errors missing = missing_for_grading(problem_); !missing.empty()) return missing;
    if (const auto cases = select_cases(problem_, options_.cases, true); !cases) return cases.errors();
    if (auto failure = context_.open()) return failure;
    if (problem_.has_model()) {
      if (auto failure = context_.find_python()) return failure;
      // In a 16-bit type a Model rounds between operators, so its error says nothing about sums.
      return measure_type(*with_dtype(problem_, to_string(Dtype::float32)));
    }
    for (const std::string& dtype : problem_.dtypes) {
      if (auto failure = measure_type(*with_dtype(problem_, dtype))) return failure;
    }
    return std::nullopt;
  }

  Failure measure_type(const Problem& problem) {
    options_.progress("compiling");
    ProblemBuilds builds(context_, problem, false);
    if (auto failure = builds.load()) return failure;
    SummationOrders orders(problem);
    bool measured = false;
    const auto cases = select_cases(problem, options_.cases, true);
    for (const PlannedCase& planned : *cases) {
      if (auto failure = measure_case(builds.runner(), orders, planned.bound)) return failure;
      measured = measured || calibration_.cases.back().skipped.empty();
    }
    calibration_.orders.insert(orders.reordered().begin(), orders.reordered().end());
    if (measured) return std::nullopt;
    return fail("no case is small enough to be measured here", "name one with --case");
  }

  Failure measure_case(ReferenceRunner& runner, SummationOrders& orders, const Case& bound) {
    CalibratedCase result{bound.name, bound.dtype, {}, ""};
    const bool emulated = context_.device().info().kind == "emulated";
    const SoundnessLimits limits =
        problem_.has_model() ? model_limits(false, emulated) : soundness_limits(true, emulated);
    if (options_.cases.empty()) result.skipped = why_skipped(bound, limits);
    if (result.skipped.empty())
      result.skipped = why_beyond_host(bound, copies_of_calibrate, options_.host_bytes);
    if (result.skipped.empty()) {
      options_.progress(fmt::format("{} in {}", bound.name, to_string(bound.dtype)));
      if (const auto error = runner.set_case(bound)) {
        result.skipped = error->message;
      } else {
        const bool small = why_skipped(bound, soundness_limits(false, emulated)).empty();
        const auto errors = errors_of(runner, orders, bound, small);
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

  Result<ClassErrors> errors_of(ReferenceRunner& runner, SummationOrders& orders, const Case& bound,
                                bool small) {
    const auto fp32 = orders.measure(runner, bound, {options_.seed, 0}, small);
    if (!fp32) return fp32.errors();
    if (bound.dtype != Dtype::float32) {
      double& largest = calibration_.fp32_errors[bound.dtype];
      largest = std::max(largest, *fp32);
      return ClassErrors{*fp32, 0, 0, 0};
    }
    const auto classes =
        measure_classes(runner, bound, options_.seed, small ? draws_of_small_cases : 1, *fp32);
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
                                   printable(context_.device().info().name), fmt::join(errors, ", "));
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
    if (!content) return content.errors();
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
    if (!written) return written.errors();
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
    return Errors{{std::move(message), std::move(remedy), {problem_.path.string(), 0, 0}}};
  }

  const Problem& problem_;
  const CalibrateOptions& options_;
  SoundnessContext context_;
  Calibration calibration_;
  ClassStatistics statistics_;  // in float32
};

}  // namespace

std::string thresholds_text(const MeasuredThresholds& thresholds) {
  std::vector<std::string> parts;
  for (const auto& [dtype, own] : thresholds) {
    const Thresholds usual = default_thresholds(dtype);
    const bool whole = dtype == Dtype::float32;
    std::vector<std::string> classes = {"fp32: " + digits(own.fp32)};
    if (whole || own.tf32 != usual.tf32) classes.push_back("tf32: " + digits(own.tf32));
    if (whole || own.bf16 != usual.bf16) classes.push_back("bf16: " + digits(own.bf16));
    const std::string text = fmt::format("{}", fmt::join(classes, ", "));
    parts.push_back(whole ? text : fmt::format("{}: {{{}}}", to_string(dtype), text));
  }
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

Result<std::string> with_thresholds(std::string_view content, const MeasuredThresholds& thresholds,
                                    const std::string& how) {
  ThresholdEditor editor(content);
  if (!editor.find_frontmatter()) return Error{"there is no frontmatter", "", {}};
  if (const auto key = editor.foreign_key(thresholds))
    return Error{fmt::format("'thresholds' holds '{}' too, which would be lost", *key),
                 "run it with --dry-run, and write what it prints yourself",
                 {}};
  return editor.replace(thresholds_text(thresholds), how);
}

Thresholds with_two_digits(const Thresholds& thresholds) {
  Thresholds rounded = thresholds;
  for (double* const value : {&rounded.fp32, &rounded.tf32, &rounded.bf16}) *value = rounded_digits(*value);
  return rounded;
}

CalibrationOutcome calibrate(const Problem& problem, const CalibrateOptions& options, Bench& bench) {
  return CalibrationRun(problem, options, bench).run();
}

}  // namespace kgrade
