// Two half-words or four bytes in a word at once (CUDA Math API manual, "SIMD Intrinsics"), and the
// combined minima and maxima of 32 and 2 x 16 bits ("DPX").
#pragma once

#include <limits>

namespace kgrade_emulated {

template <class Element>
constexpr int lane(unsigned int word, int index) {
  return static_cast<Element>(word >> 8 * static_cast<int>(sizeof(Element)) * index);
}

template <class Element>
constexpr unsigned int in_lane(int value, int index) {
  constexpr int bits = 8 * static_cast<int>(sizeof(Element));
  return (static_cast<unsigned int>(value) & ((1u << bits) - 1)) << bits * index;
}

template <class Element, class Operation>
constexpr unsigned int map_lanes(unsigned int a, unsigned int b, unsigned int c, Operation operation) {
  unsigned int result = 0;
  for (int i = 0; i < static_cast<int>(4 / sizeof(Element)); ++i) {
    result |= in_lane<Element>(operation(lane<Element>(a, i), lane<Element>(b, i), lane<Element>(c, i)), i);
  }
  return result;
}

template <class Element, class Operation>
constexpr unsigned int sum_lanes(unsigned int a, unsigned int b, Operation operation) {
  unsigned int result = 0;
  for (int i = 0; i < static_cast<int>(4 / sizeof(Element)); ++i) {
    result += static_cast<unsigned int>(operation(lane<Element>(a, i), lane<Element>(b, i)));
  }
  return result;
}

template <class Element>
constexpr int saturated(int value) {
  constexpr int least = std::numeric_limits<Element>::min(), most = std::numeric_limits<Element>::max();
  return value < least ? least : value > most ? most : value;
}

constexpr int distance(int x, int y) { return x < y ? y - x : x - y; }
// To the nearest; halves away from zero.
constexpr int average(int x, int y) { return (x + y + (x + y >= 0 ? 1 : 0)) >> 1; }

}  // namespace kgrade_emulated

#define KGRADE_LANES_OF(name, element, expression)                                      \
  inline unsigned int name(unsigned int a, unsigned int b) {                            \
    using E [[maybe_unused]] = element;                                                 \
    return kgrade_emulated::map_lanes<E>(                                               \
        a, b, 0, [](int x, [[maybe_unused]] int y, int) -> int { return expression; }); \
  }
