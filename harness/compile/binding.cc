#include "compile/binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <regex>
#include <sstream>
#include <vector>

#include "base/text.h"
#include "problem/scalar_type.h"
#include "record/compiler_output.h"

namespace kgrade {
namespace {

// The templates of the static checks, and <cstdint> for the integer types, because a source need not include
// it. They precede the contestant's source, so that its macros (B, N, value) do not affect them. The
// generated code after the source uses only names that no macro has. The mismatch templates are never
// defined. So a compiler's error about such a template names its arguments, one of which is the type that the
// contestant wrote.
constexpr int first_line_behind_source = 100;
constexpr const char* checks = R"(#include <cstdint>
template <unsigned long Position, class Actual> struct kgrade_parameter_mismatch;
template <unsigned long Count> struct kgrade_arity_mismatch;
template <class Actual> struct kgrade_return_mismatch;
namespace kgrade_binding {
template <class A, class B> struct kgrade_same { static constexpr bool kgrade_value = false; };
template <class A> struct kgrade_same<A, A> { static constexpr bool kgrade_value = true; };
template <bool Holds, class Mismatch> struct kgrade_require { static constexpr unsigned long kgrade_value = 1; };
template <class Mismatch> struct kgrade_require<false, Mismatch> {
  static constexpr unsigned long kgrade_value = sizeof(Mismatch);
};
template <unsigned long Position, class... Types> struct nth { using type = void; };
template <class First, class... Rest> struct nth<0, First, Rest...> { using type = First; };
template <unsigned long Position, class First, class... Rest>
struct nth<Position, First, Rest...> { using type = typename nth<Position - 1, Rest...>::type; };
template <class Function> struct kgrade_parts_of;
template <class Return, class... Parameters> struct kgrade_parts_of<Return (*)(Parameters...)> {
  using kgrade_result = Return;
  static constexpr unsigned long kgrade_count = sizeof...(Parameters);
  template <unsigned long Position> using kgrade_parameter = typename nth<Position, Parameters...>::type;
};
template <class To> To kgrade_scalar(unsigned long long slot) {
  To value;
  __builtin_memcpy(&value, &slot, sizeof value);
  return value;
}
}
)";

std::string element_type(const Parameter& parameter, const std::string& element) {
  return parameter.type == element_type_name ? element : parameter.type;
}

// The types that a contestant may write for a parameter. Inputs may have const or not, and tensors may be of
// any type with the same representation.
std::vector<std::string> accepted_types(const Parameter& parameter, const std::string& element) {
  const std::string base = element_type(parameter, element);
  if (!parameter.pointer) return {base};
  std::vector<std::string> types;
  for (const std::string& same : same_types(base)) {
    if (parameter.is_input()) types.push_back("const " + same + "*");
    types.push_back(same + "*");
  }
  return types;
}

std::string argument(const Parameter& parameter, std::size_t position, const std::string& element) {
  const std::string base = element_type(parameter, element);
  if (!parameter.pointer)
    return fmt::format("kgrade_binding::kgrade_scalar<{}>(kgrade_arguments[{}])", base, position);
  if (same_types(base).size() == 1)
    return fmt::format("reinterpret_cast<{}*>(kgrade_arguments[{}])", base, position);
  // Takes the type that the contestant wrote.
  return fmt::format("reinterpret_cast<kgrade_parts::kgrade_parameter<{0}>>(kgrade_arguments[{0}])",
                     position);
}

// The check reports nothing if the number of parameters is wrong, because a wrong number is reported alone.
std::string parameter_check(const Parameter& parameter, std::size_t position, std::size_t count,
                            const std::string& element) {
  std::string holds;
  for (const std::string& type : accepted_types(parameter, element)) {
    if (!holds.empty()) holds += " || ";
    holds += fmt::format("kgrade_binding::kgrade_same<kgrade_parts::kgrade_parameter<{}>, {}>::kgrade_value",
                         position, type);
  }
  return fmt::format(
      "static_assert(kgrade_binding::kgrade_require<kgrade_parts::kgrade_count != {0} || {1}, "
      "kgrade_parameter_mismatch<{2}, kgrade_parts::kgrade_parameter<{2}>>>::kgrade_value, \"\");\n",
      count, holds, position);
}

std::string type_text(std::string type) {
  while (type.find(" *") != type.npos) type = replace_all(type, " *", "*");
  return type;
}

bool has_computed_inputs(const Problem& problem) {
  const auto parameters = problem.arguments();
  return std::any_of(parameters.begin(), parameters.end(), std::mem_fn(&Parameter::is_computed));
}

// The entries for `inputs` and `perturbed`, which wait for the kernels that they launch. If the reference has
// no `perturbed`, the entry calls `inputs`.
std::string entry_for_inputs(const Problem& problem, const std::string& element) {
  if (!has_computed_inputs(problem)) return "";
  const auto parameters = problem.arguments();
  std::string arguments;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string base = element_type(parameters[i], element);
    if (parameters[i].is_computed())
      arguments += fmt::format("reinterpret_cast<{}*>(kgrade_arguments[{}]),\n    ", base, i);
    else if (!parameters[i].pointer)
      arguments += fmt::format("kgrade_binding::kgrade_scalar<{}>(kgrade_arguments[{}]),\n    ", base, i);
  }
  arguments += fmt::format("kgrade_arguments[{}]", parameters.size());
  const auto entry = [&](std::string_view name, const std::string& call) {
    return fmt::format(
        "extern \"C\" int {}(const unsigned long long* kgrade_arguments) {{\n"
        "  cudaGetLastError();\n"
        "  {}"
        "  const int kgrade_launched = static_cast<int>(cudaGetLastError());\n"
        "  const int kgrade_done = static_cast<int>(cudaDeviceSynchronize());\n"
        "  return kgrade_launched != 0 ? kgrade_launched : kgrade_done;\n"
        "}}\n",
        name, call);
  };
  const std::string inputs = fmt::format("inputs(\n    {});\n", arguments);
  // If the source has a function with this name, that function is a better match than the variadic one.
  return fmt::format("#ifdef {}\nstruct kgrade_none {{}};\nkgrade_none perturbed(...);\n", inputs_macro) +
         entry("kgrade_inputs", inputs) +
         entry("kgrade_perturbed",
               fmt::format("if constexpr (kgrade_binding::kgrade_same<decltype(perturbed(\n    {0})), "
                           "kgrade_none>::kgrade_value)\n"
                           "    {1}  else\n    perturbed(\n    {0});\n",
                           arguments, inputs)) +
         "#endif\n";
}

