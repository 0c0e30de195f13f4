#include "soundness/case_soundness.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/text.h"
#include "record/verdict.h"
#include "soundness/dependence.h"
#include "soundness/host_values.h"
#include "soundness/wrong_answers.h"
#include "verify/judgement.h"

namespace kgrade {
namespace {

// The inputs that are tried and recommended if the answer hardly depends on the file's own inputs.
constexpr const char* usual_other_inputs = "normal(0, 2)";

class CaseSoundness {
 public:
  CaseSoundness(SoundnessSession& session, const Case& bound)
      : session_(session),
        case_(bound),
        acceptance_(session.problem, bound),
        lowest_class_(Acceptance::in_lowest_class(session.problem, bound)) {}

  Result<bool> run() {
    if (auto error = session_.runner.set_case(case_)) return *error;
    for (const auto step : steps()) {
      const bool goes_on = (this->*step)();
      if (no_room_) return *no_room_;
      if (!goes_on) return false;
    }
    session_.cases += 1;
    const auto error = session_.scalars.try_case(session_.runner, case_, base_draw(), *base_);
    if (error) fails(*error);
    return !error;
  }

  Result<bool> check_precision() {
    if (auto error = session_.runner.set_case(case_)) return *error;
    progress("precision of the reference");
    if (!take_base()) return no_room_ ? Result<bool>(*no_room_) : false;
    return are_comparable() && check_reference();
  }

 private:
  using Step = bool (CaseSoundness::*)();

  // The author of a file with a Model cannot change thresholds, or how much single elements count.
  std::vector<Step> steps() const {
    if (is_model())
      return {&CaseSoundness::compute_answers,  &CaseSoundness::check_spread,
              &CaseSoundness::check_model,      &CaseSoundness::try_wrong_answers,
              &CaseSoundness::perturb_computed, &CaseSoundness::try_sampled_inputs,
              &CaseSoundness::check_dependence};
    return {&CaseSoundness::compute_answers,    &CaseSoundness::check_spread,
            &CaseSoundness::check_reference,    &CaseSoundness::try_wrong_answers,
            &CaseSoundness::perturb_computed,   &CaseSoundness::try_stale_answers,
            &CaseSoundness::try_sampled_inputs, &CaseSoundness::check_dependence,
            &CaseSoundness::check_beginnings,   &CaseSoundness::measure_errors};
  }

  bool is_model() const { return session_.problem.has_model(); }
  bool is_weight(std::size_t tensor) const {
    const std::optional<TorchModule>& module = session_.problem.torch;
    return module && module->weight_of(case_.tensors[tensor].name) != nullptr;
  }

  // Whether single elements may be changed. Computed inputs depend on each other. Listed inputs are extents,
  // which must be the extents of the case.
  bool has_free_elements(std::size_t tensor) const { return case_.tensors[tensor].has_single_elements(); }

  // Calls the oracle. If the call fails, adds a finding and returns null. Answers are freed as soon as they
  // are compared, because each may fill much of the host's memory, and host_bytes_needed() counts two at a
  // time.
  std::unique_ptr<CallOutputs> answer(const Draw& draw, const std::vector<InputEdit>& edits = {}) {
    auto outputs = session_.runner.call_oracle(draw, edits);
    if (outputs) return std::move(*outputs);
    fails(outputs.error());
    return nullptr;
  }

  bool take_base() {
    base_ = answer(base_draw());
    if (base_ == nullptr) return false;
    no_room_ = base_->keep();
    return !no_room_;
  }

  std::size_t outputs() const { return base_->values().size(); }
  Judgement judge(const Acceptance& acceptance, std::size_t output, CallOutputs& actual,
                  CallOutputs& expected) const {
    return acceptance.judge(output, actual.errors(output, expected));
  }

  void fails(const Error& error) { session_.findings.add_failure(case_, error); }

