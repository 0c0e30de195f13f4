#include "problem/case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "problem/resolve_init.h"

namespace kgrade {
namespace {

struct Sizes {
  std::int64_t largest_input = 0;  // elements
  std::int64_t outputs = 0;        // elements of all of them
};

Sizes sizes_of(const Case& bound) {
  Sizes sizes;
  for (const Tensor& tensor : bound.tensors) {
    if (tensor.output)
      sizes.outputs += tensor.elements;
    else
      sizes.largest_input = std::max(sizes.largest_input, tensor.elements);
  }
  return sizes;
}

constexpr std::int64_t most_elements = std::int64_t{1} << 40;

class CaseResolver {
 public:
  CaseResolver(const Problem& problem, const CaseSpec& spec)
      : problem_(problem), spec_(spec), evaluation_(spec, case_) {
    case_.name = spec.name;
    case_.role = spec.role;
    case_.integers = spec.integers;
    case_.reals = spec.reals;
    case_.weight = spec.weight;
    case_.by_set = spec.by_set;
    case_.dtype = problem.dtype;
  }

  // Stops after the first step with errors, so that one fault is not reported many times.
  Result<Case> run() {
    for (const auto& step : {&CaseResolver::evaluate_let, &CaseResolver::check_requirements,
                             &CaseResolver::resolve_tensors, &CaseResolver::evaluate_costs}) {
      (this->*step)();
      if (!evaluation_.errors().empty()) return evaluation_.errors();
    }
    return std::move(case_);
  }

 private:
  void evaluate_let() {
    for (const auto& [name, expression] : problem_.let) {
      const auto value = evaluation_.evaluate(expression, fmt::format("'let' {}", name));
      if (!value) return;
      case_.integers[name] = *value;
    }
  }

  void check_requirements() {
    for (const Expression& condition : problem_.require) {
      const auto holds = condition.holds(case_.integers, case_.reals);
      if (!holds) evaluation_.report_all(holds.errors(), "'require'");
      if (!holds || *holds) continue;
      evaluation_.fail(
          condition,
          fmt::format("`{}` does not hold ({})", condition.text(), evaluation_.values_in(condition)),
          "change the values of the case so that it holds");
    }
  }

  void resolve_tensors() {
    for (std::size_t i = 0; i < problem_.parameters.size(); ++i) {
      const Parameter& parameter = problem_.parameters[i];
      if (parameter.pointer) resolve_tensor(parameter, i);
    }
    if (!evaluation_.errors().empty()) return;
    for (Tensor& tensor : case_.tensors) {
      resolve_ties(problem_.parameters[tensor.parameter].compare, tensor);
      resolve_beginning(tensor);
      resolve_codes(problem_.parameters[tensor.parameter].compare, tensor);
    }
  }

  const Tensor* find_tensor(const std::string& name) const {
    const auto found = std::find_if(case_.tensors.begin(), case_.tensors.end(),
                                    [&](const Tensor& tensor) { return tensor.name == name; });
    return found == case_.tensors.end() ? nullptr : &*found;
  }

  std::size_t number_of(const Tensor* tensor) const {
    return static_cast<std::size_t>(tensor - case_.tensors.data());
  }

  void resolve_beginning(Tensor& output) {
    const std::optional<Beginning>& begins = problem_.parameters[output.parameter].begins;
    if (!begins) return;
    output.begins_as_drawn = begins->input.empty();
    if (output.begins_as_drawn) return;
    const Tensor* const input = find_tensor(begins->input);
    output.begins_as = number_of(input);
    if (input->shape == output.shape) return;
    evaluation_.report(
        Error{fmt::format("'{}' begins as '{}', which has another shape: [{}], and not [{}]", output.name,
                          input->name, fmt::join(input->shape, ", "), fmt::join(output.shape, ", ")),
              "give both the same shape", begins->location});
  }

