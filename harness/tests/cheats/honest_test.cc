// Honest candidates are not refused, whatever is drawn: five runs each, with different seeds, on their cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "tests/cheats/suite.h"

namespace kgrade::test {
namespace {

namespace fs = std::filesystem;

const fs::path root = KGRADE_SOURCE_DIR;
const fs::path check_samples = root / "harness/tests/checks";

struct Honest {
  std::string problem;  // a slug, or the path of a file
  std::vector<std::string> candidates;
};

std::vector<std::string> sources_in(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".cu") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::map<std::string, Honest> everybody() {
  std::map<std::string, Honest> all;
  for (const std::string& slug : slugs_of_different_solutions()) {
    all[slug] = {slug, sources_in(root / "solutions" / slug)};
    for (const std::string& file : sources_in(root / "harness/tests/honest" / slug))
      all[slug].candidates.push_back(file);
  }
  Honest& twins = all["twins"];
  twins.problem = (check_samples / "problems/neighbour-sum.md").string();
  for (const std::string& file : sources_in(check_samples / "candidates")) {
    if (file.ends_with("_clean.cu")) twins.candidates.push_back(file);
  }
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, honest] : everybody()) all.push_back(name);
  return all;
}

class HonestCandidates : public testing::TestWithParam<std::string> {};

void expect_accepted(const std::string& problem, const std::vector<std::string>& candidates,
                     const char* seed) {
  SCOPED_TRACE(std::string("seed ") + seed);
  std::vector<std::string> arguments = {problem, "--seed", seed, "--no-baselines"};
  // Once at full length; where times are no speed, it makes no difference.
  if (seed != std::string("1")) arguments.emplace_back("--quick");
  arguments.insert(arguments.end(), candidates.begin(), candidates.end());
  const Graded graded = grade(arguments);
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  for (const auto& candidate : graded.record["candidates"]) {
    EXPECT_EQ(candidate["verdict"], "accepted") << candidate["path"] << ": " << candidate["message"];
  }
}

TEST_P(HonestCandidates, AreAcceptedInEveryRun) {
  const Honest honest = everybody().at(GetParam());
  ASSERT_FALSE(honest.candidates.empty());
  for (const auto& [declared, candidates] : by_declaration(honest.candidates)) {
    for (const char* seed : {"1", "22", "333", "4444", "55555"})
      expect_accepted(honest.problem, candidates, seed);
  }
}

INSTANTIATE_TEST_SUITE_P(All, HonestCandidates, testing::ValuesIn(names()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace kgrade::test
