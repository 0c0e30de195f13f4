// Candidates that are documents: the answer of a language model, with prose around its code.
#include <gmock/gmock.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "sandbox/sandbox.h"
#include "tests/support/command.h"
#include "tests/support/ended.h"

namespace kgrade::test::documents_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const std::string slug = "conv-depthwise-2d-square-input-asym-kernel";

class Documents : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& content) const {
    fs::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << content;
    return (folder_.path() / name).string();
  }

  static std::string kernel(const std::string& file = "solutions/" + slug + "/naive.cu") {
    return *read_text_file(fs::path(KGRADE_SOURCE_DIR) / file);
  }

  // The code begins in line 7.
  static std::string answer(const std::string& code) {
    return "Build it like this, with what you have:\n```sh\nmake\n```\nThe kernel:\n```cuda\n" + code +
           "```\nIt is fast.\n";
  }

  TemporaryDirectory folder_;
};

TEST_F(Documents, AreGradedByTheirLastSubmission) {
  const std::string code = kernel();
  const auto last = 6 + std::count(code.begin(), code.end(), '\n');
  const std::string file = write("answer.txt", answer(code));
  const Graded graded = grade({slug, file, "--case", "tiny"}, "emulated");
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  EXPECT_EQ(graded.exit_code, 0);
  const json& candidate = graded.record["candidates"][0];
  EXPECT_EQ(candidate["verdict"], "accepted");
  EXPECT_EQ(candidate["path"], file);
  EXPECT_EQ(candidate["lines"], json({7, last}));
  EXPECT_EQ(candidate["sha256"], sha256_hex(answer(code))) << "of the whole document";
  EXPECT_THAT(graded.left_behind, testing::IsEmpty());
  const Result table = kgrade({"grade", slug, file, "--case", "tiny", "--device", "emulated"});
  EXPECT_THAT(table.output, HasSubstr(file + "  lines 7 to " + std::to_string(last)));
  const Graded whole = grade({slug, "solutions/" + slug + "/naive.cu", "--case", "tiny"}, "emulated");
  EXPECT_FALSE(whole.record["candidates"][0].contains("lines"));
}

TEST_F(Documents, IncludeWhatLiesBesideThem) {
  write("scale.cuh", "#define SCALE 1\n");
  const std::string code = "#include \"scale.cuh\"\n#if SCALE != 1\n#error another scale\n#endif\n";
  const std::string file = write("answer.md", answer(code + kernel()));
  const Program cached = {KGRADE_PROGRAM, {"KGRADE_CACHE_DIR=" + (folder_.path() / "cache").string()}};
  const auto verdict_and_cached = [&] {
    const Graded graded = grade({slug, file, "--case", "tiny"}, "emulated", cached);
    const json& candidate = graded.record["candidates"][0];
    return std::pair(candidate["verdict"].get<std::string>(), candidate["compile"]["cached"].get<bool>());
  };
  const bool caches = Sandbox::probe(KGRADE_LAUNCHER).confines();
  EXPECT_EQ(verdict_and_cached(), std::pair(std::string("accepted"), false));
  EXPECT_EQ(verdict_and_cached(), std::pair(std::string("accepted"), caches));
  write("scale.cuh", "#define SCALE 2\n");
  EXPECT_EQ(verdict_and_cached(), std::pair(std::string("compile_error"), false));
  write("answer.md", answer(kernel()));
  EXPECT_EQ(verdict_and_cached(), std::pair(std::string("accepted"), false));
}

TEST_F(Documents, AreNamedInMessagesWithTheirOwnLines) {
  const std::string file = write("answer.md", answer("int x = undeclared;\n" + kernel()));
  const Graded graded = grade({slug, file, "--case", "tiny"}, "emulated");
  EXPECT_THAT(graded.record["candidates"][0]["message"].get<std::string>(), HasSubstr(file + ":7:9: error:"));
}

TEST_F(Documents, AreCheckedAtTheirOwnLines) {
  const std::string bug = kernel(planted("checks/candidates/global_read_bug.cu"));
  const std::string before = bug.substr(0, bug.find("// finding"));
  const auto line = 7 + std::count(before.begin(), before.end(), '\n');
  const std::string file = write("answer.md", answer(bug));
  const Result result = kgrade({"check", "neighbour-sum", file, "--problems", "harness/tests/checks/problems",
                                "--device", "emulated", "--json", "-"});
  const json record = json::parse(result.output, nullptr, false);
  ASSERT_TRUE(record.is_object()) << result.output;
  const json& candidate = record["candidates"][0];
  EXPECT_EQ(candidate["lines"][0], 7);
  ASSERT_EQ(candidate["findings"].size(), 1u) << result.output;
  EXPECT_EQ(candidate["findings"][0]["place"]["file"], file);
  EXPECT_EQ(candidate["findings"][0]["place"]["line"], line);
  EXPECT_THAT(candidate["findings"][0]["place"]["text"].get<std::string>(), HasSubstr("in[i]"));
}

