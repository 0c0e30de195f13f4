// The types __half, __half2 and their raw twins; or those of bfloat16. Included once for each, with these
// macros (low_precision.h): KGRADE_NUMBER, KGRADE_NUMBER_RAW, KGRADE_PAIR, KGRADE_PAIR_RAW,
// KGRADE_OTHER_NUMBER, KGRADE_FORMAT, KGRADE_HAS_CONVERSIONS.

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
