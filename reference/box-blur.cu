// The mean of a window around each pixel.
#include "ops/image.cuh"

extern "C" void solution(const ops::element* input_image, int kernel_size, ops::element* output_image, size_t height,
                         size_t width) {
  ops::box_blur(input_image, output_image, ops::image_shape(height, width), kernel_size);
}
