// Each wrong candidate under harness/tests/candidates is refused as its header lines say. HonestCandidates
// (harness/tests/cheats/honest_test.cc) shows that the solutions are accepted.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/support/command.h"

namespace kgrade::test::verdict_test {

namespace fs = std::filesystem;
using nlohmann::json;

struct Expectation {
  std::string verdict;                       // empty when the file has no such line
  std::map<std::string, std::string> cases;  // where a case differs
};

// How a file is graded: files that agree in this are graded together.
struct Conditions {
  std::string device;      // the one under test, unless the file names another
  std::string time_limit;  // empty: what kgrade takes
  std::string order;       // the order of the calls, in the same form
  Declared declared;       // a record holds those of one type and one class
  auto operator<=>(const Conditions&) const = default;
};

struct Header {
  Expectation expectation;
  Conditions conditions{test_device(), "", "", {}};
};

// The comment that a file begins with. "// expect: wrong_answer", and for cases that differ "// expect-case
// tiny: accepted"; "// time-limit: 1" in seconds, for what never ends; "// device: emulated" for what is
// another mistake, or none, on a GPU, and with it "// order: reverse". The text comes after an empty comment
// line.
Header read_header(const fs::path& file) {
  Header header;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line) && line.starts_with("//") && line != "//";) {
    std::istringstream words(line.substr(2));
    std::string key;
    std::string name;
    words >> key;
    if (key == "expect:") {
      words >> header.expectation.verdict;
    } else if (key == "expect-case" && words >> name) {
      words >> header.expectation.cases[name.substr(0, name.size() - 1)];
    } else if (key == "time-limit:") {
      words >> header.conditions.time_limit;
    } else if (key == "order:") {
      words >> header.conditions.order;
    } else if (key == "kgrade:") {
      words >> key;
      Declared& declared = header.conditions.declared;
      words >> (key == "dtype" ? declared.dtype : declared.precision);
    } else if (key == "device:") {
      words >> header.conditions.device;
    } else {
      ADD_FAILURE() << file << ": '" << line << "' is no line of a header";
    }
    EXPECT_TRUE(words && (words >> std::ws).eof()) << file << ": cannot read '" << line << "'";
  }
  return header;
}

std::vector<std::string> sources_in(const fs::path& directory) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() == ".cu") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The slugs of a folder that has a folder for each of some problems.
std::vector<std::string> slugs_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name != "families") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> slugs_of_problems() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(KGRADE_SOURCE_DIR) / "problems")) {
    if (entry.path().extension() == ".md") names.push_back(entry.path().stem().string());
  }
  std::erase(names, "README");
  std::sort(names.begin(), names.end());
  return names;
}

void expect_verdicts(const json& candidate, const Expectation& expectation) {
  ASSERT_NE(expectation.verdict, "") << candidate["path"] << " lacks a line '// expect: VERDICT'";
  EXPECT_EQ(candidate["verdict"], expectation.verdict) << candidate["path"] << ": " << candidate["message"];
  std::set<std::string> names;
  for (const json& result : candidate["cases"]) {
    const std::string name = result["name"];
    names.insert(name);
    if (!result["run"]) continue;
    const auto differs = expectation.cases.find(name);
    EXPECT_EQ(result["verdict"], differs != expectation.cases.end() ? differs->second : expectation.verdict)
        << candidate["path"] << ", case " << name << ": " << result["message"];
  }
  for (const auto& [name, verdict] : expectation.cases) {
    EXPECT_TRUE(names.contains(name))
        << candidate["path"] << " expects '" << verdict << "' of case '" << name << "', which does not exist";
  }
}

