// Sources of Python candidates are examined without running them, whatever they hold.
#include "compile/python_candidate.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "compile/module_file.h"
#include "compile/python_interpreter.h"
#include "one_output.h"

namespace kgrade::python_candidate_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* honest = "def solution(output):\n    output.fill_(1)\n";

// Takes as long as it is told for an extension, or so it says.
class CountingToolchain : public Toolchain {
 public:
  std::string describe() const override { return "none"; }
  std::string identity() const override { return "none"; }
  Result<BuildOutcome> build(const Problem&, const BuildRequest&) const override { return BuildOutcome{}; }
  Result<BuildOutcome> build_extension(const ExtensionRequest& extension, const ExtensionHeaders&,
                                       const BuildRequest&) const override {
    ++extensions;
    BuildOutcome outcome;
    outcome.seconds = seconds;
    outcome.log = log;
    outcome.torch_headers = extension.torch_headers;
    if (extension.torch_headers) outcome.status = BuildStatus::built;
    return outcome;
  }
  fs::path cuda_toolkit() const override { return toolkit; }

  fs::path toolkit;
  double seconds = 1;
  std::string log;  // of builds with kgrade's headers, which all fail
  mutable int extensions = 0;
};

class PythonCandidates : public testing::Test {
 protected:
  void SetUp() override {
    auto found = find_python();
    if (!found) GTEST_SKIP() << to_string(found.errors());
    tools_ = {std::move(*found), fs::path(KGRADE_SOURCE_DIR) / "harness/python", nullptr};
  }

  BuildOutcome build(const std::string& source, const std::string& shown_as = "mine.py",
                     std::optional<std::vector<fs::path>> readable = std::nullopt) {
    BuildRequest request;
    request.readable = std::move(readable);
    request.source = folder_.path() / "mine.py";
    request.shown_as = shown_as;
    request.output_directory = folder_.path();
    const auto outcome = build_python(toolchain_, tools_, problem_, source, request);
    EXPECT_TRUE(outcome.ok());
    return outcome.ok() ? *outcome : BuildOutcome{};
  }

  TemporaryDirectory folder_;
  CountingToolchain toolchain_;
  PythonTools tools_;
  Problem problem_ = test::one_output();
};

TEST_F(PythonCandidates, AreBundledAsTheyAre) {
  const BuildOutcome outcome = build(honest);
  ASSERT_EQ(outcome.status, BuildStatus::built) << outcome.message;
  EXPECT_EQ(outcome.python_entry, "solution");
  EXPECT_FALSE(outcome.returns_outputs);
  EXPECT_THAT(*read_text_file(outcome.library), HasSubstr("output.fill_(1)"));
}

TEST_F(PythonCandidates, MayHaveNamesAndSourcesThatAreNoUtf8) {
  EXPECT_EQ(build(honest, "m\xffine.py").status, BuildStatus::built);
  EXPECT_EQ(build(std::string(honest) + "# \xff\xfe\n").status, BuildStatus::built);
}

TEST_F(PythonCandidates, WithoutAnAnswerThatCanBeReadAreCompileErrors) {
  tools_.folder = folder_.path();
  for (const char* answer :
       {"", "[]", R"({"status": 1})", R"({"status": "fine", "message": "", "line": 0})",
        R"({"status": "compile_error", "message": "", "line": "1"})",
        R"({"status": "ok", "message": "", "line": 0, "entry": null, "extensions": [], "stand_ins": []})",
        R"({"status": "ok", "message": "", "line": 0, "entry": {"name": "f", "kind": 1, "writes": true}})"}) {
    const std::string script = "import sys\nopen(sys.argv[3], 'w').write('" + std::string(answer) + "')\n";
    ASSERT_TRUE(write_file_atomically(folder_.path() / "inspect_candidate.py", script).ok());
    const BuildOutcome outcome = build(honest);
    EXPECT_EQ(outcome.status, BuildStatus::compile_error) << answer;
    EXPECT_THAT(outcome.message, testing::StartsWith("mine.py: cannot be examined: the interpreter gave no"))
        << answer;
  }
}