  // The tensor that is called `name`. If there is none, reports an error and returns null.
  const Tensor* named_in(const Comparison& compare, const Tensor& output, const std::string& name,
                         bool is_output) {
    const Tensor* const found = find_tensor(name);
    if (found != nullptr && found->output == is_output && found != &output) return found;
    const std::string_view kind = is_output ? "another output" : "an input";
    evaluation_.report(
        Error{fmt::format("'compare' of '{}' names '{}', which is not {}", output.name, name, kind),
              fmt::format("name {}", kind), compare.location});
    return nullptr;
  }

  void resolve_codes(const Comparison& compare, Tensor& output) {
    if (!output.output || compare.kind != Comparison::Kind::quantised) return;
    const Quantisation& quantisation = compare.quantisation;
    const Tensor* const values = named_in(compare, output, compare.values, false);
    const Tensor* const scales =
        values == nullptr ? nullptr : named_in(compare, output, quantisation.scales, true);
    if (scales == nullptr) return;
    QuantisedAs codes{number_of(values),       number_of(scales),  quantisation.code,
                      quantisation.scale_code, quantisation.block, quantisation.is_swizzled};
    check_codes(compare, output, *values, *scales);
    const auto divisor = case_.reals.find(quantisation.divisor);
    if (divisor != case_.reals.end()) {
      codes.divisor = divisor->second;
    } else if (!quantisation.divisor.empty()) {
      evaluation_.report(Error{fmt::format("'compare' of '{}' names '{}', which is no real scalar",
                                           output.name, quantisation.divisor),
                               "name a scalar of type float", compare.location});
    }
    output.quantised = codes;
  }

  // Blocks lie along the last axis of the values.
  void check_codes(const Comparison& compare, const Tensor& output, const Tensor& values,
                   const Tensor& scales) {
    const std::int64_t columns = values.shape.back();
    const std::int64_t block = compare.quantisation.block;
    if (columns % block != 0) {
      evaluation_.report(
          Error{fmt::format("'compare' of '{}': rows of '{}' have {} elements, no multiple of {}",
                            output.name, values.name, columns, block),
                "add the condition to `require`, or change the case", compare.location});
      return;
    }
    const auto per_byte = static_cast<std::int64_t>(codes_per_byte(compare.quantisation.code));
    const std::int64_t needed =
        scales_needed(values.elements / columns, columns / block, compare.quantisation.is_swizzled);
    if (output.elements * per_byte == values.elements && scales.elements == needed) return;
    evaluation_.report(
        Error{fmt::format(
                  "'compare' of '{}': '{}' has {} elements, for which there must be {} bytes of codes and {} "
                  "scales, and there are {} and {}",
                  output.name, values.name, values.elements, values.elements / per_byte, needed,
                  output.elements, scales.elements),
              "mend `shape` of the two outputs", compare.location});
  }

  // Swizzled scales are padded to tiles of 128 rows and 4 columns.
  static std::int64_t scales_needed(std::int64_t rows, std::int64_t columns, bool is_swizzled) {
    const auto padded = [](std::int64_t count, std::int64_t step) {
      return (count + step - 1) / step * step;
    };
    return is_swizzled ? padded(rows, 128) * padded(columns, 4) : rows * columns;
  }

  void resolve_ties(const Comparison& compare, Tensor& output) {
    if (!output.output || compare.kind != Comparison::Kind::ties) return;
    const Tensor* const values = find_tensor(compare.values);
    const auto refuse = [&](std::string message, std::string remedy) {
      evaluation_.report(Error{fmt::format("'compare' of '{}' {}", output.name, message), std::move(remedy),
                               compare.location});
    };
    if (values == nullptr || values->output)
      return refuse(fmt::format("names '{}', which is no input", compare.values), "name an input");
    TiedTo tied{number_of(values), {}, compare.are_distinct};
    if (compare.axis) {
      const auto rank = static_cast<std::int64_t>(values->shape.size());
      const std::int64_t axis = *compare.axis < 0 ? *compare.axis + rank : *compare.axis;
      if (axis < 0 || axis >= rank)
        return refuse(fmt::format("names axis {} of '{}', which has {}", *compare.axis, values->name, rank),
                      "write one of its axes, from 0 on");
      tied.axis = static_cast<std::size_t>(axis);
      const std::int64_t lines = values->elements / values->shape[tied.axis.value()];
      if (output.elements % lines != 0)
        return refuse(fmt::format("does not fit: '{}' has {} elements, and '{}' {} lines along axis {}",
                                  output.name, output.elements, values->name, lines, axis),
                      "give the output a number of indices for each of these lines");
    }
    output.tied = tied;
  }

