// What the machine lacks is said of the machine, with exit code 3, and is no candidate's verdict. What a
// candidate uses up stays its own fault.
#include <gmock/gmock.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "tests/support/command.h"
#include "tests/support/ended.h"

namespace kgrade::test::machine_faults_test {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string slug = "conv-depthwise-2d-square-input-asym-kernel";
const fs::path naive = fs::path(KGRADE_SOURCE_DIR) / "solutions" / slug / "naive.cu";
const Program without_cache = {KGRADE_PROGRAM, {"KGRADE_CACHE_DIR="}};

std::string naive_source() { return *read_text_file(naive); }

// A disk of its own for temporary files, for this process and its children. No other process sees it.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& size) {
    const bool is_apart =
        ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    is_mounted_ = is_apart && ::mount("none", path().c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
    if (const char* old = std::getenv("TMPDIR")) old_ = old;
    if (is_mounted_) ::setenv("TMPDIR", path().c_str(), 1);
  }
  ~SmallDisk() {
    if (!is_mounted_) return;
    old_.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", old_.c_str(), 1);
    ::umount2(path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool is_mounted() const { return is_mounted_; }
  std::string path() const { return folder_.path().string(); }

 private:
  const TemporaryDirectory folder_;
  bool is_mounted_ = false;
  std::string old_;
};

void expect_lack_of_room(const Result& result) {
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_THAT(result.output, HasSubstr("free some space there, or let TMPDIR name a folder on another disk"));
  EXPECT_THAT(result.output, HasSubstr("o space "));
  EXPECT_THAT(result.output, Not(HasSubstr("compile_error")));
  EXPECT_THAT(result.output, Not(HasSubstr("does not build")));
  EXPECT_THAT(result.left_behind, IsEmpty());
}

class FullDisk : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!disk_.is_mounted()) GTEST_SKIP() << "only root makes a disk";
  }

  SmallDisk disk_{GetParam()};
};

