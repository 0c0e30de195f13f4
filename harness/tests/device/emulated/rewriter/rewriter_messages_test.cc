#include <gmock/gmock.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "compile/layout.h"
#include "compile/nvcc_toolchain.h"
#include "device/emulated/rewriter/rewrite.h"
#include "device/emulated/rewriter/unsupported.h"
#include "device/emulated/toolchain/emulated_toolchain.h"
#include "tests/compile/one_output.h"

namespace kgrade::emulated::rewriter_messages_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

RewriteRequest request() {
  RewriteRequest request;
  request.source = "/home/a b/it's.cu";
  request.shown_as = "-I";
  request.output_directory = "/tmp/out";
  request.device_headers = "/opt/headers";
  return request;
}

TEST(RewriterArguments, CarryAWholeRequest) {
  RewriteRequest all = request();
  all.include_directories = {"/one", "--readable"};
  all.readable = {"/one/a.cuh", "-I", ""};
  const auto read = to_request(to_arguments(all));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->source, all.source);
  EXPECT_EQ(read->shown_as, all.shown_as);
  EXPECT_EQ(read->output_directory, all.output_directory);
  EXPECT_EQ(read->device_headers, all.device_headers);
  EXPECT_EQ(read->include_directories, all.include_directories);
  EXPECT_EQ(read->readable, all.readable);
}

// One may read all files, the other none.
TEST(RewriterArguments, TellNoRuleFromAnEmptyOne) {
  RewriteRequest none = request();
  EXPECT_EQ(to_request(to_arguments(none))->readable, std::nullopt);
  none.readable.emplace();
  EXPECT_THAT(to_request(to_arguments(none))->readable, testing::Optional(ElementsAre()));
}

TEST(RewriterArguments, OthersAreNoRequest) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {}, {"a", "b", "c"}, {"a", "b", "c", "d", "e"}, {"a", "b", "c", "d", "-I"}}) {
    EXPECT_FALSE(to_request(arguments));
  }
}

TEST(RewriterAnswer, CarriesATree) {
  const auto read = read_answer(to_answer(RewrittenTree{"/elsewhere", 3, true}), request());
  ASSERT_TRUE(read && read->ok());
  EXPECT_EQ((*read)->source, "/tmp/out/rewritten/0_it's.cu") << "where the request says";
  EXPECT_EQ((*read)->files, 3u);
  EXPECT_TRUE((*read)->threads_cooperate);
}

TEST(RewriterAnswer, CarriesAnErrorInOneLine) {
  const std::string answer = to_answer(Error{"line one\nline two", unsupported_remedy, {"a\xff.cu", 12, 0}});
  EXPECT_EQ(answer.find('\n'), std::string::npos);
  const auto read = read_answer(answer, request());
  ASSERT_TRUE(read && !read->ok());
  EXPECT_EQ(read->error().message, "line one\nline two");
  EXPECT_EQ(read->error().remedy, unsupported_remedy);
  EXPECT_EQ(read->error().location.file, "a\xef\xbf\xbd.cu");
  EXPECT_EQ(read->error().location.line, 12);
}

TEST(RewriterAnswer, OtherTextsAreNone) {
  for (const char* text :
       {"", "{", "[]", "{}", "1", "null", R"({"files":1})", R"({"files":-1,"threads_cooperate":true})",
        R"({"files":1,"threads_cooperate":1})", R"({"error":"a","remedy":"","file":"","line":-1})",
        R"({"error":"a","remedy":"","file":"","line":1e300})",
        R"({"error":["a"],"remedy":"","file":"","line":1})",
        R"({"error":"a","remedy":"","file":"","line":4294967297})",
        "{\"files\":1,\"threads_cooperate\":true} x"}) {
    EXPECT_FALSE(read_answer(text, request())) << text;
  }
  EXPECT_FALSE(read_answer(std::string(100'000, '['), request()));
}

// What a source must offer under the name of `solution`: the emulated device and nvcc say the same.

constexpr const char* write_this = "; write: extern \"C\" void solution(float* output)";
constexpr const char* body = "(float* out) { *out = 1; }\n";

class SolutionSymbol : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "emulated") {
      const Layout layout = Layout::find();
      toolchain_ = std::make_unique<EmulatedToolchain>(*find_host_compiler(), layout.share / "emulated",
                                                       nullptr, fs::path(), layout.workers / "precompiled");
    } else if (const auto nvcc = find_nvcc()) {
      toolchain_ = std::make_unique<NvccToolchain>(*nvcc, "sm_90", nullptr);
    } else {
      GTEST_SKIP() << "nvcc is not installed";
    }
  }

  BuildOutcome build(const std::string& source) {
    const TemporaryDirectory folder;
    std::ofstream(folder.path() / "mine.cu") << source;
    BuildRequest request;
    request.source = folder.path() / "mine.cu";
    request.shown_as = "mine.cu";
    request.output_directory = folder.path() / "out";
    fs::create_directories(request.output_directory);
    const auto outcome = toolchain_->build(test::one_output(), request);
    EXPECT_TRUE(outcome.ok());
    return outcome.ok() ? *outcome : BuildOutcome{};
  }

  void expect_refused(const std::string& source, const std::string& message) {
    const BuildOutcome outcome = build(source);
    EXPECT_EQ(outcome.status, BuildStatus::signature_mismatch) << source << outcome.log;
    EXPECT_THAT(outcome.message, HasSubstr(message)) << source;
    EXPECT_THAT(outcome.message, HasSubstr(write_this)) << source;
  }

  std::unique_ptr<Toolchain> toolchain_;
};

TEST_P(SolutionSymbol, IsTheCName) {
  EXPECT_EQ(build(std::string("extern \"C\" void solution") + body).status, BuildStatus::built);
  EXPECT_EQ(build(std::string("extern \"C\" { void solution(float*); }\nvoid solution") + body).status,
            BuildStatus::built);
  expect_refused(std::string("void solution") + body,
                 "'solution' lacks extern \"C\": the library has it as the C++ function _Z8solutionPf");
  expect_refused(std::string("namespace mine {\nvoid solution") + body + "}\nusing mine::solution;\n",
                 "it as the C++ function _ZN4mine8solutionEPf");
}

TEST_P(SolutionSymbol, IsSeenFromOutsideOfTheFile) {
  const std::string unseen = "'solution' cannot be seen from outside of the file";
  expect_refused(std::string("static void solution") + body, unseen);
  expect_refused(std::string("namespace {\nvoid solution") + body + "}\n", unseen);
  // It is called by its address, so that the compiler emits it.
  EXPECT_EQ(build(std::string("extern \"C\" inline void solution") + body).status, BuildStatus::built);
}

TEST_P(SolutionSymbol, IsDefined) {
  expect_refused("extern \"C\" void solution(float*);\n",
                 "the file declares 'solution' but does not define it");
  expect_refused("void other() {}\n", "the file defines no function 'solution'");
}

// A file may have a main() of its own for trying it out; it plays no part.
TEST_P(SolutionSymbol, MainMayBeThereToo) {
  EXPECT_EQ(build(std::string("extern \"C\" void solution") + body + "int main() { return 0; }\n").status,
            BuildStatus::built);
}

INSTANTIATE_TEST_SUITE_P(Toolchains, SolutionSymbol, testing::Values("emulated", "nvcc"),
                         [](const auto& toolchain) { return std::string(toolchain.param); });

}  // namespace kgrade::emulated::rewriter_messages_test
