#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "problem/case.h"
#include "problem/expression.h"
#include "problem/families.h"
#include "problem/lint.h"
#include "problem/module_call.h"
#include "tests/fuzz/sound_errors.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {
namespace {

constexpr std::size_t most_errors = 50;
constexpr std::int64_t most_elements = std::int64_t{1} << 40;
constexpr const char* problem_file = "fuzz.md";
constexpr const char* family_file = "families/shared.md";

struct Files {
  std::string_view problem;
  std::string_view family;
  bool has_family = false;

  explicit Files(std::string_view texts) {
    const std::size_t end = texts.find(between_files);
    problem = texts.substr(0, end);
    has_family = end != std::string_view::npos;
    if (has_family) family = texts.substr(end + 1);
  }
};

class OneFamily final : public Families {
 public:
  explicit OneFamily(const Files& files) : files_(files) {}
  std::vector<std::string> names() const override {
    return files_.has_family ? std::vector<std::string>{std::string(fuzzed_family)}
                             : std::vector<std::string>{};
  }
  std::filesystem::path path(const std::string&) const override { return family_file; }
  Result<std::string> content(const std::string&) const override { return std::string(files_.family); }

 private:
  const Files& files_;
};

void expect_sound_error(const Error& error, const Files& files) {
  const bool of_family = error.location.file == family_file;
  promise(of_family || error.location.file == problem_file, "an error is of one of the files");
  const std::string_view text = of_family ? files.family : files.problem;
  expect_words(error, text);
  expect_within(error.location, text);
}

void expect_sound_errors(const Errors& errors, const Files& files) {
  promise(!errors.empty(), "a failure has an error");
  for (const Error& error : errors) expect_sound_error(error, files);
}

void expect_sound_case(const Case& bound, const Problem& problem) {
  for (const Tensor& tensor : bound.tensors) {
    promise(tensor.parameter < problem.parameters.size(), "a tensor is of a parameter");
    promise(!tensor.shape.empty(), "a tensor has a shape");
    promise(tensor.elements >= 1 && tensor.elements <= most_elements, "a tensor has 1 to 2^40 elements");
    for (const std::int64_t extent : tensor.shape) promise(extent >= 1, "an extent is positive");
  }
  promise(bound.flops.value_or(0) >= 0 && bound.bytes.value_or(0) >= 0, "costs are not negative");
}

void expect_sound_module(const Problem& problem) {
  for (const Parameter& parameter : problem.parameters) {
    if (!parameter.is_input()) continue;
    const auto& forward = problem.torch->forward;
    const bool handed = std::count(forward.begin(), forward.end(), parameter.name) > 0;
    const bool is_weight = problem.torch->weight_of(parameter.name) != nullptr;
    // A module's tensors know their own extents.
    const bool holds_extents = parameter.init && parameter.init->kind == Init::Kind::listed;
    promise(handed != is_weight || (holds_extents && !handed), "an input has one place");
  }
}

void expect_sound_call(const Case& bound, const Problem& problem, const Files& files) {
  const auto call = evaluate_module_call(problem, bound);
  if (!call) return expect_sound_errors(call.errors(), files);
  if (!*call) return;
  const std::size_t arguments = (*call)->positional.size() + (*call)->keywords.size();
  promise(arguments <= problem.torch->init.size(), "a call has no argument that the file lacks");
  promise(!to_json(**call).dump().empty(), "a call can be written");
}

void expect_sound_problem(const Problem& problem, const Files& files) {
  promise(problem.parameters.size() <= max_parameters, "a call has room for the parameters");
  promise(problem.content_sha256.size() == 64, "a problem has a digest");
  promise(!signature(problem).empty(), "a problem has a signature");
  if (problem.torch) expect_sound_module(problem);
  std::set<std::string> names;
  for (const CaseSpec& spec : problem.cases) {
    promise(names.insert(spec.name).second, "names of cases are different");
    const auto bound = resolve_case(problem, spec);
    if (bound) {
      expect_sound_case(*bound, problem);
      expect_sound_call(*bound, problem, files);
    } else {
      expect_sound_errors(bound.errors(), files);
    }
  }
  for (const LintFinding& finding : lint(problem)) {
    expect_sound_error(finding.what, files);
    promise(!to_string(finding).empty(), "a finding can be shown");
  }
}

}  // namespace

Result<Problem> parse_fuzzed(std::string_view texts) {
  const Files files(texts);
  const OneFamily families(files);
  return parse_problem(files.problem, problem_file, &families);
}

int fuzz_frontmatter(const std::uint8_t* data, std::size_t size) {
  const std::string_view texts(reinterpret_cast<const char*>(data), size);
  const Files files(texts);
  const auto problem = parse_fuzzed(texts);
  if (problem) {
    expect_sound_problem(*problem, files);
    return 0;
  }
  expect_sound_errors(problem.errors(), files);
  promise(problem.errors().size() <= most_errors, "there are at most 50 errors");
  for (const Error& error : problem.errors()) promise(!error.remedy.empty(), "an error says what to do");
  return 0;
}

namespace {

using Limits = std::numeric_limits<std::int64_t>;

// The values of the names: the first byte of the input says which value the first name has.
Bindings bindings_of(const Expression& expression, std::size_t first) {
  constexpr std::array<std::int64_t, 11> values = {
      0, 1, -1, 2, 3, 64, -7, 3037000500, Limits::max(), Limits::min(), Limits::max() / 2};
  Bindings bindings;
  for (const std::string& name : expression.names()) bindings[name] = values[first++ % values.size()];
  return bindings;
}

bool equal(const Result<std::int64_t>& a, const Result<std::int64_t>& b) {
  return a.ok() == b.ok() && (!a.ok() || *a == *b);
}

}  // namespace

int fuzz_expression(const std::uint8_t* data, std::size_t size) {
  ByteReader input(data, size);
  const std::size_t first_value = input.byte();
  const std::string text = input.bytes(size > 0 ? size - 1 : 0);
  const auto expression = Expression::parse(text, {"fuzz.md", 1, 1});
  if (!expression) {
    expect_sound(expression.errors(), text);
    return 0;
  }
  const Bindings bindings = bindings_of(*expression, first_value);
  const auto value = expression->evaluate(bindings);
  if (!value) expect_sound(value.errors(), text);
  if (!bindings.empty()) {
    const auto unbound = expression->evaluate({});
    if (!unbound) expect_sound(unbound.errors(), text);
  }
  for (const auto& use : expression->name_uses()) expect_within(use.location, text);
  const auto again = Expression::parse(expression->text(), {"fuzz.md", 1, 1});
  promise(again.ok(), "the text of an expression is one");
  promise(equal(value, again->evaluate(bindings)), "the text of an expression means the same");
  return 0;
}

}  // namespace kgrade::fuzz
