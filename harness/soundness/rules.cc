#include "soundness/rules.h"

namespace kgrade {

const std::vector<LintRule>& lint_rules() {
  static const std::vector<LintRule> rules = {
      {"form", "the file cannot be read: YAML, keys, types, names"},
      {"incomplete", "shapes, distributions, dtypes or cases that grading needs are missing"},
      {"shape-not-positive", "a case makes an extent of a tensor zero or negative"},
      {"illegal-case", "a case breaks `require`, overflows, or cannot be evaluated"},
      {"unused-parameter",
       "no expression names an integer parameter, or no shape and no output depends on a scalar"},
      {"equal-cases", "two cases have the same values"},
      {"fuzz", "no draw from `fuzz`, or hardly one, is legal, or it leaves out a parameter (a warning)"},
      {"reader", "something that readers miss: a sample case, `flops`, a statement (a warning)"},
      {"unchecked",
       "a TODO of `kgrade import` or a placeholder of `kgrade new` still stands there (a warning)"},
      {"beyond-memory", "a case does not fit three times into the device, or a GPU of 80 GB"},
      {"clashing-slug", "two files have one slug, or a file is not named after its slug"},
      {"reference-missing", "there is no reference/<slug>.cu"},
      {"no-small-case", "no case is small enough for the device, or for a run without --deep", true},
      {"reference-fails", "the reference does not build, load or run", true},
      {"reference-out-of-bounds", "the reference reads or writes memory that is not its own", true},
      {"reference-unwritten", "the reference leaves elements of an output as they were before the call",
       true},
      {"reference-unsafe", "the reference races, or has another fault that `kgrade check` finds", true},
      {"reference-unsteady", "the oracle's answer changes although its inputs stay the same", true},
      {"reference-imprecise", "the reference, in single precision, is not close to the oracle", true},
      {"not-finite", "expected values are infinite or not a number, or too large for the element type", true},
      {"constant-output", "all elements of an output have one value", true},
      {"aliasing-output", "an output holds what another output or an input holds", true},
      {"zeros-pass", "zeros are accepted", true},
      {"ones-pass", "ones are accepted", true},
      {"mean-passes", "the mean of the output, in every element, is accepted", true},
      {"other-seed-passes", "the output for other inputs is accepted", true},
      {"shuffle-passes", "the output with its elements in another order is accepted", true},
      {"input-passes", "an input copied into the output is accepted", true},
      {"stale-passes", "the answer of the call before is accepted, when few elements of an input change",
       true},
      {"sample-passes", "the output is accepted when half of an input is replaced by its mean", true},
      {"axis-constant", "the output is the same all along an axis, as far as the comparison can tell", true},
      {"input-ignored", "no element of an input changes the output beyond the tolerance", true},
      {"classes-overlap",
       "the errors of two neighbouring precision classes differ by less than a factor of 4", true},
      {"lower-class-passes", "operands rounded to the class below the one asked for are accepted", true},
  };
  return rules;
}

}  // namespace kgrade