  bool compute_answers() {
    progress("answers");
    if (!take_base()) return false;
    if (const std::string unwritten = session_.runner.unwritten(); !unwritten.empty()) {
      session_.findings.add_unwritten(case_, unwritten);
      return false;
    }
    inputs_ = session_.runner.sampled_inputs();
    return are_comparable() && check_steadiness();
  }

  bool are_comparable() { return check_expected_values(session_.findings, case_, base_->values()); }

  bool check_spread() {
    check_magnitudes(session_.findings, acceptance_, case_, base_->values());
    return true;
  }

  bool check_steadiness() {
    const auto again = answer(base_draw());
    if (!again) return false;
    if (accepts_all(acceptance_, *again, *base_)) return true;
    session_.findings.add(
        "reference-unsteady", "", case_,
        fmt::format("two calls of the oracle on equal inputs differ, with an error of {:.1e}",
                    error_of(*again, *base_)),
        "the reference reads memory that is not its own or that was never written, or its "
        "threads race: `kgrade check` on it says where");
    return false;
  }

  // Compares the reference with the oracle as grading does (grade/case_calls.h), but in units of this
  // output's own norm, so that a case whose sums cancel is reported.
  bool check_reference() {
    const auto single = session_.runner.call_reference(base_draw());
    if (!single) {
      fails(single.error());
      return false;
    }
    const Acceptance in_single(session_.problem, case_, Precision::fp32);
    for (std::size_t i = 0; i < outputs(); ++i) {
      const Judgement judgement = judge(in_single, i, **single, *base_);
      if (judgement.verdict == Verdict::accepted) continue;
      if (acceptance_.is_exact(i)) {
        session_.findings.add(
            "reference-imprecise", name_of_output(i), case_,
            fmt::format(
                "in single precision the reference's '{0}' is not the oracle's, and '{0}' is compared "
                "exactly",
                name_of_output(i)),
            "let it depend on no rounding: on moved values, integers and comparisons of inputs alone");
        continue;
      }
      session_.findings.add(
          "reference-imprecise", name_of_output(i), case_,
          fmt::format("in single precision the reference's '{}' is off from the oracle's: {}",
                      name_of_output(i), in_single.figures(i, judgement)),
          "sum many terms in parts, avoid sums that cancel and divisions by small values, by the formula or "
          "by the case; `kgrade calibrate` finds a threshold where that is the problem's nature");
    }
    return true;
  }

  // Compares the Model's reference with the oracle as grading does, in units of the output's usual norm.
  bool check_model() {
    const auto single = session_.runner.call_reference(base_draw());
    if (!single) {
      fails(single.error());
      return false;
    }
    std::vector<ElementErrors> all_errors;  // before other calls overwrite the outputs
    for (std::size_t i = 0; i < outputs(); ++i) all_errors.push_back((*single)->errors(i, *base_));
    // The scales of a few draws; of more draws if few elements could cancel.
    const int draws = std::max(1, ExpectedScales::draws_of(case_, Precision::fp32) / 2);
    auto scales = scales_of_draws(session_.runner, session_.seed, 1, draws);
    if (!scales) {
      fails(scales.error());
      return false;
    }
    bool is_sound = true;
    for (std::size_t i = 0; i < outputs(); ++i) {
      const OutputErrors errors{name_of_output(i), {}, all_errors[i], output_of(case_, i).compare};
      const Judgement judgement = judge_reference(errors, i, session_.problem, case_, *scales);
      limit_by_model(session_.problem, session_.runner.measures_speed(), i, judgement.figure(), *scales);
      for (Acceptance* const each : {&acceptance_, &lowest_class_}) each->set_limit(i, scales->limit(i));
      if (judgement.verdict == Verdict::accepted ||
          is_precise_as_a_whole(errors, i, session_.problem, case_, *scales))
        continue;
      is_sound = false;
      session_.findings.add("ill-conditioned", name_of_output(i), case_,
                            why_ill_conditioned(session_.problem, name_of_output(i), judgement),
                            other_inputs_of(session_.problem) + ", or leave it out");
    }
    return is_sound;
  }

