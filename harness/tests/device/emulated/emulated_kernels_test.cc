// Real .cu files, compiled and run on the emulated device, and compared with their expected results.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "tests/device/emulated/loaded_source.h"

namespace kgrade::test::emulated_kernels_test {

using testing::Each;
using testing::ElementsAreArray;
using testing::IsNan;

constexpr int success = 0;

// Small whole numbers and halves: sums of them are exact in any order.
std::vector<float> numbers(std::size_t count, unsigned int seed) {
  std::vector<float> result(count);
  unsigned int state = seed;
  for (float& value : result) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<int>(state >> 24) - 128) / 2.0f;
  }
  return result;
}

TEST(EmulatedKernels, AddsVectorsWithATail) {
  const LoadedSource source("vector_add.cu");
  const int n = 100003;
  const auto a = numbers(n, 1), b = numbers(n, 2);
  std::vector<float> c(n, NAN), expected(n);
  std::transform(a.begin(), a.end(), b.begin(), expected.begin(), std::plus<>());
  ASSERT_EQ(source.function<int(const float*, const float*, float*, int)>("vector_add")(a.data(), b.data(),
                                                                                        c.data(), n),
            success);
  EXPECT_EQ(c, expected);
}

TEST(EmulatedKernels, MultipliesMatricesInTilesWithBarriers) {
  const LoadedSource source("tiled_matmul.cu");
  const int m = 37, n = 70, k = 53;
  const auto a = numbers(m * k, 3), b = numbers(k * n, 4);
  std::vector<float> c(m * n, NAN), expected(m * n, 0.0f);
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      for (int i = 0; i < k; ++i) expected[row * n + column] += a[row * k + i] * b[i * n + column];
    }
  }
  const auto matmul = source.function<int(const float*, const float*, float*, int, int, int)>("tiled_matmul");
  ASSERT_EQ(matmul(a.data(), b.data(), c.data(), m, n, k), success);
  EXPECT_EQ(c, expected);
}

TEST(EmulatedKernels, ReducesRowsByShufflesAndSharedMemory) {
  const LoadedSource source("warp_reduction.cu");
  const int rows = 29, columns = 333;
  const auto input = numbers(rows * columns, 5);
  std::vector<float> output(rows, NAN), expected(rows);
  for (int row = 0; row < rows; ++row) {
    expected[row] = std::accumulate(&input[row * columns], &input[row * columns] + columns, 0.0f);
  }
  ASSERT_EQ(source.function<int(const float*, float*, int, int)>("row_sums")(input.data(), output.data(),
                                                                             rows, columns),
            success);
  EXPECT_EQ(output, expected);
}

// The values follow from the definitions in the Programming Guide.
TEST(EmulatedKernels, GivesEachLaneItsResultOfAWarpOperation) {
  const LoadedSource source("warp_reduction.cu");
  std::vector<int> out(12 * 32, -1);
  ASSERT_EQ(source.function<int(int*)>("warp_operations")(out.data()), success);
  for (int lane = 0; lane < 32; ++lane) {
    const int up = lane % 16 >= 3 ? lane - 3 : lane;
    const int down = lane % 16 <= 12 ? lane + 3 : lane;
    const int group = lane < 16 ? 120 : 20;
    const std::vector<int> expected = {50,
                                       lane / 8 * 8 + 1,
                                       up,
                                       down,
                                       lane ^ 1,
                                       0x49249249,
                                       1,
                                       0,
                                       static_cast<int>(0xffu << lane / 8 * 8),
                                       496,
                                       group,
                                       50};
    EXPECT_THAT(std::vector<int>(&out[12 * lane], &out[12 * lane] + 12), ElementsAreArray(expected))
        << "lane " << lane;
  }
}

TEST(EmulatedKernels, TellsWhichLanesAreConverged) {
  const LoadedSource source("warp_reduction.cu");
  std::vector<unsigned int> out(32, 0);
  ASSERT_EQ(source.function<int(unsigned int*)>("active_mask")(out.data()), success);
  for (unsigned int lane = 0; lane < 32; lane += 2) {
    EXPECT_EQ(out[lane], 0x55555555u) << lane;
    EXPECT_EQ(out[lane + 1], lane < 6 ? 0x15u + 4 : 0x55555540u) << lane;
  }
}

TEST(EmulatedKernels, DoesNotWaitForLanesThatHaveReturned) {
  const LoadedSource source("warp_reduction.cu");
  std::vector<int> out(20, -1);
  ASSERT_EQ(source.function<int(int*)>("after_return")(out.data()), success);
  EXPECT_THAT(out, Each(20));
}

