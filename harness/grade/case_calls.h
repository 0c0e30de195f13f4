// The calls of one case (case_calls.cc), and what they say of the candidate (case_judging.cc). Each
// contestant works on the contents that the oracle had before. Every call of the candidate is checked in
// full, and its results go into the record. All calls look alike to the candidate, so that it cannot
// distinguish measured calls from others.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/defences.h"
#include "contest/contest.h"
#include "draw/draws.h"
#include "grade/session.h"
#include "measure/clock_rule.h"
#include "record/record.h"
#include "verify/checks.h"
#include "verify/expected_scales.h"
#include "verify/judgement.h"

namespace kgrade {

class CaseCalls {
 public:
  // An error that is not the candidate's fault: the device has no room, or one of our own contestants fails.
  using Trouble = std::optional<Error>;

  // Keeps references to both.
  CaseCalls(Session& session, const Case& bound);

  // Lends buffers to all of these roles, for calls of up to `launches` launches. `select` chooses the next of
  // several baselines as Role::baseline.
  Trouble lend_buffers(const std::vector<Role>& roles, std::uint32_t launches,
                       const std::function<void()>& select = {});
  // From now on calls are on new contents, or on the previous contents with a few elements changed. The
  // oracle computes the expected outputs.
  Trouble draw_fresh(std::uint32_t launches = 1) { return draw(draws_.fresh(launches)); }
  Trouble draw_changed(std::uint32_t launches = 1) { return draw(draws_.changed(launches)); }
  // From now on inputs are of the next families that tell right answers from wrong ones. False if there are
  // no families, or if none of the next few does.
  Result<bool> draw_varied();
  // The contents to come. They begin at the session's first draw.
  DrawSequence& draws() { return draws_; }
  // Returns to the latest contents, after the oracle was called on others.
  Trouble draw_again();
  // Calls the reference or a baseline. The followers see a call of the reference as if it were on their own
  // contents.
  Result<Sample> call_trusted(Role role, Purpose purpose, CallKind kind = {});
  void follow_with(CaseCalls& other) { followers_.push_back(&other); }
  // Nothing if the candidate has failed, in this call or before.
  std::optional<Sample> call_candidate(Purpose purpose, CallKind kind = {});
  // Calls the candidate up to `times` times on the latest contents, and compares the bits of the outputs of
  // all its calls on them. The oracle's outputs must be those of these contents.
  void repeat_candidate(int times);

  // Notes a finding. The first one is the verdict.
  void note(const CallFinding& finding);
  // Notes a suspicion about times. Times never accuse: a candidate whose times are suspicious is unstable and
  // has no speed.
  void doubt(Defence defence, const char* check, const std::optional<std::string>& why);
  // The case is unstable if the device was busy before most calls.
  void judge_waits();

  // The clock rule, which has seen all calls of the reference.
  const ClockRule& clock() const { return clock_; }
  // Whether capturing the outputs takes so long that the referee's clock attests little. A hostile worker
  // need not make that copy, since its kernel can write to its destination.
  bool captures_are_long() const;
  // Whether the device's cache kept lines for the candidate in its latest call, as its worker said. An honest
  // copy then takes up to three times as long.
  bool keeps_lines() const { return keeps_lines_; }

  bool failed() const { return failed_; }
  CaseRecord& record() { return record_; }

