#include "draw/seed.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <system_error>

#include "base/defences.h"
#include "base/text.h"

namespace kgrade {
namespace {

// FNV-1a, 64 bit (http://www.isthe.com/chongo/tech/comp/fnv): distinguishes names, protects nothing.
std::uint64_t fnv1a(std::string_view text, std::uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

std::uint64_t hashed(std::string_view text) {
  return std::stoull(sha256_hex(text).substr(0, 16), nullptr, 16);
}

}  // namespace

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  return seed;
}

std::string random_id() { return fmt::format("{:016x}{:016x}", random_seed(), random_seed()); }

std::uint64_t seed_of_candidate(std::uint64_t run_seed, std::size_t number, int attempt) {
  if (!is_on(Defence::own_contents) || (number == 0 && attempt == 0)) return run_seed;
  return hashed(fmt::format("candidate {} {} {}", run_seed, number, attempt));
}

std::uint64_t poison_key_of(std::uint64_t seed) { return hashed(fmt::format("poison {}", seed)); }

RandomStream input_stream(std::uint64_t seed, std::string_view slug, std::string_view case_name,
                          std::size_t tensor, std::uint32_t draw) {
  std::uint64_t name = fnv1a(slug, 0xcbf29ce484222325ull);
  name = fnv1a("/", name);
  name = fnv1a(case_name, name);
  // One Philox block mixes seed and name into a key, so that near seeds give unrelated streams.
  const PhiloxBlock mixed =
      philox4x32_10({{static_cast<std::uint32_t>(name), static_cast<std::uint32_t>(name >> 32), 0, 0}},
                    static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
  return {std::uint64_t{mixed.word[1]} << 32 | mixed.word[0], static_cast<std::uint32_t>(tensor), draw};
}

std::uint64_t seed_from(const RandomStream& stream) {
  const PhiloxBlock random = random_block(stream, 0);
  return std::uint64_t{random.word[0]} << 32 | random.word[1];
}

static_assert(most_choices <= max_choices);

Distribution to_distribution(const ResolvedInit& init, Dtype dtype) {
  Distribution distribution{init.kind, init.first, init.second, dtype};
  distribution.structure = init.structure;
  distribution.columns = static_cast<std::uint32_t>(init.columns);
  distribution.count = static_cast<std::uint32_t>(init.choices.size());
  std::copy_n(init.choices.begin(), distribution.count, distribution.choices);
  distribution.low = init.low;
  distribution.high = init.high;
  distribution.exponent = init.scaling.exponent;
  distribution.spread = init.scaling.spread;
  distribution.is_encoded = init.encoding.has_value();
  distribution.code = init.encoding.value_or(distribution.code);
  return distribution;
}

}  // namespace kgrade
