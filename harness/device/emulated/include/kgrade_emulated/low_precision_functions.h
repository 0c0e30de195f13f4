// Mathematical functions and atomics (Math API manual, "Half Math Functions" and their likes for pairs and
// bfloat16). Included once for each type (low_precision.h).
//
// The functions are worked out in double and rounded once; a GPU's may differ by a unit in the last place.

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
