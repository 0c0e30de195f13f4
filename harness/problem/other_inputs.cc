#include "problem/other_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "problem/fields.h"
#include "problem/scalar_type.h"

namespace kgrade {
namespace {

// A slug has at most 128 characters, and the slug of a file at most 100.
constexpr std::size_t longest_suffix = 27;

constexpr const char* input_forms =
    "write uniform(lo, hi), normal(mean, sd), integers(lo, hi), constant(value), choice(a, b), bernoulli(p), "
    "adjacency(p, missing), or symmetric(...) or triangular(..., upper) of one of these";

Error about(const std::string& option, const std::string& message, std::string remedy) {
  return {fmt::format("--inputs {}: {}", in_quotes(option), message), std::move(remedy), {}};
}

// Contents that only the problem's own text can give.
bool follows_from_others(const Init& init) {
  return init.kind == Init::Kind::computed || init.kind == Init::Kind::listed;
}

// Contents that an option for all inputs replaces.
bool is_plain(const Init& init) {
  return (init.kind == Init::Kind::uniform || init.kind == Init::Kind::normal) &&
         init.structure == Init::Structure::none;
}

bool has_matrices(const Init& init) {
  return init.kind == Init::Kind::adjacency || init.structure != Init::Structure::none;
}

// Turns labels(10) into integers(0, 9). False if an end names parameters or is not exact in a float.
bool evaluate_expressions(Init& init) {
  if (init.kind != Init::Kind::integers || init.expressions.empty()) return true;
  const bool are_labels = init.expressions.size() == 1;
  const auto low = are_labels ? Result<std::int64_t>(0) : init.expressions.front().evaluate({});
  const auto end = init.expressions.back().evaluate({});
  const std::int64_t high = end ? *end - (are_labels ? 1 : 0) : 0;
  if (!low || !end || high < *low || !is_exact_in_float(*low) || !is_exact_in_float(high)) return false;
  init.first = static_cast<double>(*low);
  init.second = static_cast<double>(high);
  init.expressions.clear();
  return true;
}

// The number in uniform_fan_in(64).
std::int64_t fan_in(const Init& init) {
  const auto value = init.expressions.front().evaluate({});
  return value ? *value : 0;  // resolve_case() reports it
}

std::string distribution_text(const Init& init) {
  switch (init.kind) {
    case Init::Kind::uniform:
      return fmt::format("uniform({}, {})", init.first, init.second);
    case Init::Kind::normal:
      return fmt::format("normal({}, {})", init.first, init.second);
    case Init::Kind::integers:
      return fmt::format("integers({}, {})", init.first, init.second);
    case Init::Kind::constant:
      return fmt::format("constant({})", init.first);
    case Init::Kind::choice:
      return fmt::format("choice({})", fmt::join(init.choices, ", "));
    case Init::Kind::bernoulli:
      return fmt::format("bernoulli({})", init.first);
    case Init::Kind::adjacency:
      return fmt::format("adjacency({}, {})", init.first, init.second);
    case Init::Kind::uniform_fan_in:
      return fmt::format("uniform_fan_in({})", fan_in(init));
    case Init::Kind::listed:
    case Init::Kind::wide_integers:
    case Init::Kind::computed:
      break;
  }
  return init.text;
}

// The text in a normal form such as "normal(0, 2)", so that equal contents give the same problem.
std::string text_of(const Init& init) {
  const std::string inner = distribution_text(init);
  switch (init.structure) {
    case Init::Structure::none:
      break;
    case Init::Structure::symmetric:
      return fmt::format("symmetric({})", inner);
    case Init::Structure::upper:
      return fmt::format("triangular({}, upper)", inner);
    case Init::Structure::lower:
      return fmt::format("triangular({}, lower)", inner);
  }
  return inner;
}

// Whether the last two extents are numbers, as in KernelBench's files, and differ. If they are expressions,
// they are checked in each case.
bool has_no_square_matrices(const Parameter& parameter) {
  const std::size_t rank = parameter.shape.size();
  if (rank < 2) return true;
  const auto rows = parameter.shape[rank - 2].evaluate({});
  const auto columns = parameter.shape[rank - 1].evaluate({});
  return rows && columns && *rows != *columns;
}

// "normal-0-2", "uniform-m1-0p5". Different contents have different names.
std::string slug_of(const std::string& text) {
  return slug_from(replace_all(replace_all(text, "-", "m"), ".", "p"));
}

class InputChange {
 public:
  explicit InputChange(Problem problem) : problem_(std::move(problem)) {}