// At each of these sizes something else fails first.
TEST_P(FullDisk, ConvictsNeitherACandidateNorTheReference) {
  for (const auto& command :
       std::vector<std::vector<std::string>>{{"grade", slug, naive, "--case", "tiny"},
                                             {"check", slug, naive, "--case", "tiny", "--order", "forward"},
                                             {"lint", "problems/" + slug + ".md"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--device", "emulated"});
    const Result result = kgrade(arguments, without_cache);
    if (result.exit_code != 0) expect_lack_of_room(result);
  }
}

// The file is copied to the disk before it is described. The error for the copy names a file, too.
TEST(MachineFaults, AFullDiskConvictsNoFileOfKernelBench) {
  const ScratchFile python(
      "python",
      "#!/bin/sh\necho\necho 'kgrade-python {\"program\": \"/opt/bin/python3\", \"version\": \"3.11.7\", "
      "\"torch\": \"2.8.0\", \"cuda\": \"\", \"triton\": \"\", \"torch_folder\": \"/opt\", \"include\": "
      "\"\", "
      "\"readable\": []}'\n");
  fs::permissions(python.path(), fs::perms::owner_all);
  const ScratchFile file("1_Large.py", "class Model: pass\n" + std::string(100'000, '#'));
  const SmallDisk disk("40k");
  if (!disk.is_mounted()) GTEST_SKIP() << "only root makes a disk";
  for (const char* command : {"lint", "show"})
    expect_lack_of_room(kgrade({command, file.path(), "--python", python.path()}, without_cache));
}

INSTANTIATE_TEST_SUITE_P(Sizes, FullDisk, testing::Values("4k", "40k", "100k", "200k", "400k", "800k", "2m"));

class Filler : public testing::Test {
 protected:
  // The naive kernel beside so many MiB of its own.
  static std::string filler(int mebibytes) {
    return "__attribute__((used)) static const char filler[" + std::to_string(mebibytes) +
           " << 20] = {1};\n" + naive_source();
  }
};

TEST_F(Filler, ThatFillsTheDiskIsToBlameAndTheOthersAreGraded) {
  const ScratchFile guilty("filler.cu", filler(60));
  const SmallDisk disk("40m");
  if (!disk.is_mounted()) GTEST_SKIP() << "only root makes a disk";
  EXPECT_THAT(
      kgrade({"grade", slug, guilty.path(), naive, "--case", "tiny", "--device", "emulated"}, without_cache),
      Ended(1, HasSubstr("compile_error  " + guilty.path()), HasSubstr("it found no space left"),
            HasSubstr("accepted  " + naive.string())));
}

TEST_F(Filler, ASweepOnAFullDiskKeepsNoResultThatResumeBelieves) {
  const TemporaryDirectory folder;
  const std::string results = folder.path() / "results.jsonl";
  const std::vector<std::string> sweep = {"sweep",    "--only", slug, "--solutions", "naive", "--device",
                                          "emulated", "--jobs", "1",  "--output",    results, "--resume"};
  {
    const SmallDisk disk("100k");
    if (!disk.is_mounted()) GTEST_SKIP() << "only root makes a disk";
    expect_lack_of_room(kgrade(sweep, without_cache));
    EXPECT_EQ(fs::file_size(results), 0u);
  }
  EXPECT_THAT(kgrade(sweep, without_cache), Ended(0, HasSubstr("1 candidate: 1 accepted, 0 not")));
}

// A compiler that says such a thing instead of compiling, for all sources or those with `condition` alone.
class BrokenCompiler : public testing::Test {
 protected:
  Result grade_with(const std::string& last_words, const std::string& condition = "") const {
    return kgrade_with({"grade", slug, naive, "--case", "tiny"}, last_words, condition);
  }

  Result kgrade_with(std::vector<std::string> arguments, const std::string& last_words,
                     const std::string& condition = "") const {
    arguments.insert(arguments.end(), {"--device", "emulated"});
    const std::string compiler = folder_.path() / "c++";
    std::ofstream(compiler)
        // Word by word: a folder whose random name begins with E would look like -E.
        << "#!/bin/sh\nfor word; do case $word in --version|-print-*|-E) exec g++ \"$@\";; esac; done\n"
        << condition << "\necho '" << last_words << "' >&2\nexit 1\n";
    fs::permissions(compiler, fs::perms::owner_all);
    const Program program = {KGRADE_PROGRAM, {"KGRADE_CACHE_DIR=", "CXX=" + compiler}};
    return kgrade(arguments, program);
  }

  TemporaryDirectory folder_;
};

constexpr const char* killed = "g++: fatal error: Killed signal terminated program cc1plus";

TEST_F(BrokenCompiler, IsTheMachinesFaultWithItsRemedy) {
  for (const auto& [words, remedy] : std::vector<std::pair<std::string, std::string>>{
           {killed, "dmesg"},
           {"g++: fatal error: cannot execute \"cc1plus\": execvp: No such file or directory",
            "apt-get install"},
           {"virtual memory exhausted: Cannot allocate memory", "more memory"},
           {"g++: fatal error: cannot execute \"as\": vfork: Resource temporarily unavailable",
            "ulimit -u"}}) {
    EXPECT_THAT(
        grade_with(words),
        EndedCleanly(3, HasSubstr("error: the compiler cannot work on this machine: "), HasSubstr(remedy)));
  }
}

TEST_F(BrokenCompiler, IsTheMachinesFaultInASelftestToo) {
  EXPECT_THAT(kgrade_with({"selftest"}, killed),
              Ended(3, HasSubstr("error: the compiler cannot work on this machine: ")));
  EXPECT_EQ(kgrade_with({"selftest"}, "x.cu:1:1: error: a mistake of kgrade").exit_code, 70);
}

TEST_F(BrokenCompiler, ThatOnlyOneCandidateBreaksIsTheCandidatesFault) {
  EXPECT_THAT(grade_with(killed, "case \"$*\" in *KGRADE_ACCUMULATOR*) exec g++ \"$@\";; esac"),
              Ended(1, HasSubstr("compile_error  " + naive.string())));
}

TEST(MachineFaults, ACandidateThatIsKilledIsGradedOnceMore) {
  std::string source = naive_source();
  const std::size_t body = source.find('{', source.find("void solution("));
  source.insert(body + 1, " raise(SIGKILL);");
  const ScratchFile file("suicide.cu", "#include <signal.h>\n" + source);
  const Graded graded = grade({slug, file.path(), "--case", "tiny"}, "emulated");
  EXPECT_EQ(graded.exit_code, 1) << graded.output;
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  EXPECT_EQ(graded.record["candidates"][0]["verdict"], "runtime_error");
  EXPECT_THAT(graded.record["candidates"][0]["notes"].dump(),
              HasSubstr("graded twice, the first time killed"));
}

TEST(MachineFaults, ARecordOnAFullDiskIsNoWrongUsage) {
  EXPECT_THAT(kgrade({"grade", slug, naive, "--case", "tiny", "--device", "emulated", "--json", "/dev/full"}),
              Ended(3, HasSubstr("/dev/full: error: cannot be written: No space left on device\n"
                                 "  hint: free some space there, or name a file on another disk")));
}

TEST(MachineFaults, FoldersOfARunThatWasKilledAreGoneAfterTheNext) {
  const TemporaryDirectory folder;
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("TMPDIR", folder.path().c_str(), 1);
    ::setenv("KGRADE_CACHE_DIR", "", 1);
    ::execl(KGRADE_PROGRAM, "kgrade", "grade", slug.c_str(), naive.c_str(), "--device", "emulated", nullptr);
    ::_exit(127);
  }
  siginfo_t end{};
  while (fs::is_empty(folder.path()) && end.si_pid == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOHANG | WNOWAIT), 0);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_FALSE(fs::is_empty(folder.path()));
  const std::string again = "TMPDIR='" + folder.path().string() + "' exec '" KGRADE_PROGRAM "' grade " +
                            slug + " '" + naive.string() + "' --case tiny --device emulated";
  EXPECT_THAT(kgrade({"-c", again}, {"/bin/sh", {}}), Ended(0));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

// What a program writes to a terminal until Ctrl-C ends it.
std::string output_until_interrupted(const std::vector<std::string>& arguments) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    std::vector<char*> words;
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::setenv("TERM", "xterm", 1);
    ::setenv("KGRADE_CACHE_DIR", "", 1);
    ::execv(KGRADE_PROGRAM, words.data());
    ::_exit(127);
  }
  std::string output;
  char buffer[4096];
  bool is_interrupted = false;
  for (ssize_t count = 0; (count = ::read(terminal, buffer, sizeof buffer)) > 0;) {
    output.append(buffer, static_cast<std::size_t>(count));
    if (!is_interrupted && output.find("compiling") != std::string::npos) {
      is_interrupted = true;
      (void)!::write(terminal, "\003", 1);
    }
  }
  ::close(terminal);
  ::waitpid(child, nullptr, 0);
  return output;
}

TEST(MachineFaults, AfterAnInterruptionThePromptBeginsALine) {
  EXPECT_THAT(output_until_interrupted({"kgrade", "grade", slug, naive, "--device", "emulated"}),
              EndsWith("\r\033[Kinterrupted\r\n"));
}

// A run that ends for another reason than its candidates loses nothing of those that are finished.

// The problem of the tests of `kgrade check` in a folder of its own, with a reference that crashes.
class Unfinished : public testing::TestWithParam<const char*> {
 protected:
  Unfinished() : first_("first.cu", "extern \"C\" void solution(") {
    const fs::path from = fs::path(KGRADE_SOURCE_DIR) / "harness/tests/checks";
    fs::create_directory(folder() / "problems");
    fs::create_directory(folder() / "reference");
    fs::copy_file(from / "problems/neighbour-sum.md", folder() / "problems/neighbour-sum.md");
    fs::copy_file(from / "candidates/race_in_order_clean.cu", folder() / "second.cu");
    std::ofstream(folder() / "reference/neighbour-sum.cu")
        << "#include <cstdlib>\nextern \"C\" void solution(const float*, float*, size_t) { abort(); }\n";
  }

  fs::path folder() const { return first_.directory(); }
  Result run(const std::string& json) const {
    return kgrade({GetParam(), "neighbour-sum", first_.path(), folder() / "second.cu", "--problems",
                   folder() / "problems", "--case", "ragged", "--device", "emulated", "--json", json});
  }

 private:
  const ScratchFile first_;
};

TEST_P(Unfinished, WhatIsFinishedIsPrintedAndWrittenBeforeTheError) {
  const fs::path json = folder() / "record.json";
  EXPECT_THAT(run(json),
              EndedCleanly(2, HasSubstr("first.cu"), HasSubstr("the oracle fails on case 'ragged'")));
  const auto record = nlohmann::json::parse(std::ifstream(json), nullptr, false);
  ASSERT_TRUE(record.is_object());
  ASSERT_EQ(record["candidates"].size(), 1u);
  EXPECT_EQ(record["candidates"][0]["path"], (folder() / "first.cu").string());
}

INSTANTIATE_TEST_SUITE_P(Commands, Unfinished, testing::Values("grade", "check"),
                         [](const auto& test) { return std::string(test.param); });

// Candidates in Python where PyTorch is missing: what else there is to grade is graded.

class WithoutPyTorch : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_.path() / slug);
    std::ofstream(at("mine.py")) << "def solution(input, kernel):\n    return input\n";
    std::ofstream(at("plain.cu")) << *read_text_file(fs::path(KGRADE_SOURCE_DIR) / "solutions" / slug /
                                                     "naive.cu");
    // Answers as a Python without PyTorch does.
    std::ofstream(python())
        << "#!/bin/sh\necho\necho 'kgrade-python {\"program\": \"/opt/bin/python3\", \"version\": "
           "\"3.11.7\", "
           "\"torch\": \"\", \"cuda\": \"\", \"triton\": \"\", \"torch_folder\": \"\", \"include\": \"\", "
           "\"readable\": []}'\n";
    fs::permissions(python(), fs::perms::owner_all);
  }

  std::string at(const std::string& name) const { return (folder_.path() / slug / name).string(); }
  std::string python() const { return (folder_.path() / "python").string(); }

  TemporaryDirectory folder_;
};

