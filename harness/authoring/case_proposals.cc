#include "authoring/case_proposals.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "problem/case.h"
#include "problem/hidden_cases.h"
#include "problem/scalar_type.h"

namespace kgrade::authoring {
namespace {

// "in_channels" and "inChannels" both become in, channels, in lower case.
std::vector<std::string> words_of_name(std::string_view name) {
  std::vector<std::string> words(1);
  bool was_small = false;
  for (const char c : name) {
    const bool capital = is_letter(c) && !is_small_letter(c);
    if ((c == '_' || (capital && was_small)) && !words.back().empty()) words.emplace_back();
    if (c != '_') words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    was_small = is_small_letter(c) || is_digit(c);
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool has(const std::vector<std::string>& words, std::initializer_list<std::string_view> wanted) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(wanted.begin(), wanted.end(), word) != wanted.end();
  });
}

ParameterRole role_of(const std::vector<std::string>& words) {
  const bool out = has(words, {"out", "output"});
  const bool in = has(words, {"in", "input"});
  if (has(words, {"padding", "pad", "pads", "ph", "pw", "pd"}))
    return out ? ParameterRole::output_padding : ParameterRole::padding;
  if (has(words, {"stride", "strides", "sh", "sw", "sd"})) return ParameterRole::stride;
  if (has(words, {"dilation", "dilations"})) return ParameterRole::dilation;
  if (has(words, {"groups", "group"}))
    return has(words, {"num", "n", "norm", "gn"}) ? ParameterRole::norm_groups : ParameterRole::groups;
  if (has(words, {"kernel", "filter", "window", "kh", "kw", "kd"}) ||
      (has(words, {"pool"}) && has(words, {"size"})))
    return ParameterRole::kernel;
  if (has(words, {"channels", "channel", "features", "filters"}))
    return out || has(words, {"filters"}) ? ParameterRole::out_channels
           : in                           ? ParameterRole::in_channels
                                          : ParameterRole::channels;
  if (has(words, {"batch", "batches"})) return ParameterRole::batch;
  return ParameterRole::extent;
}

constexpr std::int64_t largest_bench = std::int64_t{1} << 30;
// The fewest elements that the largest tensor of a bench case has. Fewer elements would fit into a GPU's
// cache.
constexpr std::int64_t bench_elements = std::int64_t{1} << 23;

// The values for the first parameter of a role, the second, and so on. The last value repeats.
using Row = std::vector<std::int64_t>;

// The theme of one case. Axes differ as much as possible, so that a kernel that confuses two axes gives a
// wrong answer.
struct Theme {
  std::string_view name;
  CaseRole role = CaseRole::test;
  std::int64_t batch = 2;
  std::int64_t in_channels = 3;
  std::int64_t out_channels = 4;
  Row extents = {7, 11, 13, 5};
  Row kernels = {3, 4, 2};
  Row strides = {1};
  Row paddings = {0};
  Row output_paddings = {0};
  Row dilations = {1};
  std::int64_t groups = 1;
  std::int64_t norm_groups = 2;
  std::int64_t chosen = 2;                                // of an extent: see chosen_from()
  std::optional<ParameterRole> only_with = std::nullopt;  // only if there is a parameter of this role
};

std::vector<Theme> convolution_themes() {
  std::vector<Theme> themes;
  themes.push_back({.name = "tiny",
                    .role = CaseRole::sample,
                    .batch = 1,
                    .in_channels = 2,
                    .out_channels = 4,
                    .extents = {5, 4, 6},
                    .kernels = {3, 2, 1}});
  themes.push_back({.name = "plain"});
  themes.push_back(
      {.name = "strided", .extents = {9, 11, 13}, .strides = {2, 3, 4}, .only_with = ParameterRole::stride});
  themes.push_back({.name = "padded", .paddings = {1, 2, 0}, .only_with = ParameterRole::padding});
  themes.push_back({.name = "dilated",
                    .extents = {11, 13, 12},
                    .kernels = {3, 2, 4},
                    .dilations = {2, 3, 1},
                    .only_with = ParameterRole::dilation});
  themes.push_back({.name = "output-padded",
                    .strides = {2, 3, 4},
                    .output_paddings = {1, 2, 3},
                    .only_with = ParameterRole::output_padding});
  themes.push_back({.name = "grouped",
                    .in_channels = 4,
                    .out_channels = 6,
                    .groups = 2,
                    .only_with = ParameterRole::groups});
  themes.push_back({.name = "kernel-1", .kernels = {1}, .only_with = ParameterRole::kernel});
  themes.push_back({.name = "batch-1-primes",
                    .batch = 1,
                    .in_channels = 7,
                    .out_channels = 14,
                    .extents = {13, 17, 19},
                    .kernels = {5, 3, 2},
                    .norm_groups = 7});
  themes.push_back({.name = "large",
                    .role = CaseRole::bench,
                    .batch = 16,
                    .in_channels = 32,
                    .out_channels = 64,
                    .extents = {128, 96, 80},
                    .kernels = {3, 5, 4},
                    .paddings = {1, 2, 0},
                    .norm_groups = 8});
  return themes;
}

std::vector<Theme> plain_themes() {
  std::vector<Theme> themes;
  themes.push_back({.name = "tiny", .role = CaseRole::sample, .in_channels = 4, .extents = {3, 5, 7, 6}});
  themes.push_back({.name = "primes", .batch = 3, .in_channels = 4, .extents = {13, 37, 11, 7}, .chosen = 5});
  themes.push_back({.name = "powers", .batch = 4, .in_channels = 2, .extents = {16, 64, 32, 8}, .chosen = 8});
  themes.push_back({.name = "long-rows", .in_channels = 6, .extents = {3, 521, 5, 4}, .chosen = 7});
  themes.push_back({.name = "short-rows", .in_channels = 8, .extents = {257, 5, 9, 3}, .chosen = 3});
  themes.push_back({.name = "large",
                    .role = CaseRole::bench,
                    .batch = 64,
                    .in_channels = 128,
                    .extents = {4096, 3072, 2048, 1024},
                    .chosen = 8});
  return themes;
}

bool has_role(const Problem& problem, ParameterRole role) {
  return std::any_of(problem.parameters.begin(), problem.parameters.end(), [&](const Parameter& parameter) {
    return parameter.is_integer() && meaning_of(parameter.name).role == role;
  });
}

std::int64_t nth(const Row& values, std::size_t i) { return values[std::min(i, values.size() - 1)]; }

// `number` counts the earlier parameters of the role.
std::int64_t value_in(const Theme& theme, const ParameterMeaning& meaning, std::size_t number) {
  const Row pools = {2, 3, 4};
  switch (meaning.role) {
    case ParameterRole::batch:
      return theme.batch;
    case ParameterRole::in_channels:
    case ParameterRole::channels:
      return theme.in_channels;
    case ParameterRole::out_channels:
      return theme.out_channels;
    case ParameterRole::extent:
      return nth(theme.extents, number);
    case ParameterRole::kernel:
      return nth(meaning.of_pool ? pools : theme.kernels, number);
    case ParameterRole::stride:
      return nth(meaning.of_pool ? pools : theme.strides, number);
    case ParameterRole::padding:
      return nth(theme.paddings, number);
    case ParameterRole::output_padding:
      return nth(theme.output_paddings, number);
    case ParameterRole::dilation:
      return nth(theme.dilations, number);
    case ParameterRole::groups:
      return theme.groups;
    case ParameterRole::norm_groups:
      return theme.norm_groups;
  }
  return 1;
}

bool is_in_shape(const Problem& problem, std::string_view name, bool of_output) {
  return std::any_of(problem.parameters.begin(), problem.parameters.end(), [&](const Parameter& tensor) {
    return tensor.pointer && tensor.is_output() == of_output &&
           std::any_of(tensor.shape.begin(), tensor.shape.end(),
                       [&](const Expression& extent) { return extent.text() == name; });
  });
}

bool is_extent(const Problem& problem, const Parameter& parameter) {
  return parameter.is_integer() && meaning_of(parameter.name).role == ParameterRole::extent &&
         chosen_from(problem, parameter.name).empty();
}

CaseSpec case_of(const Problem& problem, const Theme& theme) {
  CaseSpec spec;
  spec.name = theme.name;
  spec.role = theme.role;
  std::map<std::pair<ParameterRole, bool>, std::size_t> numbers;
  for (const Parameter& parameter : problem.parameters) {
    if (parameter.pointer) continue;
    const ScalarType* type = find_scalar_type(parameter.type);
    if (type == nullptr || !type->is_integer()) {
      spec.reals[parameter.name] = 1;
    } else if (chosen_from(problem, parameter.name).empty()) {
      const ParameterMeaning meaning = meaning_of(parameter.name);
      const std::int64_t value = value_in(theme, meaning, numbers[{meaning.role, meaning.of_pool}]++);
      spec.integers[parameter.name] = std::clamp(value, type->low, type->high);
    }
  }
  for (const Parameter& parameter : problem.parameters) {
    if (const std::string all = chosen_from(problem, parameter.name); !all.empty())
      spec.integers[parameter.name] = std::min(theme.chosen, spec.integers.at(all));
  }
  return spec;
}

void set_role(const Problem& problem, CaseSpec& spec, ParameterRole role, std::int64_t value) {
  for (const Parameter& parameter : problem.parameters) {
    if (parameter.is_integer() && meaning_of(parameter.name).role == role)
      spec.integers[parameter.name] = value;
  }
}

// The case of the theme, or the nearest legal one: with as many groups as channels, which a depthwise layer
// requires.
std::optional<CaseSpec> legal(const Problem& problem, const Theme& theme) {
  const CaseSpec spec = case_of(problem, theme);
  if (resolve_case(problem, spec)) return spec;
  for (const std::int64_t outputs : {theme.in_channels, 2 * theme.in_channels}) {
    CaseSpec depthwise = spec;
    set_role(problem, depthwise, ParameterRole::groups, theme.in_channels);
    set_role(problem, depthwise, ParameterRole::out_channels, outputs);
    if (resolve_case(problem, depthwise)) return depthwise;
  }
  return std::nullopt;
}

// Doubles all extents, or halves them.
void resize(const Problem& problem, CaseSpec& spec, bool larger) {
  for (const Parameter& parameter : problem.parameters) {
    if (!is_extent(problem, parameter)) continue;
    std::int64_t& extent = spec.integers[parameter.name];
    extent = larger ? 2 * extent : std::max<std::int64_t>(1, extent / 2);
  }
}

bool fits(const Problem& problem, const CaseSpec& spec) {
  const auto bound = resolve_case(problem, spec);
  return bound && bound->tensor_bytes(sizeof(float)) <= largest_bench;
}

// A bench case that fits on any GPU. Nothing if no size fits.
std::optional<CaseSpec> bounded(const Problem& problem, CaseSpec spec) {
  constexpr int most_steps = 20;
  for (int i = 0; i < most_steps && !fits(problem, spec); ++i) resize(problem, spec, false);
  if (!fits(problem, spec)) return std::nullopt;
  const auto is_small = [&] {
    const auto bound = resolve_case(problem, spec);
    return bound && std::all_of(bound->tensors.begin(), bound->tensors.end(),
                                [](const Tensor& tensor) { return tensor.elements < bench_elements; });
  };
  for (int i = 0; i < most_steps && is_small(); ++i) {
    CaseSpec larger = spec;
    resize(problem, larger, true);
    if (!fits(problem, larger)) break;
    spec = std::move(larger);
  }
  return spec;
}

// The longest flat array of a test. Lengths range from less than a warp to several blocks of 1,024 threads
// with a partial last block.
constexpr std::int64_t longest_flat_array = 5000;

// The most extents of a tensor that a hidden case draws.
std::size_t most_extents(const Problem& problem) {
  std::size_t most = 0;
  for (const Parameter& tensor : problem.parameters) {
    const auto count = std::count_if(tensor.shape.begin(), tensor.shape.end(), [&](const Expression& extent) {
      const Parameter* const parameter = problem.find_parameter(extent.text());
      return parameter != nullptr && is_extent(problem, *parameter);
    });
    most = std::max(most, static_cast<std::size_t>(count));
  }
  return most;
}

std::pair<std::int64_t, std::int64_t> range_of(const ParameterMeaning& meaning, std::size_t extent,
                                               std::int64_t longest) {
  switch (meaning.role) {
    case ParameterRole::batch:
      return {1, 3};
    case ParameterRole::in_channels:
    case ParameterRole::channels:
      return {1, 6};
    case ParameterRole::out_channels:
      return {1, 9};
    case ParameterRole::kernel:
      return {1, 4};
    case ParameterRole::stride:
    case ParameterRole::dilation:
    case ParameterRole::groups:
    case ParameterRole::norm_groups:
      return {1, 3};
    case ParameterRole::padding:
      return {0, 2};
    case ParameterRole::output_padding:
      return {0, 1};
    case ParameterRole::extent:
      return {2, extent == 0 ? std::min<std::int64_t>(31, longest) : longest};
  }
  return {1, 1};
}

}  // namespace

