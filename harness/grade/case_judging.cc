// What calls say of a candidate in one case: its outputs, the reference's, and how they are described.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/statistics.h"
#include "draw/draws.h"
#include "draw/input_families.h"
#include "grade/case_calls.h"
#include "verify/by_set.h"
#include "verify/wrong_output.h"

namespace kgrade {
namespace {

// The usual wait before a call is known from this many calls on.
constexpr int fewest_calls_for_waits = 3;

// The first draw for judge_knowing_distance(). No other call of a case has these draws, nor has
// verify/expected_scales.cc.
constexpr std::uint32_t first_draw_of_distance = (3 << 20) + (1 << 10);

// Whether contents are new throughout in every call.
bool are_drawn_whole(const Problem& problem, const Case& bound) {
  if (problem.is_exact() || is_long_reduction(bound)) return true;
  bool all = false;
  for (const Tensor& tensor : bound.tensors) {
    const bool is_weight = problem.torch && problem.torch->weight_of(tensor.name) != nullptr;
    if (tensor.output || is_weight || tensor.is_listed()) continue;
    if (tensor.has_single_elements()) return false;
    all = true;
  }
  return all;
}

}  // namespace

CaseCalls::Trouble CaseCalls::review_reference(const CallReport& report) {
  const std::string_view name = to_string(Role::reference);
  if (const auto finding = review_call(report))
    return trusted_failure(name, session_.problem, case_, *finding);
  for (std::size_t i = 0; i < report.outputs.size(); ++i) {
    const OutputErrors& output = report.outputs[i];
    const Judgement judgement = judge_reference(output, i, session_.problem, case_, scales_);
    if (output.errors.compared == 0 && session_.problem.has_model())
      return without_numbers(session_.problem, case_, output.tensor);
    const Thresholds bounds = error_bounds(session_.problem, case_, i, scales_);
    const double bound = threshold(bounds, precision_from(session_.problem.precision));
    scales_.note_reference(i, output.errors, element_factor * bound / room_for_honest_ways(session_.problem));
    if (session_.problem.has_model()) {
      scales_.allow_twice(i, judgement.relative_error);
      limit_by_model(session_.problem, session_.contest.measures_speed(), i, judgement.figure(), scales_);
    }
    if (judgement.verdict == Verdict::accepted) continue;
    if (session_.problem.has_model()) {
      if (is_precise_as_a_whole(output, i, session_.problem, case_, scales_)) {
        allow_beyond_bound(i, output);
        continue;
      }
      return ill_conditioned(session_.problem, case_, output.tensor, judgement);
    }
    const std::string off = fmt::format("in single precision '{}' is off by {:.1e} from the oracle's",
                                        output.tensor, judgement.relative_error);
    return trusted_failure(name, session_.problem, case_, {judgement.verdict, "outputs_match", off});
  }
  return std::nullopt;
}

// Notes that the Model in its own type is too far off for the smaller, common or single elements, but not for
// all together.
void CaseCalls::allow_beyond_bound(std::size_t index, const OutputErrors& output) {
  scales_.allow_beyond_bound(index, output.errors);
  const std::string note = fmt::format(
      "where Model in {} itself is beyond the bound for the smaller, common or single elements of '{}', an "
      "answer may be off by four times as much",
      to_string(session_.problem.dtype), output.tensor);
  if (std::find(record_.notes.begin(), record_.notes.end(), note) == record_.notes.end())
    record_.notes.push_back(note);
}

void CaseCalls::look_for_equal_answers() {
  if (has_looked_ || !session_.problem.has_model()) return;
  const Precision asked = precision_from(session_.problem.precision);
  const std::vector<const Tensor*> outputs = case_.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double distance = scales_.distance(i);
    if (!std::isfinite(distance)) return;  // there is no other answer yet
    has_looked_ = true;
    const double allowed =
        has_norm(outputs[i]->compare)
            ? threshold(session_.problem.thresholds_of(outputs[i]->name), asked) * share_of_distance
            : 0;
    if (distance > allowed) continue;
    record_.hardly_depends.push_back(outputs[i]->name);
    const double bound = threshold(error_bounds(session_.problem, case_, i, distance), asked);
    record_.notes.push_back(
        scales_.is_zero(i)
            ? fmt::format("'{}' is zero, whatever the inputs are; `kgrade lint` says what can be done",
                          outputs[i]->name)
        : has_norm(outputs[i]->compare) && distance > 0
            ? fmt::format(
                  "'{}' hardly depends on the inputs: the answer to others is within {:.1e} of it "
                  "(norm of the difference over norm), {} {} allows {:.1e}; `kgrade lint` says what can "
                  "be done",
                  outputs[i]->name, distance, bound < distance ? "so" : "and", to_string(asked), bound)
            : fmt::format("'{}' is the same for other inputs; `kgrade lint` says what can be done",
                          outputs[i]->name));
  }
}

