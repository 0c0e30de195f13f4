"""Builds a `ModelNew` for a case, with the problem's tensors as its weights.

build() makes the module twice: first to find which tensor is which weight, then with the values in place. The referee
draws the values (CallContents::of_tensor() in contest/call_contents.cc)."""

import re

import torch
from torch.overrides import TorchFunctionMode

from . import derived_weights
from .drawn_tensors import DRAWS_IN_PLACE, DrawnTensors, is_reordered, memory_of
from .blank_state import BlankTensors, fill
from .construction import arguments_of, construct, refuse_lazy
from .errors import SignatureMismatch
from .forward_arguments import argument_of, names_in
from .initial_values import initial_weights, place_by_values
from .seeds import seed_all

# The buffers of norms that a problem's weight may be.
STATISTICS = ("running_mean", "running_var")
STATE_LINE = re.compile(r"^\s*#\s*kgrade:\s*state\s+(.+)$", re.MULTILINE)


def wanted_pairs(source):
    """"# kgrade: state kernel=conv.weight, bias=conv.bias" as {"kernel": "conv.weight", ...}."""
    pairs = {}
    for line in STATE_LINE.findall(source):
        for pair in re.split(r"[,\s]+", line.strip()):
            left, _, right = pair.partition("=")
            if left and right:
                pairs[left] = right
    return pairs


def state_of(module):
    """Parameters and buffers of a module by their full names. Computed weights replace the parameters that they are
    computed from."""
    state = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    for name, (weight, sources) in derived_weights.computed_weights(module).items():
        state = {other: tensor for other, tensor in state.items() if other not in sources}
        state[name] = weight
    return state


def is_merged(shape, whole):
    """Whether `shape` is `whole` with neighbouring dimensions merged, or dimensions of 1 left out: a matrix [64, 27]
    for a kernel [64, 3, 3, 3]. Both hold the same elements in the same order."""
    rest = [extent for extent in whole if extent != 1]
    for extent in shape:
        product = 1
        while product < extent and rest:
            product *= rest.pop(0)
        if product != extent:
            return False
    return not rest


def find_places(weights, shapes, state, pairs):
    """Finds the module's tensor for each weight of the problem: {weight: name in the module}.

    `weights`: {name in the problem: name in KernelBench's Model}. A tensor is found by name and shape, by name
    without the leading modules' names, by a unique shape, or by a line of the file. Then tensors with merged
    dimensions are found by name.
    """
    places = {}
    place_by_name(weights, shapes, state, pairs, tuple.__eq__, places)
    place_by_shape(weights, shapes, state, places)
    place_by_name(weights, shapes, state, pairs, is_merged, places)
    return places


def place_by_name(weights, shapes, state, pairs, is_shape_of, places):
    """Adds to `places` the weights whose names and shapes fit: `is_shape_of(the module's, the weight's)`."""

    def fits(name, weight):
        return (weight not in places and name in state and name not in places.values()
                and is_shape_of(tuple(state[name].shape), shapes[weight]))

    for weight in weights:
        if weight in pairs and fits(pairs[weight], weight):
            places[weight] = pairs[weight]
    for weight, usual in weights.items():
        for name in (usual, weight):
            if fits(name, weight):
                places[weight] = name
    for weight, usual in weights.items():
        last = usual.rsplit(".", 1)[-1]
        same = [name for name in state if name.rsplit(".", 1)[-1] in (last, weight) and fits(name, weight)]
        # A tensor of the module itself is preferred to tensors of its layers, which may never be used.
        least = min((name.count(".") for name in same), default=0)
        same = [name for name in same if name.count(".") == least]
        if len(same) == 1:
            places[weight] = same[0]


def place_by_shape(weights, shapes, state, places):
    """Adds to `places` the weights whose shape no other weight and no other tensor of the module has."""
    for weight in weights:
        if weight in places:
            continue
        same = [name for name, tensor in state.items()
                if name not in places.values() and tuple(tensor.shape) == shapes[weight]]
        rivals = [other for other in weights if other not in places and shapes[other] == shapes[weight]]
        if len(same) == 1 and len(rivals) == 1:
            places[weight] = same[0]


