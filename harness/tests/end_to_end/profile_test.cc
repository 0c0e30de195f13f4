// `kgrade profile` on the emulated device, with kernels whose counts are known by hand
// (harness/tests/profiles). Their case has a matrix of 64 x 64 elements: 128 requests of a warp for each pass
// over it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/support/command.h"

namespace kgrade::test::profile_test {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string folder = "harness/tests/profiles/";

std::vector<std::string> command_for(const std::vector<std::string>& names) {
  std::vector<std::string> arguments = {"profile",  "square-transpose", "--device",
                                        "emulated", "--problems",       folder + "problems"};
  for (const std::string& name : names)
    arguments.push_back(name == "reference" ? name : folder + "candidates/" + name);
  return arguments;
}

Graded profile(const std::vector<std::string>& names, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = command_for(names);
  arguments.insert(arguments.end(), {"--json", "-"});
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Result result = kgrade(arguments);
  return {result.exit_code, result.output, json::parse(result.output, nullptr, false), result.left_behind};
}

json only_kernel(const std::string& name) {
  const Graded profiled = profile({name});
  EXPECT_EQ(profiled.exit_code, 0) << profiled.output;
  const json kernels = profiled.record["candidates"][0]["kernels"];
  EXPECT_EQ(kernels.size(), 1u);
  return kernels[0];
}

std::vector<std::string> rules_of(const json& kernel) {
  std::vector<std::string> names;
  for (const json& rule : kernel["rules"]) names.push_back(rule["name"]);
  return names;
}

TEST(Profile, CountsBankConflictsAndNamesTheLine) {
  const json kernel = only_kernel("columns.cu");
  EXPECT_EQ(kernel["shared_conflicts"], 128 * 31);
  EXPECT_EQ(kernel["load_sectors_per_request"], 4);
  EXPECT_EQ(kernel["barriers"], 4);
  EXPECT_THAT(rules_of(kernel), ElementsAre("bank-conflicts"));
  EXPECT_EQ(kernel["rules"][0]["place"]["line"], 10);
  EXPECT_EQ(kernel["rules"][0]["place"]["file"], folder + "candidates/columns.cu");
}

TEST(Profile, HasNoAdviceForTheTwinWithoutTheFault) {
  const json kernel = only_kernel("padded.cu");
  EXPECT_EQ(kernel["shared_conflicts"], 0);
  EXPECT_THAT(rules_of(kernel), IsEmpty());
}

// 16 threads of each warp read 16 bytes each, as one request, and write 4 rows.
TEST(Profile, CountsSectorsOfVectorsAndOfScatteredStores) {
  const json kernel = only_kernel("scattered.cu");
  EXPECT_EQ(kernel["load_sectors_per_request"], 8);
  EXPECT_EQ(kernel["load_bytes_per_sector"], 32);
  EXPECT_EQ(kernel["store_sectors_per_request"], 16);
  EXPECT_EQ(kernel["store_bytes_per_sector"], 4);
  EXPECT_EQ(kernel["partial_request_pct"], 100);
  EXPECT_THAT(rules_of(kernel), ElementsAre("uncoalesced-stores", "divergence"));
}

TEST(Profile, AWrongCandidateIsNotProfiled) {
  const Graded profiled = profile({"wrong.cu", "padded.cu"});
  EXPECT_EQ(profiled.exit_code, 1);
  const json& candidates = profiled.record["candidates"];
  EXPECT_EQ(candidates[0]["status"], "findings");
  EXPECT_THAT(candidates[0]["message"].get<std::string>(), HasSubstr("the answer is wrong"));
  EXPECT_EQ(candidates[0]["kernels"], json::array());
  EXPECT_EQ(candidates[1]["status"], "profiled") << "in the order of the command line";
}

TEST(Profile, ShowsCandidatesAndTheReferenceBesideEachOther) {
  std::vector<std::string> arguments = command_for({"columns.cu", "reference"});
  const Result result = kgrade(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("beside each other"));
  EXPECT_THAT(result.output, HasSubstr("second / first"));
  EXPECT_THAT(result.output, HasSubstr("square-transpose.cu"));
  EXPECT_THAT(result.output, HasSubstr("3968"));
}

TEST(Profile, TakesTheCaseThatIsNamed) {
  const Graded profiled = profile({"padded.cu"}, {"--case", "one-tile"});
  EXPECT_EQ(profiled.record["case"], "one-tile");
  EXPECT_EQ(profiled.record["candidates"][0]["kernels"][0]["barriers"], 1);
  EXPECT_EQ(profile({"padded.cu"}).record["case"], "four-tiles") << "the largest small one";
}

TEST(Profile, TakesOneCaseAlone) {
  std::vector<std::string> arguments = command_for({"padded.cu"});
  arguments.insert(arguments.end(), {"--case", "one-tile", "--case", "four-tiles"});
  const Result result = kgrade(arguments);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, HasSubstr("one case is profiled"));
}

TEST(Profile, PrintsWhatTheDocumentationShows) {
  std::ifstream stream(std::string(KGRADE_SOURCE_DIR) + "/docs/profile.md");
  const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  const std::size_t begin = text.find("```text\n") + 8;
  const std::string shown = text.substr(begin, text.find("```", begin) - begin);
  EXPECT_THAT(shown, HasSubstr("bank conflicts"));
  EXPECT_THAT(kgrade(command_for({"columns.cu"})).output, HasSubstr(shown));
}

TEST(Profile, NothingOfItIsAttested) {
  const Graded profiled = profile({"padded.cu"});
  EXPECT_EQ(profiled.record["attested"], false);
  EXPECT_EQ(profiled.record["profiler"]["name"], "emulated device");
  EXPECT_THAT(profiled.left_behind, IsEmpty());
}

}  // namespace kgrade::test::profile_test
