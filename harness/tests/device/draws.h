// What the tests of devices draw.
#pragma once

#include <vector>

#include "draw/distribution.h"

namespace kgrade {

constexpr RandomStream stream{0x0123456789abcdef, 3, 5};
constexpr RandomStream poison_stream{0x0f1e2d3c4b5a6978, 3, 5};

inline const std::vector<Distribution> distributions = {
    {Distribution::Kind::uniform, 0, 1},
    {Distribution::Kind::uniform, -0.0577350269, 0.0577350269},
    {Distribution::Kind::normal, 0.1, 3},
    {Distribution::Kind::integers, -5, 17},
    {Distribution::Kind::constant, 0.3, 0}};

}  // namespace kgrade
