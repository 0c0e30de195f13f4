// `kgrade check` on kernels with one bug each (harness/tests/checks): the findings are exactly those that
// comments mark, at their lines, and the twins without the bug have none.
//
// "// finding: race" marks a line. "(gpu: any)" after it says that compute-sanitizer may or may not find it,
// and "(gpu: runtime_error)" what it finds instead, without a line. "// finding on a gpu: ..." marks what is
// found only there.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/support/command.h"
#include "tests/support/ended.h"

namespace kgrade::test::check_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
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
  EXPECT_THAT(kgrade({"check", "neighbour-sum", folder + "candidates/race_in_order_bug.cu", "--problems",
                      folder + "problems", "--device", "emulated", "--case", "four-blocks"}),
              Ended(1, HasSubstr("the answer is wrong in reverse and shuffled order")));
}

TEST(Check, PrintsPlaceLineThreadAndRemedy) {
  const std::string path = folder + "candidates/global_write_bug.cu";
  EXPECT_THAT(
      kgrade({"check", "neighbour-sum", path, "--problems", folder + "problems", "--device", "emulated",
              "--order", "forward"}),
      EndedCleanly(
          1, HasSubstr(path + ":7: out_of_bounds: writes 4 bytes, just past the end of `out` (1024 bytes)"),
          HasSubstr("7 | out[i] = sum;"),
          HasSubstr("kernel neighbour_sum, block (4,0,0), thread (0,0,0), case four-blocks"),
          HasSubstr("compare the index with the extent"), HasSubstr("skipped large:"),
          Not(HasSubstr("\033"))));
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

// `kgrade profile` on the emulated device, with kernels whose counts are known by hand
// (harness/tests/profiles). Their case has a matrix of 64 x 64 elements: 128 requests of a warp for each pass
// over it.

const std::string profiles = "harness/tests/profiles/";

std::vector<std::string> command_for(const std::vector<std::string>& names) {
  std::vector<std::string> arguments = {"profile",  "square-transpose", "--device",
                                        "emulated", "--problems",       profiles + "problems"};
  for (const std::string& name : names)
    arguments.push_back(name == "reference" ? name : profiles + "candidates/" + name);
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
  EXPECT_EQ(kernel["rules"][0]["place"]["file"], profiles + "candidates/columns.cu");
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
  EXPECT_THAT(kgrade(arguments), Ended(0, HasSubstr("beside each other"), HasSubstr("second / first"),
                                       HasSubstr("square-transpose.cu"), HasSubstr("3968")));
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
  EXPECT_THAT(kgrade(arguments), Ended(2, HasSubstr("one case is profiled")));
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

}  // namespace kgrade::test::check_test