def may_leave_out(left_out, pairs, module, others, places):
    """Whether a module works without the weights `left_out`. That is so if it has no other tensor that could hold them
    in another form. A Model may have weights that its answer does not depend on, such as the bias of a layer before a
    batch norm."""
    names = [*(name for name, _ in module.named_parameters()), *others]
    computed_from = {source for _, sources in derived_weights.computed_weights(module).values() for source in sources}
    return not any(weight in pairs for weight in left_out) and all(
        name in places.values() or name in computed_from for name in names)


def same_shape_before(place, state, dropped, log):
    """The only dropped parameter that has a placed tensor's shape and was made before it; None if there is not
    exactly one.

    `self.weight = Parameter(layer.weight.permute(2, 1, 0))` has the shape of its source if the extents are equal, and
    no name shows which of the two the problem means."""
    number = log.number_of(state[place])
    before = [name for name, tensor in dropped.items() if tensor.shape == state[place].shape
              and (number is None or log.number_of(tensor) < number)]
    return before[0] if len(before) == 1 else None


MOST_NAMED = 8


def choices(weights, shapes, state, places):
    """{weight without a place: names of the module's tensors that could be the weight}, in the module's order."""
    return {weight: [name for name, tensor in state.items()
                     if name not in places.values() and tuple(tensor.shape) == shapes[weight]]
            for weight in weights if weight not in places}


def state_line(possible):
    """"# kgrade: state kernel=conv.weight, bias=b" with every weight that can be placed and no tensor twice; else
    empty."""
    pairs = {}
    for weight, names in possible.items():
        free = [name for name in names if name not in pairs.values()]
        if free:
            pairs[weight] = free[0]
    return "# kgrade: state " + ", ".join(f"{weight}={name}" for weight, name in pairs.items()) if pairs else ""


def in_words(items, word):
    """"a, b or c"; only the first ones of many."""
    shown = items[:MOST_NAMED]
    if len(shown) < len(items):
        return ", ".join(shown) + f" and {len(items) - len(shown)} more"
    return f" {word} ".join(part for part in (", ".join(shown[:-1]), shown[-1]) if part)


def both_sides(weights, shapes, state, places, possible):
    """A line for each weight of the problem with the module's tensors that are or could be the weight, then a line
    with the module's other tensors."""
    lines = []
    for weight in weights:
        if weight in places:
            right = places[weight]
        else:
            right = in_words(possible[weight], "or") if possible[weight] else "nothing of this shape"
        lines.append(f"{weight} {list(shapes[weight])} = {right}")
    named = {*places.values(), *(name for names in possible.values() for name in names)}
    others = [f"{name} {list(tensor.shape)}" for name, tensor in state.items() if name not in named]
    if others:
        lines.append(f"ModelNew also has {in_words(others, 'and')}")
    return lines if state else [*lines, "ModelNew has none"]


def wrong_pairs(pairs, possible, state):
    """The errors in the file's own lines."""
    return [f"'{name}', which '# kgrade: state' names for '{weight}', " +
            ("has another shape" if name in state else "is none of the module's")
            for weight, name in pairs.items() if weight in possible and name not in possible[weight]]


def mismatch(weights, shapes, state, places, pairs):
    """An error with the line to add first, then both sides, since a quote of the message may be cut."""
    possible = choices(weights, shapes, state, places)
    line = state_line(possible)
    none = [weight for weight, names in possible.items() if not names]
    remedies = wrong_pairs(pairs, possible, state)
    remedies += [f"make a parameter of shape {list(shapes[weight])} for '{weight}'" for weight in none]
    if line:
        others = any(len(names) > 1 for names in possible.values())
        remedies.append(f"add the line: {line}" + (" (or with others that are listed)" if others else ""))
    table = both_sides(weights, shapes, state, places, possible)
    return SignatureMismatch("the module's weights do not fit the problem's; " + "; ".join(remedies) + "\n" +
                             "\n".join(table))


