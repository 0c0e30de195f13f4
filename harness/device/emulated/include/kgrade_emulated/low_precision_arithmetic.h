// Arithmetic and comparison functions and operators (Math API manual, "Half Arithmetic Functions", "Half
// Comparison Functions" and their likes for pairs and bfloat16). Included once for each type
// (low_precision.h).

#define KGRADE_UNARY(name, pair_name, expression)                                       \
  constexpr KGRADE_NUMBER name(KGRADE_NUMBER a) { return kgrade_emulated::expression; } \
  constexpr KGRADE_PAIR pair_name(KGRADE_PAIR a) { return {name(a.x), name(a.y)}; }
KGRADE_UNARY(__habs, __habs2, absolute(a))
KGRADE_UNARY(__hneg, __hneg2, negated(a))
#undef KGRADE_UNARY

#define KGRADE_BINARY(name, pair_name, expression)                                                       \
  constexpr KGRADE_NUMBER name(KGRADE_NUMBER a, KGRADE_NUMBER b) { return kgrade_emulated::expression; } \
  constexpr KGRADE_PAIR pair_name(KGRADE_PAIR a, KGRADE_PAIR b) { return {name(a.x, b.x), name(a.y, b.y)}; }
#define KGRADE_OPERATION(name, operation)                                                              \
  KGRADE_BINARY(name, name##2,                                                                         \
                rounded<KGRADE_NUMBER>(kgrade_emulated::value(a) operation kgrade_emulated::value(b))) \
  KGRADE_BINARY(name##_rn, name##2_rn,                                                                 \
                rounded<KGRADE_NUMBER>(kgrade_emulated::value(a) operation kgrade_emulated::value(b))) \
  KGRADE_BINARY(name##_sat, name##2_sat, saturated(name(a, b)))
KGRADE_OPERATION(__hadd, +)
KGRADE_OPERATION(__hsub, -)
KGRADE_OPERATION(__hmul, *)
KGRADE_BINARY(__hdiv, __h2div, rounded<KGRADE_NUMBER>(kgrade_emulated::value(a) / kgrade_emulated::value(b)))
KGRADE_BINARY(__hmax, __hmax2, larger(a, b))
KGRADE_BINARY(__hmin, __hmin2, smaller(a, b))
KGRADE_BINARY(__hmax_nan, __hmax2_nan,
              is_nan(a) || kgrade_emulated::is_nan(b) ? kgrade_emulated::canonical_nan<KGRADE_NUMBER>()
                                                      : kgrade_emulated::larger(a, b))
KGRADE_BINARY(__hmin_nan, __hmin2_nan,
              is_nan(a) || kgrade_emulated::is_nan(b) ? kgrade_emulated::canonical_nan<KGRADE_NUMBER>()
                                                      : kgrade_emulated::smaller(a, b))
#undef KGRADE_OPERATION
#undef KGRADE_BINARY

#define KGRADE_FUSED(suffix, expression)                                                      \
  constexpr KGRADE_NUMBER __hfma##suffix(KGRADE_NUMBER a, KGRADE_NUMBER b, KGRADE_NUMBER c) { \
    return kgrade_emulated::expression;                                                       \
  }                                                                                           \
  constexpr KGRADE_PAIR __hfma2##suffix(KGRADE_PAIR a, KGRADE_PAIR b, KGRADE_PAIR c) {        \
    return {__hfma##suffix(a.x, b.x, c.x), __hfma##suffix(a.y, b.y, c.y)};                    \
  }
KGRADE_FUSED(, fused(a, b, c))
KGRADE_FUSED(_sat, saturated(__hfma(a, b, c)))
KGRADE_FUSED(_relu, rectified(__hfma(a, b, c)))
#undef KGRADE_FUSED

