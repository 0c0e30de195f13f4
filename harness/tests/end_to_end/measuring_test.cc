// Measuring a case from the command line: the emulated device does everything except the clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/command.h"

namespace kgrade::test::measuring_test {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string folder = "harness/tests/measured";

class Measuring : public testing::Test {
 protected:
  // The bench case of a problem that is small enough.
  json grade(std::vector<std::string> more, const std::string& candidate = "scale.cu") {
    std::vector<std::string> command = {"grade",
                                        "scale",
                                        folder + "/candidates/" + candidate,
                                        "--case",
                                        "large",
                                        "--problems",
                                        folder + "/problems",
                                        "--device",
                                        "emulated",
                                        "--json",
                                        "-"};
    command.insert(command.end(), more.begin(), more.end());
    const Result result = kgrade(command);
    EXPECT_THAT(result.exit_code, testing::AnyOf(0, 1)) << result.output;
    const json record = json::parse(result.output, nullptr, false);
    EXPECT_TRUE(record.is_object()) << result.output;
    return record;
  }

  static const json& case_of(const json& record) { return record["candidates"][0]["cases"][0]; }
};

TEST_F(Measuring, ABlockHasEveryArmTwice) {
  const json record = grade({});
  const json& c = case_of(record);
  EXPECT_EQ(c["verdict"], "accepted") << c["message"];
  ASSERT_EQ(c["measurement"]["arms"].size(), 3u);
  EXPECT_EQ(c["measurement"]["arms"][0], "reference");
  EXPECT_EQ(c["measurement"]["arms"][2], "candidate");
  EXPECT_EQ(c["measurement"]["processes"][0]["orders"].size(), 1u);
  for (const char* arm : {"reference", "baseline", "candidate"}) EXPECT_EQ(c[arm]["samples_ms"].size(), 2u);
  EXPECT_THAT(c["comparisons"], IsEmpty()) << "these times do not measure speed";
  EXPECT_THAT(record["candidates"][0]["scores"], IsEmpty());
  EXPECT_THAT(record["candidates"][0]["telemetry"]["absent"], HasSubstr("emulated device"));
  EXPECT_TRUE(record["ceilings"].is_null());
  EXPECT_EQ(record["effort"], "normal");
}

TEST_F(Measuring, SaysWhichOptionsAreInVain) {
  EXPECT_THAT(grade({"--ranked", "--warm"})["notes"],
              Contains("--ranked, --warm: of no use on a device that does not measure speed"));
  EXPECT_THAT(grade({})["notes"], IsEmpty());
}

TEST_F(Measuring, BaselinesAreTriedByThemselves) {
  const json baselines = grade({})["baselines"];
  EXPECT_EQ(baselines["missing"], "");
  ASSERT_EQ(baselines["contestants"].size(), 1u);
  for (const json& baseline : baselines["contestants"]) {
    EXPECT_EQ(baseline["problem"], "");
    ASSERT_EQ(baseline["cases"].size(), 1u);
    EXPECT_EQ(baseline["cases"][0]["precision"], "fp32");
    EXPECT_GE(baseline["cases"][0]["samples_ms"].size(), 3u);
  }
}

// Baselines are built meanwhile; the candidate returns in a new process.
TEST_F(Measuring, BaselinesAreTriedWhenTheOtherCasesAreRight) {
  const json record = grade({"--case", "tiny", "--hidden", "0"});
  const json& cases = record["candidates"][0]["cases"];
  EXPECT_EQ(record["candidates"][0]["verdict"], "accepted") << record["candidates"][0]["message"];
  EXPECT_EQ(record["baselines"]["missing"], "");
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0]["name"], "tiny");
  EXPECT_EQ(cases[1]["measurement"]["arms"], json({"reference", "cudnn-fp32", "candidate"}));
}

TEST_F(Measuring, WhoIsWrongIsComparedWithNobody) {
  const ScratchFile wrong("wrong.cu",
                          "extern \"C\" void solution(const float* in, float* out, size_t n) {}\n");
  const Result result = kgrade({"grade", "scale", wrong.path(), "--problems", folder + "/problems", "--case",
                                "tiny", "--case", "large", "--device", "emulated", "--json", "-"});
  const json record = json::parse(result.output);
  EXPECT_EQ(record["candidates"][0]["verdict"], "wrong_answer");
  EXPECT_EQ(record["baselines"]["missing"], "no candidate got as far as to be compared");
  EXPECT_THAT(record["baselines"]["contestants"], IsEmpty());
}

