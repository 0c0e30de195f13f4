// Bad input gets one clear message with place and remedy, exit code 2, and leaves nothing behind.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "tests/support/command.h"
#include "tests/support/ended.h"

namespace kgrade::test::bad_input_test {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string slug = "conv-transpose-2d-sq-input-asym-kernel";
const std::string naive = "solutions/" + slug + "/naive.cu";

void expect_refused(const Result& result, const std::string& message, const std::string& remedy) {
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_THAT(result.output, HasSubstr(message));
  EXPECT_THAT(result.output, HasSubstr(remedy));
  EXPECT_THAT(result.left_behind, IsEmpty());
}

// A small sound problem file. Each test below breaks it in one place.
std::string problem_text() {
  return R"yaml(---
slug: scale
title: Scale
difficulty: EASY
parameters:
  - {name: input, type: "[VAR]", pointer: true, const: true, shape: [n], init: "uniform(0, 1)"}
  - {name: output, type: "[VAR]", pointer: true, const: false, shape: [m]}
  - {name: n, type: size_t, pointer: false}
dtypes: [float32]
let:
  m: n
require:
  - n >= 1
flops: n
cases:
  - {name: tiny, role: sample, n: 3}
  - {name: small, role: test, n: 33}
  - {name: large, role: bench, n: 100}
---
Double every element.
)yaml";
}

struct Spoiled {
  const char* name;
  const char* from;
  const char* to;
  const char* place;  // ":line:column:"
  const char* message;
  const char* remedy;
};

void PrintTo(const Spoiled& spoiled, std::ostream* stream) { *stream << spoiled.name; }

class BadProblem : public testing::TestWithParam<Spoiled> {};

TEST_P(BadProblem, IsRefusedWithPlaceAndRemedy) {
  const Spoiled& spoiled = GetParam();
  std::string text = problem_text();
  const std::size_t at = text.find(spoiled.from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string(spoiled.from).size(), spoiled.to);
  const ScratchFile file("scale.md", text);
  for (const auto& command :
       std::vector<std::vector<std::string>>{{"grade", file.path(), naive, "--device", "emulated"},
                                             {"show", file.path()},
                                             {"lint", file.path()}}) {
    const Result result = kgrade(command);
    expect_refused(result, spoiled.message, spoiled.remedy);
    EXPECT_THAT(result.output, HasSubstr(file.path() + spoiled.place)) << command[0];
  }
}

INSTANTIATE_TEST_SUITE_P(
    Form, BadProblem,
    testing::Values(
        Spoiled{"BrokenYaml", "title: Scale", "title: [Scale", ":", "error:", "hint:"},
        Spoiled{"UnknownKey", "title: Scale", "titel: Scale", ":3:1:", "titel", "title"},
        Spoiled{"MissingKey", "title: Scale\n", "", ":", "title", "hint:"},
        Spoiled{"UnknownName", "  m: n", "  m: k", ":11:6:", "'k'", "hint:"},
        Spoiled{"Overflow", "n: 100}", "n: 99999999999999999999}", ":18:", "64", "hint:"},
        Spoiled{"OverflowInAnExpression", "  m: n", "  m: n * 9223372036854775807", ":16:5:",
                "overflow: 3 * 9223372036854775807 does not fit into 64 bits (line 11, column 8)", "hint:"},
        Spoiled{"DivisionByZero", "  m: n", "  m: n / (n - n)",
                ":16:5:", "division by zero: 3 / 0 (line 11, column 8)", "hint:"},
        Spoiled{"NegativeExtent", "  m: n", "  m: n - 50", ":16:5:", "extent `m` of 'output' is -47",
                "at least 1"},
        Spoiled{"ZeroExtent", "  m: n", "  m: n - 3", ":16:5:", "extent `m` of 'output' is 0", "at least 1"},
        Spoiled{"DuplicateCase", "name: small", "name: tiny", ":17:", "tiny", "hint:"},
        Spoiled{"NotUtf8", "Double",
                "\xff"
                "ouble",
                ":", "UTF-8", "hint:"}),
    [](const auto& test) { return test.param.name; });

TEST(BadInput, TwoFilesWithOneSlug) {
  const ScratchFile file("scale.md", problem_text());
  std::filesystem::copy_file(file.path(), file.directory() + "/other.md");
  expect_refused(kgrade({"list", "--problems", file.directory()}), "scale", "hint:");
  expect_refused(kgrade({"lint", "--problems", file.directory()}), "scale", "hint:");
  expect_refused(kgrade({"grade", "scale", naive, "--problems", file.directory(), "--device", "emulated"}),
                 "the slug 'scale' is taken", "hint:");
}

