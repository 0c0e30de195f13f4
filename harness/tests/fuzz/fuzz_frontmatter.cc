#include <set>

#include "spec/case.h"
#include "spec/lint.h"
#include "tests/fuzz/sound_errors.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {
namespace {

constexpr std::size_t most_errors = 50;
constexpr std::int64_t most_elements = std::int64_t{1} << 40;

void expect_sound_case(const Case& bound, const Problem& problem) {
  for (const Tensor& tensor : bound.tensors) {
    promise(tensor.parameter < problem.parameters.size(), "a tensor is of a parameter");
    promise(!tensor.shape.empty(), "a tensor has a shape");
    promise(tensor.elements >= 1 && tensor.elements <= most_elements, "a tensor has 1 to 2^40 elements");
    for (const std::int64_t extent : tensor.shape) promise(extent >= 1, "an extent is positive");
  }
  promise(bound.flops.value_or(0) >= 0 && bound.bytes.value_or(0) >= 0, "costs are not negative");
}

void expect_sound_problem(const Problem& problem, std::string_view text) {
  promise(problem.parameters.size() <= max_parameters, "a call has room for the parameters");
  promise(problem.content_sha256.size() == 64, "a problem has a digest");
  promise(!signature(problem).empty(), "a problem has a signature");
  std::set<std::string> names;
  for (const CaseSpec& spec : problem.cases) {
    promise(names.insert(spec.name).second, "names of cases are different");
    const auto bound = resolve_case(problem, spec);
    if (bound) {
      expect_sound_case(*bound, problem);
    } else {
      expect_sound(bound.errors(), text);
    }
  }
  for (const LintFinding& finding : lint(problem)) {
    expect_words(finding.what, text);
    expect_within(finding.what.location, text);
    promise(!to_string(finding).empty(), "a finding can be shown");
  }
}

}  // namespace

int fuzz_frontmatter(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto problem = parse_problem(text, "fuzz.md");
  if (problem) {
    expect_sound_problem(*problem, text);
    return 0;
  }
  expect_sound(problem.errors(), text);
  promise(problem.errors().size() <= most_errors, "there are at most 50 errors");
  for (const Error& error : problem.errors()) promise(!error.remedy.empty(), "an error says what to do");
  return 0;
}

}  // namespace kgrade::fuzz
