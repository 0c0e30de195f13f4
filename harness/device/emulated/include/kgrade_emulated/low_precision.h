// A 16-bit type, its pairs, and all their functions. Included once per type, without a guard. The includer
// defines these macros, and the end of this header undefines them:
//   KGRADE_NUMBER, KGRADE_NUMBER_RAW             __half, __half_raw
//   KGRADE_PAIR, KGRADE_PAIR_RAW                 __half2, __half2_raw
//   KGRADE_OTHER_NUMBER                          __nv_bfloat16, which converts explicitly
//   KGRADE_FORMAT                                kgrade_emulated::Binary16 (low_precision_values.h)
//   KGRADE_NAMED(a, b)                           a##half##b, the pattern of functions' names
//   KGRADE_NAMED_TWICE(a, b, c)                  a##half##b##half##c
//   KGRADE_HAS_CONVERSIONS, KGRADE_HAS_OPERATORS, KGRADE_HAS_PAIR_OPERATORS
//                                                0 where __CUDA_NO_... is defined

#include "cuda_runtime.h"
#include "kgrade_emulated/low_precision_values.h"

// The type, its pair and their raw twins.

struct alignas(2) KGRADE_NUMBER_RAW {
  unsigned short x;
};

struct alignas(4) KGRADE_PAIR_RAW {
  unsigned short x, y;
};

struct KGRADE_OTHER_NUMBER;

struct alignas(2) KGRADE_NUMBER {
 public:
  using Format = KGRADE_FORMAT;

  KGRADE_NUMBER() = default;
  constexpr KGRADE_NUMBER(const KGRADE_NUMBER_RAW& raw) : bits_(raw.x) {}
  constexpr KGRADE_NUMBER& operator=(const KGRADE_NUMBER_RAW& raw) { return bits_ = raw.x, *this; }
  volatile KGRADE_NUMBER& operator=(const KGRADE_NUMBER_RAW& raw) volatile { return bits_ = raw.x, *this; }
  volatile KGRADE_NUMBER& operator=(const volatile KGRADE_NUMBER_RAW& raw) volatile {
    return bits_ = raw.x, *this;
  }
  constexpr operator KGRADE_NUMBER_RAW() const { return {bits_}; }
  operator KGRADE_NUMBER_RAW() const volatile { return {bits_}; }

#if KGRADE_HAS_CONVERSIONS
  explicit KGRADE_NUMBER(KGRADE_OTHER_NUMBER x);
  constexpr KGRADE_NUMBER(float x) : bits_(Format::from_float(x)) {}
  constexpr KGRADE_NUMBER(double x)
      : bits_(kgrade_emulated::encode<Format>(x, kgrade_emulated::Rounding::nearest)) {}
  constexpr KGRADE_NUMBER& operator=(float x) { return *this = KGRADE_NUMBER(x); }
  constexpr KGRADE_NUMBER& operator=(double x) { return *this = KGRADE_NUMBER(x); }
  constexpr operator float() const { return Format::to_float(bits_); }
  constexpr operator bool() const { return (bits_ & 0x7fff) != 0; }

#define KGRADE_TO(type) \
  constexpr operator type() const { return kgrade_emulated::to_integer<type>(Format::to_float(bits_)); }
#define KGRADE_TO_AND_FROM(type)                                                        \
  constexpr KGRADE_NUMBER(type x) : KGRADE_NUMBER(kgrade_emulated::widen_integer(x)) {} \
  constexpr KGRADE_NUMBER& operator=(type x) { return *this = KGRADE_NUMBER(x); }       \
  KGRADE_TO(type)
  KGRADE_TO(char)
  KGRADE_TO(signed char)
  KGRADE_TO(unsigned char)
  KGRADE_TO_AND_FROM(short)
  KGRADE_TO_AND_FROM(unsigned short)
  KGRADE_TO_AND_FROM(int)
  KGRADE_TO_AND_FROM(unsigned int)
  KGRADE_TO_AND_FROM(long)
  KGRADE_TO_AND_FROM(unsigned long)
  KGRADE_TO_AND_FROM(long long)
  KGRADE_TO_AND_FROM(unsigned long long)
#undef KGRADE_TO_AND_FROM
#undef KGRADE_TO
#endif

