#include "problem/init.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "problem/fields.h"
#include "problem/quote.h"

namespace kgrade {
namespace {

// Integers up to here are exact in float32.
constexpr double largest_exact_integer = 1 << 24;

constexpr std::string_view forms =
    "write uniform(lo, hi), normal(mean, sd), integers(lo, hi), constant(value), ones, zeros or "
    "uniform_fan_in(n)";

struct Form {
  std::string_view name;
  Init::Kind kind;
  std::size_t arguments;
  std::string_view example;
};

constexpr std::array<Form, 7> known_forms = {{
    {"uniform", Init::Kind::uniform, 2, "uniform(0, 1)"},
    {"normal", Init::Kind::normal, 2, "normal(0, 1)"},
    {"integers", Init::Kind::integers, 2, "integers(-2, 3)"},
    {"constant", Init::Kind::constant, 1, "constant(1.5)"},
    {"ones", Init::Kind::constant, 0, "ones"},
    {"zeros", Init::Kind::constant, 0, "zeros"},
    {"uniform_fan_in", Init::Kind::uniform_fan_in, 1, "uniform_fan_in(in_channels * kernel_h * kernel_w)"},
}};

// "name(inside)" taken apart. `inside` is empty without parentheses.
struct Call {
  std::string_view name;
  bool parentheses = false;
  std::string_view inside;
};

std::optional<Call> split_call(std::string_view text) {
  text = trimmed(text);
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return Call{text, false, {}};
  if (text.back() != ')') return std::nullopt;
  return Call{trimmed(text.substr(0, open)), true, text.substr(open + 1, text.size() - open - 2)};
}

std::vector<std::string_view> split_arguments(std::string_view inside) {
  std::vector<std::string_view> arguments;
  if (trimmed(inside).empty()) return arguments;
  for (std::size_t begin = 0; begin <= inside.size();) {
    const std::size_t end = std::min(inside.find(',', begin), inside.size());
    arguments.push_back(trimmed(inside.substr(begin, end - begin)));
    begin = end + 1;
  }
  return arguments;
}

// What is wrong with the numbers of a form, or nothing.
std::string_view complaint_about(const Init& init) {
  const auto too_large = [](double x) { return std::abs(x) > double{std::numeric_limits<float>::max()}; };
  if (too_large(init.first) || too_large(init.second)) return "its numbers must fit into a float";
  switch (init.kind) {
    case Init::Kind::uniform:
      return init.first < init.second ? "" : "the lower end comes first";
    case Init::Kind::normal:
      return init.second > 0 ? "" : "the standard deviation must be positive";
    case Init::Kind::integers: {
      const auto inexact = [](double x) { return x != std::floor(x) || std::abs(x) > largest_exact_integer; };
      if (inexact(init.first) || inexact(init.second)) return "both ends must be integers of at most 2^24";
      return init.first <= init.second ? "" : "the lower end comes first";
    }
    default:
      return "";
  }
}

class InitReader {
 public:
  InitReader(const YamlNode& node, Diagnostics& diagnostics) : node_(node), diagnostics_(diagnostics) {}

  std::optional<Init> read() {
    const auto call = split_call(node_.source);
    if (!call)
      return fail(fmt::format("'init' {} is not closed", in_quotes(node_.value)),
                  "write ')' at its end; inside {...}, put it into quotes");
    const Form* form = find_form(call->name);
    if (form == nullptr)
      return fail(fmt::format("'init' names no distribution: {}", in_quotes(node_.value)), hint(*call));
    Init init;
    init.kind = form->kind;
    init.text = std::string(trimmed(node_.value));
    if (init.kind == Init::Kind::uniform_fan_in) return read_fan_in(*call, *form, std::move(init));
    return read_numbers(*call, *form, std::move(init));
  }

 private:
  static const Form* find_form(std::string_view name) {
    for (const Form& form : known_forms) {
      if (form.name == name) return &form;
    }
    return nullptr;
  }

  static std::string hint(const Call& call) {
    std::vector<std::string> names;
    for (const Form& form : known_forms) names.emplace_back(form.name);
    return suggestion(call.name, names) + std::string(forms);
  }

  std::optional<Init> read_numbers(const Call& call, const Form& form, Init init) {
    const auto arguments = split_arguments(call.inside);
    if (arguments.size() != form.arguments || (form.arguments == 0 && call.parentheses)) {
      return wrong_form(form, fmt::format("takes {} numbers", form.arguments));
    }
    std::array<double, 2> numbers = {form.name == "ones" ? 1.0 : 0.0, 0.0};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto number = parse_real(arguments[i]);
      if (!number)
        return wrong_form(form, fmt::format("holds {}, which is no number", in_quotes(arguments[i])));
      numbers[i] = *number;
    }
    init.first = numbers[0];
    init.second = numbers[1];
    const std::string_view complaint = complaint_about(init);
    if (!complaint.empty())
      return wrong_form(form, fmt::format("is {}: {}", in_quotes(init.text), complaint));
    return init;
  }

  std::optional<Init> read_fan_in(const Call& call, const Form& form, Init init) {
    if (trimmed(call.inside).empty()) return wrong_form(form, "takes one integer expression");
    // The argument stands where it stands in the source: blank out what precedes it.
    const auto skipped = static_cast<std::size_t>(call.inside.data() - node_.source.data());
    std::string text = node_.source.substr(0, skipped + call.inside.size());
    for (std::size_t i = 0; i < skipped; ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
    YamlNode argument = node_;
    argument.source = std::move(text);
    init.fan_in = read_expression(argument, "'init'", diagnostics_);
    if (!init.fan_in) return std::nullopt;
    return init;
  }

  std::optional<Init> wrong_form(const Form& form, const std::string& what) {
    return fail(fmt::format("'init' {} {}", form.name, what), fmt::format("write it as in {}", form.example));
  }

  std::optional<Init> fail(std::string message, std::string remedy) {
    diagnostics_.add(node_.place(), std::move(message), std::move(remedy));
    return std::nullopt;
  }

  const YamlNode& node_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<Init> read_init(const YamlNode& node, Diagnostics& diagnostics) {
  if (!read_text(node, "'init'", diagnostics)) return std::nullopt;
  return InitReader(node, diagnostics).read();
}

}  // namespace kgrade
