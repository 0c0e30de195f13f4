// `kgrade check` on kernels with one bug each (harness/tests/checks): the findings are exactly those that
// comments mark, at their lines, and the twins without the bug have none.
//
// "// finding: race" marks a line. "(gpu: any)" after it says that compute-sanitizer may or may not find it,
// and "(gpu: runtime_error)" what it finds instead, without a line. "// finding on a gpu: ..." marks what is
// found only there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "tests/support/command.h"

namespace kgrade::test::check_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string folder = planted("checks/");
const std::string depthwise = "conv-depthwise-2d-square-input-asym-kernel";

struct Mark {
  std::string kind;
  int line = 0;
  std::string on_gpu;  // another kind, "any", or empty: the same
};

std::vector<Mark> marks_in(const std::string& path) {
  static const std::regex pattern(R"(// finding(?: on a gpu)?: (\w+)(?: \(gpu: (\w+)\))?)");
  std::vector<Mark> marks;
  std::ifstream stream(path);
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    std::smatch match;
    const bool on_gpu_only = line.find("// finding on a gpu:") != std::string::npos;
    if (on_gpu_only && !test_device().starts_with("cuda")) continue;
    if (std::regex_search(line, match, pattern)) marks.push_back({match[1].str(), number, match[2].str()});
  }
  return marks;
}

std::vector<std::string> candidates_ending_in(const std::string& ending) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder + "candidates")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(ending)) files.push_back(folder + "candidates/" + name);
  }
  std::sort(files.begin(), files.end());
  return files;
}

Graded check(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"check", "--device", test_device(), "--json", "-"});
  const Result result = kgrade(arguments);
  return {result.exit_code, result.output, json::parse(result.output, nullptr, false), result.left_behind};
}

Graded check_neighbour_sum(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"neighbour-sum", "--problems", folder + "problems"};
  // Four runs of several seconds each for every case and candidate.
  if (test_device().starts_with("cuda")) arguments.insert(arguments.end(), {"--case", "four-blocks"});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return check(arguments);
}

bool ran_on_gpu(const json& record) { return record["device"]["kind"] == "cuda"; }

// A race has two lines, either of which may be the marked one.
bool is_at(const json& finding, const std::string& path, int line) {
  const auto matches = [&](const json& place) {
    return place.is_object() && place["file"] == path && place["line"] == line;
  };
  return matches(finding["place"]) || (finding["kind"] == "race" && matches(finding["other_place"]));
}

bool is_marked(const json& finding, const std::string& path, const std::vector<Mark>& marks, bool gpu) {
  return std::any_of(marks.begin(), marks.end(), [&](const Mark& mark) {
    if (gpu && mark.on_gpu == "any") return true;
    if (gpu && !mark.on_gpu.empty()) return finding["kind"] == mark.on_gpu;
    return finding["kind"] == mark.kind && is_at(finding, path, mark.line);
  });
}

bool is_found(const Mark& mark, const json& candidate, const std::string& path, bool gpu) {
  if (gpu && mark.on_gpu == "any") return true;
  const json& findings = candidate["findings"];
  return std::any_of(findings.begin(), findings.end(),
                     [&](const json& finding) { return is_marked(finding, path, {mark}, gpu); });
}

void expect_marked_findings(const json& candidate, const std::string& path, bool gpu) {
  const std::vector<Mark> marks = marks_in(path);
  ASSERT_FALSE(marks.empty()) << path << " marks no finding";
  for (const Mark& mark : marks) {
    EXPECT_TRUE(is_found(mark, candidate, path, gpu))
        << path << ":" << mark.line << ": " << mark.kind << " is not found: " << candidate.dump(1);
  }
  for (const json& finding : candidate["findings"]) {
    // The consequence of a bug: the answer is wrong too.
    if (finding["kind"] == "wrong_answer") continue;
    EXPECT_TRUE(is_marked(finding, path, marks, gpu)) << path << ": not marked: " << finding.dump(1);
  }
}

// As the hint about a reference that fails advises. No candidate may see the operators that it includes.
TEST(Check, OfAReferenceFindsTheOperators) {
  const std::string place = planted("soundness/");
  const Graded checked =
      check({"unused-parameter", "--problems", place + "problems", place + "reference/unused-parameter.cu"});
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
  EXPECT_EQ(checked.record["candidates"][0]["status"], "clean") << checked.output;
}

TEST(Check, FindsEachFaultAtItsLineAndNothingElse) {
  const auto files = candidates_ending_in("_bug.cu");
  const Graded checked = check_neighbour_sum(files);
  ASSERT_TRUE(checked.record.is_object()) << checked.output;
  EXPECT_EQ(checked.exit_code, 1);
  ASSERT_EQ(checked.record["candidates"].size(), files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    expect_marked_findings(checked.record["candidates"][i], files[i], ran_on_gpu(checked.record));
  }
}

TEST(Check, FindsNothingInTheTwinsWithoutTheFault) {
  const Graded checked = check_neighbour_sum(candidates_ending_in("_clean.cu"));
  ASSERT_TRUE(checked.record.is_object()) << checked.output;
  EXPECT_EQ(checked.exit_code, 0);
  for (const json& candidate : checked.record["candidates"]) {
    EXPECT_EQ(candidate["status"], "clean") << candidate.dump(1);
  }
}

TEST(Check, EveryFaultHasATwin) {
  const auto bugs = candidates_ending_in("_bug.cu");
  std::vector<std::string> twins;
  for (const std::string& bug : bugs) twins.push_back(bug.substr(0, bug.size() - 6) + "clean.cu");
  EXPECT_EQ(candidates_ending_in("_clean.cu"), twins);
  std::set<std::string> kinds;
  for (const std::string& path : bugs) {
    for (const Mark& mark : marks_in(path)) kinds.insert(mark.kind);
  }
  EXPECT_THAT(kinds, testing::ElementsAre("divergent_barrier", "host_access", "invalid_address", "leak",
                                          "misaligned_access", "out_of_bounds", "race", "uninitialized_read",
                                          "unjoined_stream", "warp_mask"));
}

