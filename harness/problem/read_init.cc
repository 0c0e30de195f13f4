#include "problem/read_init.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "problem/call_text.h"
#include "problem/keys.h"

namespace kgrade {
namespace {

constexpr std::string_view init_forms =
    "write uniform(lo, hi), normal(mean, sd), integers(lo, hi), constant(value), ones, zeros, choice(a, b), "
    "bernoulli(p), labels(n), adjacency(p, missing), uniform_fan_in(n), symmetric(...), triangular(..., "
    "upper), for bytes that hold codes e4m3(...), e5m2(...) or e8m0(...), or computed, for what the "
    "reference computes";

struct Form {
  std::string_view name;
  Init::Kind kind;
  std::size_t fewest;
  std::size_t most;
  std::string_view takes;
  std::string_view example;
};

constexpr std::array<Form, 12> known_forms = {{
    {"uniform", Init::Kind::uniform, 2, 2, "2 numbers", "uniform(0, 1)"},
    {"normal", Init::Kind::normal, 2, 2, "2 numbers", "normal(0, 1)"},
    {"integers", Init::Kind::integers, 2, 2, "2 numbers", "integers(-2, 3)"},
    {"constant", Init::Kind::constant, 1, 1, "1 number", "constant(1.5)"},
    {"ones", Init::Kind::constant, 0, 0, "0 numbers", "ones"},
    {"zeros", Init::Kind::constant, 0, 0, "0 numbers", "zeros"},
    {"choice", Init::Kind::choice, 2, most_choices, "2 to 8 numbers", "choice(-1, 1)"},
    {"bernoulli", Init::Kind::bernoulli, 1, 1, "1 number", "bernoulli(0.5)"},
    {"adjacency", Init::Kind::adjacency, 2, 2, "2 numbers", "adjacency(0.3, -1)"},
    {"labels", Init::Kind::integers, 1, 1, "one integer expression", "labels(num_classes)"},
    {"uniform_fan_in", Init::Kind::uniform_fan_in, 1, 1, "one integer expression",
     "uniform_fan_in(in_channels * kernel_h * kernel_w)"},
    {"computed", Init::Kind::computed, 0, 0, "0 numbers", "computed"},
}};

constexpr Form values_form = {
    "values",     Init::Kind::listed,           1,
    most_choices, "1 to 8 integer expressions", "values(batch_size, channels, height)"};

// Structures that are made of another distribution.
struct Structure {
  std::string_view name;
  Init::Structure kind;
  bool takes_side;
};

constexpr std::array<Structure, 2> known_structures = {{
    {"symmetric", Init::Structure::symmetric, false},
    {"triangular", Init::Structure::upper, true},
}};

const Structure* find_structure(std::string_view name) {
  const auto found = std::find_if(known_structures.begin(), known_structures.end(),
                                  [&](const Structure& known) { return known.name == name; });
  return found == known_structures.end() ? nullptr : &*found;
}

// The names of the forms that take arguments, or of those that take none.
std::vector<std::string> names_of_forms(bool take_something) {
  std::vector<std::string> names;
  for (const std::string_view code : enum_words<SmallFloat>) {
    if (take_something && codes_per_byte(*enum_from<SmallFloat>(code)) == 1) names.emplace_back(code);
  }
  for (const Structure& structure : known_structures) {
    if (take_something) names.emplace_back(structure.name);
  }
  for (const Form& form : known_forms) {
    if ((form.most > 0) == take_something) names.emplace_back(form.name);
  }
  return names;
}

bool takes_expressions(const Form& form) {
  return form.name == "labels" || form.kind == Init::Kind::uniform_fan_in || form.kind == Init::Kind::listed;
}

std::string_view complaint_about_choices(const std::vector<double>& choices) {
  const bool same =
      std::all_of(choices.begin(), choices.end(), [&](double x) { return x == choices.front(); });
  return same ? "its numbers must differ" : "";
}

// Says what is wrong with the numbers of a form. Empty if nothing is wrong.
std::string_view complaint_about(const Init& init) {
  const auto too_large = [](double x) { return std::abs(x) > double{std::numeric_limits<float>::max()}; };
  if (too_large(init.first) || too_large(init.second) ||
      std::any_of(init.choices.begin(), init.choices.end(), too_large))
    return "its numbers must fit into a float";
  switch (init.kind) {
    case Init::Kind::uniform:
      return init.first < init.second ? "" : "the lower end comes first";
    case Init::Kind::normal:
      return init.second > 0 ? "" : "the standard deviation must be positive";
    case Init::Kind::integers: {
      const auto inexact = [](double x) {
        return x != std::floor(x) || std::abs(x) > double{largest_exact_integer};
      };
      if (inexact(init.first) || inexact(init.second)) return "both ends must be integers of at most 2^24";
      return init.first <= init.second ? "" : "the lower end comes first";
    }
    case Init::Kind::choice:
      return complaint_about_choices(init.choices);
    case Init::Kind::bernoulli:
      return init.first > 0 && init.first < 1 ? "" : "the probability must lie between 0 and 1";
    case Init::Kind::adjacency:
      return init.first > 0 && init.first <= 1 ? "" : "the probability must be above 0 and 1 at most";
    default:
      return "";
  }
}

class InitReader {
 public:
  InitReader(const YamlNode& node, Diagnostics& diagnostics) : node_(node), diagnostics_(diagnostics) {}

