// Bright pixels become white and the others black.
#include "ops/image.cuh"

extern "C" void solution(const ops::element* input_image, float threshold_value, ops::element* output_image,
                         size_t height, size_t width) {
  ops::brighter(input_image, output_image, ops::image_shape(height, width), threshold_value);
}