void CaseCalls::judge_property() {
  const auto timer = session_.stages.time("oracle");
  const CallReport report = session_.contest.check_outputs(draw_, trusted_patience);
  if (report.fault == Fault::no_answer) {
    note({Verdict::wrong_answer, "outputs_match", "check() of the problem: " + report.detail});
  } else if (const auto finding = review_call(report)) {
    record_.notes.push_back("check() of the problem failed: " + finding->message);
    note({Verdict::unsupported, "outputs_match",
          "check() of the problem failed, which says nothing of the answer: " + finding->message});
  }
}

void CaseCalls::judge_case_by_set(const CallReport& report) {
  std::vector<RuleCount> counts;
  session_.contest.expect_reference(draw_, trusted_patience);
  for (std::size_t i = 0; i < report.outputs.size() / draw_.launches; ++i) {
    // Nobody has to write the padding of scales.
    const OutputErrors& output = report.outputs[i];
    if (output.compare == Comparison::Kind::scales) continue;
    // Any index of equal values is right. The sets' programs compare indices of drawn numbers, of which
    // hardly two are equal.
    const bool is_right_index = output.compare == Comparison::Kind::ties &&
                                judge(output, {}, Precision::exact).verdict == Verdict::accepted;
    counts.push_back(is_right_index ? RuleCount{output.errors.compared}
                                    : session_.contest.count_by_rule(i, *case_.by_set));
  }
  record_.by_set = judge_by_set(*case_.by_set, counts);
}

void CaseCalls::judge_output(OutputErrors output, std::size_t index) {
  if (!is_on(Defence::nonfinite_compared)) output.errors.nonfinite_mismatches = 0;
  // An output that should be constant may consist of rounding errors. In such an output, only numbers that
  // are not finite are wrong.
  if (is_made_constant(index) && has_norm(output.compare) && output.errors.nonfinite_mismatches == 0) return;
  Judgement judgement = judge_knowing_distance(output, index);
  if (judgement.verdict == Verdict::low_precision && output.compare == Comparison::Kind::norm) {
    // An answer that would be of a lower class may have a bug in a few elements. The decision between low
    // precision and a bug must not depend on how much is off in this draw.
    const auto values = session_.contest.read_output(index);
    if (values && is_in_few_elements(*values, judgement.element_limit / element_factor)) {
      judgement.verdict = Verdict::wrong_answer;
      judgement.precision = Precision::none;
    }
  }
  std::uint64_t wrong = 0;
  if (judgement.verdict == Verdict::wrong_answer)
    wrong = session_.contest.count_wrong(index, judgement.element_limit);
  const Precision asked = precision_from(session_.problem.precision);
  const double bound = threshold(error_bounds(session_.problem, case_, index, scales_of(draw_)), asked);
  if (judgement.element_limit != 0 && std::isfinite(bound) &&
      judgement.figure() / bound > nearest_to_bound_) {
    nearest_to_bound_ = judgement.figure() / bound;
    record_.rule = AppliedRule{std::string(to_string(judgement.decided_by)), bound, case_.terms};
  }
  record_.precision = std::max(record_.precision, judgement.precision);
  record_.relative_error = std::max(record_.relative_error, judgement.relative_error);
  record_.max_scaled_error = std::max(record_.max_scaled_error, judgement.max_scaled_error);
  if (judgement.verdict == Verdict::accepted) return;
  if (judgement.verdict == Verdict::low_precision && !is_on(Defence::precision_class)) return;
  // An error that counts as rounding is a wrong answer if another case shows that the answer is wrong.
  if (judgement.verdict == Verdict::low_precision && !failed_) {
    const std::string error =
        fmt::format("'{}': off by {:.1e} over {}, and {} allows {:.1e}", output.tensor, judgement.figure(),
                    to_string(judgement.decided_by), session_.problem.precision,
                    judgement.element_limit / element_factor);
    record_.message_if_wrong = explain_wrong({Verdict::wrong_answer, "", error}).message;
  }
  const CallFinding finding = explain_wrong(
      {judgement.verdict, check_behind(judgement.verdict), describe_wrong(output, index, judgement, wrong)});
  note(judgement.verdict == Verdict::wrong_answer && is_random() ? undecided(finding) : finding);
}

