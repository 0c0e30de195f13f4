#include "soundness/case_soundness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "soundness/answers.h"
#include "soundness/dependence.h"
#include "soundness/output_soundness.h"
#include "verify/judgement.h"

namespace kgrade {
namespace {

// Which few elements of an input change is drawn; a window or a stride may pass over all of them.
constexpr std::uint32_t most_small_changes = 8;

// Of a parameter that may change nothing: for some values it may really make no difference.
constexpr std::size_t most_other_values = 3;

constexpr std::int64_t many_elements = std::int64_t{1} << 20;

class CaseSoundness {
 public:
  CaseSoundness(SoundnessSession& session, const Case& bound)
      : session_(session),
        case_(bound),
        judge_(session.problem),
        lowest_(Judge::in_lowest_class(session.problem)) {}

  Result<bool> run() {
    if (auto error = session_.subject.sit(case_)) return *error;
    for (const auto step :
         {&CaseSoundness::know_answers, &CaseSoundness::look_at_reference, &CaseSoundness::look_at_outputs,
          &CaseSoundness::change_little, &CaseSoundness::sample_inputs, &CaseSoundness::flip_inputs,
          &CaseSoundness::measure}) {
      if (!(this->*step)()) return false;
    }
    session_.cases += 1;
    return change_scalars();
  }

 private:
  // Nothing, and a finding, when the call fails.
  std::optional<std::vector<Values>> answer(const Draw& draw, const std::vector<InputEdit>& edits = {}) {
    auto outputs = session_.subject.oracle(draw, edits);
    if (outputs) return std::move(*outputs);
    fails(outputs.error());
    return std::nullopt;
  }

  void fails(const Error& error) {
    session_.book.add("reference-fails", "", case_, error.message, error.remedy);
  }

  bool know_answers() {
    progress("answers");
    auto base = answer(base_draw());
    if (!base) return false;
    base_ = std::move(*base);
    if (const std::string unwritten = session_.subject.unwritten(); !unwritten.empty()) {
      session_.book.add_unwritten(case_, unwritten);
      return false;
    }
    inputs_ = session_.subject.inputs();
    if (!look_at_range()) return false;
    return look_at_steadiness();
  }

  // Answers are let go as soon as they are looked at: each may fill much of the host's memory, and
  // host_bytes_needed() counts on two at a time.
  bool look_at_steadiness() {
    const auto again = answer(base_draw());
    if (!again) return false;
    if (judge_.accepts_all(*again, base_)) return true;
    session_.book.add("reference-unsteady", "", case_,
                      fmt::format("two calls of the oracle on equal inputs differ, with an error of {:.1e}",
                                  error_of(*again, base_)),
                      "the reference reads memory that is not its own or that was never written, or its "
                      "threads race: `kgrade check` on it says where");
    return false;
  }

  // Nothing can be told from nothing: a kernel that gives infinities everywhere would be right.
  bool look_at_range() {
    std::size_t all = 0;
    std::size_t beyond = 0;
    for (const Values& output : base_) {
      all += output.size();
      beyond += static_cast<std::size_t>(std::count_if(output.begin(), output.end(), [this](float value) {
        return !std::isfinite(rounded_to(session_.problem.dtype, value));
      }));
    }
    if (beyond == 0) return true;
    session_.book.add("not-finite", "", case_,
                      fmt::format("{} of {} expected values are no finite {}", beyond, all,
                                  to_string(session_.problem.dtype)),
                      "give the inputs an `init` whose results the type can hold");
    return false;
  }

  // As grading holds the reference against the oracle (grade/case_calls.h), but in units of this very
  // output's norm: a case on which sums cancel is reported.
  bool look_at_reference() {
    const auto single = session_.subject.reference(base_draw(), {});
    if (!single) {
      fails(single.error());
      return false;
    }
    for (std::size_t i = 0; i < base_.size(); ++i) {
      const Judgement judgement = judge(compare((*single)[i], base_[i], session_.problem.dtype),
                                        session_.problem.thresholds, Precision::fp32);
      if (judgement.verdict == Verdict::accepted) continue;
      session_.book.add(
          "reference-imprecise", name_of_output(i), case_,
          fmt::format(
              "in single precision the reference's '{}' is off by {:.1e} from the oracle's, and {:.1e} "
              "is allowed",
              name_of_output(i), judgement.relative_error, session_.problem.thresholds.fp32),
          "avoid sums that cancel and divisions by small values, by the formula or by the case; `kgrade "
          "calibrate` finds a threshold where that is the problem's nature");
    }
    return true;
  }

  bool look_at_outputs() {
    progress("wrong answers");
    const auto other = answer({session_.seed, 1});
    if (!other) return false;
    constants_ = find_degenerate_outputs(session_.book, lowest_, case_, {inputs_, base_, *other});
    find_accepted_answers(session_.book, lowest_, case_, {inputs_, base_, *other}, constants_);
    return true;
  }

  // The answer of the call before, where a few elements of one input have changed since.
  bool change_little() {
    progress("stale answers");
    std::set<std::size_t> accepted;
    for (std::size_t i = 0; i < base_.size(); ++i) {
      if (!constants_.contains(i)) accepted.insert(i);
    }
    double error = 0;
    for (std::uint32_t change = 1; change <= most_small_changes && !accepted.empty(); ++change) {
      const auto changed = answer({session_.seed, 0, change});
      if (!changed) return false;
      error = std::max(error, error_of(base_, *changed));
      std::erase_if(accepted, [&](std::size_t i) { return !judge_.accepts(base_[i], (*changed)[i]); });
    }
    for (const std::size_t i : accepted) {
      session_.book.add(
          "stale-passes", name_of_output(i), case_,
          fmt::format(
              "when few elements of an input change, the old '{}' is accepted, in {} of {} tries, the "
              "largest error being {:.1e}",
              name_of_output(i), most_small_changes, most_small_changes, error),
          "make single elements count: smaller cases, tighter thresholds, or inputs that vary more");
    }
    return true;
  }