 protected:
  unsigned short bits_;
};

struct alignas(4) KGRADE_PAIR {
  KGRADE_NUMBER x, y;

  KGRADE_PAIR() = default;
  constexpr KGRADE_PAIR(const KGRADE_NUMBER& low, const KGRADE_NUMBER& high) : x(low), y(high) {}
  constexpr KGRADE_PAIR(const KGRADE_PAIR_RAW& raw)
      : x(KGRADE_NUMBER_RAW{raw.x}), y(KGRADE_NUMBER_RAW{raw.y}) {}
  constexpr KGRADE_PAIR& operator=(const KGRADE_PAIR_RAW& raw) { return *this = KGRADE_PAIR(raw); }
  constexpr operator KGRADE_PAIR_RAW() const {
    return {kgrade_emulated::bits_of(x), kgrade_emulated::bits_of(y)};
  }
};

// Conversions and packing (Math API manual, "Half Precision Conversion and Data Movement" and the same for
// bfloat16).

#define KGRADE_FROM_FLOAT(suffix, rounding)                                              \
  constexpr KGRADE_NUMBER KGRADE_NAMED(__float2, suffix)(float x) {                      \
    return kgrade_emulated::rounded<KGRADE_NUMBER>(static_cast<double>(x),               \
                                                   kgrade_emulated::Rounding::rounding); \
  }
KGRADE_FROM_FLOAT(_rz, to_zero)
KGRADE_FROM_FLOAT(_rd, down)
KGRADE_FROM_FLOAT(_ru, up)
#undef KGRADE_FROM_FLOAT

constexpr KGRADE_NUMBER KGRADE_NAMED(__float2, )(float x) {
  return kgrade_emulated::rounded<KGRADE_NUMBER>(x);
}
constexpr KGRADE_NUMBER KGRADE_NAMED(__float2, _rn)(float x) {
  return kgrade_emulated::rounded<KGRADE_NUMBER>(x);
}
constexpr KGRADE_NUMBER KGRADE_NAMED(__double2, )(double x) {
  return kgrade_emulated::rounded<KGRADE_NUMBER>(x, kgrade_emulated::Rounding::nearest);
}
constexpr float KGRADE_NAMED(__, 2float)(KGRADE_NUMBER x) { return kgrade_emulated::value(x); }

#define KGRADE_INTEGER_FROM(name, type)                                                        \
  inline type KGRADE_NAMED(__, 2##name##_rn)(KGRADE_NUMBER x) {                                \
    return kgrade_emulated::to_integer<type>(__builtin_nearbyintf(kgrade_emulated::value(x))); \
  }                                                                                            \
  constexpr type KGRADE_NAMED(__, 2##name##_rz)(KGRADE_NUMBER x) {                             \
    return kgrade_emulated::to_integer<type>(kgrade_emulated::value(x));                       \
  }                                                                                            \
  inline type KGRADE_NAMED(__, 2##name##_rd)(KGRADE_NUMBER x) {                                \
    return kgrade_emulated::to_integer<type>(__builtin_floorf(kgrade_emulated::value(x)));     \
  }                                                                                            \
  inline type KGRADE_NAMED(__, 2##name##_ru)(KGRADE_NUMBER x) {                                \
    return kgrade_emulated::to_integer<type>(__builtin_ceilf(kgrade_emulated::value(x)));      \
  }
#define KGRADE_FROM_INTEGER(name, type, suffix, rounding)                                \
  constexpr KGRADE_NUMBER KGRADE_NAMED(__##name##2, suffix)(type x) {                    \
    return kgrade_emulated::rounded<KGRADE_NUMBER>(kgrade_emulated::widen_integer(x),    \
                                                   kgrade_emulated::Rounding::rounding); \
  }
