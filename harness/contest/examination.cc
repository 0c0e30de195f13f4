#include "contest/examination.h"

#include <utility>

namespace kgrade {

std::optional<OutputValues> examine_output(const Lease& actual, const Lease& expected, std::size_t output) {
  const Tensor& tensor = *actual.outputs().at(output).tensor;
  if (static_cast<std::uint64_t>(tensor.elements) > most_examined_elements) return std::nullopt;
  OutputValues values;
  values.tensor = tensor.name;
  values.shape = tensor.shape;
  values.got = actual.output_values(output);
  values.untouched = actual.untouched(output);
  values.expected = expected.output_values(output);
  const auto pair = actual.pair_with(expected, output);
  values.magnitudes = pair.magnitudes;
  if (!is_integer(pair.dtype)) values.dtype = pair.dtype;
  return values;
}

void call_on_filled_outputs(ContestantRunner& runner, const Draw& draw, const FurtherCall& call,
                            std::size_t output, OutputValues& values) {
  std::vector<std::vector<float>> filled;
  const auto fill = [&filled](Lease& lease) { filled = lease.fill_outputs(); };
  const CallKind kind{.ahead = false, .captures = true};
  const CallReport report =
      runner.checked_call(draw, call.poison_key, call.number, call.patience, nullptr, kind, fill);
  if (report.fault != Fault::none || report.cuda_error != 0) return;
  values.filled = std::move(filled.at(output));
  values.again = runner.lease().output_values(output);
}

}  // namespace kgrade