class BuiltModule:
    """A module with copies of the lent weights. Their addresses do not change.

    `forward`: the arguments of forward() in order, as module_description.py describes them; the name alone stands for an
    input. `parameters`: {weight: the module's parameter or buffer}, without weights that the module has in another form.
    `left_out`: weights that the module does not have."""

    def __init__(self, module, forward, parameters=None, left_out=()):
        self.module = module
        self.parameters = parameters or {}
        self.left_out = left_out
        self.forward = forward
        self.names = [name for each in forward for name in names_in(each)]

    def forward_with(self, tensors):
        return self.module(*[argument_of(each, tensors) for each in self.forward])


class FlatModule(BuiltModule):
    """A module of a problem that is a file. It may return nested lists."""

    def forward_with(self, tensors):
        return flat(super().forward_with(tensors))


def flat(value):
    """The elements of nested tuples and lists in their order."""
    if isinstance(value, (tuple, list)):
        return [each for part in value for each in flat(part)]
    return [value]


class ParameterLog(TorchFunctionMode):
    """Numbers the parameters that a constructor makes, and with `has_statistics` also the running statistics of its
    norms. With `values` (number: tensor), these tensors get the values when they are made, and later initialisations
    are skipped. So the constructor derives everything from the problem's weights instead of its own. `draws` does this
    for plain tensors that the constructor draws, which are numbered separately.

    `reads_parameters`: the constructor may have derived something from a parameter."""

    INITIALISERS = {"uniform_", "normal_", "trunc_normal_", "kaiming_uniform_", "kaiming_normal_", "xavier_uniform_",
                    "xavier_normal_", "fill_", "zero_", "copy_", "constant_", "ones_", "zeros_", "exponential_",
                    "orthogonal_", "mul_", "add_", "clamp_", "erfinv_", "sub_", "div_", "__setitem__"}
    # Calls that read only a tensor's form, or whether it needs gradients.
    FORM = {"dim", "size", "numel", "ndimension", "is_floating_point", "requires_grad_", "is_contiguous"}
    FORM_ATTRIBUTES = {"shape", "ndim", "dtype", "device", "requires_grad", "is_cuda", "is_leaf", "grad_fn"}

    def __init__(self, values=None, draws=None, has_statistics=False):
        super().__init__()
        self.values = values or {}
        self.has_statistics = has_statistics
        self.names = {}  # of statistics, by number
        self.drawn = DrawnTensors(draws)
        self.made = []
        self.memories = set()
        self.placed = set()
        self.reads_parameters = False

    def __torch_function__(self, function, kinds, args=(), kwargs=None):
        kwargs = kwargs or {}
        # torch.nn.init passes its tensor by name.
        target = args[0] if args else kwargs.get("tensor")
        self.reads_parameters = self.reads_parameters or self.reads(function, [*args, *kwargs.values()])
        if self.placed and isinstance(target, torch.Tensor) and self.initialises(function, target, args):
            if getattr(function, "__name__", "") in DRAWS_IN_PLACE:
                # Draws anyway, so that later draws are the same as in a module without placed values.
                function(*([target.clone(), *args[1:]] if args else []),
                         **(kwargs if args else {**kwargs, "tensor": target.clone()}))
            return target
        result = function(*args, **kwargs)
        placed = self.drawn.note(getattr(function, "__name__", ""), args, target, result)
        if placed is not None:
            self.placed.add(memory_of(placed))
        return result

    def reads(self, function, arguments):
        """Whether a call may read the elements of a parameter."""
        name = getattr(function, "__name__", "")
        if name == "__get__" and getattr(getattr(function, "__self__", None), "__name__", "") in self.FORM_ATTRIBUTES:
            return False
        # These calls do not read the elements of their first argument.
        if name in self.FORM or name in self.INITIALISERS:
            arguments = arguments[1:]
        return any(memory_of(each) in self.memories for each in flat(arguments) if isinstance(each, torch.Tensor))

    def initialises(self, function, target, args):
        """Whether a call would change a placed parameter, or the part of it that `target` is."""
        name = getattr(function, "__name__", "")
        if name == "__set__":
            # This is `parameter.data = a tensor of the same form`. An assignment that moves or converts the parameter
            # does not count.
            value = args[1] if len(args) > 1 else None
            if getattr(getattr(function, "__self__", None), "__name__", "") != "data" or not (
                    isinstance(value, torch.Tensor) and value.shape == target.shape and value.dtype == target.dtype
                    and value.device == target.device):
                return False
        elif name not in self.INITIALISERS:
            return False
        return memory_of(target) in self.placed

    def note(self, parameter):
        number = len(self.made)
        self.made.append(parameter)
        if memory_of(parameter) is not None:
            self.memories.add(memory_of(parameter))
        value = self.values.get(number)
        if value is not None and value.numel() == parameter.numel() and parameter.device == value.device:
            with torch._C.DisableTorchFunction(), torch.no_grad():  # pylint: disable=protected-access
                parameter.copy_(value.view(parameter.shape))
            self.placed.add(memory_of(parameter))

    def number_of(self, parameter):
        return next((number for number, made in enumerate(self.made) if made is parameter), None)

    def dropped(self, state):
        """Parameters that the constructor made and the module does not have, under made-up names."""
        kept = {id(tensor) for tensor in state.values()}
        return {f"<parameter {number}>" + self.names.get(number, ""): made for number, made in enumerate(self.made)
                if id(made) not in kept}

    def again(self, values=None, draws=None):
        """A new log, which numbers the tensors in the same way when the module is made again."""
        return ParameterLog(values, draws, self.has_statistics)

    def __enter__(self):
        self.make, self.register = torch.nn.Parameter.__new__, torch.nn.Module.register_buffer
        log = self

        def make(kind, *args, **kwargs):
            parameter = log.make(kind, *args, **kwargs)
            if isinstance(parameter, torch.Tensor):
                log.note(parameter)
            return parameter

        def register(module, name, tensor, *args, **kwargs):
            if log.has_statistics and name in STATISTICS and isinstance(tensor, torch.Tensor):
                log.names[len(log.made)] = f".{name}"
                log.note(tensor)
            return log.register(module, name, tensor, *args, **kwargs)

        torch.nn.Parameter.__new__ = make
        torch.nn.Module.register_buffer = register
        return super().__enter__()

    def __exit__(self, *error):
        torch.nn.Parameter.__new__ = self.make
        torch.nn.Module.register_buffer = self.register
        return super().__exit__(*error)


