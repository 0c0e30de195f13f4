#include "device/emulated/rewriter/lexer.h"

#include <gmock/gmock.h>

#include "device/emulated/rewriter/brackets.h"

namespace kgrade::emulated::lexer_test {

using testing::ElementsAre;

std::vector<std::string> texts(const LexedSource& source) {
  std::vector<std::string> result;
  for (const Token& token : source.tokens) result.emplace_back(token.text);
  return result;
}

TEST(Lexer, LeavesOutComments) {
  EXPECT_THAT(texts(lex("a // b <<<\nc /* d\n <<< */ e // f \\\n g\nh")), ElementsAre("a", "c", "e", "h"));
}

TEST(Lexer, TakesALiteralAsOneToken) {
  EXPECT_THAT(texts(lex(R"(f("a \" <<<", '\'', u8"x", L'y'))")),
              ElementsAre("f", "(", R"("a \" <<<")", ",", R"('\'')", ",", R"(u8"x")", ",", "L'y'", ")"));
}

TEST(Lexer, ReadsRawStringsToTheirDelimiter) {
  EXPECT_THAT(texts(lex("x = R\"ab(one )\" \" <<< // two)ab\";")),
              ElementsAre("x", "=", "R\"ab(one )\" \" <<< // two)ab\"", ";"));
}

TEST(Lexer, ReadsNumbersWithSeparatorsExponentsAndSuffixes) {
  EXPECT_THAT(texts(lex("1'000'000 0x1p-3f 1.5e+3 .5f 10ull 'a'")),
              ElementsAre("1'000'000", "0x1p-3f", "1.5e+3", ".5f", "10ull", "'a'"));
}

TEST(Lexer, KeepsAngleBracketsApart) {
  EXPECT_THAT(texts(lex("k<<<a>>>b->c::d")),
              ElementsAre("k", "<", "<", "<", "a", ">", ">", ">", "b", "->", "c", "::", "d"));
}

TEST(Lexer, KnowsTheLineOfEachToken) {
  const std::string text = "a\n/* \n */ b \\\n c\n\nd";
  const LexedSource source = lex(text);
  ASSERT_EQ(source.tokens.size(), 4u);
  EXPECT_EQ(source.tokens[0].line, 1);
  EXPECT_EQ(source.tokens[1].line, 3);
  EXPECT_EQ(source.tokens[2].line, 4);
  EXPECT_EQ(source.tokens[3].line, 6);
}

TEST(Lexer, TakesContinuedLinesIntoTheDirective) {
  const std::string text = "x\n  # define A(b) \\\n  b + 1\ny # z\n";
  const LexedSource source = lex(text);
  ASSERT_EQ(source.directives.size(), 1u);
  EXPECT_EQ(source.directives[0].name, "define");
  EXPECT_EQ(source.directives[0].line, 2);
  EXPECT_EQ(text.substr(source.directives[0].begin, source.directives[0].end - source.directives[0].begin),
            "# define A(b) \\\n  b + 1");
  EXPECT_EQ(source.directives[0].end_token - source.directives[0].first_token, 7u);
  EXPECT_EQ(source.tokens.back().text, "z");
  EXPECT_EQ(source.tokens.back().directive, -1);
}

TEST(Lexer, CountsTheConditionsAroundEachToken) {
  const std::string text = "a\n#if X\nb\n#ifdef Y\nc\n#else\nd\n#endif\n#endif\ne\n";
  const LexedSource source = lex(text);
  std::vector<int> depths;
  for (std::size_t i = 0; i < source.tokens.size(); ++i) {
    if (source.tokens[i].directive < 0) depths.push_back(source.depth[i]);
  }
  EXPECT_THAT(depths, ElementsAre(0, 1, 2, 2, 0));
}

// Whatever the text, lexing ends and the tokens are pieces of it in order.
TEST(Lexer, EndsOnBrokenText) {
  for (const std::string text :
       {"\"open", "'", "R\"(", "R\"", "/* open", "#", "#define", "\\", "a\\", "\xff\xfe", "<<<", "1'"}) {
    std::size_t end = 0;
    for (const Token& token : lex(text).tokens) {
      EXPECT_GE(token.begin, end) << text;
      EXPECT_GT(token.text.size(), 0u) << text;
      end = token.end();
    }
    EXPECT_LE(end, text.size()) << text;
  }
}

TEST(Brackets, MatchesAngleBracketsAcrossParentheses) {
  const std::string text = "k<A<int>, (a > b), f<3>()>";
  const LexedSource source = lex(text);
  const auto open = matching_angle(source.tokens, source.tokens.size() - 1);
  ASSERT_TRUE(open);
  EXPECT_EQ(*open, 1u);
  EXPECT_EQ(closing_angle(source.tokens, 1), source.tokens.size() - 1);
}

TEST(Brackets, TakesNoComparisonForAnArgumentList) {
  const std::string text = "if (a < b) { x; } y > z";
  const LexedSource source = lex(text);
  EXPECT_FALSE(closing_angle(source.tokens, 3));
}

TEST(Edits, KeepsTheNewlinesOfWhatIsReplaced) {
  Edits edits;
  edits.replace(2, 7, "X");
  edits.insert(0, "<");
  EXPECT_EQ(edits.apply("a b\nc\nd e"), "<a X\n\n e");
}

TEST(Edits, KeepsContinuations) {
  Edits edits;
  edits.replace(2, 7, "X");
  EXPECT_EQ(edits.apply("a b \\\nc d"), "a X \\\n d");
}

}  // namespace kgrade::emulated::lexer_test
