// All solutions and the other honest candidates are accepted, whatever is drawn: on every case that the
// device runs, and in the class that they declare. Each is graded once, or KGRADE_HONEST_RUNS times, at most
// five, each time with another seed.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "tests/cheats/suite.h"

namespace kgrade::test::honest_test {

namespace fs = std::filesystem;

const fs::path root = KGRADE_SOURCE_DIR;
const fs::path check_samples = planted("checks");
const fs::path measured = root / "harness/tests/measured";

struct Honest {
  std::string problem;  // a slug, or the path of a file
  std::vector<std::string> candidates;
  bool at_length = true;  // the first time; where times do not measure speed, it makes no difference
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

// Those drawn for this run, and all that have honest kernels of other people's kinds.
std::set<std::string> slugs_to_grade() {
  std::set<std::string> slugs;
  for (const std::string& slug : drawn_problems()) slugs.insert(slug);
  for (const auto& entry : fs::directory_iterator(root / "harness/tests/honest"))
    slugs.insert(entry.path().filename().string());
  return slugs;
}

std::map<std::string, Honest> all_honest() {
  const std::vector<std::string> different = slugs_of_different_solutions();
  std::map<std::string, Honest> all;
  for (const std::string& slug : slugs_to_grade()) {
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
  for (const auto& [name, honest] : all_honest()) all.push_back(name);
  return all;
}

int runs() {
  const char* const wanted = std::getenv("KGRADE_HONEST_RUNS");
  return static_cast<int>(std::clamp(wanted != nullptr ? std::strtol(wanted, nullptr, 10) : 1, 1L, 5L));
}

class HonestCandidates : public testing::TestWithParam<std::string> {};

// Exactly the class that it declares: a better one than declared competes in the wrong class.
void expect_accepted(const nlohmann::json& candidate, const std::string& precision) {
  EXPECT_EQ(candidate["verdict"], "accepted") << candidate["path"] << ": " << candidate["message"];
  EXPECT_EQ(candidate["precision"], precision) << candidate["path"];
  EXPECT_THAT(failed_checks(candidate), testing::IsEmpty()) << candidate["path"];
  for (const auto& result : candidate["cases"]) {
    if (!result["run"]) continue;
    EXPECT_EQ(result["verdict"], "accepted")
        << candidate["path"] << ", case " << result["name"] << ": " << result["message"];
  }
}

void expect_accepted(std::vector<std::string> arguments, const std::vector<std::string>& candidates,
                     const std::string& precision) {
  arguments.emplace_back("--no-baselines");
  arguments.insert(arguments.end(), candidates.begin(), candidates.end());
  const Graded graded = grade(arguments);
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  SCOPED_TRACE("--seed " + graded.record["seed"].dump() + " --hidden-seed " +
               graded.record["hidden_seed"].dump());
  EXPECT_EQ(graded.exit_code, 0);
  ASSERT_EQ(graded.record["candidates"].size(), candidates.size());
  const bool is_exact = graded.record["problem"]["precision"] == "exact";
  for (const auto& candidate : graded.record["candidates"])
    expect_accepted(candidate, is_exact ? "exact" : precision);
}

TEST_P(HonestCandidates, AreAcceptedInEveryRun) {
  const Honest honest = all_honest().at(GetParam());
  ASSERT_FALSE(honest.candidates.empty());
  for (const auto& [declared, candidates] : by_declaration(honest.candidates)) {
    for (int run = 0; run < runs(); ++run) {
      std::vector<std::string> arguments = {honest.problem};
      if (run > 0 || !honest.at_length) arguments.emplace_back("--quick");
      expect_accepted(arguments, candidates, declared.precision);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, HonestCandidates, testing::ValuesIn(names()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace kgrade::test::honest_test
