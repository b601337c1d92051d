#!/usr/bin/env python3
"""Makes tests/golden/sampling/*.json with PyTorch, SciPy and k-diffusion.

Schedules follow the rules of ComfyUI (comfy/samplers.py, comfy/model_sampling.py) in torch's
float32, the NV noise those of stable-diffusion-webui's modules/rng_philox.py in NumPy.
"""
import importlib
import importlib.util
import json
import math
import pathlib
import sys
import types

import numpy as np
import scipy.special
import scipy.stats
import torch

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "sampling"


def load_k_diffusion():
    """k_diffusion.sampling alone: the package's own __init__ imports metrics that need CLIP."""
    package = types.ModuleType("k_diffusion")
    package.__path__ = list(importlib.util.find_spec("k_diffusion").submodule_search_locations)
    sys.modules["k_diffusion"] = package
    return importlib.import_module("k_diffusion.sampling")


def write(name, value):
    text = json.dumps(value, separators=(",", ":"), allow_nan=False).replace("},", "},\n")
    (OUT / f"{name}.json").write_text(text + "\n")


def bits(values):
    return [int(v) for v in np.asarray(values, np.float32).ravel().view(np.uint32)]


def floats(tensor):
    """The shortest decimals that give the same float32 back."""
    return [float(str(v)) for v in np.asarray(tensor, np.float32).ravel()]


# Noise -----------------------------------------------------------------------------------------


def fnv1a(values):
    """64-bit FNV-1a over the bits of float32 values: one number stands for a long array."""
    value = 0xCBF29CE484222325
    for word in bits(values):
        value = (value ^ word) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return str(value)


def cpu_noise(seed, size):
    torch.manual_seed(seed)
    return torch.randn(size).numpy()


def nv_noise(seed, size):
    zero = np.zeros(size, np.uint64)
    c = [zero, zero, np.arange(size, dtype=np.uint64), zero]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        high, low = np.uint64(32), np.uint64(0xFFFFFFFF)
        c = [(b >> high) ^ c[1] ^ np.uint64(key[0]), b & low,
             (a >> high) ^ c[3] ^ np.uint64(key[1]), a & low]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    one = np.array([2.3283064e-10], np.float32)
    two_pi = np.array([2.3283064e-10 * 6.2831855], np.float32)
    u = c[0].astype(np.uint32) * one + one / 2
    angle = c[1].astype(np.uint32) * two_pi + two_pi / 2
    return (np.sqrt(-2.0 * np.log(u)) * np.sin(angle)).astype(np.float32)


def noise():
    sizes = [*range(1, 65), 255, 256, 257, 4095, 4096, 4097]
    cases = [(seed, size) for seed in (0, 42, -1) for size in sizes]
    cases += [(5, 33), (2**32 + 5, 33), (2**63 - 1, 1000), (123456789, 1_000_000),
              (12, 411_328)]  # seed 12: value 411302 comes from a uniform of exactly 0
    nv = [(seed, size) for seed in (0, 42, 2**32 + 5, 2**64 - 1) for size in (1, 3, 16, 1000)]
    write("noise", {
        "cpu": [{"seed": s, "size": n, "hash": fnv1a(cpu_noise(s, n))} for s, n in cases],
        "cpu_first": {"seed": 42, "bits": {n: bits(cpu_noise(42, n)) for n in (7, 15, 16, 17)}},
        "nv": [{"seed": str(s), "size": n, "hash": fnv1a(nv_noise(s, n))} for s, n in nv],
        "nv_first": {"seed": 0, "bits": bits(nv_noise(0, 12))},
    })


# Schedules -------------------------------------------------------------------------------------


class Eps:
    def __init__(self):
        betas = torch.linspace(0.00085**0.5, 0.012**0.5, 1000, dtype=torch.float64) ** 2
        signal = torch.cumprod(1 - betas, 0)
        exact = ((1 - signal) / signal) ** 0.5
        self.sigmas, self.logs = exact.float(), exact.log().float()
        self.t_min, self.t_max = 0.0, 999.0

    def sigma(self, t):
        low, high, w = t.floor().long(), t.ceil().long(), t.frac()
        return ((1 - w) * self.logs[low] + w * self.logs[high]).exp()


