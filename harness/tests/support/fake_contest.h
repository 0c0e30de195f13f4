// A contest in which a test decides the result and the time of every call, and every pass of a check.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "contest/contest.h"
#include "grade/session.h"

namespace kgrade::test {

class FakeClock : public Clock {
 public:
  double now() const override { return now_; }
  void advance(double seconds) { now_ += seconds; }

 private:
  double now_ = 1000;
};

inline ElementErrors equal_outputs() {
  ElementErrors errors;
  errors.compared = 100;
  errors.sum_squared_expected = 100;
  return errors;
}

// Every element is off by `share` of the expected one.
inline ElementErrors outputs_off_by(double share) {
  ElementErrors errors = equal_outputs();
  errors.sum_squared_difference = 100 * share * share;
  errors.max_abs_difference = errors.max_scaled_difference = share;
  return errors;
}

class FakeContest : public Contest {
 public:
  FakeContest() = default;
  explicit FakeContest(FakeClock& clock) : clock_(&clock) {}

  // What launches take, in milliseconds; the last value repeats.
  std::deque<double> candidate_ms = {1};
  std::deque<double> reference_ms = {2};
  std::deque<double> baseline_ms = {1.5};
  double candidate_hides_ms = 0;  // that it works on, by the referee's clock, after the time that it reports
  double candidate_hides_uncaptured_ms = 0;  // the same, in calls whose outputs are not captured
  double candidate_owns_up_ms = 0;           // that it reports more in those
  double unqueued_ms = 0;                    // that a call takes longer by it, when it is not queued ahead
  DeviceInfo info = fast_device();
  double seconds_per_call = 0.01;  // of the test's clock

  CallReport oracle_report = clean(1);
  CallReport reference_report = clean(1);
  CallReport candidate_report = clean(1);
  ElementErrors reference_comparison = equal_outputs();
  ElementErrors candidate_comparison = equal_outputs();
  // What the oracle's calls leave, one after the other; the last one repeats. Empty: nothing is known.
  std::deque<std::vector<std::vector<double>>> expected_samples;
  std::size_t extra_outputs = 0;  // of further launches
  Comparison::Kind compare = Comparison::Kind::norm;
  Lease::Corruption diagnosis;
  Answer load_answer;
  bool rehearses = false;         // the candidate is in Python
  std::string rehearsal_report;   // its own, in JSON
  std::optional<Error> recovery;  // what is wrong with the device when the candidate has gone
  bool candidate_hogs_memory = false;
  bool turns_make_room = false;
  std::vector<std::string> opened;       // libraries
  std::deque<std::byte> candidate_bits;  // of its outputs, each time that they are read; empty: too large
  std::uint64_t wrong = 0;
  std::uint64_t unwritten = 0;
  RuleCount by_rule = {100, 0, 0};             // what the rule of the problem's set finds in an output
  std::optional<OutputValues> values;          // of every output; nothing: too large
  std::uint32_t most_launches = max_launches;  // that there is room for
  bool has_room_for_baselines = true;
  std::set<Role> lent_elsewhere;   // who has buffers from another contest
  bool baseline_fails = false;     // in its calls
  int failing_baseline_call = -1;  // or in this one, counted from 0

  // What happened:
  // o, r, b and c in the order of the calls; capitals if outputs are not captured, u for calls of the
  // reference that are not queued; | when all but the oracle restart.
  std::string order;
  std::string looks;  // at an output: r if it is read, x if it is examined, s if the set's rule judges it
  int baseline_calls = 0;
  std::vector<Draw> draws;
  std::map<Role, Case> cases;       // lent last
  std::vector<std::string> passes;  // of a check, by name
  int left_passes = 0;
  std::vector<Draw> oracle_draws;
  std::vector<std::uint32_t> lent_launches;  // of the candidate
  std::vector<Patience> candidate_patience;
  bool retired = false;
  int recoveries = 0;
  std::function<void(Role, const Draw&)> before_call;  // what a test wants to change on the way

  static CallReport clean(double elapsed_ms) {
    CallReport report;
    take_time(report, elapsed_ms);
    report.call.latency_hidden = true;
    report.queued = true;
    return report;
  }

  static DeviceInfo fast_device() {
    DeviceInfo info;
    info.measures_speed = true;
    return info;
  }

