#include "problem/module_case.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "problem/scalar_type.h"
#include "problem/torch_module.h"

namespace kgrade {
namespace {

using AnyJson = nlohmann::json;

constexpr std::size_t most_axes = 16;

// Thrown by the functions below, and caught in module_case_of().
struct Unreadable {
  std::string message;
};

const AnyJson& part_of(const AnyJson& object, const char* key, AnyJson::value_t kind) {
  const auto found = object.find(key);
  if (found == object.end() || found->type() != kind)
    throw Unreadable{fmt::format("'{}' of 'module' is missing or of another kind", key)};
  return *found;
}

TensorForm tensor_form(const std::string& name, const AnyJson& json, const Problem& problem) {
  const Parameter* const parameter = problem.find_parameter(name);
  if (parameter == nullptr || !parameter->pointer || !json.is_object())
    throw Unreadable{fmt::format("'module' describes '{}', which is no tensor of the problem", name)};
  TensorForm form;
  for (const AnyJson& extent : part_of(json, "shape", AnyJson::value_t::array)) {
    if (!extent.is_number_unsigned() || extent < 1U || form.shape.size() == most_axes)
      throw Unreadable{
          fmt::format("the shape of '{}' is not one of 1 to {} positive integers", name, most_axes)};
    form.shape.push_back(extent.get<std::int64_t>());
  }
  if (form.shape.empty()) throw Unreadable{fmt::format("the shape of '{}' is empty", name)};
  if (const auto type = json.find("type"); type != json.end()) {
    const ScalarType* const known = type->is_string() ? find_scalar_type(type->get<std::string>()) : nullptr;
    if (known == nullptr || !known->element)
      throw Unreadable{fmt::format("'{}' is of an unknown type", name)};
    form.dtype = known->element;
  }
  if (const auto init = json.find("init"); init != json.end()) {
    auto parsed = init->is_string() ? parse_init(init->get<std::string>()) : Result<Init>(Error{});
    if (!parsed) throw Unreadable{fmt::format("'init' of '{}' cannot be read", name)};
    form.init = *std::move(parsed);
  }
  if (parameter->is_input() && !form.init)
    throw Unreadable{fmt::format("the input '{}' has no 'init'", name)};
  return form;
}

}  // namespace

Result<ModuleCase> module_case_of(const std::string& text, const Problem& problem) {
  const AnyJson json = AnyJson::parse(text, nullptr, false);
  try {
    if (!json.is_object()) throw Unreadable{"'module' is no object in JSON"};
    ModuleCase result;
    result.number = json.value("case", std::int64_t{-1});
    if (result.number < 0) throw Unreadable{"'case' of 'module' is no number"};
    if (json.contains("dtype")) {
      result.dtype = dtype_from(json["dtype"].get<std::string>());
      if (!result.dtype) throw Unreadable{"'dtype' of 'module' is no type of elements"};
    }
    if (json.contains("terms")) result.terms = std::max<std::int64_t>(1, json["terms"].get<std::int64_t>());
    result.given = part_of(json, "given", AnyJson::value_t::object).dump();
    const AnyJson& forward = part_of(json, "forward", AnyJson::value_t::array);
    for (const AnyJson& argument : forward)
      if (!is_argument_of_module(argument)) throw Unreadable{"'forward' of 'module' is no list of arguments"};
    result.forward = forward.dump();
    result.axes = part_of(json, "axes", AnyJson::value_t::object).dump();
    if (!is_axes(result.axes)) throw Unreadable{"'axes' of 'module' are no orders of axes"};
    for (const auto& [name, tensor] : part_of(json, "tensors", AnyJson::value_t::object).items())
      result.tensors.emplace(name, tensor_form(name, tensor, problem));
    return result;
  } catch (const Unreadable& refused) {
    return Error{refused.message, "leave the text as kgrade has written it", {}};
  } catch (const AnyJson::exception&) {
    return Error{"'module' is not as kgrade writes it", "leave the text as kgrade has written it", {}};
  }
}

}  // namespace kgrade
