// What the baselines tell cuDNN about a problem's shape; this needs neither cuDNN nor a device.
#include <gmock/gmock.h>

#include "baseline/shape.h"

namespace baseline::cudnn_shape_test {

using testing::ElementsAre;

TEST(CudnnShape, AForwardConvolutionGoesFromImageToResponse) {
  const Convolution shape =
      convolution_of(false, 2, 6, 9, 3, {forward_axis(17, 3, 2, 1, 1), forward_axis(19, 4, 3, 0, 2)});
  EXPECT_FALSE(shape.backward);
  EXPECT_THAT(shape.image, ElementsAre(2, 6, 17, 19));
  EXPECT_THAT(shape.response, ElementsAre(2, 9, 9, 5));
  EXPECT_THAT(shape.filter, ElementsAre(9, 2, 3, 4));
  EXPECT_THAT(shape.stride, ElementsAre(2, 3));
  EXPECT_THAT(shape.padding, ElementsAre(1, 0));
  EXPECT_THAT(shape.dilation, ElementsAre(1, 2));
  EXPECT_EQ(shape.made(), shape.response);
}

// The problem's kernel is (in_channels, out_channels / groups, ...): as the filter of the forward convolution
// that this one is the gradient of, it has in_channels outputs and out_channels / groups inputs a group.
TEST(CudnnShape, ATransposedConvolutionIsTheGradientOfOneWithTheSameKernel) {
  const Convolution shape = convolution_of(
      true, 16, 32, 64, 4, {transposed_axis(128, 3, 2, 1, 0, 2), transposed_axis(256, 5, 3, 2, 0, 1)});
  EXPECT_TRUE(shape.backward);
  EXPECT_THAT(shape.image, ElementsAre(16, 64, 257, 766));
  EXPECT_THAT(shape.response, ElementsAre(16, 32, 128, 256));
  EXPECT_THAT(shape.filter, ElementsAre(32, 16, 3, 5));
  EXPECT_EQ(shape.made(), shape.image);
}

// cuDNN accepts a gradient only if the forward convolution of the image has the response's extent.
TEST(CudnnShape, TheForwardConvolutionOfATransposedOneGivesItsInput) {
  for (std::size_t output_padding = 0; output_padding < 3; ++output_padding) {
    const Axis transposed = transposed_axis(11, 4, 3, 1, output_padding, 2);
    EXPECT_EQ(transposed.output, 10 * 3 + 2 * 3 + 1 - 2 + output_padding);
    EXPECT_EQ(forward_axis(transposed.output, 4, 3, 1, 2).output, 11U) << output_padding;
  }
}

TEST(CudnnShape, StridesFollowTheOrder) {
  EXPECT_THAT(strides_of({2, 3, 4, 5}, Order::channels_first), ElementsAre(60, 20, 5, 1));
  EXPECT_THAT(strides_of({2, 3, 4, 5}, Order::channels_last), ElementsAre(60, 1, 15, 3));
  EXPECT_THAT(strides_of({2, 3, 4, 5, 6}, Order::channels_last), ElementsAre(360, 1, 90, 18, 3));
}

TEST(CudnnShape, OnlyEqualProblemsHaveEqualKeys) {
  const std::vector<Axis> axes = {transposed_axis(8, 3, 2, 1, 0, 1)};
  const Extents key = convolution_of(true, 2, 4, 4, 2, axes).key();
  EXPECT_EQ(key, convolution_of(true, 2, 4, 4, 2, axes).key());
  EXPECT_NE(key, convolution_of(true, 2, 4, 4, 1, axes).key());
  EXPECT_NE(key, convolution_of(true, 2, 4, 4, 2, {transposed_axis(8, 3, 2, 1, 1, 1)}).key());
  EXPECT_NE(convolution_of(true, 1, 1, 1, 1, {transposed_axis(3, 1, 1, 0, 0, 1)}).key(),
            convolution_of(false, 1, 1, 1, 1, {forward_axis(3, 1, 1, 0, 1)}).key());
}

}  // namespace baseline::cudnn_shape_test
