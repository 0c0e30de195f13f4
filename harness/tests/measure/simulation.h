// Simulated measurements: whole schedules of blocks under noise of a known kind and with a known true ratio,
// from seeded random numbers.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <vector>

#include "draw/philox.h"

namespace kgrade::simulation {

class Random {
 public:
  explicit Random(std::uint64_t seed) : stream_{seed, 0, 0} {}

  // Strictly between 0 and 1.
  double uniform() {
    if (next_ == 4) {
      words_ = random_block(stream_, block_++);
      next_ = 0;
    }
    return (words_.word[next_++] + 0.5) / 4294967296.0;
  }

  // G. Box and M. Muller, Annals of Mathematical Statistics 29, 1958.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

  bool happens(double probability) { return uniform() < probability; }

 private:
  RandomStream stream_;
  std::uint64_t block_ = 0;
  PhiloxBlock words_ = {};
  unsigned next_ = 4;
};

// The factor by which each of `count` samples, in the order of time, is too long.
using Noise = std::function<std::vector<double>(Random& random, std::size_t count)>;

struct BlockTimes {
  std::array<double, 2> candidate = {};
  std::array<double, 2> opponent = {};
};

using CandidateFirst = std::function<bool(Random& random)>;
inline bool by_coin(Random& random) { return random.happens(0.5); }

// Blocks of four samples: the candidate first and last or the opponent first and last. The candidate takes
// 1 ms and the opponent `ratio` times as long.
inline std::vector<BlockTimes> run_blocks(Random& random, const Noise& noise, std::size_t count, double ratio,
                                          const CandidateFirst& candidate_first = by_coin) {
  const std::vector<double> factor = noise(random, 4 * count);
  std::vector<BlockTimes> blocks(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double* f = &factor[4 * i];
    const std::array<double, 2> outer = {f[0], f[3]};
    const std::array<double, 2> inner = {f[1], f[2]};
    const bool first = candidate_first(random);
    blocks[i] = {first ? outer : inner, first ? inner : outer};
    for (double& ms : blocks[i].opponent) ms *= ratio;
  }
  return blocks;
}

// The log of the opponent's time less that of the candidate's, for each round of each block.
inline std::vector<double> log_differences(const std::vector<BlockTimes>& blocks) {
  std::vector<double> differences;
  differences.reserve(2 * blocks.size());
  for (const BlockTimes& block : blocks) {
    for (const std::size_t round : {0, 1})
      differences.push_back(std::log(block.opponent[round] / block.candidate[round]));
  }
  return differences;
}

// Each sample independent of the others.
inline Noise independent(double deviation) {
  return [=](Random& random, std::size_t count) {
    std::vector<double> factor(count);
    for (double& f : factor) f = std::exp(deviation * random.normal());
    return factor;
  };
}

// A clock that slows down steadily, by `total` over the run.
inline Noise drifting(double total, double deviation) {
  return [=](Random& random, std::size_t count) {
    std::vector<double> factor = independent(deviation)(random, count);
    for (std::size_t i = 0; i < count; ++i) {
      factor[i] *= 1 + total * static_cast<double>(i) / static_cast<double>(count);
    }
    return factor;
  };
}

// Autoregressive of first order, with `deviation` in the long run.
inline Noise autoregressive(double correlation, double deviation) {
  return [=](Random& random, std::size_t count) {
    const double fresh = deviation * std::sqrt(1 - correlation * correlation);
    double state = deviation * random.normal();
    std::vector<double> factor(count);
    for (double& f : factor) {
      f = std::exp(state);
      state = correlation * state + fresh * random.normal();
    }
    return factor;
  };
}

// A clock with two states that it leaves at random.
inline Noise two_states(double apart, double leaving, double deviation) {
  return [=](Random& random, std::size_t count) {
    std::vector<double> factor = independent(deviation)(random, count);
    bool slow = random.happens(0.5);
    for (double& f : factor) {
      if (slow) f *= 1 + apart;
      if (random.happens(leaving)) slow = !slow;
    }
    return factor;
  };
}

// Some samples are two to ten times as long as they should be.
inline Noise with_outliers(double share, double deviation) {
  return [=](Random& random, std::size_t count) {
    std::vector<double> factor = independent(deviation)(random, count);
    for (double& f : factor) {
      if (random.happens(share)) f *= 2 + 8 * random.uniform();
    }
    return factor;
  };
}

// Some samples are longer by up to ten deviations.
inline Noise heavy_tailed(double share, double deviation) {
  return [=](Random& random, std::size_t count) {
    std::vector<double> factor = independent(deviation)(random, count);
    for (double& f : factor) {
      if (random.happens(share)) f *= std::exp(10 * deviation * random.uniform());
    }
    return factor;
  };
}

// A disturbance in step with the blocks: the outer samples of each are longer.
inline Noise in_step(double outer, double deviation) {
  return [=](Random& random, std::size_t count) {
    std::vector<double> factor = independent(deviation)(random, count);
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 4 == 0 || i % 4 == 3) factor[i] *= 1 + outer;
    }
    return factor;
  };
}

}  // namespace kgrade::simulation
