// in the place of: convolve
// order tiled: lanes = 1, splits = 1, run = 16
// order block: lanes = 8, splits = 1, run = 1 << 30
// order atomic: lanes = 1, splits = 4, run = 1 << 30
struct Tap {
  int channel = 0, z = 0, y = 0, x = 0;

  // To the tap that follows `steps` later.
  __device__ void advance(const ConvShape& shape, int steps) {
    for (x += steps; x >= shape.width.kernel; x -= shape.width.kernel) ++y;
    for (; y >= shape.height.kernel; y -= shape.height.kernel) ++z;
    for (; z >= shape.depth.kernel; z -= shape.depth.kernel) ++channel;
  }
};

// One thread, or `lanes` neighbours, compute one output. A thread adds `run` terms before it adds them to its total.
template <class Source, class Input, class Output>
__global__ void one_output_kernel(const Input* input, const element* weight, const element* bias, Output* output,
                                  accumulator* totals, ConvShape shape, WeightSteps steps) {
  const std::int64_t at = position_in_plane() / lanes;
  const std::int64_t planes = shape.batch * shape.out_channels;
  const bool inside = at < planes * shape.output_positions();
  const std::int64_t position = at % shape.output_positions();
  const std::int64_t plane = inside ? at / shape.output_positions() : 0;
  const int x = static_cast<int>(position % shape.width.output);
  const int y = static_cast<int>(position / shape.width.output % shape.height.output);
  const int z = static_cast<int>(position / shape.width.output / shape.height.output);
  const int out_channel = static_cast<int>(plane % shape.out_channels);
  const int group = out_channel / shape.out_channels_of_a_group();
  const int channels = shape.in_channels_of_a_group();
  const Input* const inputs =
      input + (plane / shape.out_channels * shape.in_channels + group * channels) * shape.input_positions();
  const element* const weights =
      weight + group * steps.group + out_channel % shape.out_channels_of_a_group() * steps.output;

  const Source source;
  accumulator total = 0, part = 0;
  int terms = 0;
  Tap tap;
  tap.advance(shape, static_cast<int>(threadIdx.x) % lanes + static_cast<int>(blockIdx.y) * lanes);
  for (; inside && tap.channel < channels; tap.advance(shape, lanes * splits)) {
    const int iz = source(shape.depth, z, tap.z), iy = source(shape.height, y, tap.y), ix = source(shape.width, x, tap.x);
    if (iz < 0 || iy < 0 || ix < 0) continue;
    part += static_cast<accumulator>(inputs[tap.channel * shape.input_positions() +
                                            (iz * shape.height.input + iy) * shape.width.input + ix]) *
            static_cast<accumulator>(weights[tap.channel * steps.input +
                                             (tap.z * shape.height.kernel + tap.y) * shape.width.kernel + tap.x]);
    if (++terms % run != 0) continue;
    total += part;
    part = 0;
  }
  total += part;
  for (int step = lanes / 2; step > 0; step /= 2) total += __shfl_down_sync(0xffffffff, total, step);
  if (!inside || threadIdx.x % lanes != 0) return;
  const accumulator added = bias != nullptr ? static_cast<accumulator>(bias[out_channel]) : accumulator(0);
  if (splits == 1) output[at] = static_cast<Output>(total + added);
  else atomicAdd(&totals[at], total + (blockIdx.y == 0 ? added : accumulator(0)));
}

__global__ void clear_totals_kernel(accumulator* totals, std::int64_t count) {
  const std::int64_t at = position_in_plane();
  if (at < count) totals[at] = 0;
}

template <class Output>
__global__ void write_totals_kernel(const accumulator* totals, Output* output, std::int64_t count) {
  const std::int64_t at = position_in_plane();
  if (at < count) output[at] = static_cast<Output>(totals[at]);
}

template <class Source, class Input, class Output>
void convolve(const Input* input, const element* weight, const element* bias, Output* output, const ConvShape& shape,
              const WeightSteps& steps) {
  const std::int64_t count = shape.batch * shape.out_channels * shape.output_positions();
  const Intermediate totals(splits == 1 ? 1 : count);
  if (totals.data() == nullptr) return;
  const dim3 each = plane_grid(1, count);
  if (splits > 1) clear_totals_kernel<<<each, threads_per_block>>>(totals.data(), count);
  dim3 grid = plane_grid(1, count * lanes);
  grid.y = splits;
  one_output_kernel<Source><<<grid, threads_per_block>>>(input, weight, bias, output, totals.data(), shape, steps);
  if (splits > 1) write_totals_kernel<<<each, threads_per_block>>>(totals.data(), output, count);
}
