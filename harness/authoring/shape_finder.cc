#include "authoring/shape_finder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace kgrade::authoring {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

bool has_word(const std::string& name, std::string_view wanted) {
  const std::vector<std::string> words = words_of_name(name);
  return std::find(words.begin(), words.end(), wanted) != words.end();
}

}  // namespace

ShapeFinder::ShapeFinder(Imported& imported, StatementClaims claims, std::vector<std::string> scalars)
    : imported_(imported),
      claims_(std::move(claims)),
      map_(std::move(scalars), claims_.descriptions),
      layers_(layers_of(imported.draft.title, imported.draft.statement.substr(0, 400))) {}

void ShapeFinder::run() {
  map_symbols();
  // Inputs first: the extents of outputs follow from theirs.
  for (const bool outputs : {false, true}) {
    for (const ShapeClaim& claim : claims_.shapes) {
      const DraftParameter* parameter = imported_.draft.find(claim.tensor);
      if (parameter != nullptr && parameter->is_const != outputs) apply(claim);
    }
    if (!outputs) find_spatial();
  }
  for (DraftParameter& parameter : imported_.draft.parameters) {
    // What the statement says, though it was not understood, counts for more than a guess.
    if (!parameter.pointer || !parameter.shape.empty() || !parameter.shape_note.empty()) continue;
    parameter.is_const ? guess_input(parameter) : guess_output(parameter);
  }
  require_equations();
}

void ShapeFinder::map_symbols() {
  std::vector<Symbol> symbols;
  const auto add = [&](const SymbolicExtent& extent) {
    for (Symbol& symbol : extent.symbols()) {
      if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end())
        symbols.push_back(std::move(symbol));
    }
  };
  for (const ShapeClaim& claim : claims_.shapes) {
    for (const SymbolicExtent& extent : claim.shape.extents) add(extent);
  }
  for (const Equation& equation : claims_.equations) {
    add(equation.right);
    if (std::find(symbols.begin(), symbols.end(), equation.left) == symbols.end())
      symbols.push_back(equation.left);
  }
  map_.assign(symbols);
  std::vector<std::string> readings;
  for (const Symbol& symbol : symbols) {
    const auto name = map_.find(symbol);
    if (name && *name != symbol.text()) readings.push_back(symbol.text() + " = " + *name);
  }
  if (readings.empty()) return;
  imported_.guesses.push_back(
      {"symbols of the statement", fmt::format("read as {}", fmt::join(readings, ", "))});
}

void ShapeFinder::apply(const ShapeClaim& claim) {
  if (claim.shape.extents.empty()) return not_understood(claim);
  DraftParameter& parameter = *imported_.draft.find(claim.tensor);
  bool repeats = false;
  std::vector<std::string> shape;
  std::map<std::string, std::size_t> seen;
  for (const SymbolicExtent& extent : claim.shape.extents) {
    const Symbol* lone = extent.lone_symbol();
    std::vector<std::string> names;
    if (lone != nullptr) {
      const auto count = static_cast<std::size_t>(std::count_if(
          claim.shape.extents.begin(), claim.shape.extents.end(), [&](const SymbolicExtent& other) {
            return other.lone_symbol() != nullptr && *other.lone_symbol() == *lone;
          }));
      if (count > 1) names = map_.find_repeated(*lone, count);
      repeats = repeats || !names.empty();
    }
    std::size_t next = lone != nullptr ? seen[lone->text()]++ : 0;
    const auto text = extent_text(extent, names, next);
    if (!text) return not_understood(claim);
    shape.push_back(*text);
  }
  parameter.shape = std::move(shape);
  const bool sure = !claim.described && !repeats;
  parameter.shape_note = (sure ? "from the statement: " : "guessed: from ") + claim.source;
  if (sure) return;
  imported_.guesses.push_back(
      {fmt::format("shape of '{}'", claim.tensor),
       fmt::format("{} was read as [{}]", claim.source, fmt::join(parameter.shape, ", "))});
}

void ShapeFinder::not_understood(const ShapeClaim& claim) {
  imported_.open.push_back(
      {fmt::format("shape of '{}'", claim.tensor),
       fmt::format("the statement says {}, and not all of it was understood", claim.source)});
  imported_.draft.find(claim.tensor)->shape_note = "guessed: nothing, see the statement: " + claim.source;
}

