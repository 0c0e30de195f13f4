"""Graphs, finite fields and sorting, on whole numbers."""

import heapq

import torch

MERSENNE_31 = 2**31 - 1


def _all_pairs(t, p):
    edges = t["adj_matrix"]
    paths = torch.where(edges > 0, edges, torch.inf)
    paths.fill_diagonal_(0)
    for by in range(len(paths)):
        paths = torch.minimum(paths, paths[:, by : by + 1] + paths[by : by + 1])
    return {"output": torch.where(paths.isinf(), -1.0, paths)}


def _from_source(t, p):
    edges = t["d_adj_matrix"]
    distances = torch.full((len(edges),), torch.inf, dtype=edges.dtype, device=edges.device)
    distances[p["source"]] = 0
    lengths = torch.where(edges > 0, edges, torch.inf)
    for _ in range(len(edges)):
        shorter = torch.minimum(distances, (distances[:, None] + lengths).amin(dim=0))
        if torch.equal(shorter, distances):
            break
        distances = shorter
    return {"d_distances": torch.where(distances.isinf(), -1.0, distances)}


def _spanning_tree(t, p):
    """The algorithm of Kruskal 1956. The reference uses Prim's."""
    weights = t["A"].cpu()
    root = list(range(len(weights)))

    def find(node):
        while root[node] != node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    upper = torch.triu(weights, diagonal=1).nonzero().tolist()
    heap = [(weights[i, j].item(), i, j) for i, j in upper]
    heapq.heapify(heap)
    total, joined = 0.0, 0
    while heap and joined < len(root) - 1:
        weight, i, j = heapq.heappop(heap)
        left, right = find(i), find(j)
        if left != right:
            root[left] = right
            total, joined = total + weight, joined + 1
    answer = total if joined == len(root) - 1 else -1.0
    return {"min_weight": torch.tensor([answer], dtype=torch.float64, device=t["A"].device)}


def _polynomials(t, p):
    a, b = t["d_input1"].tolist(), t["d_input2"].tolist()
    product = [0] * (2 * len(a) - 1)
    for i, left in enumerate(a):
        for j, right in enumerate(b):
            product[i + j] += left * right
    return {"d_output": torch.tensor([each % MERSENNE_31 for each in product], device=t["d_input1"].device)}


FORMULAS = {
    "all-pairs-shortest-path": _all_pairs,
    "shortest-path": _from_source,
    "min-spanning-tree": _spanning_tree,
    "array-sort": lambda t, p: {"b": torch.sort(t["a"]).values},
    "argsort": lambda t, p: {"indices": torch.argsort(t["x"], 1)},
    "top-k": lambda t, p: dict(zip(("values", "indices"), torch.topk(t["x"], p["k"], 1))),
    # The products are below 2^62, so 64 bits hold them.
    "vector-multiply-ff": lambda t, p: {"d_output": t["d_input1"] * t["d_input2"] % MERSENNE_31},
    "poly-multiply-ff": _polynomials,
    "ecc-point-negation": lambda t, p: {"out_xy": torch.stack((t["xs"], -t["ys"] % p["p"]), dim=1)},
}
