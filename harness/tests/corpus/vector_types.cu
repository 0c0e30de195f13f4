// Sizes, alignments and members of the vector types.
#include "device_map.h"

namespace {

template <class T>
std::vector<int> layout() {
  return {static_cast<int>(sizeof(T)), static_cast<int>(alignof(T))};
}

__global__ void reverse_four(const float4* in, float4* out) {
  const float4 v = in[threadIdx.x];
  out[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);
}

struct __align__(16) Pair {
  int2 a;
  float b;
};

}  // namespace

#define EXPECT_LAYOUT(type, bytes, alignment) \
  report.expect_equal(#type, layout<type>(), std::vector<int>{bytes, alignment})
#define EXPECT_LAYOUTS(name, bytes, two, four) \
  EXPECT_LAYOUT(name##1, bytes, bytes);        \
  EXPECT_LAYOUT(name##2, 2 * bytes, two);      \
  EXPECT_LAYOUT(name##3, 3 * bytes, bytes);    \
  EXPECT_LAYOUT(name##4, 4 * bytes, four)

CORPUS_CASE(lays_out_vectors) {
  EXPECT_LAYOUTS(char, 1, 2, 4);
  EXPECT_LAYOUTS(uchar, 1, 2, 4);
  EXPECT_LAYOUTS(short, 2, 4, 8);
  EXPECT_LAYOUTS(ushort, 2, 4, 8);
  EXPECT_LAYOUTS(int, 4, 8, 16);
  EXPECT_LAYOUTS(uint, 4, 8, 16);
  EXPECT_LAYOUTS(float, 4, 8, 16);
  EXPECT_LAYOUTS(longlong, 8, 16, 16);
  EXPECT_LAYOUTS(ulonglong, 8, 16, 16);
  EXPECT_LAYOUTS(long, 8, 16, 16);
  EXPECT_LAYOUTS(double, 8, 16, 16);
  EXPECT_LAYOUT(dim3, 12, 4);
  EXPECT_LAYOUT(Pair, 16, 16);
}

CORPUS_CASE(makes_vectors) {
  EXPECT_SAME_VALUES(int, 4, make_char4(1, -2, 3, -4).y + make_uchar3(i, 250, 7).y + make_short2(i, -300).y,
                     -2 + 250 - 300);
  EXPECT_SAME_VALUES(double, 4, make_double3(i, 0.5, 0.25).z + make_double2(i, 1).x, 0.25 + i);
  EXPECT_SAME_VALUES(long long, 4, make_longlong2(i, 1ll << 40).y + make_ulonglong4(1, 2, 3, 4).w,
                     (1ll << 40) + 4);
  EXPECT_SAME_VALUES(unsigned int, 4, make_uint4(1, 2, 3, i).w + make_int3(5, 6, 7).z + make_ushort1(9).x,
                     16u + i);
  const dim3 two(4, 5);
  report.expect_equal("dim3", std::vector<int>{int(two.x), int(two.y), int(two.z)},
                      std::vector<int>{4, 5, 1});
}

CORPUS_CASE(moves_vectors_at_once) {
  const auto values = corpus::numbers(4 * 32, 11);
  const corpus::DeviceArray<float> in(values), out(values.size());
  reverse_four<<<1, 32>>>(reinterpret_cast<const float4*>(in.data()), reinterpret_cast<float4*>(out.data()));
  report.expect_equal("reversed", out.download(),
                      corpus::on_host<float>(128, [&](int i) { return values[i / 4 * 4 + 3 - i % 4]; }));
}