  std::optional<Init> read() {
    auto init = read_form(node_.source);
    if (init) init->text = std::string(trimmed(node_.value));
    return init;
  }

  std::optional<Init> read_as(const CallText& call, const Form& form) {
    const auto arguments = call.arguments();
    if (arguments.size() < form.fewest || arguments.size() > form.most ||
        (form.most == 0 && call.parentheses))
      return wrong_form(form, fmt::format("takes {}", form.takes));
    Init init;
    init.kind = form.kind;
    init.text = std::string(trimmed(node_.value));
    const bool are_numbers = std::all_of(arguments.begin(), arguments.end(), [](std::string_view text) {
      const auto integer = parse_integer(text);
      return integer ? is_exact_in_float(*integer) : parse_real(text).has_value();
    });
    if (takes_expressions(form) || (init.kind == Init::Kind::integers && !are_numbers))
      return read_expressions(arguments, std::move(init));
    return read_numbers(arguments, form, std::move(init));
  }

 private:
  std::optional<Init> read_form(std::string_view text) {
    const auto call = split_call(text);
    if (!call)
      return fail(fmt::format("'{}' {} is not closed", key(), in_quotes(node_.value)),
                  "write ')' at its end; inside {...}, put it into quotes");
    if (const Structure* const structure = find_structure(call->name))
      return read_structure(*call, *structure);
    if (is_encoding(call->name)) return read_encoding(*call);
    const auto form = std::find_if(known_forms.begin(), known_forms.end(),
                                   [&](const Form& known) { return known.name == call->name; });
    if (form == known_forms.end())
      return fail(fmt::format("'{}' names no distribution: {}", key(), in_quotes(node_.value)), hint(*call));
    return read_as(*call, *form);
  }

  static std::string hint(const CallText& call) {
    std::vector<std::string> names = names_of_forms(true);
    const std::vector<std::string> others = names_of_forms(false);
    names.insert(names.end(), others.begin(), others.end());
    return suggestion(call.name, names) + std::string(init_forms);
  }

  // symmetric(normal(0, 1)), triangular(normal(0, 1), upper)
  std::optional<Init> read_structure(const CallText& call, const Structure& structure) {
    const auto arguments = call.arguments();
    const std::string_view side = arguments.size() == 2 ? arguments[1] : "";
    const bool has_side = side == "upper" || side == "lower";
    if (arguments.size() != (structure.takes_side ? 2U : 1U) || structure.takes_side != has_side)
      return fail(fmt::format("'{}' {} takes a distribution{}", key(), call.name,
                              structure.takes_side ? " and upper or lower" : ""),
                  example_of(structure));
    // Nested structures are refused before the inner form is read, because a file may nest forms to any
    // depth.
    const auto inner = split_call(arguments[0]);
    const bool is_nested = inner && (find_structure(inner->name) != nullptr || is_encoding(inner->name));
    auto init = is_nested ? std::nullopt : read_form(arguments[0]);
    if (!init && !is_nested) return std::nullopt;
    if (is_nested || init->kind == Init::Kind::computed)
      return fail(fmt::format("'{}' {} is of a distribution alone", key(), call.name), example_of(structure));
    init->structure = side == "lower" ? Init::Structure::lower : structure.kind;
    return init;
  }

  static std::string example_of(const Structure& structure) {
    return fmt::format("write it as in {}(normal(0, 1){})", structure.name,
                       structure.takes_side ? ", upper" : "");
  }

  // e2m1 has two codes per byte, so integers(0, 255) draws all of them and no form is needed.
  static bool is_encoding(std::string_view name) {
    const auto format = enum_from<SmallFloat>(name);
    return format && codes_per_byte(*format) == 1;
  }

