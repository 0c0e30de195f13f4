#include "authoring/import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "authoring/case_proposals.h"
#include "authoring/contract_guesses.h"
#include "authoring/shape_finder.h"
#include "authoring/slug.h"
#include "problem/scalar_type.h"

namespace kgrade::authoring {
namespace {

constexpr std::size_t largest_statement = 256 << 10;

// What stands in the way of reading the statement.
std::optional<Error> refusal(const Problem& problem) {
  const std::string file = problem.path.string();
  const bool shaped = std::any_of(problem.parameters.begin(), problem.parameters.end(),
                                  [](const Parameter& p) { return !p.shape.empty() || p.init.has_value(); });
  if (shaped || !problem.cases.empty() || !problem.let.empty()) {
    return Error{"the file has shapes or cases already: it is no bare interface",
                 "copy it into the folder of problems, and run `kgrade lint` on it",
                 {file, 0, 0}};
  }
  if (problem.statement.size() > largest_statement)
    return Error{"the statement is larger than 256 KiB",
                 "keep what says how the kernel's result is computed",
                 {file, 0, 0}};
  return std::nullopt;
}

Draft draft_of(const Problem& problem) {
  Draft draft;
  draft.slug = problem.slug;
  draft.title = problem.title;
  draft.difficulty = problem.difficulty;
  draft.author = problem.author;
  draft.tags = problem.tags;
  draft.source = problem.source;
  draft.statement = problem.statement;
  for (const Parameter& parameter : problem.parameters) {
    draft.parameters.push_back(
        {parameter.name, parameter.type, parameter.pointer, parameter.is_const, {}, "", {}});
  }
  return draft;
}

std::vector<std::string> names_of(const Problem& problem, bool tensors) {
  std::vector<std::string> names;
  for (const Parameter& parameter : problem.parameters) {
    const ScalarType* type = find_scalar_type(parameter.type);
    const bool integer = !parameter.pointer && type != nullptr && type->is_integer();
    if (tensors ? parameter.pointer : integer) names.push_back(parameter.name);
  }
  return names;
}

// ".../KernelBench/level1/75_conv...": where the adapted problems say they are from.
std::string source_in(std::string_view statement) {
  const std::size_t level = statement.find("/level");
  if (statement.find("KernelBench") == statement.npos || level == statement.npos) return "";
  const std::size_t begin = level + 1;
  const std::size_t slash = statement.find('/', begin);
  if (slash == statement.npos || slash - begin > 8) return "";
  const std::size_t end = statement.find_first_not_of("0123456789", slash + 1);
  if (end == statement.npos || end == slash + 1 || end - slash > 8) return "";
  return "KernelBench " + std::string(statement.substr(begin, end - begin));
}

void add_cases(Imported& imported, const std::filesystem::path& path) {
  Draft& draft = imported.draft;
  const auto problem = parse_problem(problem_text(draft), path);
  if (!problem) return;
  add_proposals(draft, *problem);
  draft.defaults_note = "guessed: nothing, values are made up";
  draft.cases_note = "guessed: sizes that vary what the parameters allow";
  draft.fuzz_note = "guessed: the ranges that hidden shapes are drawn from";
  if (!draft.defaults.empty())
    imported.guesses.push_back({"defaults", "values of real numbers are made up: give those that matter"});
  if (!draft.cases.empty())
    imported.guesses.push_back(
        {"cases", "sizes and names are made up; give the bench case the sizes that matter"});
  if (!draft.fuzz.empty())
    imported.guesses.push_back({"fuzz", "a correct kernel must be right on every shape in these ranges"});
}

}  // namespace

Result<Imported> import_problem(std::string_view content, const std::filesystem::path& path,
                                const std::string& slug) {
  auto problem = parse_problem(content, path);
  if (!problem) return problem.errors();
  if (const auto error = refusal(*problem)) return *error;
  Imported imported{draft_of(*problem), {}, {}};
  if (!slug.empty()) imported.draft.slug = slug;
  if (const auto error = check_slug(imported.draft.slug)) return *error;
  if (imported.draft.source.empty()) imported.draft.source = source_in(problem->statement);
  const std::vector<std::string> scalars = names_of(*problem, false);
  ShapeFinder finder(imported, read_statement(problem->statement, names_of(*problem, true), scalars),
                     scalars);
  finder.run();
  guess_contract(imported, finder, scalars);
  add_cases(imported, path);
  // An unreadable file would be worse than none.
  if (const auto again = parse_problem(problem_text(imported.draft), path); !again)
    return Error{
        "the problem that was made of it cannot be read: " + again.error().message,
        "word the statement otherwise, or write the shapes and cases yourself: `kgrade lint` says what "
        "is missing",
        {path.string(), 0, 0}};
  return imported;
}

}  // namespace kgrade::authoring
