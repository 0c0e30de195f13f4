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
  std::optional<std::string> foreign_key(const AllThresholds& own) const {
    const std::size_t at = find("thresholds");
    if (at == end_) return std::nullopt;
    std::string value = lines_[at].substr(lines_[at].find(':') + 1);
    for (std::size_t i = at + 1; i < behind_value(at); ++i) value += lines_[i];
    for (const std::string& key : keys_in(value)) {
      const auto dtype = dtype_from(key);
      const bool is_own = dtype
                              ? own.common.contains(*dtype)
                              : key == "fp32" || key == "tf32" || key == "bf16" || own.outputs.contains(key);
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

// The number of the first draw for the usual norm. It is large, so that no measured draw is among these.
constexpr std::uint32_t first_usual_draw = 1 << 20;

bool same(const Thresholds& a, const Thresholds& b) {
  return a.fp32 == b.fp32 && a.tf32 == b.tf32 && a.bf16 == b.bf16;
}

// Outputs that share thresholds: one output with its own thresholds, or all other outputs.
struct Group {
  std::set<std::string> outputs;
  CalibratedOutput measured;
  ClassStatistics statistics = {};  // in float32
  std::optional<SummationOrders> orders = {};

  // The case with only these outputs compared by the norm.
  Case part_of(Case bound) const {
    for (Tensor& tensor : bound.tensors) {
      if (tensor.output && tensor.compare == Comparison::Kind::norm && !outputs.contains(tensor.name))
        tensor.compare = Comparison::Kind::exact;
    }
    return bound;
  }
  std::string prefix() const { return measured.output.empty() ? "" : "'" + measured.output + "': "; }
};

std::vector<Group> groups_of(const Problem& problem) {
  std::vector<Group> groups;
  Group others;
  for (const Parameter& parameter : problem.parameters) {
    if (!parameter.is_output() || !has_norm(parameter.compare.kind)) continue;
    if (problem.output_thresholds.contains(parameter.name)) {
      groups.push_back({{parameter.name}, {.output = parameter.name}});
    } else {
      others.outputs.insert(parameter.name);
    }
  }
  if (!others.outputs.empty()) groups.insert(groups.begin(), std::move(others));
  return groups;
}

class CalibrationRun {
 public:
  CalibrationRun(const Problem& problem, const CalibrateOptions& options, Bench& bench)
      : problem_(problem), options_(options), context_(options, bench), groups_(groups_of(problem)) {}

  CalibrationOutcome run() {
    CalibrationOutcome outcome;
    if (problem_.compares_exactly()) {
      outcome.nothing_to_do = "every output is compared exactly, and no error has a threshold";
      return outcome;
    }
    calibration_.thresholds.only_fp32 = problem_.only_fp32;
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
    for (Group& group : groups_) group.orders = SummationOrders(problem);
    bool measured = false;
    const auto cases = select_cases(problem, options_.cases, true);
    for (const PlannedCase& planned : *cases) {
      if (auto failure = measure_case(builds.runner(), planned.bound)) return failure;
      measured = measured || calibration_.cases.back().skipped.empty();
    }
    for (const Group& group : groups_)
      calibration_.orders.insert(group.orders->reordered().begin(), group.orders->reordered().end());
    if (measured) return std::nullopt;
    return fail("no case is small enough to be measured here", "name one with --case");
  }

  Failure measure_case(ReferenceRunner& runner, const Case& bound) {
    const bool emulated = context_.device().info().kind == "emulated";
    const bool small = why_skipped(bound, soundness_limits(false, emulated)).empty();
    std::string skipped = why_not_measured(bound, emulated);
    ExpectedScales scales;
    if (skipped.empty()) {
      options_.progress(fmt::format("{} in {}", bound.name, to_string(bound.dtype)));
      if (const auto error = runner.set_case(bound)) {
        skipped = error->message;
      } else {
        auto learned = scales_of_draws(runner, options_.seed, first_usual_draw,
                                       ExpectedScales::draws_of(bound, Precision::bf16));
        if (!learned) return failed(bound, learned.error());
        scales = std::move(*learned);
      }
    }
    for (Group& group : groups_) {
      CalibratedCase result{bound.name, group.measured.output, bound.dtype, {}, skipped};
      if (skipped.empty()) {
        const auto errors = errors_of(runner, group, group.part_of(bound), small, scales);
        if (!errors) return failed(bound, errors.error());
        result.errors = *errors;
        calibration_.orders_tried = calibration_.orders_tried || small;
      }
      calibration_.cases.push_back(std::move(result));
    }
    return std::nullopt;
  }

  std::string why_not_measured(const Case& bound, bool emulated) const {
    const SoundnessLimits limits =
        problem_.has_model() ? model_limits(false, emulated) : soundness_limits(true, emulated);
    const std::string skipped = options_.cases.empty() ? why_skipped(bound, limits) : "";
    return skipped.empty() ? why_beyond_host(bound, copies_of_calibrate, options_.host_bytes) : skipped;
  }

  Result<ClassErrors> errors_of(ReferenceRunner& runner, Group& group, const Case& part, bool small,
                                const ExpectedScales& scales) {
    const auto fp32 = group.orders->measure(runner, part, {options_.seed, 0}, small, scales);
    if (!fp32) return fp32.errors();
    if (part.dtype != Dtype::float32 || problem_.only_fp32) {
      double& largest = group.measured.fp32_errors[part.dtype];
      largest = std::max(largest, *fp32);
      return ClassErrors{*fp32, 0, 0, 0};
    }
    const auto classes =
        measure_classes(runner, part, options_.seed, small ? draws_of_small_cases : 1, *fp32, scales);
    if (!classes) return classes.errors();
    group.statistics.add(*classes);
    return classes->largest();
  }

  Failure settle() {
    std::vector<std::string> errors;
    for (Group& group : groups_) {
      group.measured.is_measured = group.statistics.count() > 0;
      group.measured.errors = group.statistics.largest();
      group.measured.root_mean_square = group.statistics.root_mean_square();
      calibration_.outputs.push_back(group.measured);
    }
    for (const Group& group : groups_) {
      const std::string of = group.measured.output.empty() ? "" : "'" + group.measured.output + "' ";
      MeasuredThresholds& thresholds = group.measured.output.empty()
                                           ? calibration_.thresholds.common
                                           : calibration_.thresholds.outputs[group.measured.output];
      if (group.statistics.count() > 0) {
        if (auto failure = settle_float32(group, thresholds)) return failure;
        errors.push_back(of + to_string(group.measured.errors));
      }
      for (const auto& [dtype, error] : group.measured.fp32_errors) {
        if (auto failure = settle_fp32(group, dtype, error, thresholds)) return failure;
        errors.push_back(dtype == Dtype::float32
                             ? fmt::format("{}fp32 {:.1e}", of, error)
                             : fmt::format("{}in {} {:.1e}", of, to_string(dtype), error));
      }
    }
    calibration_.how = fmt::format("{} on {}, errors {}", utc_now().substr(0, 10),
                                   printable(context_.device().info().name), fmt::join(errors, ", "));
    return options_.write ? write() : std::nullopt;
  }

  // Compares root mean squares, which the table shows too.
  Failure settle_float32(const Group& group, MeasuredThresholds& thresholds) {
    if (const auto overlap = why_not_separate(group.measured.root_mean_square))
      return fail(group.prefix() + overlap->message + "; nothing is written", overlap->remedy);
    thresholds[Dtype::float32] = with_two_digits(thresholds_for(group.measured.errors));
    return std::nullopt;
  }

  // Sets the thresholds for a type or a problem of which only fp32 is measured.
  Failure settle_fp32(const Group& group, Dtype dtype, double error, MeasuredThresholds& measured) {
    const Problem typed = *with_dtype(problem_, to_string(dtype));
    Thresholds thresholds = typed.thresholds_of(group.measured.output);
    thresholds.fp32 = std::max(default_thresholds(dtype).fp32, least_separation * error);
    if (!(thresholds.fp32 < thresholds.tf32)) {
      return fail(
          fmt::format("{}in {} the error of sums in single precision is {:.1e}, and four times that is no "
                      "less than the threshold of tf32, {:.1e}; nothing is written",
                      group.prefix(), to_string(dtype), error, thresholds.tf32),
          "avoid sums that cancel and divisions by small values, or leave the type out of `dtypes`");
    }
    measured[dtype] = with_two_digits(thresholds);
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
    return read_back && gives_back(read_back->dtype_thresholds, calibration_.thresholds.common) &&
           std::all_of(calibration_.thresholds.outputs.begin(), calibration_.thresholds.outputs.end(),
                       [&](const auto& output) {
                         const auto own = read_back->output_thresholds.find(output.first);
                         return own != read_back->output_thresholds.end() &&
                                gives_back(own->second, output.second);
                       });
  }

  static bool gives_back(const std::map<Dtype, Thresholds>& read_back, const MeasuredThresholds& measured) {
    return std::all_of(measured.begin(), measured.end(),
                       [&](const auto& each) { return same(read_back.at(each.first), each.second); });
  }

  Failure failed(const Case& bound, const Error& error) const {
    return fail(fmt::format("case '{}': {}", bound.name, error.message), error.remedy);
  }

  Failure fail(std::string message, std::string remedy) const {
    return Errors{{std::move(message), std::move(remedy), {problem_.path.string(), 0, 0}}};
  }

  const Problem& problem_;
  const CalibrateOptions& options_;
  SoundnessContext context_;
  Calibration calibration_;
  std::vector<Group> groups_;
};

}  // namespace

std::string thresholds_text(const AllThresholds& thresholds) {
  std::vector<std::string> parts;
  for (const auto& [dtype, own] : thresholds.common) {
    const Thresholds usual = default_thresholds(dtype);
    const bool whole = dtype == Dtype::float32 && !thresholds.only_fp32;
    std::vector<std::string> classes = {"fp32: " + digits(own.fp32)};
    if (whole || own.tf32 != usual.tf32) classes.push_back("tf32: " + digits(own.tf32));
    if (whole || own.bf16 != usual.bf16) classes.push_back("bf16: " + digits(own.bf16));
    const std::string text = fmt::format("{}", fmt::join(classes, ", "));
    parts.push_back(dtype == Dtype::float32 ? text : fmt::format("{}: {{{}}}", to_string(dtype), text));
  }
  for (const auto& [output, own] : thresholds.outputs)
    parts.push_back(fmt::format("{}: {}", output, thresholds_text({own, {}, thresholds.only_fp32})));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

Result<std::string> with_thresholds(std::string_view content, const AllThresholds& thresholds,
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