  DeviceInfo device_info() const override { return info; }
  std::uint64_t free_bytes() override { return 0; }
  double busy_ms() override { return 0; }
  void compare_by(std::vector<Magnitudes>) override {}
  // What the candidate's latest call left; the last one repeats.
  std::optional<std::vector<std::byte>> output_bytes(std::uint64_t) override {
    if (candidate_bits.empty()) return std::nullopt;
    const std::byte bits = candidate_bits.front();
    if (candidate_bits.size() > 1) candidate_bits.pop_front();
    return std::vector{bits};
  }
  std::optional<OutputValues> read_output(std::size_t) override {
    looks += 'r';
    return values;
  }
  std::optional<OutputValues> examine(const Case&, std::size_t, const Draw&, const std::optional<Draw>&,
                                      Patience) override {
    looks += 'x';
    return std::nullopt;
  }
  Answer lock_candidate(Patience, std::string& report) override {
    report = rehearsal_report;
    return {};
  }
  void begin_listening() override {}
  Heard heard() override { return {}; }
  void kill_candidate() override {}
  Answer load_candidate(Patience, Patience) override { return load_answer; }
  Result<Answer> start_anew(Patience, Patience) override {
    order += '|';
    retired = false;
    return load_answer;
  }
  Result<Answer> lend(Role role, const Case& bound, std::uint32_t launches) override {
    cases[role] = bound;
    if (launches > most_launches) return Error{"no memory", "", {}};
    if (role == Role::baseline && !has_room_for_baselines) return Error{"no memory", "", {}};
    if (role == Role::candidate) lent_launches.push_back(launches);
    if (role == Role::oracle && candidate_hogs_memory && !retired) return Error{"no memory", "", {}};
    lent_.insert(role);
    return Answer{};
  }
  Result<Answer> enter(const CheckPass& pass, const Case&) override {
    passes.push_back(pass.name);
    lent_.insert(Role::candidate);
    return load_answer;
  }
  Evidence leave() override {
    ++left_passes;
    return {};
  }
  bool candidate_rehearses() const override { return rehearses; }
  void take_back() override { lent_.clear(); }
  bool insist_on_turns() override { return std::exchange(turns_make_room, false); }

  CallReport call_as(Role role, CallKind kind, const Draw& draw, Patience patience,
                     std::span<const InputEdit> /*edits*/ = {}) override {
    if (before_call) before_call(role, draw);
    if (!lent_.contains(role) && !lent_elsewhere.contains(role))
      ADD_FAILURE() << to_string(role) << " was called without buffers";
    if (clock_ != nullptr) clock_->advance(seconds_per_call);
    draws.push_back(draw);
    order += letter_of(role, kind);
    if (role == Role::oracle) oracle_draws.push_back(draw);
    if (role == Role::oracle) return oracle_report;
    if (role == Role::baseline && (baseline_calls++ == failing_baseline_call || baseline_fails)) {
      CallReport report;
      report.fault = Fault::raised;
      report.detail = "out of memory";
      return report;
    }
    if (role == Role::baseline) return timed(clean(1), baseline_ms, equal_outputs(), draw);
    const bool candidate = role == Role::candidate;
    if (candidate) candidate_patience.push_back(patience);
    CallReport report = candidate ? timed(candidate_report, candidate_ms, candidate_comparison, draw)
                                  : timed(reference_report, reference_ms, reference_comparison, draw);
    report.queued = report.queued && kind.ahead;
    report.settled_ms += report.queued ? 0 : unqueued_ms;
    if (candidate) report.settled_ms += kind.captures ? candidate_hides_ms : candidate_hides_uncaptured_ms;
    if (candidate && !kind.captures) report.call.elapsed_ms += candidate_owns_up_ms;
    return report;
  }

  std::vector<std::vector<double>> sample_expected() override {
    if (expected_samples.empty()) return {};
    std::vector<std::vector<double>> samples = expected_samples.front();
    if (expected_samples.size() > 1) expected_samples.pop_front();
    return samples;
  }

  std::uint64_t count_wrong(std::size_t, double) override { return wrong; }
  std::uint64_t count_unwritten(std::size_t) override { return unwritten; }
  RuleCount count_by_rule(std::size_t, const SetRule&) override {
    looks += 's';
    return by_rule;
  }
  Lease::Corruption diagnose(const Case&, const Draw&, Patience) override { return diagnosis; }
  std::optional<Error> recover() override {
    ++recoveries;
    return recovery;
  }
  void retire_candidate() override { retired = true; }
  bool candidate_alive() const override { return !retired; }
  std::vector<std::string> opened_libraries() override { return opened; }

 private:
  static char letter_of(Role role, CallKind kind) {
    if (role == Role::reference && kind.captures && !kind.ahead) return 'u';
    return (kind.captures ? "orbc" : "ORBC")[static_cast<int>(role)];
  }

  // On the referee's clock a call takes a bit longer, and some more time until everything is quiet.
  static void take_time(CallReport& report, double elapsed_ms) {
    report.call.elapsed_ms = elapsed_ms;
    report.wall_ms = elapsed_ms + 0.5;
    report.settled_ms = elapsed_ms + 0.75;
  }

  CallReport timed(CallReport report, std::deque<double>& times, const ElementErrors& errors,
                   const Draw& draw) const {
    if (report.fault != Fault::none) return report;
    take_time(report, times.front() * draw.launches);
    if (times.size() > 1) times.pop_front();
    report.outputs.assign(1 + extra_outputs, {"output", {10, 10}, errors, compare});
    return report;
  }

  FakeClock* clock_ = nullptr;
  std::set<Role> lent_;
};

// Baselines controlled by a test.
struct FakeBaselines : Baselines {
  bool are_known() const override { return search == nullptr; }
  Errors find() override { return std::exchange(search, nullptr)(); }
  std::vector<BaselineChoice> choices(const std::string& case_name) const override {
    const auto found = by_case.find(case_name);
    return found == by_case.end() ? std::vector<BaselineChoice>() : found->second;
  }
  bool activate(const std::string& name, int process) override { return can_activate(name, process); }
  void retire(const std::string& name) override { retired.push_back(name); }

  std::map<std::string, std::vector<BaselineChoice>> by_case;
  std::vector<std::string> retired;
  std::function<Errors()> search;  // null: they are known
  std::function<bool(const std::string&, int)> can_activate = [](const std::string&, int) { return true; };
};

}  // namespace kgrade::test