TEST_F(PythonCandidates, ThatCannotBeReadAreCompileErrors) {
  for (const std::string& source :
       {std::string("def solution(output:\n"), std::string("\0", 1), std::string(100'000, '('),
        std::string("x = ") + std::string(100'000, '-') + "1\n", std::string(200'000, '[')}) {
    const BuildOutcome outcome = build(source);
    EXPECT_EQ(outcome.status, BuildStatus::compile_error) << source.substr(0, 40);
    EXPECT_THAT(outcome.message, HasSubstr("mine.py")) << source.substr(0, 40);
    EXPECT_EQ(outcome.message.find('\n'), std::string::npos);
  }
}

TEST_F(PythonCandidates, AreNotRun) {
  const std::string mark = (folder_.path() / "ran").string();
  build("open('" + mark + "', 'w')\n" + honest);
  EXPECT_FALSE(fs::exists(mark));
}

TEST_F(PythonCandidates, AreUnsupportedWhereTheyNeedAFrameworkThatTheDeviceCannotRun) {
  const std::string uses = "import cupy\ndef solution(output):\n    cupy.asarray(output).fill(1)\n";
  const BuildOutcome refused = build(uses);
  EXPECT_EQ(refused.status, BuildStatus::unsupported);
  EXPECT_EQ(refused.message,
            "mine.py:3: CuPy cannot run on the emulated device; run it on a GPU: --device cuda");
  const BuildOutcome unneeded = build(std::string("import cupy\n") + honest);
  ASSERT_EQ(unneeded.status, BuildStatus::built) << unneeded.message;
  EXPECT_THAT(*read_text_file(unneeded.library), HasSubstr(R"("stand_ins":["cupy"])"));
  toolchain_.toolkit = "/usr/local/cuda";
  EXPECT_EQ(build(uses).status, BuildStatus::built);
}

// Their matrix units are named only for code that a GPU runs.
TEST_F(PythonCandidates, ReportTheirKernelsOnAGpuInProblemsOfLowPrecision) {
  for (const char* toolkit : {"", "/usr/local/cuda"}) {
    for (const Dtype dtype : {Dtype::float32, Dtype::bfloat16}) {
      toolchain_.toolkit = toolkit;
      problem_.dtype = dtype;
      const bool expected = *toolkit != '\0' && dtype == Dtype::bfloat16;
      EXPECT_THAT(*read_text_file(build(honest).library),
                  HasSubstr(expected ? R"("reports_kernels":true)" : R"("reports_kernels":false)"))
          << toolkit << " " << to_string(dtype);
    }
  }
}

TEST_F(PythonCandidates, AreUnsupportedWhereAFileBesideThemNeedsSuchAFramework) {
  const fs::path mine = folder_.path() / "mine.py";
  const fs::path helper = folder_.path() / "helper.py";
  ASSERT_TRUE(write_file_atomically(mine, "").ok());
  ASSERT_TRUE(write_file_atomically(helper, "import cupy\ncupy.zeros(1)\n").ok());
  const BuildOutcome refused = build(std::string("import helper\n") + honest, "mine.py", {{mine, helper}});
  EXPECT_EQ(refused.status, BuildStatus::unsupported);
  EXPECT_THAT(refused.message, HasSubstr("'helper.py' needs it in line 2"));
}

// It takes a minute, so it is tried only where PyTorch's headers may help, and not while a lane waits.
TEST_F(PythonCandidates, HaveExtensionsBuiltAheadWithPyTorchsHeadersToo) {
  const std::string source =
      honest + std::string("load_inline(name='e', cpp_sources='int x;', functions=[])\n");
  for (const auto& [log, builds] : {std::pair("e.cpp:1:1: error: 'f' is not a member of 'torch'\n", 2),
                                    {"e.cpp:1:1: error: redefinition of 'void PyInit_e()'\n", 1}}) {
    toolchain_.extensions = 0;
    toolchain_.log = log;
    EXPECT_EQ(build(source).status, BuildStatus::built);
    EXPECT_EQ(toolchain_.extensions, builds) << log;
  }
}

// Only a head start, and a candidate could list them for hours.
TEST_F(PythonCandidates, HaveSomeExtensionsBuiltAhead) {
  std::string source = honest;
  for (int i = 0; i < 50; ++i)
    source += "load_inline(name='e" + std::to_string(i) + "', cpp_sources='int x;', functions=[])\n";
  EXPECT_EQ(build(source).status, BuildStatus::built);
  EXPECT_EQ(toolchain_.extensions, 50);
  toolchain_.extensions = 0;
  toolchain_.seconds = 120;
  EXPECT_EQ(build(source).status, BuildStatus::built);
  EXPECT_EQ(toolchain_.extensions, 3);
}

// A file in KernelBench's form that has been read before is not read again, and nothing is started for it.

constexpr const char* description = R"({"title": "Twice", "positional": [], "keywords": {},
  "forward": [{"input": "x"}],
  "inputs": [{"name": "x", "shape": [16], "dtype": "float32",
              "draw": {"kind": "uniform", "first": 0, "second": 1}}],
  "weights": [], "buffers": [], "outputs": [{"name": "output", "shape": [16], "dtype": "float32"}],
  "mode": "train", "notes": []})";

