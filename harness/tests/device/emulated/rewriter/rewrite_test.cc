#include "device/emulated/rewriter/rewrite.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <utility>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "compile/layout.h"

namespace kgrade::emulated::rewrite_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class RewriteTreeTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    const fs::path path = folder_.path() / "in" / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  Result<RewrittenTree> rewrite(const std::vector<std::string>& include_directories = {}) {
    RewriteRequest request;
    request.source = folder_.path() / "in" / "main.cu";
    request.shown_as = "user/main.cu";
    for (const std::string& name : include_directories) {
      request.include_directories.push_back(folder_.path() / "in" / name);
    }
    request.device_headers = Layout::find().share / "emulated";
    request.output_directory = folder_.path() / "out";
    return rewrite_tree(request);
  }

  std::string text_of(const fs::path& path) { return read_text_file(path).value(); }
  // The rewritten copy of the header that is the nth file of the tree.
  std::string copy(int number, const std::string& name) {
    return text_of(folder_.path() / "out" / "rewritten" / (std::to_string(number) + "_" + name));
  }

  TemporaryDirectory folder_;
};

TEST(RewriteText, LeavesStringsCommentsAndOrdinaryCodeAlone) {
  const std::string text =
      "// k<<<1, 2>>>();\n/* __shared__ int a; */\nconst char* s = \"k<<<1, 2>>>(); __shared__ int b;\";\n"
      "auto r = R\"x(\n __shared__ int c; )x\";\nint y = a < b << 3 >> 1;\n#define TEXT \"<<<1,2>>>\"\n";
  const auto result = rewrite_text(text, "x.cu");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(*result, text);
}

TEST(RewriteText, KeepsEveryLineWhereItWas) {
  const std::string text =
      "__global__ void k(int* p) {\n  __shared__ int a[2],\n    b;\n}\n#define GO(k, p) \\\n  k<<<1, \\\n    "
      "2>>>(p)\n"
      "void f(int* p) {\n  k<<<\n    1,  // one\n    2>>>(\n    p);\n}\nint last_line;\n";
  const auto result = rewrite_text(text, "x.cu");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(std::count(result->begin(), result->end(), '\n'), std::count(text.begin(), text.end(), '\n'));
  const auto line_of = [](const std::string& in, const std::string& what) {
    return std::count(in.begin(), in.begin() + static_cast<long>(in.find(what)), '\n');
  };
  for (const char* what : {"#define GO", "void f(", "int last_line"})
    EXPECT_EQ(line_of(*result, what), line_of(text, what));
  EXPECT_THAT(*result, HasSubstr("launcher<KGRADE_EMULATED_BLOCK_MODE>"));
}

// What stands in `text` after each #.
std::string directives_of(const std::string& text) {
  const auto result = rewrite_text(text, "x.cu");
  EXPECT_TRUE(result.ok());
  std::string directives;
  for (std::size_t at = result->find('#'); at != std::string::npos; at = result->find('#', at + 1)) {
    directives += result->substr(at, result->find('\n', at) - at) + ";";
  }
  return directives;
}

TEST(RewriteText, TakesTheDevicesViewOfConditionsAroundDeviceCode) {
  EXPECT_EQ(directives_of("__global__ void k() {\n#if __CUDA_ARCH__ >= 700\nf();\n#endif\n}\n"),
            "#if 900 >= 700;#endif;");
  EXPECT_EQ(directives_of("__device__ void k() {\n#ifdef __CUDA_ARCH__\nf();\n#else\ng();\n#endif\n}\n"),
            "#if 1;#else;#endif;");
  EXPECT_EQ(
      directives_of("#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 600)\n__device__ void f();\n#endif\n"),
      "#if 1 && (900 < 600);#endif;");
}

TEST(RewriteText, KeepsTheHostsViewOfOtherConditions) {
  const std::string both = "__host__ __device__ void k() {\n#ifdef __CUDA_ARCH__\nf();\n#endif\n}\n";
  EXPECT_EQ(directives_of(both), "#ifdef __CUDA_ARCH__;#endif;");
  EXPECT_EQ(directives_of("#ifndef __CUDA_ARCH__\nint host;\n#endif\n"), "#ifndef __CUDA_ARCH__;#endif;");
  EXPECT_EQ(directives_of("void h() {\n#ifdef __CUDA_ARCH__\nf();\n#endif\n}\n"),
            "#ifdef __CUDA_ARCH__;#endif;");
}

TEST(RewriteText, PrefersTheBranchThatCanRun) {
  const std::string ptx = "asm volatile(\"bar.sync 0;\");";
  EXPECT_EQ(
      directives_of("__global__ void k() {\n#if __CUDA_ARCH__ >= 800\n" + ptx + "\n#else\nf();\n#endif\n}\n"),
      "#if __CUDA_ARCH__ >= 800;#else;#endif;");
  EXPECT_EQ(directives_of("__global__ void k() {\n#if __CUDA_ARCH__ >= 800\n" + ptx + "\n#endif\n}\n"),
            "#if 900 >= 800;#endif;");
}