// A complex a * b + c; x is the real part.
constexpr KGRADE_PAIR __hcmadd(KGRADE_PAIR a, KGRADE_PAIR b, KGRADE_PAIR c) {
  return {__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}

constexpr bool __hisnan(KGRADE_NUMBER a) { return kgrade_emulated::is_nan(a); }
constexpr int __hisinf(KGRADE_NUMBER a) {
  if (kgrade_emulated::bits_of(__habs(a)) != KGRADE_FORMAT::infinity) return 0;
  return kgrade_emulated::bits_of(a) >> 15 != 0 ? -1 : 1;
}
constexpr KGRADE_PAIR __hisnan2(KGRADE_PAIR a) {
  return {kgrade_emulated::rounded<KGRADE_NUMBER>(__hisnan(a.x) ? 1.0f : 0.0f),
          kgrade_emulated::rounded<KGRADE_NUMBER>(__hisnan(a.y) ? 1.0f : 0.0f)};
}

// The names that end in u hold for a NaN, the others do not.
#define KGRADE_COMPARISON(name, expression)                                                 \
  constexpr bool __h##name(KGRADE_NUMBER a, KGRADE_NUMBER b) {                              \
    const float x = kgrade_emulated::value(a), y = kgrade_emulated::value(b);               \
    return expression;                                                                      \
  }                                                                                         \
  constexpr bool __hb##name##2(KGRADE_PAIR a, KGRADE_PAIR b) {                              \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                      \
  }                                                                                         \
  constexpr KGRADE_PAIR __h##name##2(KGRADE_PAIR a, KGRADE_PAIR b) {                        \
    return {kgrade_emulated::rounded<KGRADE_NUMBER>(__h##name(a.x, b.x) ? 1.0f : 0.0f),     \
            kgrade_emulated::rounded<KGRADE_NUMBER>(__h##name(a.y, b.y) ? 1.0f : 0.0f)};    \
  }                                                                                         \
  constexpr unsigned int __h##name##2_mask(KGRADE_PAIR a, KGRADE_PAIR b) {                  \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u); \
  }
KGRADE_COMPARISON(eq, x == y)
KGRADE_COMPARISON(ne, x<y || x> y)
KGRADE_COMPARISON(le, x <= y)
KGRADE_COMPARISON(ge, x >= y)
KGRADE_COMPARISON(lt, x < y)
KGRADE_COMPARISON(gt, x > y)
KGRADE_COMPARISON(equ, !(x < y || x > y))
KGRADE_COMPARISON(neu, x != y)
KGRADE_COMPARISON(leu, !(x > y))
KGRADE_COMPARISON(geu, !(x < y))
KGRADE_COMPARISON(ltu, !(x >= y))
KGRADE_COMPARISON(gtu, !(x <= y))
#undef KGRADE_COMPARISON

#define KGRADE_ARITHMETIC(type, operation, function)                                         \
  constexpr type operator operation(const type& a, const type& b) { return function(a, b); } \
  constexpr type& operator operation##=(type& a, const type& b) { return a = function(a, b); }
#define KGRADE_STEP(type, operation, function, one)                            \
  constexpr type& operator operation(type& a) { return a = function(a, one); } \
  constexpr type operator operation(type& a, int) {                            \
    const type before = a;                                                     \
    a = function(a, one);                                                      \
    return before;                                                             \
  }
#define KGRADE_RELATION(type, operation, function) \
  constexpr bool operator operation(const type& a, const type& b) { return function(a, b); }

#if KGRADE_HAS_OPERATORS
KGRADE_ARITHMETIC(KGRADE_NUMBER, +, __hadd)
KGRADE_ARITHMETIC(KGRADE_NUMBER, -, __hsub)
KGRADE_ARITHMETIC(KGRADE_NUMBER, *, __hmul)
KGRADE_ARITHMETIC(KGRADE_NUMBER, /, __hdiv)
KGRADE_STEP(KGRADE_NUMBER, ++, __hadd, kgrade_emulated::rounded<KGRADE_NUMBER>(1.0f))
KGRADE_STEP(KGRADE_NUMBER, --, __hsub, kgrade_emulated::rounded<KGRADE_NUMBER>(1.0f))
constexpr KGRADE_NUMBER operator+(const KGRADE_NUMBER& a) { return a; }
constexpr KGRADE_NUMBER operator-(const KGRADE_NUMBER& a) { return __hneg(a); }
KGRADE_RELATION(KGRADE_NUMBER, ==, __heq)
KGRADE_RELATION(KGRADE_NUMBER, !=, __hneu)
KGRADE_RELATION(KGRADE_NUMBER, <, __hlt)
KGRADE_RELATION(KGRADE_NUMBER, >, __hgt)
KGRADE_RELATION(KGRADE_NUMBER, <=, __hle)
KGRADE_RELATION(KGRADE_NUMBER, >=, __hge)
#endif

#if KGRADE_HAS_PAIR_OPERATORS
KGRADE_ARITHMETIC(KGRADE_PAIR, +, __hadd2)
KGRADE_ARITHMETIC(KGRADE_PAIR, -, __hsub2)
KGRADE_ARITHMETIC(KGRADE_PAIR, *, __hmul2)
KGRADE_ARITHMETIC(KGRADE_PAIR, /, __h2div)
KGRADE_STEP(KGRADE_PAIR, ++, __hadd2, (KGRADE_NAMED(__float2, 2_rn)(1.0f)))
KGRADE_STEP(KGRADE_PAIR, --, __hsub2, (KGRADE_NAMED(__float2, 2_rn)(1.0f)))
constexpr KGRADE_PAIR operator+(const KGRADE_PAIR& a) { return a; }
constexpr KGRADE_PAIR operator-(const KGRADE_PAIR& a) { return __hneg2(a); }
KGRADE_RELATION(KGRADE_PAIR, ==, __hbeq2)
KGRADE_RELATION(KGRADE_PAIR, !=, __hbneu2)
KGRADE_RELATION(KGRADE_PAIR, <, __hblt2)
KGRADE_RELATION(KGRADE_PAIR, >, __hbgt2)
KGRADE_RELATION(KGRADE_PAIR, <=, __hble2)
KGRADE_RELATION(KGRADE_PAIR, >=, __hbge2)
#endif

#undef KGRADE_RELATION
#undef KGRADE_STEP
#undef KGRADE_ARITHMETIC
