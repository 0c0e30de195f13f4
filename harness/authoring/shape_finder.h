// The shapes of a bare problem's tensors, and the values that they need; internal to authoring.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "authoring/import.h"
#include "authoring/layers.h"
#include "authoring/parameter_meaning.h"
#include "authoring/statement_claims.h"
#include "authoring/symbol_map.h"

namespace kgrade::authoring {

class ShapeFinder {
 public:
  // Fills in shapes, `let` and what the statement's equations require. `imported` must outlive the object.
  ShapeFinder(Imported& imported, StatementClaims claims, std::vector<std::string> scalars);

  void run();

  const Layers& layers() const { return layers_; }
  // The extents of the input behind batch and channels, where it has such; empty when unknown.
  const std::vector<std::string>& spatial() const { return spatial_; }
  // Of the convolution itself, before a pooling.
  const std::vector<std::string>& convolved() const { return convolved_; }

 private:
  void map_symbols();
  void apply(const ShapeClaim& claim);
  std::optional<std::string> extent_text(const SymbolicExtent& extent,
                                         const std::vector<std::string>& replaced, std::size_t& next);
  std::optional<std::string> name_of(const Symbol& symbol);
  std::optional<std::string> by_equation(const Symbol& symbol);
  std::optional<std::string> by_layer(const Symbol& symbol);
  std::optional<std::string> output_extent(std::size_t axis);
  std::string define(const std::string& name, const std::string& text, const std::string& note);
  void require_equations();
  void not_understood(const ShapeClaim& claim);
  void find_spatial();
  std::size_t leading_axes(const std::vector<std::string>& shape) const;
  void guess_output(DraftParameter& output);
  void guess_input(DraftParameter& input);
  std::optional<std::string> parameter_of(ParameterRole role) const;

  Imported& imported_;
  StatementClaims claims_;
  SymbolMap map_;
  Layers layers_;
  std::string spatial_of_;  // the input that they are of
  std::vector<std::string> spatial_;
  std::vector<std::string> convolved_;
  std::map<std::string, std::string> derived_;  // by Symbol::text(); empty while one is being worked out
};

}  // namespace kgrade::authoring
