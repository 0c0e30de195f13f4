"""Stand-ins for the comparisons in the `utils` of GPU MODE's leaderboards. A reference uses them to say which answers its
leaderboard accepts."""


class MatchReference:
    """A check of an answer against `reference(data)`. It accepts |answer - expected| <= atol + rtol * |expected|, in all
    elements but a fraction `tol_err_ratio` of them."""

    def __init__(self, reference, rtol=1e-5, atol=1e-8, tol_err_ratio=0.0):
        self.reference, self.rtol, self.atol, self.tol_err_ratio = reference, rtol, atol, tol_err_ratio

    def __call__(self, data, output):
        expected = self.reference(data)
        reasons = verbose_allclose(output, expected, self.rtol, self.atol, tol_err_ratio=self.tol_err_ratio)
        return not reasons, " ".join(reasons)


def make_match_reference(reference, **tolerances):
    return MatchReference(reference, **tolerances)


def match_reference(data, output, reference, **tolerances):
    return MatchReference(reference, **tolerances)(data, output)


def verbose_allclose(received, expected, rtol=1e-5, atol=1e-8, max_print=5, tol_err_ratio=0.0):
    """A list of one sentence if the tensors differ, or an empty list."""
    import torch

    if isinstance(expected, (list, tuple)):
        pairs = zip(received, expected)
        return [each for pair in pairs for each in verbose_allclose(*pair, rtol, atol, max_print, tol_err_ratio)]
    if received.shape != expected.shape:
        return [f"the shape is {list(received.shape)}, expected {list(expected.shape)}"]
    received, expected = received.double(), expected.double()
    wrong = int((~torch.isclose(received, expected, rtol, atol, equal_nan=True)).sum())
    return [f"{wrong} of {received.numel()} elements differ"] if wrong > tol_err_ratio * received.numel() else []


def verbose_allequal(received, expected, max_print=5):
    """Like verbose_allclose(), for equal tensors."""
    return verbose_allclose(received, expected, 0.0, 0.0, max_print)


def set_seed(seed=42):
    import torch

    torch.manual_seed(seed)


def get_device(use_cuda=True):
    import torch

    return torch.device("cuda" if use_cuda else "cpu")


TOOLS = {each.__name__: each for each in
         (make_match_reference, match_reference, verbose_allclose, verbose_allequal, set_seed, get_device)}