// One message each, with the place and what to do.
TEST(BadInput, AProblemFileThatCannotBeReadIsToldOnce) {
  const TemporaryDirectory folder;
  const std::string loop = folder.path() / "loop.md", missing = folder.path() / "none.md";
  std::filesystem::create_symlink(loop, loop);
  for (const auto& [file, message, remedy] : std::vector<std::array<std::string, 3>>{
           {missing, missing + ": error: no such file", "check the path"},
           {loop, loop + ": error: its symbolic links lead to each other", "name the file itself"},
           {folder.path(), folder.path().string() + ": error: is a folder", "name a file in it"},
           {"/dev/null", "/dev/null: error: is not a regular file", "name a file that holds text"},
           {"", "error: a file is asked for, and its name is empty", "name a file"},
           {slug, slug + ": error: is the slug of a problem", "write problems/" + slug + ".md"}}) {
    for (const char* command : {"lint", "import"}) {
      const Result result = kgrade({command, file});
      expect_refused(result, message, remedy);
      const std::size_t first = result.output.find("error: ");
      EXPECT_EQ(result.output.find("error: ", first + 1), std::string::npos) << result.output;
      EXPECT_EQ(result.output.find("note: "), std::string::npos) << result.output;
    }
  }
}

TEST(BadInput, ASlugThatDoesNotExistGetsTheNearestOne) {
  expect_refused(kgrade({"grade", "conv-transpose-2d-sq-input-asym-kernle", naive}),
                 "conv-transpose-2d-sq-input-asym-kernle", slug);
  expect_refused(kgrade({"show", "conv-transpose-2d-sq-input-asym-kernle"}),
                 "conv-transpose-2d-sq-input-asym-kernle", slug);
}

TEST(BadInput, ACandidateThatDoesNotExist) {
  expect_refused(kgrade({"grade", slug, "nowhere/naive.cu", "--device", "emulated"}), "nowhere/naive.cu",
                 "hint:");
}

TEST(BadInput, ACandidateThatIsAFolder) {
  expect_refused(kgrade({"grade", slug, "solutions", "--device", "emulated"}), "is a folder", "hint:");
}

TEST(BadInput, ACaseThatDoesNotExistGetsTheNearestOne) {
  expect_refused(kgrade({"grade", slug, naive, "--case", "kernelbenhc", "--device", "emulated"}),
                 "kernelbenhc", "kernelbench");
}

