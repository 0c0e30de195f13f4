#include "problem/resolve_init.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "problem/diagnostics.h"
#include "problem/scalar_type.h"

namespace kgrade {
namespace {

class InitResolver {
 public:
  InitResolver(CaseEvaluation& evaluation, const Parameter& parameter, Tensor& tensor)
      : evaluation_(evaluation), parameter_(parameter), tensor_(tensor) {}

  bool run(const Init& init) {
    ResolvedInit& resolved = tensor_.init;
    resolved.kind = init.kind;
    resolved.first = init.first;
    resolved.second = init.second;
    resolved.choices = init.choices;
    resolved.structure = init.structure;
    resolved.encoding = init.encoding;
    const bool has_matrices = init.structure != Init::Structure::none || init.kind == Init::Kind::adjacency;
    if (has_matrices && !resolve_matrices(init)) return false;
    switch (init.kind) {
      case DrawKind::integers:
        return init.expressions.empty() || resolve_ends(init);
      case DrawKind::listed:
        return resolve_values(init);
      case DrawKind::uniform_fan_in:
        resolved.kind = DrawKind::uniform;
        return resolve_fan_in(init.expressions.front());
      default:
        return true;
    }
  }

 private:
  bool resolve_matrices(const Init& init) {
    constexpr std::int64_t most_columns = std::numeric_limits<std::uint32_t>::max();
    const std::size_t rank = tensor_.shape.size();
    if (rank >= 2 && tensor_.shape[rank - 1] == tensor_.shape[rank - 2] &&
        tensor_.shape.back() <= most_columns) {
      tensor_.init.columns = tensor_.shape.back();
      return true;
    }
    evaluation_.fail(
        parameter_.shape.back(),
        fmt::format("'init' {} of '{}' is for square matrices", in_quotes(init.text), tensor_.name),
        "give the last two axes the same extent");
    return false;
  }

  // Evaluates the number of labels(n), or both ends of integers(lo, hi).
  bool resolve_ends(const Init& init) {
    const std::string what = fmt::format("'init' of '{}'", tensor_.name);
    const bool are_labels = init.expressions.size() == 1;
    const Expression& last = init.expressions.back();
    const auto low =
        are_labels ? std::optional<std::int64_t>(0) : evaluation_.evaluate(init.expressions.front(), what);
    const auto high = low ? evaluation_.evaluate(last, what) : std::nullopt;
    if (!high) return false;
    if (are_labels ? *high < 1 : *high < *low) {
      evaluation_.fail(
          last,
          are_labels
              ? fmt::format("{}: {} is empty: `{}` is {}", what, in_quotes(init.text), last.text(), *high)
              : fmt::format("{}: {} is empty: from {} to {}", what, in_quotes(init.text), *low, *high),
          "change the values of the case so that there is a number to draw");
      return false;
    }
    const std::int64_t end = are_labels ? *high - 1 : *high;
    tensor_.init.first = static_cast<double>(*low);
    tensor_.init.second = static_cast<double>(end);
    tensor_.init.low = *low;
    tensor_.init.high = end;
    if (!is_exact_in_float(*low) || !is_exact_in_float(end))
      tensor_.init.kind = ResolvedInit::Kind::wide_integers;
    return check_integer(last, end) && (are_labels || check_integer(init.expressions.front(), *low));
  }

  // Reports a lowest or highest integer that the type cannot hold. For real types, the integer must be exact
  // in float32.
  bool check_integer(const Expression& expression, std::int64_t value) {
    const ScalarType* const type = find_scalar_type(parameter_.type);
    const bool is_held = type->is_integer() ? type->holds(value) : is_exact_in_float(value);
    if (is_held) return true;
    evaluation_.fail(
        expression,
        fmt::format("'init' of '{}': `{}` gives {}, which {}", tensor_.name, expression.text(), value,
                    type->is_integer() ? fmt::format("{} does not hold", type->name) : "is beyond 2^24"),
        "choose other values for the case");
    return false;
  }

  bool resolve_values(const Init& init) {
    constexpr std::int64_t largest_exact = std::int64_t{1} << 53;  // in a double
    const ScalarType* const type = find_scalar_type(parameter_.type);
    for (const Expression& expression : init.expressions) {
      const auto value = evaluation_.evaluate(expression, fmt::format("'shape' of '{}'", tensor_.name));
      if (!value) return false;
      if (!type->holds(*value) || *value < -largest_exact || *value > largest_exact) {
        evaluation_.fail(expression,
                         fmt::format("'shape' of '{}': `{}` is {}, which {} does not hold", tensor_.name,
                                     expression.text(), *value, type->name),
                         "choose other values for the case");
        return false;
      }
      tensor_.init.choices.push_back(static_cast<double>(*value));
    }
    return true;
  }

  bool resolve_fan_in(const Expression& expression) {
    const auto fan_in = evaluation_.evaluate(expression, fmt::format("'init' of '{}'", tensor_.name));
    if (!fan_in) return false;
    if (*fan_in < 1) {
      evaluation_.fail(expression,
                       fmt::format("the fan-in `{}` of '{}' is {}", expression.text(), tensor_.name, *fan_in),
                       "change the values of the case so that it is at least 1");
      return false;
    }
    const double bound = 1 / std::sqrt(static_cast<double>(*fan_in));
    tensor_.init.first = -bound;
    tensor_.init.second = bound;
    return true;
  }

  CaseEvaluation& evaluation_;
  const Parameter& parameter_;
  Tensor& tensor_;
};

}  // namespace

bool resolve_init(CaseEvaluation& evaluation, const Init& init, const Parameter& parameter, Tensor& tensor) {
  return InitResolver(evaluation, parameter, tensor).run(init);
}

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