ParameterMeaning meaning_of(std::string_view name) {
  const std::vector<std::string> words = words_of_name(name);
  return {role_of(words), has(words, {"pool", "pooling", "maxpool", "avgpool"})};
}

std::string chosen_from(const Problem& problem, std::string_view name) {
  const std::vector<std::string> words = words_of_name(name);
  const bool is_choice = !words.empty() && (words.back() == "k" || words.back() == "topk");
  if (!is_choice || !is_in_shape(problem, name, true) || is_in_shape(problem, name, false)) return "";
  std::string from;
  for (const Parameter& tensor : problem.parameters) {
    for (const Expression& extent : tensor.shape) {
      const Parameter* const parameter = problem.find_parameter(extent.text());
      if (!tensor.is_output() && parameter != nullptr && parameter->is_integer() &&
          !is_in_shape(problem, extent.text(), true))
        from = extent.text();
    }
  }
  return from;
}

std::vector<CaseSpec> propose_cases(const Problem& problem) {
  const bool shaped = std::none_of(problem.parameters.begin(), problem.parameters.end(),
                                   [](const Parameter& p) { return p.pointer && p.shape.empty(); });
  const bool convolution = has_role(problem, ParameterRole::kernel);
  std::vector<CaseSpec> cases;
  for (const Theme& theme : convolution ? convolution_themes() : plain_themes()) {
    if (theme.only_with && !has_role(problem, *theme.only_with)) continue;
    std::optional<CaseSpec> spec = shaped ? legal(problem, theme) : case_of(problem, theme);
    if (shaped && theme.role == CaseRole::bench)
      spec = bounded(problem, spec ? *std::move(spec) : case_of(problem, theme));
    const bool fresh = spec && std::none_of(cases.begin(), cases.end(), [&](const CaseSpec& other) {
                         return other.integers == spec->integers && other.reals == spec->reals;
                       });
    if (fresh) cases.push_back(*std::move(spec));
  }
  return cases;
}