#define KGRADE_SIGNED(name, expression)       \
  KGRADE_LANES_OF(name##2, short, expression) \
  KGRADE_LANES_OF(name##4, signed char, expression)
#define KGRADE_UNSIGNED(name, expression)              \
  KGRADE_LANES_OF(name##2, unsigned short, expression) \
  KGRADE_LANES_OF(name##4, unsigned char, expression)
#define KGRADE_ALONE(name, element, expression)                                                       \
  inline unsigned int name(unsigned int a) {                                                          \
    using E = element;                                                                                \
    return kgrade_emulated::map_lanes<E>(a, 0, 0, [](int x, int, int) -> int { return expression; }); \
  }
// Comparisons give all bits set (vcmp) or 1 (vset).
#define KGRADE_COMPARISON(ending, sign, operation) \
  KGRADE_##sign(__vcmp##ending, x operation y ? -1 : 0) KGRADE_##sign(__vset##ending, x operation y ? 1 : 0)

KGRADE_UNSIGNED(__vadd, x + y)
KGRADE_UNSIGNED(__vsub, x - y)
KGRADE_SIGNED(__vaddss, kgrade_emulated::saturated<E>(x + y))
KGRADE_SIGNED(__vsubss, kgrade_emulated::saturated<E>(x - y))
KGRADE_UNSIGNED(__vaddus, kgrade_emulated::saturated<E>(x + y))
KGRADE_UNSIGNED(__vsubus, kgrade_emulated::saturated<E>(x - y))
KGRADE_SIGNED(__vavgs, kgrade_emulated::average(x, y))
KGRADE_UNSIGNED(__vavgu, kgrade_emulated::average(x, y))
KGRADE_UNSIGNED(__vhaddu, (x + y) >> 1)
KGRADE_SIGNED(__vabsdiffs, kgrade_emulated::distance(x, y))
KGRADE_UNSIGNED(__vabsdiffu, kgrade_emulated::distance(x, y))
KGRADE_SIGNED(__vmaxs, x > y ? x : y)
KGRADE_UNSIGNED(__vmaxu, x > y ? x : y)
KGRADE_SIGNED(__vmins, x < y ? x : y)
KGRADE_UNSIGNED(__vminu, x < y ? x : y)
KGRADE_COMPARISON(eq, UNSIGNED, ==)
KGRADE_COMPARISON(ne, UNSIGNED, !=)
KGRADE_COMPARISON(ges, SIGNED, >=)
KGRADE_COMPARISON(geu, UNSIGNED, >=)
KGRADE_COMPARISON(gts, SIGNED, >)
KGRADE_COMPARISON(gtu, UNSIGNED, >)
KGRADE_COMPARISON(les, SIGNED, <=)
KGRADE_COMPARISON(leu, UNSIGNED, <=)
KGRADE_COMPARISON(lts, SIGNED, <)
KGRADE_COMPARISON(ltu, UNSIGNED, <)
KGRADE_ALONE(__vabs2, short, x < 0 ? -x : x)
KGRADE_ALONE(__vabs4, signed char, x < 0 ? -x : x)
KGRADE_ALONE(__vabsss2, short, kgrade_emulated::saturated<E>(x < 0 ? -x : x))
KGRADE_ALONE(__vabsss4, signed char, kgrade_emulated::saturated<E>(x < 0 ? -x : x))
KGRADE_ALONE(__vneg2, short, -x)
KGRADE_ALONE(__vneg4, signed char, -x)
KGRADE_ALONE(__vnegss2, short, kgrade_emulated::saturated<E>(-x))
KGRADE_ALONE(__vnegss4, signed char, kgrade_emulated::saturated<E>(-x))
#undef KGRADE_COMPARISON
#undef KGRADE_ALONE
#undef KGRADE_UNSIGNED
#undef KGRADE_SIGNED
#undef KGRADE_LANES_OF

#define KGRADE_SUM_OF_DISTANCES(name, element)                                    \
  inline unsigned int name(unsigned int a, unsigned int b) {                      \
    return kgrade_emulated::sum_lanes<element>(a, b, &kgrade_emulated::distance); \
  }
KGRADE_SUM_OF_DISTANCES(__vsads2, short)
KGRADE_SUM_OF_DISTANCES(__vsads4, signed char)
KGRADE_SUM_OF_DISTANCES(__vsadu2, unsigned short)
KGRADE_SUM_OF_DISTANCES(__vsadu4, unsigned char)
#undef KGRADE_SUM_OF_DISTANCES

namespace kgrade_emulated {

// Sums wrap around in the operands' own width.
template <class T>
constexpr T wrapped_sum(T a, T b) {
  return static_cast<T>(static_cast<unsigned int>(a) + static_cast<unsigned int>(b));
}
template <class T>
constexpr T least(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T most(T a, T b) {
  return a < b ? b : a;
}

// The chosen value of each half-word, and whether it equals the value in `a`.
template <class Element, class Choose>
unsigned int choose_halves(unsigned int a, unsigned int b, bool* high, bool* low, Choose choose) {
  *low = choose(lane<Element>(a, 0), lane<Element>(b, 0)) == lane<Element>(a, 0);
  *high = choose(lane<Element>(a, 1), lane<Element>(b, 1)) == lane<Element>(a, 1);
  return map_lanes<Element>(a, b, 0, [&](int x, int y, int) { return choose(x, y); });
}

}  // namespace kgrade_emulated

// One operation of three operands on whole words, and on half-words. `T` is the element.
#define KGRADE_DPX_WORD(name, type, expression)               \
  inline type name(type a, type b, [[maybe_unused]] type c) { \
    using namespace kgrade_emulated;                          \
    using T = type;                                           \
    return static_cast<T>(expression);                        \
  }
#define KGRADE_DPX_HALVES(name, type, expression)                                     \
  inline unsigned int name(unsigned int u, unsigned int v, unsigned int w) {          \
    return kgrade_emulated::map_lanes<type>(u, v, w, [](int i, int j, int k) -> int { \
      using namespace kgrade_emulated;                                                \
      using T = type;                                                                 \
      const T a = static_cast<T>(i), b = static_cast<T>(j), c = static_cast<T>(k);    \
      return static_cast<T>(expression);                                              \
    });                                                                               \
  }
#define KGRADE_DPX(name, expression)                               \
  KGRADE_DPX_WORD(name##_s32, int, expression)                     \
  KGRADE_DPX_WORD(name##_u32, unsigned int, expression)            \
  KGRADE_DPX_WORD(name##_s32_relu, int, most<T>(expression, T(0))) \
  KGRADE_DPX_HALVES(name##_s16x2, short, expression)               \
  KGRADE_DPX_HALVES(name##_u16x2, unsigned short, expression)      \
  KGRADE_DPX_HALVES(name##_s16x2_relu, short, most<T>(expression, T(0)))
KGRADE_DPX(__vimax3, most<T>(most<T>(a, b), c))
KGRADE_DPX(__vimin3, least<T>(least<T>(a, b), c))
KGRADE_DPX(__viaddmax, most<T>(wrapped_sum<T>(a, b), c))
KGRADE_DPX(__viaddmin, least<T>(wrapped_sum<T>(a, b), c))
#undef KGRADE_DPX
#undef KGRADE_DPX_HALVES
#undef KGRADE_DPX_WORD

inline int __vimax_s32_relu(int a, int b) { return __vimax3_s32(a, b, 0); }
inline int __vimin_s32_relu(int a, int b) { return __vimin3_s32_relu(a, b, b); }
inline unsigned int __vimax_s16x2_relu(unsigned int a, unsigned int b) { return __vimax3_s16x2(a, b, 0); }
inline unsigned int __vimin_s16x2_relu(unsigned int a, unsigned int b) {
  return __vimin3_s16x2_relu(a, b, b);
}

#define KGRADE_CHOICE(name, comparison, word, half, ending)                                                  \
  inline word name##_##ending##32(word a, word b, bool* first) {                                             \
    *first = a comparison b;                                                                                 \
    return *first ? a : b;                                                                                   \
  }                                                                                                          \
  inline unsigned int name##_##ending##16x2(unsigned int a, unsigned int b, bool* high, bool* low) {         \
    return kgrade_emulated::choose_halves<half>(a, b, high, low,                                             \
                                                [](int x, int y) -> int { return x comparison y ? x : y; }); \
  }
KGRADE_CHOICE(__vibmax, >=, int, short, s)
KGRADE_CHOICE(__vibmax, >=, unsigned int, unsigned short, u)
KGRADE_CHOICE(__vibmin, <=, int, short, s)
KGRADE_CHOICE(__vibmin, <=, unsigned int, unsigned short, u)
#undef KGRADE_CHOICE