class Flow:
    def __init__(self, alpha=None, mu=None):
        self.alpha, self.mu = alpha, mu
        levels = 1000 if mu is None else 10000
        self.sigmas = self.sigma(torch.arange(1, levels + 1) / levels)
        self.t_min, self.t_max = float(self.sigmas[0]), float(self.sigmas[-1])

    def sigma(self, t):
        if self.mu is not None:
            return math.exp(self.mu) / (math.exp(self.mu) + (1 / t - 1))
        return t if self.alpha == 1 else self.alpha * t / (1 + (self.alpha - 1) * t)


def simple(table, n):
    return [table.sigmas[-(1 + int(i * (len(table.sigmas) / n)))] for i in range(n)] + [0]


def normal(table, n):
    return [*table.sigma(torch.linspace(table.t_max, table.t_min, n)), 0]


def karras(table, n):
    return k_diffusion.get_sigmas_karras(n, float(table.sigmas[0]), float(table.sigmas[-1]))


def beta(table, n):
    quantiles = scipy.stats.beta.ppf(1 - np.linspace(0, 1, n, endpoint=False), 0.6, 0.6)
    indices = np.rint(quantiles * (len(table.sigmas) - 1)).astype(int)
    return [table.sigmas[i] for i in dict.fromkeys(indices)] + [0]


def schedules():
    tables = {"eps": Eps(), "none": Flow(alpha=1), "3": Flow(alpha=3), "mu=1.15": Flow(mu=1.15),
              "mu=0.63": Flow(mu=0.63)}
    rules = [simple, normal, karras, beta]
    p = [0, 1e-12, 1e-4, 0.05, 0.3, 0.5, 0.77, 0.9, 0.999, 1 - 2.0**-40, 1]
    shapes = [(0.6, 0.6), (0.5, 0.7), (1, 1), (2, 5), (30, 0.5)]
    write("schedules", {
        "tables": [{"table": k, "levels": len(t.sigmas), "every": len(t.sigmas) // 20,
                    "sigmas": floats(t.sigmas[:: len(t.sigmas) // 20]),
                    "last": float(t.sigmas[-1])} for k, t in tables.items()],
        "schedules": [{"table": k, "scheduler": r.__name__, "steps": n, "sigmas": floats(r(t, n))}
                      for k, t in tables.items() for r in rules for n in (1, 2, 4, 7, 20, 28)],
        "many": [{"table": k, "steps": 1000, "levels": len(beta(tables[k], 1000))}
                 for k in ("eps", "mu=1.15")],
        "beta_quantile": [{"a": a, "b": b, "p": p, "x": list(scipy.special.betaincinv(a, b, p))}
                          for a, b in shapes],
    })


# Samplers --------------------------------------------------------------------------------------


def gaussian(prediction, mean, var):
    def denoise(x, sigma):
        s = sigma.view(-1, 1, 1, 1)
        if prediction == "eps":
            return mean + var / (var + s**2) * (x - mean)
        return mean + (1 - s) * var / ((1 - s) ** 2 * var + s**2) * (x - (1 - s) * mean)
    return denoise


def samplers():
    torch.manual_seed(0)
    mean, noise_, var = torch.randn(3, 2, 3), torch.randn(2, 3, 2, 3), 0.4
    cases = [("eps", "karras", karras(Eps(), 12)),
             ("eps", "normal", torch.tensor(normal(Eps(), 5))),
             ("flow", "simple", torch.tensor(simple(Flow(mu=1.15), 8))),
             ("flow", "beta", torch.tensor(beta(Flow(alpha=1), 20))),
             ("flow", "given, not down to 0", torch.tensor([0.9, 0.7, 0.4, 0.35]))]
    runs = []
    for prediction, label, sigmas in cases:
        x = noise_ * sigmas[0]
        for name in ("euler", "heun", "dpmpp_2m"):
            states = []
            sample = getattr(k_diffusion, f"sample_{name}")
            out = sample(gaussian(prediction, mean, var), x, sigmas,
                         callback=lambda state: states.append(state["x"]), disable=True)
            runs.append({"prediction": prediction, "label": label, "sampler": name,
                         "sigmas": floats(sigmas),
                         "trajectory": floats(torch.stack([*states, out]))})
    write("samplers", {"mean": floats(mean), "noise": floats(noise_), "var": var, "runs": runs})


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    k_diffusion = load_k_diffusion()
    noise()
    schedules()
    samplers()