  // e4m3(normal(0, 1))
  std::optional<Init> read_encoding(const CallText& call) {
    const auto arguments = call.arguments();
    const auto inner = arguments.size() == 1 ? split_call(arguments[0]) : std::nullopt;
    const auto form = std::find_if(known_forms.begin(), known_forms.end(),
                                   [&](const Form& known) { return inner && known.name == inner->name; });
    const bool is_of_numbers = form != known_forms.end() && !takes_expressions(*form) &&
                               Init{.kind = form->kind}.has_single_elements();
    auto init = is_of_numbers ? read_as(*inner, *form) : std::nullopt;
    if (is_of_numbers && !init) return std::nullopt;
    if (!init || !init->expressions.empty())
      return fail(fmt::format("'{}' {} is of a distribution of numbers alone", key(), call.name),
                  fmt::format("write it as in {}(normal(0, 1))", call.name));
    init->encoding = enum_from<SmallFloat>(call.name);
    return init;
  }

  std::optional<Init> read_numbers(const std::vector<std::string_view>& arguments, const Form& form,
                                   Init init) {
    std::vector<double> numbers;
    for (const std::string_view argument : arguments) {
      const auto number = parse_real(argument);
      if (!number) return wrong_form(form, fmt::format("holds {}, which is no number", in_quotes(argument)));
      numbers.push_back(*number);
    }
    if (init.kind == Init::Kind::choice) {
      init.choices = numbers;
    } else {
      numbers.resize(2);
      init.first = form.name == "ones" ? 1 : numbers[0];
      init.second = numbers[1];
    }
    const std::string_view complaint = complaint_about(init);
    if (!complaint.empty())
      return wrong_form(form, fmt::format("is {}: {}", in_quotes(init.text), complaint));
    return init;
  }

  std::optional<Init> read_expressions(const std::vector<std::string_view>& arguments, Init init) {
    for (const std::string_view argument : arguments) {
      auto expression = read_expression(at_its_place(argument), "'init'", diagnostics_);
      if (!expression) return std::nullopt;
      init.expressions.push_back(*std::move(expression));
    }
    return init;
  }

