#include "problem/module_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

namespace kgrade {
namespace {

using Json = nlohmann::ordered_json;

class CallEvaluator {
 public:
  CallEvaluator(const Problem& problem, const Case& bound) : problem_(problem), bound_(bound) {}

  Result<std::optional<ModuleCall>> run() {
    const TorchModule& module = *problem_.torch;
    for (const Expression& condition : module.require) {
      const auto holds = evaluate(condition, "'require'");
      if (!holds) return std::move(errors_);
      if (*holds == 0) return std::optional<ModuleCall>();
    }
    ModuleCall call;
    call.given = module.given;
    for (const ModuleArgument& argument : module.init) add(argument, call);
    if (module.rank) call.rank = evaluate(*module.rank, "'rank'");
    if (!errors_.empty()) return std::move(errors_);
    return std::optional(std::move(call));
  }

 private:
  void add(const ModuleArgument& argument, ModuleCall& call) {
    ModuleValue value{argument.is_tuple, {}};
    for (const ModuleTerm& term : argument.terms) {
      const auto item = evaluate(term, "'" + argument.name + "'");
      if (!item) return;
      value.items.push_back(*item);
    }
    if (!argument.fallback) {
      call.positional.push_back(std::move(value));
    } else if (value != *argument.fallback) {
      call.keywords.emplace_back(argument.name, std::move(value));
    }
  }

  std::optional<ModuleScalar> evaluate(const ModuleTerm& term, const std::string& what) {
    if (const auto* const real = std::get_if<double>(&term.source)) return *real;
    if (const auto* const truth = std::get_if<bool>(&term.source)) return *truth;
    if (const auto* const named = std::get_if<ModuleTerm::Named>(&term.source)) return value_of(*named);
    const auto value = evaluate(std::get<Expression>(term.source), what);
    return value ? std::optional<ModuleScalar>(*value) : std::nullopt;
  }

  // The reader made sure that the parameter exists, and a case has a value for every parameter.
  ModuleScalar value_of(const ModuleTerm::Named& named) const {
    const auto real = bound_.reals.find(named.parameter);
    if (real != bound_.reals.end()) return real->second;
    return bound_.integers.at(named.parameter) != 0;
  }

  std::optional<std::int64_t> evaluate(const Expression& expression, const std::string& what) {
    const auto value = expression.evaluate(bound_.integers);
    if (value) return *value;
    for (Error error : value.errors()) {
      error.message = fmt::format("case '{}': {} of 'torch': {}", bound_.name, what, error.message);
      errors_.push_back(std::move(error));
    }
    return std::nullopt;
  }

  const Problem& problem_;
  const Case& bound_;
  Errors errors_;
};

Json json_of(const ModuleValue& value) {
  Json items = Json::array();
  for (const ModuleScalar& item : value.items)
    std::visit([&](const auto scalar) { items.push_back(scalar); }, item);
  return value.is_tuple ? items : items.at(0);
}

}  // namespace

Result<std::optional<ModuleCall>> evaluate_module_call(const Problem& problem, const Case& bound) {
  if (!problem.torch) return std::optional<ModuleCall>();
  const CaseSpec* const spec = problem.find_case(bound.name);
  if (spec != nullptr && spec->module) {
    ModuleCall call;
    call.given = spec->module->given;
    call.own = spec->module;
    return std::optional(std::move(call));
  }
  return CallEvaluator(problem, bound).run();
}

std::optional<ModuleCall> module_call(const Problem& problem, const Case& bound) {
  auto call = evaluate_module_call(problem, bound);
  return call ? std::move(*call) : std::nullopt;
}

Json to_json(const ModuleCall& call) {
  if (!call.given.empty()) {
    Json json = Json::parse(call.given);
    json["encoded"] = true;
    if (!call.own) return json;
    json["case"] = call.own->number;
    json["forward"] = Json::parse(call.own->forward);
    json["axes"] = Json::parse(call.own->axes);
    return json;
  }
  Json json = {{"positional", Json::array()}, {"keywords", Json::object()}};
  for (const ModuleValue& value : call.positional) json["positional"].push_back(json_of(value));
  for (const auto& [name, value] : call.keywords) json["keywords"][name] = json_of(value);
  if (call.rank) json["rank"] = *call.rank;
  return json;
}

namespace {

// The value as Python writes it.
std::string python_text(const Json& value) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_object() && value.size() == 1) {
    const std::string& kind = value.begin().key();
    const Json& content = value.begin().value();
    if (kind == "dtype" && content.is_string()) return "torch." + content.get<std::string>();
    if (kind == "float" && content.is_string()) return fmt::format("float('{}')", content.get<std::string>());
    std::vector<std::string> items;
    for (const Json& item : content) {
      items.push_back(kind == "dict" && item.is_array() && item.size() == 2
                          ? python_text(item[0]) + ": " + python_text(item[1])
                          : python_text(item));
    }
    const std::string all = fmt::format("{}", fmt::join(items, ", "));
    if (kind == "tuple") return items.size() == 1 ? "(" + all + ",)" : "(" + all + ")";
    return kind == "dict" ? "{" + all + "}" : "[" + all + "]";
  }
  return value.dump();
}

