#include "compile/compiler_log.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_directory.h"
#include "compile/source_places.h"
#include "sandbox/policy.h"

namespace kgrade::compiler_log_test {

namespace fs = std::filesystem;
using testing::ElementsAre;

TEST(FirstErrorLine, IsTheOneThatReportsIt) {
  for (const char* line :
       {"a.cu:3:1: error: expected ';'", "a.cu:1:10: fatal error: b.h: No such file or directory",
        "a.cu(3): error: identifier \"x\" is undefined",
        "a.cu(3): catastrophic error: cannot open source file",
        "a.cu(3): error #20: identifier \"x\" is undefined",
        "cc1plus: fatal error: a.cu: No such file or directory", "collect2: error: ld returned 1 exit status",
        "/tmp/a.s:4: Error: file not found: b.bin", "ptxas fatal   : Unresolved extern function 'f'",
        "nvlink error   : Undefined reference to 'f'",
        "ptxas /tmp/a.ptx, line 19; error   : Unknown symbol 'x'",
        "nvcc error   : 'cicc' died due to signal 11"}) {
    EXPECT_EQ(
        first_error_line("In file included from error.cu:1:\n" + std::string(line) + "\nmore: error: x\n"),
        line);
  }
}

TEST(WithoutOtherWarnings, KeepsThoseAboutVariablesWithoutAValue) {
  const std::string uninitialised =
      "a.cu: In function 'float rms()':\n"
      "a.cu:6:10: warning: 'sum' may be used uninitialized [-Wmaybe-uninitialized]\n"
      "    6 |   return sum;\n"
      "a.cu:4:9: note: 'sum' was declared here\n"
      "    4 |   float sum;\n";
  const std::string other =
      "In file included from unit.cpp:1:\n"
      "a.cu: In function 'int f()':\n"
      "a.cu:11:3: warning: control reaches end of non-void function [-Wreturn-type]\n"
      "   11 | }\n"
      "a.cu:2:3: note: declared here\n";
  const std::string foreign = "/device/b.h:6:10: warning: 'x' is used uninitialized [-Wuninitialized]\n";
  const std::string error = "a.cu: In function 'void g()':\na.cu:20:1: error: expected ';'\n   20 | x\n";
  EXPECT_EQ(without_other_warnings(other + uninitialised + foreign + error + other, "/device"),
            uninitialised + error);
  EXPECT_EQ(without_other_warnings("no warning\n", "/device"), "no warning\n");
}

TEST(FirstErrorLine, IsNoneThatOnlyHoldsTheWord) {
  const std::string real = "errors/error.cu:7:2: error: oops";
  for (const char* line :
       {"errors/error.cu:3:1: warning: unused",
        "errors/error.cu: In function 'void error()':", "my error: file.cu:3:1: warning: unused",
        "a.cu:3:1: note: this error: is none", "  const char* text = \"x: error: y\";"}) {
    EXPECT_EQ(first_error_line(std::string(line) + "\n  " + real + "\n"), real);
  }
}

TEST(FirstErrorLine, IsTheFirstLineOfAllWhenNoneReportsAnError) {
  EXPECT_EQ(first_error_line("\n  something happened\nand more\n"), "something happened");
  EXPECT_EQ(first_error_line(""), "the compiler failed without a message");
}

ProcessOutcome failed_with(const std::string& output, int signal = 0) {
  ProcessOutcome outcome;
  outcome.exit_code = signal == 0 ? 1 : -1;
  outcome.signal = signal;
  outcome.output = output;
  return outcome;
}

std::string limit_of(const ProcessOutcome& outcome) {
  const ProcessLimits limits{std::chrono::seconds(9), std::chrono::seconds(36), std::uint64_t{4} << 30,
                             std::uint64_t{256} << 20};
  return exceeded_limit(outcome, limits).value_or("none");
}

TEST(SomethingMissing, IsDecidedByTheLinesThatReportErrors) {
  const std::string quoted = "  12 | PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { torch::Tensor x; }\n";
  for (const char* const line : {
           "main.cpp:3:10: fatal error: torch/nn.h: No such file or directory",
           "main.cpp:3:8: error: 'sum_of' is not a member of 'torch'",
           "main.cpp:3:8: error: 'AT_DISPATCH_ALL' was not declared in this scope",
           "cuda.cu(3): error: identifier \"C10_CUDA_CHECK\" is undefined",
           "cuda.cu(3): error: class \"at::Tensor\" has no member \"baddbmm\"",
           "main.cpp:3:8: error: no matching function for call to 'f(at::Tensor&)'",
           "main.cpp:3:8: error: redefinition of 'int32_t kgrade_extension_load(const X*)'",
       })
    EXPECT_TRUE(says_that_something_is_missing(line + std::string("\n") + quoted)) << line;
  for (const char* const line : {
           "main.cpp:12:1: error: redefinition of 'void PyInit_softmax()'",
           "main.cpp:3:15: error: redefinition of 'torch::Tensor forward(torch::Tensor)'",
           "/usr/bin/ld: cuda.cu.o: in function `PyInit_x': multiple definition of `PyInit_x'; main.cpp.o: "
           "first",
           "cuda.cu(3): error: function \"forward\" has already been defined",
           "main.cpp:3:8: error: expected ';' before '}' token",
           "ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x13880 bytes, 0xc000 max)",
       })
    EXPECT_FALSE(says_that_something_is_missing(line + std::string("\n") + quoted)) << line;
}

// No other headers make a definition that is there twice right.
TEST(SomethingMissing, DoesNotMatterBesideADefinitionThatIsThereTwice) {
  EXPECT_FALSE(
      says_that_something_is_missing("main.cpp:3:8: error: 'sum_of' is not a member of 'torch'\n"
                                     "main.cpp:12:1: error: redefinition of 'void PyInit_softmax()'\n"));
}

TEST(ExceededLimit, NamesTheLimit) {
  ProcessOutcome late = failed_with("");
  late.timed_out = true;
  EXPECT_EQ(limit_of(late),
            "the compiler did not finish within 9 s; give it less to do: fewer unrolled loops, template "
            "instances and constant expressions");
  EXPECT_EQ(exceeded_limit(late, ProcessLimits{std::chrono::seconds(9)}, "the interpreter"),
            "the interpreter did not finish within 9 s");
  const std::string memory =
      "the compiler was stopped: it needed more than the 4.0 GiB of memory that it may have";
  for (const char* line : {"cc1plus: out of memory allocating 65536 bytes after a total of 10 bytes",
                           "virtual memory exhausted: Cannot allocate memory", "LLVM ERROR: out of memory",
                           "a.cu(1): catastrophic error: out of memory"}) {
    EXPECT_EQ(limit_of(failed_with("\n" + std::string(line) + "\n")), memory) << line;
  }
  ProcessOutcome group = failed_with("");
  group.exit_code = exit_out_of_memory;
  EXPECT_EQ(limit_of(group), memory);
  const std::string file = "the compiler was stopped: it wrote a file larger than 256 MiB";
  EXPECT_EQ(limit_of(failed_with(
                "g++: internal compiler error: File size limit exceeded signal terminated program as\n")),
            file);
  EXPECT_EQ(limit_of(failed_with("", SIGXFSZ)), file);
  EXPECT_EQ(limit_of(failed_with("", SIGXCPU)),
            "the compiler was stopped: it took more than 36 s of processor time; give it less to do: fewer "
            "unrolled loops, template instances and constant expressions");
  EXPECT_EQ(limit_of(failed_with("g++: fatal error: Killed signal terminated program cc1plus\n")),
            "the compiler was killed: it took more than the processor time or the 4.0 GiB of memory that it "
            "may have");
}

TEST(ExceededLimit, IsNotWhatASourceSays) {
  EXPECT_EQ(limit_of(failed_with("a.cu:1:2: error: #error out of memory\n    1 | #error out of memory\n")),
            "none");
  EXPECT_EQ(limit_of(failed_with("a.cu(1): error: #error File size limit exceeded\n")), "none");
}

std::string remedy_of(const ProcessOutcome& outcome) {
  const auto fault = possible_machine_fault(outcome);
  return fault ? fault->remedy : "none";
}

TEST(MachineFault, IsWhatAFullDiskAndItsLikeMakeCompilersSay) {
  for (const char* line : {"/usr/bin/ld: final link failed: No space left on device",
                           "x.cu:3:1: fatal error: error writing to /tmp/x.s: No space left on device",
                           "/tmp/x.s: Fatal error: can't close x.o: Disk quota exceeded"})
    EXPECT_THAT(remedy_of(failed_with(line)), testing::HasSubstr("TMPDIR")) << line;
  EXPECT_THAT(remedy_of(failed_with("virtual memory exhausted: Cannot allocate memory")),
              testing::HasSubstr("memory"));
  EXPECT_THAT(remedy_of(failed_with("g++: fatal error: cannot execute 'as': vfork: Resource temporarily "
                                    "unavailable")),
              testing::HasSubstr("ulimit -u"));
  EXPECT_THAT(remedy_of(failed_with("collect2: fatal error: cannot find 'ld'")),
              testing::HasSubstr("install"));
  for (const ProcessOutcome& outcome :
       {failed_with("g++: fatal error: Killed signal terminated program cc1plus"), failed_with("", SIGKILL),
        failed_with("collect2: fatal error: ld terminated with signal 7 [Bus error]")})
    EXPECT_THAT(remedy_of(outcome), testing::HasSubstr("again")) << outcome.output;
}

TEST(MachineFault, IsNoLimitOfOursAndNoMistakeInTheSource) {
  ProcessOutcome late = failed_with("");
  late.timed_out = true;
  EXPECT_EQ(remedy_of(late), "none");
  EXPECT_EQ(remedy_of(failed_with("", SIGXFSZ)), "none");
  EXPECT_EQ(remedy_of(failed_with("g++: fatal error: CPU time limit exceeded signal terminated program as")),
            "none");
  EXPECT_EQ(remedy_of(failed_with("x.cu:3:1: error: expected ';'")), "none");
  EXPECT_EQ(remedy_of(failed_with("x.cu:1:10: fatal error: b.h: No such file or directory")), "none");
}

TEST(WithShownNames, NamesNeitherTheFolderNorTheCopyOfTheSource) {
  EXPECT_EQ(with_shown_names("In file included from /tmp/x-1/unit.cpp:1:\n/tmp/x-1/tree/a.cu:3:1: error: b\n",
                             "/tmp/x-1/tree/a.cu", "mine.cu", "/tmp/x-1"),
            "mine.cu:3:1: error: b\n");
  EXPECT_EQ(with_shown_names("In file included from /tmp/x-1/tree/a.cu:7,\n                 from "
                             "/tmp/x-1/unit.cpp:1:\nmine.h:3:1: error: b\n",
                             "/tmp/x-1/tree/a.cu", "mine.cu", "/tmp/x-1"),
            "In file included from mine.cu:7:\nmine.h:3:1: error: b\n");
  EXPECT_EQ(with_shown_names("/tmp/x-12/a.h:1: error", "/a.cu", "a.cu", "/tmp/x-1"),
            "/tmp/x-12/a.h:1: error");
}

std::string errors(int count, const std::string& between = "    1 | x\n") {
  std::string log;
  for (int i = 0; i < count; ++i) log += "a.cu:" + std::to_string(i) + ":1: error: no\n" + between;
  return log;
}

TEST(ShortenedLog, KeepsTheFirstErrorsAndCountsTheRest) {
  EXPECT_EQ(shortened_log(""), "");
  EXPECT_EQ(shortened_log("a.cu:1:1: error: without a line break"), "a.cu:1:1: error: without a line break");
  EXPECT_EQ(shortened_log(errors(20)), errors(20));
  EXPECT_EQ(shortened_log(errors(21)), errors(20) + "... and 1 more error in 2 more lines\n");
  EXPECT_EQ(shortened_log(errors(100)),
            errors(20) + "... and 80 more errors in 160 more lines; the compiler gave up there\n");
}

TEST(ShortenedLog, KeepsSoManyLinesOfAnything) {
  std::string warnings;
  for (int i = 0; i < 1000; ++i) warnings += "a.cu:1:1: warning: x\n";
  const std::string shortened = shortened_log(warnings);
  EXPECT_TRUE(shortened.ends_with(": x\n... and 700 more lines\n")) << shortened;
}

TEST(WithLinesCut, CutsLongLinesOnly) {
  EXPECT_EQ(with_lines_cut("a\n\nb"), "a\n\nb");
  EXPECT_EQ(with_lines_cut("a\nb\n"), "a\nb\n");
  const std::string longest(4000, 'x');
  EXPECT_EQ(with_lines_cut(longest + "\n" + longest + "y\nz"), longest + "\n" + longest + "...\nz");
}

const OwnSources own{"/project/solutions/mine.cu", "solutions/mine.cu", "/build-folder"};

TEST(OwnSources, NamesOfLineDirectivesAreTheUsers) {
  EXPECT_EQ(own.shown_name("/build-folder/solutions/mine.cu"), "solutions/mine.cu");
  EXPECT_EQ(own.shown_name("/build-folder/solutions/../solutions/tile.cuh"), "solutions/tile.cuh");
}

// Only lines of the candidate's files are quoted.
TEST(OwnSources, NamesOfLineDirectivesDoNotLeaveTheCandidatesFolder) {
  for (const char* name : {"/build-folder/../../etc/passwd", "/build-folder//etc/passwd", "/build-folder/",
                           "/build-folder/solutions/../../etc/passwd", "/build-folder/other/secret.cu",
                           "/build-folder/../common/tile.cuh"}) {
    EXPECT_FALSE(own.shown_name(name)) << name;
  }
  const OwnSources here{"/project/mine.cu", "mine.cu", "/build-folder"};
  EXPECT_EQ(here.shown_name("/build-folder/parts/tile.cuh"), "parts/tile.cuh");
  EXPECT_FALSE(here.shown_name("/build-folder/../etc/passwd"));
  EXPECT_FALSE(here.shown_name("/build-folder//etc/passwd"));
  const OwnSources above{"/mine/x.cu", "../mine/x.cu", "/build-folder"};
  EXPECT_EQ(above.shown_name("/build-folder/../mine/tile.cuh"), "../mine/tile.cuh");
  EXPECT_FALSE(above.shown_name("/build-folder/tile.cuh"));
}

TEST(OwnSources, AbsoluteNamesBelowTheCandidatesFolderAreShownAsTheUserWouldNameThem) {
  EXPECT_EQ(own.shown_name("/project/solutions/mine.cu"), "solutions/mine.cu");
  EXPECT_EQ(own.shown_name("/project/solutions/parts/./tile.cuh"), "solutions/parts/tile.cuh");
}

TEST(OwnSources, DeviceHeadersCompilersAndTheBindingAreForeign) {
  for (const char* foreign : {"/usr/include/c++/12/bits/stl_algo.h", "/opt/kgrade/include/cuda_runtime.h",
                              "??", "", "/build-folder/unit.cpp", "/build-folder/unit.cu",
                              "/build-folder/kgrade-binding", "/project/other/mine.cu"}) {
    EXPECT_FALSE(own.shown_name(foreign)) << foreign;
  }
}

TEST(Addr2line, ReadsFramesByAddress) {
  const auto frames = parse_addr2line(
      "0x00000000000011b1\n"
      "at(float*, int)\n/build-folder/solutions/head.cuh:1\n"
      "kernel(float*)\n/build-folder/solutions/mine.cu:12 (discriminator 3)\n"
      "0x0000000000000010\n"
      "??\n??:0\n"
      "0x0000000000001130\n"
      "__do_global_dtors_aux\ncrtstuff.c:?\n");
  ASSERT_EQ(frames.size(), 3u);
  ASSERT_EQ(frames[0].size(), 2u);
  EXPECT_EQ(frames[0][0].function, "at(float*, int)");
  EXPECT_EQ(frames[0][1].line, 12);
  EXPECT_EQ(frames[1][0].function, "");
  EXPECT_EQ(frames[1][0].line, 0);
  EXPECT_EQ(frames[2][0].file, "");
}

TEST(Addr2line, OutputThatEndsInTheMiddleIsNoHarm) {
  EXPECT_TRUE(parse_addr2line("").empty());
  EXPECT_TRUE(parse_addr2line("kernel(float*)\n/x.cu:1\n").empty());
  EXPECT_EQ(parse_addr2line("0x10\nkernel(float*)").size(), 1u);
}

TEST(Addr2line, TheInnermostFrameOfTheCandidatesOwnIsThePlace) {
  const std::vector<InlinedFrame> frames = {{"atomicAdd", "/opt/kgrade/include/atomics.h", 4},
                                            {"add", "/build-folder/solutions/head.cuh", 7},
                                            {"kernel", "/build-folder/solutions/mine.cu", 12}};
  EXPECT_EQ(own_place(frames, own), (SourcePlace{"solutions/head.cuh", 7, "add"}));
  EXPECT_FALSE(own_place({frames[0]}, own));
}

// A library's debug information may name any file, and its reader may have bugs.
TEST(Addr2line, SeesTheLibraryAndNothingElseOfOurs) {
  const auto sandbox = std::make_shared<const Sandbox>(Sandbox::probe(KGRADE_LAUNCHER));
  if (!sandbox->confines()) GTEST_SKIP() << "this machine has no sandbox";
  const TemporaryDirectory temporary;
  const fs::path folder = fs::canonical(temporary.path());
  std::ofstream(folder / "secret") << "another candidate\n";
  std::ofstream(folder / "contestant.so") << "library\n";
  const fs::path program = folder / "program";
  std::ofstream(program) << "#!/bin/sh\nread -r line <\"$2\" || exit 3\n"
                         << "(read -r line <" << (folder / "secret") << ") 2>/dev/null && exit 4\n"
                         << "printf '0xfff\\nkernel\\n/project/solutions/mine.cu:3\\n'\n";
  fs::permissions(program, fs::perms::owner_all);
  Addr2line confined(program, folder / "contestant.so", own, sandbox);
  EXPECT_THAT(confined.find({0x1000}), ElementsAre(SourcePlace{"solutions/mine.cu", 3, "kernel"}));
  Addr2line free(program, folder / "contestant.so", own);
  EXPECT_THAT(free.find({0x1000}), ElementsAre(std::nullopt)) << "it would find the secret";
}

TEST(Addr2line, FailsWithoutALibrary) {
  const auto program = Addr2line::find_program();
  if (!program) GTEST_SKIP() << "addr2line is not installed";
  Addr2line finder(*program, "/nowhere/contestant.so", own);
  EXPECT_THAT(finder.find({0x1000, 0}), ElementsAre(std::nullopt, std::nullopt));
}

}  // namespace kgrade::compiler_log_test
