// Where the keys of random streams come from.
#pragma once

#include <cstdint>
#include <string_view>

#include "draw/distribution.h"
#include "draw/philox.h"
#include "problem/case.h"

namespace kgrade {

// 64 bits from the kernel's generator (getrandom(2)).
std::uint64_t random_seed();

// The seed of a candidate's contents, by its number in the run (from 0 on) and the attempt to grade it. All
// of them differ, so what one candidate learns of its contents helps no other. Number 0 has the run's own
// seed in its first attempt. So a run of one candidate, with this seed as its own, repeats the contents.
std::uint64_t seed_of_candidate(std::uint64_t run_seed, std::size_t number, int attempt);

// Of the random bits around and in buffers: the same for the same seed. What a contestant sees of them says
// nothing about the seed, since a hash (SHA-256) is between the two.
std::uint64_t poison_key_of(std::uint64_t seed);

// The stream that input `tensor` (its index among the parameters) of a case is drawn from: the same problem,
// case, seed, tensor and draw give the same bits on every machine.
RandomStream input_stream(std::uint64_t seed, std::string_view slug, std::string_view case_name,
                          std::size_t tensor, std::uint32_t draw);

// For a generator of its own, of someone who must not learn the key of the stream.
std::uint64_t seed_from(const RandomStream& stream);

// Of what is drawn: nothing that is computed has one.
Distribution to_distribution(const ResolvedInit& init, Dtype dtype);

}  // namespace kgrade
