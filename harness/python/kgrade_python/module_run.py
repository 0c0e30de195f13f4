"""Runs a module's file once to see its inputs, weights and outputs."""

import contextlib
import inspect

import torch
from torch.utils import _pytree as pytree

from .chosen_indices import IndexLog
from .dispatch_mode import Observers
from .draws import DrawLog, WriteLog, simplified, storage_of
from .module_file import FileError
from .module_state import flat
from .origins import READING_METHODS, OriginLog, computed_together
from .repeated_places import RepeatedPlaces
from .seeds import seed_all
from .sum_lengths import SumLengths

SEED = 0
NO_NUMBERS = "an output has no finite element, so that no answer can be judged"


class ForwardFailed(Exception):
    """forward() raised an exception, which `error` (a FileError) describes."""

    def __init__(self, error):
        super().__init__(str(error))
        self.error = error


class ModuleRun:
    """The results of the run: `arguments` of forward() and the `inputs` within them, `positional` and `keywords` of
    Model, `model`, `outputs`; `draws` of inputs and weights; forward's `random` operators, chosen `indices`, `sums`, and
    written `places`. `is_real`: whether tensors have memory. `input_draws` has None for a computed input and for the
    inputs that it is computed from (`origins`).

    `mode`: makes the mode that the file runs under. Model's constructor runs under it only with `is_model_fake`.
    `budget`: a limit for the cost of the run (Budget), or None.

    If forward() fails in training mode, all begins anew in eval mode: some files are for inference alone, and their sets
    call eval() outside of the file.
    """

    def __init__(self, file, mode=contextlib.nullcontext, is_model_fake=False, budget=None):
        try:
            self.run(file, mode, is_model_fake, budget)
        except ForwardFailed as failure:
            if not self.is_real or not self.model.training:
                raise failure.error from None
            try:
                self.run(file, mode, is_model_fake, budget, in_eval=True)
            except (FileError, ForwardFailed):
                raise failure.error from None

    def run(self, file, mode, is_model_fake, budget, in_eval=False):
        self.file = file
        self.is_model_fake = is_model_fake
        self.draws, self.origins = DrawLog(), OriginLog()
        forward, self.indices, self.sums, self.places = WriteLog(), IndexLog(), SumLengths(), RepeatedPlaces()
        limits = [budget] if budget else []
        self.is_real = is_real = mode is contextlib.nullcontext
        mode = mode()
        torch.manual_seed(SEED)
        with torch.no_grad():
            with mode, Observers(*limits, self.draws, self.origins), \
                    noted(READING_METHODS, lambda tensor: self.origins.note_read([tensor])), \
                    noted(["numpy"], lambda tensor: self.draws.note_write("numpy", tensor, [tensor])):
                self.arguments = self.get_inputs()
            self.inputs = [leaf for each in self.arguments for leaf in leaves(each)]
            self.input_draws = self.draws_of_inputs()
            with mode if is_model_fake else contextlib.nullcontext(), Observers(*limits, self.draws):
                self.build()
            if in_eval:
                self.model.eval()
            before = dict(self.model.named_buffers())
            with mode, Observers(*limits, forward, self.indices, self.sums, self.places):
                self.outputs = self.run_forward()
        if any(isinstance(each, torch.Tensor) and each.numel() == 0 for each in flat(self.outputs)):
            raise FileError("an output is empty; choose shapes that give it elements", file.line_of(self.model.forward))
        after = dict(self.model.named_buffers())
        self.changed_buffers = {name for name, buffer in before.items()
                                if storage_of(buffer) in forward.written or after.get(name) is not buffer}
        self.random = sorted(forward.random) if self.depends_on_draws(forward, is_real) else []
        self.written = forward.written

    def depends_on_draws(self, log, is_real):
        """Whether other random numbers give other outputs. A forward may draw initial weights and then replace them."""
        if not log.random or not is_real:
            return bool(log.random)
        before, after = self.outputs_under(SEED), self.outputs_under(SEED + 1)
        return not (len(before) == len(after) and all(map(are_alike, before, after)))

    def outputs_under(self, seed):
        """Copies of the outputs for copies of the inputs, which forward() may write to."""
        torch.manual_seed(seed)
        arguments = pytree.tree_map_only(torch.Tensor, torch.clone, self.arguments)
        with torch.no_grad():
            outputs = flat(self.file.call("forward()", self.model, *arguments))
        return pytree.tree_map_only(torch.Tensor, torch.clone, outputs)

    def all_tensors(self):
        """Inputs, parameters, buffers and outputs."""
        return [*self.inputs, *self.model.parameters(), *self.model.buffers(), *flat(self.outputs)]

    def get_inputs(self):
        inputs = self.file.call("get_inputs()", self.file.get_inputs)
        if not isinstance(inputs, (list, tuple)):
            raise FileError(f"get_inputs() returns {in_words(inputs)}; return a list with one element for each input of "
                            "forward()", self.file.line_of(self.file.get_inputs))
        return list(inputs)

    def draws_of_inputs(self):
        draws = [self.draw_of_input(each) if isinstance(each, torch.Tensor) else None for each in self.inputs]
        storages = [storage_of(each) if isinstance(each, torch.Tensor) else None for each in self.inputs]
        computed = {i for i, each in enumerate(self.inputs) if isinstance(each, torch.Tensor)
                    and (draws[i] is None or storages[i] in storages[:i])}
        if computed:
            for i in computed_together(self.inputs, computed, self.origins):
                draws[i] = None
        return draws

    def draw_of_input(self, tensor):
        # This type has neither zeros nor negative numbers, and most draws have them.
        if str(tensor.dtype) == "torch.float8_e8m0fnu":
            return None
        draw = simplified(self.draws.untouched(tensor.permute(order_in_memory(tensor))))
        return draw if draw is not None and draw.kind != "nothing" else None

    def build(self):
        """Makes the model under its seed, as the workers do."""
        seed_all(SEED)
        self.positional, self.keywords = self.init_arguments()
        self.model = self.file.call("Model(*get_init_inputs())", self.file.model_class, *self.positional, **self.keywords)
        for name, parameter in self.model.named_parameters():
            if torch.nn.parameter.is_lazy(parameter):
                raise FileError(f"the weight '{name}' has no shape before the first forward; use a layer that is not "
                                "lazy")
        self.refuse_recurrent_dropout()

    def refuse_recurrent_dropout(self):
        """Refuses dropout in recurrent layers: cuDNN keeps its own random state from call to call, which PyTorch's seed
        does not reset."""
        for name, part in self.model.named_modules():
            if isinstance(part, torch.nn.RNNBase) and part.training and part.num_layers > 1 and part.dropout > 0:
                raise FileError(f"'{name or 'Model'}' drops out between its layers, and no seed fixes what cuDNN drops: "
                                "each call has another answer; give it dropout=0, or end __init__ with self.eval()",
                                self.file.line_of(self.file.model_class.__init__))

    def init_arguments(self):
        arguments = self.file.call("get_init_inputs()", self.file.get_init_inputs)
        if isinstance(arguments, dict):
            arguments = [[], arguments]
        if not isinstance(arguments, (list, tuple)):
            raise FileError(f"get_init_inputs() returns {in_words(arguments)}; return a list of Model's arguments",
                            self.file.line_of(self.file.get_init_inputs))
        if self.is_split(arguments):
            return list(arguments[0]), dict(arguments[1])
        return list(arguments), {}

    def is_split(self, arguments):
        """Whether the arguments are [[positional...], {keyword: value}], as some collections write them."""
        if len(arguments) != 2 or not isinstance(arguments[0], (list, tuple)) or not isinstance(arguments[1], dict):
            return False
        try:
            known = inspect.signature(self.file.model_class.__init__).parameters.values()
        except (TypeError, ValueError):
            return False
        names = {each.name for each in known}
        takes_any = any(each.kind is each.VAR_KEYWORD for each in known)
        return all(isinstance(key, str) and (key in names or takes_any) for key in arguments[1])

    def run_forward(self):
        self.forward_names = self.names_of_forward()
        try:
            return self.file.call("forward()", self.model, *self.arguments)
        except FileError as error:
            raise ForwardFailed(error) from None

    def names_of_forward(self):
        """The names of forward's parameters that get_inputs() fills, in their order."""
        forward = self.model.forward
        line = self.file.line_of(forward)
        try:
            parameters = list(inspect.signature(forward).parameters.values())
        except (TypeError, ValueError):
            return [f"input{i}" for i in range(len(self.arguments))]
        names = [each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
        needed = [each.name for each in parameters if each.default is each.empty
                  and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
        count = len(self.arguments)
        if any(each.kind is each.VAR_POSITIONAL for each in parameters):
            names += [f"input{i}" for i in range(len(names), count)]
        missing = [name for name in needed if name not in names[:count]]
        if missing or count > len(names):
            takes = ", ".join(names) or "nothing"
            raise FileError(f"get_inputs() returns {count} value{'s' * (count != 1)}, forward() takes {len(names)} "
                            f"({takes}); return one value for each", line)
        return names[:count]

    def named_inputs(self):
        """Pairs of a name and an input. An input within an argument has the name that the file's INPUT_NAMES gives it, or
        else the argument's name with its key or number."""
        names = [name for each, argument in zip(self.forward_names, self.arguments) for name in names_of_leaves(each, argument)]
        given = getattr(self.file.namespace, "INPUT_NAMES", None)
        if isinstance(given, (list, tuple)):
            tensors = [i for i, each in enumerate(self.inputs) if isinstance(each, torch.Tensor)]
            for i, name in zip(tensors, given):
                names[i] = str(name)
        return list(zip(names, self.inputs))

    def is_blank(self, tensor):
        """Whether a tensor has no contents: it has no elements, or get_inputs() leaves its memory as it is, for forward() to
        write an output into it."""
        if tensor.numel() == 0:
            return True
        draw = self.draws.draw_of(tensor)
        if draw is None or draw.kind != "nothing":
            return False
        return self.writes_to(tensor) or any(
            isinstance(each, torch.Tensor) and each.shape == tensor.shape and each.dtype == tensor.dtype
            for each in flat(self.outputs))

    def writes_to(self, tensor):
        return storage_of(tensor) in self.written

    def refuse_shared(self, written, name):
        """Copies of inputs do not share memory, as the inputs of a file may."""
        sharing = [other for other, each in self.named_inputs() if isinstance(each, torch.Tensor) and overlap(each, written)]
        if len(sharing) > 1 or any(step == 0 and size > 1 for step, size in zip(written.stride(), written.shape)):
            places = " and ".join(f"'{each}'" for each in sharing) if len(sharing) > 1 else f"elements of '{name}'"
            raise FileError(f"forward() writes to '{name}', and {places} share memory; let get_inputs() return clones",
                            self.file.line_of(self.file.get_inputs))


def extent_of(tensor):
    """The first byte of a tensor's elements in its storage, and the byte behind the last one."""
    first = tensor.storage_offset()
    last = first + sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride()))
    return first * tensor.element_size(), (last + 1) * tensor.element_size()


