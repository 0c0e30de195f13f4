// Solutions of flashinfer-bench and SOL-ExecBench as candidates.
#include "compile/solution_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_directory.h"
#include "compile/submission.h"

namespace kgrade::test {
namespace solution_file_test {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Json solution(const std::string& entry_point, bool takes_outputs = false) {
  return {{"name", "fast"},
          {"definition", "add"},
          {"spec", {{"entry_point", entry_point}, {"destination_passing_style", takes_outputs}}},
          {"sources", Json::array()}};
}

void add_source(Json& solution, const std::string& path, const std::string& content) {
  solution["sources"].push_back({{"path", path}, {"content", content}});
}

class SolutionFileTest : public ::testing::Test {
 protected:
  fs::path file() const { return folder_.path() / "tree/solutions/add/fast.json"; }
  void write_definition(const fs::path& below) {
    const fs::path path = folder_.path() / below;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << Json{{"name", "add"},
                                {"inputs", {{"y", {}}, {"x", {}}, {"eps", {}}}},
                                {"outputs", {{"sum", {}}, {"more", {}}}}};
  }
  std::string text(const Json& solution) {
    const auto text = python_text_of_solution(solution.dump(), file());
    EXPECT_TRUE(text.ok()) << (text ? "" : to_string(text.errors()));
    return text ? *text : "";
  }
  std::string error(const std::string& content) {
    const auto text = python_text_of_solution(content, file());
    EXPECT_FALSE(text.ok());
    if (text) return "";
    EXPECT_NE(text.error().remedy, "");
    return text.error().message;
  }

 private:
  TemporaryDirectory folder_;
};

TEST_F(SolutionFileTest, PythonIsCalledByPosition) {
  Json one = solution("kernel.py::fast_add");
  add_source(one, "kernel.py", "def fast_add(a, b):\n    return a + b");
  EXPECT_THAT(text(one), AllOf(StartsWith("def fast_add(a, b):\n    return a + b\n"),
                               HasSubstr("        return fast_add(*given)\n# kgrade: entry ModelNew\n")));
  const auto found = find_submission(one.dump(), "fast.json");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->text, text(one));
  EXPECT_TRUE(is_python_candidate(*found, "fast.json"));
  EXPECT_TRUE(has_module_entry(found->text));
  EXPECT_TRUE(holds_submission(one.dump(), "fast.json"));
  EXPECT_FALSE(holds_submission("{}", "fast.json"));
}

TEST_F(SolutionFileTest, OutputsAreArgumentsByDefault) {
  Json one = solution("kernel.py::fast_add", true);
  one["spec"].erase("destination_passing_style");
  add_source(one, "kernel.py", "def fast_add(*all): pass");
  EXPECT_THAT(error(one.dump()), HasSubstr("definition 'add'"));
  write_definition("tree/definitions/sums/add.json");
  EXPECT_THAT(text(one), HasSubstr("def kgrade_solution(y, x, eps, sum, more):\n"
                                   "    fast_add(y, x, eps, sum, more)\n"
                                   "# kgrade: entry kgrade_solution\n"));
  // The one beside is for another problem.
  one["definition"] = "other";
  write_definition("tree/solutions/add/definition.json");
  EXPECT_THAT(error(one.dump()), HasSubstr("definition 'other'"));
}

TEST_F(SolutionFileTest, SourcesInCudaAreBuiltByLoadInline) {
  Json one = solution("src/main.cpp::run");
  add_source(one, "src/kernel.h", "#pragma once\n#include \"types.h\"\n#include <vector>\nvoid launch();\n");
  add_source(one, "types.h", "struct Type {};\n#include \"src/kernel.h\"\n");
  add_source(one, "src/main.cpp",
             "#include \"kernel.h\"\n# include \"./kernel.h\"\n#include \"torch/extension.h\"\nint x;");
  add_source(one, "src/kernel.cu", "#include \"kernel.h\"\nconst char* text = \"\\n\";");
  one["spec"]["compile_options"] = {{"cuda_cflags", {"-O3", "--use_fast_math"}}, {"ld_flags", {"-lcublas"}}};
  const std::string found = text(one);
  EXPECT_THAT(found,
              HasSubstr(R"(cpp_sources=["struct Type {};\n#include <vector>\nvoid launch();\n)"
                        R"(#include \"torch/extension.h\"\nint x;\n"], )"
                        R"(cuda_sources=["struct Type {};\n#include <vector>\nvoid launch();\n)"
                        R"(const char* text = \"\\n\";\n"], extra_cflags=[], )"
                        R"(extra_cuda_cflags=["-O3","--use_fast_math"], extra_ldflags=["-lcublas"]))"));
  EXPECT_THAT(found, HasSubstr("return _extension.run(*given)"));
}

TEST_F(SolutionFileTest, UnfitSolutionsAreExplained) {
  EXPECT_THAT(error("{"), HasSubstr("not JSON"));
  const std::string deep = R"({"spec": )" + std::string(1 << 20, '[') + std::string(1 << 20, ']') + "}";
  EXPECT_THAT(error(deep), HasSubstr("is not a solution"));
  for (const char* content : {"[1]", "{}", R"({"spec": 1, "sources": 2})", R"({"sources": [1]})"})
    EXPECT_THAT(error(content), ::testing::AnyOf(HasSubstr("is not a solution"), HasSubstr("'path'")));
  Json one = solution("kernel.py::run");
  add_source(one, "other.py", "x = 1");
  EXPECT_THAT(error(one.dump()), HasSubstr("kernel.py, which is not among its sources"));
  add_source(one, "kernel.py", "import other");
  EXPECT_THAT(error(one.dump()), HasSubstr("several sources in Python"));
  Json bound = solution("kernel.cu::run");
  add_source(bound, "kernel.cu", "int x;");
  EXPECT_THAT(text(bound), Not(HasSubstr("TVM")));
  bound["spec"]["language"] = "cuda";
  EXPECT_THAT(error(bound.dump()), HasSubstr("TVM FFI"));
  bound["spec"]["binding"] = "torch";
  EXPECT_THAT(text(bound), HasSubstr("_load_inline"));
}

}  // namespace solution_file_test
}  // namespace kgrade::test
