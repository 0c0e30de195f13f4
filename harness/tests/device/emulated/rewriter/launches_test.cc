#include "device/emulated/rewriter/launches.h"

#include <gtest/gtest.h>

#include "device/emulated/rewriter/lexer.h"
#include "device/emulated/rewriter/shared_variables.h"

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

// "type: before name after, ..." with "extern" and "align(...)" in front.
std::string declarations_in(const std::string& text) {
  const LexedSource source = lex(text);
  std::string result;
  for (const SharedDeclaration& declaration : find_shared_declarations(source.tokens)) {
    if (!result.empty()) result += "; ";
    if (declaration.is_extern) result += "extern ";
    if (!declaration.alignment.empty()) result += "align(" + declaration.alignment + ") ";
    result += declaration.type + ":";
    for (const Declarator& declarator : declaration.declarators) {
      result += " " + declarator.before + declarator.name + declarator.after;
    }
  }
  return result;
}

std::string rewritten_variables(const std::string& text) {
  const LexedSource source = lex(text);
  Edits edits;
  rewrite_shared_variables(source.tokens, find_scopes(source.tokens), edits);
  return edits.apply(text);
}

TEST(SharedVariables, ReadsArraysAndScalars) {
  EXPECT_EQ(declarations_in("{ __shared__ float a[16][17]; }"), "float: a[16][17]");
  EXPECT_EQ(declarations_in("{ __shared__ int n; __shared__ bool b; }"), "int: n; bool: b");
  EXPECT_EQ(declarations_in("{ __shared__ float a[N * 2], b, c[2][M]; }"), "float: a[N * 2] b c[2][M]");
  EXPECT_EQ(declarations_in("{ __shared__ unsigned long long a[4]; }"), "unsigned long long: a[4]");
}

TEST(SharedVariables, ReadsTemplatedAndQualifiedTypes) {
  EXPECT_EQ(declarations_in("{ __shared__ typename A<T, 3>::type a[sizeof(B<int, 2>)]; }"),
            "typename A<T, 3>::type: a[sizeof(B<int, 2>)]");
  EXPECT_EQ(declarations_in("{ __shared__ std::array<float, 4> a, b; }"), "std::array<float, 4>: a b");
  EXPECT_EQ(declarations_in("{ volatile __shared__ float a[2]; }"), "volatile float: a[2]");
  EXPECT_EQ(declarations_in("{ __shared__ volatile float a[2]; }"), "volatile float: a[2]");
  EXPECT_EQ(declarations_in("{ __shared__ struct { int i; float f; } s[3]; }"),
            "struct { int i; float f; }: s[3]");
}

TEST(SharedVariables, ReadsPointers) {
  EXPECT_EQ(declarations_in("{ __shared__ float *p, q[2], *r[3]; }"), "float: *p q[2] *r[3]");
  EXPECT_EQ(declarations_in("{ __shared__ float (*p)[4], (*f)(int), c; }"), "float: (*p)[4] (*f)(int) c");
}

TEST(SharedVariables, ReadsAlignment) {
  EXPECT_EQ(declarations_in("{ __shared__ __align__(16) char a[2]; }"), "align(16) char: a[2]");
  EXPECT_EQ(declarations_in("{ __shared__ alignas(float4) char a[2]; }"), "align(float4) char: a[2]");
  EXPECT_EQ(declarations_in("{ __attribute__((aligned(32))) __shared__ char a[2]; }"),
            "align(32) char: a[2]");
}

TEST(SharedVariables, ReadsDynamicMemory) {
  EXPECT_EQ(declarations_in("{ extern __shared__ float s[]; }"), "extern float: s[]");
  EXPECT_EQ(declarations_in("{ extern __shared__ __align__(sizeof(T)) unsigned char s[]; }"),
            "extern align(sizeof(T)) unsigned char: s[]");
  EXPECT_EQ(declarations_in("{ __shared__ extern int s[][32]; }"), "extern int: s[][32]");
}

TEST(SharedVariables, LeavesAttributesOut) {
  EXPECT_EQ(declarations_in("{ [[maybe_unused]] __shared__ int a; }"), "int: a");
  EXPECT_EQ(declarations_in("{ __shared__ int a[2] [[maybe_unused]]; b[i] = 1; __shared__ int c; }"),
            "int: a[2]; int: c");
}

TEST(SharedVariables, ReadsMacroBodies) {
  EXPECT_EQ(declarations_in("__shared__ T name[n]"), "T: name[n]");
  EXPECT_EQ(declarations_in("__shared__ float name##_left[8]; __shared__ float *right_##name;"),
            "float: name##_left[8]; float: *right_##name");
}