bool CaseCalls::is_random() const {
  return session_.problem.torch && !session_.problem.torch->random.empty();
}

// A right answer may draw other random numbers than Model.
CallFinding CaseCalls::undecided(const CallFinding& finding) const {
  return {
      Verdict::unsupported, "outputs_match",
      fmt::format("the problem is random: forward() draws numbers by {}, and only the same draws from "
                  "PyTorch's generator give the same answer. Draw them so, or let the problem's file define "
                  "check(inputs, outputs). The answer differs: {}",
                  fmt::join(session_.problem.torch->random, ", "), finding.message)};
}

// Judges an answer whose class depends on how far away the answer to other inputs is. In the first calls of a
// case that distance is not known yet. Then the oracle is called on other inputs, and again on the inputs of
// this call.
Judgement CaseCalls::judge_knowing_distance(const OutputErrors& output, std::size_t index) {
  const auto judged = [&] {
    return judge(output, index, session_.problem, case_, scales_of(draw_),
                 precision_from(session_.problem.precision));
  };
  const Judgement judgement = judged();
  const bool is_known = draw_.family != 0 || std::isfinite(scales_.distance(index));
  if (judgement.verdict != Verdict::low_precision || is_known || session_.contest.takes_turns())
    return judgement;
  DrawSequence others(session_.seed, first_draw_of_distance);
  // If the oracle fails here, the next call will report it.
  if (ask_oracle(others.fresh(draw_.launches)) || ask_oracle(draw_)) return judgement;
  return judged();
}

// A wrong output fails another check if the candidate was right before, more than once, on contents that were
// new throughout.
CallFinding CaseCalls::explain_wrong(CallFinding finding) const {
  finding.message = with_failed_launch(failed_launch_, finding.message);
  if (draw_.launches < most_launches_) {
    finding.message += ", in a call of fewer launches than those before";
  } else if (is_small_change(draw_) && right_on_new_ > 1 && !are_drawn_whole(session_.problem, case_)) {
    finding.check = "fresh_contents";
    finding.message += ", where the inputs differ from those of the call before in a few elements only";
  } else if (case_.role == CaseRole::hidden) {
    finding.check = "hidden_shapes";
  }
  if (const std::string scales = scalings_text(case_); !scales.empty()) finding.message += "; " + scales;
  if (const std::string families = families_text(session_.problem, case_, draw_); !families.empty())
    finding.message += "; " + families;
  return finding;
}

