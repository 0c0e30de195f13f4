// What the record says about libraries, and what a problem that allows none forbids: the real binary.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "sandbox/sandbox.h"
#include "tests/support/command.h"

namespace kgrade::test::libraries_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Of a problem that copies a vector; `libraries` is what it says about them.
std::string problem_file(const std::string& libraries) {
  return R"yaml(---
slug: )yaml" +
         libraries +
         R"yaml(
title: "Copy"
difficulty: EASY
tags: [elementwise]
parameters:
  - {name: input, type: "[VAR]", pointer: true, const: true, shape: [n], init: "normal(0, 1)"}
  - {name: output, type: "[VAR]", pointer: true, const: false, shape: [n]}
  - {name: n, type: size_t, pointer: false, const: false}
dtypes: [float32]
precision: fp32
libraries: )yaml" +
         libraries +
         R"yaml(
cases:
  - {name: tiny, role: test, n: 100}
  - {name: large, role: bench, n: 1000}
---
Copy.
)yaml";
}

// Copies where `condition` holds, and does nothing otherwise.
std::string solution(const std::string& condition, const std::string& before = "") {
  return "#include <cuda_runtime.h>\n#include <cmath>\n#include <cstddef>\n" + before +
         "__global__ void copy(const float* input, float* output, size_t n) {\n"
         "  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i < n) output[i] = input[i];\n}\n"
         "extern \"C\" void solution(const float* input, float* output, size_t n) {\n"
         "  if (!(" +
         condition + ")) return;\n  copy<<<(unsigned)((n + 127) / 128), 128>>>(input, output, n);\n}\n";
}