  bool sample_inputs() {
    progress("sampled inputs");
    for (std::size_t tensor = 0; tensor < inputs_.size(); ++tensor) {
      if (inputs_[tensor].size() < 2 || is_constant(inputs_[tensor])) continue;
      std::vector<InputEdit> edits(1);
      edits[0] = {tensor, 0, half_replaced_by_mean(inputs_[tensor], session_.seed)};
      const auto sampled = answer(base_draw(), edits);
      if (!sampled) return false;
      for (std::size_t i = 0; i < base_.size(); ++i) judge_sampled(tensor, i, (*sampled)[i]);
    }
    return true;
  }

  void judge_sampled(std::size_t tensor, std::size_t output, const Values& sampled) {
    const Judgement judgement = judge_.judge(sampled, base_[output]);
    // What does not depend on this input at all is another matter: see input-ignored.
    if (judgement.verdict != Verdict::accepted || judgement.relative_error == 0) return;
    if (constants_.contains(output)) return;
    session_.book.add(
        "sample-passes", case_.tensors[tensor].name, case_,
        fmt::format(
            "with half of the elements of '{}' replaced by their mean '{}' is accepted (error {:.1e}, "
            "{:.1e} is allowed): a kernel may read a sample",
            case_.tensors[tensor].name, name_of_output(output), judgement.relative_error, judge_.threshold()),
        "sum fewer terms, draw them around 0 (normal(0, 1)), or ask for a tighter `precision`");
  }

  bool flip_inputs() {
    for (std::size_t tensor = 0; tensor < inputs_.size(); ++tensor) {
      if (inputs_[tensor].empty()) continue;
      progress(fmt::format("dependence on {}", case_.tensors[tensor].name));
      const auto found =
          look_for_dependence(session_.subject, judge_, case_, tensor, base_draw(), inputs_[tensor], base_);
      if (!found) {
        fails(found.error());
        return false;
      }
      if (found->depends || constants_.size() == base_.size()) continue;
      session_.book.add(
          "input-ignored", case_.tensors[tensor].name, case_, describe(*found, case_.tensors[tensor].name),
          found->any_change
              ? "let an element count for more: fewer terms, tighter `thresholds` or `precision`"
              : "remove the parameter, or mend the reference or the case so that it counts");
    }
    return true;
  }

  bool measure() {
    if (constants_.size() == base_.size()) return true;
    // Operands of 16 bits are what tensor cores take as it is: there is nothing to tell apart.
    if (session_.problem.dtype != Dtype::float32) return true;
    progress("precision classes");
    // Few elements have errors that spread.
    const std::uint32_t draws = case_.tensor_bytes(1) < many_elements ? 2 : 1;
    if (draws > 1) return add_errors(measure_classes(session_.subject, session_.seed, draws));
    return add_errors(measure_classes_on(session_.subject, base_draw(), inputs_, base_));
  }

  bool add_errors(const Result<ClassStatistics>& errors) {
    if (!errors) {
      fails(errors.error());
      return false;
    }
    session_.errors.add(*errors);
    return try_lower_class();
  }

  bool try_lower_class() {
    const Precision asked = precision_from(session_.problem.precision);
    if (asked >= Precision::bf16) return true;
    const OperandFormat format = asked == Precision::fp32 ? OperandFormat::tf32 : OperandFormat::bf16;
    const auto lower = rounded_answer(session_.subject, base_draw(), inputs_, format);
    if (!lower) {
      fails(lower.error());
      return false;
    }
    session_.lower_class_error = std::max(session_.lower_class_error, error_of(*lower, base_));
    if (!judge_.accepts_all(*lower, base_)) session_.lower_class_refused = true;
    return true;
  }

  // To name a parameter in `require` or `flops` is not to use it.
  bool change_scalars() {
    const std::set<std::string> ignored = session_.ignored;
    for (const std::string& name : ignored) {
      for (const Case& changed : with_other_values(session_.problem, case_, name, most_other_values)) {
        session_.varied.insert(name);
        const auto changes = changes_output(changed, name);
        if (!changes) return false;
        if (!*changes) continue;
        session_.ignored.erase(name);
        break;
      }
    }
    return true;
  }

  // Nothing, and a finding, when the call fails.
  std::optional<bool> changes_output(const Case& changed, const std::string& name) {
    const auto explained = [&](Error error) {
      const auto value = changed.integers.find(name);
      if (value != changed.integers.end())
        error.message =
            fmt::format("with {} = {}, which `require` allows: {}", name, value->second, error.message);
      fails(error);
      return std::nullopt;
    };
    if (const auto error = session_.subject.sit(changed)) return explained(*error);
    const auto outputs = session_.subject.oracle(base_draw(), {});
    if (!outputs) return explained(outputs.error());
    return *outputs != base_;
  }

  Draw base_draw() const { return {session_.seed, 0}; }
  void progress(const std::string& what) { session_.progress(case_.name + ": " + what); }
  const std::string& name_of_output(std::size_t output) const { return output_of(case_, output).name; }

  SoundnessSession& session_;
  const Case& case_;
  Judge judge_;
  Judge lowest_;
  std::vector<Values> inputs_;
  std::vector<Values> base_;
  std::set<std::size_t> constants_;  // outputs of which nothing more is to be said
};

}  // namespace

Result<bool> look_at_case(SoundnessSession& session, const Case& bound) {
  return CaseSoundness(session, bound).run();
}

}  // namespace kgrade
