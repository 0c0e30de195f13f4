"""Losses."""

import torch
import torch.nn.functional as F


def _of_both(function):
    return lambda t, p: {"output": function(t["predictions"], t["targets"])}


def _kl_terms(predictions, targets):
    # xlogy is 0 where the target is 0.
    return torch.xlogy(targets, targets) - targets * predictions.clamp(min=1e-10).log()


def _cosine(predictions, targets):
    return 1 - F.cosine_similarity(predictions, targets, dim=1)


def _triplet(t, p):
    return {"loss": F.triplet_margin_loss(t["anchor"], t["positive"], t["negative"], margin=p["margin"])}


FORMULAS = {
    "huber-loss": _of_both(lambda x, y: F.smooth_l1_loss(x, y, reduction="none")),
    "hinge-loss": _of_both(lambda x, y: (1 - x * y).clamp(min=0)),
    "kl-loss": _of_both(_kl_terms),
    "mse-loss": _of_both(F.mse_loss),
    "mean-squared-error": _of_both(F.mse_loss),
    "smooth-l1-loss": _of_both(F.smooth_l1_loss),
    "hinge-loss-mean": _of_both(lambda x, y: (1 - x * y).clamp(min=0).mean()),
    "kl-loss-batchmean": _of_both(lambda x, y: F.kl_div(x.log(), y, reduction="batchmean")),
    "cross-entropy": _of_both(F.cross_entropy),
    "cosine-similarity": _of_both(_cosine),
    "triplet-margin": _triplet,
}