TEST(RewriteText, WritesNoinlineSoThatTheStandardLibraryStillCompiles) {
  const auto result =
      rewrite_text("__device__ __noinline__ void f();\n__attribute__((__noinline__)) void g();\n", "x.cu");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(*result,
            "__device__ __attribute__((noinline)) void f();\n__attribute__((__noinline__)) void g();\n");
}

TEST_F(RewriteTreeTest, RewritesHeadersBesideTheSourceAndInIncludeDirectories) {
  write("main.cu", "#include \"near.cuh\"\n#include <ops/far.cuh>\n#include <vector>\nint x;\n");
  write("near.cuh", "#pragma once\n#include \"deep/deeper.cuh\"\n");
  write("deep/deeper.cuh", "#include \"beside.cuh\"\n");
  write("deep/beside.cuh", "void f() { k<<<1, 2>>>(); }\n");
  write("dirs/ops/far.cuh", "#include \"ops/other.cuh\"\n");
  write("dirs/ops/other.cuh", "int other;\n");
  const auto tree = rewrite({"dirs"});
  ASSERT_TRUE(tree.ok()) << to_string(tree.errors());
  EXPECT_EQ(tree->files, 6u);
  EXPECT_THAT(text_of(tree->source), HasSubstr("#include <vector>\nint x;\n"));
  EXPECT_THAT(text_of(tree->source),
              testing::StartsWith("#line 1 \"user/main.cu\"\n#include \"" +
                                  (folder_.path() / "out/rewritten/1_near.cuh").string()));
  EXPECT_THAT(copy(1, "near.cuh"), testing::StartsWith("#line 1 \"user/near.cuh\"\n#pragma once\n"));
  EXPECT_THAT(copy(3, "beside.cuh"), testing::StartsWith("#line 1 \"user/deep/beside.cuh\"\n"));
  EXPECT_THAT(copy(3, "beside.cuh"), HasSubstr("kgrade_emulated::launcher"));
  EXPECT_THAT(copy(5, "other.cuh"), HasSubstr("int other;"));
}

TEST_F(RewriteTreeTest, RewritesAHeaderOnceAndSurvivesCycles) {
  write("main.cu", "#include \"a.cuh\"\n#include \"sub/../a.cuh\"\n");
  write("a.cuh", "#pragma once\n#include \"b.cuh\"\n");
  write("b.cuh", "#pragma once\n#include \"a.cuh\"\n#include \"main.cu\"\n");
  fs::create_directories(folder_.path() / "in/sub");
  const auto tree = rewrite();
  ASSERT_TRUE(tree.ok()) << to_string(tree.errors());
  EXPECT_EQ(tree->files, 3u);
}

TEST_F(RewriteTreeTest, KnowsWhetherThreadsCooperate) {
  write("main.cu", "#include \"a.cuh\"\n// __syncthreads();\nconst char* s = \"__shared__\";\n");
  write("a.cuh", "int a;\n");
  EXPECT_FALSE(rewrite()->threads_cooperate);
  for (const char* line : {"__syncthreads();", "__shared__ int a;", "#define SUM __shfl_down_sync(m, v, 1)",
                           "x = __ballot_sync(m, p);", "__syncwarp();"}) {
    write("a.cuh", line);
    EXPECT_TRUE(rewrite()->threads_cooperate) << line;
  }
}

TEST_F(RewriteTreeTest, NamesTheHeaderOfALibraryThatIsNotThere) {
  write("main.cu", "#include <vector>\n#include <cub/cub.cuh>\n");
  const auto tree = rewrite();
  ASSERT_FALSE(tree.ok());
  EXPECT_EQ(
      to_string(tree.error()),
      "user/main.cu:2: error: CUB (<cub/cub.cuh>) cannot run on the emulated device\n  hint: run it on a "
      "GPU: --device cuda");
}

TEST_F(RewriteTreeTest, ReportsALineOfAHeaderByTheHeadersName) {
  write("main.cu", "#include \"sub/a.cuh\"\n");
  write("sub/a.cuh", "\n\ncudaGraph_t g;\n");
  const auto tree = rewrite();
  ASSERT_FALSE(tree.ok());
  EXPECT_EQ(tree.error().location.file, "user/sub/a.cuh");
  EXPECT_EQ(tree.error().location.line, 3);
}

TEST_F(RewriteTreeTest, PrefersALocalHeaderToALibrarysName) {
  write("main.cu", "#include \"cub/cub.cuh\"\n");
  write("cub/cub.cuh", "int mine;\n");
  EXPECT_TRUE(rewrite().ok());
}

