// Which calls a case consists of, which contents they have, and what a single call can give away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "case_fixture.h"
#include "grade/draws.h"

namespace kgrade {
namespace {

using test::equal_outputs;
using test::outputs_off_by;
using testing::ElementsAre;
using testing::HasSubstr;

class CaseCalls : public test::CaseFixture {
 protected:
  // The candidate's outputs are wrong in calls for which this is true.
  void answer_wrongly_in(std::function<bool(const Draw&)> is_wrong) {
    arena_.before_call = [this, is_wrong](Player, const Draw& draw) {
      arena_.candidate_comparison = is_wrong(draw) ? outputs_off_by(0.5) : equal_outputs();
    };
  }

  // The contents of call number `call` are those of a round.
  void expect_contents(std::size_t call, int round) {
    const Draw expected = draw_of_round(seed, round);
    EXPECT_EQ(arena_.draws.at(call).seed, expected.seed) << call;
    EXPECT_EQ(arena_.draws.at(call).index, expected.index) << call;
    EXPECT_EQ(arena_.draws.at(call).change, expected.change) << call;
  }
};

TEST_F(CaseCalls, EveryRoundHasItsOwnInputsAndAnOracleFirst) {
  run_briefly();
  ASSERT_GE(arena_.order.size(), 12u);
  for (int round = 0; round < 4; ++round) {
    const auto first = static_cast<std::size_t>(3 * round);
    EXPECT_EQ(arena_.order[first], 'o');
    EXPECT_THAT(arena_.order.substr(first, 3), testing::AnyOf("orc", "ocr"));
    for (std::size_t i = 0; i < 3; ++i) expect_contents(first + i, round);
  }
}

// The candidate does not know which calls give samples.
TEST_F(CaseCalls, AfterTheSamplesTheLastContentsComeAgainAndThenNewOnes) {
  arena_.candidate_ms = {1000, 1, 1, 9, 2, 3, 4, 5};
  const CaseRecord record = run_briefly();
  ASSERT_EQ(arena_.order.size(), 19u);
  EXPECT_EQ(arena_.order.substr(15), "ccoc");
  for (const std::size_t call : {15, 16}) expect_contents(call, 4);
  for (const std::size_t call : {17, 18}) expect_contents(call, 5);
  EXPECT_THAT(record.candidate_ms, ElementsAre(1, 9, 2));
  EXPECT_THAT(record.repeated_ms, ElementsAre(3, 4));
  EXPECT_THAT(record.unmeasured_ms, ElementsAre(5)) << "the first call of a process is like no other";
}

TEST_F(CaseCalls, TheWarmUpOfALaterCaseIsACallLikeAnyOther) {
  calls_before_ = 7;
  arena_.candidate_ms = {6, 1, 9, 2, 3, 4, 5};
  EXPECT_THAT(run_briefly().unmeasured_ms, ElementsAre(6, 5));
}

TEST_F(CaseCalls, ACaseThatIsNotMeasuredHasItsRepetitionsToo) {
  case_.role = CaseRole::test;
  const CaseRecord record = run();
  EXPECT_THAT(arena_.order, testing::EndsWith("cc"));
  EXPECT_EQ(arena_.order.size(), 3u * 3 + 2);
  EXPECT_EQ(record.calls, 5);
  EXPECT_EQ(record.repeated_ms.size(), 2u);
  expect_accepted(record);
}

TEST_F(CaseCalls, EveryCallIsCompared) {
  for (std::size_t wrong_call = 0; wrong_call < 7; ++wrong_call) {
    std::size_t calls = 0;
    arena_.order.clear();
    arena_.before_call = [&](Player player, const Draw&) {
      if (player != Player::candidate) return;
      arena_.candidate_comparison = calls++ == wrong_call ? outputs_off_by(0.5) : equal_outputs();
    };
    const CaseRecord record = run_briefly();
    EXPECT_EQ(record.verdict, Verdict::wrong_answer) << wrong_call;
    EXPECT_EQ(calls, wrong_call + 1) << "it is the last one";
  }
}

TEST_F(CaseCalls, AReplayedResultIsACheckOfItsOwn) {
  answer_wrongly_in([](const Draw& draw) { return is_small_change(draw); });
  const CaseRecord record = run_briefly();
  expect_failed(record, Verdict::wrong_answer, "fresh_contents");
  EXPECT_EQ(outcome("outputs_match"), CheckOutcome::passed);
  EXPECT_THAT(record.message,
              HasSubstr("where the inputs differ from those of the call before in a few elements"));
}

TEST_F(CaseCalls, AWrongAnswerOnNewContentsIsNoReplay) {
  answer_wrongly_in([](const Draw& draw) { return draw.index > 0 && !is_small_change(draw); });
  const CaseRecord record = run_briefly();
  expect_failed(record, Verdict::wrong_answer, "outputs_match");
  EXPECT_EQ(outcome("fresh_contents"), CheckOutcome::not_run);
}

TEST_F(CaseCalls, AWrongAnswerOnAHiddenShapeIsACheckOfItsOwn) {
  case_.role = CaseRole::hidden;
  answer_wrongly_in([](const Draw&) { return true; });
  expect_failed(run(), Verdict::wrong_answer, "hidden_shapes");
  EXPECT_EQ(outcome("outputs_match"), CheckOutcome::passed);
}

TEST_F(CaseCalls, OnlyAHiddenCasePassesTheCheckOfHiddenShapes) {
  case_.role = CaseRole::test;
  expect_accepted(run());
  EXPECT_EQ(outcome("hidden_shapes"), CheckOutcome::not_run);
  EXPECT_EQ(outcome("fresh_contents"), CheckOutcome::passed);
  case_.role = CaseRole::hidden;
  expect_accepted(run());
  EXPECT_EQ(outcome("hidden_shapes"), CheckOutcome::passed);
}

TEST_F(CaseCalls, OneThatSpeaksOutOfTurnCheats) {
  arena_.candidate_report.fault = Fault::malformed;
  arena_.candidate_report.detail = "the worker sent a message that is none of the protocol's";
  const CaseRecord record = run();
  expect_failed(record, Verdict::cheating, "protocol");
  EXPECT_EQ(record.calls, 0);
  EXPECT_EQ(outcome("completion"), CheckOutcome::passed);
}

TEST_F(CaseCalls, WorkThatGoesOnIsNotIdle) {
  arena_.candidate_report.fault = Fault::busy;
  expect_failed(run(), Verdict::cheating, "idle");
  EXPECT_EQ(outcome("clock"), CheckOutcome::passed);
}

TEST_F(CaseCalls, AThreadThatIsLeftIsNotIdle) {
  arena_.candidate_report.threads_left = 2;
  const CaseRecord record = run();
  expect_failed(record, Verdict::cheating, "idle");
  EXPECT_THAT(record.message, HasSubstr("2 threads of its own are left"));
}

TEST_F(CaseCalls, ADeviceThatIsBusyBeforeEveryCallIsNotIdle) {
  arena_.candidate_report.waited_ms = 0.5;
  const CaseRecord record = run_briefly();
  expect_failed(record, Verdict::cheating, "idle");
  EXPECT_EQ(record.message, "the device is busy between its calls, for 0.5 ms at least");
}

TEST_F(CaseCalls, ADeviceThatIsIdleOnceHasBeenBusyWithOthers) {
  arena_.before_call = [this](Player, const Draw&) {
    arena_.candidate_report.waited_ms = arena_.order.size() < 6 ? 0.25 : 0.5;
  };
  expect_accepted(run_briefly());
}

TEST_F(CaseCalls, ATimeThatTheRefereesClockContradictsIsALie) {
  for (const double elapsed : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    checks_ = {};
    arena_.candidate_ms = {elapsed};
    expect_failed(run(), Verdict::cheating, "clock");
  }
}

}  // namespace
}  // namespace kgrade
