#include "device/emulated/rewriter/lexer.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "compile/layout.h"
#include "device/emulated/rewriter/brackets.h"
#include "device/emulated/rewriter/rewrite.h"

namespace kgrade::emulated::lexer_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

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

// The rewriter runs in our process and opens the files that a source names: only those that its compiler may
// read.

class ReadableIncludesTest : public testing::Test {
 protected:
  ReadableIncludesTest() {
    request_.source = at("in/main.cu");
    request_.shown_as = "main.cu";
    request_.include_directories = {at("in")};
    request_.device_headers = Layout::find().share / "emulated";
    request_.output_directory = at("out");
    request_.readable = {at("in/main.cu"), at("in/own.cuh"), at("in/sub/deep.cuh"), at("operators")};
    for (const char* name :
         {"in/own.cuh", "in/sub/deep.cuh", "in/other.cu", "secret.cuh", "operators/conv.cuh"}) {
      write(name, "__global__ void k();\n");
    }
  }

  fs::path at(const std::string& name) const { return fs::canonical(folder_.path()) / name; }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories(at(name).parent_path());
    std::ofstream(at(name)) << text;
  }

  // The source with one #include, rewritten; how many headers were opened for it.
  struct Rewritten {
    std::string text;
    std::size_t headers = 0;
  };
  Rewritten rewrite(const std::string& include) {
    write("in/main.cu", "#include " + include + "\n");
    const auto tree = rewrite_tree(request_);
    EXPECT_TRUE(tree.ok());
    if (!tree.ok()) return {};
    return {read_text_file(tree->source).value(), tree->files - 1};
  }

  TemporaryDirectory folder_;
  RewriteRequest request_;
};

TEST_F(ReadableIncludesTest, FollowsWhatMayBeRead) {
  for (const char* include : {"\"own.cuh\"", "<own.cuh>", "\"sub/deep.cuh\"", "\"sub/../own.cuh\"",
                              "\"../in/own.cuh\"", "\"../operators/conv.cuh\""}) {
    const Rewritten rewritten = rewrite(include);
    EXPECT_EQ(rewritten.headers, 1u) << include;
    EXPECT_THAT(rewritten.text, HasSubstr("out/rewritten/1_"));
  }
}

TEST_F(ReadableIncludesTest, LeavesWhatMayNotBeReadToTheCompiler) {
  fs::create_symlink("../secret.cuh", at("in/link.cuh"));
  fs::create_symlink("..", at("in/up"));
  for (const char* include :
       {"\"other.cu\"", "<other.cu>", "\"../secret.cuh\"", "\"link.cuh\"", "\"up/secret.cuh\"",
        "\"up/in/other.cu\"", "\"/etc/passwd\"", "\"../../../../../../../etc/passwd\"", "\"missing.cuh\"",
        "\"../missing.cuh\""}) {
    const Rewritten rewritten = rewrite(include);
    EXPECT_EQ(rewritten.headers, 0u) << include;
    EXPECT_EQ(rewritten.text, "#line 1 \"main.cu\"\n#include " + std::string(include) + "\n");
  }
}

TEST_F(ReadableIncludesTest, SeesThroughALinkInAReadableFolder) {
  fs::remove(at("operators/conv.cuh"));
  fs::create_symlink("../secret.cuh", at("operators/conv.cuh"));
  EXPECT_EQ(rewrite("\"../operators/conv.cuh\"").headers, 0u);
}

TEST_F(ReadableIncludesTest, NothingIsReadableByAnEmptyList) {
  request_.readable = std::vector<fs::path>{};
  EXPECT_EQ(rewrite("\"own.cuh\"").headers, 0u);
  request_.readable = std::nullopt;
  EXPECT_EQ(rewrite("\"../secret.cuh\"").headers, 1u);
}

// Whether such a file exists must make no difference.
TEST_F(ReadableIncludesTest, DoesNotTellWhatLiesBesideTheDevicesHeaders) {
  const auto refusal_of = [this](const std::string& name) {
    write("in/main.cu", "#include <" + name + ">\n");
    const auto tree = rewrite_tree(request_);
    return tree.ok() ? std::string("none") : to_string(tree.error());
  };
  std::string up;
  for (int i = 0; i < 20; ++i) up += "../";
  const auto without = [](std::string text, const std::string& part) {
    return replace_all(std::move(text), part, "X");
  };
  EXPECT_EQ(without(refusal_of("cub/" + up + "etc/passwd"), "etc/passwd"),
            without(refusal_of("cub/" + up + "etc/missing"), "etc/missing"));
}

}  // namespace kgrade::emulated::lexer_test