  // The answer to other inputs. Tries a few draws to find an answer that would not be accepted. A sum of very
  // many elements has nearly the same answer for some draws, but a contestant gets several draws.
  std::unique_ptr<CallOutputs> other_answer(CallOutputs& expected) {
    constexpr std::uint32_t most_draws = 3;
    std::unique_ptr<CallOutputs> other;
    for (std::uint32_t index = 1; index <= most_draws; ++index) {
      other.reset();  // freed before the next call
      other = answer({session_.seed, index});
      if (!other || !accepts_any(lowest_class_, *other, expected)) break;
    }
    return other;
  }

  bool try_wrong_answers() {
    progress("wrong answers");
    const auto other = other_answer(*base_);
    if (!other) return false;
    take_distances(*other);
    const std::size_t before = session_.findings.size();
    constants_ =
        find_wrong_answers(session_.findings, lowest_class_, case_,
                           {inputs_, base_->values(), other->values(), session_.runner.most_elements()});
    return !is_model() || session_.findings.size() == before || explain_by_inputs(before);
  }

  // Sets the distances to the answer to other inputs. A class that would accept that answer is not offered,
  // so that no wrong answer can pass in that class.
  void take_distances(CallOutputs& other) {
    for (std::size_t i = 0; i < outputs(); ++i) {
      const std::vector<double> expected = sample_of(base_->values()[i]);
      const double distance =
          distance_between(sample_of(other.values()[i]), expected, magnitudes_of(expected));
      acceptance_.set_distance(i, distance);
      lowest_class_.set_distance(i, distance);
      // Notes an output that depends so little on the inputs that it is only judged in single precision.
      const double threshold = session_.problem.thresholds.bf16;
      if (!is_model() || acceptance_.is_exact(i) || distance == 0 ||
          distance >= share_of_distance * threshold)
        continue;
      session_.findings.add(
          "class-not-offered", name_of_output(i), case_,
          fmt::format("'{}' hardly depends on such inputs: the answer to others is within {:.1e} of it, so a "
                      "candidate that asks for bf16 may be off by {:.1e} at most, not {:.0e}",
                      name_of_output(i), distance, lowest_class_.threshold(i), threshold),
          other_inputs_of(session_.problem), LintFinding::Severity::warning);
    }
  }

  std::set<std::size_t> find_wrong_answers(LintFindings& findings, const Acceptance& acceptance,
                                           const Case& bound, const KnownValues& known) {
    std::set<std::size_t> constants = find_degenerate_outputs(findings, acceptance, bound, known);
    find_accepted_answers(findings, acceptance, bound, known, constants, is_model());
    return constants;
  }

  // Tries other inputs. A user of the file can change nothing else.
  bool explain_by_inputs(std::size_t first) {
    progress("other contents");
    Case changed = case_;
    for (std::size_t i = 0; i < changed.tensors.size(); ++i) {
      ResolvedInit& init = changed.tensors[i].init;
      const bool is_drawn =
          init.kind == ResolvedInit::Kind::uniform || init.kind == ResolvedInit::Kind::normal;
      if (!changed.tensors[i].output && !is_weight(i) && is_drawn) init = {ResolvedInit::Kind::normal, 0, 2};
    }
    LintFindings with_others(session_.problem);
    if (!find_with(changed, with_others)) return false;
    if (with_others.empty()) {
      session_.findings.explain(first, "; it hardly depends on such inputs",
                                other_inputs_of(session_.problem) + ", which mends it");
    } else {
      session_.findings.explain(
          first, fmt::format("; with inputs from {} it is no better", usual_other_inputs),
          "leave it out, or change `init` of inputs and weights in the problem file that `kgrade "
          "import` writes, or `Model`");
    }
    if (auto error = session_.runner.set_case(case_)) {
      fails(*error);
      return false;
    }
    return true;
  }

