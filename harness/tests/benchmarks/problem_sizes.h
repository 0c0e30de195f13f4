// The sizes that the kernels and the plain loops share.
#pragma once

// One image, stride 1, no padding: out_height = height + kernel - 1.
struct ConvTranspose {
  int in_channels;
  int out_channels;
  int height;
  int width;
  int kernel;
};
