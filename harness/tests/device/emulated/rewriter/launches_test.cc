#include "device/emulated/rewriter/launches.h"

#include <gtest/gtest.h>

#include "device/emulated/rewriter/lexer.h"

namespace kgrade::emulated::launches_test {

// "kernel|configuration" of each launch, as they would be written on one line.
std::string launches_in(const std::string& text) {
  const LexedSource source = lex(text);
  const Tokens tokens(source.tokens);
  std::string result;
  for (const Launch& launch : find_launches(tokens)) {
    if (!result.empty()) result += "; ";
    result += joined(tokens.subspan(launch.kernel, launch.open - launch.kernel)) + "|" +
              joined(tokens.subspan(launch.open + 3, launch.close - launch.open - 3));
  }
  return result;
}

TEST(Launches, FindsPlainKernels) {
  EXPECT_EQ(launches_in("k<<<1, 2>>>(a);"), "k|1, 2");
  EXPECT_EQ(launches_in("{ k <<< g, b, s, st >>> (a, b); }"), "k|g, b, s, st");
  EXPECT_EQ(launches_in("k<<<1, 2>>>(a); l<<<3, 4>>>(b);"), "k|1, 2; l|3, 4");
}

TEST(Launches, FindsQualifiedAndTemplatedKernels) {
  EXPECT_EQ(launches_in("x = 1; a::b::k<<<1, 2>>>();"), "a::b::k|1, 2");
  EXPECT_EQ(launches_in("::k<<<1, 2>>>();"), "::k|1, 2");
  EXPECT_EQ(launches_in("k<float, 3><<<1, 2>>>();"), "k<float, 3>|1, 2");
  EXPECT_EQ(launches_in("k<A<B<int>>, (3 > 2)><<<1, 2>>>();"), "k<A<B<int>>, (3 > 2)>|1, 2");
  EXPECT_EQ(launches_in("N<T>::template k<U><<<1, 2>>>();"), "N<T>::template k<U>|1, 2");
  EXPECT_EQ(launches_in("return k<T><<<1, 2>>>();"), "k<T>|1, 2");
}

TEST(Launches, FindsKernelExpressions) {
  EXPECT_EQ(launches_in("if (x) k<<<1, 2>>>();"), "k|1, 2");
  EXPECT_EQ(launches_in("if (x) (k)<<<1, 2>>>();"), "(k)|1, 2");
  EXPECT_EQ(launches_in("(*p)<<<1, 2>>>();"), "(*p)|1, 2");
  EXPECT_EQ(launches_in("else table[i]<<<1, 2>>>();"), "table[i]|1, 2");
  EXPECT_EQ(launches_in("choose<T>(n)<<<1, 2>>>();"), "choose<T>(n)|1, 2");
  EXPECT_EQ(launches_in("this->kernel_<<<1, 2>>>();"), "this->kernel_|1, 2");
  EXPECT_EQ(launches_in("case 3: k<<<1, 2>>>();"), "k|1, 2");
}

TEST(Launches, EndsTheConfigurationAtItsOwnBrackets) {
  EXPECT_EQ(launches_in("k<<<f(a, b), dim3(1), sizeof(T<x>)>>>(c >> d);"),
            "k|f(a, b), dim3(1), sizeof(T<x>)");
  EXPECT_EQ(launches_in("k<<<1, 2, bytes<T>>>>();"), "k|1, 2, bytes<T>");
  EXPECT_EQ(launches_in("k<<<1, n >> 5>>>();"), "k|1, n >> 5");
  EXPECT_EQ(launches_in("k<<<1, [] { return 2; }()>>>();"), "k|1, [] { return 2; }()");
}

TEST(Launches, TakesNothingElseForALaunch) {
  EXPECT_EQ(launches_in("std::cout << \"<<<1, 2>>>\" << x;"), "");
  EXPECT_EQ(launches_in("// k<<<1, 2>>>();\n/* k<<<1, 2>>>() */"), "");
  EXPECT_EQ(launches_in("a << b >> c; if (a < b && c > d) {}"), "");
  EXPECT_EQ(launches_in("k<<<1, 2;"), "");
  EXPECT_EQ(launches_in("<<<1, 2>>>();"), "");
  EXPECT_EQ(launches_in("using std::operator<<<char>; x >>> y;"), "");
}

TEST(Launches, FindsTemplateArgumentsThatHoldOperators) {
  EXPECT_EQ(launches_in("k<1 << 3><<<1, 2>>>();"), "k<1 << 3>|1, 2");
  EXPECT_EQ(launches_in("k<N <= 3, N >= 2><<<1, 2>>>();"), "k<N <= 3, N >= 2>|1, 2");
  EXPECT_EQ(launches_in("k<(1 >> 2), f(a < b)><<<1, 2>>>();"), "k<(1 >> 2), f(a < b)>|1, 2");
}

TEST(Launches, FindsNamesThatAMacroPastes) {
  EXPECT_EQ(launches_in("name##_kernel<<<1, 2>>>();"), "name##_kernel|1, 2");
  EXPECT_EQ(launches_in("do { name ## _##type<T><<<1, 2>>>(); } while (0)"), "name ## _##type<T>|1, 2");
}

TEST(Launches, TakesTheBracketsThatFormattersPullApart) {
  EXPECT_EQ(launches_in("k << <1, 2 >> > (a);"), "k|1, 2");
  EXPECT_EQ(launches_in("k<T> << <n >> 1, 2 >> >(a);"), "k<T>|n >> 1, 2");
  EXPECT_EQ(launches_in("k < << 1, 2 >>>(a);"), "");
  EXPECT_EQ(launches_in("a >> > b; c << < d;"), "");
}

std::string rewritten_launches(const std::string& text) {
  const LexedSource source = lex(text);
  Edits edits;
  rewrite_launches(source.tokens, edits);
  rewrite_kernelless_launch(source.tokens, edits);
  return edits.apply(text);
}

TEST(Launches, PutsALauncherBeforeTheArguments) {
  EXPECT_EQ(rewritten_launches("  k<T> <<<1,\n 2>>>(a,\n b);"),
            "  kgrade_emulated::launcher<KGRADE_EMULATED_BLOCK_MODE>(kgrade_emulated::Configuration(1, 2), "
            "\"k<T>\", KGRADE_EMULATED_PARAMETERS_OF(k<T>), KGRADE_EMULATED_CALL_OF(k<T>))\n(a,\n b);");
}

TEST(Launches, MakesAnOperatorOfAConfigurationWithoutAKernel) {
  EXPECT_EQ(rewritten_launches("<<<grid, block>>>"),
            "->*kgrade_emulated::KernellessLauncher<KGRADE_EMULATED_BLOCK_MODE>("
            "kgrade_emulated::Configuration(grid, block))");
  EXPECT_EQ(rewritten_launches("<< 3"), "<< 3");
}

}  // namespace kgrade::emulated::launches_test