TEST_F(Documents, AreFoundBySweepsAmongOtherTexts) {
  write(slug + "/answer.md", answer(kernel()));
  write(slug + "/README.md", "# Notes\nThis is what the kernels are.\n```sh\nmake\n```\n");
  write(slug + "/helpers.py", "def helper():\n    pass\n");
  write(slug + "/plain.cu", kernel());
  EXPECT_THAT(kgrade({"sweep", "--device", "emulated", "--only", slug, "--solutions",
                      folder_.path() / slug / "*", "--output", folder_.path() / "out.jsonl"}),
              Ended(0, HasSubstr("2 candidates: 2 accepted")));
  std::ifstream results(folder_.path() / "out.jsonl");
  for (std::string line; std::getline(results, line);) {
    const json candidate = json::parse(line)["candidates"][0];
    const bool is_document = candidate["path"].get<std::string>().ends_with(".md");
    EXPECT_EQ(candidate.contains("lines"), is_document) << candidate["path"];
  }
}

// What a candidate prints in sample cases is shown on request, and nowhere else.

const std::string problems = "harness/tests/checks/problems";

// Right, with `statement` in each thread and `host` before the launch.
std::string kernel(const std::string& statement, const std::string& host) {
  return "#include <cuda_runtime.h>\n#include <cstdio>\n"
         "__global__ void neighbour_sum(const float* in, float* out, size_t n) {\n"
         "  const size_t i = blockIdx.x * 64 + threadIdx.x;\n  if (i >= n) return;\n  out[i] = in[i] + in[i "
         "^ 1];\n  " +
         statement +
         "\n}\nextern \"C\" void solution(const float* in, float* out, size_t n) {\n  static int call = 0;\n "
         " " +
         host + "\n  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n);\n}\n";
}

Result table_of(const ScratchFile& file, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"grade",  "neighbour-sum", file.path(),  "--problems",
                                        problems, "--device",      test_device()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return kgrade(arguments);
}

TEST(Printing, OfSampleCasesIsShownOnRequest) {
  const ScratchFile file("loud.cu", kernel("if (i < 2) printf(\"thread %d\\n\", (int)i);",
                                           "printf(\"call \\033[31m%d\\n\", ++call);"));
  EXPECT_THAT(table_of(file, {}), Ended(0, Not(HasSubstr("thread 0"))));
  const Result verbose = table_of(file, {"--verbose"});
  EXPECT_THAT(verbose.output, HasSubstr("\n    call \\x1b[31m1\n"));
  EXPECT_THAT(verbose.output, HasSubstr("\n    thread 0\n    thread 1\n"));
  EXPECT_THAT(verbose.output, Not(HasSubstr("call \\x1b[31m2"))) << "of the first call only";
  EXPECT_THAT(verbose.output, Not(HasSubstr("\033[31m1")));
}

TEST(Printing, IsBoundedAndKeptForSampleCasesOnly) {
  const ScratchFile file("loud.cu",
                         kernel("", "for (int i = 0; i < 100000; ++i) printf(\"line %d\\n\", i);"));
  const Graded graded = grade({"neighbour-sum", file.path(), "--problems", problems});
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  int samples = 0;
  for (const json& one : graded.record["candidates"][0]["cases"]) {
    const bool is_sample = one["role"] == "sample" && one["run"] == true;
    samples += is_sample ? 1 : 0;
    ASSERT_EQ(one.contains("printed"), is_sample) << one["name"];
    if (!is_sample) continue;
    EXPECT_EQ(one["printed"]["lines"].size(), 40u);
    EXPECT_EQ(one["printed"]["cut_off"], true);
    EXPECT_GT(one["printed"]["more_lines"], 1000);
  }
  EXPECT_GE(samples, 1);
}

// When it is needed most.
TEST(Printing, IsShownOfAWrongAnswerAndWithoutALineBreak) {
  const ScratchFile file("wrong.cu", kernel("out[i] += 1;", "printf(\"n is %d\", (int)n);"));
  EXPECT_THAT(table_of(file, {"--verbose"}), Ended(1, HasSubstr("\n    n is ")));
}

}  // namespace kgrade::test::documents_test