TEST(Check, TheShippedSolutionsAreClean) {
  for (const std::string& slug : slugs_of_different_solutions()) {
    const Graded checked = check({slug, "solutions/" + slug + "/naive.cu"});
    EXPECT_EQ(checked.exit_code, 0) << checked.output;
  }
}

TEST(Check, SaysWhichOrdersGiveAWrongAnswer) {
  const Result result =
      kgrade({"check", "neighbour-sum", folder + "candidates/race_in_order_bug.cu", "--problems",
              folder + "problems", "--device", "emulated", "--case", "four-blocks"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("the answer is wrong in reverse and shuffled order"));
}

TEST(Check, PrintsPlaceLineThreadAndRemedy) {
  const std::string path = folder + "candidates/global_write_bug.cu";
  const Result result = kgrade({"check", "neighbour-sum", path, "--problems", folder + "problems", "--device",
                                "emulated", "--order", "forward"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output,
              HasSubstr(path + ":7: out_of_bounds: writes 4 bytes, just past the end of `out` (1024 bytes)"));
  EXPECT_THAT(result.output, HasSubstr("7 | out[i] = sum;"));
  EXPECT_THAT(result.output,
              HasSubstr("kernel neighbour_sum, block (4,0,0), thread (0,0,0), case four-blocks"));
  EXPECT_THAT(result.output, HasSubstr("compare the index with the extent"));
  EXPECT_THAT(result.output, HasSubstr("skipped large:"));
  EXPECT_THAT(result.output, Not(HasSubstr("\033")));
  EXPECT_THAT(result.left_behind, IsEmpty());
}

TEST(Check, AHeaderBesideTheCandidateIsItsOwnSource) {
  const ScratchFile scratch("mine.cu",
                            "#include \"sum.cuh\"\n"
                            "extern \"C\" void solution(const float* in, float* out, size_t n) {\n"
                            "  sum<<<n / 64 + 1, 64>>>(in, out, n);\n}\n");
  std::ofstream(scratch.directory() + "/sum.cuh")
      << "#pragma once\n"
         "__device__ void put(float* out, size_t i, float value) { out[i] = value; }\n"
         "__global__ void sum(const float* in, float* out, size_t n) {\n"
         "  const size_t i = blockIdx.x * 64 + threadIdx.x;\n"
         "  put(out, i, i < n ? in[i] + in[i ^ 1] : 0.0f);\n}\n";
  const Graded checked = check_neighbour_sum({scratch.path()});
  ASSERT_TRUE(checked.record.is_object()) << checked.output;
  const json& findings = checked.record["candidates"][0]["findings"];
  ASSERT_EQ(findings.size(), 1u) << findings.dump(1);
  EXPECT_EQ(findings[0]["place"]["file"], scratch.directory() + "/sum.cuh");
  EXPECT_EQ(findings[0]["place"]["line"], 2);
}

TEST(Check, ACandidateThatDoesNotCompileIsNotClean) {
  const ScratchFile scratch("mine.cu", "extern \"C\" void solution(");
  const Graded checked = check_neighbour_sum({scratch.path()});
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_EQ(checked.record["candidates"][0]["status"], "compile_error");
  EXPECT_THAT(checked.record["candidates"][0]["findings"], IsEmpty());
}

TEST(Check, AnEndlessKernelIsATimeLimit) {
  const Graded checked =
      check({"conv-transpose-2d-sq-input-asym-kernel",
             planted("candidates/conv-transpose-2d-sq-input-asym-kernel/endless-kernel.cu"), "--case", "tiny",
             "--time-limit", "2"});
  EXPECT_EQ(checked.exit_code, 1);
  ASSERT_TRUE(checked.record.is_object()) << checked.output;
  std::set<std::string> kinds;
  for (const json& finding : checked.record["candidates"][0]["findings"]) kinds.insert(finding["kind"]);
  EXPECT_TRUE(kinds.contains("time_limit")) << checked.output;
}

TEST(Check, ARunIsRepeatedByItsSeed) {
  if (test_device().starts_with("cuda")) GTEST_SKIP() << "a GPU runs threads in an order of its own";
  const std::vector<std::string> arguments = {folder + "candidates/missing_barrier_bug.cu", "--seed", "7"};
  const Graded first = check_neighbour_sum(arguments);
  const Graded second = check_neighbour_sum(arguments);
  EXPECT_EQ(first.record["seed"], "7");
  EXPECT_EQ(first.record["candidates"][0]["findings"], second.record["candidates"][0]["findings"]);
}

TEST(Check, WrongUsageIsExitCodeTwo) {
  const std::string naive = "solutions/" + depthwise + "/naive.cu";
  EXPECT_EQ(kgrade({"check", depthwise}).exit_code, 2);
  EXPECT_EQ(kgrade({"check", depthwise, "/nowhere.cu", "--device", "emulated"}).exit_code, 2);
  EXPECT_EQ(kgrade({"check", depthwise, naive, "--device", "emulated", "--order", "backwards"}).exit_code, 2);
  EXPECT_EQ(kgrade({"check", depthwise, naive, "--device", "emulated", "--case", "nil"}).exit_code, 2);
  EXPECT_EQ(kgrade({"check", depthwise, naive, "--device", "cuda", "--order", "reverse"}).exit_code, 2);
}

}  // namespace kgrade::test::check_test
