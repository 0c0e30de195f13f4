// Ten thousand generated problem files: no crash, no hang, and every error has a message and a place in the
// file.
#include <gtest/gtest.h>

#include "tests/fuzz/noise.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz::problem_files_test {

std::vector<std::string> split_at(char separator, const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) parts.emplace_back();
    if (c != separator) parts.back() += c;
  }
  return parts;
}

const std::vector<std::string>& yaml_pieces() {
  static const std::vector<std::string> pieces = split_at(
      ';',
      "\";';[;];{;};: ;- ;\n;  ;\t;#;&a ;*a;!x ;|\n;>-\n;%;---\n;...\n;(;);9223372036854775807;"
      "9223372036854775808;-1;1e400;0;/ 0;<<: ;? ;~;\\;\xff;\xef\xbb\xbf;\r\n;1..3;"
      "-9223372036854775808..9223372036854775807;shape: [n]\n;init: uniform(0, 1)\n;cases:\n;fuzz:\n;"
      "let:\n;name: n\n;n;ceil_div(n, 0);\f---\n;family: shared\n;defaults:\n;after: n, ");
  return pieces;
}

// Meaningless YAML from the words that problem files use.
std::string random_yaml(Noise& noise) {
  static const std::vector<std::string> words =
      split_at(';',
               "slug;title;family;defaults;after;shared;difficulty;author;tags;parameters;dtypes;let;require;"
               "cases;fuzz;flops;bytes;precision;thresholds;source;name;type;pointer;const;shape;init;role;"
               "EASY;true;\"false\";\"[VAR]\";float;size_t;int;float32;fp32;bench;n;m;n * m;uniform(0, 1);"
               "uniform_fan_in(n);[n, m];{name: n, type: int};1..3;7;-1;1e-5;");
  std::string text = "---\n";
  for (std::size_t lines = noise.below(40); lines > 0; --lines) {
    text += std::string(2 * noise.below(4), ' ');
    if (noise.one_in(3)) text += "- ";
    text += words[noise.below(words.size())];
    if (!noise.one_in(4)) text += ": " + words[noise.below(words.size())];
    text += "\n";
  }
  return text + (noise.one_in(8) ? "" : "---\n");
}

std::string random_file(Noise& noise, const std::vector<std::string>& originals) {
  switch (noise.below(8)) {
    case 0:
      return noise.bytes(noise.below(2000));
    case 1:
      return "---\n" + noise.bytes(noise.below(500)) + "\n---\n";
    case 2:
      return random_yaml(noise);
    default:
      return noise.mutated(originals[noise.below(originals.size())], yaml_pieces());
  }
}

TEST(HostileProblemFiles, TenThousandAreAnswered) {
  const auto originals = seeds("fuzz_frontmatter", KGRADE_SOURCE_DIR);
  ASSERT_GE(originals.size(), 5U);
  Noise noise(3);
  int sound = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string file = random_file(noise, originals);
    SCOPED_TRACE(i);
    try {
      fuzz_frontmatter(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
    } catch (const std::exception& broken) {
      FAIL() << broken.what() << " of\n" << file;
    }
    if (i % 10 == 0 && parse_fuzzed(file)) ++sound;
  }
  // The test means something only if both outcomes occurred.
  EXPECT_GT(sound, 10);
  EXPECT_LT(sound, 900);
}

}  // namespace kgrade::fuzz::problem_files_test