// An interpreter that knows the answer, and a launcher of the sandbox that works nowhere. Each leaves a line
// in `started` when it is asked for more than its version.
class ModuleDescription : public testing::Test {
 protected:
  ModuleDescription() {
    if (const char* value = std::getenv("XDG_CACHE_HOME")) saved_ = value;
    ::setenv("XDG_CACHE_HOME", at("cache").c_str(), 1);
    fs::create_directories(at("tools/kgrade_python"));
    std::ofstream(at("description.json")) << description;
    program("python",
            "case \"$*\" in *importlib*) echo; echo 'kgrade-python {\"program\": \"" + at("python").string() +
                "\", \"version\": \"3.11.7\", \"torch\": \"2.11.0\", \"cuda\": \"\", \"triton\": \"\", "
                "\"torch_folder\": \"/\", \"include\": \"\", \"readable\": []}'; exit;; esac\n"
                "for answer; do :; done\necho python >>" +
                at("started").string() + "\ncat " + at("description.json").string() + " >\"$answer\"\n");
    program("launcher", "echo launcher >>" + at("started").string() + "\nexit 1\n");
    layout_.python = at("tools");
    layout_.launcher = at("launcher");
    write("level1/1_Twice.py", "class Model: pass\n");
  }

  ~ModuleDescription() override {
    if (saved_.empty()) ::unsetenv("XDG_CACHE_HOME");
    if (!saved_.empty()) ::setenv("XDG_CACHE_HOME", saved_.c_str(), 1);
  }

  fs::path at(const std::string& name) const { return folder_.path() / name; }

  void write(const std::string& name, const std::string& content) const {
    fs::create_directories(at(name).parent_path());
    std::ofstream(at(name)) << content;
  }

  void program(const std::string& name, const std::string& script) const {
    write(name, "#!/bin/sh\n" + script);
    fs::permissions(at(name), fs::perms::owner_all);
  }

  std::string described(const std::string& name) const {
    const auto text = describe_module_file(at(name), at("python"), layout_);
    return text ? *text : to_string(text.errors());
  }

  // Since the last call.
  std::string started() const {
    const auto lines = read_text_file(at("started"));
    fs::remove(at("started"));
    return lines ? *lines : "";
  }

  TemporaryDirectory folder_;
  Layout layout_;
  std::string saved_;
};