#define KGRADE_INTEGER(name, type)              \
  KGRADE_INTEGER_FROM(name, type)               \
  KGRADE_FROM_INTEGER(name, type, _rn, nearest) \
  KGRADE_FROM_INTEGER(name, type, _rz, to_zero) \
  KGRADE_FROM_INTEGER(name, type, _rd, down)    \
  KGRADE_FROM_INTEGER(name, type, _ru, up)
KGRADE_INTEGER(short, short)
KGRADE_INTEGER(ushort, unsigned short)
KGRADE_INTEGER(int, int)
KGRADE_INTEGER(uint, unsigned int)
KGRADE_INTEGER(ll, long long)
KGRADE_INTEGER(ull, unsigned long long)
#undef KGRADE_INTEGER
#undef KGRADE_FROM_INTEGER
#undef KGRADE_INTEGER_FROM

constexpr signed char KGRADE_NAMED(__, 2char_rz)(KGRADE_NUMBER x) {
  return kgrade_emulated::to_integer<signed char>(kgrade_emulated::value(x));
}
constexpr unsigned char KGRADE_NAMED(__, 2uchar_rz)(KGRADE_NUMBER x) {
  return kgrade_emulated::to_integer<unsigned char>(kgrade_emulated::value(x));
}

constexpr short KGRADE_NAMED(__, _as_short)(KGRADE_NUMBER x) {
  return static_cast<short>(kgrade_emulated::bits_of(x));
}
constexpr unsigned short KGRADE_NAMED(__, _as_ushort)(KGRADE_NUMBER x) { return kgrade_emulated::bits_of(x); }
constexpr KGRADE_NUMBER KGRADE_NAMED(__short_as_, )(short bits) {
  return KGRADE_NUMBER_RAW{static_cast<unsigned short>(bits)};
}
constexpr KGRADE_NUMBER KGRADE_NAMED(__ushort_as_, )(unsigned short bits) { return KGRADE_NUMBER_RAW{bits}; }

// Pairs: x is the low half.
constexpr KGRADE_PAIR KGRADE_NAMED(make_, 2)(KGRADE_NUMBER x, KGRADE_NUMBER y) { return {x, y}; }
constexpr KGRADE_PAIR KGRADE_NAMED(__halves2, 2)(KGRADE_NUMBER x, KGRADE_NUMBER y) { return {x, y}; }
constexpr KGRADE_PAIR KGRADE_NAMED_TWICE(__, 2, 2)(KGRADE_NUMBER x) { return {x, x}; }
constexpr KGRADE_PAIR KGRADE_NAMED(__floats2, 2_rn)(float x, float y) {
  return {kgrade_emulated::rounded<KGRADE_NUMBER>(x), kgrade_emulated::rounded<KGRADE_NUMBER>(y)};
}
constexpr KGRADE_PAIR KGRADE_NAMED(__float2, 2_rn)(float x) { return KGRADE_NAMED(__floats2, 2_rn)(x, x); }
constexpr KGRADE_PAIR KGRADE_NAMED(__float22, 2_rn)(float2 v) {
  return KGRADE_NAMED(__floats2, 2_rn)(v.x, v.y);
}
constexpr float __low2float(KGRADE_PAIR v) { return kgrade_emulated::value(v.x); }
constexpr float __high2float(KGRADE_PAIR v) { return kgrade_emulated::value(v.y); }
constexpr float2 KGRADE_NAMED(__, 22float2)(KGRADE_PAIR v) { return {__low2float(v), __high2float(v)}; }
constexpr KGRADE_NUMBER KGRADE_NAMED(__low2, )(KGRADE_PAIR v) { return v.x; }
constexpr KGRADE_NUMBER KGRADE_NAMED(__high2, )(KGRADE_PAIR v) { return v.y; }
constexpr KGRADE_PAIR KGRADE_NAMED(__low2, 2)(KGRADE_PAIR v) { return {v.x, v.x}; }
constexpr KGRADE_PAIR KGRADE_NAMED(__high2, 2)(KGRADE_PAIR v) { return {v.y, v.y}; }
constexpr KGRADE_PAIR KGRADE_NAMED(__lows2, 2)(KGRADE_PAIR v, KGRADE_PAIR w) { return {v.x, w.x}; }
constexpr KGRADE_PAIR KGRADE_NAMED(__highs2, 2)(KGRADE_PAIR v, KGRADE_PAIR w) { return {v.y, w.y}; }
constexpr KGRADE_PAIR __lowhigh2highlow(KGRADE_PAIR v) { return {v.y, v.x}; }