  void resolve_tensor(const Parameter& parameter, std::size_t index) {
    Tensor tensor;
    tensor.name = parameter.name;
    tensor.parameter = index;
    tensor.output = parameter.is_output();
    tensor.own_dtype = parameter.own_dtype();
    tensor.compare = parameter.compare.kind;
    if (parameter.shape.empty()) {
      evaluation_.add({fmt::format("parameter '{}' has no shape", parameter.name),
                       "write `shape: [...]` below its name", parameter.location});
      return;
    }
    const TensorForm* const form = form_of(parameter.name);
    if (form != nullptr ? !take_form(*form, parameter, tensor) : !resolve_shape(parameter, tensor)) return;
    const auto own = spec_.inits.find(parameter.name);
    if (own != spec_.inits.end()) tensor.own_init = own->second.text;
    const Init* const init = own != spec_.inits.end()        ? &own->second
                             : form != nullptr && form->init ? &*form->init
                             : parameter.init                ? &*parameter.init
                                                             : nullptr;
    if (init != nullptr && !resolve_init(evaluation_, *init, parameter, tensor)) return;
    if (const auto scaling = spec_.scalings.find(parameter.name); scaling != spec_.scalings.end())
      tensor.init.scaling = scaling->second;
    case_.tensors.push_back(std::move(tensor));
  }

  // Null if the case does not give the tensor a form of its own.
  const TensorForm* form_of(const std::string& name) const {
    if (!spec_.module) return nullptr;
    const auto found = spec_.module->tensors.find(name);
    return found == spec_.module->tensors.end() ? nullptr : &found->second;
  }

  bool take_form(const TensorForm& form, const Parameter& parameter, Tensor& tensor) {
    tensor.shape = form.shape;
    tensor.own_dtype = form.dtype;
    const bool is_simple =
        tensor.compare == Comparison::Kind::norm || tensor.compare == Comparison::Kind::exact;
    if (tensor.output && is_simple)
      tensor.compare =
          form.dtype && is_integer(*form.dtype) ? Comparison::Kind::exact : Comparison::Kind::norm;
    tensor.elements = 1;
    for (const std::int64_t extent : form.shape) {
      if (!__builtin_mul_overflow(tensor.elements, extent, &tensor.elements) &&
          tensor.elements <= most_elements)
        continue;
      evaluation_.report(Error{fmt::format("'{}' has more than 2^40 elements", parameter.name),
                               "choose smaller values for the case", parameter.location});
      return false;
    }
    return true;
  }

  bool resolve_shape(const Parameter& parameter, Tensor& tensor) {
    tensor.elements = 1;
    for (const Expression& expression : parameter.shape) {
      const auto extent = evaluation_.evaluate(expression, fmt::format("'shape' of '{}'", parameter.name));
      if (!extent) return false;
      if (*extent < 1) {
        evaluation_.fail(expression,
                         fmt::format("extent `{}` of '{}' is {} ({})", expression.text(), parameter.name,
                                     *extent, evaluation_.values_in(expression)),
                         "change the values of the case so that every extent is at least 1");
        return false;
      }
      tensor.shape.push_back(*extent);
      if (__builtin_mul_overflow(tensor.elements, *extent, &tensor.elements) ||
          tensor.elements > most_elements) {
        evaluation_.fail(expression, fmt::format("'{}' has more than 2^40 elements", parameter.name),
                         "choose smaller values for the case");
        return false;
      }
    }
    return true;
  }

