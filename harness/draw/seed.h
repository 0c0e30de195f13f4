// Derives seeds, and the keys of random streams.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "draw/distribution.h"
#include "draw/philox.h"
#include "problem/case.h"

namespace kgrade {

// 64 bits from the kernel's generator (getrandom(2)).
std::uint64_t random_seed();
// 32 hexadecimal digits from the kernel's generator, which nobody can guess.
std::string random_id();

// The seed of a candidate's contents, by its number in the run (from 0 on) and the attempt to grade it. All
// these seeds differ, so what one candidate learns of its contents helps no other. Number 0 has the run's own
// seed in its first attempt. So a run of one candidate, with this seed as its own, repeats the contents.
std::uint64_t seed_of_candidate(std::uint64_t run_seed, std::size_t number, int attempt);

// The key of the random bits around and in buffers, derived from the seed. A contestant that sees the bits
// learns nothing about the seed, since a hash (SHA-256) is between the two.
std::uint64_t poison_key_of(std::uint64_t seed);

// The stream from which input `tensor` (its index among the parameters) of a case is drawn. The same problem,
// case, seed, tensor and draw give the same bits on every machine.
RandomStream input_stream(std::uint64_t seed, std::string_view slug, std::string_view case_name,
                          std::size_t tensor, std::uint32_t draw);

// A seed for another generator, whose user must not learn the key of the stream.
std::uint64_t seed_from(const RandomStream& stream);

// For drawn inputs only: a computed input has no distribution.
Distribution to_distribution(const ResolvedInit& init, Dtype dtype);

}  // namespace kgrade