TEST(BadInput, WhatTheCompilerSaysIsSaidOnceAndOfTheCandidatesFile) {
  const TemporaryDirectory folder;
  const std::string candidate = (folder.path() / "candidate.cu").string();
  std::ofstream(candidate) << "int x = y;\n";
  const Result result = kgrade({"grade", slug, candidate, "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 1);
  const std::string message = "'y' was not declared in this scope";
  const std::size_t first = result.output.find(message);
  ASSERT_NE(first, std::string::npos) << result.output;
  EXPECT_EQ(result.output.find(message, first + 1), std::string::npos) << result.output;
  EXPECT_THAT(result.output, testing::Not(HasSubstr("/unit."))) << "users do not know that folder";
}

// Before any compiler says a thousand things about it, and the other candidates are graded.
TEST(BadInput, ACandidateThatIsNoCudaGetsOneSentence) {
  const TemporaryDirectory folder;
  const auto file = [&](const std::string& name, const std::string& content) {
    std::ofstream(folder.path() / name) << content;
    return (folder.path() / name).string();
  };
  const std::string python = file("model.cu", "import torch\n");
  const std::string archive = file("all.cu", std::string("PK\x03\x04\0\0", 6));
  const std::string prose = file("answer.cu", "Here is the kernel:\n```cuda\nint x;\n```\nIt is fast.\n");
  const std::string empty = file("empty.cu", "");
  const Graded graded = grade({slug, python, archive, prose, empty, naive, "--case", "tiny"}, "emulated");
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  EXPECT_EQ(graded.exit_code, 1);
  const auto& candidates = graded.record["candidates"];
  const std::vector<std::string> sentences = {
      python + ":1: is Python, not CUDA C++; ", archive + ": is a binary file, not source code; ",
      prose +
          ":2: is a document, and none of its code blocks is a submission: the one of line 3 (cuda) defines "
          "no "
          "function 'solution'; ",
      empty + ": is empty; write: extern \"C\" void solution(const float* input, "};
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    EXPECT_EQ(candidates[i]["verdict"], "compile_error");
    EXPECT_THAT(std::string(candidates[i]["message"]), testing::StartsWith(sentences[i]));
    EXPECT_EQ(candidates[i]["compile"]["log"], "");
  }
  EXPECT_EQ(candidates[4]["verdict"], "accepted");
  EXPECT_THAT(kgrade({"check", slug, prose, "--device", "emulated"}),
              Ended(1, HasSubstr("none of its code blocks is a submission")));
}

TEST(BadInput, ACandidateThatIsNoCudaIsAVerdictOfASweep) {
  const TemporaryDirectory folder;
  std::filesystem::create_directories(folder.path() / slug);
  std::ofstream(folder.path() / slug / "model.cu") << "import torch\n";
  std::ofstream(folder.path() / slug / "empty.cu") << "";
  EXPECT_THAT(kgrade({"sweep", "--device", "emulated", "--only", slug, "--solutions",
                      folder.path() / slug / "*.cu", "--output", folder.path() / "out.jsonl"}),
              Ended(0, HasSubstr("model.cu:1: is Python, not CUDA C++; "),
                    HasSubstr("empty.cu: is empty; write: extern \"C\" void solution("),
                    HasSubstr("2 candidates: 0 accepted, 2 not")));
}

TEST(BadInput, AHundredThousandErrorsTakeSecondsAndFewLines) {
  std::string source = "extern \"C\" void solution() {\n";
  for (int i = 0; i < 100'000; ++i) source += "  undeclared_" + std::to_string(i) + " = 1;\n";
  const ScratchFile file("many.cu", source + "}\n");
  const auto start = std::chrono::steady_clock::now();
  const Graded graded = grade({slug, file.path(), "--case", "tiny"}, "emulated");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  const std::string log = graded.record["candidates"][0]["compile"]["log"];
  EXPECT_LT(std::count(log.begin(), log.end(), '\n'), 100);
  EXPECT_THAT(log, HasSubstr("... and 80 more errors in "));
}

TEST(BadInput, AJsonPathThatCannotBeWritten) {
  expect_refused(kgrade({"grade", slug, naive, "--json", "/nowhere/at/all.json", "--device", "emulated"}),
                 "/nowhere/at", "hint:");
  expect_refused(kgrade({"grade", slug, naive, "--json", "problems", "--device", "emulated"}), "is a folder",
                 "hint:");
}

TEST(BadInput, ACaseLargerThanTheDevicesMemoryIsToldBeforeItIsTried) {
  std::string text = problem_text();
  text.replace(text.find("n: 100}"), 7, "n: 1000000000000}");
  text.replace(text.find("slug: scale"), 11, "slug: conv-transpose-2d-sq-input-asym-kernel");
  const ScratchFile file("scale.md", text);
  expect_refused(kgrade({"grade", file.path(), naive, "--case", "large", "--device", test_device()}), "TiB",
                 "--case");
}

TEST(BadInput, UnknownDevicesAndOptions) {
  expect_refused(kgrade({"grade", slug, naive, "--device", "gpu"}), "unknown device 'gpu'", "emulated");
  expect_refused(kgrade({"grade", slug, naive, "--device", "emulated", "--order", "backwards"}),
                 "unknown order 'backwards'", "forward, reverse or shuffled");
  expect_refused(kgrade({"grade", slug, naive, "--device", "cuda", "--order", "forward"}),
                 "a GPU runs threads in an order of its own", "--device emulated");
  EXPECT_EQ(kgrade({"grade", slug, naive, "--no-such-option"}).exit_code, 2);
  EXPECT_EQ(kgrade({"grade"}).exit_code, 2);
  EXPECT_EQ(kgrade({}).exit_code, 2);
  for (const char* seed : {"-1", "x", "18446744073709551616"}) {
    expect_refused(kgrade({"grade", slug, naive, "--seed", seed}), seed, "hint:");
  }
  EXPECT_EQ(kgrade({"grade", slug, naive, "--time-limit", "nan"}).exit_code, 2);
  expect_refused(kgrade({"grde"}), "no command 'grde'", "kgrade grade");
  EXPECT_EQ(kgrade({"grade", slug, naive, "--device", "cuda:99"}).exit_code, 3);
}

TEST(BadInput, TheSeedsFormParsesAndLintSaysWhatGradingStillNeeds) {
  std::string text = R"yaml(---
slug: "scale"
title: "Scale"
difficulty: "EASY"
author: "someone"
tags: ["elementwise"]
parameters:
  - name: "input"
    type: "[VAR]"
    pointer: "true"
    const: "true"

  - name: "output"
    type: "[VAR]"
    pointer: "true"
    const: "false"

  - name: "n"
    type: "size_t"
    pointer: "false"
    constant: "false"
---

Double every element.
)yaml";
  const ScratchFile file("scale.md", text);
  EXPECT_EQ(kgrade({"show", file.path()}).exit_code, 0);
  const Result lint = kgrade({"lint", file.path()});
  for (const char* key : {"shapes", "inits", "cases"}) EXPECT_THAT(lint.output, HasSubstr(key));
  expect_refused(lint, "bare interface", "`kgrade import " + file.path() + "`");
  expect_refused(kgrade({"grade", file.path(), naive, "--device", "emulated"}), "shape", "hint:");
}

// Even if root may write to the folder, no file can be made there; this is reported before anything is
// graded. A mistake in a command line must not lose anything.
TEST(BadInput, AnOutputThatIsReadOrWrittenAlreadyIsRefused) {
  const TemporaryDirectory folder;
  const std::string record = folder.path() / "record.json", page = folder.path() / "page.html";
  const std::string kernel = folder.path() / "kernel.cu";
  std::filesystem::copy_file(std::filesystem::path(KGRADE_SOURCE_DIR) / naive, kernel);
  const std::vector<std::string> grade_it = {"grade", slug, kernel, "--device", "emulated", "--case", "tiny"};
  const auto with = [](std::vector<std::string> command, const std::vector<std::string>& more) {
    command.insert(command.end(), more.begin(), more.end());
    return kgrade(command);
  };
  ASSERT_EQ(with(grade_it, {"--json", record}).exit_code, 0);
  const auto content = read_text_file(record);
  expect_refused(with(grade_it, {"--json", kernel}), "--json: is read by this command", "name another file");
  expect_refused(with(grade_it, {"--json", page, "--junit", page}), "--junit: is the file of --json too",
                 "name another");
  expect_refused(kgrade({"leaderboard", record, "--json", record}), "--json: is read by this command",
                 "name another");
  expect_refused(kgrade({"compare", record, record, "--markdown", record}), "--markdown: is read by",
                 "name another");
  // The contents decide, not the name: in a folder, or as a file that would be replaced.
  expect_refused(kgrade({"leaderboard", folder.path(), "--json", record}),
                 "holds records, which would be lost", "name");
  expect_refused(with(grade_it, {"--junit", record}), "--junit: holds records", "name another file");
  EXPECT_EQ(*read_text_file(record), *content);
  EXPECT_FALSE(std::filesystem::exists(page));
  // Writing the same record again is what people want, and so is writing several outputs to /dev/null.
  EXPECT_EQ(with(grade_it, {"--json", record}).exit_code, 0);
  EXPECT_EQ(with(grade_it, {"--json", "/dev/null", "--junit", "/dev/null"}).exit_code, 0);
}

TEST(BadInput, AnEmptyValueIsNoWayToLeaveAnOptionOut) {
  for (const char* option : {"--json", "--junit", "--device", "--case"})
    expect_refused(kgrade({"grade", slug, naive, option, ""}), std::string(option) + ": an empty value",
                   "--help");
  expect_refused(kgrade({"sweep", "--gpus", ""}), "--gpus: an empty value", "--help");
}

// In the log of a GitHub Actions job, a line that begins like this is a workflow command.
TEST(BadInput, ANameThatLooksLikeAWorkflowCommandIsNone) {
  const TemporaryDirectory folder;
  const std::filesystem::path place = folder.path() / "x\n::error title=made up::by a name";
  std::filesystem::create_directories(place);
  std::filesystem::copy_file(std::filesystem::path(KGRADE_SOURCE_DIR) / naive, place / "kernel.cu");
  EXPECT_THAT(kgrade({"grade", slug, place / "kernel.cu", "--github", "--device", "emulated"}),
              Ended(2, HasSubstr("x\\x0a::error title=made up::by a name"),
                    testing::Not(HasSubstr("\n::error")), HasSubstr("::stop-commands::")));
}

TEST(BadInput, OutputThatCannotBeWrittenIsFoundBeforeTheWorkBegins) {
  const auto refused = [](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"grade", slug, naive, "--device", "emulated", "--case", "tiny"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result result = kgrade(arguments);
    EXPECT_THAT(result.output, testing::Not(HasSubstr("accepted")));
    return result;
  };
  expect_refused(refused({"--json", "/proc/x.json"}), "/proc/x.json: error: --json: cannot be written: ",
                 "name a file in a folder that you may write to");
  expect_refused(refused({"--junit", "/proc/x.xml"}),
                 "/proc/x.xml: error: --junit: cannot be written: ", "name a file");
  expect_refused(kgrade({"sweep", "--only", slug, "--device", "emulated", "--output", "/proc/x.jsonl"}),
                 "/proc/x.jsonl: error: --output: cannot be written: ", "name a file");
  const Program ci = {KGRADE_PROGRAM, {"GITHUB_STEP_SUMMARY=/proc/x.md"}};
  const Result summary =
      kgrade({"grade", slug, naive, "--device", "emulated", "--case", "tiny", "--github"}, ci);
  expect_refused(summary, "/proc/x.md: error: cannot be written: ", "unset GITHUB_STEP_SUMMARY");
  EXPECT_THAT(summary.output, testing::Not(HasSubstr("accepted")));
}

}  // namespace kgrade::test::bad_input_test