// A library that every machine with a compiler has, and that no contestant may use if none is allowed.
std::string some_library() {
  for (const char* name : {"libz.so.1", "libgmp.so.10", "libmpfr.so.6", "libgomp.so.1"}) {
    if (void* const library = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {
      ::dlclose(library);
      return name;
    }
  }
  return "";
}

std::string opens(const std::string& library) { return "dlopen(\"" + library + "\", RTLD_NOW) != nullptr"; }

class LibrariesOfACandidate : public testing::Test {
 protected:
  LibrariesOfACandidate() {
    for (const char* folder : {"problems", "reference"}) fs::create_directory(root() / folder);
    for (const std::string slug : {"any", "none"}) {
      write("problems/" + slug + ".md", problem_file(slug));
      write("reference/" + slug + ".cu", solution("true"));
    }
  }

  fs::path root() const { return scratch_.directory(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(root() / name) << text; }

  json graded(const std::string& slug, const std::string& source) const {
    write("answer.cu", source);
    const Graded result = grade({(root() / "problems" / (slug + ".md")).string(), root() / "answer.cu"});
    EXPECT_TRUE(result.record.is_object()) << result.output;
    EXPECT_THAT(result.left_behind, testing::IsEmpty());
    return result.record.is_object() ? result.record["candidates"][0] : json::object();
  }

  static std::string outcome(const json& candidate) {
    for (const json& check : candidate["checks"]) {
      if (check["name"] == "libraries") return check["outcome"];
    }
    return "";
  }

 private:
  ScratchFile scratch_{"other.cu", ""};
};

TEST_F(LibrariesOfACandidate, AreThoseOfTheRuntimeAndAllowedEverywhere) {
  // Linkers drop libraries that are not used, so this uses something from both.
  const std::string uses_both = "std::lgamma(1.0 + (double)n) >= 0 && std::strtol(\"1\", nullptr, 10) == 1";
  for (const std::string slug : {"any", "none"}) {
    const json candidate = graded(slug, solution(uses_both, "#include <cstdlib>\n"));
    EXPECT_EQ(candidate["verdict"], "accepted") << candidate["message"];
    EXPECT_EQ(outcome(candidate), "passed");
    EXPECT_THAT(candidate["libraries"]["linked"], Contains(StartsWith("libc.so")));
    EXPECT_THAT(candidate["libraries"]["linked"], Contains(StartsWith("libm.so")));
  }
}

TEST_F(LibrariesOfACandidate, AreRecordedWhenTheyAreOpened) {
  const std::string library = some_library();
  if (library.empty()) GTEST_SKIP() << "this machine has none of the usual libraries";
  const json candidate = graded("any", solution(opens(library), "#include <dlfcn.h>\n"));
  EXPECT_EQ(candidate["verdict"], "accepted") << candidate["message"];
  EXPECT_EQ(outcome(candidate), "passed");
  EXPECT_THAT(candidate["libraries"]["opened"], Contains(StartsWith(library)));
}

TEST_F(LibrariesOfACandidate, AreRecordedWhenTheyAreClosedAgain) {
  const std::string library = some_library();
  if (library.empty()) GTEST_SKIP() << "this machine has none of the usual libraries";
  const std::string closes =
      "static bool opened(const char* name) {\n"
      "  void* const library = dlopen(name, RTLD_NOW);\n"
      "  return library != nullptr && dlclose(library) == 0;\n}\n";
  const json candidate =
      graded("any", solution("opened(\"" + library + "\")", "#include <dlfcn.h>\n" + closes));
  EXPECT_EQ(candidate["verdict"], "accepted") << candidate["message"];
  EXPECT_THAT(candidate["libraries"]["opened"], Contains(StartsWith(library)));
}

// Loading fails, so the answer is right. If the machine cannot hide files, opening it is what counts.
TEST_F(LibrariesOfACandidate, CannotBeOpenedWhereNoneIsAllowed) {
  const std::string library = some_library();
  if (library.empty()) GTEST_SKIP() << "this machine has none of the usual libraries";
  const json candidate = graded("none", solution("!(" + opens(library) + ")", "#include <dlfcn.h>\n"));
  const Sandbox sandbox = Sandbox::probe(KGRADE_LAUNCHER);
  if (sandbox.confines() || sandbox.is_active("landlock")) {
    EXPECT_EQ(candidate["verdict"], "accepted") << candidate["message"];
    EXPECT_EQ(outcome(candidate), "passed");
    EXPECT_THAT(candidate["libraries"]["opened"], Not(Contains(StartsWith(library))));
  } else {
    EXPECT_EQ(candidate["verdict"], "cheating");
    EXPECT_EQ(outcome(candidate), "failed");
  }
}

TEST_F(LibrariesOfACandidate, FromMemoryAreSeen) {
  // A copy of an allowed library: it is impossible to say which library it is.
  const std::string copy = R"(
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <string>
static bool open_new_copy() {
  Dl_info info{};
  double (*const function)(double) = &cbrt;
  if (dladdr((void*)function, &info) == 0) return false;
  const int from = open(info.dli_fname, O_RDONLY), to = memfd_create("libm.so.6", 0);
  while (from >= 0 && to >= 0 && sendfile(to, from, nullptr, 1 << 20) > 0) {
  }
  return dlopen(("/proc/self/fd/" + std::to_string(to)).c_str(), RTLD_NOW) != nullptr;
}
// Once: on a GPU a process makes more calls than it may have open files.
static bool open_copy() {
  static const bool is_open = open_new_copy();
  return is_open;
}
)";
  const json recorded = graded("any", solution("open_copy()", copy));
  EXPECT_EQ(recorded["verdict"], "accepted") << recorded["message"];
  EXPECT_THAT(recorded["libraries"]["opened"], Contains("libm.so.6 (from memory)"));
  const json forbidden = graded("none", solution("open_copy()", copy));
  EXPECT_EQ(forbidden["verdict"], "cheating");
  EXPECT_EQ(outcome(forbidden), "failed");
  EXPECT_THAT(forbidden["message"].get<std::string>(), HasSubstr("opens libm.so.6 (from memory)"));
}

}  // namespace kgrade::test::libraries_test