// `replaced` stands for a symbol that repeats: its entry `next`.
std::optional<std::string> ShapeFinder::extent_text(const SymbolicExtent& extent,
                                                    const std::vector<std::string>& replaced,
                                                    std::size_t& next) {
  std::string text;
  for (const SymbolicExtent::Piece& piece : extent.pieces) {
    if (!piece.symbol) {
      text += piece.text;
      continue;
    }
    const auto name = next < replaced.size() ? std::optional(replaced[next]) : name_of(*piece.symbol);
    if (!name) return std::nullopt;
    text += *name;
  }
  return text;
}

std::optional<std::string> ShapeFinder::name_of(const Symbol& symbol) {
  if (auto name = map_.find(symbol)) return name;
  const auto known = derived_.find(symbol.text());
  if (known != derived_.end()) return known->second.empty() ? std::nullopt : std::optional(known->second);
  derived_[symbol.text()] = "";
  std::optional<std::string> name = by_equation(symbol);
  if (!name) name = by_layer(symbol);
  if (name) derived_[symbol.text()] = *name;
  return name;
}

std::optional<std::string> ShapeFinder::by_equation(const Symbol& symbol) {
  for (const Equation& equation : claims_.equations) {
    if (!(equation.left == symbol)) continue;
    std::size_t none = 0;
    const auto text = extent_text(equation.right, {}, none);
    if (!text) continue;
    Symbol input = symbol;
    std::erase(input.subscripts, "out");
    const auto base = input == symbol ? std::nullopt : map_.find(input);
    const std::string name = base ? "out_" + *base : lower(symbol.text());
    return define(name, *text, "from the statement: " + equation.source);
  }
  return std::nullopt;
}

// H_out is the height of the output when H is that of the input.
std::optional<std::string> ShapeFinder::by_layer(const Symbol& symbol) {
  if (!symbol.has_subscript("out") && !symbol.has_subscript("o")) return std::nullopt;
  for (const std::string_view subscript : {"", "in"}) {
    Symbol input{symbol.base, {}};
    if (!subscript.empty()) input.subscripts.emplace_back(subscript);
    const auto name = map_.find(input);
    const auto place = name ? std::find(spatial_.begin(), spatial_.end(), *name) : spatial_.end();
    if (place != spatial_.end()) return output_extent(static_cast<std::size_t>(place - spatial_.begin()));
  }
  return std::nullopt;
}

std::optional<std::string> ShapeFinder::output_extent(std::size_t axis) {
  const std::string& input = spatial_[axis];
  std::string extent = input;
  const std::string short_name = is_name(input) ? input : fmt::format("extent_{}", axis + 1);
  if (layers_.convolution) {
    const AxisParameters parameters = axis_parameters(map_.parameters(), axis, spatial_.size(), false);
    const auto text =
        layers_.transposed ? transposed_extent(input, parameters) : convolution_extent(input, parameters);
    if (!text) return std::nullopt;
    const char* kind = layers_.transposed ? "transposed convolution" : "convolution";
    extent = define((layers_.pooling ? "conv_" : "out_") + short_name, *text,
                    fmt::format("guessed: the extent that a {} yields", kind));
    convolved_.resize(spatial_.size());
    convolved_[axis] = extent;
  }
  if (!layers_.pooling) return layers_.convolution ? std::optional(extent) : std::nullopt;
  // Without a convolution the layer's parameters need not say that they are the pooling's.
  AxisParameters parameters = axis_parameters(map_.parameters(), axis, spatial_.size(), true);
  if (parameters.kernel.empty() && !layers_.convolution)
    parameters = axis_parameters(map_.parameters(), axis, spatial_.size(), false);
  bool guessed = false;
  const std::string text = pooling_extent(extent, parameters, guessed);
  return define("out_" + short_name, text,
                guessed ? "guessed: windows of 2 with stride 2, for the pooling has no parameters"
                        : "guessed: the extent that a pooling yields");
}

// Under a name that is not taken; the same text twice is one value.
std::string ShapeFinder::define(const std::string& wanted, const std::string& text, const std::string& note) {
  Draft& draft = imported_.draft;
  std::string name = wanted;
  for (int i = 2; draft.find(name) != nullptr; ++i) name = fmt::format("{}_{}", wanted, i);
  for (const auto& [known, value] : draft.let) {
    if (known == name) return known;
  }
  draft.let.emplace_back(name, Noted{text, note});
  if (note.starts_with("guessed"))
    imported_.guesses.push_back({"value " + name, fmt::format("{} ({})", text, note.substr(9))});
  return name;
}

