#include "device/emulated/toolchain/emulated_toolchain.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "base/compiler.h"
#include "base/temporary_directory.h"
#include "compile/layout.h"

namespace kgrade::emulated_toolchain_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

Parameter parameter(const std::string& name, const std::string& type, bool pointer, bool is_const) {
  Parameter result;
  result.name = name;
  result.type = type;
  result.pointer = pointer;
  result.is_const = is_const;
  return result;
}

// solution(const float* input, float* output, size_t n)
Problem scale_problem() {
  Problem problem;
  problem.slug = "scale";
  problem.dtypes = {"float32"};
  problem.parameters = {parameter("input", "[VAR]", true, true), parameter("output", "[VAR]", true, false),
                        parameter("n", "size_t", false, true)};
  return problem;
}

class EmulatedToolchainTest : public testing::Test {
 protected:
  BuildOutcome build(const std::string& source, std::chrono::seconds time_limit = std::chrono::seconds(60)) {
    const fs::path path = folder_.path() / "candidate.cu";
    std::ofstream(path) << source;
    const auto compiler = find_host_compiler();
    EXPECT_TRUE(compiler.ok());
    const EmulatedToolchain toolchain(*compiler, headers_, nullptr, rewriter_, precompiled_);
    BuildRequest request;
    request.source = path;
    request.shown_as = "mine/candidate.cu";
    request.output_directory = folder_.path() / "out";
    request.defines = defines_;
    request.time_limit = {time_limit, time_limit};
    request.checked = checked_;
    fs::create_directories(request.output_directory);
    const auto outcome = toolchain.build(scale_problem(), request);
    EXPECT_TRUE(outcome.ok());
    return outcome.ok() ? *outcome : BuildOutcome{};
  }

  TemporaryDirectory folder_;
  std::map<std::string, std::string> defines_;
  fs::path rewriter_ = KGRADE_REWRITER;
  fs::path headers_ = Layout::find().share / "emulated";
  fs::path precompiled_;
  bool checked_ = false;
};

constexpr const char* good =
    "__global__ void scale(const float* in, float* out, size_t n) {\n"
    "  size_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = 2 * in[i];\n"
    "}\n"
    "extern \"C\" void solution(const float* in, float* out, size_t n) {\n"
    "  scale<<<(n + 255) / 256, 256>>>(in, out, n);\n"
    "}\n";

TEST_F(EmulatedToolchainTest, BuildsALibraryAndWritesNowhereElse) {
  const BuildOutcome outcome = build(good);
  ASSERT_EQ(outcome.status, BuildStatus::built) << outcome.log;
  EXPECT_TRUE(fs::exists(outcome.library));
  EXPECT_GT(outcome.seconds, 0);
  EXPECT_THAT(outcome.command, testing::Contains("-O2"));
  const auto entries = std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
  EXPECT_EQ(entries, 2) << "the candidate and the output directory";
}

TEST_F(EmulatedToolchainTest, ReportsTheUsersFileAndLine) {
  const BuildOutcome outcome = build(
      "int a;\nextern \"C\" void solution(const float* in, float* out, size_t n) {\n  missing(in);\n}\n");
  EXPECT_EQ(outcome.status, BuildStatus::compile_error);
  EXPECT_THAT(outcome.message, StartsWith("mine/candidate.cu:3:"));
  EXPECT_THAT(outcome.message, HasSubstr("missing"));
}

TEST_F(EmulatedToolchainTest, KeepsLinesAfterALaunchOverSeveralLines) {
  std::string source = good;
  source.replace(source.find("256>>>"), 6, "\n  256\n>>>");
  const BuildOutcome outcome = build(source + "int broken = undeclared_name;\n");
  EXPECT_EQ(outcome.status, BuildStatus::compile_error);
  EXPECT_THAT(outcome.message, StartsWith("mine/candidate.cu:10:"));
}

TEST_F(EmulatedToolchainTest, NamesAWrongSignatureInTheProblemsWords) {
  const BuildOutcome type = build("extern \"C\" void solution(const float* in, double* out, size_t n) {}\n");
  EXPECT_EQ(type.status, BuildStatus::signature_mismatch) << type.log;
  EXPECT_EQ(type.message, "parameter 2 'output' must be float*, not double*");
  const BuildOutcome count = build("extern \"C\" void solution(const float* in, float* out) {}\n");
  EXPECT_EQ(count.status, BuildStatus::signature_mismatch) << count.log;
  EXPECT_EQ(
      count.message,
      "'solution' takes 2 parameters, the problem has 3; write: extern \"C\" void solution(const float* "
      "input, float* output, size_t n)");
  const BuildOutcome missing = build("void other() {}\n");
  EXPECT_EQ(missing.status, BuildStatus::signature_mismatch) << missing.log;
}

