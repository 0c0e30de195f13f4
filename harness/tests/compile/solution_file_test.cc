// Solutions of flashinfer-bench and SOL-ExecBench as candidates.
#include "compile/solution_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compile/submission.h"

namespace kgrade::test {
namespace solution_file_test {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::HasSubstr;
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

const fs::path file = "solutions/add/fast.json";

Solution read(const Json& solution) {
  const auto found = read_solution(solution.dump(), file);
  EXPECT_TRUE(found.ok()) << (found ? "" : to_string(found.errors()));
  return found ? *found : Solution{};
}

std::string text(const Json& solution) { return read(solution).text; }

std::string error(const std::string& content) {
  const auto found = read_solution(content, file);
  EXPECT_FALSE(found.ok());
  if (found) return "";
  EXPECT_NE(found.error().remedy, "");
  return found.error().message;
}

// sum, more = forward(y, x, eps, None), as the reader of a Python file makes it.
Problem add_problem() {
  Problem problem;
  problem.path = "add.py";
  problem.slug = "add";
  for (const char* name : {"x", "y", "sum", "more", "eps"}) {
    Parameter& parameter = problem.parameters.emplace_back();
    parameter.name = name;
    parameter.type = "float";
    parameter.pointer = parameter.name != "eps";
    parameter.is_const = parameter.name == "x" || parameter.name == "y";
  }
  problem.torch.emplace().forward = {"y", "x", R"({"scalar": "eps"})", R"({"value": null})"};
  return problem;
}

TEST(SolutionFileTest, PythonIsCalledByPosition) {
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

TEST(SolutionFileTest, OutputsAreArgumentsByDefault) {
  Json one = solution("kernel.py::fast_add", true);
  one["spec"].erase("destination_passing_style");
  add_source(one, "kernel.py", "def fast_add(*all): pass");
  EXPECT_TRUE(holds_submission(one.dump(), "fast.json"));
  Problem problem = add_problem();
  const auto found = text_for(problem, read(one));
  ASSERT_TRUE(found.ok());
  EXPECT_THAT(*found, HasSubstr("def kgrade_solution(x, y, sum, more, eps):\n"
                                "    fast_add(y, x, eps, None, sum, more)\n"
                                "# kgrade: entry kgrade_solution\n"));
  problem.torch.reset();  // a problem file says no more than the order of its parameters
  EXPECT_THAT(text_for(problem, read(one)).value(), HasSubstr("    fast_add(x, y, eps, sum, more)\n"));
}

TEST(SolutionFileTest, ASolutionForAnotherDefinitionIsRefused) {
  Json one = solution("kernel.py::fast_add");
  add_source(one, "kernel.py", "def fast_add(a, b): pass");
  one["definition"] = "Add";  // its slug is the problem's
  EXPECT_TRUE(text_for(add_problem(), read(one)).ok());
  one["definition"] = "other";
  const auto refused = text_for(add_problem(), read(one));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("'other'"), HasSubstr("'add'")));
  Problem of_ones_own = add_problem();
  of_ones_own.path = "add.md";  // a slug of one's own choice
  EXPECT_TRUE(text_for(of_ones_own, read(one)).ok());
}

TEST(SolutionFileTest, SourcesInCudaAreBuiltByLoadInline) {
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

TEST(SolutionFileTest, UnfitSolutionsAreExplained) {
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
  EXPECT_EQ(read(bound).unsupported, "");
  bound["spec"]["language"] = "cuda";
  EXPECT_THAT(read(bound).unsupported, HasSubstr("TVM FFI"));
  bound["spec"]["binding"] = "torch";
  EXPECT_EQ(read(bound).unsupported, "");
  EXPECT_THAT(text(bound), HasSubstr("_load_inline"));
}

}  // namespace solution_file_test
}  // namespace kgrade::test
