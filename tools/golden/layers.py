#!/usr/bin/env python3
"""Writes tests/golden/formats/layers.safetensors: what the linear layers of the files beside it
make of an input, by comfy-kitchen's eager backend (int8) and torch (the rest, in double).

Run formats.py first. Needs comfy-kitchen, safetensors, torch. Inputs are not stored: that of
layer X is torch.randn(9, K) with the seed `X` of the metadata, the first one that keeps every code
away from a tie.
"""
import json
import pathlib

import torch
from comfy_kitchen.backends.eager import quantization as kitchen
from safetensors.torch import load_file, save_file

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "formats"
ROWS = 9


def drawn(seed, columns):
    torch.manual_seed(seed)
    return torch.randn(ROWS, columns)


def is_near_tie(x):
    code = x.double() / (x.double().abs().amax(1, keepdim=True) / 127)
    return ((code - code.floor() - 0.5).abs() < 1e-4).any()


def int8_layer(weight, scale, marker):
    rotated = marker.get("convrot", False) or marker.get("quarot", False)
    group = min(marker.get("convrot_groupsize", marker.get("quarot_groupsize", 256)),
                weight.shape[1])
    hadamard = kitchen._build_hadamard(group, "cpu", torch.float32) if rotated else None
    for seed in range(1000):
        x = drawn(seed, weight.shape[1])
        if not is_near_tie(kitchen._rotate_activation(x, hadamard, group) if rotated else x):
            break
    y = kitchen.int8_linear(x, weight, scale, None, torch.float32, convrot=rotated,
                            convrot_groupsize=group)
    return seed, y


def main():
    outputs, seeds = {}, {}
    stored = load_file(OUT / "scaled.safetensors")
    decoded = load_file(OUT / "scaled_decoded.safetensors")
    for name, weight in stored.items():
        layer = name.removesuffix(".weight")
        if layer == name or weight.ndim != 2:
            continue
        if weight.dtype == torch.int8:
            marker = json.loads(bytes(stored[layer + ".comfy_quant"].tolist()))
            marker.update(marker.pop("params", {}))
            scale = stored[layer + ".weight_scale"]
            seeds[layer], outputs[layer] = int8_layer(weight, scale, marker)
        else:
            seeds[layer] = len(seeds)
            x = drawn(seeds[layer], weight.shape[1]).double()
            outputs[layer] = x @ decoded[name].double().T
    for name, weight in load_file(OUT / "blocks_decoded.safetensors").items():
        layer = name.removesuffix(".weight")
        if weight.ndim != 2:
            continue
        seeds[layer] = len(seeds)
        outputs[layer] = drawn(seeds[layer], weight.shape[1]).double() @ weight.double().T
    save_file({k: v.float().contiguous() for k, v in outputs.items()}, OUT / "layers.safetensors",
              {"seeds": json.dumps(seeds)})


main()
