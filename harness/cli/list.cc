#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "cli/app.h"
#include "cli/options.h"
#include "problem/catalogue.h"
#include "record/terminal.h"

namespace kgrade::cli {
namespace {

struct ListArguments {
  std::string directory;
  std::string word;
  std::string family;
  bool names = false;
  bool json = false;
};

// True if the slug, the title or a tag has the word in it, in upper or lower case.
bool has_word(const Problem& problem, const std::string& word) {
  const auto has_it = [wanted = lower_case(word)](const std::string& text) {
    return lower_case(text).find(wanted) != std::string::npos;
  };
  return has_it(problem.slug) || has_it(problem.title) ||
         std::any_of(problem.tags.begin(), problem.tags.end(), has_it);
}

// The error that no problem matches. Suggests what the user might have meant.
Error nothing_found(const ListArguments& arguments, const std::vector<Problem>& problems) {
  const std::set<std::string> families = families_of(problems);
  if (!arguments.family.empty() && !families.contains(arguments.family)) {
    const auto near = nearest(arguments.family, {families.begin(), families.end()});
    return {fmt::format("there is no family '{}'", printable_line(arguments.family)),
            near ? fmt::format("did you mean '{}'?", *near)
                 : fmt::format("the families are {}", fmt::join(families, ", ")),
            {}};
  }
  return {fmt::format("no problem{} has '{}' in its slug, its title or its tags",
                      arguments.family.empty() ? "" : " of this family", printable_line(arguments.word)),
          "kgrade list prints all problems",
          {}};
}

int run(const ListArguments& arguments) {
  const Layout layout = Layout::find(arguments.directory);
  const auto files = problem_files(layout.problems);
  if (!files) return fail(files.errors());
  std::vector<Problem> problems;
  Errors errors;
  for (const auto& file : *files) {
    auto problem = load_problem(file);
    if (problem) {
      problems.push_back(std::move(*problem));
    } else {
      errors.insert(errors.end(), problem.errors().begin(), problem.errors().end());
    }
  }
  const Errors clashes = check_catalogue(problems);
  errors.insert(errors.end(), clashes.begin(), clashes.end());
  const auto is_left_out = [&](const Problem& problem) {
    return (!arguments.family.empty() && problem.family != arguments.family) ||
           !has_word(problem, arguments.word);
  };
  if (std::all_of(problems.begin(), problems.end(), is_left_out) && !problems.empty())
    return fail({nothing_found(arguments, problems)});
  problems.erase(std::remove_if(problems.begin(), problems.end(), is_left_out), problems.end());
  if (arguments.json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Problem& problem : problems)
      json.push_back({{"slug", problem.slug},
                      {"title", problem.title},
                      {"difficulty", to_string(problem.difficulty)},
                      {"family", problem.family},
                      {"tags", problem.tags},
                      {"dtypes", problem.dtypes},
                      {"cases", problem.cases.size()},
                      {"file", problem.path.string()}});
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else if (arguments.names) {
    for (const Problem& problem : problems) fmt::print("{}\n", problem.slug);
  } else {
    TextTable table({"slug", "difficulty", "cases", "title"}, {false, false, true, false});
    for (const Problem& problem : problems)
      table.add({problem.slug, std::string(to_string(problem.difficulty)),
                 std::to_string(problem.cases.size()), problem.title});
    const Style style = Style::for_descriptor(STDOUT_FILENO);
    fmt::print("{}\nin {}\n", table.render(style, ""), folder_names(layout.problems));
  }
  return errors.empty() ? exit_ok : fail(errors);
}

// A public set whose problems are read from their own files (docs/sets.md).
struct PublicSet {
  std::string_view name;
  std::string_view path;  // what to give as the problem
  std::string_view source;
  std::string_view licence;  // as its authors state it
};

constexpr PublicSet public_sets[] = {
    {"KernelBench", "level1/23_Softmax.py", "github.com/ScalingIntelligence/KernelBench", "MIT"},
    {"KernelBench v3, kernelbench.com", "a folder with reference.py and problem.yaml, or a file with a Model",
     "github.com/Infatoshi/kernelbench.com", "MIT, but none for the deck `multi`"},
    {"MultiKernelBench, NPUKernelBench", "reference/*/NAME.py", "github.com/wzzll123/MultiKernelBench",
     "MIT"},
    {"flashinfer-bench", "definitions/*/NAME.json", "github.com/flashinfer-ai/flashinfer-bench",
     "Apache-2.0"},
    {"SOL-ExecBench", "a folder with definition.json and workload.jsonl", "github.com/NVIDIA/SOL-ExecBench",
     "Apache-2.0 (code)"},
    {"GPU MODE reference-kernels", "a folder with task.yml", "github.com/gpu-mode/reference-kernels",
     "since 2026-06-09 not for training, unless its terms are met; MIT before"},
    {"robust-kbench", "tasks/NAME/func_forward.py, func_backward.py", "github.com/SakanaAI/robust-kbench",
     "Apache-2.0"},
    {"TritonBench-T", "TritonBench_T_v1/NAME.py", "github.com/thunlp/TritonBench", "Apache-2.0"},
    {"BackendBench (OpInfo)", R"(a file {"operator": "softmax", "dtype": "bfloat16"})",
     "github.com/meta-pytorch/BackendBench", "BSD-3-Clause"},
};

int print_sets(bool as_json) {
  if (as_json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const PublicSet& set : public_sets)
      json.push_back(
          {{"name", set.name}, {"path", set.path}, {"source", set.source}, {"licence", set.licence}});
    fmt::print("{}\n", json.dump(2));
    return exit_ok;
  }
  TextTable table({"set", "what to give as PROBLEM", "from", "licence as its authors state it"});
  for (const PublicSet& set : public_sets)
    table.add(
        {std::string(set.name), std::string(set.path), std::string(set.source), std::string(set.licence)});
  fmt::print("{}\nNothing of these sets comes with kgrade. docs/sets.md says what is read and what is not.\n",
             table.render(Style::for_descriptor(STDOUT_FILENO), ""));
  return exit_ok;
}

}  // namespace

Command add_sets(CLI::App& app) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("sets", "List the public problem sets whose files can be graded as they are");
  command->add_flag("--json", *as_json, "Print JSON");
  return {command, [as_json] { return print_sets(*as_json); }};
}

Command add_list(CLI::App& app) {
  auto arguments = std::make_shared<ListArguments>();
  CLI::App* command = app.add_subcommand("list", "List the problems");
  command
      ->add_option("word", arguments->word,
                   "Only problems with this word in their slug, title or tags: softmax, conv")
      ->type_name("WORD");
  command->add_option("--family", arguments->family, "Only problems of this family: conv-2d")
      ->type_name("FAMILY");
  CLI::Option* const names =
      command->add_flag("--names", arguments->names, "Print only the slugs, one per line");
  command->add_flag("--json", arguments->json, "Print JSON")->excludes(names);
  add_grade_option(*command, "problems", &arguments->directory);
  return {command, [arguments] { return run(*arguments); }};
}

}  // namespace kgrade::cli
