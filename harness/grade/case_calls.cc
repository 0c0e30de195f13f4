#include "grade/case_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/statistics.h"
#include "draw/draws.h"
#include "draw/input_families.h"
#include "record/candidate_reports.h"
#include "verify/expected_scales.h"
#include "verify/wrong_output.h"

namespace kgrade {
namespace {

// How long a call of a candidate may take: this many times as long as the slowest call of the reference,
// which is as plain as a kernel can be. It is never less than the shortest limit.
constexpr double reference_times = 20;
constexpr double shortest_limit_ms = 2'000;
constexpr double shortest_limit_on_cpu_ms = 10'000;

// Outputs of more bytes are not read to compare their bits: that would take longer than the calls.
constexpr std::uint64_t most_compared_bytes = std::uint64_t{64} << 20;

// The usual wait before a call is known from this many calls on.
constexpr int fewest_calls_for_waits = 3;

// A capture shorter than this, or than this share of the call, changes no reading by more than the tolerance.
constexpr double short_capture_ms = 0.01;
constexpr double short_capture_share = 0.005;

// How many draws of families a call may take until one tells right from wrong.
constexpr std::uint32_t most_draws_of_families = 3;

// The first draw for judge_knowing_distance(). No other call of a case has these draws, nor has
// verify/expected_scales.cc.
constexpr std::uint32_t first_draw_of_distance = (3 << 20) + (1 << 10);

void copy_scalars(const Problem& problem, const Case& bound, CaseRecord& record) {
  for (const Parameter& parameter : problem.parameters) {
    if (const auto found = bound.integers.find(parameter.name); found != bound.integers.end()) {
      record.parameters.insert(*found);
    }
  }
  record.real_parameters = bound.reals;
  record.scales = scalings_text(bound);
}

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

// The number of a case's first draw of families: the cases of a run take the families in turn. It is the same
// if the case is graded alone.
std::uint32_t first_family(const Problem& problem, const Case& bound) {
  const CaseSpec* const spec = problem.find_case(bound.name);
  const auto place =
      spec != nullptr ? static_cast<std::size_t>(spec - problem.cases.data()) : problem.cases.size();
  auto before = static_cast<std::uint32_t>(place);
  if (spec == nullptr) {
    const std::size_t digits = bound.name.find_last_not_of("0123456789") + 1;
    std::uint32_t number = 0;
    std::from_chars(bound.name.data() + digits, bound.name.data() + bound.name.size(), number);
    before += number;
  }
  return 1 + static_cast<std::uint32_t>(least_varied_rounds) * before;
}

std::vector<Sample> samples_alone(const Session& session, const Case& bound) {
  const auto found = session.known->reference_alone.find(bound.name);
  return found != session.known->reference_alone.end() ? found->second.samples : std::vector<Sample>();
}

}  // namespace

int varied_rounds(const Problem& problem, const Case& bound, bool measures_speed) {
  constexpr int most_rounds = 20;  // twice as many as an input of a Model has families
  // Calls on larger tensors would take more than a tenth of a grade.
  constexpr std::int64_t largest_on_gpu = std::int64_t{256} << 20;
  constexpr std::int64_t largest_on_cpu = std::int64_t{1} << 20;
  const bool is_small = bound.tensor_bytes() <= (measures_speed ? largest_on_gpu : largest_on_cpu);
  return problem.cases.size() == 1 && is_small ? most_rounds : least_varied_rounds;
}

CaseRecord blank_record(const Problem& problem, const Case& bound) {
  CaseRecord record;
  record.name = bound.name;
  record.role = bound.role;
  record.tensor_bytes = bound.tensor_bytes();
  record.flops = bound.flops;
  record.weight = bound.weight;
  record.precision = best_class(problem);
  copy_scalars(problem, bound, record);
  return record;
}

Sample timed_sample(const CallReport& report, Purpose purpose, std::uint32_t launches, CallKind kind) {
  Sample sample(report.call.elapsed_ms / launches, purpose);
  sample.settled_ms = report.settled_ms / launches;
  sample.kind = {.launches = launches, .queued = report.queued, .captured = kind.captures};
  return sample;
}

CaseCalls::CaseCalls(Session& session, const Case& bound)
    : session_(session),
      case_(bound),
      record_(blank_record(session.problem, bound)),
      draws_(session.seed, session.first_draw),
      next_family_(first_family(session.problem, bound)),
      clock_(samples_alone(session, bound)) {
  record_.run = true;
}

CaseCalls::Trouble CaseCalls::lend_buffers(const std::vector<Role>& roles, std::uint32_t launches,
                                           const std::function<void()>& select) {
  const auto timer = session_.stages.time("lend");
  // If more is lent than a case needs, a lack of room is not the candidate's fault.
  const bool is_least = launches == 1 && std::find(roles.begin(), roles.end(), Role::baseline) == roles.end();
  for (const Role role : roles) {
    if (role == Role::baseline && select) select();
    auto lent = session_.contest.lend(role, case_of(session_, role, case_), launches);
    if (!lent && session_.contest.candidate_alive() && !failed_ && is_least) {
      // The candidate may have kept the missing memory since the last case.
      session_.contest.retire_candidate();
      lent = session_.contest.lend(role, case_of(session_, role, case_), launches);
      if (lent) {
        note({Verdict::memory_limit, "memory", "it keeps device memory that other contestants need"});
      }
    }
    if (!lent) return lent.error();
    if (lent->ok() || failed_) continue;
    if (role != Role::candidate) return trusted_failure(to_string(role), session_.problem, case_, *lent);
    CallReport report;
    report.fault = lent->fault;
    report.detail = lent->detail;
    note(*review_call(report));
  }
  return std::nullopt;
}

CaseCalls::Trouble CaseCalls::draw(const Draw& draw) {
  if (!std::exchange(has_learnt_, true)) {
    if (auto trouble = learn_scales()) return trouble;
  }
  if (has_drawn_) draw_before_ = draw_;
  has_drawn_ = true;
  draw_ = draw;
  most_launches_ = std::max(most_launches_, draw.launches);
  const auto finding = ask_oracle(draw_);
  is_answered_ = !finding;
  if (finding && is_no_question(*finding)) return std::nullopt;
  if (finding) return trusted_failure(to_string(Role::oracle), session_.problem, case_, *finding);
  look_for_equal_answers();
  for (const auto& [report, sample] : std::exchange(unseen_, {})) {
    if (auto trouble = see_reference(report, sample)) return trouble;
  }
  return std::nullopt;
}

Result<bool> CaseCalls::draw_varied() {
  // A control without this defence shows what replayed answers gain.
  if (!is_on(Defence::fresh_inputs)) return false;
  const std::uint32_t families = count_families(session_.problem, case_);
  for (std::uint32_t i = 0; i < std::min(families, most_draws_of_families); ++i) {
    if (auto trouble = draw(draws_.varied(next_family_++))) return *trouble;
    const auto tells = latest_draw_tells();
    if (!tells) return tells.error();
    record_.families.push_back({families_text(session_.problem, case_, draw_), *tells});
    if (*tells) return true;
  }
  return false;
}

bool CaseCalls::is_made_constant(std::size_t output) const {
  return draw_.family != 0 && kgrade::is_made_constant(varied_scales_, scales_, output);
}

// Whether a Model has raised an exception on a family of inputs, such as a matrix of equal rows that it
// inverts.
bool CaseCalls::is_no_question(const CallFinding& finding) const {
  return draw_.family != 0 && session_.problem.has_model() && finding.verdict == Verdict::runtime_error;
}

Result<bool> CaseCalls::latest_draw_tells() {
  if (!is_answered_) return false;
  const auto timer = session_.stages.time(std::string(to_string(Role::reference)));
  const Precision asked = precision_from(session_.problem.precision);
  for (const Draw& rounded : draws_that_decide(session_.problem, case_, draw_, varied_scales_, scales_)) {
    const CallReport report = session_.contest.call_as(Role::reference, {}, rounded, trusted_patience);
    if (const auto finding = review_call(report)) {
      if (is_no_question(*finding)) return false;
      return trusted_failure(to_string(Role::reference), session_.problem, case_, *finding);
    }
    for (std::size_t i = 0; i < report.outputs.size(); ++i) {
      const OutputErrors& output = report.outputs[i];
      varied_scales_.note_reference(i, output.errors);
      if (!tells_right_from_wrong(output, i, session_.problem, case_, varied_scales_, asked)) return false;
      const double error = judge(output, i, session_.problem, case_, varied_scales_, asked).figure();
      limit_by_model(session_.problem, session_.contest.measures_speed(), i, error, varied_scales_);
    }
  }
  return true;
}

CaseCalls::Trouble CaseCalls::draw_again() {
  if (const auto finding = ask_oracle(draw_))
    return trusted_failure(to_string(Role::oracle), session_.problem, case_, *finding);
  return std::nullopt;
}

std::optional<CallFinding> CaseCalls::ask_oracle(const Draw& draw) {
  const auto timer = session_.stages.time("oracle");
  const CallReport report = session_.contest.call(Role::oracle, draw, trusted_patience);
  if (auto finding = review_call(report)) return finding;
  if (draw.family != 0) {
    varied_scales_ = ExpectedScales(session_.contest.sample_expected(), scales_);
  } else if (!is_small_change(draw) && scales_.wants_more()) {
    scales_.add(session_.contest.sample_expected());
  }
  if (draw.family == 0) scales_.look_for_slices(case_);
  session_.contest.compare_by(scales_of(draw).magnitudes());
  return std::nullopt;
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

CaseCalls::Trouble CaseCalls::learn_scales() {
  const std::pair key(case_.name, session_.contest.keeps_weights());
  const auto known = session_.known->scales.find(key);
  if (known != session_.known->scales.end()) {
    scales_ = known->second;
    return std::nullopt;
  }
  const auto timer = session_.stages.time("oracle");
  const auto finding = scales_.learn(session_.contest, case_, precision_from(session_.problem.precision));
  if (finding) return trusted_failure(to_string(Role::oracle), session_.problem, case_, *finding);
  session_.known->scales.emplace(key, scales_);
  return std::nullopt;
}

CallReport CaseCalls::call(Role role, Patience patience, CallKind kind) {
  if (session_.sampler != nullptr) session_.sampler->running(static_cast<std::size_t>(role));
  CallReport report = session_.contest.call_as(role, kind, draw_, patience);
  if (session_.sampler != nullptr) session_.sampler->running_nothing();
  return report;
}

Result<Sample> CaseCalls::call_trusted(Role role, Purpose purpose, CallKind kind) {
  const auto timer = session_.stages.time(std::string(to_string(role)));
  CallReport report = call(role, trusted_patience, kind);
  if (role == Role::baseline) forgive_threads(report);
  const Sample sample = timed_sample(report, purpose, draw_.launches, kind);
  if (role != Role::reference) {
    if (const auto finding = review_call(report))
      return trusted_failure(to_string(role), session_.problem, case_, *finding);
  } else {
    if (const auto trouble = see_reference(report, sample)) return *trouble;
    for (CaseCalls* const follower : followers_) {
      if (const auto trouble = follower->see_reference(report, sample)) return *trouble;
    }
  }
  return sample;
}

CaseCalls::Trouble CaseCalls::see_reference(const CallReport& report, const Sample& sample) {
  if (!has_drawn_) {
    unseen_.emplace_back(report, sample);
    return std::nullopt;
  }
  if (auto trouble = review_reference(report)) return trouble;
  clock_.saw_reference(sample);
  slowest_reference_ms_ = std::max(slowest_reference_ms_, report.wall_ms);
  return std::nullopt;
}

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
    if (session_.problem.has_model()) learn_from_model(i, judgement);
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

void CaseCalls::learn_from_model(std::size_t output, const Judgement& judgement) {
  scales_.allow_twice(output, judgement.relative_error);
  limit_by_model(session_.problem, session_.contest.measures_speed(), output, judgement.figure(), scales_);
}

// Notes that the Model in its own type is too far off for the smaller, common or single elements, but not for
// all together.
void CaseCalls::allow_beyond_bound(std::size_t index, const OutputErrors& output) {
  scales_.allow_beyond_bound(index, output.errors);
  const std::string note = fmt::format(
      "where Model in {} itself is beyond the bound for the smaller, common or single elements of '{}', an "
      "answer may be off "
      "by four times as much",
      to_string(session_.problem.dtype), output.tensor);
  if (std::find(record_.notes.begin(), record_.notes.end(), note) == record_.notes.end())
    record_.notes.push_back(note);
}

// The least time that the hardware needs to read and write the outputs.
double CaseCalls::capture_ms() const {
  double bytes = 0;
  for (const Tensor& tensor : case_.tensors) {
    if (tensor.output)
      bytes +=
          static_cast<double>(tensor.elements) * static_cast<double>(element_bytes(case_.dtype_of(tensor)));
  }
  const double rate = session_.contest.device_info().peak_bytes_per_second;
  constexpr double read_and_write = 2;
  return rate > 0 ? 1e3 * read_and_write * bytes * most_launches_ / rate : 0;
}

bool CaseCalls::captures_are_long() const {
  if (session_.returns_outputs) return false;
  return capture_ms() > short_capture_ms + short_capture_share * latest_ms_;
}

Patience CaseCalls::candidate_limit() const {
  if (session_.time_limit) return *session_.time_limit * draw_.launches;
  const double least = session_.contest.measures_speed() ? shortest_limit_ms : shortest_limit_on_cpu_ms;
  return Patience(static_cast<long>(std::max(least, reference_times * slowest_reference_ms_)));
}

std::optional<Sample> CaseCalls::call_candidate(Purpose purpose, CallKind kind) {
  if (failed_) return std::nullopt;
  const auto timer = session_.stages.time("candidate");
  called_on_.reset();
  const bool listens = case_.role == CaseRole::sample && std::exchange(is_first_call_, false);
  if (listens) session_.contest.begin_listening();
  const CallReport report = call(Role::candidate, candidate_limit(), kind);
  if (listens) keep_printed(session_.contest.heard());
  if (auto finding = review_call(report)) {
    if (is_crash(report)) {
      finding = explain_crash(*finding, session_.contest.diagnose(case_of(session_, Role::candidate, case_),
                                                                  draw_, candidate_limit()));
      session_.contest.retire_candidate();
    }
    note(*finding);
    return std::nullopt;
  }
  called_on_ = draw_;
  accept_call(report, purpose);
  const Sample sample = timed_sample(report, purpose, draw_.launches, kind);
  // The first call of a process also loads and allocates: its time is no evidence.
  const bool is_first = session_.candidate_calls++ == 0;
  const bool is_evidence = purpose == Purpose::warm_up ? !is_first : purpose != Purpose::compared;
  if (is_evidence) record_.candidate().samples.push_back(sample);
  if (failed_) return std::nullopt;
  return sample;
}

void CaseCalls::repeat_candidate(int times) {
  const auto bits = [this] {
    return !failed_ && called_on_ == draw_ ? session_.contest.output_bytes(most_compared_bytes)
                                           : std::nullopt;
  };
  auto before = bits();
  for (int i = 0; i < times; ++i) {
    if (!call_candidate(Purpose::repeated)) return;
    auto now = bits();
    if (now && before) record_.same_bits = record_.same_bits.value_or(true) && *now == *before;
    if (now) before = std::move(now);
  }
}

void CaseCalls::keep_printed(const Heard& heard) {
  Printed printed = lines_printed(heard.text, heard.is_full);
  if (!printed.lines.empty()) record_.printed = std::move(printed);
}

void CaseCalls::accept_call(const CallReport& report, Purpose purpose) {
  record_.calls += 1;
  failed_launch_ = failed_launch_text(report);
  if (record_.calls == 1 || is_on(Defence::every_call_compared)) {
    for (std::size_t i = 0; i < report.outputs.size(); ++i) judge_output(report.outputs[i], i);
  }
  if (!is_small_change(draw_) && purpose != Purpose::repeated) right_on_new_ += 1;
  keeps_lines_ = report.keeps_lines;
  latest_ms_ = report.call.elapsed_ms;
  waited_ms_.push_back(report.waited_ms);
  if (purpose == Purpose::compared)
    record_.latency_hidden = record_.latency_hidden && report.call.latency_hidden != 0;
}

void CaseCalls::judge_output(OutputErrors output, std::size_t index) {
  if (!is_on(Defence::nonfinite_compared)) output.errors.nonfinite_mismatches = 0;
  // An output that should be constant may consist of rounding errors. In such an output, only numbers that
  // are not finite are wrong.
  if (is_made_constant(index) && has_norm(output.compare) && output.errors.nonfinite_mismatches == 0) return;
  Judgement judgement = judge_knowing_distance(output, index);
  if (judgement.verdict == Verdict::low_precision && is_a_bug(output, index, judgement)) {
    judgement.verdict = Verdict::wrong_answer;
    judgement.precision = Precision::none;
  }
  std::uint64_t wrong = 0;
  if (judgement.verdict == Verdict::wrong_answer)
    wrong = session_.contest.count_wrong(index, judgement.element_limit);
  note_rule(index, judgement);
  record_.precision = std::max(record_.precision, judgement.precision);
  record_.relative_error = std::max(record_.relative_error, judgement.relative_error);
  record_.max_scaled_error = std::max(record_.max_scaled_error, judgement.max_scaled_error);
  if (judgement.verdict == Verdict::accepted) return;
  if (judgement.verdict == Verdict::low_precision && !is_on(Defence::precision_class)) return;
  if (judgement.verdict == Verdict::low_precision && !failed_)
    record_.message_if_wrong =
        explain_wrong({Verdict::wrong_answer, "", describe_error(output, judgement)}).message;
  note(explain_wrong(
      {judgement.verdict, check_behind(judgement.verdict), describe_wrong(output, index, judgement, wrong)}));
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

// Whether an answer that would be of a lower class has a bug in a few elements. The decision between low
// precision and a bug must not depend on how much is off in this draw.
bool CaseCalls::is_a_bug(const OutputErrors& output, std::size_t index, const Judgement& judgement) {
  if (output.compare != Comparison::Kind::norm) return false;
  const auto values = session_.contest.read_output(index);
  return values && is_in_few_elements(*values, judgement.element_limit / element_factor);
}

void CaseCalls::note_rule(std::size_t index, const Judgement& judgement) {
  const Precision asked = precision_from(session_.problem.precision);
  const double bound = threshold(error_bounds(session_.problem, case_, index, scales_of(draw_)), asked);
  if (judgement.element_limit == 0 || !std::isfinite(bound)) return;
  const double error = judgement.figure() / bound;
  if (error <= nearest_to_bound_) return;
  nearest_to_bound_ = error;
  record_.rule = AppliedRule{std::string(to_string(judgement.decided_by)), bound, case_.terms};
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
    return fmt::format("'{}' reaches {} precision (error {:.1e} over {}), and {} is asked for", output.tensor,
                       to_string(judgement.precision), judgement.figure(), to_string(judgement.decided_by),
                       session_.problem.precision);
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

// Describes an error that would count as rounding, if no other case showed that the answer is wrong.
std::string CaseCalls::describe_error(const OutputErrors& output, const Judgement& judgement) const {
  return fmt::format("'{}': off by {:.1e} over {}, and {} allows {:.1e}", output.tensor, judgement.figure(),
                     to_string(judgement.decided_by), session_.problem.precision,
                     judgement.element_limit / element_factor);
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

void CaseCalls::judge_waits() { doubt(Defence::idle_after_call, "idle", busy_between_calls()); }

void CaseCalls::doubt(Defence defence, const char* check, const std::optional<std::string>& why) {
  if (why && is_on(defence)) note({Verdict::unstable, check, *why});
}

// Suspects a kernel that kept the device busy before most of the calls: the candidate's, or another
// program's.
std::optional<std::string> CaseCalls::busy_between_calls() const {
  if (record_.calls < fewest_calls_for_waits) return std::nullopt;
  const double usual = quantile(waited_ms_, 0.5);
  if (usual < longest_wait_ms) return std::nullopt;
  return fmt::format(
      "the device is busy between its calls, for {:.1f} ms (median): grade again when nothing else uses it, "
      "and look for kernels that the candidate leaves running",
      usual);
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