std::vector<FuzzRange> propose_fuzz(const Problem& problem) {
  Problem ranged = problem;
  std::size_t extents = 0;
  // One extent and no sliding window.
  const bool flat =
      !has_role(problem, ParameterRole::kernel) &&
      std::count_if(problem.parameters.begin(), problem.parameters.end(),
                    [&](const Parameter& parameter) { return is_extent(problem, parameter); }) == 1;
  // The upper end of the ranges of extents after the first. Tensors of many axes have some 100,000 elements
  // at most.
  const std::size_t axes = most_extents(problem);
  const std::int64_t longest = axes <= 3 ? 67 : axes == 4 ? 17 : 7;
  constexpr std::int64_t most_chosen = 16;
  for (const Parameter& parameter : problem.parameters) {
    if (!parameter.is_integer()) continue;
    const ParameterMeaning meaning = meaning_of(parameter.name);
    FuzzRange range;
    range.parameter = parameter.name;
    std::tie(range.low, range.high) = range_of(meaning, extents, longest);
    if (!chosen_from(problem, parameter.name).empty()) {
      std::tie(range.low, range.high) = std::pair(std::int64_t{1}, most_chosen);
    } else if (meaning.role == ParameterRole::extent) {
      if (flat) std::tie(range.low, range.high) = std::pair(std::int64_t{1}, longest_flat_array);
      ++extents;
    }
    ranged.fuzz.push_back(range);
  }
  HiddenOptions options;
  options.count = 1;
  if (ranged.fuzz.empty() || !draw_hidden_cases(ranged, options)) return {};
  return ranged.fuzz;
}

void add_proposals(Draft& draft, Problem problem) {
  draft.cases = propose_cases(problem);
  for (const CaseSpec& spec : draft.cases) draft.defaults.insert(spec.reals.begin(), spec.reals.end());
  problem.cases = draft.cases;
  draft.fuzz = propose_fuzz(problem);
}

}  // namespace kgrade::authoring