def overlap(one, other):
    """Whether two tensors with elements have common bytes, or their strides cross in one storage."""
    storage = storage_of(one)
    if storage is None or storage != storage_of(other) or not one.numel() or not other.numel():
        return False
    (begin, end), (other_begin, other_end) = extent_of(one), extent_of(other)
    return begin < other_end and other_begin < end


def are_alike(one, other):
    if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
        return type(one) is type(other)
    return one.shape == other.shape and bool(torch.allclose(one.double(), other.double(), equal_nan=True))


def has_numbers(output):
    """False for a floating tensor that holds nothing but NaN and infinities."""
    is_floating = isinstance(output, torch.Tensor) and output.is_floating_point() and output.numel() > 0
    return not is_floating or bool(torch.isfinite(output.double()).any())


def holds_tensors(value):
    return any(isinstance(each, torch.Tensor) for each in pytree.tree_leaves(value))


def leaves(value):
    """The inputs in an argument of forward(): its tensors and other elements if it is a list, tuple or dictionary that
    holds tensors, or else the argument itself."""
    if type(value) not in (list, tuple, dict) or not holds_tensors(value):
        return [value]
    return [leaf for each in (value.values() if isinstance(value, dict) else value) for leaf in leaves(each)]


def names_of_leaves(name, value):
    """A name for each of leaves(value): "weights_bias" for value["bias"], "data0" for value[0]."""
    if type(value) not in (list, tuple, dict) or not holds_tensors(value):
        return [name]
    if isinstance(value, dict):
        return [leaf for key, each in value.items() for leaf in names_of_leaves(f"{name}_{key}", each)]
    return [leaf for i, each in enumerate(value) for leaf in names_of_leaves(f"{name}{i}", each)]


def order_in_memory(tensor):
    """A tensor's axes in the order of its memory, from slow to fast. The usual order if the tensor is not dense."""
    usual = list(range(tensor.dim()))
    if tensor.layout != torch.strided or tensor.is_contiguous():
        return usual
    order = sorted(usual, key=lambda axis: (-tensor.stride(axis), axis))
    return order if tensor.permute(order).is_contiguous() else usual


def in_words(value):
    return "nothing" if value is None else f"a {type(value).__name__}"


@contextlib.contextmanager
def noted(names, note):
    """Calls note(tensor) before each call of a tensor's methods `names`, which hand its elements out without an operator.
    What NumPy writes to them is not seen."""
    methods = {name: getattr(torch.Tensor, name) for name in names}

    def noting(method):
        def called(tensor, *arguments, **keywords):
            note(tensor)
            return method(tensor, *arguments, **keywords)

        return called

    for name, method in methods.items():
        setattr(torch.Tensor, name, noting(method))
    try:
        yield
    finally:
        for name, method in methods.items():
            setattr(torch.Tensor, name, method)
