#include "grade/chosen_cases.h"

#include <fmt/format.h>

#include "base/defences.h"
#include "draw/seed.h"
#include "grade/preparation.h"
#include "problem/hidden_cases.h"

namespace kgrade {
namespace {

bool asks_for_hidden(const GradeOptions& options) {
  return options.hidden_cases.value_or(options.hidden_seed ? usual_hidden_cases : 0) > 0;
}

Error no_hidden_shapes(const Problem& problem) {
  return {fmt::format("problem '{}' has no ranges that hidden shapes could be drawn from", problem.slug),
          "leave out --hidden and --hidden-seed, or give the problem a `fuzz` section",
          {problem.path.string(), 0, 0}};
}

// Who names cases wants those.
std::size_t hidden_count(const Problem& problem, const GradeOptions& options) {
  if (problem.fuzz.empty() || !is_on(Defence::hidden_shapes)) return 0;
  const bool usual = options.cases.empty() || options.hidden_seed;
  return options.hidden_cases.value_or(usual ? usual_hidden_cases : 0);
}

}  // namespace

Result<ChosenCases> choose_cases(const Problem& problem, const GradeOptions& options, bool measures_speed) {
  auto cases = select_cases(problem, options.cases, measures_speed);
  if (!cases) return cases.errors();
  ChosenCases chosen{std::move(*cases), std::nullopt};
  if (asks_for_hidden(options) && problem.fuzz.empty()) return no_hidden_shapes(problem);
  HiddenOptions hidden;
  hidden.count = hidden_count(problem, options);
  if (hidden.count == 0) return chosen;
  hidden.seed = options.hidden_seed ? *options.hidden_seed : random_seed();
  chosen.hidden_seed = hidden.seed;
  auto drawn = draw_hidden_cases(problem, hidden);
  if (!drawn) return drawn.errors();
  for (Case& bound : *drawn) chosen.cases.push_back({std::move(bound), ""});
  return chosen;
}

}  // namespace kgrade
