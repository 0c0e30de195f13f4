#include "authoring/import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problem/case.h"
#include "problem/lint.h"

namespace kgrade::authoring {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A bare file as the ecosystem has them: booleans as texts, `constant` on scalars. Names that end in ! are
// outputs, those in * inputs, all others scalars.
std::string bare(std::string_view title, const std::vector<std::string>& parameters,
                 std::string_view statement) {
  std::string text = fmt::format(
      "---\nslug: \"sample\"\ntitle: \"{}\"\ndifficulty: \"EASY\"\nauthor: \"\"\ntags: "
      "[\"a\"]\nparameters:\n",
      title);
  for (std::string name : parameters) {
    const char kind = name.back();
    const bool tensor = kind == '*' || kind == '!';
    if (tensor) name.pop_back();
    text += fmt::format("  - name: \"{}\"\n    type: \"{}\"\n    pointer: \"{}\"\n    {}: \"{}\"\n\n", name,
                        tensor ? "[VAR]" : "size_t", tensor, tensor ? "const" : "constant", kind == '*');
  }
  return text + "---\n" + std::string(statement);
}

Imported imported(const std::string& text) {
  auto result = import_problem(text, "sample.md");
  EXPECT_TRUE(result) << (result ? "" : to_string(result.errors()));
  return result ? *std::move(result) : Imported{};
}

std::vector<std::string> shape(const Imported& imported, std::string_view name) {
  const DraftParameter* parameter = imported.draft.find(name);
  return parameter == nullptr ? std::vector<std::string>{"no parameter"} : parameter->shape;
}

std::string value(const Imported& imported, std::string_view name) {
  for (const auto& [known, value] : imported.draft.let) {
    if (known == name) return value.text;
  }
  return "";
}

std::vector<std::string> guesses(const Imported& imported) {
  std::vector<std::string> found;
  for (const Guess& guess : imported.guesses) found.push_back(guess.what);
  return found;
}

// The draft as a file has no fault, every case works out, and there is one of each role.
void expect_gradable(const Imported& imported) {
  const auto problem = parse_problem(problem_text(imported.draft), "sample.md");
  ASSERT_TRUE(problem) << to_string(problem.errors()) << problem_text(imported.draft);
  for (const LintFinding& finding : lint(*problem)) {
    EXPECT_NE(finding.severity, LintFinding::Severity::error) << to_string(finding);
  }
  for (const CaseRole role : {CaseRole::sample, CaseRole::test, CaseRole::bench}) {
    EXPECT_TRUE(std::any_of(problem->cases.begin(), problem->cases.end(), [&](const CaseSpec& spec) {
      return spec.role == role;
    })) << to_string(role);
  }
}

const std::vector<std::string> conv_2d = {
    "input*",    "kernel*",   "output!",    "batch_size", "in_channels", "out_channels",
    "height",    "width",     "kernel_h",   "kernel_w",   "stride_h",    "stride_w",
    "padding_h", "padding_w", "dilation_h", "dilation_w", "groups"};

TEST(Import, ATransposedConvolutionWithGroups) {
  std::vector<std::string> parameters = conv_2d;
  parameters.insert(parameters.end(), {"output_padding_h", "output_padding_w"});
  const Imported result = imported(
      bare("ConvTranspose2D, Dilated", parameters,
           "Transposed convolution.\n\n## Input\n- Tensor `input` of shape $(B, C_{\\text{in}}, H, W)$\n"
           "- Tensor `kernel` of shape $(C_{\\text{in}}, C_{\\text{out}}/g, K_h, K_w)$\n\n## Output\n"
           "- Tensor `output` of shape $(B, C_{\\text{out}}, H_{\\text{out}}, W_{\\text{out}})$\n"));
  EXPECT_THAT(shape(result, "input"), ElementsAre("batch_size", "in_channels", "height", "width"));
  EXPECT_THAT(shape(result, "kernel"),
              ElementsAre("in_channels", "out_channels / groups", "kernel_h", "kernel_w"));
  EXPECT_THAT(shape(result, "output"), ElementsAre("batch_size", "out_channels", "out_height", "out_width"));
  EXPECT_EQ(value(result, "out_width"),
            "(width - 1) * stride_w - 2 * padding_w + dilation_w * (kernel_w - 1) + output_padding_w + 1");
  EXPECT_EQ(result.draft.find("kernel")->init.text,
            "uniform_fan_in(out_channels / groups * kernel_h * kernel_w)");
  ASSERT_TRUE(result.draft.flops);
  EXPECT_THAT(result.draft.flops->text,
              HasSubstr("2 * batch_size * in_channels * height * width * (out_channels / groups)"));
  expect_gradable(result);
}

// A kernel that takes one axis for another must be wrong on one of the tests, and no case may be all alike.
TEST(Import, ProposedCasesTellAxesApart) {
  std::vector<std::string> parameters = conv_2d;
  parameters.insert(parameters.end(), {"output_padding_h", "output_padding_w"});
  const Imported result = imported(bare("ConvTranspose2D", parameters,
                                        "- Tensor `input` of shape $(B, C_{in}, H, W)$\n- Tensor `kernel` of "
                                        "shape $(C_{in}, C_{out}/g, K_h, K_w)$\n"
                                        "- Tensor `output` of shape $(B, C_{out}, H_{out}, W_{out})$\n"));
  const auto differ = [&](const std::string& a, const std::string& b) {
    return std::count_if(result.draft.cases.begin(), result.draft.cases.end(), [&](const CaseSpec& spec) {
      return spec.role == CaseRole::test && spec.integers.at(a) != spec.integers.at(b);
    });
  };
  for (const char* role : {"kernel", "stride", "padding", "dilation", "output_padding"})
    EXPECT_GE(differ(fmt::format("{}_h", role), fmt::format("{}_w", role)), 1) << role;
  for (const CaseSpec& spec : result.draft.cases) {
    EXPECT_NE(spec.integers.at("height"), spec.integers.at("width")) << spec.name;
    EXPECT_NE(spec.integers.at("in_channels"), spec.integers.at("out_channels")) << spec.name;
    EXPECT_EQ(spec.integers.at("kernel_h") == spec.integers.at("kernel_w"), spec.name == "kernel-1")
        << spec.name;
  }
  const Imported product =
      imported(bare("Matrix product", {"a*", "b*", "c!", "m", "k", "n"},
                    "`a`: $(M, K)$, `b`: $(K, N)$; the result `c` has shape $(M, N)$.\n"));
  for (const CaseSpec& spec : product.draft.cases) {
    EXPECT_NE(spec.integers.at("m"), spec.integers.at("k")) << spec.name;
    EXPECT_NE(spec.integers.at("k"), spec.integers.at("n")) << spec.name;
  }
}

TEST(Import, ARepeatedSymbolIsReadByPlaceAndSaidToBeGuessed) {
  const Imported result = imported(
      bare("ConvTranspose3D, Cubic Kernel",
           {"volume*", "weights*", "result!", "batch_size", "in_channels", "out_channels", "depth", "height",
            "width", "kernel_d", "kernel_h", "kernel_w", "stride_d", "stride_h", "stride_w", "groups"},
           "- Tensor `volume` of shape $(B, C_{in}, D, H, W)$\n- Tensor `weights` of shape $(C_{in}, "
           "C_{out}/g, K, K, K)$\n"
           "- Tensor `result` of shape $(B, C_{out}, D_{out}, H_{out}, W_{out})$\n"));
  EXPECT_THAT(shape(result, "weights"),
              ElementsAre("in_channels", "out_channels / groups", "kernel_d", "kernel_h", "kernel_w"));
  EXPECT_THAT(result.draft.find("weights")->shape_note, HasSubstr("guessed"));
  EXPECT_EQ(value(result, "out_depth"), "(depth - 1) * stride_d + (kernel_d - 1) + 1");
  expect_gradable(result);
}

TEST(Import, AnEquationBetweenParametersIsACondition) {
  const Imported result = imported(
      bare("Depthwise Conv2D", conv_2d,
           "- Tensor `input` of shape $(B, C_{in}, H, W)$\n"
           "- Tensor `kernel` of shape $(C_{out}, C_{in}/groups, K_h, K_w)$ with $groups = C_{in}$\n"
           "- Tensor `output` of shape $(B, C_{out}, H_{out}, W_{out})$\n\n- It uses `groups = C_{in}`.\n"));
  EXPECT_THAT(shape(result, "kernel"),
              ElementsAre("out_channels", "in_channels / groups", "kernel_h", "kernel_w"));
  EXPECT_EQ(value(result, "out_height"),
            "(height + 2 * padding_h - dilation_h * (kernel_h - 1) - 1) / stride_h + 1");
  EXPECT_EQ(std::count_if(result.draft.require.begin(), result.draft.require.end(),
                          [](const Noted& condition) { return condition.text == "groups == in_channels"; }),
            1);
  expect_gradable(result);
}

TEST(Import, DescribedTensorsAndAnOutputThatTheLayersYield) {
  const Imported result =
      imported(bare("ConvTranspose2D BatchNorm MaxPool GroupNorm",
                    {"input*", "kernel*", "bn_weight*", "bn_bias*", "gn_weight*", "gn_bias*", "output!",
                     "batch_size", "in_channels", "out_channels", "height", "width", "kernel_h", "kernel_w",
                     "stride_h", "stride_w", "groups", "num_groups"},
                    "## Input\n- Tensor `input` of shape $(B, C_{in}, H, W)$\n- Tensor `kernel` of shape "
                    "$(C_{in}, C_{out}, K_h, K_w)$\n"
                    "- BatchNorm and GroupNorm weights/biases of shape $(C_{out})$\n\n## Output\n- Tensor "
                    "`output` after GroupNorm\n"));
  for (const char* name : {"bn_weight", "bn_bias", "gn_weight", "gn_bias"})
    EXPECT_THAT(shape(result, name), ElementsAre("out_channels")) << name;
  EXPECT_THAT(shape(result, "output"), ElementsAre("batch_size", "out_channels", "out_height", "out_width"));
  EXPECT_EQ(value(result, "conv_height"), "(height - 1) * stride_h + (kernel_h - 1) + 1");
  EXPECT_EQ(value(result, "out_height"), "conv_height / 2");
  EXPECT_THAT(result.draft.find("output")->shape_note, HasSubstr("guessed"));
  expect_gradable(result);
}

TEST(Import, MatricesInManyForms) {
  for (const char* statement : {"- Matrix `a` of size $M \\times K$\n- Matrix `b` of size $K \\times N$\n- "
                                "Matrix `c` of size $M \\times N$\n",
                                "`a`: $(M, K)$, `b`: $(K, N)$; the result `c` has shape $(M, N)$.\n",
                                "Given `a` with dimensions `[m, k]` and `b` with dimensions `[k, n]`, "
                                "compute `c` of dimensions `[m, n]`.\n",
                                "$A \\in \\mathbb{R}^{M \\times K}$, $B \\in \\mathbb{R}^{K \\times N}$ and "
                                "$C \\in \\mathbb{R}^{M \\times N}$.\n",
                                "- `a` of shape (M, K)\n- `b` of shape (K, N)\n- `c` of shape (M, N)\n"}) {
    const Imported result = imported(bare("Matrix product", {"a*", "b*", "c!", "m", "n", "k"}, statement));
    EXPECT_THAT(shape(result, "a"), ElementsAre("m", "k")) << statement;
    EXPECT_THAT(shape(result, "b"), ElementsAre("k", "n")) << statement;
    EXPECT_THAT(shape(result, "c"), ElementsAre("m", "n")) << statement;
    expect_gradable(result);
  }
}

TEST(Import, ArraysOfALength) {
  for (const char* statement :
       {"- Arrays `x` and `y` of length $N$\n- Array `z` of length $N$\n",
        "Add the vector `x` of `n` elements and the vector `y` of size `n` into `z` of size `n`.\n"}) {
    const Imported result = imported(bare("Sum", {"x*", "y*", "z!", "n"}, statement));
    for (const char* name : {"x", "y", "z"})
      EXPECT_THAT(shape(result, name), ElementsAre("n")) << name << ": " << statement;
    expect_gradable(result);
  }
}

TEST(Import, AFormulaOfTheStatementComesBeforeThatOfTheLayer) {
  const Imported result =
      imported(bare("Conv1D",
                    {"input*", "kernel*", "output!", "batch_size", "in_channels", "out_channels", "length",
                     "kernel_size", "stride"},
                    "- `input` of shape $(B, C_{in}, L)$\n- `kernel` of shape $(C_{out}, C_{in}, K)$\n- "
                    "`output` of shape $(B, C_{out}, L_{out})$ with\n\n"
                    "$$\nL_{out} = \\left\\lfloor \\frac{L - K}{s} \\right\\rfloor + 1\n$$\n"));
  EXPECT_THAT(shape(result, "output"), ElementsAre("batch_size", "out_channels", "out_length"));
  EXPECT_EQ(value(result, "out_length"), "((length - kernel_size) / (stride)) + 1");
  expect_gradable(result);
}

TEST(Import, PoolingsShareParametersAmongAxes) {
  const Imported result = imported(bare(
      "Max Pooling 2D",
      {"input*", "output!", "batch_size", "channels", "height", "width", "kernel_size", "stride", "padding"},
      "- `input` of shape $(N, C, H, W)$\n- `output` of shape $(N, C, H_{out}, W_{out})$\n"));
  EXPECT_THAT(shape(result, "input"), ElementsAre("batch_size", "channels", "height", "width"));
  EXPECT_EQ(value(result, "out_width"), "(width + 2 * padding - kernel_size) / stride + 1");
}

// A layer of two axes may have no others.
TEST(Import, AxesWithoutBatchAndChannelsAreThoseOfTheLayer) {
  const Imported image =
      imported(bare("Max Pooling 2D", {"input*", "output!", "height", "width", "kernel_size", "stride"},
                    "- Matrix `input` of size $(H, W)$\n- Matrix `output` of size "
                    "$(H_{\\text{out}}, W_{\\text{out}})$\n"));
  EXPECT_THAT(shape(image, "output"), ElementsAre("out_height", "out_width"));
  EXPECT_EQ(value(image, "out_height"), "(height - kernel_size) / stride + 1");
  EXPECT_THAT(guesses(image), Contains("value out_height"));
  expect_gradable(image);
  const Imported row =
      imported(bare("Conv 1D", {"input*", "kernel*", "output!", "length", "kernel_size"},
                    "- `input` of shape $(L)$\n- `kernel` of shape $(K)$\n- `output` of shape "
                    "$(L_{out})$\n"));
  EXPECT_THAT(shape(row, "output"), ElementsAre("out_length"));
  EXPECT_EQ(value(row, "out_length"), "length - kernel_size + 1");
  const Imported planes =
      imported(bare("Average Pooling 2D", {"input*", "output!", "channels", "height", "width", "kernel_size"},
                    "- `input` of shape $(C, H, W)$\n- `output`\n"));
  EXPECT_THAT(shape(planes, "output"), ElementsAre("channels", "out_height", "out_width"));
  EXPECT_THAT(planes.draft.find("output")->shape_note, HasSubstr("guessed"));
}

// What is wrong and looks sure is worse than nothing.
TEST(Import, AShapeThatTheStatementGivesIsNeverReplacedByAGuess) {
  for (const char* claim : {"$(H_{\\text{pooled}}, W)$", "$(H \\oplus 1, W)$", "$(\\sqrt{H}, W)$"}) {
    const Imported result = imported(
        bare("Scaled", {"input*", "output!", "height", "width"},
             fmt::format("- Matrix `input` of shape $(H, W)$\n- Matrix `output` of shape {}\n", claim)));
    EXPECT_THAT(shape(result, "output"), IsEmpty()) << claim;
    EXPECT_THAT(result.draft.find("output")->shape_note, HasSubstr("guessed: nothing, see the statement"))
        << claim;
    ASSERT_THAT(result.open, Contains(::testing::Field(&Guess::what, "shape of 'output'"))) << claim;
    EXPECT_THAT(result.open, Not(Contains(::testing::Field(&Guess::check, HasSubstr("gives none")))))
        << claim;
  }
}

TEST(Import, WhatIsNotUnderstoodIsSaidAndLeftOut) {
  const Imported result = imported(
      bare("Odd", {"x*", "w*", "y!", "rows"}, "- `x` of shape $(Q^2, \\zeta)$\n- `y` of shape $(R)$\n"));
  EXPECT_THAT(shape(result, "x"), IsEmpty());
  EXPECT_THAT(shape(result, "y"), ElementsAre("rows"));
  std::vector<std::string> open;
  for (const Guess& guess : result.open) open.push_back(guess.what);
  EXPECT_THAT(open, Contains("shape of 'w'"));
  EXPECT_TRUE(parse_problem(problem_text(result.draft), "sample.md")) << problem_text(result.draft);
}

TEST(Import, TheStatementAndTheHeadStayAsTheyAre) {
  const std::string statement = "Say \"it\" --- and\n\n---\nmore: [x]\n";
  const Imported result = imported(bare("A \\\"title\\\": # with \\u00e9", {"x*", "y!", "n"}, statement));
  const auto again = parse_problem(problem_text(result.draft), "sample.md");
  ASSERT_TRUE(again) << to_string(again.errors());
  EXPECT_EQ(again->statement, statement);
  EXPECT_EQ(again->title, "A \"title\": # with \u00e9");
  EXPECT_THAT(again->tags, ElementsAre("a"));
}

TEST(Import, WhatIsNoBareProblemIsRefusedWithOneMessage) {
  const auto refused = [](std::string_view text, const std::string& slug = "") {
    const auto result = import_problem(text, "odd.md", slug);
    return result ? "imported" : result.error().message;
  };
  EXPECT_THAT(refused("First, I need a kernel.\n"), HasSubstr("no frontmatter"));
  EXPECT_THAT(refused(""), HasSubstr("empty"));
  EXPECT_THAT(refused(std::string_view("---\n\0---\n", 9)), HasSubstr("control character"));
  EXPECT_THAT(refused("---\nslug: x\n"), HasSubstr("no end"));
  const std::string sound = bare("A", {"x*", "y!", "n"}, "- `x` of shape $(N)$\n");
  EXPECT_THAT(refused(sound, "Not A Slug"), HasSubstr("cannot be a slug"));
  EXPECT_THAT(refused(problem_text(imported(sound).draft)), HasSubstr("has shapes or cases already"));
  EXPECT_THAT(refused(sound + std::string(300 << 10, 'x')), HasSubstr("larger than 256 KiB"));
}

// What is written has to be a problem file: a number of the statement may be none of an expression.
TEST(Import, WhatCouldNotBeReadAgainIsNotMade) {
  const auto result =
      import_problem(bare("A", {"x*", "y!", "n"},
                          "- `x` of shape $(N)$\n- `y` of shape $(A_{out})$ with $A_{out} = N + "
                          "99999999999999999999$\n"),
                     "odd.md");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message,
              HasSubstr("cannot be read: 'let' 'a_out': '99999999999999999999' does not fit"));
  EXPECT_THAT(result.error().remedy, HasSubstr("word the statement otherwise"));
  EXPECT_EQ(result.error().location.file, "odd.md");
}

// Each would take hours if brackets or marks were looked for from every place.
TEST(Import, HostileStatementsAreReadInTimeThatGrowsWithTheirLength) {
  for (const char* piece : {"(", "$", "`", "(a, ", "`x` of shape $(", "$N = $", "shape ", "$$\n", "- x\n",
                            "$((((((((((N$ ", "\\frac{"}) {
    std::string statement;
    while (statement.size() < 100000) statement += piece;
    imported(bare("A", {"x*", "y!", "n"}, statement));
  }
}

}  // namespace
}  // namespace kgrade::authoring
