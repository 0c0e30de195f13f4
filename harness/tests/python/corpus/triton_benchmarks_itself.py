# expect: part=more problem=relu cases=tiny,odd verdict=accepted
# A candidate that chooses its block by timing.
import triton
import triton.language as tl
import triton.testing


def fitting(configs, named_args, **_):
    most = 2 * triton.next_power_of_2(named_args["n"])
    return [config for config in configs if config.kwargs["BLOCK"] <= most] or configs


@triton.autotune(configs=[triton.Config({"BLOCK": block}, num_warps=4, num_stages=2) for block in (64, 256)], key=["n"],
                 prune_configs_by={"early_config_prune": fitting}, reset_to_zero=["y"], restore_value=None)
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit(do_not_specialize=["n"])
def rectify(x, y, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(y + at, tl.maximum(tl.load(x + at), 0.0))
    else:
        tl.store(y + at, tl.maximum(tl.load(x + at, mask=at < n), 0.0), mask=at < n)


best = {}


def solution(input, output, n, m):
    run = lambda: rectify[lambda meta: (triton.cdiv(n * m, meta["BLOCK"]),)](input, output, n * m)  # noqa: E731
    if (n, m) not in best:
        best[n, m] = triton.testing.do_bench(run, warmup=1, rep=2, return_mode="median")
    run()
