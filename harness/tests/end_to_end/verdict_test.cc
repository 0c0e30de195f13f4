// Every shipped candidate gets its verdict: the naive solutions are accepted on every case that the device
// runs, each wrong one under harness/tests/candidates is refused as its own header lines say.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "command.h"

namespace kgrade::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Expectation {
  std::string verdict = "accepted";
  std::map<std::string, std::string> cases;  // where a case differs
};

// "// expect: wrong_answer" and "// expect-case tiny: accepted".
Expectation read_expectation(const fs::path& file) {
  Expectation expectation;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line) && line.starts_with("//");) {
    std::istringstream words(line.substr(2));
    std::string key;
    std::string name;
    words >> key;
    if (key == "expect:") words >> expectation.verdict;
    if (key == "expect-case" && words >> name) words >> expectation.cases[name.substr(0, name.size() - 1)];
  }
  return expectation;
}

std::vector<std::string> sources_in(const fs::path& directory) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() == ".cu") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> slugs() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(KGRADE_SOURCE_DIR) / "solutions")) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void expect_cases(const json& candidate, const Expectation& expectation) {
  for (const json& result : candidate["cases"]) {
    if (!result["run"]) continue;
    const std::string name = result["name"];
    const auto differs = expectation.cases.find(name);
    EXPECT_EQ(result["verdict"], differs != expectation.cases.end() ? differs->second : expectation.verdict)
        << candidate["path"] << ", case " << name << ": " << result["message"];
  }
}

// A refused candidate has failed a check by name, an accepted one none.
void expect_checks(const json& candidate) {
  int failed = 0;
  for (const json& check : candidate["checks"]) failed += check["outcome"] == "failed" ? 1 : 0;
  EXPECT_EQ(failed == 0, candidate["verdict"] == "accepted")
      << candidate["path"] << ": " << candidate["checks"];
}

class Verdicts : public testing::TestWithParam<std::string> {};

TEST_P(Verdicts, SolutionsAreAccepted) {
  std::vector<std::string> arguments = {GetParam()};
  const auto files = sources_in(fs::path(KGRADE_SOURCE_DIR) / "solutions" / GetParam());
  arguments.insert(arguments.end(), files.begin(), files.end());
  const Graded graded = grade(arguments);
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  EXPECT_EQ(graded.exit_code, 0);
  for (const json& candidate : graded.record["candidates"]) {
    EXPECT_EQ(candidate["verdict"], "accepted") << candidate["path"] << ": " << candidate["message"];
    EXPECT_EQ(candidate["precision"], "fp32") << candidate["path"];
    expect_cases(candidate, {});
    expect_checks(candidate);
  }
}

TEST_P(Verdicts, WrongCandidatesAreRefused) {
  std::vector<std::string> arguments = {GetParam()};
  const auto files = sources_in(fs::path(KGRADE_SOURCE_DIR) / "harness/tests/candidates" / GetParam());
  arguments.insert(arguments.end(), files.begin(), files.end());
  const Graded graded = grade(arguments);
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  EXPECT_EQ(graded.exit_code, 1);
  ASSERT_EQ(graded.record["candidates"].size(), files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    const json& candidate = graded.record["candidates"][i];
    const Expectation expectation = read_expectation(files[i]);
    EXPECT_EQ(candidate["verdict"], expectation.verdict) << candidate["path"] << ": " << candidate["message"];
    expect_cases(candidate, expectation);
    expect_checks(candidate);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryProblem, Verdicts, testing::ValuesIn(slugs()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace kgrade::test