std::string text_of_given(const std::string& given) {
  const Json call = Json::parse(given);
  std::vector<std::string> arguments;
  for (const Json& value : call.at("positional")) arguments.push_back(python_text(value));
  for (const auto& [name, value] : call.at("keywords").items())
    arguments.push_back(name + "=" + python_text(value));
  return fmt::format("{}", fmt::join(arguments, ", "));
}

}  // namespace

std::string to_string(const ModuleCall& call) {
  if (!call.given.empty()) return text_of_given(call.given);
  std::vector<std::string> arguments;
  for (const ModuleValue& value : call.positional) arguments.push_back(to_string(value));
  for (const auto& [name, value] : call.keywords)
    arguments.push_back(fmt::format("{}={}", name, to_string(value)));
  return fmt::format("{}", fmt::join(arguments, ", "));
}

namespace {

// An argument of forward() as Python would write it: "(x, {'weight': w}, torch.empty(4, 5))".
std::string argument_text(const Json& argument) {
  const std::string& kind = argument.begin().key();
  const Json& content = argument.begin().value();
  if (kind == "value") return python_text(content);
  if (kind == "input" || kind == "scalar") return content.get<std::string>();
  if (kind == "copy") return argument_text(content) + ".clone()";
  if (kind == "viewed")
    return fmt::format("{}.view(torch.{})", content.at("input").get<std::string>(),
                       content.at("dtype").get<std::string>());
  if (kind == "blank") {
    const std::string shape = content.at("shape").dump();
    return fmt::format("torch.empty({})", std::string_view(shape).substr(1, shape.size() - 2));
  }
  std::vector<std::string> parts;
  for (const Json& part : content)
    parts.push_back(kind == "dict" ? python_text(part.at(0)) + ": " + argument_text(part.at(1))
                                   : argument_text(part));
  const std::string all = fmt::format("{}", fmt::join(parts, ", "));
  if (kind == "tuple") return parts.size() == 1 ? "(" + all + ",)" : "(" + all + ")";
  return kind == "dict" ? "{" + all + "}" : "[" + all + "]";
}

}  // namespace

std::string given_value_text(std::string_view argument) {
  const Json json = Json::parse(argument, nullptr, false);
  return is_argument_of_module(json) ? argument_text(json) : std::string(argument);
}

std::string input_of_given(std::string_view argument) {
  Json json = Json::parse(argument, nullptr, false);
  if (!is_argument_of_module(json)) return {};
  while (json.contains("copy") || json.contains("viewed")) json = Json(json.begin().value());
  return json.value("input", std::string());
}

}  // namespace kgrade