std::string CaseCalls::describe_wrong(const OutputErrors& output, std::size_t index,
                                      const Judgement& judgement, std::uint64_t wrong) {
  if (judgement.verdict == Verdict::low_precision) {
    const std::string reached = judgement.precision == Precision::none
                                    ? "is less precise than bf16"
                                    : fmt::format("reaches {} precision", to_string(judgement.precision));
    return fmt::format("'{}' {} (error {:.1e} over {}), and {} is asked for", output.tensor, reached,
                       judgement.figure(), to_string(judgement.decided_by), session_.problem.precision);
  }
  if (output.compare == Comparison::Kind::quantised) return describe_codes(output, judgement);
  const std::uint64_t elements = output.errors.compared + output.errors.nonfinite_mismatches;
  // Small errors add up, though none is large enough to be called wrong alone.
  const std::string_view unit = judgement.decided_by == ErrorFigure::common ? "in units of that value"
                                : judgement.decided_by == ErrorFigure::slice
                                    ? "in units of its usual element"
                                    : "norm of the difference over norm";
  const std::string what = wrong == 0 ? fmt::format("off by {:.1e} over {} ({}), no element stands out",
                                                    judgement.figure(), to_string(judgement.decided_by), unit)
                                      : fmt::format("{} of {} elements wrong", wrong, elements);
  std::string text =
      fmt::format("'{}': {}, the worst at {}", output.tensor, what, coordinates_of_worst(output));
  const std::string how = how_wrong(index, judgement.element_limit);
  return how.empty() ? text : fmt::format("{}; {}", text, how);
}

// Codes are judged by the numbers that they stand for, and no single code need be wrong.
std::string CaseCalls::describe_codes(const OutputErrors& output, const Judgement& judgement) const {
  const std::string what =
      fmt::format("'{}' and '{}'", output.tensor,
                  session_.problem.find_parameter(output.tensor)->compare.quantisation.scales);
  if (output.errors.nonfinite_mismatches > 0)
    return fmt::format("{} codes of {} stand for no finite number, the first at {}",
                       output.errors.nonfinite_mismatches, what, coordinates_of_worst(output));
  return fmt::format(
      "what {} stand for is further from '{}' than the reference's: by {:.1e} of its norm, and {:.1e} is "
      "allowed; the worst code is at {}",
      what, session_.problem.find_parameter(output.tensor)->compare.values, judgement.relative_error,
      judgement.element_limit / element_factor, coordinates_of_worst(output));
}

std::string CaseCalls::how_wrong(std::size_t index, double limit) {
  const auto values = session_.contest.examine(case_, index, draw_, draw_before_, candidate_limit());
  if (!values) {
    const std::uint64_t unwritten = session_.contest.count_unwritten(index);
    return unwritten > 0 ? fmt::format("{} as they were before the call", unwritten) : "";
  }
  WrongOutput found = wrong_output(*values, limit);
  // Hidden cases stay hidden, and measured cases are too large to reason about.
  if (case_.role != CaseRole::sample && case_.role != CaseRole::test) found.examples.clear();
  std::string text = describe(found);
  if (!record_.wrong) record_.wrong = std::move(found);
  return text;
}

// Suspects a kernel that kept the device busy before most of the calls: the candidate's, or another
// program's.
void CaseCalls::judge_waits() {
  if (record_.calls < fewest_calls_for_waits) return;
  const double usual = quantile(waited_ms_, 0.5);
  if (usual < longest_wait_ms) return;
  doubt(Defence::idle_after_call, "idle",
        fmt::format("the device is busy between its calls, for {:.1f} ms (median): grade again when nothing "
                    "else uses it, and look for kernels that the candidate leaves running",
                    usual));
}

void CaseCalls::doubt(Defence defence, const char* check, const std::optional<std::string>& why) {
  if (why && is_on(defence)) note({Verdict::unstable, check, *why});
}

void CaseCalls::note(const CallFinding& finding) {
  session_.candidate_was_killed = session_.candidate_was_killed || finding.killed;
  session_.checks.fail(finding.check, fmt::format("{}: {}", case_.name, finding.message));
  // Another output of the same call may be wrong.
  const bool says_more =
      record_.verdict == Verdict::low_precision && finding.verdict == Verdict::wrong_answer;
  if (failed_ && !says_more) return;
  failed_ = true;
  record_.verdict = finding.verdict;
  record_.message = finding.message;
}

}  // namespace kgrade
