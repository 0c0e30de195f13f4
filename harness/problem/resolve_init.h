// Evaluates the `init` of a tensor for one case. An `init` may contain expressions, such as the ends of
// integers or a fan-in, whose values depend on the case. The result is a distribution with numbers only.
//
// Also evaluates expressions of a problem file with the values of one case, and collects the errors. An
// author changes the case, and the expression explains why. So the place of an error is the case, if it is
// from a file, and the message names the place of the expression.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "problem/case.h"

namespace kgrade {

class CaseEvaluation {
 public:
  // Expressions use the values in `bound`, to which the caller may still add more. Keeps both references.
  CaseEvaluation(const CaseSpec& spec, const Case& bound) : spec_(spec), case_(bound) {}

  // Evaluates an integer expression. If that fails, adds an error about `what` and returns nothing.
  std::optional<std::int64_t> evaluate(const Expression& expression, const std::string& what);

  // "in_channels = 3, groups = 2": the values of the names in an expression.
  std::string values_in(const Expression& expression) const;

  // Adds an error about an expression.
  void fail(const Expression& expression, std::string message, std::string remedy);
  // Adds an error. If the case is from a file, the case becomes its place.
  void report(Error error);
  void report_all(const Errors& errors, const std::string& what);
  // Adds an error about the problem that does not depend on the case.
  void add(Error error) { errors_.push_back(std::move(error)); }

  const Errors& errors() const { return errors_; }

 private:
  const CaseSpec& spec_;
  const Case& case_;
  Errors errors_;
};

// Sets `tensor.init`, except its scaling. The tensor of the parameter must have its shape. If the case has no
// such distribution, adds an error to `evaluation` and returns false.
bool resolve_init(CaseEvaluation& evaluation, const Init& init, const Parameter& parameter, Tensor& tensor);

}  // namespace kgrade