  // A node with the argument at its place in the source. The text before it is blank.
  YamlNode at_its_place(std::string_view argument) const {
    const auto skipped = static_cast<std::size_t>(argument.data() - node_.source.data());
    std::string text = node_.source.substr(0, skipped + argument.size());
    for (std::size_t i = 0; i < skipped; ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
    YamlNode node = node_;
    node.source = std::move(text);
    return node;
  }

  std::optional<Init> wrong_form(const Form& form, const std::string& what) {
    return fail(fmt::format("'{}' {} {}", form.kind == Init::Kind::listed ? "shape" : key(), form.name, what),
                fmt::format("write it as in {}", form.example));
  }

  std::optional<Init> fail(std::string message, std::string remedy) {
    diagnostics_.add(node_.place(), std::move(message), std::move(remedy));
    return std::nullopt;
  }

  // The key of the entry that is read. Options on the command line have no key.
  std::string_view key() const { return node_.key == "begins" ? "begins" : "init"; }

  const YamlNode& node_;
  Diagnostics& diagnostics_;
};

}  // namespace

Schema init_schema(SchemaDefinitions& definitions) {
  const PatternForm form = {fmt::format(R"(({})\s*\([\s\S]*\)|{})", fmt::join(names_of_forms(true), "|"),
                                        fmt::join(names_of_forms(false), "|"))};
  Schema schema = form.schema(definitions);
  schema["description"] =
      "How the elements of an input are drawn: uniform(lo, hi), normal(mean, sd), integers(lo, hi) with "
      "integer expressions as its ends, constant(value), ones, zeros, choice(a, b, ...), bernoulli(p), "
      "labels(n), which is integers(0, n - 1), adjacency(p, missing), or uniform_fan_in(n), which is "
      "uniform(-1/sqrt(n), 1/sqrt(n)). Of square matrices in the last two axes also symmetric(d), "
      "triangular(d, upper) and triangular(d, lower) of such a d. Bytes (uint8_t) may hold codes: e4m3(d), "
      "e5m2(d), e8m0(d). computed: what the function `inputs` of the reference writes, or, of a problem with "
      "`reference`, what get_inputs() of that file gives.";
  schema["examples"] = {"uniform(0, 1)", "normal(0, 3)", "uniform_fan_in(in_channels * kernel_h * kernel_w)"};
  return schema;
}

std::optional<Init> read_init(const YamlNode& node, Diagnostics& diagnostics) {
  if (!read_text(node, "'init'", diagnostics)) return std::nullopt;
  return InitReader(node, diagnostics).read();
}

bool is_init(std::string_view text) {
  return text.find('(') != text.npos ||
         std::any_of(known_forms.begin(), known_forms.end(),
                     [&](const Form& known) { return known.most == 0 && known.name == text; });
}

bool is_values(const YamlNode& node) {
  const auto call = node.is_scalar() ? split_call(node.source) : std::nullopt;
  return call && call->name == values_form.name;
}

std::optional<Init> read_values(const YamlNode& node, Diagnostics& diagnostics) {
  return InitReader(node, diagnostics).read_as(*split_call(node.source), values_form);
}

namespace {

std::string complaint_about_ends(const Init& init, const ScalarType& type) {
  if (init.expressions.size() != 2) return "";
  for (const Expression& end : init.expressions) {
    // Ends that name a parameter are checked in each case, like labels(n).
    const auto value = end.names().empty() ? end.evaluate({}) : Result<std::int64_t>(0);
    if (!value) return value.error().message;
    if (!type.is_integer() && !is_exact_in_float(*value))
      return "has ends that are no integers of at most 2^24";
    if (type.is_integer() && !type.holds(*value))
      return fmt::format("has values that {} does not hold", type.name);
  }
  return "";
}

// Whether all numbers are above 0.
bool is_positive(const Init& init) {
  if (init.structure != Init::Structure::none) return false;
  if (init.kind == Init::Kind::choice) return std::ranges::min(init.choices) > 0;
  return (init.kind == Init::Kind::uniform || init.kind == Init::Kind::constant) && init.first > 0;
}

// Like complaint_about(), for a type that holds only powers of two.
std::string complaint_about_powers(const Init& init, const ScalarType& type) {
  if (!is_positive(init)) return fmt::format("may draw 0 or less, and the type is {}", type.name);
  std::vector<double> ends = {init.first};
  if (init.kind == Init::Kind::uniform) ends.push_back(init.second);
  if (init.kind == Init::Kind::choice) ends = init.choices;
  const auto [least, largest] = std::ranges::minmax(ends);
  if (least < double{smallest_normal(*type.element)} || largest > double{largest_finite(*type.element)})
    return fmt::format("goes beyond the numbers of {}", type.name);
  if (init.kind == Init::Kind::uniform && std::exp2(std::ceil(std::log2(least))) > largest)
    return fmt::format("has no power of two between its ends, and the type is {}", type.name);
  return "";
}

}  // namespace

std::string complaint_about(const Init& init, const ScalarType& type) {
  if (init.kind == Init::Kind::computed || init.kind == Init::Kind::listed) return "";
  if (init.encoding)
    return type.element == Dtype::uint8 ? "" : fmt::format("draws bytes, and the type is {}", type.name);
  if (type.element && !has_zero(*type.element)) return complaint_about_powers(init, type);
  if (init.kind == Init::Kind::integers && !init.expressions.empty()) return complaint_about_ends(init, type);
  if (!type.is_integer()) return "";
  std::vector<double> values;
  switch (init.kind) {
    case Init::Kind::integers:
      values = {init.first, init.second};
      break;
    case Init::Kind::constant:
      values = {init.first};
      break;
    case Init::Kind::choice:
      values = init.choices;
      break;
    case Init::Kind::bernoulli:
      values = {0, 1};
      break;
    case Init::Kind::adjacency:
      values = {0, 100, init.second};
      break;
    default:
      return fmt::format("draws no integers, and the type is {}", type.name);
  }
  for (const double value : values) {
    if (value != std::floor(value) || std::abs(value) > double{largest_exact_integer})
      return "must be an integer of at most 2^24";
    if (value < static_cast<double>(type.low) || value > static_cast<double>(type.high))
      return fmt::format("has values that {} does not hold", type.name);
  }
  return "";
}

Result<Init> parse_init(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.value = node.source = text;
  Diagnostics diagnostics;
  auto init = read_init(node, diagnostics);
  for (const Expression& expression : init ? init->expressions : std::vector<Expression>()) {
    if (!expression.names().empty()) diagnostics.add({}, "'init' names something", "write numbers");
  }
  const std::string complaint = init ? complaint_about(*init, *find_scalar_type(element_type_name)) : "";
  if (!complaint.empty())
    diagnostics.add({}, fmt::format("'init' {} {}", in_quotes(text), complaint), "write other numbers");
  if (!init || !diagnostics.empty()) return diagnostics.take();
  return std::move(*init);
}

}  // namespace kgrade
