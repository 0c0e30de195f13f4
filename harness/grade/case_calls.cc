#include "grade/case_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/statistics.h"
#include "draw/draws.h"
#include "draw/input_families.h"
#include "grade/case_choice.h"
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

// A capture shorter than this, or than this share of the call, changes no reading by more than the tolerance.
constexpr double short_capture_ms = 0.01;
constexpr double short_capture_share = 0.005;

// How many draws of families a call may take until one tells right from wrong.
constexpr std::uint32_t most_draws_of_families = 3;

}  // namespace

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
      next_family_(first_family(session.problem, bound)) {
  const auto alone = session.known->reference_alone.find(bound.name);
  clock_ = ClockRule(alone != session.known->reference_alone.end() ? alone->second.samples
                                                                   : std::vector<Sample>());
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

bool CaseCalls::captures_are_long() const {
  if (session_.returns_outputs) return false;
  double bytes = 0;
  for (const Tensor& tensor : case_.tensors) {
    if (tensor.output)
      bytes +=
          static_cast<double>(tensor.elements) * static_cast<double>(element_bytes(case_.dtype_of(tensor)));
  }
  // The hardware needs at least the time to read and write the outputs.
  const double rate = session_.contest.device_info().peak_bytes_per_second;
  constexpr double read_and_write = 2;
  const double capture_ms = rate > 0 ? 1e3 * read_and_write * bytes * most_launches_ / rate : 0;
  return capture_ms > short_capture_ms + short_capture_share * latest_ms_;
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
  if (listens) {
    const Heard heard = session_.contest.heard();
    Printed printed = lines_printed(heard.text, heard.is_full);
    if (!printed.lines.empty()) record_.printed = std::move(printed);
  }
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

void CaseCalls::accept_call(const CallReport& report, Purpose purpose) {
  record_.calls += 1;
  failed_launch_ = failed_launch_text(report);
  // This comes first, because the description of a wrong output calls the oracle again.
  if (record_.calls == 1 && case_.by_set) judge_case_by_set(report);
  if (record_.calls == 1 || is_on(Defence::every_call_compared)) {
    for (std::size_t i = 0; i < report.outputs.size(); ++i) judge_output(report.outputs[i], i);
    if (session_.problem.has_property()) judge_property();
  }
  if (!is_small_change(draw_) && purpose != Purpose::repeated) right_on_new_ += 1;
  keeps_lines_ = report.keeps_lines;
  latest_ms_ = report.call.elapsed_ms;
  waited_ms_.push_back(report.waited_ms);
  if (purpose == Purpose::compared)
    record_.latency_hidden = record_.latency_hidden && report.call.latency_hidden != 0;
}

}  // namespace kgrade
