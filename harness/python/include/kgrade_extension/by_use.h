// Declares operators and standard types only if a source uses them, since declaring everything takes longer
// than compiling a small kernel. Kgrade compiles a translation unit with KGRADE_BY_USE and
// KGRADE_USES_<name>=1 for each name in its text. A unit that defines a module always gets string, vector and
// optional.
#pragma once

#if !defined(KGRADE_BY_USE) || !defined(KGRADE_EXTENSION_WITHOUT_MODULE)
#define KGRADE_USES_string 1
#define KGRADE_USES_vector 1
#define KGRADE_USES_optional 1
#endif

#ifdef KGRADE_USES_string
#include <string>
#endif
#ifdef KGRADE_USES_vector
#include <vector>
#endif
#ifdef KGRADE_USES_optional
#include <optional>
namespace c10 {
using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;
}  // namespace c10
#endif

// KGRADE_IF_USED(X, name) is X(name) if the name is used, else nothing.
#ifdef KGRADE_BY_USE
#define KGRADE_SECOND(a, b, ...) b
#define KGRADE_CHOOSE(...) KGRADE_SECOND(__VA_ARGS__)
#define KGRADE_CHOICE_1 ~, KGRADE_DECLARED
#define KGRADE_PASTED(a, b) a##b
#define KGRADE_CHOICE(uses) KGRADE_CHOOSE(KGRADE_PASTED(KGRADE_CHOICE_, uses), KGRADE_LEFT_OUT, ~)
#define KGRADE_DECLARED(X, name) X(name)
#define KGRADE_LEFT_OUT(X, name)
#define KGRADE_IF_USED(X, name) KGRADE_CHOICE(KGRADE_USES_##name)(X, name)
#else
#define KGRADE_IF_USED(X, name) X(name)
#endif