  Result<Problem> apply(const std::vector<std::string>& options) {
    for (const std::string& option : options) {
      if (auto error = read(option)) return *error;
    }
    for (Parameter& parameter : problem_.parameters) {
      if (auto error = change(parameter)) return *error;
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
  // The text before = is the name of an input.
  std::optional<Error> read(const std::string& option) {
    const std::size_t equals = option.find('=');
    const bool names_one = equals != std::string::npos;
    const std::string name(names_one ? trimmed(std::string_view(option).substr(0, equals)) : "");
    auto init = parse_init(names_one ? option.substr(equals + 1) : option);
    if (!init) return about(option, init.error().message, init.error().remedy);
    if (follows_from_others(*init))
      return about(option, "is what the problem's reference computes from other inputs", input_forms);
    if (!evaluate_expressions(*init))
      return about(option, "has no integer of at most 2^24 to draw", input_forms);
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
    return about(option, fmt::format("{} holds integers, or what follows from other inputs", in_quotes(name)),
                 problem_.has_model() ? "change get_inputs() in a copy of the file"
                                      : "change `init` in a copy of the file");
  }

  bool is_input(const Parameter& parameter) const {
    const bool is_weight = problem_.torch && problem_.torch->weight_of(parameter.name) != nullptr;
    return parameter.is_input() && !(problem_.has_model() && is_weight);
  }

  static bool is_changeable(const Parameter& parameter) {
    return parameter.type == element_type_name && parameter.init && !follows_from_others(*parameter.init);
  }

  std::string names_of_inputs() const {
    std::vector<std::string> names;
    for (const Parameter& parameter : problem_.parameters) {
      if (is_input(parameter)) names.push_back(parameter.name);
    }
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
  }

  std::optional<Error> change(Parameter& parameter) {
    if (!is_input(parameter) || !is_changeable(parameter)) return std::nullopt;
    const auto own = by_name_.find(parameter.name);
    if (own == by_name_.end() && (!for_all_ || !is_plain(*parameter.init))) return std::nullopt;
    const Init& init = own != by_name_.end() ? own->second : *for_all_;
    if (has_matrices(init) && has_no_square_matrices(parameter))
      return about(init.text, fmt::format("{} holds no square matrices", in_quotes(parameter.name)),
                   fmt::format("name an input that does, as in A={}", init.text));
    parameter.init = init;
    for (CaseSpec& spec : problem_.cases) spec.inits.erase(parameter.name);
    if (!init.has_single_elements()) leave_out_scales(parameter.name);
    if (own != by_name_.end()) {
      texts_.push_back(fmt::format("{}={}", parameter.name, init.text));
    } else {
      is_general_ = true;
    }
    return std::nullopt;
  }

  // Hidden cases scale neither elements that depend on each other nor inputs that are scaled along with them.
  void leave_out_scales(const std::string& name) {
    std::erase_if(problem_.scales, [&name](const ScaleRange& scale) {
      return scale.input == name ||
             std::find(scale.factors.begin(), scale.factors.end(), name) != scale.factors.end();
    });
    for (CaseSpec& spec : problem_.cases) spec.scalings.erase(name);
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
    std::string suffix = slug_of(all);
    if (suffix.size() > longest_suffix) suffix = "inputs-" + sha256_hex(all).substr(0, 8);
    problem_.slug_of_file = std::exchange(problem_.slug, problem_.slug + "-" + suffix);
    problem_.content_sha256 = sha256_hex(fmt::format("{}\n{}\n", problem_.content_sha256, all));
    problem_.inputs = std::move(texts_);
  }

  Problem problem_;
  std::optional<Init> for_all_;
  std::map<std::string, Init, std::less<>> by_name_;
  bool is_general_ = false;         // for_all_ has changed an input
  std::vector<std::string> texts_;  // one per change
};

}  // namespace

Result<Problem> with_inputs(Problem problem, const std::vector<std::string>& options) {
  if (options.empty()) return problem;
  return InputChange(std::move(problem)).apply(options);
}

}  // namespace kgrade