TEST(EmulatedKernels, CountsWithAtomicsInSharedAndGlobalMemory) {
  const LoadedSource source("histogram.cu");
  const int n = 50000;
  std::vector<unsigned char> data(n);
  std::vector<unsigned int> bins(256, 12345), expected(256, 0);
  for (int i = 0; i < n; ++i) data[i] = static_cast<unsigned char>(i * i % 251);
  for (const unsigned char value : data) ++expected[value];
  ASSERT_EQ(source.function<int(const unsigned char*, unsigned int*, int)>("histogram")(data.data(),
                                                                                        bins.data(), n),
            success);
  EXPECT_EQ(bins, expected);
}

struct Totals {
  int i = 0, least = 0, greatest = 0, exchanged = 0;
  unsigned int wrapped = 0;
  unsigned long long u = 0;
  float f = 0;
  double d = 0;
  unsigned int bits = 0;
  float maximum_by_cas = -1;
};

TEST(EmulatedKernels, HasAtomicsOfEveryType) {
  const LoadedSource source("histogram.cu");
  Totals totals;
  ASSERT_EQ(source.function<int(Totals*)>("totals")(&totals), success);
  EXPECT_EQ(totals.i, -1024);
  EXPECT_EQ(totals.least, -1023);
  EXPECT_EQ(totals.greatest, 1023);
  EXPECT_EQ(totals.exchanged, 7);
  EXPECT_EQ(totals.wrapped, 1024u % 10);
  EXPECT_EQ(totals.u, 1024ull << 32);
  EXPECT_EQ(totals.f, 512.0f);
  EXPECT_EQ(totals.d, 256.0);
  EXPECT_EQ(totals.bits, ~0u);
  EXPECT_EQ(totals.maximum_by_cas, 1023.0f);
}

TEST(EmulatedKernels, ReversesThroughDynamicSharedMemory) {
  const LoadedSource source("dynamic_shared.cu");
  std::vector<int> data(200), expected(200);
  std::iota(data.begin(), data.end(), 0);
  std::copy(data.rbegin(), data.rend(), expected.begin());
  ASSERT_EQ(source.function<int(int*, int)>("reverse")(data.data(), 200), success);
  EXPECT_EQ(data, expected);
}

TEST(EmulatedKernels, PutsTwoArraysIntoOneDynamicBlockInATemplate) {
  const LoadedSource source("dynamic_shared.cu");
  std::vector<double> input(50), output(50, NAN), expected(50);
  std::iota(input.begin(), input.end(), 0.5);
  std::rotate_copy(input.begin(), input.begin() + 1, input.end(), expected.begin());
  ASSERT_EQ(source.function<int(const double*, double*, int)>("rotate")(input.data(), output.data(), 50),
            success);
  EXPECT_EQ(output, expected);
}

TEST(EmulatedKernels, TakesSharedVariablesAtNamespaceScope) {
  const LoadedSource source("dynamic_shared.cu");
  const int blocks = 40;
  const auto input = numbers(64 * blocks, 6);
  std::vector<float> output(64 * blocks, NAN), expected(64 * blocks);
  for (int i = 0; i < 64 * blocks; ++i) {
    const float* quad = &input[i / 4 * 4];
    expected[i] = (quad[0] + quad[1] + quad[2] + quad[3]) * 2.0f + input[i / 64 * 64 + 63];
  }
  const auto run = source.function<int(const float*, float*, int)>("namespace_scope");
  ASSERT_EQ(run(input.data(), output.data(), blocks), success);
  EXPECT_EQ(output, expected);
}

TEST(EmulatedKernels, NeedsTheAttributeForMoreThan48KiBOfSharedMemory) {
  const LoadedSource source("dynamic_shared.cu");
  const int n = 20000;
  std::vector<float> output(n, NAN);
  ASSERT_EQ(source.function<int(float*, int)>("opt_in")(output.data(), n), 1);
  EXPECT_EQ(output[0], n - 1.0f);
  EXPECT_EQ(output[n - 1], 0.0f);
}

TEST(EmulatedKernels, CountsStaticSharedMemoryWithDynamicUpToTheLimit) {
  const LoadedSource source("dynamic_shared.cu");
  std::vector<float> output(32, NAN);
  const int static_bytes = 32 * sizeof(float);
  ASSERT_EQ(source.function<int(float*, int)>("beside_static")(output.data(), 48 * 1024 - static_bytes),
            success);
  EXPECT_EQ(output[0], 32.0f);
  ASSERT_EQ(source.function<int(float*, int)>("opt_in_beside_static")(output.data(), 48 * 1024 + 1), success);
}

