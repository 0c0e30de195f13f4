#include "leaderboard/compare.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "leaderboard/compare_output.h"
#include "record/ci_formats.h"
#include "tests/support/sample_results.h"

namespace kgrade::compare_test {

using test::in_same_blocks;
using test::measured;
using test::record;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Record refused(const std::string& path, Verdict verdict, const std::string& message = "wrong") {
  return test::refused(record(path, 1), verdict, message);
}

// A kernel too slow to be measured well must not pass the gate.
TEST(Compare, WhatLooksSlowerAndHasNoIntervalIsSuspect) {
  const auto suspects = [](double after, bool has_interval) {
    Record now = record("a.cu", after);
    if (!has_interval) now.candidate().cases[0].speedups[0].ratio.interval.reset();
    return count_of_suspects(compare_records({record("a.cu", 1)}, {now}));
  };
  EXPECT_EQ(suspects(0.1, false), 1u);
  EXPECT_EQ(suspects(0.995, false), 0u);
  EXPECT_EQ(suspects(2, false), 0u);
  EXPECT_EQ(suspects(0.1, true), 1u);
}

Record on_device(Record made, const std::string& uuid) {
  made.device.uuid = uuid;
  return made;
}

Record edited(Record made) {
  made.candidate().sha256 = std::string(64, 'd');
  return made;
}

TEST(Compare, TheSameFilesOnAnotherDeviceAreSaidToBeThatAndNeverFail) {
  for (const double after : {0.987, 0.977, 0.5, 2.0}) {
    const auto comparison = compare_records({record("a.cu", 1)}, {on_device(record("a.cu", after), "GPU-2")});
    EXPECT_EQ(count_of_suspects(comparison), 0u) << after;
    EXPECT_EQ(count_of(comparison, Statement::slower), 0u) << after;
    EXPECT_EQ(count_of(comparison, Statement::faster), 0u) << after;
    EXPECT_EQ(comparison.suite.count, 0u) << "it says nothing about candidates";
    EXPECT_EQ(summary_text(comparison), "1 of the same files on another device");
    EXPECT_THAT(render_table(comparison, Style(false)), HasSubstr("  same files  on another device\n"));
  }
  EXPECT_EQ(count_of_suspects(compare_records({record("a.cu", 1)}, {record("a.cu", 0.5)})), 1u)
      << "on one device a newer compiler may be why";
}

TEST(Compare, AnotherDeviceWidensTheInterval) {
  const double offset = 1.96 * device_offset_of_log_ratio;
  const Record before = record("a.cu", {measured("large", 1, {1, 1})});
  const auto speed_of = [&](const Record& after) {
    return compare_records({before}, {after}).pairs.at(0).speed.value();
  };
  const Record slower = edited(record("a.cu", {measured("large", 0.98, {0.979, 0.981})}));
  EXPECT_EQ(speed_of(slower).statement(), Statement::slower);
  const SpeedRatio other = speed_of(on_device(slower, "GPU-2"));
  EXPECT_EQ(other.statement(), Statement::inconclusive);
  EXPECT_DOUBLE_EQ(other.ratio, 0.98);
  EXPECT_NEAR(other.interval->high, 0.98 * std::exp(std::hypot(std::log(0.981 / 0.98), offset)), 1e-6);
  EXPECT_EQ(speed_of(on_device(edited(record("a.cu", 0.9)), "GPU-2")).statement(), Statement::slower);
  EXPECT_EQ(speed_of(on_device(slower, "")).statement(), Statement::inconclusive) << "a device not known";
}

TEST(Compare, WithoutAnIntervalAnotherDeviceIsAllowedForAsWell) {
  const auto suspects = [](double after) {
    Record now = on_device(edited(record("a.cu", after)), "GPU-2");
    now.candidate().cases[0].speedups[0].ratio.interval.reset();
    return count_of_suspects(compare_records({record("a.cu", 1)}, {now}));
  };
  EXPECT_EQ(suspects(0.98), 0u);
  EXPECT_EQ(suspects(0.9), 1u);
}

// The constant is what the committed records of two H200 say.
TEST(Compare, TheOffsetOfADeviceIsMeasured) {
  const std::filesystem::path folder = KGRADE_SOURCE_DIR "/results/nvidia-h200";
  auto before = read_results(folder / "tuned-earlier.jsonl");
  auto after = read_results(folder / "sweep.jsonl");
  ASSERT_TRUE(before && after);
  const auto comparison = compare_results(std::move(*before), std::move(*after));
  ASSERT_EQ(comparison.pairs.size(), 8u);
  double squares = 0;
  int cases = 0, beyond = 0;
  for (const ComparedPair& pair : comparison.pairs) {
    ASSERT_TRUE(pair.is_same_on_other_device()) << pair.after.candidate().path;
    for (const ComparedCase& c : pair.cases) {
      squares += std::pow(std::log(c.ratio.ratio), 2);
      ++cases;
      if (!c.ratio.interval->contains(1)) ++beyond;
    }
  }
  ASSERT_EQ(cases, 16);
  EXPECT_NEAR(std::sqrt(squares / cases), device_offset_of_log_ratio, 0.0002);
  EXPECT_EQ(beyond, 1) << "one of 16 where 95 % are to be within";
  EXPECT_EQ(count_of_suspects(comparison), 0u);
}

TEST(Compare, CandidatesOfOneHeatAreComparedInTheSameBlocks) {
  Record a = record("a.cu", 2), b = record("b.cu", 2.3);
  in_same_blocks(b, a, 1.125);
  const auto comparison = compare_records({a}, {b});
  const ComparedPair& pair = comparison.pairs.at(0);
  EXPECT_TRUE(pair.in_same_blocks);
  EXPECT_EQ(pair.speed->ratio, 1.125);
  EXPECT_EQ(pair.cases.at(0).ratio.count, 30u);
  EXPECT_THAT(render_table(comparison, Style(false)),
              HasSubstr("1.1250x  1.1239x to 1.1261x  faster  in the same blocks"));
  EXPECT_TRUE(to_json(comparison)["pairs"][0]["in_same_blocks"]);
  // Of another run.
  a.started_at = "2026-01-02T03:04:06Z";
  const ComparedPair other = compare_records({a}, {b}).pairs.at(0);
  EXPECT_FALSE(other.in_same_blocks);
  EXPECT_DOUBLE_EQ(other.speed->ratio, 1.15);
}

TEST(Compare, APairHasOneWord) {
  const auto comparison = compare_records({record("a.cu", 1), record("b.cu", 1), record("c.cu", 1),
                                           record("d.cu", {measured("large", 1, {0.999, 1.001})})},
                                          {record("a.cu", 2), record("b.cu", 0.5), record("c.cu", 1.02),
                                           record("d.cu", {measured("large", 1.001, {1, 1.002})})});
  std::vector<Statement> words;
  for (const ComparedPair& pair : comparison.pairs) words.push_back(pair.speed->statement());
  EXPECT_THAT(words,
              ElementsAre(Statement::faster, Statement::slower, Statement::inconclusive, Statement::same));
  EXPECT_EQ(count_of(comparison, Statement::slower), 1u);
}

TEST(Compare, ExchangingTheSidesInvertsTheRatio) {
  const std::vector<Record> a = {
      record("a.cu", {measured("large", 2, {1.9, 2.2}), measured("wide", 3, {2.8, 3.1})})};
  const std::vector<Record> b = {
      record("a.cu", {measured("large", 4, {3.9, 4.3}), measured("wide", 5, {4.7, 5.1})})};
  const auto there = compare_records(a, b).pairs.at(0).speed.value();
  const auto back = compare_records(b, a).pairs.at(0).speed.value();
  EXPECT_DOUBLE_EQ(there.ratio, 1 / back.ratio);
  EXPECT_DOUBLE_EQ(there.interval->low, 1 / back.interval->high);
  EXPECT_EQ(there.statement(), Statement::faster);
  EXPECT_EQ(back.statement(), Statement::slower);
}

TEST(Compare, OverSeveralCasesItIsTheirGeometricMean) {
  const double w = std::exp(0.03);
  const auto comparison = compare_records(
      {record("a.cu", {measured("large", 1, {1, 1}), measured("wide", 1, {1, 1})})},
      {record("a.cu", {measured("large", 2, {2 / w, 2 * w}), measured("wide", 8, {8 / w, 8 * w})})});
  const ComparedPair& pair = comparison.pairs.at(0);
  EXPECT_DOUBLE_EQ(pair.speed->ratio, 4);
  EXPECT_NEAR(pair.speed->interval->high, 4 * std::exp(0.03 / std::sqrt(2)), 1e-12);
  EXPECT_EQ(pair.cases[1].name, "wide");
  EXPECT_DOUBLE_EQ(pair.cases[1].ratio.ratio, 8);
}

TEST(Compare, TheSuiteIsTheGeometricMeanOfThePairs) {
  const auto comparison =
      compare_records({record("a.cu", 1), record("b.cu", 1), refused("c.cu", Verdict::unstable)},
                      {record("a.cu", 2), record("b.cu", 0.125), record("c.cu", 9)});
  EXPECT_DOUBLE_EQ(comparison.suite.geometric_mean, 0.5);
  EXPECT_EQ(comparison.suite.count, 2u);
  const double one = std::sqrt(2) * std::log(1.01);
  EXPECT_NEAR(comparison.suite.interval->high, 0.5 * std::exp(one / std::sqrt(2)), 1e-12);
}

TEST(Compare, VerdictsThatChangeAreSaid) {
  const auto comparison =
      compare_records({record("a.cu", 1), refused("b.cu", Verdict::wrong_answer),
                       refused("c.cu", Verdict::wrong_answer), refused("d.cu", Verdict::time_limit)},
                      {refused("a.cu", Verdict::cheating), record("b.cu", 1),
                       refused("c.cu", Verdict::compile_error), refused("d.cu", Verdict::time_limit)});
  std::vector<VerdictChange> changes;
  for (const ComparedPair& pair : comparison.pairs) changes.push_back(pair.change);
  EXPECT_THAT(changes, ElementsAre(VerdictChange::regression, VerdictChange::improvement,
                                   VerdictChange::other, VerdictChange::none));
  EXPECT_FALSE(comparison.pairs[0].speed);
}

TEST(Compare, WhatOneSideHasIsAddedOrRemoved) {
  Record other = record("a.cu", 1);
  other.dtype = Dtype::float16;
  Record elsewhere = record("b.cu", 1);
  elsewhere.problem_slug = "other";
  const auto comparison = compare_records({record("a.cu", 1), record("b.cu", 1)}, {other, elsewhere});
  EXPECT_TRUE(comparison.pairs.empty());
  EXPECT_EQ(comparison.added.size(), 2u);
  EXPECT_EQ(comparison.removed.size(), 2u);
}

TEST(Compare, WhatWasAcceptedAndIsMissingIsALoss) {
  const auto comparison = compare_records(
      {record("a.cu", 1), record("b.cu", 1), refused("c.cu", Verdict::unstable)}, {record("a.cu", 1)});
  EXPECT_EQ(count_of_missing(comparison), 1u);
  EXPECT_TRUE(loses_accepted(comparison));
  EXPECT_FALSE(loses_accepted(compare_records({record("a.cu", 1), refused("c.cu", Verdict::unstable)},
                                              {record("a.cu", 1), record("d.cu", 1)})));
  EXPECT_THAT(
      render_table(comparison, Style(false)),
      HasSubstr(
          "  missing: scale  b.cu  NVIDIA H200  accepted\n  removed: scale  c.cu  NVIDIA H200  unstable\n"));
  EXPECT_THAT(render_table(comparison, Style(false)),
              HasSubstr("1 accepted before and missing now, 1 inconclusive, 1 removed\n"));
  EXPECT_THAT(render_markdown(comparison),
              HasSubstr("Accepted before and missing now: 1\n\n- scale, <code>b&#46;cu</code>, <code>NVIDIA "
                        "H200</code>: accepted\n"));
}

TEST(Compare, AFallOfPrecisionIsALoss) {
  Record tf32 = record("a.cu", 2);
  tf32.candidate().precision = Precision::tf32;
  const auto fall = compare_records({record("a.cu", 1)}, {tf32});
  EXPECT_EQ(fall.pairs.at(0).change, VerdictChange::lower_class);
  EXPECT_TRUE(loses_accepted(fall));
  EXPECT_THAT(render_table(fall, Style(false)), HasSubstr("lower class  tf32, before fp32\n"));
  EXPECT_THAT(render_table(fall, Style(false)), HasSubstr("1 of a lower class\n"));
  EXPECT_THAT(render_markdown(fall), HasSubstr("| **lower class** | <code>tf32&#44; before fp32</code> |\n"));
  EXPECT_EQ(nlohmann::json(to_json(fall))["pairs"][0]["verdict_change"], "lower_class");
  const auto rise = compare_records({tf32}, {record("a.cu", 1)});
  EXPECT_EQ(rise.pairs.at(0).change, VerdictChange::none);
  EXPECT_FALSE(loses_accepted(rise));
}

// Runners differ in their number of cores, which is part of the device's name.
TEST(Compare, TheEmulatedDeviceIsOneOnAnyNumberOfCores) {
  const auto on_cores = [](const char* path, const char* cores, Verdict verdict) {
    Record made = record(path, std::vector<CaseRecord>{});
    made.candidate().verdict = verdict;
    made.device.name = std::string("emulated device on ") + cores + " CPU cores";
    made.device.kind = "emulated";
    made.device.measures_speed = false;
    return made;
  };
  const auto comparison = compare_records({on_cores("a.cu", "2", Verdict::accepted)},
                                          {on_cores("a.cu", "4", Verdict::wrong_answer)});
  ASSERT_EQ(comparison.pairs.size(), 1u);
  EXPECT_EQ(comparison.pairs[0].change, VerdictChange::regression);
}

// It may be as right as it was: only a GPU can tell.
TEST(Compare, WhatNowNeedsAGpuIsNoLoss) {
  const auto emulated = [](Verdict verdict) {
    Record made = record("a.cu", std::vector<CaseRecord>{});
    made.candidate().verdict = verdict;
    made.device.kind = "emulated";
    made.device.measures_speed = false;
    return made;
  };
  const auto comparison = compare_records({emulated(Verdict::accepted)}, {emulated(Verdict::unsupported)});
  EXPECT_EQ(comparison.pairs.at(0).change, VerdictChange::needs_gpu);
  EXPECT_FALSE(loses_accepted(comparison));
  EXPECT_EQ(summary_text(comparison), "1 accepted before and now unsupported on the emulated device");
  EXPECT_EQ(compare_records({record("a.cu", 1)}, {refused("a.cu", Verdict::unsupported)}).pairs.at(0).change,
            VerdictChange::regression);
}

TEST(Compare, AFileThatIsCutOffIsALoss) {
  RecordsRead whole{{record("a.cu", 1)}, {}, 0, {}}, cut_off = whole;
  cut_off.unfinished = {{"ends in the middle of a line", "finish it", {"s_1.jsonl", 2, 0}}};
  for (const auto& comparison : {compare_results(whole, cut_off), compare_results(cut_off, whole)}) {
    EXPECT_TRUE(loses_accepted(comparison));
    EXPECT_THAT(render_table(comparison, Style(false)),
                HasSubstr("  cut off: s_1.jsonl:2: error: ends in the middle of a line\n"));
    EXPECT_THAT(render_table(comparison, Style(false)), HasSubstr("1 cut off"));
    EXPECT_THAT(render_markdown(comparison),
                HasSubstr("Cut off:\n\n- <code>s&#95;1&#46;jsonl&#58;2</code>: ends in the middle"));
  }
  const nlohmann::json written = to_json(compare_results(whole, cut_off));
  EXPECT_EQ(written["unfinished"],
            nlohmann::json::parse(R"([{"side": "after", "file": "s_1.jsonl", "line": 2}])"));
  EXPECT_FALSE(loses_accepted(compare_results(whole, whole)));
}

TEST(Compare, CandidatesInOtherFoldersAreFoundByTheirNames) {
  const auto comparison = compare_records(
      {record("old/./a.cu", 1), record("old//b.cu", 1), record("old/c/x.cu", 1)},
      {record("new/a.cu", 1), record("old/b.cu", 1), record("new/d/x.cu", 1), record("new/e/x.cu", 1)});
  ASSERT_EQ(comparison.pairs.size(), 2u);
  EXPECT_EQ(comparison.pairs[0].after.candidate().path, "new/a.cu");
  EXPECT_EQ(comparison.pairs[1].after.candidate().path, "old/b.cu");
  EXPECT_EQ(comparison.added.size(), 2u) << "which of two it is cannot be known";
}

TEST(Compare, TwoCandidatesByThemselvesAreAPair) {
  EXPECT_EQ(compare_records({record("a.cu", 1)}, {record("b.cu", 3)}).pairs.at(0).speed->ratio, 3);
  Record other = record("b.cu", 3);
  other.problem_slug = "add";
  EXPECT_TRUE(compare_records({record("a.cu", 1)}, {other}).pairs.empty());
  EXPECT_TRUE(compare_records({record("a.cu", 1)}, {record("b.cu", 3), record("c.cu", 3)}).pairs.empty());
}

TEST(Compare, OfSeveralResultsTheNewestCounts) {
  Record newer = record("a.cu", 3);
  newer.started_at = "2026-01-03T00:00:00Z";
  const auto comparison = compare_records({newer, record("a.cu", 1)}, {record("a.cu", 6)});
  EXPECT_EQ(comparison.pairs.at(0).speed->ratio, 2);
  EXPECT_EQ(comparison.superseded, 1u);
}

std::string why(const std::function<void(Record&)>& change) {
  Record changed = record("a.cu", 2);
  change(changed);
  const auto comparison = compare_records({record("a.cu", 1)}, {changed});
  EXPECT_EQ(comparison.pairs.size(), 1u);
  EXPECT_FALSE(comparison.pairs.at(0).speed);
  EXPECT_EQ(comparison.suite.count, 0u);
  return comparison.pairs.at(0).no_speed;
}

TEST(Compare, WhatCannotBeComparedIsNotUnchanged) {
  Record changed = record("a.cu", 2);
  changed.reference.sha256 = "q";
  EXPECT_EQ(summary_text(compare_records({record("a.cu", 2)}, {changed})), "1 not comparable");
  changed = record("a.cu", 2);
  changed.device.measures_speed = false;
  EXPECT_EQ(summary_text(compare_records({changed}, {changed})), "nothing changed");
}

TEST(Compare, WhySpeedsCannotBeComparedIsSaid) {
  EXPECT_EQ(why([](Record& e) { e.device.measures_speed = false; }),
            "times of this device do not measure speed");
  EXPECT_EQ(why([](Record& e) { e.problem_sha256 = "q"; }), "the problem's file has changed");
  EXPECT_EQ(why([](Record& e) { e.reference.sha256 = "q"; }), "measured against another reference");
  EXPECT_EQ(why([](Record& e) { e.reference.sha256.clear(); }),
            "the reference that was measured is not known");
  EXPECT_EQ(why([](Record& e) { e.candidate().precision = Precision::tf32; }),
            "answers of another class: tf32, before fp32");
  EXPECT_EQ(why([](Record& e) { e.candidate().cases[0].measurement->cache = CacheState::warm; }),
            "one with a cold, one with a warm cache");
  EXPECT_EQ(why([](Record& e) { e.candidate().cases.clear(); }), "no speed was measured");
  EXPECT_EQ(why([](Record& e) { e.candidate().cases[0].name = "wide"; }), "other cases were measured");
  EXPECT_EQ(why([](Record& e) { e.candidate().cases[0].tensor_bytes = 1; }), "case 'large' has other shapes");
  EXPECT_EQ(why([](Record& e) { e.candidate().cases[0].speedups[0].against = "cudnn"; }),
            "case 'large' was not measured against the reference");
}

}  // namespace kgrade::compare_test
