#include "authoring/contract_guesses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "authoring/parameter_meaning.h"

namespace kgrade::authoring {
namespace {

class ContractGuesser {
 public:
  ContractGuesser(Imported& imported, const ShapeFinder& finder, const std::vector<std::string>& scalars)
      : imported_(imported), draft_(imported.draft), finder_(finder), scalars_(scalars) {}

  void run() {
    require_all();
    for (DraftParameter& parameter : draft_.parameters) {
      if (parameter.pointer && parameter.is_const) init(parameter);
    }
    if (!inits_.empty())
      imported_.guesses.push_back({"init", fmt::format("how {} are drawn: so that wrong answers stand out",
                                                       fmt::join(inits_, ", "))});
    flops();
  }

 private:
  std::vector<std::string> of_role(ParameterRole role) const {
    std::vector<std::string> found;
    for (const std::string& name : scalars_) {
      if (meaning_of(name).role == role) found.push_back(name);
    }
    return found;
  }

  void require(const std::string& condition, const std::string& why) {
    const bool known = std::any_of(draft_.require.begin(), draft_.require.end(),
                                   [&](const Noted& other) { return other.text == condition; });
    if (!known) draft_.require.push_back({condition, "guessed: " + why});
  }

  void require_at_least_one(const std::vector<std::string>& names, const std::string& why) {
    std::vector<std::string> conditions;
    for (const std::string& name : names) conditions.push_back(name + " >= 1");
    if (!conditions.empty()) require(fmt::format("{}", fmt::join(conditions, " && ")), why);
  }

  void require_divides(const std::vector<std::string>& divisors, const std::vector<std::string>& numbers) {
    for (const std::string& divisor : divisors) {
      for (const std::string& number : numbers)
        require(fmt::format("{} % {} == 0", number, divisor), "groups are equal");
    }
  }

  void require_all() {
    const std::size_t before = draft_.require.size();
    for (const ParameterRole role : {ParameterRole::stride, ParameterRole::dilation, ParameterRole::groups,
                                     ParameterRole::norm_groups}) {
      require_at_least_one(of_role(role), "what a layer asks for");
    }
    require_groups();
    require_divides(of_role(ParameterRole::norm_groups), of_role(ParameterRole::out_channels));
    for (std::size_t axis = 0; axis < finder_.spatial().size(); ++axis) require_output_padding(axis);
    std::vector<std::string> extents;
    for (const auto& [name, value] : draft_.let) extents.push_back(name);
    require_at_least_one(extents, "an output has elements");
    if (draft_.require.size() > before)
      imported_.guesses.push_back({"require", "what every legal case satisfies"});
  }

  // Where the kernel's shape leaves groups out, there can be only one.
  void require_groups() {
    for (const std::string& groups : of_role(ParameterRole::groups)) {
      const auto kernel = std::find_if(draft_.parameters.begin(), draft_.parameters.end(),
                                       [&](const DraftParameter& p) { return p.is_const && is_kernel(p); });
      const bool divided =
          kernel == draft_.parameters.end() ||
          std::any_of(kernel->shape.begin(), kernel->shape.end(),
                      [&](const std::string& extent) { return extent.find(groups) != std::string::npos; });
      if (!divided) require(groups + " == 1", "the shape of '" + kernel->name + "' has no groups");
    }
    require_divides(of_role(ParameterRole::groups), of_role(ParameterRole::in_channels));
    require_divides(of_role(ParameterRole::groups), of_role(ParameterRole::out_channels));
  }

  // As PyTorch has it: less than the stride or less than the dilation.
  void require_output_padding(std::size_t axis) {
    const AxisParameters names = axis_parameters(scalars_, axis, finder_.spatial().size(), false);
    if (names.output_padding.empty() || names.stride.empty()) return;
    require(names.dilation.empty()
                ? fmt::format("{} < {}", names.output_padding, names.stride)
                : fmt::format("{} < max({}, {})", names.output_padding, names.stride, names.dilation),
            "as in PyTorch");
  }

  bool is_kernel(const DraftParameter& parameter) const {
    return finder_.layers().convolution && parameter.shape.size() >= 3 &&
           parameter.shape.size() == finder_.spatial().size() + 2 && parameter.name != first_input();
  }

  std::string first_input() const {
    for (const DraftParameter& parameter : draft_.parameters) {
      if (parameter.pointer && parameter.is_const) return parameter.name;
    }
    return "";
  }

  void init(DraftParameter& parameter) {
    const std::vector<std::string> words = words_of_name(parameter.name);
    const auto has = [&](std::string_view word) {
      return std::find(words.begin(), words.end(), word) != words.end();
    };
    if (is_kernel(parameter)) {
      const std::vector<std::string> inner(parameter.shape.begin() + 1, parameter.shape.end());
      parameter.init = {fmt::format("uniform_fan_in({})", fmt::join(inner, " * ")),
                        "guessed: PyTorch's default for such weights"};
    } else if (has("bias") || has("beta")) {
      parameter.init = {"uniform(-0.5, 0.5)", "guessed: an offset"};
    } else if (parameter.shape.size() == 1 && (has("weight") || has("gamma") || has("scale"))) {
      parameter.init = {"uniform(0.5, 1.5)", "guessed: a factor near 1"};
    } else if (finder_.layers().convolution) {
      parameter.init = {"uniform(0, 1)", "guessed: as torch.rand"};
    } else {
      parameter.init = {"normal(0, 1)", "guessed: as torch.randn"};
    }
    inits_.push_back(parameter.name);
  }

  // Two for each product of a convolution: over the outputs, or for a transposed one over the inputs.
  void flops() {
    const auto kernel = std::find_if(draft_.parameters.begin(), draft_.parameters.end(),
                                     [&](const DraftParameter& p) { return p.is_const && is_kernel(p); });
    const DraftParameter* input = draft_.find(first_input());
    if (kernel == draft_.parameters.end() || input == nullptr || input->shape.size() < 3) {
      imported_.open.push_back(
          {"flops", "the useful arithmetic of a case, for the share of the device's peak"});
      return;
    }
    const bool transposed = finder_.layers().transposed;
    const std::vector<std::string>& positions = transposed ? finder_.spatial() : finder_.convolved();
    std::vector<std::string> factors = {"2", input->shape[0], kernel->shape[0]};
    for (const std::string& extent : positions) factors.push_back(operand(extent));
    for (std::size_t i = 1; i < kernel->shape.size(); ++i) factors.push_back(operand(kernel->shape[i]));
    draft_.flops =
        Noted{fmt::format("{}", fmt::join(factors, " * ")), "guessed: the convolution's products and sums"};
    imported_.guesses.push_back({"flops", draft_.flops->text});
  }

  static std::string operand(const std::string& text) {
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
  }

  Imported& imported_;
  Draft& draft_;
  const ShapeFinder& finder_;
  const std::vector<std::string>& scalars_;
  std::vector<std::string> inits_;
};

}  // namespace

void guess_contract(Imported& imported, const ShapeFinder& finder, const std::vector<std::string>& scalars) {
  ContractGuesser(imported, finder, scalars).run();
}

}  // namespace kgrade::authoring
