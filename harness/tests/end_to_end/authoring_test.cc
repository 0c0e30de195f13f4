// From an empty folder to a problem, with the real program.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "tests/support/command.h"
#include "tests/support/ended.h"

namespace kgrade::test::authoring_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string content(const fs::path& path) {
  const auto text = read_text_file(path);
  return text ? *text : "";
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(New, TheStubCompilesAndComputesNothingYet) {
  const TemporaryDirectory folder;
  const std::string problems = (folder.path() / "problems").string();
  const Result made = kgrade({"new", "pair-sums", "--problems", problems, "--input", "x:n", "--output",
                              "y:max(ceil_div(n, 2), 2)", "--output", "z:n, 3", "--parameter", "eps:float"});
  ASSERT_EQ(made.exit_code, 0) << made.output;
  EXPECT_THAT(made.output, HasSubstr("Next:"));
  const fs::path candidate = folder.path() / "zeros.cu";
  std::ofstream(candidate)
      << "#include <cuda_runtime.h>\nextern \"C\" void solution(const float* x, float* y, float* z, size_t "
         "n, "
         "float eps) {\n  const size_t half = (n + 1) / 2;\n"
         "  cudaMemsetAsync(y, 0, (half > 2 ? half : 2) * 4);\n  cudaMemsetAsync(z, 0, n * 12);\n}\n";
  EXPECT_THAT(kgrade({"grade", problems + "/pair-sums.md", candidate.string(), "--device", "emulated"}),
              Ended(0));
}

TEST(New, TakesTypesAndWhatOutputsBeginAs) {
  const TemporaryDirectory folder;
  const std::string problems = (folder.path() / "problems").string();
  const Result made =
      kgrade({"new", "rotate", "--problems", problems, "--input", "positions:batch,tokens:int32", "--output",
              "q:batch,tokens,d", "--begins", "q=normal(0, 1)"});
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const std::string text = content(problems + "/rotate.md");
  EXPECT_THAT(text, HasSubstr("{name: positions, type: int, "));
  EXPECT_THAT(text, HasSubstr("begins: \"normal(0, 1)\""));
  EXPECT_EQ(kgrade({"show", problems + "/rotate.md"}).exit_code, 0);
}

TEST(New, ReplacesNothingAndLeavesNothingBehind) {
  const TemporaryDirectory folder;
  const std::string problems = (folder.path() / "problems").string();
  fs::create_directory(folder.path() / "reference");
  std::ofstream(folder.path() / "reference/taken.cu") << "mine";
  EXPECT_THAT(kgrade({"new", "taken", "--problems", problems}),
              Ended(2, HasSubstr("taken.cu: error: the file exists already")));
  EXPECT_EQ(content(folder.path() / "reference/taken.cu"), "mine");
  EXPECT_FALSE(fs::exists(problems));
}

TEST(New, SaysWhatCannotBe) {
  const TemporaryDirectory folder;
  const std::string problems = (folder.path() / "problems").string();
  for (const std::vector<std::string>& bad :
       std::vector<std::vector<std::string>>{{"Row Softmax"},
                                             {"../up"},
                                             {"a", "--input", "x"},
                                             {"a", "--input", "x:n"},
                                             {"a", "--difficulty", "easy"},
                                             {"a", "--output", "y:n", "--init", "x=ones"},
                                             {"a", "--output", "int:n"},
                                             {"a", "--output", "y:n", "--parameter", "n:quad"}}) {
    std::vector<std::string> arguments = {"new", "--problems", problems};
    arguments.insert(arguments.end(), bad.begin(), bad.end());
    const Result result = kgrade(arguments);
    EXPECT_EQ(result.exit_code, 2) << bad.back();
    EXPECT_THAT(result.output, HasSubstr("error: ")) << bad.back();
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

// A script that forgets its options must not get a problem that it did not ask for.
TEST(New, WithoutATerminalTheTensorsHaveToBeNamed) {
  const TemporaryDirectory folder;
  EXPECT_THAT(kgrade({"new", "row-softmax", "--problems", (folder.path() / "problems").string()}),
              Ended(2, HasSubstr("--input x:rows,columns --output y:rows,columns")));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(New, ShapesThatNoCaseCanHaveAreRefusedAndNothingIsWritten) {
  const TemporaryDirectory folder;
  const std::string problems = (folder.path() / "problems").string();
  for (const char* shape : {"y:0", "y:n - 100000"})
    EXPECT_EQ(kgrade({"new", "a", "--problems", problems, "--output", shape}).exit_code, 2) << shape;
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(ImportCommand, WritesAProblemWhoseTodosLintNames) {
  const TemporaryDirectory folder;
  const fs::path bare = folder.path() / "bare.txt";
  std::ofstream(bare) << "---\nslug: \"scaled\"\ntitle: \"Scaled\"\ndifficulty: \"EASY\"\nparameters:\n"
                         "  - {name: \"x\", type: \"[VAR]\", pointer: \"true\", const: \"true\"}\n"
                         "  - {name: \"y\", type: \"[VAR]\", pointer: \"true\", const: \"false\"}\n"
                         "  - {name: \"rows\", type: \"size_t\", pointer: \"false\", constant: \"false\"}\n"
                         "  - {name: \"cols\", type: \"size_t\", pointer: \"false\", constant: \"false\"}\n"
                         "---\n- Matrix `x` of shape $(rows, cols)$\n- Matrix `y`, twice as much\n";
  const std::string directory = folder.path().string();
  const Result imported = kgrade({"import", bare.string(), "--problems", directory, "--slug", "twice"});
  ASSERT_EQ(imported.exit_code, 0) << imported.output;
  EXPECT_THAT(imported.output,
              HasSubstr("missing and " + (folder.path().parent_path() / "reference/twice.cu").string() +
                        ", then kgrade "
                        "lint " +
                        directory + "/twice.md"));
  EXPECT_THAT(kgrade({"import", bare.string(), "-o", directory + "/mine/", "--slug", "twice"}),
              Ended(0, HasSubstr("missing and " + directory + "/reference/twice.cu, then")));
  EXPECT_TRUE(fs::exists(folder.path() / "mine/twice.md")) << "a folder that is missing is made";
  EXPECT_THAT(imported.output, HasSubstr("shape of 'y': the statement gives no shape for this parameter"));
  EXPECT_THAT(content(folder.path() / "twice.md"), HasSubstr("shape: [rows, cols]}  # from the statement"));
  const Result linted = kgrade({"lint", "--no-run", directory + "/twice.md"});
  EXPECT_EQ(linted.exit_code, 2) << "it cannot be graded yet";
  EXPECT_THAT(linted.output, HasSubstr("warning: still to be done: TODO shape of 'y'"));
  EXPECT_THAT(kgrade({"import", bare.string(), "-o", directory, "--slug", "twice"}),
              Ended(2, HasSubstr("exists already")));
}

TEST(ImportCommand, WritesIntoTheWorkingFolderByDefaultAsNewDoes) {
  const TemporaryDirectory folder;
  Program program;
  program.folder = folder.path().string();
  std::ofstream(folder.path() / "bare.txt")
      << "---\nslug: scaled\ntitle: Scaled\ndifficulty: EASY\nparameters:\n"
         "  - {name: \"y\", type: \"[VAR]\", pointer: \"true\", const: \"false\"}\n---\nText.\n";
  EXPECT_THAT(kgrade({"import", "bare.txt", "--slug", "twice"}, program),
              Ended(0, HasSubstr("wrote problems/twice.md\n")));
  EXPECT_TRUE(fs::exists(folder.path() / "problems/twice.md"));
  fs::remove_all(folder.path() / "problems");
  EXPECT_THAT(kgrade({"new", "mine", "--output", "y:n"}, program), Ended(0));
  EXPECT_TRUE(fs::exists(folder.path() / "problems/mine.md"));
}

TEST(ImportCommand, AFileThatIsNoProblemGetsOneMessage) {
  const TemporaryDirectory folder;
  for (const std::string& text :
       {std::string("First, the kernel.\n"), std::string(), std::string("---\na: [\n---\n"),
        std::string("---\nsurprise: 1\nother: 2\n---\n"), std::string("---\n\xff\n---\n")}) {
    const ScratchFile odd("odd.md", text);
    const Result result = kgrade({"import", odd.path(), "-o", folder.path().string()});
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_EQ(count(result.output, "error: "), 1U) << result.output;
  }
  EXPECT_EQ(kgrade({"import", "no-such-file", "-o", folder.path().string()}).exit_code, 2);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Show, TheStatementComesFirstAndCannotCommandTheTerminal) {
  const ScratchFile file("stated.md",
                         "---\nslug: stated\ntitle: Stated\ndifficulty: EASY\nparameters:\n"
                         "  - {name: y, type: \"[VAR]\", pointer: true, const: false, shape: [n]}\n"
                         "  - {name: n, type: size_t, pointer: false}\n"
                         "dtypes: [float32]\ncases:\n  - {name: tiny, role: test, n: 3}\n---\n"
                         "Write $y_i = 1$\n\n- for \u202eall $i$\n");
  EXPECT_THAT(kgrade({"show", file.path()}),
              Ended(0, HasSubstr(".md\n\nWrite $y_i = 1$\n\n- for \\xe2\\x80\\xaeall $i$\n\nEntry point\n")));
}

// The statement of an imported problem only names its file.
TEST(Show, AnImportedProblemShowsItsModel) {
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / "1_Scale.py")
      << "import torch\n\nFACTOR = 2\n\nclass Model(torch.nn.Module):\n    def __init__(self):\n"
         "        super().__init__()\n\n    def forward(self, x):\n        return x * FACTOR\n\n\n"
         "def get_inputs():\n    return [torch.randn(4)]\n";
  const fs::path file = folder.path() / "1-scale.md";
  std::ofstream(file) << R"yaml(---
slug: 1-scale
title: Scale
difficulty: EASY
reference: "1_Scale.py"
parameters:
  - {name: x, type: "[VAR]", pointer: true, const: true, shape: [4], init: "normal(0, 1)"}
  - {name: y, type: "[VAR]", pointer: true, const: false, shape: [4]}
dtypes: [float32]
cases:
  - {name: tiny, role: test}
torch: {init: {}, forward: [x]}
---
`Model` of 1_Scale.py says what to compute.
)yaml";
  const std::string model =
      "class Model(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n\n"
      "    def forward(self, x):\n        return x * FACTOR\n";
  EXPECT_THAT(kgrade({"show", file.string()}),
              Ended(0, HasSubstr("says what to compute.\n\n" + model + "\nEntry point\n")));
  const auto json = nlohmann::json::parse(kgrade({"show", file.string(), "--json"}).output, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["model"], model);
}

TEST(Show, EveryScalarOfACaseIsShown) {
  const ScratchFile file("scaled.md", R"yaml(---
slug: scaled
title: Scaled
difficulty: EASY
parameters:
  - {name: x, type: "[VAR]", pointer: true, const: true, shape: [n], init: ones}
  - {name: y, type: "[VAR]", pointer: true, const: false, shape: [n]}
  - {name: n, type: size_t, pointer: false}
  - {name: factor, type: float, pointer: false}
  - {name: flip, type: bool, pointer: false}
dtypes: [float32]
cases:
  - {name: tiny, role: test, n: 3, factor: 0.25, flip: true}
---
Scale.
)yaml");
  EXPECT_THAT(kgrade({"show", file.path()}).output, HasSubstr("n=3 factor=0.25 flip=true"));
  const auto json = nlohmann::json::parse(kgrade({"show", file.path(), "--json"}).output, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["cases"][0]["parameters"].dump(), R"({"factor":0.25,"flip":true,"n":3})");
}

}  // namespace kgrade::test::authoring_test