TEST_F(Measuring, BaselinesAreTriedForTheFirstWhoNeedsThem) {
  const ScratchFile wrong("wrong.cu",
                          "extern \"C\" void solution(const float* in, float* out, size_t n) {}\n");
  const json record = grade({wrong.path(), folder + "/candidates/scale.cu", wrong.path(), "--case", "tiny"});
  EXPECT_EQ(record["baselines"]["contestants"].size(), 1u);
  ASSERT_EQ(record["candidates"].size(), 4u);
  for (const json& candidate : record["candidates"]) {
    const bool right = candidate["verdict"] == "accepted";
    EXPECT_EQ(candidate["path"] == wrong.path(), !right) << candidate["path"];
    if (!right) continue;
    EXPECT_EQ(candidate["cases"][1]["measurement"]["arms"].size(), 3u);
  }
}

TEST_F(Measuring, InALowerClassThereIsABaselineMore) {
  const json record = grade({}, "scale_in_tf32.cu");
  EXPECT_EQ(record["candidates"][0]["verdict"], "accepted") << record["candidates"][0]["message"];
  std::vector<std::string> names;
  for (const json& baseline : record["baselines"]["contestants"]) names.push_back(baseline["name"]);
  EXPECT_THAT(names, ElementsAre("cudnn-fp32", "cudnn-tf32"));
}

TEST_F(Measuring, BaselinesCanBeLeftOut) {
  const json record = grade({"--no-baselines"});
  EXPECT_EQ(record["baselines"]["missing"], "--no-baselines");
  EXPECT_EQ(case_of(record)["measurement"]["arms"], json({"reference", "candidate"}));
  const json quick = grade({"--quick"});
  EXPECT_THAT(quick["baselines"]["missing"], HasSubstr("--quick"));
  EXPECT_EQ(quick["effort"], "quick");
}

TEST_F(Measuring, LaunchesAreAskedFor) {
  const json record = grade({"--launches", "3"});
  EXPECT_EQ(case_of(record)["verdict"], "accepted");
  EXPECT_EQ(case_of(record)["measurement"]["processes"][0]["launches_per_sample"], 3);
}

TEST_F(Measuring, TheBudgetIsTheUsersOrThatOfTheEffort) {
  EXPECT_EQ(case_of(grade({"--budget", "2.5"}))["measurement"]["goal"]["budget_seconds"], 2.5);
  EXPECT_EQ(case_of(grade({}))["measurement"]["goal"]["budget_seconds"], 3);
}

TEST_F(Measuring, OneThatWaitsForTheNextLaunchIsWrong) {
  const json record = grade({"--launches", "2"}, "works_when_the_next_comes.cu");
  EXPECT_EQ(record["candidates"][0]["verdict"], "wrong_answer");
  EXPECT_THAT(record["candidates"][0]["message"], HasSubstr("never written"));
}

TEST_F(Measuring, TheCacheIsColdUnlessAskedFor) {
  EXPECT_EQ(case_of(grade({}))["measurement"]["cache"], "cold");
  EXPECT_EQ(case_of(grade({"--warm"}))["measurement"]["cache"], "warm");
}

TEST_F(Measuring, ACaseThatIsNotMeasuredHasNoBlocks) {
  const Result result = kgrade({"grade", "scale", folder + "/candidates/scale.cu", "--problems",
                                folder + "/problems", "--device", "emulated", "--json", "-"});
  const json record = json::parse(result.output);
  for (const json& c : record["candidates"][0]["cases"]) EXPECT_FALSE(c.contains("measurement"));
  EXPECT_EQ(record["baselines"]["missing"], "no case is measured");
}

TEST(MeasuringOptions, QuickAndRankedExcludeEachOther) {
  const std::string candidate = folder + "/candidates/scale.cu";
  const Result both = kgrade({"grade", "scale", candidate, "--quick", "--ranked"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.output, HasSubstr("--quick excludes --ranked"));
  const Result none = kgrade({"grade", "scale", candidate, "--launches", "0"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.output, HasSubstr("--launches"));
}

}  // namespace kgrade::test::measuring_test
