// The `torch` section of a problem file: how a module of PyTorch states the problem. It says how `__init__`
// and `forward` of a `ModelNew` are called, and which of its parameters are the problem's inputs. Names are
// those of KernelBench's `Model`. problem/module_call.h computes the arguments for one case.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "problem/expression.h"

namespace kgrade {

using ModuleScalar = std::variant<std::int64_t, double, bool>;

// The value of an argument of `__init__`: a number, True or False, or a tuple of these.
struct ModuleValue {
  bool is_tuple = false;
  std::vector<ModuleScalar> items;  // one if not a tuple

  // Compares like Python: 1, 1.0 and True are equal, 1 and (1,) are not.
  friend bool operator==(const ModuleValue& left, const ModuleValue& right);
};

// One number of an argument, as the file gives it.
struct ModuleTerm {
  // The name of a scalar parameter of a real type or of type bool, whose value keeps its type.
  struct Named {
    std::string parameter;
  };
  std::variant<Expression, double, bool, Named> source;
  std::string text;  // as Python would write it: "stride_h", "1e-5", "True"
};

// An argument of `__init__`.
struct ModuleArgument {
  std::string name;
  bool is_tuple = false;
  std::vector<ModuleTerm> terms;  // one if not a tuple
  // If set, the argument is passed by its name, and only if its value differs from this one.
  std::optional<ModuleValue> fallback;
  Location location;

  std::string value_text() const;  // "(kernel_h, kernel_w)"
};

enum class ModuleMode { train, eval };

struct TorchModule {
  std::string wrapped;               // the module of PyTorch that `Model` wraps; a baseline; may be empty
  std::vector<ModuleArgument> init;  // arguments without `fallback` come first
  // Replaces `init`: any arguments, the same in every case, as JSON: {"positional": [...], "keywords":
  // {...}}, with values as harness/python/describe_module.py writes them.
  std::string given;
  // Names of inputs and scalar parameters, in order. An entry {"value": 3} is a value itself, and {"tuple":
  // [{"input": "x"}, ...]} holds inputs: is_given_value().
  std::vector<std::string> forward;
  // How inputs lie in memory, as JSON: {"x": [1, 0]}. Axis i of x in forward() is axis [1, 0][i] of the
  // problem's tensor. An empty list is for an input without axes, whose shape is [1] here.
  std::string axes;
  // The number of axes of the module's tensors. The problem's tensors may have more axes, of extent 1.
  std::optional<Expression> rank;
  // Pairs of an input and the module's parameter or buffer that holds it: {"kernel", "conv2d.weight"}.
  std::vector<std::pair<std::string, std::string>> weights;
  // Parameters and buffers of `Model` that are not inputs: they cannot change the answer, or forward()
  // changes them, as it does running statistics. Each call begins with the values that `__init__` gave them.
  std::vector<std::string> free;
  // Outputs that forward() returns in the memory of an input, like x.view(-1). A candidate may do so too.
  std::vector<std::string> views;
  // The function that an answer in Python may define instead of a class: it is called with the list of
  // arguments and the dictionary of keywords that forward() takes. May be empty.
  std::string entry;
  // The operators by which forward() draws random numbers. Each call has a seed, which oracle, reference and
  // candidate share, but a right answer may draw other numbers.
  std::vector<std::string> random;
  ModuleMode mode = ModuleMode::train;
  // How many operators of forward() may round their results; 0: unknown.
  std::int64_t operators = 0;
  std::vector<Expression> require;  // the module cannot state a case that breaks a condition

  // Null if the input is an argument of forward().
  const std::string* weight_of(std::string_view input) const;
  bool may_return_input(std::string_view output) const {
    return std::find(views.begin(), views.end(), output) != views.end();
  }
};

// Whether a text can be TorchModule::axes.
bool is_axes(std::string_view text);

// Whether this describes an argument of forward() as harness/python/kgrade_python/module_description.py does.
bool is_argument_of_module(const nlohmann::json& argument);

// Whether an entry of `forward` is a value. Names do not begin with a brace.
inline bool is_given_value(std::string_view argument) { return argument.starts_with('{'); }

std::string_view to_string(ModuleMode mode);      // "train"
std::string to_string(const ModuleValue& value);  // as Python writes it: "(2, 3)", "False", "1e-05"

}  // namespace kgrade
