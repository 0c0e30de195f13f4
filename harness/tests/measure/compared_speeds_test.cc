#include "measure/compared_speeds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "tests/support/sample_results.h"

namespace kgrade {
namespace compared_speeds_test {

using test::in_same_blocks;
using test::measured;
using test::record;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ComparedSpeeds, HalfWidthsAddInQuadratureOnTheLogScale) {
  const SpeedRatio ratio =
      ratio_of_speedups({2, Interval{2 / std::exp(0.03), 2 * std::exp(0.03)}, Method::within_process, 10},
                        {3, Interval{3 / std::exp(0.04), 3 * std::exp(0.04)}, Method::within_process, 10});
  EXPECT_DOUBLE_EQ(ratio.ratio, 1.5);
  EXPECT_DOUBLE_EQ(ratio.interval->low, 1.5 * std::exp(-0.05));
  EXPECT_DOUBLE_EQ(ratio.interval->high, 1.5 * std::exp(0.05));
}

// An error that makes the first one look fast makes the ratio look small.
TEST(ComparedSpeeds, SidesOfLopsidedIntervalsChangePlaces) {
  const SpeedRatio ratio =
      ratio_of_speedups({1, Interval{std::exp(-0.01), std::exp(0.04)}, Method::within_process, 10},
                        {1, Interval{std::exp(-0.03), std::exp(0.02)}, Method::within_process, 10});
  EXPECT_DOUBLE_EQ(ratio.interval->low, std::exp(-0.05));
  EXPECT_DOUBLE_EQ(ratio.interval->high, std::exp(std::hypot(0.02, 0.01)));
}

TEST(ComparedSpeeds, WithoutAnIntervalItIsInconclusive) {
  const SpeedRatio one{1, std::nullopt, Method::within_process, 0};
  const SpeedRatio two{2, Interval{1.9, 2.1}, Method::within_process, 10};
  EXPECT_EQ(ratio_of_speedups(one, two).ratio, 2);
  EXPECT_EQ(ratio_of_speedups(one, two).statement(), Statement::inconclusive);
  EXPECT_EQ(ratio_of_speedups(two, one).statement(), Statement::inconclusive);
}

// The heat was on one device, known or not.
TEST(ComparedSpeeds, TheSameBlocksAreOnOneDevice) {
  Record a = record("a.cu", 2), b = record("b.cu", 2);
  in_same_blocks(b, a, 1.004);
  a.device.uuid = b.device.uuid = "";
  EXPECT_FALSE(compare_speeds(a, b).other_device);
  EXPECT_EQ(compare_speeds(a, b).speed->interval->high, 1.004 * 1.001);
}

// Both definitions are that of the score.
TEST(ComparedSpeeds, CasesHaveTheirWeight) {
  const auto of = [](double one, double other) {
    std::vector<CaseRecord> cases = {measured("one", one, test::around(one)),
                                     measured("other", other, test::around(other))};
    cases[0].weight = 3;
    return record("a.cu", std::move(cases));
  };
  EXPECT_NEAR(compare_speeds(of(1, 1), of(1.1, 1.2)).speed->ratio,
              std::exp((3 * std::log(1.1) + std::log(1.2)) / 4), 1e-12);
}

TEST(ComparedSpeeds, TheWeightOfAnOnlyCaseIsNotItsProblems) {
  const auto of = [](double speedup) {
    std::vector<CaseRecord> cases = {measured("only", speedup, test::around(speedup))};
    cases[0].weight = 3;
    return record("a.cu", std::move(cases));
  };
  EXPECT_EQ(compare_speeds(of(1), of(1.1)).speed->weight, 1);
}

Record of_run(const std::vector<Record>& records) {
  Record run = records.front();
  run.candidates.clear();
  for (const Record& one : records) run.candidates.push_back(one.candidate());
  return run;
}

TEST(CandidatesText, SaysWhichIsFasterAndHowThatIsKnown) {
  Record a = record("a.cu", 2), b = record("b.cu", 2.3);
  EXPECT_EQ(candidates_text(of_run({a, b})),
            "b.cu is faster than a.cu: 1.150x (1.134x to 1.166x), by their speedups over the reference\n");
  in_same_blocks(b, a, 1.125, 0.0035);
  EXPECT_EQ(candidates_text(of_run({a, b})),
            "b.cu is faster than a.cu: 1.125x (1.121x to 1.129x), in the same blocks\n");
}

TEST(CandidatesText, HasAWordForEachStatement) {
  const auto text = [](double ratio, double relative) {
    Record a = record("a.cu", 2), b = record("b.cu", 2);
    in_same_blocks(a, b, ratio, relative);
    return candidates_text(of_run({a, b}));
  };
  EXPECT_THAT(text(0.5, 0.001), HasSubstr("b.cu is faster than a.cu: 2.0000x"));
  EXPECT_EQ(text(1.002, 0.004),
            "a.cu has the same speed as b.cu: 1.002x (0.998x to 1.006x), in the same blocks\n");
  EXPECT_EQ(
      text(1.02, 0.015),
      "whether a.cu is faster than b.cu is inconclusive: 1.020x (1.005x to 1.035x), in the same blocks\n");
  Record few = record("few.cu", 3);
  few.candidate().cases[0].speedups[0].ratio.interval.reset();
  EXPECT_EQ(
      candidates_text(of_run({few, record("a.cu", 2)})),
      "whether few.cu is faster than a.cu is inconclusive: 1.50x, by their speedups over the reference\n");
}

TEST(CandidatesText, ComparesEachPairOfThreeAndOfMoreEachWithTheFastest) {
  std::vector<Record> records = {record("a.cu", 1), record("b.cu", 3), record("c.cu", 2)};
  const auto lines = [&] {
    std::vector<std::string> pairs;
    std::istringstream text(candidates_text(of_run(records)));
    for (std::string line; std::getline(text, line);) pairs.push_back(line.substr(0, line.find(':')));
    return pairs;
  };
  EXPECT_THAT(lines(), ElementsAre("b.cu is faster than c.cu", "b.cu is faster than a.cu",
                                   "c.cu is faster than a.cu"));
  records.push_back(record("d.cu", 4));
  EXPECT_THAT(lines(), ElementsAre("d.cu is faster than b.cu", "d.cu is faster than c.cu",
                                   "d.cu is faster than a.cu"));
}

TEST(CandidatesText, ComparesNothingThatIsNotAlike) {
  Record tf32 = record("b.cu", 4);
  tf32.candidate().precision = Precision::tf32;
  Record module = record("c.py", 5);
  module.candidate().python.emplace().is_module = true;
  EXPECT_EQ(candidates_text(of_run({record("a.cu", 2), tf32, module,
                                    test::refused(record("d.cu", 1), Verdict::cheating, "wrong")})),
            "");
  EXPECT_EQ(candidates_text(of_run({record("a.cu", 2)})), "");
}

// A file may say of both sides that the other one is faster.
TEST(CandidatesText, AForgedRecordIsNoTrap) {
  Record a = record("a.cu", 2), b = record("b.cu", 2);
  in_same_blocks(a, b, 0.5);
  b.candidate().neighbours[0].speedup = a.candidate().neighbours[0].speedup;
  EXPECT_THAT(candidates_text(of_run({a, b})), HasSubstr("b.cu is slower than a.cu: 0.5000x"));
}

}  // namespace compared_speeds_test
}  // namespace kgrade