// Without a name the others are graded: tests/sweep/sweep_test.cc.
TEST_F(WithoutPyTorch, ASweepThatNamesOneGradesNothing) {
  const std::string results = (folder_.path() / "out.jsonl").string();
  EXPECT_THAT(kgrade({"sweep", "--device", "emulated", "--only", slug, "--solutions", at("*"), "--hidden",
                      "0", "--jobs", "1", "--python", python(), "--output", results}),
              Ended(3, AllOf(HasSubstr("PyTorch is not installed for Python 3.11.7 (/opt/bin/python3)"),
                             HasSubstr("run `/opt/bin/python3 -m pip install torch`"))));
  std::ifstream lines(results);
  std::string line;
  EXPECT_FALSE(std::getline(lines, line)) << line;
}

TEST_F(WithoutPyTorch, BaselinesAreLeftOutAndTheRecordSaysWhy) {
  const std::string measured = "harness/tests/measured";
  const Result result = kgrade({"grade", "linear", measured + "/candidates/linear.cu", "--problems",
                                measured + "/problems", "--device", "emulated", "--case", "large",
                                "--baselines", "pytorch", "--python", python(), "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(
      result.output,
      AllOf(HasSubstr("\"missing\": \"PyTorch's baselines: PyTorch is not installed for Python 3.11.7"),
            HasSubstr("run `/opt/bin/python3 -m pip install torch`")));
}

TEST_F(WithoutPyTorch, AProblemOfKernelBenchIsTheMachinesFault) {
  const std::string file = (folder_.path() / "level1" / "1_Relu.py").string();
  fs::create_directories(folder_.path() / "level1");
  std::ofstream(file) << "class Model: pass\n";
  fs::copy_file(at("mine.py"), folder_.path() / "level_1_problem_1_sample_0_kernel.py");
  const std::string results = (folder_.path() / "out.jsonl").string();
  const std::vector<std::vector<std::string>> commands = {
      {"grade", file, at("mine.py"), "--device", "emulated"},
      {"check", file, at("mine.py"), "--device", "emulated"},
      {"lint", file, "--device", "emulated"},
      {"calibrate", file, "--device", "emulated"},
      {"dump", file, "--case", "kernelbench", "--directory", at("dump"), "--device", "emulated"},
      {"show", file},
      {"import", file, "--output", at("imported")},
      {"sweep", "--problems", file, "--solutions", folder_.path().string(), "--device", "emulated",
       "--output", results}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.end(), {"--python", python()});
    const Result result = kgrade(command);
    EXPECT_EQ(result.exit_code, 3) << command.front() << ": " << result.output;
    const std::string message = "PyTorch is not installed for Python 3.11.7 (/opt/bin/python3)";
    const std::size_t first = result.output.find(message);
    EXPECT_NE(first, std::string::npos) << command.front() << ": " << result.output;
    EXPECT_EQ(result.output.find(message, first + 1), std::string::npos) << command.front() << ": said twice";
  }
}

TEST_F(WithoutPyTorch, AGradedFileIsTheMachinesFault) {
  EXPECT_THAT(
      kgrade({"grade", slug, at("mine.py"), "--device", "emulated", "--case", "tiny", "--python", python()}),
      Ended(3, HasSubstr("PyTorch is not installed for Python 3.11.7")));
  EXPECT_EQ(
      kgrade({"grade", slug, at("plain.cu"), "--device", "emulated", "--case", "tiny", "--python", python()})
          .exit_code,
      0);
}

}  // namespace kgrade::test::machine_faults_test
