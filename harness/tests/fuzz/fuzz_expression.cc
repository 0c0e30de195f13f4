#include <array>
#include <limits>

#include "problem/expression.h"
#include "tests/fuzz/sound_errors.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

// The values of the names: the first byte of the input says which value the first name has.
Bindings bindings_of(const Expression& expression, std::size_t first) {
  constexpr std::array<std::int64_t, 11> values = {
      0, 1, -1, 2, 3, 64, -7, 3037000500, Limits::max(), Limits::min(), Limits::max() / 2};
  Bindings bindings;
  for (const std::string& name : expression.names()) bindings[name] = values[first++ % values.size()];
  return bindings;
}

bool equal(const Result<std::int64_t>& a, const Result<std::int64_t>& b) {
  return a.ok() == b.ok() && (!a.ok() || *a == *b);
}

}  // namespace

int fuzz_expression(const std::uint8_t* data, std::size_t size) {
  ByteReader input(data, size);
  const std::size_t first_value = input.byte();
  const std::string text = input.bytes(size > 0 ? size - 1 : 0);
  const auto expression = Expression::parse(text, {"fuzz.md", 1, 1});
  if (!expression) {
    expect_sound(expression.errors(), text);
    return 0;
  }
  const Bindings bindings = bindings_of(*expression, first_value);
  const auto value = expression->evaluate(bindings);
  if (!value) expect_sound(value.errors(), text);
  if (!bindings.empty()) {
    const auto unbound = expression->evaluate({});
    if (!unbound) expect_sound(unbound.errors(), text);
  }
  for (const auto& use : expression->name_uses()) expect_within(use.location, text);
  const auto again = Expression::parse(expression->text(), {"fuzz.md", 1, 1});
  promise(again.ok(), "the text of an expression is one");
  promise(equal(value, again->evaluate(bindings)), "the text of an expression means the same");
  return 0;
}

}  // namespace kgrade::fuzz
