#include "record/measurement.h"

namespace kgrade {

std::vector<double> all_samples(const Measurement& measurement, std::size_t arm) {
  std::vector<double> samples;
  for (const ProcessBlocks& process : measurement.processes) {
    for (const Block& block : process.blocks) {
      samples.insert(samples.end(), block.ms[arm].begin(), block.ms[arm].end());
    }
  }
  return samples;
}

std::vector<double> counted_samples(const Measurement& measurement, std::size_t arm) {
  std::vector<double> samples;
  for (const ProcessBlocks& process : measurement.processes) {
    const std::vector<double> times = times_of(process.blocks, arm);
    samples.insert(samples.end(), times.begin(), times.end());
  }
  return samples;
}

}  // namespace kgrade
