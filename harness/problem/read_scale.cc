// Reads the factors that hidden cases apply to inputs. ScaleRange in problem.h lists the forms.
//
// No product of the scaled inputs leaves float32: an output has at most one factor of each, so the sum of the
// largest exponents of all inputs is at most 60, and the sum of the smallest exponents is at least -60. Drawn
// elements have a magnitude of 2^-25 to 2^7 or so, sums have at most 2^40 terms, and blocks of a mixed input
// differ by 2^4, so no number exceeds 2^116. Products are normal numbers down to 2^-126. Smaller ones do not
// matter in a sum whose usual terms are 2^-60. bfloat16 has the same exponents. float16 has too few, so its
// inputs are not scaled (problem/hidden_cases.cc).
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "problem/call_text.h"
#include "problem/fields.h"
#include "problem/problem_reader.h"
#include "problem/scalar_type.h"

namespace kgrade {
namespace {

constexpr int most_exponents = 60;  // of all inputs together

constexpr std::string_view scale_forms =
    "write scale(2^-24..2^24), or scale(a * b) of an input that goes with the product of the inputs a and b";

// "2^-24"
std::optional<int> exponent_in(std::string_view text) {
  const std::string_view power = trimmed(text);
  if (!power.starts_with("2^")) return std::nullopt;
  const auto exponent = parse_integer(power.substr(2));
  if (!exponent || *exponent < -most_exponents || *exponent > most_exponents) return std::nullopt;
  return static_cast<int>(*exponent);
}

// Says why an input cannot be scaled. Its scaled elements must still be rounded real numbers, only of another
// size. Empty if they are.
std::string why_not_scalable(const Parameter& input) {
  if (!input.is_input() || !input.init || input.init->kind >= Init::Kind::adjacency)
    return "scales what is no input that is drawn";
  const auto own = input.own_dtype();
  if (!own) return "";
  if (is_integer(*own)) return fmt::format("scales integers ({})", input.type);
  if (has_exponents_of_float(*own) && !is_float8(*own)) return "";
  return fmt::format("scales elements of {}, which has too few exponents", input.type);
}

std::vector<std::string> factors_in(std::string_view text) {
  std::vector<std::string> factors;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('*', begin), text.size());
    factors.emplace_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return factors;
}

const ScaleRange* find_scale(const std::vector<ScaleRange>& scales, std::string_view input) {
  const auto found =
      std::find_if(scales.begin(), scales.end(), [&](const ScaleRange& s) { return s.input == input; });
  return found == scales.end() ? nullptr : &*found;
}

}  // namespace

std::string to_string(const Scaling& scaling) {
  if (scaling.spread == 0) return fmt::format("2^{}", scaling.exponent);
  return fmt::format("2^{} to 2^{}, by blocks", scaling.exponent - scaling.spread,
                     scaling.exponent + scaling.spread);
}

std::optional<ScaleRange> read_scale(const YamlNode& entry, const Parameter& input,
                                     Diagnostics& diagnostics) {
  const auto fail = [&](std::string message, std::string remedy) {
    diagnostics.add(entry.place(), fmt::format("'fuzz' of '{}' {}", entry.key, message), std::move(remedy));
    return std::nullopt;
  };
  const auto call = entry.is_scalar() ? split_call(trimmed(entry.value)) : std::nullopt;
  if (!call || call->name != "scale")
    return fail("is no scale, and it is a tensor", std::string(scale_forms));
  if (std::string why = why_not_scalable(input); !why.empty()) return fail(std::move(why), "remove it");
  ScaleRange scale;
  scale.input = entry.key;
  scale.text = trimmed(entry.value);
  scale.location = entry.key_location;
  const std::size_t dots = call->inside.find("..");
  if (dots == call->inside.npos) {
    scale.factors = factors_in(call->inside);
    return scale;
  }
  const auto lowest = exponent_in(call->inside.substr(0, dots));
  const auto highest = exponent_in(call->inside.substr(dots + 2));
  if (!lowest || !highest)
    return fail(
        fmt::format("has a scale that does not go from one power of two to another, of 2^-{0} to 2^{0}",
                    most_exponents),
        std::string(scale_forms));
  if (*lowest > *highest)
    return fail("has an empty scale", fmt::format("write scale(2^{}..2^{})", *highest, *lowest));
  scale.lowest = *lowest;
  scale.highest = *highest;
  return scale;
}

void check_scales(const YamlNode& node, const Problem& problem, Diagnostics& diagnostics) {
  int lowest = 0;
  int highest = 0;
  for (const ScaleRange& scale : problem.scales) {
    lowest += std::min(scale.lowest, 0);
    highest += std::max(scale.highest, 0);
    for (const std::string& factor : scale.factors) {
      const ScaleRange* const found = find_scale(problem.scales, factor);
      if (found != nullptr && found->factors.empty()) continue;
      diagnostics.add(scale.location,
                      fmt::format("'fuzz' of '{}' scales with {}, which has no range of its own", scale.input,
                                  in_quotes(factor)),
                      std::string(scale_forms));
    }
  }
  if (lowest < -most_exponents || highest > most_exponents)
    diagnostics.add(
        node.key_location,
        fmt::format("the scales of 'fuzz' together reach 2^{}, and a product may leave float32",
                    highest > most_exponents ? highest : lowest),
        fmt::format("choose ranges whose ends together are within 2^-{0} and 2^{0}", most_exponents));
  if (problem.fuzz.empty() && !problem.scales.empty())
    diagnostics.add(node.key_location, "'fuzz' scales inputs, and gives no scalar parameter a range",
                    "write `rows: 1..31` or the like: hidden cases have shapes of their own");
}

}  // namespace kgrade