TEST_F(RewriteTreeTest, TakesOtherEncodingsAndByteOrderMarks) {
  write("main.cu", "\xef\xbb\xbf#include \"a.cuh\"\r\nint \xc3\xa4;\r\n");
  write("a.cuh", "int a;  // \xff\n");
  const auto tree = rewrite();
  ASSERT_TRUE(tree.ok()) << to_string(tree.errors());
  EXPECT_THAT(text_of(tree->source), testing::StartsWith("#line 1 \"user/main.cu\"\n#include \"/"));
  EXPECT_THAT(text_of(tree->source), testing::EndsWith("\r\nint \xc3\xa4;\r\n"));
  EXPECT_EQ(copy(1, "a.cuh"), "#line 1 \"user/a.cuh\"\nint a;  // ?\n");
}

TEST_F(RewriteTreeTest, KnowsQualifierMacrosOfHeaders) {
  write("main.cu", "#include \"a.cuh\"\nKERNEL void k() {\n  SHARED_FLOAT a[4];\n}\n");
  write("a.cuh", "#define KERNEL __global__\n#define SHARED_FLOAT __shared__ float\n");
  const auto tree = rewrite();
  ASSERT_TRUE(tree.ok()) << to_string(tree.errors());
  EXPECT_THAT(text_of(tree->source), HasSubstr("\nKERNEL void k() {\n  float (&a)[4] = "));
}

TEST_F(RewriteTreeTest, SaysWhenTheSourceIsNotThere) {
  const auto tree = rewrite();
  ASSERT_FALSE(tree.ok());
  EXPECT_THAT(to_string(tree.error()), HasSubstr("main.cu"));
}

TEST_F(RewriteTreeTest, WritesBelowTheOutputDirectoryOnly) {
  write("main.cu", "#include \"../in/a.cuh\"\n#include \"/etc/passwd\"\n");
  write("a.cuh", "int a;\n");
  ASSERT_TRUE(rewrite().ok());
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), folder_.path()).string());
  }
  std::sort(files.begin(), files.end());
  EXPECT_THAT(files,
              ElementsAre("in/a.cuh", "in/main.cu", "out/rewritten/0_main.cu", "out/rewritten/1_a.cuh"));
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

// Hostile texts: a search that starts again at each bracket takes hours, and a recursive one runs out of
// stack. They must come out unchanged or be refused.
TEST(Rewriting, EndsWhateverBracketsAreThere) {
  EXPECT_TRUE(rewrite_text("void g() { f" + repeated("()", 400'000) + "<<<1, 1>>>(); }", "x.cu").ok());
  for (const std::string part :
       {"f<<<(", "__shared__ (", "__shared__ int a[", "__global__ void f() {", "f<(", "x = [] ("}) {
    const auto result = rewrite_text(repeated(part, 100'000), "x.cu");
    if (!result.ok()) {
      EXPECT_THAT(result.error().message, testing::HasSubstr("brackets")) << part;
    }
    const auto closed = rewrite_text(repeated(part, 100'000) + repeated(")", 100'000), "x.cu");
    if (!closed.ok()) {
      EXPECT_THAT(closed.error().message, testing::HasSubstr("brackets")) << part;
    }
  }
}

TEST(Rewriting, EndsWhateverIsRepeated) {
  const std::size_t many = 60'000;
  const std::string long_word(100'000, 'x');
  const std::pair<std::string, bool> texts[] = {
      {"__global__ void k() { " + repeated("__shared__ int a;\n", many) + "}", true},
      {"__global__ void k() { " + repeated("__shared__ int a; auto f = [] { return a; };\n", many / 4) + "}",
       false},
      {"__global__ void k() { " + repeated("__shared__ ", many) + "}", false},
      {repeated("__global__ ", many), false},
      {repeated("k<<<", many), false},
      {"#if 0\n" + repeated("asm ", many) + "\n#endif\n", false},
      {repeated("#if __CUDA_ARCH__\n", many / 4) + repeated("int a;\n", many) +
           repeated("#endif\n", many / 4),
       false},
      {"__shared__ std::array<int, " + long_word + "> a" + repeated(", a", many) + ";", false},
      {repeated("(", 8000) + "k" + repeated(")<<<1, 1>>>()", 8000), false},
      {repeated("R\"\n", 400'000), true},
  };
  for (const auto& [text, is_read] : texts) {
    const std::clock_t start = std::clock();
    const auto result = rewrite_text(text, "x.cu");
    EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 20) << text.substr(0, 80);
    EXPECT_EQ(result.ok(), is_read) << text.substr(0, 80);
    if (!result.ok()) {
      EXPECT_THAT(result.error().message, testing::HasSubstr("takes too long to read"));
    }
  }
}

TEST(Rewriting, StopsExpandingQualifiersBeforeTheyFillTheMemory) {
  const std::string text = "#define Q " + repeated("__host__ ", 10'000) + "\n" + repeated("Q ", 20'000);
  EXPECT_TRUE(rewrite_text(text, "x.cu").ok());
}

}  // namespace kgrade::emulated::rewrite_test