TEST_F(ModuleDescription, IsKeptByTheHashOfTheFile) {
  EXPECT_THAT(described("level1/1_Twice.py"), HasSubstr("slug: level1-1-twice"));
  EXPECT_THAT(started(), HasSubstr("python"));
  EXPECT_THAT(described("level1/1_Twice.py"), HasSubstr("slug: level1-1-twice"));
  EXPECT_EQ(started(), "");
  write("level1/2_Same.py", "class Model: pass\n");
  EXPECT_THAT(described("level1/2_Same.py"), HasSubstr("slug: level1-2-same"));
  EXPECT_EQ(started(), "");
  write("level1/1_Twice.py", "class Model: pass  # edited\n");
  EXPECT_THAT(described("level1/1_Twice.py"), HasSubstr("slug: level1-1-twice"));
  EXPECT_THAT(started(), HasSubstr("python"));
}

// An interpreter that writes down how it is started.
class BytecodeCache : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* value = std::getenv("XDG_CACHE_HOME")) saved_ = value;
    ::setenv("XDG_CACHE_HOME", (folder_.path() / "cache").c_str(), 1);
    python_.torch_folder = folder_.path() / "site-packages/torch";
    fs::create_directories(python_.torch_folder);
    python_.program = folder_.path() / "python3";
    python_.version = "3.11.7";
    python_.torch_version = "2.11.0";
    ends_with(0);
  }
  void TearDown() override {
    if (saved_.empty()) ::unsetenv("XDG_CACHE_HOME");
    if (!saved_.empty()) ::setenv("XDG_CACHE_HOME", saved_.c_str(), 1);
  }

  void ends_with(int exit_code) {
    std::ofstream(python_.program) << "#!/bin/sh\necho \"$@\" >>" << started().string()
                                   << "\nmkdir $TMPDIR/left; echo $TMPDIR >" << temporary().string()
                                   << "\nexit " << exit_code << "\n";
    fs::permissions(python_.program, fs::perms::owner_all);
  }
  fs::path started() const { return folder_.path() / "started"; }
  fs::path temporary() const { return folder_.path() / "temporary"; }
  std::string starts() const {
    const auto text = read_text_file(started());
    return text ? *text : "";
  }

  TemporaryDirectory folder_;
  std::string saved_;
  PythonInterpreter python_;
};

TEST_F(BytecodeCache, IsFilledOnce) {
  const fs::path bytecode = bytecode_of(python_);
  EXPECT_TRUE(fs::is_directory(bytecode));
  const std::string once = starts();
  EXPECT_NE(once.find("-X pycache_prefix=" + bytecode.string()), std::string::npos);
  // As a word: the temporary folder's name may hold it.
  EXPECT_EQ((" " + once).find(" -B "), std::string::npos);
  EXPECT_EQ(bytecode_of(python_), bytecode);
  EXPECT_EQ(starts(), once);
  python_.torch_version = "2.12.0";
  EXPECT_NE(bytecode_of(python_), bytecode);
}

TEST_F(BytecodeCache, LeavesNoTemporaryFiles) {
  ASSERT_FALSE(bytecode_of(python_).empty());
  const auto text = read_text_file(temporary());
  ASSERT_TRUE(text);
  const fs::path folder(trimmed(*text));
  EXPECT_NE(folder, TemporaryDirectory::base());
  EXPECT_FALSE(fs::exists(folder)) << folder;
}

TEST_F(BytecodeCache, IsNotNeededWherePackagesHaveTheirOwn) {
  fs::create_directories(python_.torch_folder / "__pycache__");
  EXPECT_TRUE(bytecode_of(python_).empty());
  EXPECT_EQ(starts(), "");
}

TEST_F(BytecodeCache, IsNoneWherePyTorchCannotBeImported) {
  ends_with(1);
  EXPECT_TRUE(bytecode_of(python_).empty());
  const std::string once = starts();
  EXPECT_NE(once, "");
  EXPECT_TRUE(bytecode_of(python_).empty());
  EXPECT_EQ(starts(), once);
}

}  // namespace kgrade::python_candidate_test