  bool find_with(const Case& changed, LintFindings& findings) {
    if (auto error = session_.runner.set_case(changed)) {
      fails(*error);
      return false;
    }
    const auto expected = answer(base_draw());
    if (!expected) return false;
    const std::vector<Values> inputs = session_.runner.sampled_inputs();
    expected->values();  // reads the values now
    if (auto error = expected->keep()) {
      fails(*error);
      return false;
    }
    const auto other = other_answer(*expected);
    if (!other) return false;
    find_wrong_answers(findings, lowest_class_, changed,
                       {inputs, expected->values(), other->values(), session_.runner.most_elements()});
    return true;
  }

  // Only the problem's own file knows which computed inputs are possible. So no other rule changes them.
  bool perturb_computed() {
    progress("computed inputs");
    auto found =
        find_dependence_on_computed(session_.runner, acceptance_, case_, base_draw(), inputs_, *base_);
    if (!found) {
      fails(found.error());
      return false;
    }
    computed_ = std::move(*found);
    if (computed_.names.empty()) return true;
    bool& vary = session_.computed_vary[computed_.names];
    vary = vary || computed_.inputs_vary;
    if (!computed_.inputs_vary || computed_.stale.size() < outputs() || constants_.size() == outputs())
      return true;
    session_.findings.add(
        "input-ignored", computed_.names, case_,
        fmt::format("other contents of {} change no output{}", computed_.names,
                    computed_.any_change
                        ? fmt::format(" beyond the tolerance: the error is {:.1e}", computed_.largest_error)
                        : fmt::format(", in {}", counted(computed_.perturbations, "call"))),
        "remove the parameters, or mend the reference, its `inputs` or the case so that they count");
    return true;
  }

  // Tries the answer of the previous call after a few elements of one input have changed, or after all
  // computed inputs have changed.
  bool try_stale_answers() {
    progress("stale answers");
    std::set<std::size_t> accepted;
    for (std::size_t i = 0; i < outputs(); ++i) {
      if (!constants_.contains(i) && (computed_.names.empty() || computed_.stale.contains(i)))
        accepted.insert(i);
    }
    std::map<std::size_t, Judgement> nearest;  // with the largest figure so far, by output
    for (std::uint32_t change = 1; change <= most_small_changes && !accepted.empty(); ++change) {
      const auto changed = answer({session_.seed, 0, change});
      if (!changed) return false;
      std::erase_if(accepted, [&](std::size_t i) {
        const Judgement judgement = judge(acceptance_, i, *base_, *changed);
        if (judgement.figure() >= nearest[i].figure()) nearest[i] = judgement;
        return judgement.verdict != Verdict::accepted;
      });
    }
    for (const std::size_t i : accepted) {
      session_.findings.add(
          "stale-passes", name_of_output(i), case_,
          fmt::format(
              "when few elements of an input change, the old '{}' is accepted in {} of {} tries; in the "
              "nearest {}",
              name_of_output(i), most_small_changes, most_small_changes,
              acceptance_.is_exact(i) ? "it is the same" : acceptance_.figures(i, nearest[i])),
          "make single elements count: smaller cases, tighter thresholds, or inputs that vary more");
    }
    return true;
  }

  bool try_sampled_inputs() {
    progress("sampled inputs");
    for (std::size_t tensor = 0; tensor < inputs_.size(); ++tensor) {
      if (inputs_[tensor].size() < 2 || is_constant(inputs_[tensor]) || !has_free_elements(tensor)) continue;
      if (is_model() && is_weight(tensor)) continue;
      const auto elements = static_cast<std::uint64_t>(case_.tensors[tensor].elements);
      std::vector<InputEdit> edits(1);
      edits[0] = {tensor,
                  0,
                  {},
                  elements,
                  [half = HalfReplacedByMean(session_.seed)](std::uint64_t, std::span<float> slice) mutable {
                    half(slice);
                  }};
      const auto sampled = answer(base_draw(), edits);
      if (!sampled) return false;
      for (std::size_t i = 0; i < outputs(); ++i) {
        const Judgement judgement = judge(acceptance_, i, *sampled, *base_);
        // Outputs that do not depend on this input at all are reported as input-ignored.
        if (judgement.verdict != Verdict::accepted || judgement.relative_error == 0) continue;
        if (constants_.contains(i)) continue;
        session_.findings.add(
            "sample-passes", case_.tensors[tensor].name, case_,
            fmt::format("with half of the elements of '{}' replaced by their mean '{}' is accepted ({}): a "
                        "kernel may read a sample",
                        case_.tensors[tensor].name, name_of_output(i), acceptance_.figures(i, judgement)),
            "sum fewer terms, draw them around 0 (normal(0, 1)), or ask for a tighter `precision`");
      }
    }
    return true;
  }

