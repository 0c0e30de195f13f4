// Honest candidates are not refused, whatever is drawn. Each is graded once on its cases, or
// KGRADE_HONEST_RUNS times, at most five, each time with another seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "tests/cheats/suite.h"

namespace kgrade::test {
namespace {

namespace fs = std::filesystem;

const fs::path root = KGRADE_SOURCE_DIR;
const fs::path check_samples = root / "harness/tests/checks";
const fs::path measured = root / "harness/tests/measured";

struct Honest {
  std::string problem;  // a slug, or the path of a file
  std::vector<std::string> candidates;
  bool at_length = true;  // the first time; where times are no speed, it makes no difference
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

// Headers that several of them include are there, too.
std::vector<std::string> slugs_with_solutions() {
  std::vector<std::string> slugs;
  for (const auto& entry : fs::directory_iterator(root / "solutions")) {
    if (fs::exists(entry.path() / "naive.cu")) slugs.push_back(entry.path().filename().string());
  }
  return slugs;
}

std::map<std::string, Honest> everybody() {
  const std::vector<std::string> different = slugs_of_different_solutions();
  std::map<std::string, Honest> all;
  for (const std::string& slug : slugs_with_solutions()) {
    // One of those that share a source is enough.
    const bool differs = std::find(different.begin(), different.end(), slug) != different.end();
    all[slug] = {slug, sources_in(root / "solutions" / slug), differs};
    for (const std::string& file : sources_in(root / "harness/tests/honest" / slug))
      all[slug].candidates.push_back(file);
  }
  Honest& twins = all["twins"];
  twins.problem = (check_samples / "problems/neighbour-sum.md").string();
  for (const std::string& file : sources_in(check_samples / "candidates")) {
    if (file.ends_with("_clean.cu")) twins.candidates.push_back(file);
  }
  all["scale"] = {(measured / "problems/scale.md").string(), {(measured / "candidates/scale.cu").string()}};
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, honest] : everybody()) all.push_back(name);
  return all;
}

std::vector<std::string> seeds() {
  const std::vector<std::string> all = {"1", "22", "333", "4444", "55555"};
  const char* const wanted = std::getenv("KGRADE_HONEST_RUNS");
  const long runs = wanted != nullptr ? std::strtol(wanted, nullptr, 10) : 1;
  return {all.begin(), all.begin() + std::clamp(runs, 1L, static_cast<long>(all.size()))};
}

class HonestCandidates : public testing::TestWithParam<std::string> {};

void expect_accepted(const Honest& honest, const std::vector<std::string>& candidates,
                     const std::string& seed) {
  SCOPED_TRACE("seed " + seed);
  std::vector<std::string> arguments = {honest.problem, "--seed", seed, "--no-baselines"};
  if (seed != "1" || !honest.at_length) arguments.emplace_back("--quick");
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
    for (const std::string& seed : seeds()) expect_accepted(honest, candidates, seed);
  }
}

INSTANTIATE_TEST_SUITE_P(All, HonestCandidates, testing::ValuesIn(names()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace kgrade::test
