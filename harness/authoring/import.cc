#include "authoring/import.h"

#include <fmt/format.h>

#include <algorithm>

#include "authoring/def_parameters.h"
#include "authoring/marks.h"
#include "authoring/slug.h"
#include "authoring/stated_shapes.h"
#include "base/text.h"
#include "problem/scalar_type.h"

namespace kgrade::authoring {
namespace {

constexpr std::size_t largest_statement = 256 << 10;

std::optional<Error> refusal(const Problem& problem) {
  const std::string file = problem.path.string();
  if (!problem.family.empty() || problem.bytes || problem.libraries != Libraries::any) {
    return Error{"the file has keys that only files of kgrade have: it is no bare interface",
                 "copy it into the folder of problems, and run `kgrade lint` on it",
                 {file, 0, 0}};
  }
  if (problem.statement.size() > largest_statement)
    return Error{"the statement is larger than 256 KiB",
                 "keep what says how the kernel's result is computed",
                 {file, 0, 0}};
  return std::nullopt;
}

// The frontmatter with the parameters of a def.py, where it has none.
Result<std::string> with_parameters(std::string_view content, const std::filesystem::path& path,
                                    std::string_view def_py) {
  const std::size_t line = content.find('\n');
  const std::size_t end = content.find("\n---", 1);
  const bool has = end == content.npos || content.substr(0, end).find("\nparameters:") != content.npos;
  if (has || def_py.empty() || line == content.npos) return std::string(content);
  const auto parameters = parameters_in(def_py, path.parent_path() / "def.py");
  if (!parameters) return parameters.errors();
  return std::string(content.substr(0, line + 1)) + *parameters + std::string(content.substr(line + 1));
}

DraftParameter draft_of(const Parameter& parameter) {
  DraftParameter draft{parameter.name, parameter.type, parameter.pointer, parameter.is_const, {}, "", {}};
  for (const Expression& extent : parameter.shape) draft.shape.push_back(extent.text());
  if (parameter.init) draft.init.text = parameter.init->text;
  return draft;
}

// All that the frontmatter states.
Draft draft_of(const Problem& problem) {
  Draft draft;
  draft.slug = problem.slug;
  draft.title = problem.title;
  draft.difficulty = problem.difficulty;
  draft.author = problem.author;
  draft.tags = problem.tags;
  draft.source = problem.source;
  draft.statement = problem.statement;
  if (!problem.dtypes.empty()) draft.dtypes = problem.dtypes;
  draft.precision = problem.precision;
  for (const Parameter& parameter : problem.parameters) draft.parameters.push_back(draft_of(parameter));
  for (const auto& [name, value] : problem.let) draft.let.push_back({name, {value.text(), ""}});
  for (const Expression& condition : problem.require) draft.require.push_back({condition.text(), ""});
  if (problem.flops) draft.flops = Noted{problem.flops->text(), ""};
  draft.cases = problem.cases;
  draft.fuzz = problem.fuzz;
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

void add_shapes(Imported& imported, const std::map<std::string, StatedShape>& stated) {
  for (DraftParameter& parameter : imported.draft.parameters) {
    if (!parameter.pointer || !parameter.shape.empty()) continue;
    const auto found = stated.find(parameter.name);
    if (found != stated.end() && !found->second.extents.empty()) {
      parameter.shape = found->second.extents;
      parameter.shape_note = "from the statement: " + found->second.written;
      continue;
    }
    const Todo todo{fmt::format("shape of '{}'", parameter.name),
                    found == stated.end() ? std::string("the statement writes none at the parameter")
                                          : fmt::format("the statement writes {}, and {}",
                                                        found->second.written, found->second.problem)};
    parameter.shape_note = fmt::format("{} {}: {}", todo_mark, todo.what, todo.why);
    imported.todos.push_back(todo);
  }
}

// What shapes and kernels alone do not say.
void add_rest(Imported& imported) {
  Draft& draft = imported.draft;
  const auto add = [&](bool missing, const char* what, const char* why) {
    if (!missing) return;
    imported.todos.push_back({what, why});
    draft.todos.push_back(fmt::format("{} {}: {}", todo_mark, what, why));
  };
  const bool draws = std::any_of(draft.parameters.begin(), draft.parameters.end(), [](const auto& parameter) {
    return parameter.pointer && parameter.is_const && parameter.init.text.empty();
  });
  add(draws, "init", "how each input is drawn, so that wrong answers stand out");
  add(draft.require.empty(), "require", "the conditions that the statement sets; none: take this line away");
  add(!draft.flops, "flops", "how many operations a case takes; not known: take this line away");
  add(draft.cases.empty(), "cases", "a sample, tests, and a bench of the size that matters");
  add(draft.fuzz.empty(), "fuzz", "the ranges that hidden shapes are drawn from");
}

}  // namespace

Result<Imported> import_problem(std::string_view content, const std::filesystem::path& path,
                                const std::string& slug, std::string_view def_py) {
  const auto whole = with_parameters(content, path, def_py);
  if (!whole) return whole.errors();
  auto problem = parse_problem(*whole, path);
  if (!problem) return problem.errors();
  if (const auto error = refusal(*problem)) return *error;
  Imported imported{draft_of(*problem), {}};
  if (!slug.empty()) imported.draft.slug = slug;
  if (const auto error = check_slug(imported.draft.slug)) return *error;
  if (imported.draft.source.empty()) imported.draft.source = source_in(problem->statement);
  add_shapes(imported,
             stated_shapes(problem->statement, names_of(*problem, true), names_of(*problem, false)));
  add_rest(imported);
  // An unreadable file would be worse than none.
  if (const auto again = parse_problem(problem_text(imported.draft), path); !again)
    return Error{"the problem that was made of it cannot be read: " + again.error().message,
                 "write the shapes and cases yourself: `kgrade lint` says what is missing",
                 {path.string(), 0, 0}};
  return imported;
}

}  // namespace kgrade::authoring