// Whether a line of the log is an error about the generated unit, not about the contestant's source.
bool unit_says(const std::string& log, const std::string& what) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(unit_name) && line.find("error") != std::string::npos &&
        line.find(what) != std::string::npos) {
      return true;
    }
  }
  return false;
}

// Whether the first error is in the contestant's own file. Errors in the generated unit may then only follow
// from that one.
bool blames_the_source(const std::string& log) {
  const std::regex place(R"(^([^\s(:][^(:]*)(\([0-9]+\)|:[0-9]+(:[0-9]+)?): (fatal |catastrophic )?error)");
  std::istringstream lines(log);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, match, place) && match[1] != unit_name) return true;
  }
  return false;
}

struct ParameterMismatch {
  std::size_t position = 0;
  std::string actual;
};

// The texts after each place where a compiler names one of the unit's types. The number and length of the
// texts are bounded, because a hostile source can write the log. Compilers name a mismatch only a few times
// and briefly.
std::vector<std::string> texts_behind(const std::string& log, std::string_view name) {
  constexpr std::size_t most_places = 100;
  constexpr std::size_t longest_text = 1000;
  std::vector<std::string> texts;
  for (std::size_t at = log.find(name); at != std::string::npos && texts.size() < most_places;
       at = log.find(name, at)) {
    at += name.size();
    texts.push_back(log.substr(at, std::min(longest_text, log.find('\n', at) - at)));
  }
  return texts;
}

// Compilers name the mismatch several times, and at least once with evaluated arguments, so that the type is
// readable.
std::optional<ParameterMismatch> find_parameter_mismatch(const std::string& log) {
  // There are fewer than 1,000 parameters. A larger number comes from a hostile source.
  const std::regex pattern(R"(^([0-9]{1,3})[uUlL]*, ?([^\n'"\]]+?) ?>['"\]])");
  std::smatch match;
  for (const std::string& text : texts_behind(log, "kgrade_parameter_mismatch<")) {
    if (!std::regex_search(text, match, pattern)) continue;
    if (match[2].str().find("kgrade_") != std::string::npos) continue;
    return ParameterMismatch{std::stoul(match[1].str()), match[2].str()};
  }
  return std::nullopt;
}

// The type that `solution` returns, if it is not void.
std::optional<std::string> find_return_mismatch(const std::string& log) {
  const std::regex pattern(R"(^([^\n'"\]]+?) ?>['"\]])");
  std::smatch match;
  for (const std::string& text : texts_behind(log, "kgrade_return_mismatch<")) {
    if (std::regex_search(text, match, pattern)) return match[1].str();
  }
  return std::nullopt;
}

// The problem's dtype for which `type` would be right. Nothing if the parameter's type does not depend on the
// dtype.
std::optional<std::string> dtype_with(const Problem& problem, const Parameter& parameter,
                                      const std::string& type) {
  for (const std::string& dtype : problem.dtypes) {
    const auto known = dtype_from(dtype);
    if (!known) continue;
    const auto types = accepted_types(parameter, std::string(cuda_type(*known)));
    if (std::find(types.begin(), types.end(), type) != types.end()) return dtype;
  }
  return std::nullopt;
}

