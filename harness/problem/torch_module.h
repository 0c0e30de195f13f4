// How a module of PyTorch states a problem: the `torch` section of a problem file. It says how `__init__` and
// `forward` of a `ModelNew` are called, and which of its parameters are the problem's inputs, in the names of
// KernelBench's `Model`. problem/module_call.h has the arguments for one case.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "problem/expression.h"

namespace kgrade {

using ModuleScalar = std::variant<std::int64_t, double, bool>;

// What an argument of `__init__` is: a number, True or False, or a tuple of these.
struct ModuleValue {
  bool is_tuple = false;
  std::vector<ModuleScalar> items;  // one, if it is no tuple

  // As Python compares: 1, 1.0 and True are equal, 1 and (1,) are not.
  friend bool operator==(const ModuleValue& left, const ModuleValue& right);
};

// One number of an argument, as the file says it.
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
  std::vector<ModuleTerm> terms;  // one, if it is no tuple
  // With one, the argument is passed by its name, and only where its value is another.
  std::optional<ModuleValue> fallback;
  Location location;

  std::string value_text() const;  // "(kernel_h, kernel_w)"
};

enum class ModuleMode { train, eval };

struct TorchModule {
  std::string wrapped;               // the module of PyTorch that `Model` wraps; may be empty. A baseline
  std::vector<ModuleArgument> init;  // those without `fallback` come first
  // Instead of `init`: the same arguments in every case, whatever they are, as JSON: {"positional": [...],
  // "keywords": {...}}, with values as harness/python/describe_module.py writes them.
  std::string given;
  // Inputs and scalar parameters, in order; is_given_value() tells values, {"value": 3}, which stand for
  // themselves.
  std::vector<std::string> forward;
  // How many axes the module's tensors have, where the problem's may have more, of extent 1.
  std::optional<Expression> rank;
  // An input, and the parameter or buffer of the module that it is: {"kernel", "conv2d.weight"}.
  std::vector<std::pair<std::string, std::string>> weights;
  // Parameters and buffers of `Model` that are no input: they cannot change the answer, or they are what
  // forward() changes, such as running statistics. Each call begins with what `__init__` gave them.
  std::vector<std::string> free;
  // Outputs that forward() returns in the memory of an input, as x.view(-1) is: a candidate may do so, too.
  std::vector<std::string> views;
  ModuleMode mode = ModuleMode::train;
  std::vector<Expression> require;  // cases that break one cannot be stated by the module

  // Of an output.
  bool may_return_input(std::string_view output) const {
    return std::find(views.begin(), views.end(), output) != views.end();
  }
  // Null where the input is handed to forward().
  const std::string* weight_of(std::string_view input) const;
};

// Of `forward`: no name is a map.
inline bool is_given_value(std::string_view argument) { return argument.starts_with('{'); }

std::string_view to_string(ModuleMode mode);      // "train"
std::string to_string(const ModuleValue& value);  // as Python writes it: "(2, 3)", "False", "1e-05"

}  // namespace kgrade