 private:
  Trouble draw(const Draw& draw);
  Trouble learn_scales();
  // Calls the oracle, and learns the scales of its outputs. The finding says what is wrong with the call.
  std::optional<CallFinding> ask_oracle(const Draw& draw);
  // Whether the latest draw, which has families, tells right from wrong.
  Result<bool> latest_draw_tells();
  bool is_no_question(const CallFinding& finding) const;
  // Whether the oracle's answer is constant because of the families of the latest draw.
  bool is_made_constant(std::size_t output) const;
  // The scales of the outputs of a draw.
  const ExpectedScales& scales_of(const Draw& draw) const {
    return draw.family != 0 ? varied_scales_ : scales_;
  }
  // For a KernelBench file: notes each output for which the answer to other inputs would be accepted.
  void look_for_equal_answers();
  void allow_beyond_bound(std::size_t index, const OutputErrors& output);
  CallReport call(Role role, Patience patience, CallKind kind);
  Patience candidate_limit() const;
  // Takes a call of the reference into account, once the scales of its outputs are known.
  Trouble see_reference(const CallReport& report, const Sample& sample);
  Trouble review_reference(const CallReport& report);
  void accept_call(const CallReport& report, Purpose purpose);
  // Judges the latest call, in its first launch, by the rule of the problem's set, which the case has.
  void judge_case_by_set(const CallReport& report);
  void judge_output(OutputErrors output, std::size_t index);
  bool is_random() const;  // whether Model draws random numbers
  CallFinding undecided(const CallFinding& finding) const;
  // Hands the outputs to check() of the problem's file.
  void judge_property();
  Judgement judge_knowing_distance(const OutputErrors& output, std::size_t index);
  CallFinding explain_wrong(CallFinding finding) const;
  std::string describe_wrong(const OutputErrors& output, std::size_t index, const Judgement& judgement,
                             std::uint64_t wrong);
  std::string describe_codes(const OutputErrors& output, const Judgement& judgement) const;
  // Describes how the elements of an output that are off by more than the limit are wrong. Empty if unknown.
  std::string how_wrong(std::size_t index, double limit);

  Session& session_;
  const Case& case_;
  CaseRecord record_;
  std::vector<CaseCalls*> followers_;
  std::vector<std::pair<CallReport, Sample>> unseen_;  // calls of the reference from before the first draw
  ExpectedScales scales_;
  ExpectedScales varied_scales_;  // of the latest draw that has families
  bool has_learnt_ = false;       // true since the first draw, when the scales were learnt
  bool has_drawn_ = false;
  bool is_answered_ = true;       // whether the oracle has answered the latest draw
  bool has_looked_ = false;       // for equal answers
  double nearest_to_bound_ = -1;  // error over bound, of the output that the record's rule describes
  DrawSequence draws_;
  std::uint32_t next_family_;  // the number of the next draw of families
  Draw draw_;
  std::optional<Draw> draw_before_;
  std::optional<Draw> called_on_;    // the draw of the candidate's latest call, if that call gave an answer
  std::uint32_t most_launches_ = 1;  // of the calls so far
  ClockRule clock_;
  std::string failed_launch_;  // of the latest call: failed_launch_text(); empty: none failed
  bool keeps_lines_ = false;
  double latest_ms_ = 0;  // as the candidate's worker reported it
  int right_on_new_ = 0;  // calls of the candidate on contents that were new throughout
  double slowest_reference_ms_ = 0;
  std::vector<double> waited_ms_;  // how long each call of the candidate waited for the device
  bool is_first_call_ = true;      // of the candidate
  bool failed_ = false;
};

// The times of a call by both clocks, divided by its launches.
Sample timed_sample(const CallReport& report, Purpose purpose, std::uint32_t launches, CallKind kind);

// Whether outputs are captured in all blocks, in one of every two, or in none.
enum class CaptureRule { always, by_turns, never };

// A candidate in one case: its calls, and what the blocks of a measured case decide about it.
struct Entrant {
  Entrant(Session& its_session, const Case& bound) : session(its_session), calls(its_session, bound) {}

  CaseRecord& record() { return calls.record(); }

  Session& session;
  CaseCalls calls;
  double fastest_ms = 0;  // one launch of it or of the reference, whichever is faster, after warming up
  CaptureRule captures = CaptureRule::always;
  int launches = 1;                                              // that its calls should have
  std::size_t blocks = std::numeric_limits<std::size_t>::max();  // in which it takes part before it leaves
};

}  // namespace kgrade