// Arithmetic and comparison functions and operators (Math API manual, "Half Arithmetic Functions", "Half
// Comparison Functions" and their likes for pairs and bfloat16).

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

// A comparison with a NaN is true if the function's name ends in u, and false otherwise.
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

// Mathematical functions and atomics (Math API manual, "Half Math Functions" and the same sections for pairs
// and bfloat16). The functions are computed in double and rounded once. A GPU's result may differ by a unit
// in the last place.

#define KGRADE_FUNCTION(name, expression)                                                           \
  inline KGRADE_NUMBER h##name(KGRADE_NUMBER a) {                                                   \
    const double x = kgrade_emulated::value(a);                                                     \
    return kgrade_emulated::rounded<KGRADE_NUMBER>(expression, kgrade_emulated::Rounding::nearest); \
  }                                                                                                 \
  inline KGRADE_PAIR h2##name(KGRADE_PAIR a) { return {h##name(a.x), h##name(a.y)}; }
KGRADE_FUNCTION(sqrt, std::sqrt(x))
KGRADE_FUNCTION(rsqrt, 1.0 / std::sqrt(x))
KGRADE_FUNCTION(rcp, 1.0 / x)
KGRADE_FUNCTION(log, std::log(x))
KGRADE_FUNCTION(log2, std::log2(x))
KGRADE_FUNCTION(log10, std::log10(x))
KGRADE_FUNCTION(exp, std::exp(x))
KGRADE_FUNCTION(exp2, std::exp2(x))
KGRADE_FUNCTION(exp10, std::pow(10.0, x))
KGRADE_FUNCTION(tanh, std::tanh(x))
KGRADE_FUNCTION(tanh_approx, std::tanh(x))
KGRADE_FUNCTION(sin, std::sin(x))
KGRADE_FUNCTION(cos, std::cos(x))
KGRADE_FUNCTION(trunc, std::trunc(x))
KGRADE_FUNCTION(ceil, std::ceil(x))
KGRADE_FUNCTION(floor, std::floor(x))
KGRADE_FUNCTION(rint, std::nearbyint(x))
#undef KGRADE_FUNCTION

inline KGRADE_NUMBER atomicAdd(KGRADE_NUMBER* address, KGRADE_NUMBER value) {
  return kgrade_emulated::atomic_update(address, [=](KGRADE_NUMBER old) { return __hadd(old, value); });
}
inline KGRADE_PAIR atomicAdd(KGRADE_PAIR* address, KGRADE_PAIR value) {
  return kgrade_emulated::atomic_update(address, [=](KGRADE_PAIR old) { return __hadd2(old, value); });
}

#undef KGRADE_NUMBER
#undef KGRADE_NUMBER_RAW
#undef KGRADE_PAIR
#undef KGRADE_PAIR_RAW
#undef KGRADE_OTHER_NUMBER
#undef KGRADE_FORMAT
#undef KGRADE_NAMED
#undef KGRADE_NAMED_TWICE
#undef KGRADE_HAS_CONVERSIONS
#undef KGRADE_HAS_OPERATORS
#undef KGRADE_HAS_PAIR_OPERATORS