def follow_origins(places, tensors, state, dropped, log, computed, make):
    """`places`, with each derived tensor replaced by the parameter that it is derived from. A tensor is derived if it
    changes when that parameter holds the problem's weight. `computed`: names that derived_weights places. `make`:
    makes the module again."""
    origins = {weight: same_shape_before(name, state, dropped, log) for weight, name in places.items()
               if name in state and name not in computed}
    origins = {weight: origin for weight, origin in origins.items() if origin is not None}
    if not origins:
        return places
    seed_all(0)
    with log.again({log.number_of(dropped[name]): tensors[weight].cpu() for weight, name in origins.items()}):
        again = state_of(make())
    derived = {weight: name for weight, name in origins.items() if places[weight] in again
               and not torch.equal(again[places[weight]], state[places[weight]])}
    return {**places, **derived}


def follow_draws(places, tensors, state, drawn, log, make):
    """Like follow_origins(), for plain tensors that were drawn. It applies only if the placed tensor has the drawn
    tensor's elements in another order. A tensor that is drawn and then scaled counts as a weight itself."""
    origins = {}
    for weight, name in places.items():
        same = [other for other, tensor in drawn.items() if name in state and tensor.shape == state[name].shape]
        if len(same) == 1 and same[0] not in [*origins.values(), *places.values()]:
            origins[weight] = same[0]
    if not origins:
        return places
    seed_all(0)
    with log.again(draws=log.drawn.values_at(origins, tensors)):
        again = state_of(make())
    return {**places, **{weight: name for weight, name in origins.items() if places[weight] in again
                         and is_reordered(again[places[weight]], tensors[weight])}}


