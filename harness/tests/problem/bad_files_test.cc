// How a broken problem file is reported: place, message and remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "problem/problem.h"
#include "tests/problem/fixtures.h"

namespace kgrade::test {
namespace bad_files_test {

using ::testing::HasSubstr;

struct BadFile {
  std::string name;
  std::string from;  // in row_sum
  std::string to;
  int line;
  int column;
  std::string message;  // a part of it
  std::string remedy;   // a part of it
  std::size_t errors = 1;
};

void PrintTo(const BadFile& file, std::ostream* stream) { *stream << file.name; }

class BadFileTest : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadFileTest, IsAnsweredWithPlaceMessageAndRemedy) {
  const BadFile& file = GetParam();
  const auto problem = parse_problem(edited(row_sum, file.from, file.to), "bad.md");
  ASSERT_FALSE(problem.ok());
  SCOPED_TRACE(to_string(problem.errors()));
  EXPECT_EQ(problem.errors().size(), file.errors);
  const Error& error = problem.error();
  EXPECT_EQ(error.location.file, "bad.md");
  EXPECT_EQ(error.location.line, file.line);
  EXPECT_EQ(error.location.column, file.column);
  EXPECT_THAT(error.message, HasSubstr(file.message));
  EXPECT_THAT(error.remedy, HasSubstr(file.remedy));
  for (const Error& each : problem.errors()) EXPECT_NE(each.remedy, "") << each.message;
}

// All of row_sum's frontmatter after its first line.
std::string row_sum_head() {
  const std::size_t begin = row_sum.find("slug:");
  return std::string(row_sum.substr(begin, row_sum.find("Sum every") - begin));
}

std::string name_of(const ::testing::TestParamInfo<BadFile>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Frontmatter, BadFileTest,
    ::testing::Values(
        BadFile{"no_opening_fence", "---\nslug", "slug", 1, 1, "no frontmatter", "`---` the first line"},
        BadFile{"no_closing_fence", "---\nSum", "Sum", 1, 1, "no end", "close it with a line `---`"},
        BadFile{"latin_1", "Row sums", "R\xe4ume", 3, 9, "not UTF-8: byte 0xe4", "encoding UTF-8"},
        BadFile{"latin_1_in_statement", "every",
                "\xfc"
                "ber",
                35, 5, "not UTF-8: byte 0xfc", "encoding UTF-8"},
        BadFile{"nul", "Row sums", std::string("Row\0sums", 8), 3, 11, "control character (0x00)",
                "remove it"},
        BadFile{"terminal_escape", "Row", "\x1b[31mRow", 3, 8, "control character (0x1b)", "remove it"},
        BadFile{"escaped_terminal_escape", "Row sums", "\"\\e[31m\"", 3, 8, "control character in a text",
                "remove"},
        BadFile{"lone_carriage_return", "Row sums", "Row\rsums", 3, 11, "control character (0x0d)",
                "remove it"},
        BadFile{"not_a_map", row_sum_head(), "- slug\n---\n", 2, 1, "frontmatter is a list",
                "keys with values"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Yaml, BadFileTest,
    ::testing::Values(
        BadFile{"colon_in_text", "Row sums", "Rows: sums", 3, 12, "broken YAML", "quotes"},
        BadFile{"unclosed_list", "[rows, columns]", "[rows, columns", 11, 9, "broken YAML", "close '['"},
        BadFile{"unclosed_quote", "type: \"[VAR]\"", "type: \"[VAR]", 13, 12, "broken YAML",
                "close quotation marks"},
        BadFile{"tab", "    pointer", "\tpointer", 8, 2, "broken YAML", "indent with spaces"},
        BadFile{"doubled_key", "title: Row sums", "title: Row sums\nslug: two", 4, 1, "'slug' is doubled",
                "first is on line 2"},
        BadFile{"doubled_key_in_case", "rows: 2,", "rows: 2, rows: 3,", 27, 39, "'rows' is doubled",
                "line 27"},
        BadFile{"anchor", "Row sums", "&a Row", 3, 8, "YAML anchor", "into quotes"},
        BadFile{"alias", "rows: 2,", "rows: *a,", 27, 36, "anchor is not defined", "into quotes"},
        BadFile{"tag", "Row sums", "!row sums", 3, 8, "YAML tag", "into quotes"},
        BadFile{"complex_key", "slug: row-sum", "[a]: 1", 2, 1, "no plain text", "quote"},
        BadFile{"second_document", "title:", "...\ntitle:", 4, 1, "second YAML document", "remove"},
        BadFile{"deep", "[float32]", std::string(40, '[') + std::string(40, ']'), 20, 24,
                "nested deeper than 16", "remove brackets"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Keys, BadFileTest,
    ::testing::Values(
        BadFile{"unknown_key", "precision", "precison", 32, 1, "unknown key 'precison'",
                "did you mean 'precision'?"},
        BadFile{"no_slug", "slug: row-sum\n", "", 1, 1, "no 'slug'", "write `slug: vector-add`"},
        BadFile{"no_title", "title: Row sums\n", "", 1, 1, "no 'title'", "write `title:"},
        BadFile{"empty_title", "title: Row sums", "title:", 3, 1, "'title' is empty", "write a text"},
        BadFile{"list_as_title", "Row sums", "[a, b]", 3, 8, "'title' is a list", "write a text"},
        BadFile{"slug", "row-sum", "Row_Sum", 2, 7, "'Row_Sum' cannot be a slug", "lower-case"},
        BadFile{"slug_path", "row-sum", "../x", 2, 7, "cannot be a slug", "lower-case"},
        BadFile{"difficulty", "EASY", "easy", 4, 13, "unknown difficulty 'easy'", "EASY, MEDIUM or HARD"},
        BadFile{"dtype", "[float32]", "[float17]", 20, 10, "unknown dtype 'float17'",
                "did you mean 'float16'"},
        BadFile{"dtypes_no_list", "[float32]", "float32", 20, 9, "'dtypes' is 'float32'", "[float32]"},
        BadFile{"precision", "fp32\nthr", "fp23\nthr", 32, 12, "unknown precision 'fp23'",
                "did you mean 'fp32'"},
        BadFile{"threshold_order", "1e-6", "1e-2", 33, 1, "do not increase", "fp32 < tf32 < bf16"},
        BadFile{"threshold_sign", "1e-6", "-1e-6", 33, 20, "threshold 'fp32'", "positive"},
        BadFile{"threshold_nan", "1e-6", ".nan", 33, 20, "'fp32' is '.nan'", "finite"},
        BadFile{"threshold_text", "1e-6", "small", 33, 20, "'fp32' is 'small'", "decimal number"},
        BadFile{"threshold_key", "{fp32:", "{fp64:", 33, 14, "unknown key 'fp64'", "fp32"},
        BadFile{"libraries", "precision: fp32", "libraries: cublas", 32, 12, "'libraries' is 'cublas'",
                "write `any`, or `none` to forbid"},
        BadFile{"libraries_false", "precision: fp32", "libraries: false", 32, 12, "'libraries' is 'false'",
                "write `any`, or `none`"},
        BadFile{"libraries_list", "precision: fp32", "libraries: [none]", 32, 12, "'libraries' is a list",
                "write a text"},
        BadFile{"libraries_empty", "precision: fp32", "libraries:", 32, 1, "'libraries' is empty",
                "write a text"},
        BadFile{"libraries_misspelt", "precision: fp32", "libaries: none", 32, 1, "unknown key 'libaries'",
                "did you mean 'libraries'?"},
        BadFile{"let_is_list", "let:\n  half: rows / 2\n  kept: rows - half", "let: [half]", 21, 6,
                "'let' is a list", "a map"},
        BadFile{"require_is_map", "  - columns > 0", "  a: columns > 0", 25, 3, "'require' is a map",
                "a list"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Parameters, BadFileTest,
    ::testing::Values(
        BadFile{"type", "size_t", "size", 17, 24, "unknown type 'size'", "did you mean 'size_t'?"},
        BadFile{"unquoted_var", "type: \"[VAR]\"", "type: [VAR]", 7, 11, "'type' is a YAML list",
                "type: \"[VAR]\""},
        BadFile{"pointer", "pointer: true", "pointer: yes", 8, 14, "'pointer' is 'yes'", "true or false"},
        BadFile{"no_pointer", ", pointer: false", "", 17, 5, "'rows' has no 'pointer'", "pointer: false"},
        BadFile{"no_const", "    const: true\n", "", 6, 11, "'input' has no 'const'",
                "`const: true` for an input"},
        BadFile{"const_and_constant", "    const: true", "    const: true\n    constant: true", 10, 5,
                "both 'const' and 'constant'", "`const` alone"},
        BadFile{"unknown_key_of_parameter", "    init:", "    inits:", 11, 5, "unknown key 'inits'",
                "did you mean 'init'?"},
        BadFile{"keyword", "name: input", "name: while", 6, 11, "'while' cannot be a name", "avoid keywords"},
        BadFile{"no_identifier", "name: input", "name: 2x", 6, 11, "'2x' cannot be a name", "letters"},
        BadFile{"reserved", "name: input", "name: in__put", 6, 11, "'in__put' cannot be a name",
                "single underscores"},
        BadFile{"doubled_name", "name: scale", "name: rows", 19, 12, "the name 'rows' is taken", "line 17",
                3},
        BadFile{"case_key", "name: input", "name: role", 6, 11, "'role' is a key of cases", "another name"},
        BadFile{"case_key_of_sets", "name: input", "name: by_set", 6, 11, "'by_set' is a key of cases",
                "another name"},
        BadFile{"let_of_parameter", "  half: rows", "  rows: rows", 22, 9, "the name 'rows' is taken",
                "line 17", 2},
        BadFile{"no_output", "const: false", "const: true", 5, 1, "no output", "const: false"},
        BadFile{"init_on_output", "shape: [kept]", "shape: [kept]\n    init: ones", 17, 5,
                "an output and has an 'init'", "poisoned"},
        BadFile{"init_on_scalar", "type: int, ", "type: int, init: ones, ", 18, 32,
                "a scalar and has an 'init'", "cases give"},
        BadFile{"shape_on_scalar", "type: int, ", "type: int, shape: [1], ", 18, 32,
                "a scalar and has a 'shape'", "pointer: true"},
        BadFile{"shape_no_list", "[kept]", "kept", 16, 12, "'shape' of parameter 'output' is 'kept'",
                "a list"},
        BadFile{"shape_empty", "[kept]", "[]", 16, 12, "is empty", "[1]"},
        BadFile{"shape_comma", "[kept]", "[max(kept, 1)]", 16, 16, "not closed", "into quotes", 2},
        BadFile{"init_name", "uniform(0, 1)", "unifrom(0, 1)", 11, 11, "no distribution: 'unifrom(0, 1)'",
                "did you mean 'uniform'?"},
        BadFile{"init_order", "uniform(0, 1)", "uniform(1, 0)", 11, 11, "lower end comes first",
                "uniform(0, 1)"},
        BadFile{"init_count", "uniform(0, 1)", "normal(0)", 11, 11, "takes 2 numbers", "normal(0, 1)"},
        BadFile{"init_number", "uniform(0, 1)", "normal(0, x)", 11, 11, "'x', which is no number",
                "normal(0, 1)"},
        BadFile{"init_deviation", "uniform(0, 1)", "normal(0, 0)", 11, 11, "must be positive",
                "normal(0, 1)"},
        BadFile{"init_integers", "uniform(0, 1)", "integers(0, 1.5)", 11, 11, "must be integers",
                "integers(-2, 3)"},
        BadFile{"init_open", "uniform(0, 1)", "uniform(0, 1", 11, 11, "not closed", "write ')'"},
        BadFile{"init_labels", "uniform(0, 1)", "labels(rows * q)", 11, 25, "unknown name 'q'", "rows"},
        BadFile{"init_ends", "uniform(0, 1)", "symmetric(integers(0, q - 1))", 11, 33, "unknown name 'q'",
                "rows"},
        BadFile{"init_fan_in", "uniform(0, 1)", "uniform_fan_in(rows * q)", 11, 33, "unknown name 'q'",
                "rows"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Expressions, BadFileTest,
    ::testing::Values(
        BadFile{"unknown_name", "rows - half", "rows - hafl", 23, 16, "unknown name 'hafl'",
                "did you mean 'half'?"},
        BadFile{"later_name", "rows / 2", "kept / 2", 22, 9, "'kept' is not defined yet", "above this one"},
        BadFile{"own_name", "rows / 2", "half / 2", 22, 9, "'half' is not defined yet", "above"},
        BadFile{"real_name", "rows / 2", "rows * scale", 22, 16, "'scale' is of type float",
                "known here: rows"},
        BadFile{"tensor_name", "rows / 2", "input / 2", 22, 9, "'input' is a tensor", "known here"},
        BadFile{"syntax", "rows / 2", "rows / / 2", 22, 16, "'/' is not expected here", "operator"},
        BadFile{"early_end", "rows / 2", "rows /", 22, 15, "ends too early", "write an integer"},
        BadFile{"unclosed", "rows / 2", "(rows / 2", 22, 9, "not closed", "write ')'"},
        BadFile{"assignment", "columns > 0", "columns = 0", 25, 13, "'=' is no operator", "=="},
        BadFile{"chained", "columns > 0", "0 < columns < 9", 25, 17, "do not chain", "a < b && b < c"},
        BadFile{"power", "rows * columns", "rows ** 2", 31, 13, "'**' is no operator", "multiply"},
        BadFile{"decimal", "rows * columns", "1.5 * rows", 31, 8, "'1.5' is no integer", "decimal integer"},
        BadFile{"huge", "rows * columns", "9223372036854775808", 31, 8, "does not fit into 64 bits",
                "at most"},
        BadFile{"logarithm", "rows * columns", "log2(rows, 2)", 31, 8, "'log2' has 2 arguments", "log2(a)"},
        BadFile{"function", "rows * columns", "mix(rows, 1)", 31, 8, "no function 'mix'",
                "did you mean 'min'?"},
        BadFile{"arguments", "rows * columns", "ceil_div(rows)", 31, 8, "'ceil_div' has 1 argument",
                "ceil_div(a, b)"},
        BadFile{"list", "rows * columns", "[rows]", 31, 8, "'flops' is a list", "integer expression"},
        BadFile{"in_quotes", "rows * columns", "\"rows * q\"", 31, 16, "unknown name 'q'", "known here"},
        BadFile{"on_a_later_line", "rows * columns", "rows *\n  q", 32, 3, "unknown name 'q'", "known here"},
        BadFile{"in_a_folded_block", "rows * columns", ">-\n  rows\n  * q", 33, 5, "unknown name 'q'",
                "known here"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Cases, BadFileTest,
    ::testing::Values(
        BadFile{"case_name", "name: tiny", "name: Tiny", 27, 12, "'Tiny' cannot name a case", "lower-case"},
        BadFile{"no_name", "name: tiny, ", "", 27, 5, "a case has no 'name'", "name: tiny"},
        BadFile{"doubled_case", "name: large", "name: tiny", 28, 5, "case name 'tiny' is taken", "line 27"},
        BadFile{"own_init", "rows: 2", "input: \"normal(1)\", rows: 2", 27, 37, "'init' normal", "normal("},
        BadFile{"own_init_with_expressions", "rows: 2", "input: labels(rows), rows: 2", 27, 37,
                "'input' cannot be drawn from 'labels(rows)' here", "normal(mean, sd)"},
        BadFile{"own_init_of_a_graph", "rows: 2", "input: \"adjacency(0.8, 0)\", rows: 2", 27, 37,
                "'input' cannot be drawn from 'adjacency(0.8, 0)' here", "normal(mean, sd)"},
        BadFile{"init_of_output", "rows: 2", "output: ones, rows: 2", 27, 30, "an output and has no value",
                "remove it"},
        BadFile{"weight", "rows: 64", "weight: 0, rows: 64", 28, 40, "has a weight of 0", "0.001 to 1000"},
        BadFile{"quick", "rows: 64", "quick: maybe, rows: 64", 28, 39, "'quick' of a case", "true or false"},
        BadFile{"quick_of_test", "rows: 2", "quick: false, rows: 2", 27, 37, "bench cases alone",
                "remove it"},
        BadFile{"weight_of_test", "rows: 2", "weight: 2, rows: 2", 27, 38, "no times that count",
                "remove it"},
        BadFile{"by_set", "rows: 64", "by_set: 1e-2, rows: 64", 28, 40, "'by_set' is", "absolute: 1e-2"},
        BadFile{"by_set_without_relative", "rows: 64", "by_set: {absolute: 1}, rows: 64", 28, 40,
                "'by_set' has no 'relative'", "relative: 1e-2"},
        BadFile{"by_set_below_zero", "rows: 64", "by_set: {absolute: -1, relative: 0}, rows: 64", 28, 51,
                "'absolute' is -1", "0 or a positive number"},
        BadFile{"by_set_of_percent", "rows: 64", "by_set: {absolute: 1, relative: 0, matched: 99}, rows: 64",
                28, 76, "'matched' is 99", "from 0 to 1"},
        BadFile{"by_set_key", "rows: 64", "by_set: {absolute: 1, relative: 0, larges: 9}, rows: 64", 28, 67,
                "unknown key 'larges'", "did you mean 'largest'?"},
        BadFile{"by_set_of_all", "cases:", "by_set: {absolute: 1}\ncases:", 26, 9,
                "'by_set' has no 'relative'", "relative: 1e-2"},
        BadFile{"role", "role: bench", "role: bensh", 28, 25, "unknown role 'bensh'",
                "did you mean 'bench'?"},
        BadFile{"role_hidden", "role: bench", "role: hidden", 28, 25, "'hidden' is for cases that no file",
                "write sample, test or bench"},
        BadFile{"no_role", "role: bench, ", "", 28, 5, "case 'large' has no 'role'", "role: test"},
        BadFile{"missing_value", "rows: 2, ", "", 27, 5, "no value for rows", "add `rows: 1`"},
        BadFile{"unknown_parameter", "scale: 1.5", "scale: 1.5, colums: 3", 27, 63, "unknown key 'colums'",
                "did you mean 'columns'?"},
        BadFile{"tensor_in_case", "scale: 1.5", "scale: 1.5, input: 3", 27, 70,
                "'init' names no distribution: '3'", ""},
        BadFile{"text_value", "rows: 2", "rows: two", 27, 36, "'rows' is 'two'", "decimal integer"},
        BadFile{"fraction", "rows: 2", "rows: 2.0", 27, 36, "'rows' is '2.0'", "decimal integer"},
        BadFile{"huge_value", "rows: 2", "rows: 99999999999999999999", 27, 36, "does not fit into 64 bits",
                "smaller"},
        BadFile{"negative_size", "rows: 2", "rows: -2", 27, 36, "-2 is outside of the type size_t",
                "from 0 to"},
        BadFile{"int_overflow", "columns: 3", "columns: 2147483648", 27, 48, "outside of the type int",
                "to 2147483647"},
        BadFile{"infinite", "scale: 1.5", "scale: 1e999", 27, 58, "'scale' is '1e999'", "finite"},
        BadFile{"empty_value", "rows: 2", "rows:", 27, 30, "'rows' is empty", "decimal integer"},
        BadFile{"fuzz_unknown", "rows: 1..3", "row: 1..3", 30, 3, "no scalar parameter: 'row'",
                "did you mean 'rows'"},
        BadFile{"fuzz_real", "rows: 1..3", "scale: x", 30, 10, "no range of numbers", "0.1..2.5"},
        BadFile{"fuzz_empty_reals", "rows: 1..3", "scale: 3..1.5", 30, 10, "range 3..1.5 is empty", "1.5..3"},
        BadFile{"fuzz_large_real", "rows: 1..3", "scale: 0..1e39", 30, 10, "'1e39' does not fit into a float",
                "smaller"},
        BadFile{"fuzz_widest", "rows: 1..3", "columns: -2147483648..2147483647 step 1", 30, 12,
                "more than 4096", "wider step"},
        BadFile{"fuzz_list", "rows: 1..3", "rows: [1, 2.5]", 30, 9, "lists '2.5', which is no integer",
                "[1, 2, 8]"},
        BadFile{"fuzz_step", "rows: 1..3", "rows: 1..9 step 0", 30, 9, "the step '0' is no positive",
                "8..64 step 8"},
        BadFile{"fuzz_powers", "rows: 1..3", "rows: powers_of_2(5..7)", 30, 9, "no power of two",
                "powers_of_2(8..64)"},
        BadFile{"fuzz_long", "rows: 1..3", "rows: 1..99999 step 2", 30, 9, "more than 4096 values",
                "wider step"},
        BadFile{"fuzz_empty_range", "rows: 1..3", "rows: 3..1", 30, 9, "range 3..1 is empty", "1..3"},
        BadFile{"fuzz_form", "rows: 1..3", "rows: 1-3", 30, 9, "no range of integers", "`1..3`"},
        BadFile{"fuzz_huge", "rows: 1..3", "rows: 1..99999999999999999999", 30, 9,
                "'99999999999999999999' does not fit into 64 bits", "smaller"},
        BadFile{"begins_unknown", "shape: [kept]", "shape: [kept]\n    begins: inputs", 17, 13,
                "names no input: 'inputs'", "write zeros or another `init`, or the name of an input"},
        BadFile{"begins_form", "shape: [kept]", "shape: [kept]\n    begins: normal(0)", 17, 13,
                "'begins' normal takes 2 numbers", "write it as in normal(0, 1)"},
        BadFile{"begins_computed", "shape: [kept]", "shape: [kept]\n    begins: computed", 17, 13,
                "'begins' of 'output' is computed", "write its name"},
        BadFile{"begins_of_input", "init: uniform(0, 1)", "init: uniform(0, 1)\n    begins: zeros", 12, 5,
                "is no output and has a 'begins'", "remove it"},
        BadFile{"scale_form", "rows: 1..3", "rows: 1..3\n  input: scale(0.1..2)", 31, 10,
                "does not go from one power of two to another", "scale(2^-24..2^24)"},
        BadFile{"scale_range", "rows: 1..3", "rows: 1..3\n  input: 1..3", 31, 10, "is no scale",
                "scale(2^-24..2^24)"},
        BadFile{"scale_far", "rows: 1..3", "rows: 1..3\n  input: scale(2^0..2^61)", 31, 10,
                "of 2^-60 to 2^60", "scale("},
        BadFile{"scale_empty", "rows: 1..3", "rows: 1..3\n  input: scale(2^3..2^-3)", 31, 10,
                "an empty scale", "scale(2^-3..2^3)"},
        BadFile{"scale_factor", "rows: 1..3", "rows: 1..3\n  input: scale(a * b)", 31, 3,
                "scales with 'a', which has no range", "of the inputs a and b", 2},
        BadFile{"scale_output", "rows: 1..3", "rows: 1..3\n  output: scale(2^0..2^1)", 31, 3,
                "no scalar parameter: 'output'", "known here"},
        BadFile{"scale_alone", "rows: 1..3", "input: scale(2^0..2^1)", 29, 1,
                "gives no scalar parameter a range", "rows: 1..31"},
        BadFile{"fuzz_type", "rows: 1..3", "rows: -1..3", 30, 9, "outside of the type size_t", "from 0"}),
    name_of);

TEST(BadFile, EmptyFileIsAnError) {
  const auto problem = parse_problem("", "empty.md");
  ASSERT_FALSE(problem.ok());
  EXPECT_EQ(to_string(problem.error()),
            "empty.md:1:1: error: the file is empty\n  hint: begin it with a line `---` and the key `slug:`");
}

TEST(BadFile, OneLineOfDashesHasNoEnd) {
  for (const std::string text : {"---", "---\n", "---\r\n"}) {
    const auto problem = parse_problem(text, "dashes.md");
    ASSERT_FALSE(problem.ok());
    EXPECT_THAT(problem.error().message, HasSubstr("no end"));
  }
}

TEST(BadFile, SizeIsLimited) {
  const std::string huge(std::size_t{16} * 1024 * 1024 + 1, 'x');
  EXPECT_THAT(parse_problem(huge, "huge.md").error().message, HasSubstr("larger than 16 MiB"));
  const std::string long_frontmatter = "---\n#" + std::string(300'000, 'x') + "\n---\n";
  EXPECT_THAT(parse_problem(long_frontmatter, "long.md").error().message, HasSubstr("larger than 256 KiB"));
}

TEST(BadFile, AllErrorsAreToldInTheOrderOfTheFile) {
  std::string text = edited(row_sum, "EASY", "easy");
  text = edited(text, "precision", "precison");
  text = edited(text, "rows: 2", "rows: two");
  text = edited(text, "rows / 2", "row / 2");
  const auto problem = parse_problem(text, "bad.md");
  ASSERT_FALSE(problem.ok());
  std::vector<int> lines;
  for (const Error& error : problem.errors()) lines.push_back(error.location.line);
  EXPECT_THAT(lines, ::testing::ElementsAre(4, 22, 27, 32));
}

TEST(BadFile, ErrorsAreCappedAt50) {
  std::string keys;
  for (int i = 0; i < 100; ++i) keys += "key" + std::to_string(i) + ": 1\n";
  const auto problem = parse_problem(edited(row_sum, "slug:", keys + "slug:"), "bad.md");
  ASSERT_FALSE(problem.ok());
  EXPECT_EQ(problem.errors().size(), 50U);
}

TEST(BadFile, LongTextIsCutInMessages) {
  const std::string key(10'000, 'k');
  const auto problem = parse_problem(edited(row_sum, "slug:", "\"" + key + "\": 1\nslug:"), "bad.md");
  ASSERT_FALSE(problem.ok());
  for (const Error& error : problem.errors()) EXPECT_LT(error.message.size(), 500U);
}

}  // namespace bad_files_test
}  // namespace kgrade::test
