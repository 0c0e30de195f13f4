// The calls of one case. Each contestant works on the contents that the oracle had before. Every call of the
// candidate is checked in full, and its results go into the record. All calls look alike to the candidate, so
// that it cannot tell measured ones from others.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/defences.h"
#include "contest/arena.h"
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
  // Not the candidate's fault: the device has no room, or a contestant of our own fails.
  using Trouble = std::optional<Error>;

  // Keeps references to all three.
  CaseCalls(Session& session, const Case& bound, CheckList& checks);

  // Lends buffers to all of these, for calls of so many launches. `select`: makes the next of several
  // baselines the one that is meant.
  Trouble lend_buffers(const std::vector<Role>& roles, std::uint32_t launches,
                       const std::function<void()>& select = {});
  // From now on the calls are on new contents, or on those before with a few elements changed. The oracle
  // computes the expected outputs.
  Trouble draw_fresh(std::uint32_t launches = 1) { return draw(draws_.fresh(launches)); }
  Trouble draw_changed(std::uint32_t launches = 1) { return draw(draws_.changed(launches)); }
  // The contents that come next; at first those from the session's first draw on.
  DrawSequence& draws() { return draws_; }
  // On the same contents as before, though the oracle has had others since.
  Trouble draw_again();
  // The reference or a baseline. Those that follow learn of a call of the reference as if it were on their own
  // contents.
  Result<Sample> call_trusted(Role role, Purpose purpose, CallKind kind = {});
  void follow_with(CaseCalls& other) { followers_.push_back(&other); }
  // Nothing if the candidate has failed, now or before.
  std::optional<Sample> call_candidate(Purpose purpose, CallKind kind = {});

  // The first finding is the verdict.
  void note(const CallFinding& finding);
  // Times never accuse: a candidate whose times are in doubt is unstable and has no speed.
  void doubt(Defence defence, const char* check, const std::optional<std::string>& why);
  // The case is in doubt if the device was busy before most calls.
  void judge_waits();

  // Has seen all calls of the reference.
  const ClockRule& clock() const { return clock_; }
  // True if capturing the outputs takes so long that the referee's clock says little beyond it: a hostile
  // worker need not make that copy, since its kernel can write to its destination.
  bool captures_are_long() const;
  // True if the device's cache kept lines for the candidate in its latest call, as far as its worker said: an
  // honest copy then takes up to three times as long.
  bool keeps_lines() const { return keeps_lines_; }

  bool failed() const { return failed_; }
  CaseRecord& record() { return record_; }

 private:
  Trouble draw(const Draw& draw);
  Trouble learn_scales();
  // Makes a call of the oracle, and learns the scales of its outputs; the finding says what is wrong with it.
  std::optional<CallFinding> ask_oracle(const Draw& draw);
  // Of a file of others: says so where its answer to other contents would be accepted.
  void look_for_equal_answers();
  void allow_beyond_bound(std::size_t index, const OutputErrors& output);
  void note_rule(std::size_t index, const Judgement& judgement);
  CallReport call(Role role, Patience patience, CallKind kind);
  Patience candidate_limit() const;
  // What a call of the reference says of the case, once the scales of its outputs are known.
  Trouble see_reference(const CallReport& report, const Sample& sample);
  Trouble review_reference(const CallReport& report);
  double capture_ms() const;
  void keep_printed(const Heard& heard);
  void accept_call(const CallReport& report, Purpose purpose);
  void judge_output(OutputErrors output, std::size_t index);
  Judgement judge_knowing_distance(const OutputErrors& output, std::size_t index);
  CallFinding explain_wrong(CallFinding finding) const;
  std::string describe_wrong(const OutputErrors& output, std::size_t index, const Judgement& judgement,
                             std::uint64_t wrong);
  std::string describe_codes(const OutputErrors& output, const Judgement& judgement) const;
  // How the elements of an output are wrong that are off by more than the limit; empty: not known.
  std::string how_wrong(std::size_t index, double limit);
  std::optional<std::string> busy_between_calls() const;

  Session& session_;
  const Case& case_;
  CheckList& checks_;
  CaseRecord record_;
  std::vector<CaseCalls*> followers_;
  std::vector<std::pair<CallReport, Sample>> unseen_;  // calls of the reference from before the first draw
  ExpectedScales scales_;
  bool has_learnt_ = false;  // since the first draw
  bool has_drawn_ = false;
  bool has_looked_ = false;       // for equal answers
  double nearest_to_bound_ = -1;  // error over bound, of the output that the record's rule is of
  DrawSequence draws_;
  Draw draw_;
  std::optional<Draw> draw_before_;
  std::uint32_t most_launches_ = 1;  // of the calls so far
  ClockRule clock_;
  int failed_launch_ = 0;  // of the latest call: CallReport::failed_launch
  bool keeps_lines_ = false;
  double latest_ms_ = 0;  // that the candidate reported
  int right_on_new_ = 0;  // calls of the candidate on contents that were new throughout
  double slowest_reference_ms_ = 0;
  std::vector<double> waited_ms_;  // for the device, before each of its calls
  bool is_first_call_ = true;      // of the candidate
  bool failed_ = false;
};

// What the two clocks said of a call, divided by its launches.
Sample timed_sample(const CallReport& report, Purpose purpose, std::uint32_t launches, CallKind kind);

// A record of a case that has not been run.
CaseRecord blank_record(const Problem& problem, const Case& bound);

}  // namespace kgrade
