#include "problem/other_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "problem/diagnostics.h"
#include "problem/scalar_type.h"

namespace kgrade {
namespace {

// A slug has 128 characters at most, and that of a file 100.
constexpr std::size_t longest_suffix = 27;

constexpr const char* forms = "write uniform(lo, hi), normal(mean, sd), integers(lo, hi) or constant(value)";

Error about(const std::string& option, const std::string& message, std::string remedy) {
  return {fmt::format("--inputs {}: {}", in_quotes(option), message), std::move(remedy), {}};
}

bool is_drawn(const Init& init) {
  switch (init.kind) {
    case Init::Kind::uniform:
    case Init::Kind::normal:
    case Init::Kind::integers:
    case Init::Kind::constant:
      return init.expressions.empty() && init.structure == Init::Structure::none;
    default:
      return false;
  }
}

// "normal(0, 2)", however it was written: equal contents are the same contest.
std::string text_of(const Init& init) {
  switch (init.kind) {
    case Init::Kind::uniform:
      return fmt::format("uniform({}, {})", init.first, init.second);
    case Init::Kind::normal:
      return fmt::format("normal({}, {})", init.first, init.second);
    case Init::Kind::integers:
      return fmt::format("integers({}, {})", init.first, init.second);
    default:
      return fmt::format("constant({})", init.first);
  }
}

// "normal-0-2", "uniform-m1-0p5": no two contents have one name.
std::string slug_from(const std::string& text) {
  std::string slug;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c)) {
      slug += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    } else if (c == '-') {
      slug += 'm';
    } else if (c == '.') {
      slug += 'p';
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug;
}

class InputChange {
 public:
  explicit InputChange(Problem problem) : problem_(std::move(problem)) {}

  Result<Problem> apply(const std::vector<std::string>& options) {
    for (const std::string& option : options) {
      if (auto error = read(option)) return *error;
    }
    for (Parameter& parameter : problem_.parameters) {
      if (!change(parameter)) continue;
      for (CaseSpec& spec : problem_.cases) spec.inits.erase(parameter.name);
    }
    if (is_general_) texts_.insert(texts_.begin(), for_all_->text);
    if (texts_.empty())
      return about(options.front(), "no input is drawn from uniform() or normal()",
                   fmt::format("name one, as in NAME=normal(0, 2); the inputs are: {}", names_of_inputs()));
    leave_out_dtypes();
    rename();
    return std::move(problem_);
  }

 private:
  // What is before = is the name of an input.
  std::optional<Error> read(const std::string& option) {
    const std::size_t equals = option.find('=');
    const bool names_one = equals != std::string::npos;
    const std::string name(names_one ? trimmed(std::string_view(option).substr(0, equals)) : "");
    auto init = parse_init(names_one ? option.substr(equals + 1) : option);
    if (!init) return about(option, init.error().message, init.error().remedy);
    if (!is_drawn(*init)) return about(option, "is nothing that all shapes have", forms);
    init->text = text_of(*init);
    if (!names_one) {
      if (for_all_)
        return about(option, "there is one for all inputs already", "name the input, as in x=normal(0, 2)");
      for_all_ = std::move(*init);
      return std::nullopt;
    }
    if (auto error = check_input(option, name)) return error;
    if (by_name_.emplace(name, std::move(*init)).second) return std::nullopt;
    return about(option, fmt::format("there is one for {} already", in_quotes(name)), "keep one of the two");
  }

  std::optional<Error> check_input(const std::string& option, const std::string& name) const {
    const Parameter* const input = problem_.find_parameter(name);
    if (input == nullptr || !is_input(*input))
      return about(option, fmt::format("there is no input {}", in_quotes(name)),
                   fmt::format("the inputs are: {}", names_of_inputs()));
    if (is_changeable(*input)) return std::nullopt;
    return about(option, fmt::format("{} is not drawn from a floating-point distribution", in_quotes(name)),
                 problem_.has_model() ? "change get_inputs() in a copy of the file"
                                      : "change `init` in a copy of the file");
  }

  bool is_input(const Parameter& parameter) const {
    const bool is_weight = problem_.torch && problem_.torch->weight_of(parameter.name) != nullptr;
    return parameter.is_input() && !(problem_.has_model() && is_weight);
  }

  static bool is_changeable(const Parameter& parameter) {
    return parameter.type == element_type_name && parameter.init &&
           (is_drawn(*parameter.init) || parameter.init->kind == Init::Kind::uniform_fan_in);
  }

  std::string names_of_inputs() const {
    std::vector<std::string> names;
    for (const Parameter& parameter : problem_.parameters) {
      if (is_input(parameter)) names.push_back(parameter.name);
    }
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
  }

  // In all cases alike.
  bool change(Parameter& parameter) {
    if (!is_input(parameter) || !is_changeable(parameter)) return false;
    if (const auto own = by_name_.find(parameter.name); own != by_name_.end()) {
      parameter.init = own->second;
      texts_.push_back(fmt::format("{}={}", parameter.name, own->second.text));
      return true;
    }
    const Init::Kind kind = parameter.init->kind;
    if (!for_all_ || (kind != Init::Kind::uniform && kind != Init::Kind::normal)) return false;
    parameter.init = for_all_;
    is_general_ = true;
    return true;
  }

  void leave_out_dtypes() {
    std::erase_if(problem_.dtypes, [this](const std::string& name) {
      return std::any_of(problem_.parameters.begin(), problem_.parameters.end(),
                         [&](const Parameter& parameter) {
                           return parameter.init && !can_hold(*dtype_from(name), *parameter.init);
                         });
    });
  }

  void rename() {
    const std::string all = fmt::format("{}", fmt::join(texts_, "\n"));
    std::string suffix = slug_from(all);
    if (suffix.size() > longest_suffix) suffix = "inputs-" + sha256_hex(all).substr(0, 8);
    problem_.slug_of_file = std::exchange(problem_.slug, problem_.slug + "-" + suffix);
    problem_.content_sha256 = sha256_hex(fmt::format("{}\n{}\n", problem_.content_sha256, all));
    problem_.inputs = std::move(texts_);
  }

  Problem problem_;
  std::optional<Init> for_all_;
  std::map<std::string, Init, std::less<>> by_name_;
  bool is_general_ = false;         // for_all_ has changed one
  std::vector<std::string> texts_;  // of what has changed
};

}  // namespace

Result<Problem> with_inputs(Problem problem, const std::vector<std::string>& options) {
  if (options.empty()) return problem;
  return InputChange(std::move(problem)).apply(options);
}

}  // namespace kgrade