// "g = C_in" between two parameters is a condition.
void ShapeFinder::require_equations() {
  for (const Equation& equation : claims_.equations) {
    const auto left = map_.find(equation.left);
    const Symbol* symbol = equation.right.lone_symbol();
    const auto right = symbol != nullptr ? map_.find(*symbol) : std::nullopt;
    if (!left || !right || *left == *right) continue;
    const std::string text = *left + " == " + *right;
    const bool known = std::any_of(imported_.draft.require.begin(), imported_.draft.require.end(),
                                   [&](const Noted& condition) { return condition.text == text; });
    if (!known) imported_.draft.require.push_back({text, "from the statement: " + equation.source});
  }
}

void ShapeFinder::find_spatial() {
  for (const DraftParameter& parameter : imported_.draft.parameters) {
    if (!parameter.is_const || has_word(parameter.name, "kernel") || has_word(parameter.name, "weight"))
      continue;
    const std::size_t leading = leading_axes(parameter.shape);
    if (leading >= parameter.shape.size()) continue;
    spatial_of_ = parameter.name;
    spatial_.assign(parameter.shape.begin() + static_cast<std::ptrdiff_t>(leading), parameter.shape.end());
    return;
  }
}

// How many axes come before those that a layer works along: batch and channels, where the shape has them.
std::size_t ShapeFinder::leading_axes(const std::vector<std::string>& shape) const {
  constexpr std::size_t batch_and_channels = 2;
  if (!layers_.convolution && !layers_.pooling) return batch_and_channels;
  if (layers_.rank > 0 && shape.size() >= layers_.rank) return shape.size() - layers_.rank;
  if (shape.size() > batch_and_channels) return batch_and_channels;
  const auto extent = std::find_if(shape.begin(), shape.end(), [](const std::string& text) {
    return meaning_of(text).role == ParameterRole::extent;
  });
  return static_cast<std::size_t>(extent - shape.begin());
}

std::optional<std::string> ShapeFinder::parameter_of(ParameterRole role) const {
  for (const std::string& name : map_.parameters()) {
    if (meaning_of(name).role == role) return name;
  }
  return std::nullopt;
}

// The statement says nothing: what the layers make of the first input.
void ShapeFinder::guess_output(DraftParameter& output) {
  const Draft& draft = imported_.draft;
  const auto input =
      std::find_if(draft.parameters.begin(), draft.parameters.end(), [&](const DraftParameter& p) {
        return p.is_const && !p.shape.empty() && (spatial_of_.empty() || p.name == spatial_of_);
      });
  const std::string place = fmt::format("shape of '{}'", output.name);
  if (input == draft.parameters.end()) {
    imported_.open.push_back({place, "the statement gives none"});
    return;
  }
  std::vector<std::string> shape = input->shape;
  const bool changes = (layers_.convolution || layers_.pooling) && !spatial_.empty();
  const std::size_t leading = shape.size() - (changes ? spatial_.size() : 0);
  if (changes && layers_.convolution && leading > 0 &&
      meaning_of(shape[leading - 1]).role != ParameterRole::batch)
    shape[leading - 1] = parameter_of(ParameterRole::out_channels).value_or(shape[leading - 1]);
  for (std::size_t axis = 0; changes && axis < spatial_.size(); ++axis) {
    shape[axis + leading] = output_extent(axis).value_or(shape[axis + leading]);
  }
  output.shape = shape;
  output.shape_note =
      changes ? "guessed: what the layers of the title yield" : "guessed: that of '" + input->name + "'";
  imported_.guesses.push_back({place, fmt::format("the statement gives none; [{}] is {}",
                                                  fmt::join(shape, ", "), output.shape_note.substr(9))});
}

void ShapeFinder::guess_input(DraftParameter& input) {
  const auto channels = parameter_of(ParameterRole::out_channels);
  const bool bias = has_word(input.name, "bias") && layers_.convolution && channels;
  const std::string place = fmt::format("shape of '{}'", input.name);
  if (!bias) {
    if (input.shape_note.empty()) imported_.open.push_back({place, "the statement gives none"});
    return;
  }
  input.shape = {*channels};
  input.shape_note = "guessed: one value a channel of the output";
  imported_.guesses.push_back(
      {place, fmt::format("the statement gives none; [{}]: one value a channel", *channels)});
}

}  // namespace kgrade::authoring
