// Conversions and packing (Math API manual, "Half Precision Conversion and Data Movement" and the same for
// bfloat16). Included once for each type (low_precision.h).

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