// The checks that can lead to a verdict.
std::set<std::string> checks_behind(const std::string& verdict) {
  static const std::map<std::string, std::set<std::string>> checks = {
      {"accepted", {}},
      {"wrong_answer", {"outputs_match", "fresh_contents"}},
      {"low_precision", {"precision", "fresh_contents"}},
      {"out_of_bounds", {"guard_zones"}},
      {"input_modified", {"inputs_unchanged"}},
      {"memory_limit", {"memory"}},
      {"time_limit", {"completion"}},
      {"compile_error", {"compile"}},
      {"signature_mismatch", {"signature"}},
      {"runtime_error", {"load", "completion", "device_errors"}},
  };
  const auto found = checks.find(verdict);
  return found != checks.end() ? found->second : std::set<std::string>{"(no check for " + verdict + ")"};
}

std::set<std::string> failed_checks(const json& candidate) {
  std::set<std::string> names;
  for (const json& check : candidate["checks"]) {
    if (check["outcome"] == "failed") names.insert(check["name"]);
  }
  return names;
}

// Whatever was found in a case, or in the candidate before its first one, must have failed the check of that
// name, and no other check.
void expect_checks(const json& candidate) {
  std::set<std::string> verdicts = {candidate["verdict"]};
  for (const json& result : candidate["cases"]) {
    if (result["run"]) verdicts.insert(result["verdict"]);
  }
  const std::set<std::string> failed = failed_checks(candidate);
  std::set<std::string> allowed;
  for (const std::string& verdict : verdicts) {
    const std::set<std::string> behind = checks_behind(verdict);
    allowed.insert(behind.begin(), behind.end());
    const bool found = std::any_of(behind.begin(), behind.end(),
                                   [&](const std::string& name) { return failed.contains(name); });
    EXPECT_TRUE(found || verdict == "accepted")
        << candidate["path"] << ": " << verdict << ", but its checks are " << candidate["checks"];
  }
  EXPECT_TRUE(std::includes(allowed.begin(), allowed.end(), failed.begin(), failed.end()))
      << candidate["path"] << ": a check failed that no case accounts for: " << candidate["checks"];
}

void expect_refused(const std::string& slug, const std::vector<std::string>& files,
                    const Conditions& conditions) {
  // A mistake need not show on every randomly drawn shape, nor as clearly with every seed: two groups of a
  // sample may happen to have nearly the same mean and variance.
  std::vector<std::string> arguments = {slug, "--hidden", "0", "--seed", "1"};
  if (!conditions.time_limit.empty()) {
    arguments.insert(arguments.end(), {"--time-limit", conditions.time_limit});
  }
  if (!conditions.order.empty()) arguments.insert(arguments.end(), {"--order", conditions.order});
  arguments.insert(arguments.end(), files.begin(), files.end());
  const Graded graded = grade(arguments, conditions.device);
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  EXPECT_EQ(graded.exit_code, 1);
  EXPECT_THAT(graded.left_behind, testing::IsEmpty());
  ASSERT_EQ(graded.record["candidates"].size(), files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    const json& candidate = graded.record["candidates"][i];
    EXPECT_NE(candidate["verdict"], "accepted") << candidate["path"];
    expect_verdicts(candidate, read_header(files[i]).expectation);
    expect_checks(candidate);
  }
}

class WrongCandidates : public testing::TestWithParam<std::string> {};

TEST(Solutions, AreThereForEveryProblem) {
  EXPECT_EQ(slugs_in(fs::path(KGRADE_SOURCE_DIR) / "solutions"), slugs_of_problems());
}

TEST_P(WrongCandidates, AreRefused) {
  std::map<Conditions, std::vector<std::string>> groups;
  for (const auto& file : sources_in(fs::path(planted("candidates")) / GetParam())) {
    groups[read_header(file).conditions].push_back(file);
  }
  for (const auto& [conditions, files] : groups) expect_refused(GetParam(), files, conditions);
}

std::string name_of(const testing::TestParamInfo<std::string>& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(OfProblems, WrongCandidates, testing::ValuesIn(slugs_in(planted("candidates"))),
                         name_of);

}  // namespace kgrade::test::verdict_test
