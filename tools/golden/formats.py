#!/usr/bin/env python3
"""Writes tests/golden/formats/: files by gguf-py and comfy-kitchen, and what those decode them to.

Needs gguf, comfy-kitchen, safetensors, torch. Blocks of K-quants are random bytes under sane
scales, as gguf-py decodes them but does not make them.
"""
import json
import pathlib

import gguf
import numpy as np
import torch
from comfy_kitchen.backends.eager.quantization import (
    dequantize_int8_convrot_weight, dequantize_int8_simple, quantize_int8_convrot_weight,
    quantize_int8_rowwise, quantize_int8_tensorwise)
from safetensors.torch import save_file

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "formats"
T = gguf.GGMLQuantizationType
# Where the halves of a K-quant block lie.
HALVES = {T.Q4_K: (0, 2), T.Q5_K: (0, 2), T.Q6_K: (208,)}


def k_blocks(kind, rows, cols, rng):
    values, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = rng.integers(0, 256, (rows, cols // values, size), dtype=np.uint8)
    for at in HALVES[kind]:
        d = (rng.random((rows, cols // values)) * 0.01 + 0.0001).astype(np.float16)
        blocks[..., at:at + 2] = d[..., None].view(np.uint8)
    return blocks.reshape(rows, -1)


def write_gguf():
    rng = np.random.default_rng(1)
    path = OUT / "blocks.gguf"
    w = gguf.GGUFWriter(path, "t5encoder")
    w.add_uint32("test.u32", 4000000000)
    w.add_int64("test.i64", -5)
    w.add_float32("test.f32", 0.25)
    w.add_bool("test.bool", True)
    w.add_token_list(["<pad>", "</s>", "▁a"])
    w.add_token_scores([0.0, -1.5, -2.25])
    w.add_token_types([3, 3, 1])
    w.add_precompiled_charsmap(b"\x00\x01\xff")
    w.add_array("comfy.gguf.orig_shape.conv.weight", [32, 12, 2, 2])
    want = {}

    def add(name, packed, kind, shape=None):
        w.add_tensor(name, packed, raw_dtype=kind)
        decoded = torch.from_numpy(np.array(gguf.quants.dequantize(packed, kind)))
        want[name] = decoded.reshape(shape or (3, 512))

    for kind in (T.F32, T.F16, T.BF16, T.Q4_0, T.Q8_0):
        x = (rng.standard_normal((3, 512)) * 0.1).astype(np.float32)
        add(f"{kind.name.lower()}.weight", gguf.quants.quantize(x, kind), kind)
    for kind in HALVES:
        add(f"{kind.name.lower()}.weight", k_blocks(kind, 3, 512, rng), kind)
    # 32 * 12 * 2 * 2 elements in rows of 256: no row of the convolution ends with a block.
    add("conv.weight", k_blocks(T.Q4_K, 6, 256, rng), T.Q4_K, (32, 12, 2, 2))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
    save_file(want, OUT / "blocks_decoded.safetensors")


def write_scaled():
    torch.manual_seed(2)
    stored, want = {}, {}

    def add(layer, codes, scale, decoded, marker=None, scale_name="weight_scale"):
        stored[f"{layer}.weight"] = codes
        stored[f"{layer}.{scale_name}"] = scale
        if marker:
            text = list(json.dumps(marker).encode())
            stored[f"{layer}.comfy_quant"] = torch.tensor(text, dtype=torch.uint8)
        want[f"{layer}.weight"] = decoded.float()

    def rotated(layer, shape, group, marker):
        codes, scale = quantize_int8_convrot_weight(torch.randn(shape) * 0.05, group)
        add(layer, codes, scale, dequantize_int8_convrot_weight(codes, scale, group), marker)

    int8 = {"format": "int8_tensorwise"}
    for group in (4, 16, 64, 256, 1024):
        marker = {**int8, "convrot": True, "convrot_groupsize": group}
        rotated(f"convrot_{group}", (5, max(group, 32) * 2), group, marker)
    rotated("default_group", (4, 512), 256, {**int8, "convrot": True})
    rotated("narrow", (4, 64), 64, {**int8, "convrot": True, "convrot_groupsize": 256})
    rotated("quarot", (4, 512), 256, {"quarot": True, "quarot_groupsize": 256})
    rotated("nested", (4, 32), 16, {**int8, "params": {"convrot": True, "convrot_groupsize": 16}})

    w = torch.randn(6, 40) * 0.05
    codes, scale = quantize_int8_rowwise(w)
    decoded = dequantize_int8_simple(codes, scale)
    add("rowwise", codes, scale, decoded, int8)
    add("rowwise_flat", codes.clone(), scale.flatten().clone(), decoded.clone(), int8)
    codes, scale = quantize_int8_tensorwise(w)
    add("tensorwise", codes, scale.reshape(()), dequantize_int8_simple(codes, scale), int8)

    # A convolution rotates its input channels at each kernel position.
    def channels_first(t):
        return t.reshape(3, 2, 3, 16).permute(0, 3, 1, 2).contiguous()

    codes = torch.randint(-127, 128, (3 * 2 * 3, 16)).to(torch.int8)
    decoded = dequantize_int8_convrot_weight(codes, torch.full((len(codes), 1), 0.001), 16)
    add("conv", channels_first(codes), torch.full((3, 1, 1, 1), 0.001), channels_first(decoded),
        {**int8, "convrot": True, "convrot_groupsize": 16})

    fp8 = {"format": "float8_e4m3fn"}
    for kind, top in ((torch.float8_e4m3fn, 448), (torch.float8_e5m2, 57344)):
        name = str(kind).removeprefix("torch.float8_")
        scale = w.abs().max() / top
        codes = (w / scale).to(kind)
        add(f"fp8_{name}", codes, scale, codes.float() * scale, fp8)
        stored[f"plain_{name}.weight"] = (w * 10).to(kind)
        want[f"plain_{name}.weight"] = (w * 10).to(kind).float()
    scale = (w.abs().amax(1) / 448).bfloat16()
    codes = (w / scale.float()[:, None]).clamp(-448, 448).to(torch.float8_e4m3fn)
    add("old.rowwise", codes, scale, codes.float() * scale.float()[:, None],
        scale_name="scale_weight")
    stored["old.rowwise.scale_input"] = torch.tensor([1.0])
    stored["old.scaled_fp8"] = torch.zeros(2, dtype=torch.float8_e4m3fn)
    stored["ids"] = torch.arange(5)

    save_file(stored, OUT / "scaled.safetensors", {"format": "pt"})
    save_file(want, OUT / "scaled_decoded.safetensors")


def write_codes():
    """The value of every 8-bit and 16-bit code, and what torch rounds a grid of values to."""
    codes = torch.arange(256, dtype=torch.int32).to(torch.uint8)
    edges = torch.tensor([0.0, 448, 464, 2**-10, 3 * 2**-10])
    x = torch.cat([torch.randn(500) * s for s in (0.01, 1, 100)] + [edges])
    tables = {"x": x}
    for name, kind, top in (("e4m3", torch.float8_e4m3fn, 448), ("e5m2", torch.float8_e5m2, 57344)):
        tables[name] = codes.view(kind).float()
        tables[name + "_codes"] = x.clamp(-top, top).to(kind).view(torch.uint8).int()
    save_file(tables, OUT / "codes.safetensors")


OUT.mkdir(parents=True, exist_ok=True)
write_gguf()
write_scaled()
write_codes()
