// Reads the `torch` section: how a module of PyTorch states the problem (problem/torch_module.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "problem/keys.h"
#include "problem/problem_reader.h"
#include "problem/scalar_type.h"

namespace kgrade {
namespace {

constexpr std::size_t most_arguments = 64;
constexpr std::size_t most_of_tuple = 16;  // items
constexpr std::size_t most_conditions = 200;
constexpr std::size_t most_free = 10'000;  // a ResNet has three buffers per layer
constexpr std::size_t longest_path = 200;

// Names that an argument in Python cannot have: keywords, and `self`, which is taken.
constexpr std::array<std::string_view, 36> words_of_python = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "self", "try",    "while",  "with",     "yield"};

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

bool is_python_name(std::string_view text) {
  const bool taken = std::find(words_of_python.begin(), words_of_python.end(), text) != words_of_python.end();
  return is_word(text) && !is_digit(text.front()) && !taken && text.size() <= longest_path;
}

// "conv2d.weight"; a part may be a number, as in the names of nn.Sequential.
bool is_state_name(std::string_view text) {
  if (text.size() > longest_path) return false;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    if (!is_word(text.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return true;
}

constexpr const char* state_pattern = "^[A-Za-z0-9_]+(\\.[A-Za-z0-9_]+)*$";
constexpr TextForm state_name = {
    state_pattern,
    is_state_name,
    {"write the name that state_dict() of KernelBench's Model has, as in conv2d.weight"},
    longest_path};
constexpr TextForm module_name = {
    state_pattern, is_state_name, {"write the name of a module, as in torch.nn.Conv2d"}, longest_path};

constexpr TextForm axes_of_inputs = {
    "^\\s*\\{", is_axes, {R"(write the order of each input's axes in JSON, as in '{"x": [1, 0]}')"}, 10'000};

constexpr TextForm given_call = {
    "^\\s*\\{",
    [](std::string_view text) {
      const auto call = nlohmann::json::parse(text, nullptr, false);
      return call.is_object() && call.size() == 2 && call.value("positional", nlohmann::json()).is_array() &&
             call.value("keywords", nlohmann::json()).is_object();
    },
    {R"(write '{"positional": [64, 3], "keywords": {}}', or `init:` with expressions)",
     "'given' is no call in JSON"}};

struct OperatorsForm {
  std::optional<std::int64_t> read(const YamlNode& node, std::string_view what,
                                   Diagnostics& diagnostics) const {
    const auto count = read_integer(node, what, diagnostics);
    if (count && *count < 1)
      diagnostics.add(node.place(), fmt::format("{} is {}", what, *count),
                      "write how many operators of `forward()` may round their results, or leave it out");
    return count;
  }
  Schema schema(SchemaDefinitions&) const { return {{"type", "integer"}, {"minimum", 1}}; }
};

// The value and the default of an argument.
struct DefaultKeys {
  explicit DefaultKeys(Keys& keys) {
    constexpr std::string_view form = "{value: groups, default: 1}";
    value = keys.require("value", form, ScalarForm{most_of_tuple}, "As without a default.");
    fallback = keys.require("default", form, ScalarForm{most_of_tuple},
                            "The default of `def __init__`: a constant of the same form as the value.");
    keys.nothing_else();
  }
  const YamlNode* value;
  const YamlNode* fallback;
};

Schema argument_schema(SchemaDefinitions& definitions) {
  return {{"description",
           "A value, which is passed by its place, or a value and a default: passed by its name, and only "
           "where the value is another. A value is an expression, a real number, true, false, the name of a "
           "scalar parameter, or a list of these, which becomes a tuple."},
          {"anyOf",
           {ScalarForm{most_of_tuple}.schema(definitions),
            MappingForm{"", [](Keys& keys) { DefaultKeys{keys}; }}.schema(definitions)}}};
}

// The value of an argument: one number or a list of them. `names` is the problem, or null if only constants
// are allowed.
class ValueReader {
 public:
  ValueReader(std::string what, const Problem* names, Diagnostics& diagnostics)
      : what_(std::move(what)), names_(names), diagnostics_(diagnostics) {}

  bool read(const YamlNode& node, bool& is_tuple, std::vector<ModuleTerm>& terms) {
    is_tuple = node.is_sequence();
    if (!is_tuple) return read_term(node, terms);
    if (!expect_sequence(node, what_, "a list of numbers, as in [2, 2]", most_of_tuple, diagnostics_)) {
      return false;
    }
    if (node.children.empty()) {
      diagnostics_.add(node.location, what_ + " is an empty list", "write a number, or a list as in [2, 2]");
      return false;
    }
    bool sound = true;
    for (const YamlNode& child : node.children) sound = read_term(child, terms) && sound;
    return sound;
  }

 private:
  bool read_term(const YamlNode& node, std::vector<ModuleTerm>& terms) {
    if (node.is_map() || node.is_sequence() || node.kind == YamlNode::Kind::null) return complain(node);
    const std::string text(trimmed(node.value));
    if (text == "true" || text == "false") {
      terms.push_back({text == "true", text == "true" ? "True" : "False"});
      return true;
    }
    const auto real = looks_like_integer(text) ? std::nullopt : parse_real(text);
    if (real) {
      terms.push_back({*real, to_string(ModuleValue{false, {*real}})});
      return true;
    }
    if (names_a_value(text)) {
      terms.push_back({ModuleTerm::Named{text}, text});
      return true;
    }
    return read_formula(node, terms);
  }

  bool complain(const YamlNode& node) {
    diagnostics_.add(node.place(),
                     fmt::format("{} is {}", what_,
                                 node.is_map()        ? "a map"
                                 : node.is_sequence() ? "a list in a list"
                                                      : "empty"),
                     "write an expression, a number, true, false, or a list of these");
    return false;
  }

  // Whether the text names a scalar parameter of real or bool type. An expression would not keep these types.
  bool names_a_value(const std::string& text) const {
    const Parameter* const parameter = names_ != nullptr ? names_->find_parameter(text) : nullptr;
    return parameter != nullptr && !parameter->pointer &&
           (!parameter->is_integer() || parameter->type == "bool");
  }

  bool read_formula(const YamlNode& node, std::vector<ModuleTerm>& terms) {
    auto expression = read_expression(node, what_, diagnostics_);
    if (!expression) return false;
    if (names_ == nullptr && !expression->names().empty()) {
      diagnostics_.add(node.place(), fmt::format("{} is {}", what_, in_quotes(node.value)),
                       "write a constant, as `def __init__` has it: 1, 0.5, true or [1, 1]");
      return false;
    }
    std::string text = expression->text();
    terms.push_back({*std::move(expression), std::move(text)});
    return true;
  }

  std::string what_;
  const Problem* names_;
  Diagnostics& diagnostics_;
};

class TorchReader {
 public:
  TorchReader(Keys& keys, const Problem& problem)
      : keys_(keys), problem_(problem), diagnostics_(keys.diagnostics()) {}

  TorchModule read() {
    keys_.read("module", module_.wrapped, module_name, "The module of PyTorch that Model wraps, for readers.",
               R"(["torch.nn.Conv2d"])");
    read_arguments();
    const bool sound_forward = read_forward();
    keys_.read("rank", module_.rank, Formula{},
               "How many axes the tensors have that forward() takes, where the problem's may have more, of "
               "extent 1.",
               R"(["ndim"])");
    keys_.read(
        "axes", module_.axes, axes_of_inputs,
        "The axes that inputs have in forward(), where these lie in memory in another order. kgrade import "
        "writes it.",
        R"(["{\"x\": [1, 0]}"])");
    const bool sound_weights = read_weights();
    read_free();
    read_views();
    if (sound_forward && sound_weights) require_every_input();
    keys_.read("mode", module_.mode,
               WordForm<ModuleMode>{{ModuleMode::train, ModuleMode::eval}, {"write train or eval"}},
               "The mode in which the module is called. Without it train.");
    keys_.read("entry", module_.entry, name_form,
               "A function that an answer in Python may define instead of a class. It is called with the "
               "list and the "
               "dictionary that forward() takes. kgrade import writes it.",
               R"(["relu"])");
    keys_.read("random", module_.random,
               ListForm{any_text, most_free, "a list of operators, as in [multinomial]"},
               "The operators by which forward() draws random numbers. kgrade import writes it.",
               R"([["multinomial"]])");
    keys_.read("operators", module_.operators, OperatorsForm{},
               "How many operators of forward() may round their results. It limits the errors of answers in "
               "half precision. kgrade import writes it.",
               "[3]");
    read_require();
    keys_.nothing_else();
    return std::move(module_);
  }

 private:
  std::vector<std::string> input_names() const {
    std::vector<std::string> names;
    for (const Parameter& parameter : problem_.parameters) {
      if (parameter.is_input()) names.push_back(parameter.name);
    }
    return names;
  }

  std::string example_forward() const {
    const std::vector<std::string> names = input_names();
    return fmt::format("forward: [{}]", names.empty() ? "" : names.front());
  }

  void read_arguments() {
    const MapForm form = {name_form, argument_schema, most_arguments,
                          "a map: `in_channels: in_channels`, and so on"};
    const YamlNode* const init =
        keys_.find("init", form, "The arguments of `__init__`, in order. Those without a default come first.",
                   R"([{"in_channels": "in_channels", "stride": {"value": "stride_h", "default": 1}}])");
    const YamlNode* const given = keys_.find(
        "given", given_call,
        "The arguments of `__init__` as values, in JSON, instead of `init`. kgrade import writes it.",
        R"(["{\"positional\": [64, 3], \"keywords\": {}}"])");
    if (given != nullptr) {
      module_.given = given_call.read(*given, "'given'", diagnostics_).value_or("");
    } else if (init == nullptr) {
      diagnostics_.add(keys_.map().location, "'torch' has no 'init'",
                       "write the arguments of `__init__` below `init:`, or `init: {}` if it takes none");
    } else if (form.expect(*init, "'init' of 'torch'", diagnostics_)) {
      for (const YamlNode& entry : init->children) read_argument(entry);
    }
  }

  void read_argument(const YamlNode& entry) {
    ModuleArgument argument;
    argument.name = entry.key;
    argument.location = entry.key_location;
    if (!is_python_name(entry.key)) {
      diagnostics_.add(entry.key_location,
                       fmt::format("{} cannot be an argument of Python", in_quotes(entry.key)),
                       "write the name that `def __init__` of KernelBench's Model has");
      return;
    }
    if (entry.is_map() ? !read_with_default(entry, argument) : !read_value(entry, argument)) return;
    const bool late = !argument.fallback && !module_.init.empty() && module_.init.back().fallback;
    if (late) {
      diagnostics_.add(entry.key_location,
                       fmt::format("{} has no default and follows {}, which has one", in_quotes(entry.key),
                                   in_quotes(module_.init.back().name)),
                       "move it before all that have one, or write `{value: ..., default: ...}`");
    }
    module_.init.push_back(std::move(argument));
  }

  bool read_value(const YamlNode& node, ModuleArgument& argument) {
    return ValueReader("'init' " + in_quotes(argument.name), &problem_, diagnostics_)
        .read(node, argument.is_tuple, argument.terms);
  }

  bool read_with_default(const YamlNode& node, ModuleArgument& argument) {
    const std::string what = "'init' " + in_quotes(argument.name);
    Keys keys(node, what, diagnostics_);
    const DefaultKeys found(keys);
    if (found.value == nullptr || found.fallback == nullptr || !read_value(*found.value, argument))
      return false;
    return read_default(*found.fallback, argument);
  }

  bool read_default(const YamlNode& node, ModuleArgument& argument) {
    const std::string what = fmt::format("'default' of {}", in_quotes(argument.name));
    ModuleValue value;
    std::vector<ModuleTerm> terms;
    if (!ValueReader(what, nullptr, diagnostics_).read(node, value.is_tuple, terms)) return false;
    for (const ModuleTerm& term : terms) {
      const auto item = constant(term);
      if (!item) return false;
      value.items.push_back(*item);
    }
    argument.fallback = std::move(value);
    if (argument.is_tuple == argument.fallback->is_tuple && argument.terms.size() == terms.size())
      return true;
    diagnostics_.add(node.place(),
                     fmt::format("{} is {}, and its value is {}", what, to_string(*argument.fallback),
                                 argument.value_text()),
                     "write both as one number, or both as lists of the same length");
    return false;
  }

  std::optional<ModuleScalar> constant(const ModuleTerm& term) {
    if (const auto* const real = std::get_if<double>(&term.source)) return *real;
    if (const auto* const truth = std::get_if<bool>(&term.source)) return *truth;
    const auto value = std::get<Expression>(term.source).evaluate({});
    if (value) return *value;
    diagnostics_.add(value.errors());
    return std::nullopt;
  }

  bool read_forward() {
    const ListForm form = {PatternForm{R"([A-Za-z_][A-Za-z0-9_]*|\{\s*"[\s\S]*)"}, max_parameters,
                           fmt::format("a list of inputs: `{}`", example_forward())};
    const YamlNode* const node = keys_.require(
        "forward", example_forward(), form,
        R"(The inputs that forward() takes, in order. A value is written as JSON: '{"value": 3}'.)",
        R"([["input"]])");
    if (node == nullptr || !form.expect(*node, "'forward'", diagnostics_)) return false;
    bool sound = true;
    for (const YamlNode& child : node->children) {
      const auto name = read_text(child, "an item of 'forward'", diagnostics_);
      if (name && is_given_value(*name)) {
        sound = check_given_value(*name, child) && sound;
        module_.forward.push_back(*name);
      } else if (!name || !check_input(*name, child.place(), "'forward'")) {
        sound = false;
      } else {
        module_.forward.push_back(*name);
      }
    }
    return sound;
  }

  // Only generated texts have arguments of other kinds than a value (problem/module_file.h).
  bool check_given_value(const std::string& text, const YamlNode& node) {
    const auto value = nlohmann::json::parse(text, nullptr, false);
    if (problem_.has_model() && is_argument_of_module(value)) return check_names_in(value, node);
    if (value.is_object() && value.size() == 1 && value.contains("value")) return true;
    diagnostics_.add(node.place(), fmt::format("'forward' has {}, which is no value", in_quotes(text)),
                     R"(write the name of an input, or '{"value": 3}')");
    return false;
  }

  // Whether the names in an argument are those of inputs and of scalars of the entry point.
  bool check_names_in(const nlohmann::json& argument, const YamlNode& node) {
    const std::string& kind = argument.begin().key();
    const nlohmann::json& content = argument.begin().value();
    if (kind == "value" || kind == "blank") return true;
    if (kind == "copy") return check_names_in(content, node);
    if (kind == "viewed") return check_names_in({{"input", content.at("input")}}, node);
    if (kind == "input" || kind == "scalar") {
      const Parameter* const parameter = problem_.find_parameter(content.get<std::string>());
      if (parameter != nullptr && (kind == "input" ? parameter->is_input() : is_number_of_call(*parameter)))
        return true;
      diagnostics_.add(
          node.place(),
          fmt::format("'forward' names {}, which is no {}", in_quotes(content.get<std::string>()), kind),
          "name inputs of the problem");
      return false;
    }
    return std::ranges::all_of(content, [&](const nlohmann::json& part) {
      return check_names_in(kind == "dict" ? part[1] : part, node);
    });
  }

  bool read_weights() {
    const auto* const entries = keys_.children(
        "weights",
        MapForm{name_form, state_name, max_parameters, "a map: `weights: {kernel: conv2d.weight}`"},
        "The inputs that are parameters or buffers of the module, with their names in it.",
        R"([{"kernel": "conv2d.weight"}])");
    if (entries == nullptr) return false;
    bool sound = true;
    for (const YamlNode& entry : *entries) sound = read_weight(entry) && sound;
    return sound;
  }

  bool read_weight(const YamlNode& entry) {
    if (!check_input(entry.key, entry.key_location, "'weights'")) return false;
    const auto path = read_path(entry, "'weights' " + in_quotes(entry.key));
    if (path) module_.weights.emplace_back(entry.key, *path);
    return path.has_value();
  }

  // Reads the name of a parameter or buffer of the module. Each may be named only once.
  std::optional<std::string> read_path(const YamlNode& node, const std::string& what) {
    const auto path = state_name.read(node, what, diagnostics_);
    if (!path) return std::nullopt;
    const bool taken = std::any_of(module_.weights.begin(), module_.weights.end(),
                                   [&](const auto& weight) { return weight.second == *path; }) ||
                       std::find(module_.free.begin(), module_.free.end(), *path) != module_.free.end();
    if (!taken) return path;
    diagnostics_.add(node.place(), fmt::format("{} is named twice", in_quotes(*path)),
                     "remove one of the two");
    return std::nullopt;
  }

  void read_free() {
    const auto* const items = keys_.children(
        "free", ListForm{state_name, most_free, "a list, as in [conv2d.bias]"},
        "Parameters and buffers of Model that are no input. They keep what `__init__` gave them. With a "
        "reference in Python, those that forward() changes have it again before each call.",
        R"([["batch_norm.running_mean"]])");
    if (items == nullptr) return;
    for (const YamlNode& child : *items) {
      if (auto path = read_path(child, "an item of 'free'")) module_.free.push_back(*std::move(path));
    }
  }

  void read_views() {
    const auto* const items =
        keys_.children("views", ListForm{any_text, most_free, "a list of outputs, as in [output]"},
                       "Outputs that forward() returns in the memory of an input, as `x.view(-1)` is. A "
                       "candidate may return them so, too. kgrade import writes it.",
                       R"([["output"]])");
    if (items == nullptr) return;
    for (const YamlNode& child : *items) {
      const auto name = read_text(child, "an item of 'views'", diagnostics_);
      if (!name) continue;
      const Parameter* const parameter = problem_.find_parameter(*name);
      if (parameter != nullptr && parameter->is_output()) {
        module_.views.push_back(*name);
      } else {
        diagnostics_.add(child.place(), fmt::format("'views' names no output: {}", in_quotes(*name)),
                         "name outputs of the problem");
      }
    }
  }

  // Checks that `name` is an input and is named for the first time.
  bool check_input(const std::string& name, const Location& place, std::string_view where) {
    const Parameter* const parameter = problem_.find_parameter(name);
    if (parameter == nullptr) {
      diagnostics_.add(place, fmt::format("{} names no parameter: {}", where, in_quotes(name)),
                       suggestion_of_known(name, input_names()));
      return false;
    }
    if (!parameter->is_input() && !(is_number_of_call(*parameter) && where == "'forward'")) {
      diagnostics_.add(place,
                       fmt::format("{} names {}, which is {}", where, in_quotes(name),
                                   parameter->pointer ? "an output" : "a scalar"),
                       parameter->pointer ? "remove it: forward() returns the outputs"
                                          : "remove it, or make it an argument under `init`; inputs: " +
                                                listed(input_names()));
      return false;
    }
    const bool handed =
        std::find(module_.forward.begin(), module_.forward.end(), name) != module_.forward.end();
    if (!handed && module_.weight_of(name) == nullptr) return true;
    diagnostics_.add(place,
                     handed && where == "'weights'"
                         ? fmt::format("{} is in both 'forward' and 'weights'", in_quotes(name))
                         : fmt::format("{} names {} twice", where, in_quotes(name)),
                     "remove one of the two");
    return false;
  }

  // Whether the parameter is a scalar of the entry point.
  static bool is_number_of_call(const Parameter& parameter) {
    return !parameter.pointer && parameter.is_argument;
  }

  // Inputs of values(...) are not required: they hold extents, and a module's tensors know their own extents.
  void require_every_input() {
    for (const Parameter& parameter : problem_.parameters) {
      const bool is_listed = parameter.init && parameter.init->kind == Init::Kind::listed;
      if (!parameter.is_input() || is_listed || module_.weight_of(parameter.name) != nullptr) continue;
      // The arguments of a Python file may hold inputs in lists and dictionaries, and differ from case to
      // case.
      if (problem_.has_model() && std::ranges::any_of(module_.forward, is_given_value)) continue;
      const auto& handed = module_.forward;
      if (std::find(handed.begin(), handed.end(), parameter.name) != handed.end()) continue;
      // A problem may add inputs to those of its family, while the `torch` section is in the family's file.
      // Then the error is reported at the input.
      const bool here = parameter.location.file == keys_.map().key_location.file;
      diagnostics_.add(
          here ? keys_.map().key_location : parameter.location,
          fmt::format("'torch' has the input {} neither in 'forward' nor in 'weights'",
                      in_quotes(parameter.name)),
          fmt::format(
              "write `torch: {{weights: {{{}: NAME}}}}` with its name in the module, or add it to `forward`",
              parameter.name));
    }
  }

  void read_require() {
    const ListForm form = {Formula{}, most_conditions, "a list: `- stride_h == stride_w`, and so on"};
    const YamlNode* const node = keys_.find(
        "require", form,
        "What a case must satisfy so that the module can state it; others are left out for modules.",
        R"([["stride_h == stride_w"]])");
    if (node == nullptr) return;
    if (auto conditions = form.read(*node, "'require' of 'torch'", diagnostics_))
      module_.require = *std::move(conditions);
  }

  Keys& keys_;
  const Problem& problem_;
  Diagnostics& diagnostics_;
  TorchModule module_;
};

}  // namespace

std::optional<TorchModule> read_torch(Keys& frontmatter, const Problem& problem) {
  const YamlNode* const node =
      frontmatter.find("torch", MappingForm{"", [](Keys& keys) { TorchReader(keys, {}).read(); }},
                       "How a module of PyTorch (a class ModelNew) states the problem, as KernelBench's "
                       "Model does. In a problem with a family `weights` completes the family's, `require` "
                       "is added to the family's, and every other key counts instead of the family's.");
  if (node == nullptr || !expect_map(*node, "'torch'", "a map: `init:`, `forward:`, `weights:` and so on",
                                     100, frontmatter.diagnostics()))
    return std::nullopt;
  Keys keys(*node, "'torch'", frontmatter.diagnostics());
  return TorchReader(keys, problem).read();
}

}  // namespace kgrade