  bool check_dependence() {
    for (std::size_t tensor = 0; tensor < inputs_.size(); ++tensor) {
      if (inputs_[tensor].empty() || !has_free_elements(tensor)) continue;
      progress(fmt::format("dependence on {}", case_.tensors[tensor].name));
      const auto found =
          find_dependence(session_.runner, acceptance_, case_, tensor, base_draw(), *base_, is_model());
      if (!found) {
        fails(found.error());
        return false;
      }
      if (found->depends || constants_.size() == outputs()) continue;
      session_.findings.add(
          found->fewest > 0 ? "element-ignored" : "input-ignored", case_.tensors[tensor].name, case_,
          describe(*found, case_.tensors[tensor].name),
          is_model() && is_weight(tensor) ? "no harm: candidates may leave it out"
          : is_model() ? "mend `Model`, or leave the file out: a candidate need not read the input"
          : found->any_change
              ? "let an element count for more: fewer terms, tighter `thresholds` or `precision`"
              : "remove the parameter, or mend the reference or the case so that it counts",
          is_model() && is_weight(tensor) ? LintFinding::Severity::warning : LintFinding::Severity::error);
    }
    return true;
  }

  // Checks outputs that begin with drawn contents. Zeros are left out, because a kernel may add to them or
  // overwrite them.
  bool check_beginnings() {
    for (std::size_t tensor = 0; tensor < case_.tensors.size(); ++tensor) {
      const Tensor& output = case_.tensors[tensor];
      const bool are_zeros = output.init.kind == ResolvedInit::Kind::constant && output.init.first == 0;
      if (!output.begins_as_drawn || are_zeros) continue;
      const auto found =
          find_dependence(session_.runner, acceptance_, case_, tensor, base_draw(), *base_, true);
      if (!found) {
        fails(found.error());
        return false;
      }
      if (found->any_change) continue;
      session_.findings.add("beginning-ignored", output.name, case_,
                            fmt::format("what '{}' begins as changes no output", output.name),
                            "let the reference read it, or remove `begins`", LintFinding::Severity::warning);
    }
    return true;
  }

  bool measure_errors() {
    if (constants_.size() == outputs() || !ClassSeparation::applies_to(session_.problem, case_)) return true;
    progress("precision classes");
    const auto error = session_.classes.try_case(session_.runner, case_, session_.seed, *base_);
    if (error) fails(*error);
    return !error;
  }

  Draw base_draw() const { return {session_.seed, 0}; }
  void progress(const std::string& what) { session_.progress(case_.name + ": " + what); }
  const std::string& name_of_output(std::size_t output) const { return output_of(case_, output).name; }

  SoundnessSession& session_;
  const Case& case_;
  Acceptance acceptance_;
  Acceptance lowest_class_;
  std::vector<Values> inputs_;         // or samples of them
  std::unique_ptr<CallOutputs> base_;  // kept: valid over further calls
  std::optional<Error> no_room_;
  std::set<std::size_t> constants_;  // outputs that are not checked further
  ComputedDependence computed_;
};

}  // namespace

Result<bool> check_case_soundness(SoundnessSession& session, const Case& bound) {
  return CaseSoundness(session, bound).run();
}

Result<bool> check_reference_precision(SoundnessSession& session, const Case& bound) {
  return CaseSoundness(session, bound).check_precision();
}

void conclude(SoundnessSession& session) {
  if (session.cases == 0) return;
  session.scalars.conclude(session.findings);
  session.classes.conclude(session.findings);
}

}  // namespace kgrade
