"""robust-kbench: func_forward.py or func_backward.py with `Model`, `forward_fn` and `get_inputs`, and a config file of
settings. A file with an AutogradFunction is a problem of gradients. An answer may define `forward_fn`, or `backward_fn` for
gradients, which the set's own Model and AutogradFunction then call."""

import inspect
import json
import re

from .. import backward
from ..entry_points import CALLING_MODULE
from ..module_file import FileError

# The default tolerances of the set's own checks.
BY_SET = {"absolute": 1e-5, "relative": 1e-5, "matched": 1.0, "largest": None}
LONGEST_NAME = 60


def define(namespace, text):
    given = json.loads(text)
    for name in ("Model", "get_inputs"):
        if not callable(namespace.get(name)):
            raise FileError(f"the file defines no '{name}'; add it, as in the set's other tasks")
    model, draw = namespace["Model"], namespace["get_inputs"]
    if "input_names" in namespace:
        namespace["INPUT_NAMES"] = list(namespace["input_names"])
    namespace.update(CASES=cases_of(json.loads(given["files"]["config"])),
                     get_inputs=lambda case: list(draw(**taken_by(draw, case["data"]["inputs"]))),
                     get_init_inputs=lambda case: [[], taken_by(model, case["data"]["init"])])
    is_backward = "AutogradFunction" in namespace
    call_latest(namespace, model)
    if is_backward:
        backward.define(namespace)
    namespace.update({"ENTRY": "backward_fn" if is_backward else "forward_fn", CALLING_MODULE: namespace["Model"]})


def call_latest(namespace, model):
    """Lets Model.forward(x, fn=forward_fn) call the functions that the namespace has at the time of the call. An answer's
    file is executed in the same namespace after the problem's."""
    original = namespace.get("forward_fn")

    def latest(*arguments):
        if "backward_fn" not in namespace or "AutogradFunction" not in namespace:
            return namespace["forward_fn"](*arguments)
        function = namespace["AutogradFunction"]
        function.backward_fn = staticmethod(namespace["backward_fn"])
        return function.apply(*arguments)

    defaults = model.forward.__defaults__ or ()
    model.forward.__defaults__ = tuple(latest if each is original else each for each in defaults)


def taken_by(function, settings):
    """The settings that a function has parameters for. Those for Model and for its inputs together hold more."""
    parameters = inspect.signature(function).parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return settings
    return {each.name: settings[each.name] for each in parameters if each.name in settings}


def cases_of(config):
    """A case for each combination of settings for Model, for the inputs, and for both. The settings for both come last.
    The set combines the `single` ones, and it combines the `multi` ones."""
    cases, names = [], set()
    for kind in ("single", "multi"):
        for_model, for_inputs, for_both = (config.get(f"{kind}_{of}_configs") or [{}] for of in ("init", "input", "shared"))
        for init in for_model:
            for inputs in for_inputs:
                for both in for_both:
                    data = {"init": {**init, **both}, "inputs": {**inputs, **both}}
                    if all(case["data"] != data for case in cases):
                        cases.append({"name": name_of(data, len(cases) + 1, names), "role": "bench", "by_set": BY_SET,
                                      "data": data})
    return cases


def name_of(data, number, names):
    settings = {**data["inputs"], **data["init"]}
    words = [str(value) if isinstance(value, str) else f"{name}{value}" for name, value in settings.items()]
    name = re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")
    if not name or len(name) > LONGEST_NAME or name in names:
        name = f"case{number}"
    names.add(name)
    return name