std::string parameter_complaint(const Problem& problem, const ParameterMismatch& mismatch,
                                const std::string& element) {
  const Parameter& parameter = problem.parameters[mismatch.position];
  const std::string actual = type_text(mismatch.actual);
  const auto dtype = dtype_with(problem, parameter, actual);
  return fmt::format("parameter {} '{}' must be {}, not {}{}", mismatch.position + 1, parameter.name,
                     accepted_types(parameter, element).front(), actual,
                     dtype ? fmt::format(", which is for --dtype {}", *dtype) : "");
}

}  // namespace

std::string definition_of_solution(const Problem& problem, Dtype dtype) {
  std::string text = signature(problem, cuda_type(dtype));
  text.pop_back();  // the semicolon of a declaration
  return text;
}

std::string definition_of_inputs(const Problem& problem, Dtype dtype) {
  if (!has_computed_inputs(problem)) return "";
  std::string text = "void inputs(";
  for (const Parameter& parameter : problem.arguments()) {
    if (!parameter.pointer || parameter.is_computed())
      text += fmt::format("{}{} {}, ", element_type(parameter, std::string(cuda_type(dtype))),
                          parameter.pointer ? "*" : "", parameter.name);
  }
  return text + "unsigned long long seed)";
}

std::string binding_unit(const Problem& problem, const std::string& include, Dtype dtype) {
  const std::string element(cuda_type(dtype));
  const auto parameters = problem.arguments();
  std::string unit = fmt::format("#line 1 \"{}\"\n{}#include \"{}\"\n", unit_name, checks, include);
  // A source written for another dtype may not include these headers.
  for (const std::string_view header : cuda_headers(problem, dtype))
    unit += fmt::format("#include <{}>\n", header);
  unit += fmt::format("#line {} \"{}\"\n", first_line_behind_source, unit_name);
  unit += "using kgrade_parts = kgrade_binding::kgrade_parts_of<decltype(&solution)>;\n";
  unit += fmt::format(
      "static_assert(kgrade_binding::kgrade_require<kgrade_parts::kgrade_count == {}, "
      "kgrade_arity_mismatch<kgrade_parts::kgrade_count>>::kgrade_value, \"\");\n",
      parameters.size());
  unit +=
      "static_assert(kgrade_binding::kgrade_require<kgrade_binding::kgrade_same<kgrade_parts::kgrade_result, "
      "void>::kgrade_value, kgrade_return_mismatch<kgrade_parts::kgrade_result>>::kgrade_value, \"\");\n";
  std::string arguments;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    unit += parameter_check(parameters[i], i, parameters.size(), element);
    if (i > 0) arguments += ",\n    ";
    arguments += argument(parameters[i], i, element);
  }
  // If a compiler knows that the called function never returns, it may drop the call. The volatile pointer
  // hides which function is called.
  unit += fmt::format(
      "extern \"C\" int kgrade_entry(const unsigned long long* kgrade_arguments) {{\n"
      "  decltype(&solution) volatile kgrade_solution = &solution;\n"
      "  kgrade_solution(\n    {});\n"
      "  return static_cast<int>(cudaGetLastError());\n"
      "}}\n",
      arguments);
  return unit + entry_for_inputs(problem, element);
}

std::optional<std::string> signature_complaint(const Problem& problem, const std::string& log, Dtype dtype) {
  const std::string element(cuda_type(dtype));
  if (blames_the_source(log)) return std::nullopt;
  std::smatch match;
  if (std::regex_search(log, match, std::regex(R"(kgrade_arity_mismatch<([0-9]+)[uUlL]*>)"))) {
    return fmt::format("'solution' takes {} parameters, the problem has {}; write: {}", match[1].str(),
                       problem.arguments().size(), definition_of_solution(problem, dtype));
  }
  if (const auto mismatch = find_parameter_mismatch(log)) {
    if (mismatch->position < problem.arguments().size())
      return parameter_complaint(problem, *mismatch, element);
  }
  if (const auto type = find_return_mismatch(log))
    return fmt::format("'solution' must return void, not {}", type_text(*type));
  if (unit_says(log, "__global__"))
    return "'solution' must be a host function that launches kernels, not a kernel";
  if (unit_says(log, "solution") &&
      (unit_says(log, "not declared") || unit_says(log, "undefined") || unit_says(log, "undeclared"))) {
    return "the file defines no function 'solution'; write: " + definition_of_solution(problem, dtype);
  }
  if (unit_says(log, "overloaded") || unit_says(log, "cannot determine which instance")) {
    return "'solution' is a template, or there are several; write one function: " +
           definition_of_solution(problem, dtype);
  }
  return std::nullopt;
}

}  // namespace kgrade