  void evaluate_costs() {
    case_.flops = evaluate_cost(problem_.flops, "'flops'");
    case_.terms =
        std::max<std::int64_t>(1, evaluate_cost(problem_.terms, "'terms'").value_or(derived_terms()));
    if (spec_.module && spec_.module->terms) case_.terms = *spec_.module->terms;
    case_.bytes = evaluate_cost(problem_.bytes, "'bytes'");
    // The formula counts elements of four bytes.
    if (case_.bytes) *case_.bytes /= static_cast<std::int64_t>(4 / element_bytes(case_.dtype));
    if (!case_.bytes) case_.bytes = bytes_beside_views();
  }

  // The bytes of all tensors except outputs that may be returned in the memory of an input, because such
  // outputs need not be read or written. Nothing if there are no such outputs.
  std::optional<std::int64_t> bytes_beside_views() const {
    std::optional<std::int64_t> bytes;
    for (const Tensor& tensor : case_.tensors) {
      if (!tensor.output || !problem_.torch || !problem_.torch->may_return_input(tensor.name)) continue;
      const auto element_size = static_cast<std::int64_t>(element_bytes(case_.dtype_of(tensor)));
      bytes = bytes.value_or(case_.tensor_bytes()) - 2 * tensor.elements * element_size;
    }
    return bytes ? std::optional(std::max<std::int64_t>(0, *bytes)) : std::nullopt;
  }

  std::int64_t derived_terms() const {
    const Sizes sizes = sizes_of(case_);
    if (sizes.outputs == 0) return 1;
    const std::int64_t in_products = case_.flops.value_or(0) / 2 / sizes.outputs;
    // If there are fewer operations than elements, the remaining elements are only chosen or moved.
    const std::int64_t added = std::min(sizes.largest_input, case_.flops.value_or(sizes.largest_input));
    return std::max({std::int64_t{1}, in_products, added / sizes.outputs});
  }

  std::optional<std::int64_t> evaluate_cost(const std::optional<Expression>& expression,
                                            const std::string& what) {
    if (!expression) return std::nullopt;
    const auto value = evaluation_.evaluate(*expression, what);
    if (value && *value < 0) {
      evaluation_.fail(*expression, fmt::format("{} is {}", what, *value),
                       "mend the formula: the value cannot be negative");
    }
    return value;
  }

  const Problem& problem_;
  const CaseSpec& spec_;
  Case case_;
  CaseEvaluation evaluation_;
};

}  // namespace

bool is_long_reduction(const Case& bound) {
  constexpr std::int64_t many_terms = std::int64_t{1} << 15;
  return bound.terms >= many_terms;
}

std::vector<const Tensor*> Case::outputs() const {
  std::vector<const Tensor*> outputs;
  for (const Tensor& tensor : tensors) {
    if (tensor.output) outputs.push_back(&tensor);
  }
  return outputs;
}

Dtype Case::stored_as(const Tensor& tensor, bool widened) const {
  const Dtype own = dtype_of(tensor);
  if (!widened) return own;
  const bool is_rounded = tensor.output && is_narrow(own) && tensor.compare != Comparison::Kind::scales;
  return !tensor.own_dtype || is_rounded ? Dtype::float32 : own;
}

std::int64_t Case::tensor_bytes() const {
  return tensor_bytes(static_cast<std::int64_t>(element_bytes(dtype)));
}

std::int64_t Case::tensor_bytes(std::int64_t element_size) const {
  std::int64_t total = 0;
  for (const Tensor& tensor : tensors) {
    const std::int64_t own =
        tensor.own_dtype ? static_cast<std::int64_t>(element_bytes(*tensor.own_dtype)) : 0;
    total += tensor.elements * (tensor.own_dtype ? own : element_size);
  }
  return total;
}

std::string scalings_text(const Case& bound) {
  std::vector<std::string> texts;
  for (const Tensor& tensor : bound.tensors) {
    const Scaling& scaling = tensor.init.scaling;
    if (!tensor.own_init.empty()) texts.push_back(fmt::format("{} from {}", tensor.name, tensor.own_init));
    if (scaling.exponent != 0 || scaling.spread != 0)
      texts.push_back(fmt::format("{} times {}", tensor.name, to_string(scaling)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

Result<Case> resolve_case(const Problem& problem, const CaseSpec& spec) {
  return CaseResolver(problem, spec).run();
}

}  // namespace kgrade
