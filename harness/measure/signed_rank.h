// The Wilcoxon signed-rank statistic T and the Walsh averages that it counts (F. Wilcoxon, "Individual
// Comparisons by Ranking Methods", Biometrics Bulletin 1, 1945).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kgrade {

// Up to this many values T's distribution is exact, above it is the normal approximation.
inline constexpr std::size_t signed_rank_exact_limit = 60;

// The greatest k for which P(T <= k) <= tail when `count` values are symmetric about 0; nothing where even
// P(T = 0) = 2^-count is more than that. 0 < tail <= 0.5.
std::optional<std::uint64_t> signed_rank_critical_value(std::size_t count, double tail);

// How many Walsh averages (v_i + v_j) / 2, i <= j, that many values have.
std::uint64_t walsh_count(std::size_t count);

// The Walsh average of 1-based `rank` in their order, exactly, in time linear in the number of values and
// without a copy of them. `sorted` is ascending and finite, 1 <= rank <= walsh_count(sorted.size()).
double walsh_average(const std::vector<double>& sorted, std::uint64_t rank);

}  // namespace kgrade
