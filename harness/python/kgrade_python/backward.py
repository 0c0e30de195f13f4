"""The problem of the gradients of a Model: of sum(output * grad_output), with respect to the floating inputs and the
parameters. A Python problem file asks for it with a global `BACKWARD = True`."""

import contextlib
import inspect

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack as active_modes

# The types of tensors that have gradients.
TYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
# The attributes in which a module keeps its tensors and parts.
SHARED = ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set")


def define_if_asked(namespace):
    """Calls define() for a problem file that says `BACKWARD = True`."""
    if namespace.get("BACKWARD") is True and all(name in namespace for name in ("Model", "get_inputs", "get_init_inputs")):
        define(namespace)


def define(namespace):
    """Replaces `Model` and `get_inputs` in the namespace of a problem file. get_inputs() adds one argument: `grad_output`
    for Model's floating output, or a list of these if there are several."""
    model, get_inputs, get_init_inputs = (namespace[name] for name in ("Model", "get_inputs", "get_init_inputs"))
    known, written, of_inputs = {}, [], []

    def backward_inputs(*case):
        inputs = get_inputs(*case)
        if not isinstance(inputs, (list, tuple)):
            return inputs
        inputs = pytree.tree_map(detached, list(inputs))
        key = repr(case)
        if key not in known:
            known[key] = Forms(model, namespace, get_init_inputs(*case), lambda: get_inputs(*case))
        forms = known[key]
        names = namespace.get("INPUT_NAMES")
        if names is None or names in written:  # the set's file gives none
            names = forms.names
        device = next((each.device for each in tensors_in(inputs)), None)
        grads = [torch.randn(shape, dtype=dtype, device=device) for shape, dtype in forms.outputs]
        grad_names = ["grad_output"] if len(grads) == 1 else [f"grad_output{i}" for i in range(len(grads))]
        of_inputs[:] = [name for name, each in zip(names, tensors_in(inputs)) if each.dtype in TYPES]
        namespace.update(INPUT_NAMES=[*names, *grad_names])
        written.append(namespace["INPUT_NAMES"])
        return [*inputs, grads[0] if len(grads) == 1 else grads]

    namespace.update(Model=backward_of(model, namespace, of_inputs), get_inputs=backward_inputs)


def backward_of(model, namespace, of_inputs):
    """A class of modules with the parameters and buffers of `model`, under the same names. Its forward(*inputs, grad_output)
    returns the gradients of the floating inputs, and then those of the floating parameters, without those on which no
    output depends. `of_inputs`: the names of the floating inputs."""

    class Model(torch.nn.Module):
        __doc__ = f"Gradients of: {(inspect.getdoc(model) or model.__name__).strip()}"

        def __init__(self, *arguments, **keywords):
            super().__init__()
            with named_model(namespace, model):
                made = model(*arguments, **keywords)
            vars(self).update(made=made, **{name: vars(made)[name] for name in SHARED})
            self.training = made.training

        def train(self, mode=True):
            self.made.training = mode
            return super().train(mode)

        def forward(self, *arguments):
            named = {name: each for name, each in self.named_parameters() if each.dtype in TYPES}
            weights = list(named.values())
            with torch.inference_mode(False), torch.enable_grad(), required(weights), named_model(namespace, model):
                inputs = pytree.tree_map(leaf, list(arguments[:-1]))
                outputs = floating(self.made(*inputs))
                pairs = [pair for pair in zip(outputs, floating(arguments[-1])) if pair[0].requires_grad]
                if not pairs:
                    raise ValueError("no floating output of forward() depends on a floating input or parameter; choose a "
                                     "Model that has gradients")
                leaves = [*floating(inputs), *weights]
                grads = torch.autograd.grad([output for output, _ in pairs], leaves, [grad for _, grad in pairs],
                                            allow_unused=True)
            namespace["OUTPUT_NAMES"] = [f"grad_{name}" for name, grad in zip([*of_inputs, *named], grads) if grad is not None]
            found = tuple(grad.detach().contiguous() for grad in grads if grad is not None)
            return found[0] if len(found) == 1 else found

    return Model


@contextlib.contextmanager
def named_model(namespace, model):
    """A context in which the file's name `Model` means `model`, as in its `super(Model, self).__init__()`."""
    other = namespace.get("Model")
    namespace["Model"] = model
    try:
        yield
    finally:
        namespace["Model"] = other


class Forms:
    """What is known of a Model without its values. `outputs`: (shape, type) of its floating outputs. `names`: of the
    tensors among its inputs."""

    def __init__(self, model, namespace, arguments, get_inputs):
        # In a description, the modes that watch the file decide whether tensors have memory.
        mode = contextlib.nullcontext() if active_modes() else known_integers()
        with torch.random.fork_rng(devices=[]), torch.no_grad(), named_model(namespace, model), mode:
            inputs = get_inputs()
            positional, keywords = split(arguments)
            made = model(*positional, **keywords)
            self.outputs = [(tuple(each.shape), each.dtype) for each in floating(made(*inputs))]
        parameters = list(inspect.signature(made.forward).parameters)
        parameters += [f"input{i}" for i in range(len(parameters), len(inputs))]
        self.names = [leaf for name, each in zip(parameters, inputs) for leaf in names_below(name, each)]


def known_integers():
    from .known_integers import KnownIntegers

    return KnownIntegers()


def split(arguments):
    """Positional arguments and keywords of Model, from what get_init_inputs() returns."""
    if isinstance(arguments, dict):
        return [], arguments
    if len(arguments) == 2 and isinstance(arguments[0], (list, tuple)) and isinstance(arguments[1], dict):
        return arguments
    return arguments, {}


@contextlib.contextmanager
def required(weights):
    """Weights that take part in autograd."""
    before = [each.requires_grad for each in weights]
    try:
        for each in weights:
            each.requires_grad_(True)
        yield
    finally:
        for each, was_required in zip(weights, before):
            each.requires_grad_(was_required)


def detached(value):
    return value.detach() if isinstance(value, torch.Tensor) else value


def leaf(value):
    """A tensor of the same memory for which autograd finds a gradient."""
    if not isinstance(value, torch.Tensor) or value.dtype not in TYPES:
        return value
    return (value.clone() if value.is_inference() else value.detach()).requires_grad_(True)


def tensors_in(value):
    return [each for each in pytree.tree_leaves(value) if isinstance(each, torch.Tensor)]


def floating(value):
    return [each for each in tensors_in(value) if each.dtype in TYPES]


def names_below(name, value):
    """A name for each tensor in an argument: "weights_bias" for value["bias"], "data0" for value[0]."""
    if isinstance(value, torch.Tensor):
        return [name]
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (list, tuple)) else []
    between = "_" if isinstance(value, dict) else ""
    return [leaf for key, each in parts for leaf in names_below(f"{name}{between}{key}", each)]
