// Measuring a case from the command line: the emulated device does everything except the clock.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/command.h"
#include "tests/support/ended.h"

namespace kgrade::test::measuring_test {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
  EXPECT_THAT(kgrade({"grade", "scale", candidate, "--quick", "--ranked"}),
              Ended(2, HasSubstr("--quick excludes --ranked")));
  EXPECT_THAT(kgrade({"grade", "scale", candidate, "--launches", "0"}), Ended(2, HasSubstr("--launches")));
}

// The self-test as a program. On a device without speed, everything except the clock is exercised.

std::string content_of(const std::string& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(Selftest, HelpSaysWhatItDoes) {
  const Result help = kgrade({"selftest", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.output, HasSubstr("Usage: kgrade selftest"));
  EXPECT_THAT(help.output, HasSubstr("--comparisons"));
  EXPECT_THAT(kgrade({"--help"}).output, HasSubstr("selftest"));
}

TEST(Selftest, ListsItsKernels) {
  EXPECT_THAT(kgrade({"selftest", "--list"}), Ended(0, HasSubstr("arithmetic-100ms  arithmetic   100 ms")));
  const Result some = kgrade({"selftest", "--list", "--kernels", "read-*"});
  EXPECT_THAT(some.output, HasSubstr("read-10us"));
  EXPECT_THAT(some.output, Not(HasSubstr("arithmetic")));
}

TEST(Selftest, RunsEveryKernelOnTheEmulatedDeviceAndJudgesNothing) {
  const ScratchFile file("selftest.json", "");
  const ScratchFile svg("selftest.svg", "");
  EXPECT_THAT(
      kgrade({"selftest", "--device", "emulated", "--seed", "7", "--json", file.path(), "--svg", svg.path()}),
      EndedCleanly(3, HasSubstr("Times of this device do not measure speed: nothing is judged."),
                   Not(HasSubstr("refused"))));
  const auto record = nlohmann::json::parse(content_of(file.path()));
  EXPECT_EQ(record["seed"], "7");
  EXPECT_EQ(record["judged"], false);
  EXPECT_EQ(record["fresh_processes"], true);
  EXPECT_EQ(record["kernels"].size(), 10u);
  ASSERT_EQ(record["comparisons"].size(), 20u);
  EXPECT_EQ(record["refused"], 0);
  for (const auto& comparison : record["comparisons"]) {
    EXPECT_TRUE(comparison["ratio"].is_object()) << comparison["kernel"] << ": " << comparison["problem"];
  }
  EXPECT_THAT(content_of(svg.path()), HasSubstr("</svg>"));
}

TEST(Selftest, KeptProcessesGiveTheSameAnswersAsNewOnes) {
  const Result result = kgrade({"selftest", "--device", "emulated", "--kernels", "copy-10ms,read-10us",
                                "--keep-processes", "--comparisons", "2", "--slowdowns", "1", "--json", "-"});
  EXPECT_EQ(result.exit_code, 3);
  const auto record = nlohmann::json::parse(result.output);
  EXPECT_EQ(record["fresh_processes"], false);
  EXPECT_EQ(record["comparisons"].size(), 3u);
  EXPECT_EQ(record["refused"], 0);
}

TEST(Selftest, SaysWhatIsWrongWithItsOptions) {
  const auto complaint = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "selftest");
    const Result result = kgrade(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    return result.output;
  };
  EXPECT_THAT(complaint({"--kernels", "sort-*"}), HasSubstr("there is no kernel 'sort-*'"));
  EXPECT_THAT(complaint({"--comparisons", "0", "--slowdowns", "0"}), HasSubstr("nothing is left to compare"));
  EXPECT_THAT(complaint({"--svg", "/no/such/folder/a.svg"}), HasSubstr("--svg: there is no folder"));
  EXPECT_THAT(complaint({"--json", "-", "--svg", "-"}), HasSubstr("both cannot be printed"));
  EXPECT_THAT(complaint({"--quick", "--ranked"}), HasSubstr("excludes"));
  EXPECT_THAT(complaint({"--device", "abacus"}), HasSubstr("abacus"));
}

}  // namespace kgrade::test::measuring_test
