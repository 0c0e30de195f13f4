#include "tests/reference/host_convolution.h"

#include <algorithm>

namespace kgrade::test {
namespace {

template <class Function>
Extents each_axis(Function function) {
  return {function(0), function(1), function(2)};
}

std::size_t offset(const Extents& extents, const Extents& position) {
  return (position[0] * extents[1] + position[1]) * extents[2] + position[2];
}

template <class Function>
void for_each_position(const Extents& extents, Function function) {
  for (std::size_t z = 0; z < extents[0]; ++z) {
    for (std::size_t y = 0; y < extents[1]; ++y) {
      for (std::size_t x = 0; x < extents[2]; ++x) function(Extents{z, y, x});
    }
  }
}

// The position that lies `tap` away from the start of window `window`.
Extents reach(const ConvArguments& a, const Extents& window, const Extents& tap) {
  return each_axis([&](int i) { return window[i] * a.stride[i] + tap[i] * a.dilation[i]; });
}

struct Plane {
  explicit Plane(const Extents& plane_extents) : extents(plane_extents), values(volume(plane_extents)) {}
  double& at(const Extents& position) { return values[offset(extents, position)]; }

  Extents extents;
  std::vector<double> values;
};

// Calls function(sample, in_channel, out_channel, in_channel of its group, out_channel of its group) for all
// pairs of channels in one group.
template <class Function>
void for_each_channel_pair(const ConvArguments& a, Function function) {
  const std::size_t ins = a.in_channels / a.groups, outs = a.out_channels / a.groups;
  for (std::size_t sample = 0; sample < a.batch; ++sample) {
    for (std::size_t group = 0; group < a.groups; ++group) {
      for (std::size_t in = 0; in < ins; ++in) {
        for (std::size_t out = 0; out < outs; ++out) {
          function(sample, group * ins + in, group * outs + out, in, out);
        }
      }
    }
  }
}

Plane padded_plane(const ConvArguments& a, const float* input) {
  Plane padded(each_axis([&](int i) { return a.input[i] + 2 * a.padding[i]; }));
  for_each_position(a.input, [&](const Extents& p) {
    padded.at(each_axis([&](int i) { return p[i] + a.padding[i]; })) = input[offset(a.input, p)];
  });
  return padded;
}

void add_correlation(const ConvArguments& a, Plane input, const float* weight, const Extents& extents,
                     double* output) {
  for_each_position(extents, [&](const Extents& p) {
    for_each_position(a.kernel, [&](const Extents& tap) {
      output[offset(extents, p)] += input.at(reach(a, p, tap)) * weight[offset(a.kernel, tap)];
    });
  });
}

// Adds the contributions of one input plane to an output plane that still has its padding.
void scatter(const ConvArguments& a, const float* input, const float* weight, Plane& spread) {
  for_each_position(a.input, [&](const Extents& p) {
    for_each_position(a.kernel, [&](const Extents& tap) {
      spread.at(reach(a, p, tap)) +=
          static_cast<double>(input[offset(a.input, p)]) * weight[offset(a.kernel, tap)];
    });
  });
}

void add_cropped(const ConvArguments& a, Plane spread, const Extents& extents, double* output) {
  for_each_position(extents, [&](const Extents& p) {
    output[offset(extents, p)] += spread.at(each_axis([&](int i) { return p[i] + a.padding[i]; }));
  });
}

}  // namespace

std::size_t volume(const Extents& extents) { return extents[0] * extents[1] * extents[2]; }

std::size_t input_elements(const ConvArguments& a) { return a.batch * a.in_channels * volume(a.input); }

std::size_t weight_elements(const ConvArguments& a) {
  return a.in_channels * (a.out_channels / a.groups) * volume(a.kernel);
}

HostOutput host_conv(const ConvArguments& a, const std::vector<float>& input,
                     const std::vector<float>& weight) {
  HostOutput result;
  // How many windows of this size fit if they move by the stride.
  result.extents = each_axis([&](int i) {
    const std::size_t window = (a.kernel[i] - 1) * a.dilation[i] + 1;
    std::size_t count = 0;
    for (std::size_t end = window; end <= a.input[i] + 2 * a.padding[i]; end += a.stride[i]) ++count;
    return count;
  });
  result.values.resize(a.batch * a.out_channels * volume(result.extents));
  for_each_channel_pair(a, [&](auto sample, auto in, auto out, auto in_of_group, auto) {
    const float* plane = &input[(sample * a.in_channels + in) * volume(a.input)];
    const float* slice = &weight[(out * (a.in_channels / a.groups) + in_of_group) * volume(a.kernel)];
    double* target = &result.values[(sample * a.out_channels + out) * volume(result.extents)];
    add_correlation(a, padded_plane(a, plane), slice, result.extents, target);
  });
  return result;
}

HostOutput host_conv_transpose(const ConvArguments& a, const std::vector<float>& input,
                               const std::vector<float>& weight) {
  // One past the farthest place that a value reaches, plus the output padding.
  const Extents full = each_axis([&](int i) {
    return (a.input[i] - 1) * a.stride[i] + (a.kernel[i] - 1) * a.dilation[i] + 1 + a.output_padding[i];
  });
  HostOutput result;
  result.extents = each_axis([&](int i) { return full[i] - 2 * a.padding[i]; });
  result.values.resize(a.batch * a.out_channels * volume(result.extents));
  for_each_channel_pair(a, [&](auto sample, auto in, auto out, auto, auto out_of_group) {
    const float* plane = &input[(sample * a.in_channels + in) * volume(a.input)];
    const float* slice = &weight[(in * (a.out_channels / a.groups) + out_of_group) * volume(a.kernel)];
    Plane spread(full);
    scatter(a, plane, slice, spread);
    double* target = &result.values[(sample * a.out_channels + out) * volume(result.extents)];
    add_cropped(a, spread, result.extents, target);
  });
  return result;
}

}  // namespace kgrade::test