// Instead of pages about templates that no user knows.
TEST_F(EmulatedToolchainTest, SaysInCudasWordsWhatIsWrongWithALaunchOrASharedArray) {
  const std::string kernel =
      "__global__ void scale(float* in, float* out, size_t n) { out[0] = n * in[0]; }\n";
  const std::string deduced = "template <class T> __global__ void copy(T* in, T* out) { *out = *in; }\n";
  const auto launched = [&](const std::string& launch) {
    return build(kernel + deduced +
                 "extern \"C\" void solution(const float* in, float* out, size_t n) {\n  " + launch +
                 ";\n}\n");
  };
  const std::string place = "mine/candidate.cu:4: error: ";
  for (const auto& [launch, message] : std::map<std::string, std::string>{
           {"scale<<<1, 1>>>(in, out, n)",
            "argument 1 of the launch is const float*, the kernel's parameter is float*"},
           {"scale<<<1, 1>>>(out, out)", "the launch has 2 arguments, the kernel has 3 parameters"},
           {"scale<<<1, 1>>>(out, out, n, 1)", "the launch has 4 arguments, the kernel has 3 parameters"},
           {"copy<<<1, 1>>>(in, n)",
            "there is no kernel of this name that takes the arguments of the launch"}}) {
    const BuildOutcome outcome = launched(launch);
    EXPECT_EQ(outcome.status, BuildStatus::compile_error) << launch;
    EXPECT_EQ(outcome.message, place + message) << launch << '\n' << outcome.log;
    EXPECT_EQ(outcome.log, outcome.message + "\n");
  }
  EXPECT_EQ(launched("scale<<<1, 1>>>(0, NULL, 3)").status, BuildStatus::built);
  const BuildOutcome shared = build("__global__ void f() {\n  __shared__ float tile[blockDim.x];\n}\n");
  EXPECT_THAT(shared.message,
              StartsWith("mine/candidate.cu:2: error: the size of a __shared__ array must be a"))
      << shared.log;
}

TEST_F(EmulatedToolchainTest, SaysWhatItCannotRun) {
  const BuildOutcome outcome = build("\n__device__ void f() { asm volatile(\"bar.sync 0;\"); }\n");
  EXPECT_EQ(outcome.status, BuildStatus::unsupported);
  EXPECT_EQ(outcome.message,
            "mine/candidate.cu:2: inline PTX (asm) cannot run on the emulated device; run it on a GPU: "
            "--device cuda");
}

// Nothing can be built with this header itself, so the form that was compiled from the right one is read.
TEST_F(EmulatedToolchainTest, ReadsThePrecompiledHeaderInEveryKindOfBuild) {
  if (find_host_compiler()->is_clang) GTEST_SKIP() << "precompiles for GCC only";
  const fs::path copy = folder_.path() / "headers";
  fs::copy(headers_, copy, fs::copy_options::recursive);
  const fs::path folder = folder_.path() / "precompiled";
  EXPECT_EQ(precompile_device_headers(*find_host_compiler(), copy, folder), "");
  std::ofstream(copy / "cuda_runtime.h") << "#error not the precompiled form\n";
  headers_ = copy;
  const std::string source = std::string("#include <cuda_runtime.h>\n#include \"cuda_runtime.h\"\n") + good;
  const std::string meeting =
      std::string(good).replace(std::string(good).find("  size_t i"), 0, "  __syncthreads();\n");
  EXPECT_NE(build(source).status, BuildStatus::built);
  precompiled_ = folder;
  EXPECT_EQ(build(source).status, BuildStatus::built);
  EXPECT_EQ(build(meeting).status, BuildStatus::built);
  checked_ = true;
  EXPECT_EQ(build(source).status, BuildStatus::built);
  checked_ = false;
  defines_ = {{"KGRADE_ACCUMULATOR", "double"}};
  EXPECT_EQ(build(source).status, BuildStatus::built);
}