def build(module_class, call, contract, tensors, source, is_own=False, dtype=None):
    """The module of one case. `tensors`: the lent tensors, by name. `is_own`: the module is the problem's own Model,
    whose weights have the problem's names. `dtype`: the type that the module is cast to; None: it is not cast."""
    weights = contract["torch"]["weights"]
    # The weights are in the problem's order, which is often the module's order too.
    weights = {each["name"]: weights[each["name"]] for each in contract["parameters"] if each["name"] in weights}
    shapes = {name: tuple(tensors[name].shape) for name in weights}
    seed_all(0)
    has_statistics = any(each.endswith(STATISTICS) for each in weights.values())
    with BlankTensors() as blank, ParameterLog(has_statistics=has_statistics) as log:
        module = construct(module_class, call, contract["torch"]["init_line"])
    state = state_of(module)
    refuse_lazy(state)
    pairs = wanted_pairs(source)
    places = find_places(weights, shapes, state, pairs)
    # These are parameters of layers that were packed and then dropped.
    dropped = log.dropped(state)
    if len(places) < len(weights):
        places = find_places(weights, shapes, {**state, **dropped}, pairs)
    drawn = log.drawn.named([*state.values(), *dropped.values()])
    if len(places) < len(weights):
        place_by_shape(weights, shapes, {**state, **dropped, **drawn}, places)
    if len(places) < len(weights):
        initial = initial_weights(contract.get("model"), *arguments_of(call))
        place_by_values(weights, shapes, {**state, **dropped, **drawn}, initial, places)
        place_by_shape(weights, shapes, {**state, **dropped, **drawn}, places)
    left_out = [weight for weight in weights if weight not in places]
    if left_out and not (contract.get("of_file") and may_leave_out(left_out, pairs, module, {**dropped, **drawn}, places)):
        raise mismatch(weights, shapes, state, places, pairs)

    def make():
        return construct(module_class, call, contract["torch"]["init_line"])

    has_source = not is_own and contract.get("model")
    blank_names = blank.names(state, places.values()) if has_source else ()
    if not is_own:
        # If the problem is a file's Model, a tensor with the name of a weight is that weight.
        known = {weight: name for weight, name in places.items() if contract.get("of_file") and weights[weight] == name}
        rest = {weight: name for weight, name in places.items() if weight not in known}
        computed = derived_weights.computed_weights(module)
        rest = follow_origins(rest, tensors, state, dropped, log, computed, make)
        places = {**known, **follow_draws(rest, tensors, state, drawn, log, make)}
    device = next(iter(tensors.values())).device
    if is_own and not log.reads_parameters:
        # Nothing else in the module depends on the weights. They are put in before the module is moved, so that the
        # values that the constructor drew are not copied to the device.
        parameters = put_weights(module, places, tensors)
        module = module.to(device=device, dtype=dtype)
    else:
        draws = log.drawn.values_at(places, tensors)
        numbers = {log.number_of({**state, **dropped}[name]): weight for weight, name in places.items()
                   if name not in drawn}
        values = {number: tensors[weight].cpu() for number, weight in numbers.items() if number is not None}
        again = log.again(values, draws)
        del module, log
        seed_all(0)
        with again:
            module = make()
        module = module.to(device=device, dtype=dtype)
        parameters = put_weights(module, {weight: name for weight, name in places.items()
                                          if name not in dropped and name not in drawn}, tensors)
    if blank_names:
        fill(module, blank_names, contract["model"],
             lambda model_class: build(model_class, call, contract, tensors, "", True, dtype).module)
    if contract["torch"]["mode"] == "eval":
        module.eval()
    for parameter in module.parameters():
        parameter.requires_grad_(False)
    kind = FlatModule if contract.get("of_file") else BuiltModule
    return kind(module, call.get("forward", contract["torch"]["forward"]), parameters, left_out)


def put_weights(module, places, tensors):
    """Copies the problem's tensors into the module. Returns {weight: the module's parameter or buffer}, without
    computed weights. `places`: {weight: name in the module}."""
    state = state_of(module)
    computed = derived_weights.computed_weights(module)
    parameters = {}
    for weight, name in places.items():
        if name in computed:
            derived_weights.place(module, name, tensors[weight].to(state[name].dtype).view(state[name].shape))
            continue
        if name not in state:
            raise SignatureMismatch(f"ModelNew has '{name}' in one process and not in the next")
        # A module that works in half precision keeps its weights in it.
        state[name].data = tensors[weight].clone().to(state[name].dtype).view(state[name].shape)
        parameters[weight] = state[name]
    return parameters
