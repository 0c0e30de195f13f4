#include "measure/signed_rank.h"

#include <cmath>

#include "measure/bisection.h"
#include "measure/distributions.h"

namespace kgrade {
namespace {

// P(T = t) for t up to the mean: each rank r joins the sum with probability 1/2, so the distribution over the
// first r ranks is half of the one before plus half of it shifted by r.
std::vector<double> lower_half(std::size_t count) {
  const std::size_t size = static_cast<std::size_t>(walsh_count(count)) / 2 + 1;
  std::vector<double> probability(size, 0.0);
  probability[0] = 1;
  for (std::size_t rank = 1; rank <= count; ++rank) {
    for (std::size_t t = size; t-- > rank;) probability[t] = (probability[t] + probability[t - rank]) / 2;
    for (std::size_t t = rank < size ? rank : size; t-- > 0;) probability[t] /= 2;
  }
  return probability;
}

std::optional<std::uint64_t> exact_critical_value(std::size_t count, double tail) {
  std::optional<std::uint64_t> critical;
  double cumulative = 0;
  std::uint64_t t = 0;
  for (const double probability : lower_half(count)) {
    cumulative += probability;
    if (cumulative > tail) break;
    critical = t++;
  }
  return critical;
}

// P(T <= k) is about the normal distribution's probability up to k + 1/2, with T's mean n (n + 1) / 4 and
// variance n (n + 1) (2 n + 1) / 24.
std::optional<std::uint64_t> approximate_critical_value(std::size_t count, double tail) {
  const auto n = static_cast<double>(count);
  const double mean = n * (n + 1) / 4;
  const double deviation = std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
  const double critical = std::floor(mean - 0.5 + normal_quantile(tail) * deviation);
  if (critical < 0) return std::nullopt;
  return static_cast<std::uint64_t>(critical);
}

// How many Walsh averages are at most x. The partners that stay below x get fewer as i grows.
std::uint64_t walsh_averages_up_to(const std::vector<double>& sorted, double x) {
  std::uint64_t found = 0;
  std::size_t end = sorted.size();
  for (std::size_t i = 0; i < end; ++i) {
    while (end > i && (sorted[i] + sorted[end - 1]) / 2 > x) --end;
    found += end - i;
  }
  return found;
}

}  // namespace

std::uint64_t walsh_count(std::size_t count) {
  const auto n = static_cast<std::uint64_t>(count);
  return n * (n + 1) / 2;
}

std::optional<std::uint64_t> signed_rank_critical_value(std::size_t count, double tail) {
  return count <= signed_rank_exact_limit ? exact_critical_value(count, tail)
                                          : approximate_critical_value(count, tail);
}

// Rounding keeps the order of the averages, so the least double that `rank` averages do not exceed is itself
// one of them.
double walsh_average(const std::vector<double>& sorted, std::uint64_t rank) {
  return least_double(sorted.front(), sorted.back(),
                      [&](double x) { return walsh_averages_up_to(sorted, x) >= rank; });
}

}  // namespace kgrade
