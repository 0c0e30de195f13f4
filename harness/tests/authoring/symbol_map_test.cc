#include "authoring/symbol_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "authoring/shape_text.h"

namespace kgrade::authoring {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Symbol symbol(std::string_view text) {
  const auto extent = parse_extent(text, {});
  EXPECT_TRUE(extent && extent->lone_symbol()) << text;
  return extent && extent->lone_symbol() ? *extent->lone_symbol() : Symbol{};
}

TEST(SymbolMap, ReadsScriptsHoweverTheyAreWritten) {
  for (const char* text : {"C_{in}", "C_{\\text{in}}", "C_{\\mathrm{in}}", "C_in"})
    EXPECT_EQ(symbol(text).text(), "C_in") << text;
  EXPECT_EQ(symbol("K_h").text(), "K_h");
  EXPECT_EQ(symbol("groups").text(), "groups");
}

TEST(SymbolMap, TheBestPairWins) {
  SymbolMap map(
      {"batch_size", "in_channels", "out_channels", "height", "width", "kernel_h", "kernel_w", "groups"}, {});
  map.assign({symbol("B"), symbol("C_in"), symbol("C_out"), symbol("H"), symbol("W"), symbol("K_h"),
              symbol("K_w"), symbol("g"), symbol("H_out")});
  EXPECT_EQ(map.find(symbol("B")), "batch_size");
  EXPECT_EQ(map.find(symbol("C_in")), "in_channels");
  EXPECT_EQ(map.find(symbol("C_out")), "out_channels");
  EXPECT_EQ(map.find(symbol("K_w")), "kernel_w");
  EXPECT_EQ(map.find(symbol("g")), "groups");
  EXPECT_EQ(map.find(symbol("H_out")), std::nullopt) << "the height of the output is not that of the input";
}

TEST(SymbolMap, NStandsForWhatThereIs) {
  SymbolMap batch({"batch_size", "height"}, {});
  batch.assign({symbol("N"), symbol("H")});
  EXPECT_EQ(batch.find(symbol("N")), "batch_size");
  SymbolMap matrix({"m", "n", "k"}, {});
  matrix.assign({symbol("M"), symbol("N"), symbol("K")});
  EXPECT_EQ(matrix.find(symbol("N")), "n");
  EXPECT_EQ(matrix.find(symbol("K")), "k");
}

TEST(SymbolMap, ADescriptionCountsMoreThanALetter) {
  SymbolMap map({"rows", "columns"},
                {{"M", {"the", "number", "of", "columns"}}, {"N", {"the", "number", "of", "rows"}}});
  map.assign({symbol("M"), symbol("N")});
  EXPECT_EQ(map.find(symbol("M")), "columns");
  EXPECT_EQ(map.find(symbol("N")), "rows");
}

TEST(SymbolMap, ARepeatedSymbolIsReadByItsPlace) {
  SymbolMap map({"depth", "height", "width", "kernel_w", "kernel_h", "kernel_d"}, {});
  EXPECT_THAT(map.find_repeated(symbol("K"), 3), ElementsAre("kernel_d", "kernel_h", "kernel_w"));
  EXPECT_THAT(map.find_repeated(symbol("K"), 2), ElementsAre("kernel_h", "kernel_w"));
  EXPECT_THAT(map.find_repeated(symbol("S"), 2), IsEmpty());
}

TEST(SymbolMap, ExtentsBecomeExpressions) {
  const auto text = [](std::string_view latex) {
    std::string plain;
    const auto extent = parse_extent(latex, {"in_channels"});
    if (!extent) return std::string("none");
    for (const auto& piece : extent->pieces) plain += piece.symbol ? piece.symbol->text() : piece.text;
    return plain;
  };
  EXPECT_EQ(text("C_{\\text{out}}/g"), "C_out / g");
  EXPECT_EQ(text("2N"), "2 * N");
  EXPECT_EQ(text("H \\cdot W"), "H * W");
  EXPECT_EQ(text("HW"), "H * W");
  EXPECT_EQ(text("in_channels / g"), "in_channels / g");
  EXPECT_EQ(text("\\left\\lfloor \\frac{H + 2 p_h - K_h}{s_h} \\right\\rfloor + 1"),
            "((H + 2 * p_h - K_h) / (s_h)) + 1");
  EXPECT_EQ(text("\\lceil N/4 \\rceil"), "ceil_div(N, 4)");
  for (const char* odd : {"", "N^2", "\\frac{N}", "(N", "N)", "\\foo", "N +", "_", "C_{", "1.5", "f(x, y)"})
    EXPECT_EQ(text(odd), "none") << odd;
}

}  // namespace
}  // namespace kgrade::authoring