TEST(SharedVariables, StopsAtTheStatementBefore) {
  EXPECT_EQ(declarations_in("if (x) y(); __shared__ int a; for (;;) { __shared__ int b; }"),
            "int: a; int: b");
  EXPECT_EQ(declarations_in("switch (x) { case 1: __shared__ int a; }"), "int: a");
}

TEST(SharedVariables, LeavesOutWhatItDoesNotUnderstand) {
  EXPECT_EQ(declarations_in("{ __shared__ int a = 3; }"), "");
  EXPECT_EQ(declarations_in("{ __shared__ int a[2] = {1, 2}; }"), "");
  EXPECT_EQ(declarations_in("__shared__ unsigned int"), "");
  EXPECT_EQ(declarations_in("__shared__ volatile float4"), "");
  EXPECT_EQ(declarations_in("/* __shared__ int a; */ const char* s = \"__shared__ int b;\";"), "");
}

std::string slot(const std::string& name) {
  return "([]() -> kgrade_emulated::SharedSlot& { static kgrade_emulated::SharedSlot kgrade_slot{\"" + name +
         "\"}; return kgrade_slot; }())";
}

TEST(SharedVariables, BecomeReferencesInFunctions) {
  EXPECT_EQ(rewritten_variables("void f() {\n  __shared__ float\n a[2];\n}"),
            std::string("void f() {\n  float (&a)[2] = kgrade_emulated::shared_variable<float [2]>") +
                slot("a") + ";\n\n}");
  EXPECT_EQ(
      rewritten_variables("void f() { __align__(16) __shared__ float (*p)[4]; }"),
      std::string("void f() { float (*(&p))[4] = kgrade_emulated::shared_variable<float (*)[4], (16)>") +
          slot("p") + "; }");
  EXPECT_EQ(rewritten_variables("void f() { extern __shared__ float s[][8]; }"),
            "void f() { float (*const s)[8] = kgrade_emulated::dynamic_shared<float [][8]>(); }");
}

TEST(SharedVariables, KeepBoundsThatCompare) {
  EXPECT_EQ(rewritten_variables("void f() { __shared__ int a[n > 1 ? n : 1][2]; }"),
            std::string("void f() { int (&a)[n > 1 ? n : 1][2] = "
                        "kgrade_emulated::shared_variable<int [(n > 1 ? n : 1)][(2)]>") +
                slot("a") + "; }");
}

TEST(SharedVariables, NameATypeThatTheirDeclarationDefines) {
  EXPECT_EQ(rewritten_variables("void f() { __shared__ struct { int i; } s; }"),
            std::string("void f() { typedef struct { int i; } kgrade_type_s; kgrade_type_s (&s) = "
                        "kgrade_emulated::shared_variable<kgrade_type_s >") +
                slot("s") + "; }");
}

// The text between the brackets of each lambda.
std::string captures_in(const std::string& text) {
  const std::string result =
      rewritten_variables("void f() { __shared__ int s[2], t; extern __shared__ int d[]; " + text + " }");
  const std::size_t begin = result.find("auto g = [");
  return result.substr(begin + 10, result.find(']', begin) - begin - 10);
}

TEST(SharedVariables, AreCapturedByLambdas) {
  EXPECT_EQ(captures_in("auto g = [](int i) { return s[i]; };"), "&s");
  EXPECT_EQ(captures_in("auto g = [=] { return s[0] + t; };"), "=, &s, &t");
  EXPECT_EQ(captures_in("auto g = [n, &m]() mutable -> int { return d[0]; };"), "n, &m, &d");
  EXPECT_EQ(captures_in("auto g = [] { return [] { return t; }(); };"), "&t");
  EXPECT_EQ(captures_in("auto g = [&] { return s[0]; };"), "&");
  EXPECT_EQ(captures_in("auto g = [] { return x.s + x->t; };"), "");
  EXPECT_EQ(captures_in("auto g = [&s] { return s[0]; };"), "&s");
}

TEST(SharedVariables, BecomePointersAtNamespaceScope) {
  const std::string text = rewritten_variables("namespace n { extern __shared__ float s[]; }");
  EXPECT_NE(text.find("static kgrade_emulated::BlockHook kgrade_hook_s"), std::string::npos) << text;
  const std::string in_function =
      rewritten_variables("namespace n { void f() { extern __shared__ float s[]; } }");
  EXPECT_EQ(in_function.find("BlockHook"), std::string::npos) << in_function;
}

}  // namespace kgrade::emulated::launches_test
