// Which families of inputs (draw/family.h) a case can have, and which of them a call has.
//
// The elements of a family stay in the input's domain. A problem's file states the domain with `domain`.
// Without `domain`, whole numbers, choices, and real numbers that are all of one sign stay within what `init`
// draws. The mean of other real numbers stays within two standard deviations of 0, so that an honest kernel
// can compute a variance in one pass.
//
// Long sums limit the families of problems that do not compare exactly. Rows that ascend or descend, and
// numbers that are nearly equal, give sums that grow far beyond their results. Terms that are equal are all
// rounded the same way. Honest orders of summation then differ by more than the bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "draw/draws.h"
#include "draw/family.h"
#include "problem/case.h"

namespace kgrade {

// Whether a tensor is an input that can have families: its elements are drawn one by one, and a file's Model
// does not keep them.
bool may_have_families(const Problem& problem, const Tensor& tensor);

// The families of one tensor, without its own distribution. Inputs that the case, the file or the reference
// decides have none.
std::vector<Family> families_of(const Problem& problem, const Case& bound, std::size_t tensor);

// How many families the input with the most of them has in this case. 0: inputs have none.
std::uint32_t count_families(const Problem& problem, const Case& bound);

// The variation of a tensor in a draw. Draw::family counts from 1: the first input that has families has each
// of them in turn, first to one end of its domain and then to the other. The families of other inputs are
// chosen by chance.
Variation variation_of(const Problem& problem, const Case& bound, std::size_t tensor, const Draw& draw);

// The same contents, rounded once more to this many bits, as a contestant may round them (Draw::rounding). In
// small cases with few outputs, these are several draws, because a single draw might move no element that
// counts.
std::vector<Draw> rounded_draws(const Case& bound, const Draw& draw, std::int32_t bits);

// The family of the random numbers from which the problem's file computes inputs. The case must have such an
// input.
Family family_of_computed(const Problem& problem, const Case& bound, const Draw& draw);

// "image: all elements are equal". Empty if the draw has no family.
std::string families_text(const Problem& problem, const Case& bound, const Draw& draw);

}  // namespace kgrade