TEST(EmulatedKernels, FillsFreshSharedMemoryWithNaN) {
  const LoadedSource source("dynamic_shared.cu");
  std::vector<float> output(8, 0.0f);
  ASSERT_EQ(source.function<int(float*)>("unwritten")(output.data()), success);
  EXPECT_THAT(output, Each(IsNan()));
}

TEST(EmulatedKernels, LaunchesInEveryForm) {
  const LoadedSource source("launch_forms.cu");
  std::vector<int> counters(28, 0);
  ASSERT_EQ(source.function<int(int*)>("launch_forms")(counters.data()), success);
  std::vector<int> expected(28, 1);
  expected[27] = 0;
  EXPECT_EQ(counters, expected);
}

TEST(EmulatedKernels, CopiesToConstantMemoryAndDeviceVariables) {
  const LoadedSource source("memory_spaces.cu");
  const std::vector<float> input = {4, 8, 0, -4, 2, 100, 1};
  std::vector<float> output(7, NAN);
  ASSERT_EQ(source.function<int(const float*, float*, int)>("stencil")(input.data(), output.data(), 7),
            success);
  EXPECT_THAT(output, ElementsAreArray({9.0f, 12.0f, 5.0f, 1.0f, 51.0f, 103.5f, 54.0f}));
}

TEST(EmulatedKernels, OffersTheRuntimeApi) {
  const LoadedSource source("memory_spaces.cu");
  EXPECT_EQ(source.function<int()>("runtime_api")(), 0) << "the line of the first call that fails";
}

TEST(EmulatedKernels, CoversGridsOfThreeDimensionsOnce) {
  const LoadedSource source("grids.cu");
  const unsigned int x = 13, y = 7, z = 11;
  std::vector<int> out(x * y * z, 0), expected;
  for (unsigned int i = 0; i < z; ++i) {
    for (unsigned int j = 0; j < y; ++j) {
      for (unsigned int k = 0; k < x; ++k) expected.push_back(static_cast<int>(k + 100 * j + 10000 * i));
    }
  }
  ASSERT_EQ(source.function<int(int*, unsigned, unsigned, unsigned)>("positions")(out.data(), x, y, z),
            success);
  EXPECT_EQ(out, expected);
}

TEST(EmulatedKernels, StridesOverTheGrid) {
  const LoadedSource source("grids.cu");
  std::vector<float> data(10007, 3.0f);
  ASSERT_EQ(source.function<int(float*, std::size_t)>("stride")(data.data(), data.size()), success);
  EXPECT_THAT(data, Each(7.0f));
}

TEST(EmulatedKernels, CountsThreadsThatReturnedAsAtTheBarrier) {
  const LoadedSource source("grids.cu");
  const int n = 77;
  std::vector<int> input(n), output(n, -1), expected(n);
  std::iota(input.begin(), input.end(), 0);
  for (int i = 0; i < n; ++i) expected[i] = n - 1 - i + 1000 * 39 + 100000;
  ASSERT_EQ(source.function<int(const int*, int*, int)>("early_return")(input.data(), output.data(), n),
            success);
  EXPECT_EQ(output, expected);
}

TEST(EmulatedKernels, AgreesWithTheMathApi) {
  const LoadedSource source("device_math.cu");
  const std::vector<double> expected = {0.5,
                                        std::exp(1.0),
                                        std::log(3.14159265358979),
                                        std::sqrt(2.0),
                                        10,
                                        0.125,
                                        1,
                                        std::tanh(0.5),
                                        std::erf(0.5),
                                        1,
                                        -4,
                                        4,
                                        2,
                                        3.5,
                                        1,
                                        16,
                                        31,
                                        4,
                                        1,
                                        3,
                                        2,
                                        -2,
                                        -3,
                                        2147483647,
                                        0x3f800000,
                                        2,
                                        1,
                                        3,
                                        1,
                                        1,
                                        11,
                                        36,
                                        1};
  std::vector<double> values(expected.size(), NAN);
  ASSERT_EQ(source.function<int(double*)>("functions")(values.data()), success);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(values[i], expected[i], 2e-7 * std::abs(expected[i])) << "value " << i;
  }
}

TEST(EmulatedKernels, TwoLibrariesAtOnceKeepTheirNamesApart) {
  const LoadedSource first("vector_add.cu"), second("vector_add.cu"), third("memory_spaces.cu");
  std::vector<float> a = {1, 2}, c(2);
  for (const LoadedSource* source : {&first, &second}) {
    c = {0, 0};
    source->function<int(const float*, const float*, float*, int)>("vector_add")(a.data(), a.data(), c.data(),
                                                                                 2);
    EXPECT_THAT(c, ElementsAreArray({2.0f, 4.0f}));
  }
}

}  // namespace kgrade::test::emulated_kernels_test
