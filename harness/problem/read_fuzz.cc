// Reads the ranges of `fuzz`, from which hidden cases are drawn. FuzzRange in problem.h lists the forms.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/text.h"
#include "problem/call_text.h"
#include "problem/keys.h"
#include "problem/problem_reader.h"

namespace kgrade {
namespace {

constexpr std::size_t most_values = 4096;

constexpr std::string_view integer_forms =
    "write `1..3`, both ends included, one integer, [1, 2, 8], `8..64 step 8` or `powers_of_2(8..64)`";
constexpr std::string_view bool_forms = "write true, false or [false, true]";
constexpr std::string_view real_forms =
    "write `0.1..2.5`, both ends included, one number, or a list of numbers";

struct Ends {
  std::string_view first;
  std::string_view last;
};

// "1..3" or "5"
Ends ends_of(std::string_view text) {
  const std::size_t dots = text.find("..");
  const std::string_view first = trimmed(text.substr(0, dots));
  return {first, dots == std::string_view::npos ? first : trimmed(text.substr(dots + 2))};
}

class FuzzReader {
 public:
  FuzzReader(const YamlNode& entry, const ScalarType& type, Diagnostics& diagnostics)
      : entry_(entry), type_(type), diagnostics_(diagnostics) {
    range_.parameter = entry.key;
    range_.location = entry.key_location;
  }

  std::optional<FuzzRange> read() {
    const bool sound = type_.is_integer() ? read_integers() : read_reals();
    return sound ? std::optional(std::move(range_)) : std::nullopt;
  }

 private:
  bool read_integers() {
    if (entry_.is_sequence()) return read_list();
    if (!entry_.is_scalar()) return no_range();
    if (const auto flag = is_bool() ? flag_in(entry_) : std::nullopt) {
      range_.low = range_.high = *flag;
      range_.text = entry_.value;
      return true;
    }
    const std::string_view text = trimmed(entry_.value);
    const auto call = split_call(text);
    const std::size_t step = text.find(" step ");
    if (call && call->name == "powers_of_2") return read_ends(call->inside) && keep_powers();
    if (step != text.npos) return read_ends(text.substr(0, step)) && keep_steps(text.substr(step + 6));
    range_.text = text;
    return read_ends(text);
  }

  bool read_ends(std::string_view text) {
    const Ends ends = ends_of(text);
    const auto low = parse_integer(ends.first);
    const auto high = parse_integer(ends.last);
    if (!low || !high) {
      if (!looks_like_integer(ends.first) || !looks_like_integer(ends.last)) return no_range();
      return fail(fmt::format("'fuzz' of '{}': {} does not fit into 64 bits", entry_.key,
                              in_quotes(low ? ends.last : ends.first)),
                  "write a smaller integer");
    }
    range_.low = *low;
    range_.high = *high;
    if (*low > *high)
      return fail(fmt::format("the range {}..{} is empty", *low, *high),
                  fmt::format("write {}..{}", *high, *low));
    return check_scalar_range(entry_, *low, type_, diagnostics_) &&
           check_scalar_range(entry_, *high, type_, diagnostics_);
  }

  // Keeps only the values whose distance from the first is a multiple of the step.
  bool keep_steps(std::string_view text) {
    const auto step = parse_integer(trimmed(text));
    if (!step || *step < 1)
      return fail(fmt::format("'fuzz' of '{}': the step {} is no positive integer", entry_.key,
                              in_quotes(trimmed(text))),
                  "write it as in 8..64 step 8");
    for (std::int64_t value = range_.low;;) {
      range_.values.push_back(value);
      const std::uint64_t left = static_cast<std::uint64_t>(range_.high) - static_cast<std::uint64_t>(value);
      if (range_.values.size() > most_values || left < static_cast<std::uint64_t>(*step)) break;
      value += *step;
    }
    return keep();
  }

  bool keep_powers() {
    for (std::int64_t power = 1;; power *= 2) {
      if (power >= range_.low && power <= range_.high) range_.values.push_back(power);
      if (power > std::numeric_limits<std::int64_t>::max() / 2) break;
    }
    if (range_.values.empty())
      return fail(
          fmt::format("'fuzz' of '{}': no power of two lies in {}..{}", entry_.key, range_.low, range_.high),
          "write it as in powers_of_2(8..64)");
    return keep();
  }

  bool is_bool() const { return type_.name == "bool"; }

  // Reads a flag in the spellings that a case may use.
  static std::optional<std::int64_t> flag_in(const YamlNode& node) {
    Diagnostics unwanted;
    const auto flag = read_bool(node, "", unwanted);
    return flag ? std::optional<std::int64_t>(*flag) : std::nullopt;
  }