TEST_F(EmulatedToolchainTest, IsTheSameWhereTheRewriterIsLinkedAgainAndAnotherWhereItIsAnother) {
  const fs::path headers = Layout::find().share / "emulated";
  const fs::path rewriter = folder_.path() / "kgrade-rewrite";
  const auto identity = [&] {
    return EmulatedToolchain(*find_host_compiler(), headers, nullptr, rewriter).identity();
  };
  std::ofstream(rewriter) << "one";
  const std::string first = identity();
  fs::last_write_time(rewriter, fs::last_write_time(rewriter) + std::chrono::hours(1));
  EXPECT_EQ(identity(), first);
  EXPECT_EQ(first.find(KGRADE_SOURCE_DIR), std::string::npos) << "where the headers lie plays no part";
  std::ofstream(rewriter) << "two";
#ifndef KGRADE_SANITIZED
  EXPECT_NE(identity(), first);
#endif
}

TEST_F(EmulatedToolchainTest, SaysSoOnlyWhereItIsCompiled) {
  const std::string guarded =
      std::string(
          "#ifdef USE_PTX\n__device__ void f() { asm volatile(\"bar.sync 0;\"); }\n#endif\n"
          "#ifdef USE_CUB\n#include <cub/cub.cuh>\n#endif\n") +
      good;
  EXPECT_EQ(build(guarded).status, BuildStatus::built);
  defines_ = {{"USE_PTX", "1"}};
  const BuildOutcome ptx = build(guarded);
  EXPECT_EQ(ptx.status, BuildStatus::unsupported) << ptx.log;
  EXPECT_THAT(ptx.message,
              StartsWith("mine/candidate.cu:2: inline PTX (asm) cannot run on the emulated device;"));
  defines_ = {{"USE_CUB", "1"}};
  const BuildOutcome cub = build(guarded);
  EXPECT_EQ(cub.status, BuildStatus::unsupported) << cub.log;
  EXPECT_THAT(cub.message, StartsWith("mine/candidate.cu:5: CUB (<cub/cub.cuh>) cannot run"));
}

TEST_F(EmulatedToolchainTest, TakesACandidatesWordsForNoneOfItsOwn) {
  for (const std::string words : {"accepted", "textures (accepted)", "CUB (<accepted>)", "inline PTX"}) {
    const BuildOutcome outcome = build("#error x\"not on the emulated device: " + words +
                                       "\"\n#error not on the emulated device: " + words + "\n");
    EXPECT_EQ(outcome.status, BuildStatus::compile_error) << words;
    EXPECT_THAT(outcome.message, HasSubstr("error")) << words;
  }
}

TEST_F(EmulatedToolchainTest, PassesDefines) {
  defines_ = {{"KGRADE_ACCUMULATOR", "double"}};
  EXPECT_EQ(build(std::string("static_assert(sizeof(KGRADE_ACCUMULATOR) == 8);\n") + good).status,
            BuildStatus::built);
}

TEST_F(EmulatedToolchainTest, EndsACompilationThatTakesTooLong) {
  const std::string endless =
      "template <int N> struct F { static constexpr long value = F<N - 1>::value + F<N - 2>::value; };\n"
      "template <unsigned long N> constexpr unsigned long spin() { unsigned long s = 0;\n"
      "  for (unsigned long i = 0; i < N; ++i) s += i * s; return s; }\n"
      "#pragma GCC optimize(\"O0\")\n";
  std::string calls;
  for (int i = 0; i < 400; ++i)
    calls +=
        "constexpr unsigned long a" + std::to_string(i) + " = spin<260000 + " + std::to_string(i) + ">();\n";
  const BuildOutcome outcome = build(endless + calls + good, std::chrono::seconds(1));
  EXPECT_EQ(outcome.status, BuildStatus::compile_error);
  EXPECT_EQ(outcome.message,
            "the compiler did not finish within 1 s; give it less to do: fewer unrolled loops, template "
            "instances and constant expressions");
}

