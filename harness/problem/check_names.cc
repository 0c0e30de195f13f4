#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "problem/problem_reader.h"
#include "problem/scalar_type.h"

namespace kgrade {
namespace {

// [lex.key] and [lex.digraph] of C++20, and keywords of CUDA's headers.
constexpr std::string_view keywords[] = {
    "alignas",     "alignof",   "and",        "and_eq",    "asm",      "auto",         "bitand",
    "bitor",       "bool",      "break",      "case",      "catch",    "char",         "char8_t",
    "char16_t",    "char32_t",  "class",      "compl",     "concept",  "const",        "consteval",
    "constexpr",   "constinit", "const_cast", "continue",  "co_await", "co_return",    "co_yield",
    "decltype",    "default",   "delete",     "do",        "double",   "dynamic_cast", "else",
    "enum",        "explicit",  "export",     "extern",    "false",    "float",        "for",
    "friend",      "goto",      "if",         "inline",    "int",      "long",         "mutable",
    "namespace",   "new",       "noexcept",   "not",       "not_eq",   "nullptr",      "operator",
    "or",          "or_eq",     "private",    "protected", "public",   "register",     "reinterpret_cast",
    "requires",    "return",    "short",      "signed",    "sizeof",   "static",       "static_assert",
    "static_cast", "struct",    "switch",     "template",  "this",     "thread_local", "throw",
    "true",        "try",       "typedef",    "typeid",    "typename", "union",        "unsigned",
    "using",       "virtual",   "void",       "volatile",  "wchar_t",  "while",        "xor",
    "xor_eq"};

bool is_identifier(std::string_view name) {
  const auto starts = [](char c) { return is_letter(c) || c == '_'; };
  return !name.empty() && starts(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return starts(c) || is_digit(c); });
}

bool is_keyword(std::string_view name) {
  for (const std::string_view keyword : keywords) {
    if (keyword == name) return true;
  }
  return false;
}

// [lex.name]: such names belong to the compiler and its headers.
bool is_reserved(std::string_view name) {
  return name.find("__") != std::string_view::npos ||
         (name.size() >= 2 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z');
}

class NameChecker {
 public:
  NameChecker(const Problem& problem, Diagnostics& diagnostics)
      : problem_(problem), diagnostics_(diagnostics) {}

  void run() {
    for (const Parameter& parameter : problem_.parameters) {
      declare(parameter.name, parameter.location);
      if (parameter.is_integer()) known_.push_back(parameter.name);
    }
    check_let();
    for (const Parameter& parameter : problem_.parameters) {
      for (const Expression& extent : parameter.shape) check_uses(extent);
      if (!parameter.init) continue;
      for (const Expression& expression : parameter.init->expressions) check_uses(expression);
    }
    for (const Expression& condition : problem_.require) check_condition(condition);
    if (problem_.flops) check_uses(*problem_.flops);
    if (problem_.terms) check_uses(*problem_.terms);
    if (problem_.bytes) check_uses(*problem_.bytes);
    if (problem_.torch) check_module(*problem_.torch);
  }

 private:
  // The expression of a `let` value may use the parameters and the `let` values above it.
  void check_let() {
    for (const auto& [name, expression] : problem_.let) pending_.push_back(name);
    for (const auto& [name, expression] : problem_.let) {
      declare(name, expression.location());
      check_uses(expression);
      known_.push_back(name);
      pending_.erase(pending_.begin());
    }
  }

  void check_module(const TorchModule& module) {
    for (const ModuleArgument& argument : module.init) {
      for (const ModuleTerm& term : argument.terms) {
        if (const auto* const formula = std::get_if<Expression>(&term.source)) check_uses(*formula);
      }
    }
    for (const Expression& condition : module.require) check_uses(condition);
    if (module.rank) check_uses(*module.rank);
  }

  void declare(const std::string& name, const Location& location) {
    if (!is_identifier(name) || is_keyword(name) || is_reserved(name) || find_scalar_type(name) != nullptr) {
      diagnostics_.add(location, fmt::format("{} cannot be a name in C++", in_quotes(name)),
                       "use letters, digits and single underscores, begin with a letter, and avoid keywords");
    } else if (name == "name" || name == "role" || name == "by_set") {
      diagnostics_.add(location, fmt::format("{} is a key of cases and cannot be a name", in_quotes(name)),
                       "choose another name");
    }
    const auto [first, fresh] = declared_.emplace(name, location);
    if (fresh) return;
    const Location& taken = first->second;
    diagnostics_.add(location, fmt::format("the name {} is taken", in_quotes(name)),
                     fmt::format("choose another name; the first is on line {}{}", taken.line,
                                 taken.file == location.file ? "" : " of " + taken.file));
  }

  void check_uses(const Expression& expression) {
    for (const Expression::NameUse& use : expression.name_uses()) {
      if (diagnostics_.full()) return;
      if (!contains(known_, use.name)) complain(use);
    }
  }

  // A condition may also use real scalar parameters.
  void check_condition(const Expression& condition) {
    const std::size_t integers = known_.size();
    for (const Parameter& parameter : problem_.parameters) {
      if (!parameter.pointer && !parameter.is_integer()) known_.push_back(parameter.name);
    }
    check_uses(condition);
    known_.resize(integers);
  }

  void complain(const Expression::NameUse& use) {
    const std::string name = in_quotes(use.name);
    if (contains(pending_, use.name)) {
      diagnostics_.add(use.location, fmt::format("{} is not defined yet", name),
                       "move its line under `let` above this one");
      return;
    }
    const Parameter* parameter = problem_.find_parameter(use.name);
    if (parameter == nullptr) {
      diagnostics_.add(use.location, fmt::format("unknown name {}", name),
                       suggestion_of_known(use.name, known_));
    } else if (parameter->pointer) {
      diagnostics_.add(use.location, fmt::format("{} is a tensor, and expressions hold integers", name),
                       "known here: " + listed(known_));
    } else {
      diagnostics_.add(use.location,
                       fmt::format("{} is of type {}, and expressions hold integers", name, parameter->type),
                       "known here: " + listed(known_));
    }
  }

  static bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  const Problem& problem_;
  Diagnostics& diagnostics_;
  std::map<std::string, Location> declared_;
  std::vector<std::string> known_;    // integers that an expression may use
  std::vector<std::string> pending_;  // values that `let` defines later
};

}  // namespace

void check_names(const Problem& problem, Diagnostics& diagnostics) {
  NameChecker(problem, diagnostics).run();
}

}  // namespace kgrade