  bool read_list() {
    std::vector<std::string> texts;
    for (const YamlNode& child : entry_.children) {
      auto value = child.is_scalar() ? parse_integer(child.value) : std::nullopt;
      if (!value && is_bool()) value = flag_in(child);
      if (!value)
        return fail(fmt::format("'fuzz' of '{}' lists {}, which is no {}", entry_.key, in_quotes(child.value),
                                is_bool() ? "bool" : "integer"),
                    std::string(is_bool() ? bool_forms : integer_forms));
      if (!check_scalar_range(entry_, *value, type_, diagnostics_)) return false;
      range_.values.push_back(*value);
      texts.push_back(child.value);
    }
    range_.text = fmt::format("[{}]", fmt::join(texts, ", "));
    return keep();
  }

  // Sorts the values and removes duplicates.
  bool keep() {
    std::vector<std::int64_t>& values = range_.values;
    if (range_.text.empty()) range_.text = trimmed(entry_.value);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.empty()) return no_range();
    if (values.size() > most_values)
      return fail(fmt::format("'fuzz' of '{}' has more than {} values", entry_.key, most_values),
                  "write a wider step, or a range");
    range_.low = values.front();
    range_.high = values.back();
    return true;
  }

  bool read_reals() {
    std::vector<double> reals;
    std::vector<std::string_view> texts;
    if (entry_.is_sequence()) {
      for (const YamlNode& child : entry_.children)
        texts.push_back(child.is_scalar() ? trimmed(child.value) : "");
    } else if (entry_.is_scalar()) {
      const Ends ends = ends_of(entry_.value);
      texts = {ends.first, ends.last};
    }
    for (const std::string_view text : texts) {
      const auto number = parse_real(text);
      if (!number) return no_range();
      if (std::abs(*number) > double{std::numeric_limits<float>::max()})
        return fail(fmt::format("'fuzz' of '{}': {} does not fit into a float", entry_.key, in_quotes(text)),
                    "write a smaller number");
      reals.push_back(*number);
    }
    if (reals.empty() || reals.size() > most_values) return no_range();
    range_.is_list_of_reals = entry_.is_sequence();
    if (!range_.is_list_of_reals && reals[0] > reals[1])
      return fail(fmt::format("the range {}..{} is empty", reals[0], reals[1]),
                  fmt::format("write {}..{}", reals[1], reals[0]));
    range_.text = entry_.is_sequence() ? fmt::format("[{}]", fmt::join(texts, ", "))
                                       : std::string(trimmed(entry_.value));
    range_.reals = std::move(reals);
    return true;
  }

  bool no_range() {
    const bool is_integer = type_.is_integer();
    if (is_bool()) return fail(fmt::format("'fuzz' of '{}' is no bool", entry_.key), std::string(bool_forms));
    return fail(
        fmt::format("'fuzz' of '{}' is no range of {}", entry_.key, is_integer ? "integers" : "numbers"),
        std::string(is_integer ? integer_forms : real_forms));
  }

  bool fail(std::string message, std::string remedy) {
    diagnostics_.add(entry_.place(), std::move(message), std::move(remedy));
    return false;
  }

  const YamlNode& entry_;
  const ScalarType& type_;
  Diagnostics& diagnostics_;
  FuzzRange range_;
};

}  // namespace

void read_fuzz(Keys& keys, Problem& problem) {
  Diagnostics& diagnostics = keys.diagnostics();
  const ScalarForm one = {
      most_values,
      fmt::format(R"({0}\s*(\.\.\s*{0}\s*( step [0-9]+)?)?|powers_of_2\s*\([0-9. ]+\)|)"
                  R"(scale\s*\([-+0-9A-Za-z_^.* ]+\)|{1}|{2})",
                  number_pattern, fmt::join(words_for_true, "|"), fmt::join(words_for_false, "|"))};
  const MapForm form = {name_form, one, 100, "a map: `batch_size: 1..3`, and so on"};
  const YamlNode* const node =
      keys.find("fuzz", form,
                "The ranges that hidden shapes are drawn from at grading time, both ends included: 1..8, one "
                "number, a list, 8..64 step 8 or powers_of_2(8..64); of a real parameter 0.1..2.5, a number "
                "or a list; of an input scale(2^-24..2^24), or scale(a * b) after the inputs a and b.",
                R"([{"batch_size": "1..3", "groups": 1}])");
  if (node == nullptr || !form.expect(*node, "'fuzz'", diagnostics)) return;
  for (const YamlNode& entry : node->children) {
    const Parameter* const parameter = problem.find_parameter(entry.key);
    if (parameter == nullptr || parameter->is_output()) {
      diagnostics.add(entry.key_location,
                      fmt::format("'fuzz' names no scalar parameter: {}", in_quotes(entry.key)),
                      suggestion_of_known(entry.key, scalar_names(problem)));
    } else if (parameter->pointer) {
      if (auto scale = read_scale(entry, *parameter, diagnostics))
        problem.scales.push_back(*std::move(scale));
    } else {
      const ScalarType& type = *find_scalar_type(parameter->type);
      if (auto range = FuzzReader(entry, type, diagnostics).read()) problem.fuzz.push_back(*std::move(range));
    }
  }
  check_scales(*node, problem, diagnostics);
}

}  // namespace kgrade
