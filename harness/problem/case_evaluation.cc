#include "problem/case_evaluation.h"

#include <fmt/format.h>

#include <utility>

#include "problem/diagnostics.h"

namespace kgrade {

std::optional<std::int64_t> CaseEvaluation::evaluate(const Expression& expression, const std::string& what) {
  const auto value = expression.evaluate(case_.integers);
  if (value) return *value;
  report_all(value.errors(), what);
  return std::nullopt;
}

void CaseEvaluation::report_all(const Errors& errors, const std::string& what) {
  for (Error error : errors) {
    error.message = fmt::format("{}: {}", what, error.message);
    report(std::move(error));
  }
}

void CaseEvaluation::fail(const Expression& expression, std::string message, std::string remedy) {
  report(Error{std::move(message), std::move(remedy), expression.location()});
}

void CaseEvaluation::report(Error error) {
  if (spec_.location.line > 0) {
    error.message += in_brackets(error.location, spec_.location.file);
    error.location = spec_.location;
  }
  error.message = fmt::format("case '{}': {}", spec_.name, error.message);
  errors_.push_back(std::move(error));
}

std::string CaseEvaluation::values_in(const Expression& expression) const {
  std::string text;
  for (const std::string& name : expression.names()) {
    const std::string before = text.empty() ? "" : ", ";
    const auto integer = case_.integers.find(name);
    const auto real = case_.reals.find(name);
    if (integer != case_.integers.end()) text += fmt::format("{}{} = {}", before, name, integer->second);
    if (real != case_.reals.end()) text += fmt::format("{}{} = {}", before, name, real->second);
  }
  return text;
}

}  // namespace kgrade
