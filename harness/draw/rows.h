// Rows whose elements hang together: ascending ones, shares of a whole, permutations. Every element is worked
// out by itself, in a number of steps that grows with the logarithm of the row's length; none needs the
// others. Word number i of the stream belongs to element i of the tensor, as in all draws.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/compiler.h"
#include "draw/philox.h"
#include "draw/portable_math.h"

namespace kgrade {

// One row of a tensor: its first element is number `begin`.
struct Row {
  std::uint64_t begin;
  std::uint64_t count;  // of its elements
};

KGRADE_HOST_DEVICE inline Row row_of(std::uint64_t index, std::uint64_t columns) {
  return {index / columns * columns, columns};
}

namespace detail {

// A standard normal number from one word.
KGRADE_HOST_DEVICE inline double normal_from(std::uint32_t word) {
  return portable_normal_quantile(((word >> 8) + 0.5) / 16777216.0);
}

// Parts of rows that are so short are worked out from the words of all their elements.
inline constexpr std::uint64_t few_words = 32;

// The word of the rank, from 0 on, of those of a few elements. Equal ones follow each other.
KGRADE_HOST_DEVICE inline std::uint32_t word_of_rank(const RandomStream& stream, Row row,
                                                     std::uint64_t rank) {
  std::uint32_t words[few_words];
  for (std::uint64_t i = 0; i < row.count; ++i) {
    const std::uint32_t word = random_word(stream, row.begin + i);
    std::uint64_t place = i;  // insertion sort
    for (; place > 0 && words[place - 1] > word; --place) words[place] = words[place - 1];
    words[place] = word;
  }
  return words[rank];
}

}  // namespace detail

// The number of a rank, from 0 on, among as many uniform ones from 0 to 1 as the row has elements. That of
// rank k - 1 among n has a beta distribution, of k and n - k + 1 (H. David and H. Nagaraja, "Order
// Statistics", section 2.3), and those on either side of it are uniform again: the row is halved until few
// are left. The beta distributions of the halves of more than 32 are close to normal ones, which stay between
// 0 and 1: no word gives a number that is more than 5.5 deviations away.
KGRADE_HOST_DEVICE inline double ordered_uniform(const RandomStream& stream, Row row, std::uint64_t rank) {
  double low = 0;
  double high = 1;
  while (row.count > detail::few_words) {
    const std::uint64_t middle = row.count / 2;
    const double n = static_cast<double>(row.count);
    const double k = static_cast<double>(middle + 1);
    const double deviation = sqrt(k * (n + 1 - k) / (n + 2)) / (n + 1);
    const double place =
        k / (n + 1) + deviation * detail::normal_from(random_word(stream, row.begin + middle));
    const double at = low + (high - low) * place;
    if (rank == middle) return at;
    if (rank < middle) {
      high = at;
      row.count = middle;
    } else {
      low = at;
      row = {row.begin + middle + 1, row.count - middle - 1};
      rank -= middle + 1;
    }
  }
  return low + (high - low) * ((detail::word_of_rank(stream, row, rank) + 0.5) / 4294967296.0);
}

// The same as 64 random bits that ascend with the rank.
KGRADE_HOST_DEVICE inline std::uint64_t ordered_bits(const RandomStream& stream, Row row,
                                                     std::uint64_t rank) {
  constexpr double below_one = 1 - 1.0 / 9007199254740992.0;
  const double number = ordered_uniform(stream, row, rank);
  return static_cast<std::uint64_t>((number < below_one ? number : below_one) * 18446744073709551616.0);
}

namespace detail {

// The sum of `count` exponentials of standard normal numbers, by its logarithm, as nearly normal as it is: L.
// Fenton, "The Sum of Log-Normal Probability Distributions in Scatter Transmission Systems", IRE Transactions
// on Communications Systems 8 (1960).
struct LogOfSum {
  double mean;
  double variance;
};

KGRADE_HOST_DEVICE inline LogOfSum log_of_sum(std::uint64_t count) {
  constexpr double e = 2.718281828459045;
  const double n = static_cast<double>(count);
  const double variance = portable_log(1 + (e - 1) / n);
  return {portable_log(n) + (1 - variance) / 2, variance};
}

// Of a row of a few elements.
KGRADE_HOST_DEVICE inline double log_softmax_of_few(const RandomStream& stream, Row row,
                                                    std::uint64_t column) {
  double sum = 0;
  for (std::uint64_t i = 0; i < row.count; ++i)
    sum += portable_exp(normal_from(random_word(stream, row.begin + i)));
  return normal_from(random_word(stream, row.begin + column)) - portable_log(sum);
}

// log(1 + exp(x))
KGRADE_HOST_DEVICE inline double log_of_one_and_exp(double x) {
  return (x > 0 ? x : 0) + portable_log(1 + portable_exp(x > 0 ? -x : x));
}

}  // namespace detail

// The logarithm of one element of a row that is the softmax of standard normal numbers. Each half of a long
// row has a share of its whole, and so on until few elements are left, whose softmax it is: the logarithm of
// the ratio of two halves is nearly normal. Shares add up to 1, but for rounding in double precision.
KGRADE_HOST_DEVICE inline double log_share(const RandomStream& stream, Row row, std::uint64_t column) {
  double share = 0;
  while (row.count > detail::few_words) {
    const std::uint64_t left = row.count / 2;
    const detail::LogOfSum first = detail::log_of_sum(left);
    const detail::LogOfSum second = detail::log_of_sum(row.count - left);
    const double ratio =
        first.mean - second.mean +
        sqrt(first.variance + second.variance) * detail::normal_from(random_word(stream, row.begin + left));
    if (column < left) {
      share -= detail::log_of_one_and_exp(-ratio);
      row.count = left;
    } else {
      share -= detail::log_of_one_and_exp(ratio);
      row = {row.begin + left, row.count - left};
      column -= left;
    }
  }
  return share + detail::log_softmax_of_few(stream, row, column);
}

namespace detail {

// The finalizer of MurmurHash3 (A. Appleby).
KGRADE_HOST_DEVICE inline std::uint32_t mixed(std::uint32_t bits) {
  bits = (bits ^ (bits >> 16)) * 0x85EBCA6Bu;
  bits = (bits ^ (bits >> 13)) * 0xC2B2AE35u;
  return bits ^ (bits >> 16);
}

}  // namespace detail

// What a random permutation of 0 to count - 1 puts at `column`: a Feistel network over a power of four, which
// is walked until a number below `count` comes (J. Black and P. Rogaway, "Ciphers with Arbitrary Finite
// Domains", CT-RSA 2002).
KGRADE_HOST_DEVICE inline std::uint64_t permuted(const RandomStream& stream, Row row, std::uint64_t column) {
  const std::uint64_t number = row.begin / row.count;
  const PhiloxBlock keys[2] = {random_block(stream, 2 * number), random_block(stream, 2 * number + 1)};
  unsigned int half = 1;
  while (std::uint64_t{1} << 2 * half < row.count) ++half;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  std::uint64_t value = column;
  do {
    for (unsigned int round = 0; round < 8; ++round) {
      const std::uint64_t right = value & mask;
      const std::uint32_t key = keys[round / 4].word[round % 4];
      const std::uint64_t left =
          (value >> half) ^ (detail::mixed(static_cast<std::uint32_t>(right) ^ key) & mask);
      value = right << half | left;
    }
  } while (value >= row.count);
  return value;
}

}  // namespace kgrade
