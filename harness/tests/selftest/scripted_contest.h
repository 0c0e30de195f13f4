// A contest in which a kernel takes as long as it should, plus what a test adds.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "tests/support/fake_contest.h"

namespace kgrade::test {

class ScriptedContest : public FakeContest {
 public:
  using FakeContest::FakeContest;

  static constexpr double launch_ms = 0.002;
  static constexpr double ms_per_length = 1e-5;
  static double time_of(std::int64_t length) {
    return launch_ms + ms_per_length * static_cast<double>(length);
  }

  // The time of a call, relative to its nominal length.
  std::function<double(Role, const Draw&)> factor = [](Role, const Draw&) { return 1.0; };
  std::map<Role, std::int64_t> lengths;  // of the cases that are lent
  std::string kernel;                    // of the case lent last
  int starts = 0;                        // anew
  bool dead = false;                     // the second side

  Result<Answer> lend(Role role, const Case& bound, std::uint32_t launches) override {
    lengths[role] = bound.integers.at("length");
    kernel = bound.name;
    return FakeContest::lend(role, bound, launches);
  }

  CallReport call_as(Role role, CallKind kind, const Draw& draw, Patience patience,
                     std::span<const InputEdit> edits = {}) override {
    const double ms = time_of(lengths.at(role)) * factor(role, draw);
    (role == Role::reference ? reference_ms : candidate_ms) = {ms};
    return FakeContest::call_as(role, kind, draw, patience, edits);
  }

  Result<Answer> start_anew(Patience first, Patience second) override {
    ++starts;
    dead = false;
    return FakeContest::start_anew(first, second);
  }
  bool candidate_alive() const override { return !dead && FakeContest::candidate_alive(); }
};

}  // namespace kgrade::test