TEST_F(EmulatedToolchainTest, ReadsALogWithALineOfHalfAMegabyte) {
  const BuildOutcome outcome =
      build("#error kgrade_parameter_mismatch<1, " + std::string(500'000, 'x') + "\n");
  EXPECT_EQ(outcome.status, BuildStatus::compile_error);
  EXPECT_THAT(outcome.message, StartsWith("mine/candidate.cu:1:2: error: #error kgrade_parameter_mismatch"));
  EXPECT_LT(outcome.message.size(), 5000u);
}

TEST_F(EmulatedToolchainTest, ARewriterThatIsBroughtDownIsToldOfTheSource) {
  const fs::path script = folder_.path() / "rewriter";
  const auto with = [&](const std::string& does) {
    std::ofstream(script) << "#!/bin/sh\n" << does << '\n';
    fs::permissions(script, fs::perms::owner_all);
    rewriter_ = script;
    return build(good);
  };
  for (const auto& [does, why] :
       std::map<std::string, std::string>{{"kill -SEGV $$", "signal 11"},
                                          {"exit 3", "exit code 3"},
                                          {"echo something else", "exit code 0"},
                                          {"echo '{\"files\":1}'", "exit code 0"}}) {
    const BuildOutcome outcome = with(does);
    EXPECT_EQ(outcome.status, BuildStatus::compile_error) << does;
    EXPECT_THAT(outcome.message, StartsWith("mine/candidate.cu: ")) << does;
    EXPECT_THAT(outcome.message, HasSubstr("kgrade-rewrite ended with " + why));
  }
}

// A rewriter that a source has taken over sees as little as its compiler.
TEST_F(EmulatedToolchainTest, TheRewriterIsConfined) {
  const auto sandbox = std::make_shared<const Sandbox>(Sandbox::probe(KGRADE_LAUNCHER));
  if (!sandbox->confines()) GTEST_SKIP() << "this machine has no sandbox";
  const fs::path folder = fs::canonical(folder_.path());
  std::ofstream(folder / "secret") << "expected outputs";
  std::ofstream(folder / "candidate.cu") << good;
  fs::create_directories(folder / "out");
  rewriter_ = folder / "rewriter";
  std::ofstream(rewriter_) << "#!/bin/sh\nread -r line <../candidate.cu || exit 3\n"
                           << "(read -r line <../secret) 2>/dev/null && exit 4\n"
                           << "(echo x >../mine) 2>/dev/null\n"
                           << "exec " << KGRADE_REWRITER << " \"$@\" 2>/dev/null\n";
  fs::permissions(rewriter_, fs::perms::owner_all);
  BuildRequest request;
  request.source = folder / "candidate.cu";
  request.shown_as = "candidate.cu";
  request.output_directory = folder / "out";
  request.readable = {request.source, fs::path(KGRADE_REWRITER)};
  const EmulatedToolchain toolchain(*find_host_compiler(), Layout::find().share / "emulated", sandbox,
                                    rewriter_);
  const auto outcome = toolchain.build(scale_problem(), request);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->status, BuildStatus::built) << outcome->message;
  EXPECT_FALSE(fs::exists(folder / "mine"));
}

TEST_F(EmulatedToolchainTest, ARewriterThatIsMissingIsNoFaultOfTheSource) {
  rewriter_ = "/nowhere/kgrade-rewrite";
  std::ofstream(folder_.path() / "candidate.cu") << good;
  BuildRequest request;
  request.source = folder_.path() / "candidate.cu";
  request.output_directory = folder_.path();
  const EmulatedToolchain toolchain(*find_host_compiler(), "include", nullptr, rewriter_);
  const auto outcome = toolchain.build(scale_problem(), request);
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message, HasSubstr("/nowhere/kgrade-rewrite"));
}

TEST_F(EmulatedToolchainTest, DescribesTheCompilerAndItsFlags) {
  const EmulatedToolchain toolchain({{"g++"}, "g++ 12.2.0", false}, "include");
  EXPECT_THAT(toolchain.describe(), StartsWith("g++ 12.2.0 -std=gnu++17 -O2"));
}

TEST(FindHostCompiler, TakesTheOneThatCxxNames) {
  const auto plain = find_host_compiler();
  ASSERT_TRUE(plain.ok());
  ::setenv("CXX", "env g++", 1);
  const auto chosen = find_host_compiler();
  ::setenv("CXX", "no-such-compiler", 1);
  const auto fallback = find_host_compiler();
  ::unsetenv("CXX");
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->command, (std::vector<std::string>{"env", "g++"}));
  ASSERT_TRUE(fallback.ok());
  EXPECT_NE(fallback->command.front(), "no-such-compiler");
}

}  // namespace kgrade::emulated_toolchain_test
