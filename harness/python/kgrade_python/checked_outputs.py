"""Problems whose file says itself whether outputs are right: `def check(inputs, outputs)`.

`inputs`: the arguments of forward(), as get_inputs() returns them. `outputs`: the answer, one tensor or a tuple.
check() returns True, None or (True, "") if they are right, and False, a text or (False, "what is wrong") if not. A tensor of
one boolean stands for True or False. Anything else is an error of check(), which says nothing of the answer. It runs
in the oracle's process, which holds nothing of the candidate but these tensors. A sampler is checked by a test of its
frequencies; the problem states how often such a test may be wrong."""

import torch

from .errors import WrongAnswer, printable
from .forward_arguments import argument_of

LONGEST = 300


def check(module, call, tensors):
    """Raises WrongAnswer with what check() says, if the outputs in `tensors` are wrong, and TypeError if it returns neither
    yes nor no."""
    typed = {name: in_type_of_file(tensor, call.file_types.get(name)) for name, tensor in tensors.items()}
    inputs = [argument_of(each, {**call.scalars, **typed}) for each in call.forward]
    outputs = tuple(typed[each["name"]] for each in call.outputs)
    with torch.no_grad():
        said = module.check(inputs, outputs[0] if len(outputs) == 1 else outputs)
    wrong = reason_in(said)
    if wrong:
        raise WrongAnswer(printable(wrong, LONGEST))


def reason_in(said):
    """Why outputs are wrong, from what check() returns; None if they are right."""
    is_right, words = said if isinstance(said, tuple) and len(said) == 2 else (said, "")
    if isinstance(is_right, str) and is_right and is_right is said:
        return is_right
    if str(getattr(is_right, "dtype", "")) in ("bool", "torch.bool") and is_right.shape in ((), (1,)):
        is_right = bool(is_right)
    if is_right is None or is_right is True:
        return None
    if is_right is not False:
        raise TypeError(f"check() returns {printable(repr(said), LONGEST)}; let it return True or None for right outputs, and "
                        "False, a text or (False, text) for wrong ones")
    return str(words) or "the outputs are wrong"


def in_type_of_file(tensor, dtype):
    return tensor if dtype is None or tensor.dtype == dtype else tensor.to(dtype)
