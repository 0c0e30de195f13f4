#include "draw/draws.h"

#include "base/defences.h"
#include "draw/philox.h"

namespace kgrade {
namespace {

constexpr std::uint32_t choice_stream = 0x64726177;  // a stream apart from those of tensors

}  // namespace

Draw DrawSequence::fresh(std::uint32_t launches) {
  if (!is_on(Defence::fresh_inputs)) return {seed_, 0, 0, launches};
  return {seed_, next_++, 0, launches};
}

Draw DrawSequence::varied(std::uint32_t family) {
  Draw draw = fresh();
  draw.family = family;
  return draw;
}

Draw DrawSequence::changed(std::uint32_t launches) {
  if (!is_on(Defence::fresh_inputs) || !is_on(Defence::small_changes)) return fresh(launches);
  return {seed_, next_ - 1, ++changes_, launches};
}

std::uint32_t DrawSequence::number_below(std::uint32_t below, std::uint32_t number) const {
  return random_block({choices_, choice_stream, 0}, number).word[0] % below;
}

}  // namespace kgrade
